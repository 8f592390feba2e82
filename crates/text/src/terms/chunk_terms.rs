//! The terms of one text, unit by unit.

use super::block::{TermBlockReader, write_list};
use super::tokenizer::{for_each_term, term_number};
use crate::TextError;
use crate::postings::golomb_rice::{put_number, take_number};

/// Where in a unit a term can stand, beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Field {
    /// The name of something the unit defines.
    Name = 0x80,
    /// The header of what it defines, and the names around it.
    Header = 0x40,
    /// The path of its file.
    Path = 0x20,
    /// Documentation of what it defines.
    Doc = 0x10,
}

/// What a term is to a unit: in which fields it stands, and how often it stands in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(pub u8);

impl Mark {
    const MOST: u8 = 0x0f;

    /// Whether the term stands in a field.
    pub fn is_in(self, field: Field) -> bool {
        self.0 & field as u8 != 0
    }

    /// How often it stands in the text; 15 stands for that many or more.
    pub fn count(self) -> u8 {
        self.0 & Self::MOST
    }

    fn more(self) -> Self {
        if self.count() == Self::MOST { self } else { Self(self.0 + 1) }
    }
}

/// A term in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    /// The number of the term.
    pub term: u32,
    /// The place of the unit.
    pub unit: u32,
    /// What the term is to it.
    pub mark: Mark,
}

/// The terms of all units of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// For each unit, how many terms its text has.
    pub lengths: Vec<u16>,
    /// Each pair of term and unit once, in no order.
    pub postings: Vec<Posting>,
}

/// Collects the terms of units, one after the other.
#[derive(Debug, Default)]
pub struct TermsBuilder {
    terms: Terms,
    unit: Vec<Posting>,
    /// Where the postings of a term of the unit at hand are: a table of places in `unit`, plus one.
    table: Vec<u32>,
}

impl TermsBuilder {
    /// Adds words of a field of the unit at hand.
    pub fn field(&mut self, field: Field, text: &[u8]) {
        for_each_term(text, |term, _| self.in_field(field, &[term_number(term)]));
    }

    /// Adds terms of a field of the unit at hand.
    #[inline]
    pub fn in_field(&mut self, field: Field, terms: &[u32]) {
        for &term in terms {
            self.posting(term).mark.0 |= field as u8;
        }
    }

    /// Adds the text of the unit at hand; returns how many terms it has.
    pub fn text(&mut self, text: &[u8]) -> u16 {
        let mut length = 0_u16;
        for_each_term(text, |term, _| {
            self.in_text(&[term_number(term)]);
            length = length.saturating_add(1);
        });
        length
    }

    /// Adds terms of the text of the unit at hand.
    #[inline]
    pub fn in_text(&mut self, terms: &[u32]) {
        for &term in terms {
            let posting = self.posting(term);
            posting.mark = posting.mark.more();
        }
    }

    /// Ends the unit at hand.
    pub fn end(&mut self, length: u16) {
        let number = self.terms.lengths.len() as u32;
        for posting in &mut self.unit {
            posting.unit = number;
        }
        self.terms.postings.append(&mut self.unit);
        self.table.fill(0);
        self.terms.lengths.push(length);
    }

    /// The terms of all units.
    pub fn finish(self) -> Terms {
        self.terms
    }

    fn posting(&mut self, term: u32) -> &mut Posting {
        if self.unit.len() * 2 >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = term as usize & mask;
        loop {
            match self.table[at] {
                0 => {
                    self.unit.push(Posting { term, unit: 0, mark: Mark(0) });
                    self.table[at] = self.unit.len() as u32;
                    break;
                }
                place if self.unit[place as usize - 1].term == term => break,
                _ => at = (at + 1) & mask,
            }
        }
        let place = self.table[at] as usize - 1;
        &mut self.unit[place]
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(256);
        self.table.clear();
        self.table.resize(size, 0);
        for (place, posting) in (1..).zip(&self.unit) {
            let mut at = posting.term as usize & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = place;
        }
    }
}

impl Terms {
    /// The form in which the terms of a single text are kept.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_number(&mut bytes, self.lengths.len() as u32);
        for &length in &self.lengths {
            put_number(&mut bytes, length.into());
        }
        let mut last = 0;
        let mut postings = self.postings.clone();
        postings.sort_unstable();
        for list in postings.chunk_by(|a, b| a.term == b.term) {
            write_list(
                &mut bytes,
                list[0].term - last,
                list.iter().map(|one| (one.unit, one.mark)),
                self.lengths.len() as u32,
            );
            last = list[0].term;
        }
        bytes
    }

    /// How many terms each unit of an encoded text has, and the bytes of the lists of its terms.
    pub fn split(mut bytes: &[u8]) -> Result<(Vec<u16>, &[u8]), TextError> {
        let count = take_number(&mut bytes)?;
        if count as usize > bytes.len() {
            return Err(TextError("it ends early"));
        }
        let mut lengths = Vec::with_capacity(count as usize);
        for _ in 0..count {
            lengths.push(
                u16::try_from(take_number(&mut bytes)?)
                    .map_err(|_| TextError("a number is out of bounds"))?,
            );
        }
        Ok((lengths, bytes))
    }

    /// Reads what [`encode`](Self::encode) wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, TextError> {
        let (lengths, lists) = Self::split(bytes)?;
        let mut postings = Vec::new();
        for list in TermBlockReader::new(0, lists, lengths.len() as u32) {
            let (term, list) = list?;
            list.each(|unit, mark| postings.push(Posting { term, unit, mark }))?;
        }
        Ok(Self { lengths, postings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_and_counts_meet_in_one_mark() {
        let mut builder = TermsBuilder::default();
        builder.field(Field::Name, b"readAll");
        let length = builder.text(b"fn readAll() { read(); read() }");
        builder.end(length);
        let terms = builder.finish();
        let mark =
            |word: &[u8]| terms.postings.iter().find(|one| one.term == term_number(word)).map(|one| one.mark);
        assert_eq!(mark(b"read"), Some(Mark(0x83)));
        assert_eq!(mark(b"readall"), Some(Mark(0x81)));
        assert_eq!(mark(b"fn"), Some(Mark(0x01)));
        assert_eq!(terms.lengths, [6]);
    }

    proptest! {
        #[test]
        fn terms_read_back(texts in prop::collection::vec("[a-cA-C_ ]{0,40}", 0..6)) {
            let mut builder = TermsBuilder::default();
            for text in &texts {
                builder.field(Field::Path, b"src/main");
                let length = builder.text(text.as_bytes());
                builder.end(length);
            }
            let mut terms = builder.finish();
            let read = Terms::decode(&terms.encode());
            terms.postings.sort_unstable();
            prop_assert_eq!(read, Ok(terms));
        }
    }
}
