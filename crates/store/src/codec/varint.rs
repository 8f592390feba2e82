//! Varints and columns: small numbers take one byte, and the same field of many rows is stored together.
//!
//! All functions are lossless for any input: differences wrap around. Signed differences are zigzag-encoded. Example: the
//! ascending lines 100, 103, 103, 110 become the differences 100, 3, 0, 7. Zigzag doubles them, so the bytes are `c8 01 06
//! 00 0e`: the first varint takes two bytes, the others one.

use super::CodecError;
use orient_model::{Atom, Span, Strings};

/// Decodes an enum from its number. A variant that is added to the enum and not here fails to compile.
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

/// Builds rows from their columns; returns the first error.
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

/// An encoder: appends to a buffer.
#[derive(Default)]
pub(super) struct Encoder {
    pub(super) bytes: Vec<u8>,
}

impl Encoder {
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

    /// An id as the signed difference to another.
    pub(super) fn step(&mut self, id: i64, before: i64) {
        let step = id.wrapping_sub(before);
        self.wide(((step << 1) ^ (step >> 63)).cast_unsigned());
    }

    /// One column: a field of every row.
    pub(super) fn column<T>(&mut self, rows: &[T], field: impl Fn(&T) -> u32) {
        for row in rows {
            self.number(field(row));
        }
    }

    /// A column of mostly ascending values, as differences to the row before.
    pub(super) fn ascending<T>(&mut self, rows: &[T], field: impl Fn(&T) -> u32) {
        let mut before = 0;
        for row in rows {
            let value = field(row);
            self.number(difference(value, before));
            before = value;
        }
    }

    /// The same for an optional field.
    pub(super) fn ascending_options<T>(&mut self, rows: &[T], field: impl Fn(&T) -> Option<u32>) {
        let mut before = 0;
        for row in rows {
            let value = field(row);
            self.wide(option(value.map(|value| difference(value, before))));
            before = value.unwrap_or(before);
        }
    }

    /// Consecutive spans: start and line as differences to the span before.
    pub(super) fn spans<T>(&mut self, rows: &[T], span: impl Fn(&T) -> Span) {
        self.ascending(rows, |row| span(row).start);
        self.column(rows, |row| difference(span(row).end, span(row).start));
        self.ascending(rows, |row| span(row).first_line);
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

/// A wrapping difference, zigzag-encoded.
pub(super) fn difference(value: u32, base: u32) -> u32 {
    let step = value.wrapping_sub(base).cast_signed();
    ((step << 1) ^ (step >> 31)).cast_unsigned()
}

/// The inverse of [`difference`].
pub(super) fn sum(difference: u32, base: u32) -> u32 {
    let step = (difference >> 1) ^ (difference & 1).wrapping_neg();
    base.wrapping_add(step)
}

/// An optional number: 0 for `None`, otherwise the number plus 1.
pub(super) fn option(value: Option<u32>) -> u64 {
    value.map_or(0, |value| u64::from(value) + 1)
}

/// A decoder: consumes bytes.
pub(super) struct Decoder<'b> {
    pub(super) bytes: &'b [u8],
}

impl Decoder<'_> {
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

    /// The inverse of [`Encoder::step`].
    pub(super) fn step(&mut self, before: i64) -> Result<i64, CodecError> {
        let step = self.wide()?;
        Ok(before.wrapping_add((step >> 1).cast_signed() ^ -(step & 1).cast_signed()))
    }

    /// A column of `rows` values.
    pub(super) fn rows<T>(
        &mut self,
        rows: usize,
        mut row: impl FnMut(&mut Self) -> Result<T, CodecError>,
    ) -> Result<Vec<T>, CodecError> {
        // Each value takes at least a byte, so a malformed count cannot reserve memory.
        let mut column = Vec::with_capacity(rows.min(self.bytes.len()));
        for _ in 0..rows {
            column.push(row(self)?);
        }
        Ok(column)
    }

    /// The number of rows that follow. Each takes at least a byte.
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

    pub(super) fn ascending(&mut self, rows: usize) -> Result<Vec<u32>, CodecError> {
        let mut before = 0;
        self.rows(rows, |from| {
            before = sum(from.number()?, before);
            Ok(before)
        })
    }

    pub(super) fn ascending_options(&mut self, rows: usize) -> Result<Vec<Option<u32>>, CodecError> {
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
        let (starts, lengths) = (self.ascending(rows)?, self.column(rows)?);
        let (lines, heights) = (self.ascending(rows)?, self.column(rows)?);
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

    /// The index of a text among the strings that follow, without copying them.
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

    /// Skips numbers.
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
