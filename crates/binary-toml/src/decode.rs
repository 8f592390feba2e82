//! The binary form, as a format of serde.

use crate::tag;
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use std::fmt;

/// Reads a value of a type from the binary form of a document.
pub fn decode<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    T::deserialize(&mut Decoder { rest: bytes })
}

/// Why a document is no value of the wanted type: what is wrong, and at which key.
#[derive(Debug)]
pub struct Error {
    message: String,
    /// The key that leads to the fault: `resolve.types`.
    place: String,
}

impl Error {
    fn new(message: String) -> Self {
        Self { message, place: String::new() }
    }

    fn within(mut self, key: &str) -> Self {
        if !self.place.is_empty() {
            self.place.insert(0, '.');
        }
        self.place.insert_str(0, key);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "`{}`: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

/// Reads the value at the start of the rest.
struct Decoder<'de> {
    rest: &'de [u8],
}

/// A value before its items are read.
enum Head<'de> {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(&'de str),
    Array(usize),
    Table(usize),
}

impl<'de> Decoder<'de> {
    fn head(&mut self) -> Result<Head<'de>, Error> {
        Ok(match self.bytes::<1>()?[0] {
            tag::FALSE => Head::Boolean(false),
            tag::TRUE => Head::Boolean(true),
            tag::INTEGER => Head::Integer(i64::from_le_bytes(self.bytes()?)),
            tag::FLOAT => Head::Float(f64::from_le_bytes(self.bytes()?)),
            tag::STRING => Head::String(self.text()?),
            tag::ARRAY => Head::Array(self.length()?),
            tag::TABLE => Head::Table(self.length()?),
            _ => return Err(damaged()),
        })
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or_else(damaged)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn length(&mut self) -> Result<usize, Error> {
        usize::try_from(u32::from_le_bytes(self.bytes()?)).map_err(|_| damaged())
    }

    fn text(&mut self) -> Result<&'de str, Error> {
        let length = self.length()?;
        let (text, rest) = self.rest.split_at_checked(length).ok_or_else(damaged)?;
        self.rest = rest;
        std::str::from_utf8(text).map_err(|_| damaged())
    }
}

fn damaged() -> Error {
    Error::new("no binary form of a document".to_owned())
}

impl Head<'_> {
    /// The error for a value that is not what a type expects.
    fn unexpected(&self, expected: &dyn de::Expected) -> Error {
        let found = match self {
            Head::Boolean(value) => de::Unexpected::Bool(*value),
            Head::Integer(value) => de::Unexpected::Signed(*value),
            Head::Float(value) => de::Unexpected::Float(*value),
            Head::String(value) => de::Unexpected::Str(value),
            Head::Array(_) => de::Unexpected::Seq,
            Head::Table(_) => de::Unexpected::Map,
        };
        de::Error::invalid_type(found, expected)
    }
}

impl<'de> Deserializer<'de> for &mut Decoder<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.head()? {
            Head::Boolean(value) => visitor.visit_bool(value),
            Head::Integer(value) => visitor.visit_i64(value),
            Head::Float(value) => visitor.visit_f64(value),
            Head::String(text) => visitor.visit_borrowed_str(text),
            Head::Array(left) => visitor.visit_seq(Items { decoder: self, left, key: "" }),
            Head::Table(left) => visitor.visit_map(Items { decoder: self, left, key: "" }),
        }
    }

    // Where the type says what it expects, only that is generated: a reader of a struct has no code for a list.

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.head()? {
            Head::Boolean(value) => visitor.visit_bool(value),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.head()? {
            Head::String(text) => visitor.visit_borrowed_str(text),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.head()? {
            Head::Array(left) => visitor.visit_seq(Items { decoder: self, left, key: "" }),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.head()? {
            Head::Table(left) => visitor.visit_map(Items { decoder: self, left, key: "" }),
            other => Err(other.unexpected(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // What is absent in TOML has no key.
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.head()? {
            Head::String(name) => visitor.visit_enum(name.into_deserializer()),
            other => Err(other.unexpected(&visitor)),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 bytes byte_buf unit unit_struct tuple_struct identifier ignored_any
    }
}

/// The items of an array, or the entries of a table.
struct Items<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    left: usize,
    /// The key of the entry that is being read.
    key: &'de str,
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(&mut *self.decoder).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for Items<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        self.key = self.decoder.text()?;
        let key: de::value::BorrowedStrDeserializer<'de, Error> =
            de::value::BorrowedStrDeserializer::new(self.key);
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.decoder).map_err(|error| error.within(self.key))
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Document {
        name: String,
        letter: Option<char>,
        absent: Option<u64>,
        number: i32,
        ratio: f64,
        flag: bool,
        words: Vec<String>,
        pairs: Vec<(String, String)>,
        table: BTreeMap<String, u32>,
        choices: Vec<Choice>,
        inner: Option<Box<Document>>,
        colour: Option<Colour>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Choice {
        Position(i32),
        Named(String),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Green,
    }

    const TEXT: &str = r#"
        name = "naïve"
        letter = "ñ"
        number = -7
        ratio = 0.5
        flag = true
        words = ["a", ""]
        pairs = [["a", "b"]]
        choices = [1, "x"]
        colour = "green"
        [table]
        b = 2
        a = 1
        [inner]
        name = "inside"
    "#;

    fn read(text: &str) -> Result<Document, String> {
        decode(&crate::encode(text)?).map_err(|error| error.to_string())
    }

    #[test]
    fn the_binary_form_reads_as_the_text_does() {
        let expected: Document = toml::from_str(TEXT).expect("valid");
        assert_eq!(read(TEXT), Ok(expected));
        assert_eq!(read(""), Ok(Document::default()));
    }

    #[test]
    fn an_error_names_the_key_and_what_was_expected() {
        let error = |text| read(text).expect_err("not a document");
        assert!(
            error("[inner.inner]\nnumber = 'x'")
                .starts_with("`inner.inner.number`: invalid type: string \"x\"")
        );
        assert!(error("nmae = 'x'").starts_with("unknown field `nmae`, expected one of `name`"));
        assert!(error("words = [1]").starts_with("`words`: invalid type: integer `1`, expected a string"));
        assert!(error("colour = 'blue'").starts_with("`colour`: unknown variant `blue`"));
        assert!(error("name = ").contains("line 1, column"));
        assert_eq!(error("number = 2020-01-01"), "2020-01-01: a date has no binary form");
    }

    #[test]
    fn a_damaged_form_is_an_error() {
        let bytes = crate::encode(TEXT).expect("valid");
        for end in 0..bytes.len() {
            assert!(decode::<Document>(&bytes[..end]).is_err(), "{end}");
        }
    }
}
