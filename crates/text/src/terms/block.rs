//! Lists of units with marks, a few to a block: what is kept of the terms of many texts.

use super::chunk_terms::Mark;
use crate::TextError;
use crate::postings::golomb_rice::{Ascending, put_ascending, put_number, take_number};

/// Blocks end at about this size: several to a page of a database, so that little of it stays empty.
const BLOCK: usize = 500;

/// Marks that are common enough to be told in two bits; any other follows in a byte of its own.
const COMMON: [u8; 3] = [0x01, 0x02, 0x20];
const OTHER: u8 = 3;

/// The units of one term, as they are kept.
#[derive(Clone, Copy, Debug)]
pub struct TermList<'b> {
    /// How many units there are.
    pub count: u32,
    bytes: &'b [u8],
    bound: u32,
}

impl TermList<'_> {
    /// Shows the units, ascending, with their marks.
    pub fn each(self, mut see: impl FnMut(u32, Mark)) -> Result<(), TextError> {
        let short = TextError("it ends early");
        let codes = (self.count as usize).div_ceil(4);
        let (codes, mut rest) = self.bytes.split_at_checked(codes).ok_or(short)?;
        let others = codes.iter().map(|&byte| others(byte)).sum::<usize>();
        // The codes behind the last unit are of a common mark.
        let marks = rest.split_off(..others).ok_or(short)?;
        let mut marks = marks.iter();
        let mut units = Ascending::new(rest, self.count, self.bound);
        for at in 0..self.count as usize {
            let unit = units.number()?;
            let code = codes[at / 4] >> (at % 4 * 2) & 3;
            let mark = if code == OTHER { *marks.next().ok_or(short)? } else { COMMON[code as usize] };
            see(unit, Mark(mark));
        }
        Ok(())
    }
}

/// How many of the four codes of a byte stand for a mark that follows.
fn others(codes: u8) -> usize {
    (codes & codes >> 1 & 0x55).count_ones() as usize
}

/// Appends a list: how far its term is from the one before, and the units with their marks.
pub(crate) fn write_list(
    bytes: &mut Vec<u8>,
    gap: u32,
    list: impl ExactSizeIterator<Item = (u32, Mark)>,
    bound: u32,
) {
    let count = list.len() as u32;
    put_number(bytes, gap);
    put_number(bytes, count);
    let (mut codes, mut marks) = (vec![0_u8; (count as usize).div_ceil(4)], Vec::new());
    let mut units = Vec::with_capacity(count as usize);
    for (at, (unit, mark)) in list.enumerate() {
        let code = COMMON.iter().position(|&common| common == mark.0).map_or(OTHER, |code| code as u8);
        if code == OTHER {
            marks.push(mark.0);
        }
        codes[at / 4] |= code << (at % 4 * 2);
        units.push(unit);
    }
    codes.append(&mut marks);
    put_ascending(&mut codes, &units, bound);
    put_number(bytes, codes.len() as u32);
    bytes.append(&mut codes);
}

/// Puts lists into blocks, in the order of their terms.
pub(crate) struct TermBlockWriter {
    bound: u32,
    first: u32,
    last: u32,
    bytes: Vec<u8>,
    list: Vec<u8>,
}

impl TermBlockWriter {
    /// For units below `bound`.
    pub(crate) fn new(bound: u32) -> Self {
        Self { bound, first: 0, last: 0, bytes: Vec::with_capacity(2 * BLOCK), list: Vec::new() }
    }

    /// Adds a list; gives back a block that is full, with its first term.
    pub(crate) fn push(
        &mut self,
        term: u32,
        list: impl ExactSizeIterator<Item = (u32, Mark)>,
    ) -> Option<(u32, Vec<u8>)> {
        self.list.clear();
        write_list(&mut self.list, 0, list, self.bound);
        let full = (!self.bytes.is_empty() && self.bytes.len() + self.list.len() > BLOCK)
            .then(|| self.finish())
            .flatten();
        if self.bytes.is_empty() {
            (self.first, self.last) = (term, term);
        }
        if term == self.last {
            self.bytes.extend_from_slice(&self.list);
        } else {
            put_number(&mut self.bytes, term - self.last);
            // The list begins with the gap of nought, one byte.
            self.bytes.extend_from_slice(&self.list[1..]);
        }
        self.last = term;
        full
    }

    /// The block at hand, if there is anything in it.
    pub(crate) fn finish(&mut self) -> Option<(u32, Vec<u8>)> {
        if self.bytes.is_empty() {
            return None;
        }
        let bytes = self.bytes.as_slice().to_vec();
        self.bytes.clear();
        Some((self.first, bytes))
    }
}

/// Reads the lists of a block, in the order of their terms.
#[derive(Clone)]
pub struct TermBlockReader<'b> {
    bytes: &'b [u8],
    term: u32,
    bound: u32,
}

impl<'b> TermBlockReader<'b> {
    /// A block of units below `bound` that starts with a term.
    pub fn new(first: u32, bytes: &'b [u8], bound: u32) -> Self {
        Self { bytes, term: first, bound }
    }

    /// The list of one term, if the block has it.
    pub fn find(self, term: u32) -> Result<Option<TermList<'b>>, TextError> {
        for entry in self {
            let (at, list) = entry?;
            if at >= term {
                return Ok((at == term).then_some(list));
            }
        }
        Ok(None)
    }

    /// Where every so many lists begin, counted in bytes, and the term before each: a block of the rest begins there.
    pub fn steps(mut self, every: usize) -> Result<Vec<(u32, u32)>, TextError> {
        let all = self.bytes.len();
        let mut steps = Vec::new();
        while !self.bytes.is_empty() {
            steps.push((self.term, (all - self.bytes.len()) as u32));
            for _ in 0..every.max(1) {
                self.next().transpose()?;
            }
        }
        Ok(steps)
    }

    fn take(&mut self) -> Result<(u32, TermList<'b>), TextError> {
        let more = take_number(&mut self.bytes)?;
        self.term = self.term.checked_add(more).ok_or(TextError("not a term"))?;
        let count = take_number(&mut self.bytes)?;
        let length = take_number(&mut self.bytes)? as usize;
        let bytes = self.bytes.split_off(..length).ok_or(TextError("it ends early"))?;
        Ok((self.term, TermList { count, bytes, bound: self.bound }))
    }
}

impl<'b> Iterator for TermBlockReader<'b> {
    type Item = Result<(u32, TermList<'b>), TextError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let taken = self.take();
        if taken.is_err() {
            self.bytes = &[];
        }
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn any_bytes_give_units_in_bounds_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            for entry in TermBlockReader::new(7, &bytes, 50) {
                let Ok((_, list)) = entry else { break };
                let _ = list.each(|unit, _| assert!(unit < 50));
            }
        }

        #[test]
        fn lists_are_found_by_their_terms(
            lists in prop::collection::btree_map(0_u32..1000, prop::collection::btree_map(0_u32..300, any::<u8>(), 1..20), 1..200),
        ) {
            let mut writer = TermBlockWriter::new(300);
            let mut blocks = Vec::new();
            for (&term, list) in &lists {
                let list: Vec<(u32, Mark)> = list.iter().map(|(&unit, &mark)| (unit, Mark(mark))).collect();
                blocks.extend(writer.push(term, list.iter().copied()));
            }
            blocks.extend(writer.finish());
            let whole = |block: usize| TermBlockReader::new(blocks[block].0, &blocks[block].1, 300);
            let steps: Vec<Vec<(u32, u32)>> =
                (0..blocks.len()).map(|block| whole(block).steps(3).expect("whole")).collect();
            for term in 0..1000 {
                let seen = |reader: Option<TermBlockReader<'_>>| {
                    let mut seen = BTreeMap::new();
                    if let Some(list) = reader.and_then(|reader| reader.find(term).expect("whole")) {
                        list.each(|unit, mark| { seen.insert(unit, mark.0); }).expect("whole");
                    }
                    seen
                };
                let block = blocks.iter().rposition(|(first, _)| *first <= term);
                let reader = block.map(whole);
                let wanted = lists.get(&term).cloned().unwrap_or_default();
                prop_assert_eq!(&seen(reader.clone()), &wanted);
                let later = block.map(|block| {
                    let at = steps[block].partition_point(|step| step.0 < term).saturating_sub(1);
                    let (before, from) = steps[block][at];
                    TermBlockReader::new(before, &blocks[block].1[from as usize..], 300)
                });
                prop_assert_eq!(seen(later), wanted);
            }
        }
    }
}
