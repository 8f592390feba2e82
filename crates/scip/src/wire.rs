//! The wire format of protocol buffers: varints and length-delimited fields.

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

/// The fields of a message; an item is `None` if the bytes are malformed, and the last one.
pub(crate) struct Fields<'b>(pub(crate) &'b [u8]);

impl<'b> Iterator for Fields<'b> {
    type Item = Option<(u64, Value<'b>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.read();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'b> Fields<'b> {
    fn read(&mut self) -> Option<(u64, Value<'b>)> {
        let key = varint(&mut self.0)?;
        let value = match key & 7 {
            0 => Value::Number(varint(&mut self.0)?),
            1 => Value::Bytes(self.take(8)?),
            2 => {
                let length = usize::try_from(varint(&mut self.0)?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Bytes(self.take(4)?),
            _ => return None,
        };
        Some((key >> 3, value))
    }

    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

/// A varint at the start of the bytes, which are advanced past it.
pub(crate) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Appends a number, or the packed numbers of a repeated field.
pub(crate) fn numbers(into: &mut Vec<u32>, value: Value<'_>) -> Option<()> {
    match value {
        Value::Number(number) => into.push(u32::try_from(number).ok()?),
        Value::Bytes(mut packed) => {
            while !packed.is_empty() {
                into.push(u32::try_from(varint(&mut packed)?).ok()?);
            }
        }
    }
    Some(())
}
