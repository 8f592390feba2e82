//! Deserialisation of a list of words that may also be one string: shells send words, programs a string.

use serde::Deserialize;

/// Deserialises a string or a list of strings.
pub(crate) fn one_or_many<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Either::deserialize(from)? {
        Either::One(one) => vec![one],
        Either::Many(many) => many,
    })
}
