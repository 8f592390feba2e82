//! Pagination of lists: the cursor of the next row, and the window of rows a request asks for.

use super::{Answer, AnswerMetadata, Doubt};
use crate::text::number_format::count;
use std::fmt;
use std::str::FromStr;

/// The position of the next row of a list, and the generation the position was counted in: `50@7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Number of rows before it.
    pub(crate) offset: u64,
    /// The generation of the list.
    pub(crate) generation: u64,
}

/// The limit of an argument; 0 means no limit.
pub(crate) fn limit_or_all(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}

/// The rows of a list that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageWindow {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
    generation: Option<u64>,
}

impl PageWindow {
    /// The window of the arguments `limit` and `after`. A limit of 0 means no limit.
    pub(crate) fn new(limit: Option<u64>, default: u64, after: Option<Cursor>) -> Self {
        let limit = limit_or_all(usize::try_from(limit.unwrap_or(default)).unwrap_or(usize::MAX));
        let offset = after.map_or(0, |cursor| usize::try_from(cursor.offset).unwrap_or(usize::MAX));
        Self { offset, limit, generation: after.map(|cursor| cursor.generation) }
    }

    /// Adds to the answer which rows it has, and warns if the index changed since the cursor was issued.
    pub(crate) fn paginate<T>(self, mut answer: Answer<T>, shown: usize, total: usize) -> Answer<T> {
        answer.metadata.set_rows(self.offset as u64, shown as u64, total as u64);
        if self.generation.is_some_and(|issued| Some(issued) != answer.metadata.generation()) {
            return answer
                .note("the index has changed since the previous page: rows may be missing or repeated");
        }
        answer
    }
}

impl AnswerMetadata {
    /// Makes it say that the data is `shown` rows from `start` of a list of `total` rows, with a cursor for the rows that follow.
    pub(super) fn set_rows(&mut self, start: u64, shown: u64, total: u64) {
        self.total = Some(total);
        if start + shown < total {
            let generation = self.generation().unwrap_or_default();
            self.next = Some(Cursor { offset: start + shown, generation }.to_string());
        }
        if shown < total {
            let text = format!("{} of {} shown", count(shown), count(total));
            self.add_doubts(vec![Doubt::limit(total - shown, text)]);
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.offset, self.generation)
    }
}

impl FromStr for Cursor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split_once('@')
            .and_then(|(offset, generation)| {
                Some(Self { offset: offset.parse().ok()?, generation: generation.parse().ok()? })
            })
            .ok_or_else(|| {
                format!("{text:?} is not a cursor; use the one of the previous answer, such as 50@7")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_round_trip() {
        let cursor = Cursor { offset: 50, generation: 7 };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
        assert!("50".parse::<Cursor>().is_err());
    }
}
