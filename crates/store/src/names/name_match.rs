//! Name matching: exact, case-insensitive, by prefix, by word, or within an edit distance.

/// Which names a query matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NameMatch {
    /// All names.
    #[default]
    Any,
    /// Exactly this name.
    Exact(String),
    /// This name, case-insensitive.
    Folded(String),
    /// Names with this prefix, case-insensitive.
    Prefix(String),
    /// Names with this word, or several consecutive words: `user` and `UserId` match `getUserId` and `user_id_map`.
    Word(String),
    /// Names within an edit distance: insertions, deletions, substitutions and transpositions.
    Fuzzy {
        /// The text.
        text: String,
        /// The maximum distance.
        distance: u32,
    },
}

/// A query prepared for matching many names.
pub(crate) enum Matcher {
    Folded(String),
    Prefix(String),
    Word(Vec<String>),
    Fuzzy(Box<Fuzzy>),
}

impl Matcher {
    /// `None` for queries that do not scan all names.
    pub(crate) fn new(question: &NameMatch) -> Option<Self> {
        Some(match question {
            NameMatch::Any | NameMatch::Exact(_) => return None,
            NameMatch::Folded(text) => Self::Folded(text.to_lowercase()),
            NameMatch::Prefix(text) => Self::Prefix(text.to_lowercase()),
            NameMatch::Word(text) => Self::Word(words(text)),
            NameMatch::Fuzzy { text, distance } => Self::Fuzzy(Box::new(Fuzzy::new(text, *distance))),
        })
    }

    /// The grade of a name; `None` if it does not match. 0 is best.
    pub(crate) fn grade(&mut self, name: &str) -> Option<u32> {
        match self {
            Self::Folded(text) => (folded_prefix(name, text) == Some(true)).then_some(0),
            Self::Prefix(text) => folded_prefix(name, text).map(|whole| u32::from(!whole)),
            Self::Word(asked) => {
                if asked.is_empty() {
                    return None;
                }
                let of_name = words(name);
                let found = of_name.windows(asked.len()).any(|window| window == asked.as_slice());
                found.then(|| u32::from(of_name.len() != asked.len()))
            }
            Self::Fuzzy(fuzzy) => fuzzy.mistakes(name),
        }
    }
}

/// Whether a name starts with a lower-case text, and whether it has the same length.
fn folded_prefix(name: &str, text: &str) -> Option<bool> {
    if name.is_ascii() && text.is_ascii() {
        let start = name.as_bytes().get(..text.len())?;
        return start.eq_ignore_ascii_case(text.as_bytes()).then_some(name.len() == text.len());
    }
    let mut letters = name.chars().flat_map(char::to_lowercase);
    text.chars().all(|letter| letters.next() == Some(letter)).then(|| letters.next().is_none())
}

/// The words of a name in lower case: those of `parseHTTPHeader2` are `parse`, `http`, `header` and `2`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut letters = name.chars().peekable();
    let mut before = '_';
    while let Some(letter) = letters.next() {
        let next_is_lower = letters.peek().is_some_and(|next| next.is_lowercase());
        let border = !letter.is_alphanumeric()
            || letter.is_numeric() != before.is_numeric()
            || (letter.is_uppercase() && (before.is_lowercase() || next_is_lower));
        if border && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A text for fuzzy matching. Length and letters reject most names before the edit distance is computed.
pub(crate) struct Fuzzy {
    /// In lower case.
    text: Vec<char>,
    /// The same as ASCII bytes, if it is ASCII.
    ascii: Option<(Vec<u8>, Letters)>,
    most: u32,
    rows: [Vec<u32>; 3],
    name: Vec<u8>,
}

impl Fuzzy {
    fn new(text: &str, most: u32) -> Self {
        let text = text.to_lowercase();
        let ascii = text.is_ascii().then(|| (text.as_bytes().to_vec(), Letters::of(text.as_bytes())));
        let rows = [Vec::new(), Vec::new(), Vec::new()];
        Self { text: text.chars().collect(), ascii, most, rows, name: Vec::new() }
    }

    /// The edit distance to a name, if it is within the limit.
    fn mistakes(&mut self, name: &str) -> Option<u32> {
        let most = self.most as usize;
        match &self.ascii {
            Some((text, own)) if name.is_ascii() => {
                if name.len().abs_diff(text.len()) > most {
                    return None;
                }
                self.name.clear();
                self.name.extend(name.bytes().map(|byte| byte.to_ascii_lowercase()));
                if !own.may_be_near(Letters::of(&self.name), self.most) {
                    return None;
                }
                mistakes(text, &self.name, self.most, &mut self.rows)
            }
            _ => {
                // Changing case may change the length of a letter from one byte to four.
                if name.len() < self.text.len() / 4 || name.len() / 4 > self.text.len() + most {
                    return None;
                }
                let name: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
                mistakes(&self.text, &name, self.most, &mut self.rows)
            }
        }
    }
}

/// A bit set of the letters of an ASCII text, ignoring case. Some letters share a bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letters(u32);

impl Letters {
    pub(crate) fn of(text: &[u8]) -> Self {
        Self(text.iter().fold(0, |all, byte| all | 1 << (byte & 31)))
    }

    /// Whether two texts may be within an edit distance: each edit removes at most one letter from the set and adds at most
    /// one.
    pub(crate) fn may_be_near(self, other: Self, most: u32) -> bool {
        (self.0 & !other.0).count_ones() <= most && (other.0 & !self.0).count_ones() <= most
    }
}

/// The Damerau–Levenshtein distance (optimal string alignment) from `text` to `name`, if it is at most `most`.
///
/// Example: `gteUser` to `getUser` is 1, since swapping two adjacent letters is one edit; `setUses` to `getUser` is 2.
fn mistakes<L: Copy + PartialEq>(text: &[L], name: &[L], most: u32, rows: &mut [Vec<u32>; 3]) -> Option<u32> {
    if name.len().abs_diff(text.len()) > most as usize {
        return None;
    }
    let [two_before, before, row] = rows;
    before.clear();
    before.extend(0..=name.len() as u32);
    for (i, &a) in text.iter().enumerate() {
        row.clear();
        row.push(i as u32 + 1);
        for (j, &b) in name.iter().enumerate() {
            let mut least = (before[j] + u32::from(a != b)).min(before[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a == name[j - 1] && text[i - 1] == b {
                least = least.min(two_before[j - 1] + 1);
            }
            row.push(least);
        }
        if row.iter().all(|&least| least > most) {
            return None;
        }
        std::mem::swap(two_before, before);
        std::mem::swap(before, row);
    }
    before.last().copied().filter(|&least| least <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grade(question: &NameMatch, name: &str) -> Option<u32> {
        Matcher::new(question).expect("a question for every name").grade(name)
    }

    #[test]
    fn names_are_split_into_words() {
        for (name, expected) in [
            ("parseHTTPHeader2", "parse http header 2"),
            ("snake_case__name", "snake case name"),
            ("__init__", "init"),
            ("GrößeÄndern", "größe ändern"),
            ("utf8Decode", "utf 8 decode"),
            ("X", "x"),
            ("___", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn words_match_completely_and_consecutively() {
        let word = |text: &str| NameMatch::Word(text.to_owned());
        assert_eq!(grade(&word("user"), "getUserById"), Some(1));
        assert_eq!(grade(&word("userId"), "map_user_id"), Some(1));
        assert_eq!(grade(&word("userId"), "UserID"), Some(0));
        assert_eq!(grade(&word("use"), "getUserById"), None);
        assert_eq!(grade(&word("__"), "anything"), None);
    }

    #[test]
    fn prefixes_and_folding_ignore_case_only() {
        let prefix = |text: &str| NameMatch::Prefix(text.to_owned());
        assert_eq!(grade(&prefix("getu"), "getUser"), Some(1));
        assert_eq!(grade(&prefix("GETUSER"), "getUser"), Some(0));
        assert_eq!(grade(&prefix("user"), "getUser"), None);
        assert_eq!(grade(&prefix("größ"), "GRÖSSE"), None);
        assert_eq!(grade(&prefix("grö"), "GRÖSSE"), Some(1));
        assert_eq!(grade(&NameMatch::Folded("getuser".into()), "getUser"), Some(0));
        assert_eq!(grade(&NameMatch::Folded("getuse".into()), "getUser"), None);
    }

    #[test]
    fn the_edit_distance_is_the_grade() {
        let fuzzy = |text: &str, distance| NameMatch::Fuzzy { text: text.to_owned(), distance };
        assert_eq!(grade(&fuzzy("getUser", 2), "getuser"), Some(0));
        assert_eq!(grade(&fuzzy("gteUser", 2), "getUser"), Some(1), "a transposition is one edit");
        assert_eq!(grade(&fuzzy("getUsr", 2), "getUser"), Some(1));
        assert_eq!(grade(&fuzzy("getUsers", 2), "getUser"), Some(1));
        assert_eq!(grade(&fuzzy("setUses", 2), "getUser"), Some(2));
        assert_eq!(grade(&fuzzy("setUses", 1), "getUser"), None);
        assert_eq!(grade(&fuzzy("", 2), "ab"), Some(2));
    }

    proptest::proptest! {
        #[test]
        fn the_prefilter_never_rejects_a_name_within_the_distance(
            text in "[abAB_19k\u{212a}\u{130}é]{0,8}",
            name in "[abAB_19k\u{212a}\u{130}é]{0,8}",
            most in 0..4_u32,
        ) {
            let lower = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
            let text_lower: Vec<char> = text.to_lowercase().chars().collect();
            let expected = mistakes(&text_lower, &lower(&name), most, &mut Default::default());
            proptest::prop_assert_eq!(grade(&NameMatch::Fuzzy { text, distance: most }, &name), expected);
        }
    }
}
