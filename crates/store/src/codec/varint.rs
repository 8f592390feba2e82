//! Numbers as bytes: small ones take one byte, and equal fields of many rows stand side by side.
//!
//! Every function loses nothing for any input: differences wrap around, and are undone the same way.

use super::CodecError;
use orient_model::{Atom, Span, Strings};

/// Reads a word of a closed list by its number. A word that is added to the list and not here fails to compile.
macro_rules! closed_list {
    ($($read:ident -> $list:ident { $($word:ident),+ $(,)? })+) => { $(
        pub(crate) fn $read(number: u32) -> Result<$list, CodecError> {
            let number_of = |word: $list| match word { $($list::$word => $list::$word as u32,)+ };
            $(
                if number == number_of($list::$word) {
                    return Ok($list::$word);
                }
            )+
            Err(CodecError)
        }
    )+ };
}
pub(super) use closed_list;

/// Rows made of their fields, or the first fault among them.
pub(super) fn made<T>(
    rows: usize,
    mut row: impl FnMut(usize) -> Result<T, CodecError>,
) -> Result<Vec<T>, CodecError> {
    let mut made = Vec::with_capacity(rows);
    for at in 0..rows {
        made.push(row(at)?);
    }
    Ok(made)
}

/// Where bytes go.
#[derive(Default)]
pub(super) struct Out {
    pub(super) bytes: Vec<u8>,
}

impl Out {
    pub(super) fn number(&mut self, value: u32) {
        self.wide(u64::from(value));
    }

    pub(super) fn wide(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// How far an id is from another, in either direction.
    pub(super) fn step(&mut self, id: i64, before: i64) {
        let step = id.wrapping_sub(before);
        self.wide(((step << 1) ^ (step >> 63)).cast_unsigned());
    }

    /// One field of every row.
    pub(super) fn column<T>(&mut self, rows: &[T], field: impl Fn(&T) -> u32) {
        for row in rows {
            self.number(field(row));
        }
    }

    /// One field of every row, as the difference to the row before: for fields that mostly grow.
    pub(super) fn rising<T>(&mut self, rows: &[T], field: impl Fn(&T) -> u32) {
        let mut before = 0;
        for row in rows {
            let value = field(row);
            self.number(difference(value, before));
            before = value;
        }
    }

    /// The same for a field that is not always there.
    pub(super) fn rising_options<T>(&mut self, rows: &[T], field: impl Fn(&T) -> Option<u32>) {
        let mut before = 0;
        for row in rows {
            let value = field(row);
            self.wide(option(value.map(|value| difference(value, before))));
            before = value.unwrap_or(before);
        }
    }

    /// Places that follow each other in a file: start and line by how far they are from the one before.
    pub(super) fn spans<T>(&mut self, rows: &[T], span: impl Fn(&T) -> Span) {
        self.rising(rows, |row| span(row).start);
        self.column(rows, |row| difference(span(row).end, span(row).start));
        self.rising(rows, |row| span(row).first_line);
        self.column(rows, |row| difference(span(row).last_line, span(row).first_line));
    }

    pub(super) fn strings(&mut self, strings: &Strings) {
        self.number(strings.len() as u32);
        for (_, text) in strings.iter() {
            self.number(text.len() as u32);
        }
        for (_, text) in strings.iter() {
            self.bytes.extend_from_slice(text.as_bytes());
        }
    }
}

/// A wrapping difference, small in either direction.
pub(super) fn difference(value: u32, base: u32) -> u32 {
    let step = value.wrapping_sub(base).cast_signed();
    ((step << 1) ^ (step >> 31)).cast_unsigned()
}

/// What [`difference`] was made of.
pub(super) fn sum(difference: u32, base: u32) -> u32 {
    let step = (difference >> 1) ^ (difference & 1).wrapping_neg();
    base.wrapping_add(step)
}

/// Something or nothing, the first place being next to nothing.
pub(super) fn option(value: Option<u32>) -> u64 {
    value.map_or(0, |value| u64::from(value) + 1)
}

/// Where bytes come from.
pub(super) struct In<'b> {
    pub(super) bytes: &'b [u8],
}

impl In<'_> {
    pub(super) fn number(&mut self) -> Result<u32, CodecError> {
        u32::try_from(self.wide()?).map_err(|_| CodecError)
    }

    pub(super) fn wide(&mut self) -> Result<u64, CodecError> {
        match *self.bytes {
            // Most numbers are small.
            [byte, ref rest @ ..] if byte < 0x80 => {
                self.bytes = rest;
                Ok(u64::from(byte))
            }
            _ => self.long(),
        }
    }

    fn long(&mut self) -> Result<u64, CodecError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first().ok_or(CodecError)?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(CodecError)
    }

    /// The id that is so far from another.
    pub(super) fn step(&mut self, before: i64) -> Result<i64, CodecError> {
        let step = self.wide()?;
        Ok(before.wrapping_add((step >> 1).cast_signed() ^ -(step & 1).cast_signed()))
    }

    /// One field of every row.
    pub(super) fn rows<T>(
        &mut self,
        rows: usize,
        mut row: impl FnMut(&mut Self) -> Result<T, CodecError>,
    ) -> Result<Vec<T>, CodecError> {
        // Each takes at least a byte: who says otherwise gets no memory for it.
        let mut column = Vec::with_capacity(rows.min(self.bytes.len()));
        for _ in 0..rows {
            column.push(row(self)?);
        }
        Ok(column)
    }

    /// How many rows follow; each takes at least a byte.
    pub(super) fn count(&mut self) -> Result<usize, CodecError> {
        let count = self.number()? as usize;
        if count <= self.bytes.len() { Ok(count) } else { Err(CodecError) }
    }

    pub(super) fn column(&mut self, rows: usize) -> Result<Vec<u32>, CodecError> {
        self.rows(rows, Self::number)
    }

    pub(super) fn options(&mut self, rows: usize) -> Result<Vec<Option<u32>>, CodecError> {
        self.rows(rows, Self::option)
    }

    pub(super) fn option(&mut self) -> Result<Option<u32>, CodecError> {
        match self.wide()? {
            0 => Ok(None),
            value => u32::try_from(value - 1).map(Some).map_err(|_| CodecError),
        }
    }

    pub(super) fn rising(&mut self, rows: usize) -> Result<Vec<u32>, CodecError> {
        let mut before = 0;
        self.rows(rows, |from| {
            before = sum(from.number()?, before);
            Ok(before)
        })
    }

    pub(super) fn rising_options(&mut self, rows: usize) -> Result<Vec<Option<u32>>, CodecError> {
        let mut before = 0;
        self.rows(rows, |from| {
            let value = from.option()?.map(|step| sum(step, before));
            before = value.unwrap_or(before);
            Ok(value)
        })
    }

    pub(super) fn flags(&mut self, rows: usize) -> Result<Vec<bool>, CodecError> {
        self.rows(rows, Self::flag)
    }

    pub(super) fn spans(&mut self, rows: usize) -> Result<Vec<Span>, CodecError> {
        let (starts, lengths) = (self.rising(rows)?, self.column(rows)?);
        let (lines, heights) = (self.rising(rows)?, self.column(rows)?);
        let span = |at: usize| Span {
            start: starts[at],
            end: sum(lengths[at], starts[at]),
            first_line: lines[at],
            last_line: sum(heights[at], lines[at]),
        };
        Ok((0..rows).map(span).collect())
    }

    pub(super) fn strings(&mut self) -> Result<Strings, CodecError> {
        let count = self.count()?;
        let mut end = 0u32;
        let ends = self.rows(count, |from| {
            end = end.checked_add(from.number()?).ok_or(CodecError)?;
            Ok(end)
        })?;
        let (text, rest) = self.bytes.split_at_checked(end as usize).ok_or(CodecError)?;
        let text = std::str::from_utf8(text).map_err(|_| CodecError)?;
        self.bytes = rest;
        Strings::from_parts(text.to_owned(), ends).ok_or(CodecError)
    }

    /// The place of a text among strings that follow, without a copy of them.
    pub(super) fn place(&mut self, wanted: &str) -> Result<Option<u32>, CodecError> {
        let count = self.count()?;
        let mut found = None;
        for (at, length) in (0..).zip(self.column(count)?) {
            let (text, rest) = self.bytes.split_at_checked(length as usize).ok_or(CodecError)?;
            found = found.or((text == wanted.as_bytes()).then_some(at));
            self.bytes = rest;
        }
        Ok(found)
    }

    /// Leaves out so many numbers.
    pub(super) fn skip(&mut self, numbers: usize) -> Result<(), CodecError> {
        let mut left = numbers;
        let ends = |byte: &u8| {
            left -= usize::from(*byte < 0x80);
            left == 0
        };
        if numbers > 0 {
            let last = self.bytes.iter().position(ends).ok_or(CodecError)?;
            self.bytes = &self.bytes[last + 1..];
        }
        Ok(())
    }

    pub(super) fn atom(&mut self) -> Result<Atom, CodecError> {
        self.number().map(Atom)
    }

    pub(super) fn flag(&mut self) -> Result<bool, CodecError> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(CodecError),
        }
    }

    pub(super) fn end(self) -> Result<(), CodecError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(CodecError) }
    }
}
