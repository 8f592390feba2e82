//! What `orient impact --diff` tells about broken uses.

use super::Place;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeSet;

/// The places that an answer has, by how sure it is of them.
#[derive(Default)]
pub(super) struct Told {
    /// Uses that are not changed with what they use.
    pub(super) named: BTreeSet<Place>,
    /// Unresolved uses of the name.
    pub(super) candidates: BTreeSet<Place>,
    /// Other lines with the name.
    pub(super) mentioned: BTreeSet<Place>,
    /// Number of uses of the name that are said to mean something outside of the repository.
    pub(super) external: usize,
}

impl Told {
    pub(super) fn parse(output: &[u8]) -> Result<Self> {
        let answer: Value = serde_json::from_slice(output).context("the answer is JSON")?;
        let data = &answer["data"];
        let mut told = Self::default();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        told.named.extend(list(&data["broken"]).iter().filter_map(place));
        for one in list(&data["broken_by_name"]) {
            told.candidates.extend(list(&one["candidates"]).iter().filter_map(place));
            told.external += one["external"].as_u64().unwrap_or_default() as usize;
            let mentions = list(&one["mentions"]);
            told.mentioned.extend(mentions.iter().filter_map(|line| {
                let (path, line) = line.as_str()?.rsplit_once(':')?;
                Some((path.to_owned(), line.parse().ok()?))
            }));
        }
        Ok(told)
    }
}

fn place(use_left: &Value) -> Option<Place> {
    Some((use_left["path"].as_str()?.to_owned(), u32::try_from(use_left["line"].as_u64()?).ok()?))
}
