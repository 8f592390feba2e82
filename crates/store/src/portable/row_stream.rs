//! The body of a portable index: sections of rows. Numbers are varints; nothing is allocated because a length says so.
//!
//! ```text
//! section   1, number of the table
//! row       2, a value for each column of the table
//! end       0
//! value     0 (null) | 1, zigzag varint | 2, length, text | 3, length, bytes
//! ```

use super::error::PortableError;
use rusqlite::types::{Value, ValueRef};
use std::io::{self, Read, Write};

const END: u8 = 0;
const SECTION: u8 = 1;
const ROW: u8 = 2;

const NULL: u8 = 0;
const INTEGER: u8 = 1;
const TEXT: u8 = 2;
const BLOB: u8 = 3;

/// Maximum length of a value: that of a row of the store.
const MAX_VALUE: u64 = 256 << 20;

/// Writes rows.
pub(super) struct RowWriter<'w> {
    to: &'w mut dyn Write,
    buffer: Vec<u8>,
}

impl<'w> RowWriter<'w> {
    pub(super) fn new(to: &'w mut dyn Write) -> Self {
        Self { to, buffer: Vec::new() }
    }

    /// Begins the rows of a table.
    pub(super) fn section(&mut self, table: u8) -> io::Result<()> {
        self.to.write_all(&[SECTION, table])
    }

    /// Writes a row.
    pub(super) fn row<'v>(&mut self, values: impl IntoIterator<Item = ValueRef<'v>>) -> io::Result<()> {
        self.buffer.clear();
        self.buffer.push(ROW);
        for value in values {
            match value {
                ValueRef::Null => self.buffer.push(NULL),
                ValueRef::Integer(number) => {
                    self.buffer.push(INTEGER);
                    put_varint(&mut self.buffer, ((number << 1) ^ (number >> 63)).cast_unsigned());
                }
                // No table has numbers with a fraction.
                ValueRef::Real(_) => return Err(io::ErrorKind::InvalidData.into()),
                ValueRef::Text(bytes) => self.bytes(TEXT, bytes),
                ValueRef::Blob(bytes) => self.bytes(BLOB, bytes),
            }
        }
        self.to.write_all(&self.buffer)
    }

    fn bytes(&mut self, kind: u8, bytes: &[u8]) {
        self.buffer.push(kind);
        put_varint(&mut self.buffer, bytes.len() as u64);
        self.buffer.extend_from_slice(bytes);
    }

    /// Ends the last section.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.to.write_all(&[END])
    }
}

fn put_varint(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// The tag of the next item in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextItem {
    Section(u8),
    Row,
    End,
}

/// Reads rows from an untrusted body.
pub(super) struct RowReader<'r> {
    from: Box<dyn Read + 'r>,
    /// Bytes that may still be read.
    left: u64,
}

impl<'r> RowReader<'r> {
    /// Reads at most `most` bytes.
    pub(super) fn new(from: Box<dyn Read + 'r>, most: u64) -> Self {
        Self { from, left: most }
    }

    /// The next item; after a row, its values follow.
    pub(super) fn next(&mut self) -> Result<NextItem, PortableError> {
        match self.byte()? {
            END => Ok(NextItem::End),
            SECTION => Ok(NextItem::Section(self.byte()?)),
            ROW => Ok(NextItem::Row),
            _ => Err(PortableError::invalid("an unknown item")),
        }
    }

    /// Reads the values of a row.
    pub(super) fn values(&mut self, columns: usize, to: &mut Vec<Value>) -> Result<(), PortableError> {
        to.clear();
        for _ in 0..columns {
            to.push(match self.byte()? {
                NULL => Value::Null,
                INTEGER => {
                    let number = self.varint()?;
                    Value::Integer((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
                }
                TEXT => {
                    let text = String::from_utf8(self.bytes()?);
                    Value::Text(text.map_err(|_| PortableError::invalid("a text that is not UTF-8"))?)
                }
                BLOB => Value::Blob(self.bytes()?),
                _ => return Err(PortableError::invalid("an unknown kind of value")),
            });
        }
        Ok(())
    }

    fn bytes(&mut self) -> Result<Vec<u8>, PortableError> {
        let length = self.varint()?;
        if length > MAX_VALUE {
            return Err(PortableError::invalid("a value that is too long"));
        }
        self.count(length)?;
        let mut bytes = Vec::new();
        // Grows with what is there, not with what the length promises.
        let read = Read::by_ref(&mut self.from).take(length).read_to_end(&mut bytes).map_err(unreadable)?;
        if read as u64 == length { Ok(bytes) } else { Err(PortableError::invalid("it ends within a value")) }
    }

    fn varint(&mut self) -> Result<u64, PortableError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(PortableError::invalid("a number that is too long"))
    }

    fn byte(&mut self) -> Result<u8, PortableError> {
        self.count(1)?;
        let mut byte = [0];
        self.from.read_exact(&mut byte).map_err(unreadable)?;
        Ok(byte[0])
    }

    fn count(&mut self, bytes: u64) -> Result<(), PortableError> {
        let left = self.left.checked_sub(bytes);
        self.left =
            left.ok_or_else(|| PortableError::invalid("it is far larger than its compressed form"))?;
        Ok(())
    }
}

/// The hash was right, so a body that cannot be read was written that way.
fn unreadable(error: io::Error) -> PortableError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => PortableError::invalid("it ends too early"),
        io::ErrorKind::Interrupted | io::ErrorKind::PermissionDenied => PortableError::Io(error),
        _ => PortableError::invalid(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Integer),
            ".{0,40}".prop_map(Value::Text),
            proptest::collection::vec(any::<u8>(), 0..300).prop_map(Value::Blob),
        ]
    }

    proptest! {
        #[test]
        fn rows_are_read_as_they_were_written(rows in proptest::collection::vec(proptest::collection::vec(value(), 3), 0..20)) {
            let mut bytes = Vec::new();
            let mut writer = RowWriter::new(&mut bytes);
            writer.section(7).expect("a vector takes everything");
            for row in &rows {
                writer.row(row.iter().map(ValueRef::from)).expect("a vector takes everything");
            }
            writer.end().expect("a vector takes everything");
            let most = bytes.len() as u64;
            let mut reader = RowReader::new(Box::new(bytes.as_slice()), most);
            assert_eq!(reader.next().expect("a section"), NextItem::Section(7));
            let mut values = Vec::new();
            for row in &rows {
                assert_eq!(reader.next().expect("a row"), NextItem::Row);
                reader.values(3, &mut values).expect("its values");
                assert_eq!(&values, row);
            }
            assert_eq!(reader.next().expect("the end"), NextItem::End);
        }

        #[test]
        fn any_bytes_end_in_an_error_or_at_the_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut reader = RowReader::new(Box::new(bytes.as_slice()), 150);
            let mut values = Vec::new();
            for _ in 0..300 {
                match reader.next() {
                    Ok(NextItem::Row) if reader.values(2, &mut values).is_err() => return Ok(()),
                    Ok(NextItem::End) | Err(_) => return Ok(()),
                    Ok(_) => {}
                }
            }
            prop_assert!(false, "more items than bytes");
        }
    }

    #[test]
    fn a_length_that_nothing_follows_allocates_nothing() {
        let mut bytes = vec![ROW, BLOB];
        put_varint(&mut bytes, MAX_VALUE);
        let mut reader = RowReader::new(Box::new(bytes.as_slice()), u64::MAX);
        assert_eq!(reader.next().expect("a row"), NextItem::Row);
        let mut values = Vec::new();
        assert!(matches!(reader.values(1, &mut values), Err(PortableError::Invalid(_))));
        assert!(values.is_empty());
    }
}
