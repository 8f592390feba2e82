//! The cursor of a partial answer: the position in the operation's list, and the number of lines sent from there.

use std::fmt;
use std::str::FromStr;

/// A position in an answer; opaque to clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The position in the operation's list; none for its beginning.
    pub(crate) after: Option<String>,
    /// Number of lines sent from there.
    pub(crate) skip: usize,
    /// The generation of the answer.
    pub(crate) generation: u64,
    /// A hash of the arguments, so that a cursor is not used with others.
    pub(crate) call: u16,
}

impl Cursor {
    /// Folds the hash of a call into 16 bits.
    pub(crate) fn fold(key: u64) -> u16 {
        (key ^ (key >> 16) ^ (key >> 32) ^ (key >> 48)) as u16
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let after = self.after.as_deref().unwrap_or_default();
        write!(f, "{after}~{}@{}.{:04x}", self.skip, self.generation, self.call)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (after, rest) = text.trim().rsplit_once('~').ok_or(())?;
        let (skip, rest) = rest.split_once('@').ok_or(())?;
        let (generation, call) = rest.split_once('.').ok_or(())?;
        Ok(Self {
            after: (!after.is_empty()).then(|| after.to_owned()),
            skip: skip.parse().map_err(|_| ())?,
            generation: generation.parse().map_err(|_| ())?,
            call: u16::from_str_radix(call, 16).map_err(|_| ())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_a_round_trip() {
        for after in [None, Some("50@7".to_owned())] {
            let cursor = Cursor { after, skip: 12, generation: 7, call: 0xab };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for wrong in ["", "50@7", "~", "~x@1.0000", "~1@1", "~1@1.zzzz", "~-1@1.0000"] {
            assert_eq!(wrong.parse::<Cursor>(), Err(()), "{wrong}");
        }
    }
}
