//! A conservative estimate of the tokens of a text, without a tokenizer.
//!
//! Public tokenizers split a text into words, short runs of digits, punctuation and spaces, and split rare words further.
//! The estimate splits by character class and assumes slightly shorter pieces than usual: `parseHTTPHeader` counts as 5.

/// Assumed number of letters per token.
const LETTERS: usize = 4;

/// Estimates the maximum number of tokens of a text. `xtask clients` compares it with real tokenizers.
pub fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        let class = CharClass::of(first);
        let mut length = 1;
        let mut last = first;
        while let Some(&next) = chars.peek() {
            let continues = match class {
                CharClass::Upper | CharClass::Lower => {
                    CharClass::of(next) == CharClass::Lower
                        || (CharClass::of(next) == CharClass::Upper
                            && CharClass::of(last) == CharClass::Upper)
                }
                CharClass::Digit => CharClass::of(next) == CharClass::Digit && length < 3,
                CharClass::Space | CharClass::Break => CharClass::of(next) == class,
                CharClass::Mark => next == first && length < 4,
                CharClass::Other => false,
            };
            if !continues {
                break;
            }
            last = next;
            length += 1;
            chars.next();
        }
        count += match class {
            CharClass::Lower | CharClass::Upper => usize::div_ceil(length, LETTERS),
            CharClass::Digit | CharClass::Break | CharClass::Mark => 1,
            // A single space belongs to the word that follows.
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
    fn words_digits_and_punctuation_are_counted_separately() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("the quick fox"), 4);
        assert_eq!(tokens("parseHTTPHeader"), 5, "a capital letter continues with the letters that follow");
        assert_eq!(tokens("12345"), 2);
        assert_eq!(tokens("a, b"), 3);
        assert!(tokens("größe") >= 3);
    }

    #[test]
    fn long_runs_are_never_free() {
        for text in ["x".repeat(400), " ".repeat(400), "-".repeat(400), "7".repeat(400), "語".repeat(400)] {
            assert!(tokens(&text) >= 10, "{}", &text[..3]);
        }
    }
}
