//! TOML documents in a binary form. A build script writes what people wrote as TOML; the program reads it with serde, without
//! a parser of text, and with one copy of each derived reader instead of one per kind of TOML value.
//!
//! A value is a tag and what the tag says: numbers as eight bytes, lengths as four, little endian. The form is private to one
//! build and has no version.

mod decode;
#[cfg(feature = "encode")]
mod encode;

pub use decode::{Error, decode};
#[cfg(feature = "encode")]
pub use encode::encode;

/// The first byte of a value.
mod tag {
    pub(crate) const FALSE: u8 = 0;
    pub(crate) const TRUE: u8 = 1;
    pub(crate) const INTEGER: u8 = 2;
    pub(crate) const FLOAT: u8 = 3;
    pub(crate) const STRING: u8 = 4;
    pub(crate) const ARRAY: u8 = 5;
    pub(crate) const TABLE: u8 = 6;
}
