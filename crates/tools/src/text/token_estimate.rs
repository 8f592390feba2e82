//! What a text costs a language model, without its tokenizer: an estimate on the safe side.
//!
//! Public tokenizers cut a text into words, short runs of digits, marks and spaces, and cut rare words further. The
//! same cuts are made here by the look of the text, and pieces are taken to be a little shorter than they usually are.

/// How many letters of a lower-case word one token is taken to hold.
const LETTERS: usize = 4;

/// How many tokens a text takes at most, as far as its look tells. A test compares it with real tokenizers.
pub fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        let look = CharClass::of(first);
        let mut length = 1;
        let mut last = first;
        while let Some(&next) = chars.peek() {
            let goes_on = match look {
                CharClass::Upper | CharClass::Lower => {
                    CharClass::of(next) == CharClass::Lower
                        || (CharClass::of(next) == CharClass::Upper
                            && CharClass::of(last) == CharClass::Upper)
                }
                CharClass::Digit => CharClass::of(next) == CharClass::Digit && length < 3,
                CharClass::Space | CharClass::Break => CharClass::of(next) == look,
                CharClass::Mark => next == first && length < 4,
                CharClass::Other => false,
            };
            if !goes_on {
                break;
            }
            last = next;
            length += 1;
            chars.next();
        }
        count += match look {
            CharClass::Lower | CharClass::Upper => usize::div_ceil(length, LETTERS),
            CharClass::Digit | CharClass::Break | CharClass::Mark => 1,
            // A single space belongs to the word behind it.
            CharClass::Space => usize::from(length > 1) + length / 40,
            CharClass::Other => first.len_utf8().saturating_sub(1),
        };
    }
    count
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Upper,
    Lower,
    Digit,
    Space,
    Break,
    Mark,
    Other,
}

impl CharClass {
    fn of(c: char) -> Self {
        match c {
            'A'..='Z' => Self::Upper,
            'a'..='z' => Self::Lower,
            '0'..='9' => Self::Digit,
            ' ' | '\t' => Self::Space,
            '\n' | '\r' => Self::Break,
            c if c.is_ascii() => Self::Mark,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_digits_and_marks_are_counted_apart() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("the quick fox"), 4);
        assert_eq!(tokens("parseHTTPHeader"), 5, "a capital goes on with what follows");
        assert_eq!(tokens("12345"), 2);
        assert_eq!(tokens("a, b"), 3);
        assert!(tokens("größe") >= 3);
    }

    #[test]
    fn nothing_long_is_free() {
        for text in ["x".repeat(400), " ".repeat(400), "-".repeat(400), "7".repeat(400), "語".repeat(400)] {
            assert!(tokens(&text) >= 10, "{}", &text[..3]);
        }
    }
}
