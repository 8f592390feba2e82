//! String interning: stores each string of a facts table once while the table is built.

use crate::facts::hash::hash;
use orient_model::{Atom, Strings};
use rustc_hash::FxHashMap;

/// A string table under construction.
#[derive(Default)]
pub(crate) struct Interner {
    strings: Strings,
    /// From a hash to the first string with it. Other strings with the same hash are stored again for each use.
    seen: FxHashMap<u64, Atom>,
}

impl Interner {
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
