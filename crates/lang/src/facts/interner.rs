//! Keeps each string of a facts table once while it is being written.

use crate::facts::hash::hash;
use orient_model::{Atom, Strings};
use rustc_hash::FxHashMap;

/// A table of strings under construction.
#[derive(Default)]
pub(crate) struct Atoms {
    strings: Strings,
    /// Hash to the first string with it; a second string with the same hash is simply kept twice.
    seen: FxHashMap<u64, Atom>,
}

impl Atoms {
    pub(crate) fn intern(&mut self, text: &str) -> Atom {
        let key = hash(text.as_bytes());
        match self.seen.get(&key) {
            Some(&atom) if self.strings.get(atom) == text => atom,
            Some(_) => self.strings.push(text),
            None => {
                let atom = self.strings.push(text);
                self.seen.insert(key, atom);
                atom
            }
        }
    }

    pub(crate) fn get(&self, atom: Atom) -> &str {
        self.strings.get(atom)
    }

    pub(crate) fn finish(self) -> Strings {
        self.strings
    }
}
