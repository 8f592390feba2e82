//! Where an answer goes on: the place in the operation's own list, and how many lines of that part were sent.

use std::fmt;
use std::str::FromStr;

/// A place in an answer. Callers take it for a word without meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Where the operation's list goes on; none for its beginning.
    pub(crate) after: Option<String>,
    /// How many lines of the text from there were sent.
    pub(crate) skip: usize,
    /// The generation they were counted in.
    pub(crate) generation: u64,
    /// Stands for the question, so that a cursor is not used with another one.
    pub(crate) question: u16,
}

impl Cursor {
    /// The mark of a question.
    pub(crate) fn mark(key: u64) -> u16 {
        (key ^ (key >> 16) ^ (key >> 32) ^ (key >> 48)) as u16
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let after = self.after.as_deref().unwrap_or_default();
        write!(f, "{after}~{}@{}.{:04x}", self.skip, self.generation, self.question)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (after, rest) = text.trim().rsplit_once('~').ok_or(())?;
        let (skip, rest) = rest.split_once('@').ok_or(())?;
        let (generation, question) = rest.split_once('.').ok_or(())?;
        Ok(Self {
            after: (!after.is_empty()).then(|| after.to_owned()),
            skip: skip.parse().map_err(|_| ())?,
            generation: generation.parse().map_err(|_| ())?,
            question: u16::from_str_radix(question, 16).map_err(|_| ())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_read_back() {
        for after in [None, Some("50@7".to_owned())] {
            let cursor = Cursor { after, skip: 12, generation: 7, question: 0xab };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for wrong in ["", "50@7", "~", "~x@1.0000", "~1@1", "~1@1.zzzz", "~-1@1.0000"] {
            assert_eq!(wrong.parse::<Cursor>(), Err(()), "{wrong}");
        }
    }
}
