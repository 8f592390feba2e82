//! Decompresses the parse tables of a grammar on its first use.
//!
//! The build separates the tables from the compiled parsers and compresses them to a twenty-fourth. Decompressed tables
//! stay in memory until the process ends, because syntax trees and queries refer to a language without counting
//! references. The parser runtime does not allocate this memory, so no parse is charged for it.
#![expect(unsafe_code, reason = "parsers are C functions that take and give raw pointers")]

use std::sync::OnceLock;
use tree_sitter::Language;
use tree_sitter::ffi::TSLanguage;

include!(concat!(env!("OUT_DIR"), "/grammars.rs"));

/// The origin and the size of a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its name.
    pub name: &'static str,
    /// The package of its source.
    pub package: &'static str,
    /// The directory of the parser in that package.
    pub directory: &'static str,
    /// Size of its parse tables in memory, in bytes.
    pub unpacked: usize,
    /// Size of the other object files in bytes: code, smaller tables, and linker data.
    pub objects: usize,
}

/// A compiled parser and its tables.
struct Grammar {
    origin: Origin,
    /// Returns the language.
    language: unsafe extern "C" fn() -> *const TSLanguage,
    /// Makes the language use the tables at an address.
    take: unsafe extern "C" fn(tables: *const u8),
    /// The compressed tables.
    packed: &'static [u8],
    /// The tables, after the first use of the language. Their integers have two or four bytes, so the tables are aligned.
    tables: OnceLock<Box<[u32]>>,
}

impl Grammar {
    fn find(name: &str) -> Option<&'static Self> {
        GRAMMARS.iter().find(|grammar| grammar.origin.name == name)
    }

    fn language(&self) -> Language {
        self.tables.get_or_init(|| {
            let tables = self.unpack();
            // SAFETY: the function stores addresses within the tables. They have the length that the build computed, are
            // aligned, and live in a static. No other code has the language yet, because only this function returns it.
            unsafe { (self.take)(tables.as_ptr().cast()) };
            tables
        });
        // SAFETY: the function returns the address of a static, whose tables are in place.
        unsafe { Language::from_raw((self.language)()) }
    }

    fn unpack(&self) -> Box<[u32]> {
        let length = self.origin.unpacked;
        let mut tables = vec![0u32; length.div_ceil(size_of::<u32>())].into_boxed_slice();
        // SAFETY: the bytes of integers, as many as there are.
        let bytes = unsafe {
            std::slice::from_raw_parts_mut(tables.as_mut_ptr().cast::<u8>(), size_of_val(&*tables))
        };
        let unpacked = zstd::bulk::decompress_to_buffer(self.packed, &mut bytes[..length])
            .expect("the build compressed it");
        assert_eq!(unpacked, length, "the tables of {} are whole", self.origin.name);
        tables
    }
}

/// The language with this name, with its tables in place.
pub(crate) fn language(name: &str) -> Option<Language> {
    Grammar::find(name).map(Grammar::language)
}

/// The names of all compiled-in grammars.
#[must_use]
pub fn names() -> &'static [&'static str] {
    NAMES
}

/// The compressed parse tables of a grammar.
#[must_use]
pub fn packed_tables(name: &str) -> Option<&'static [u8]> {
    Grammar::find(name).map(|grammar| grammar.packed)
}

/// The parse tables of a grammar in their memory layout: `small_parse_table_map`, `parse_table` and `small_parse_table`,
/// concatenated.
#[must_use]
pub fn tables(name: &str) -> Option<Vec<u8>> {
    let grammar = Grammar::find(name)?;
    let mut bytes: Vec<u8> = grammar.unpack().iter().flat_map(|word| word.to_ne_bytes()).collect();
    bytes.truncate(grammar.origin.unpacked);
    Some(bytes)
}

/// The origins of all compiled-in grammars.
pub fn origins() -> impl Iterator<Item = Origin> {
    GRAMMARS.iter().map(|grammar| grammar.origin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Meter, parser};
    use std::collections::HashSet;
    use std::sync::Barrier;

    #[test]
    fn unpacking_is_charged_to_no_parse() {
        let meter = Meter::start();
        for name in names() {
            assert!(tables(name).is_some_and(|tables| !tables.is_empty()), "{name}");
        }
        assert_eq!((meter.held(), meter.allocations()), (0, 0));
    }

    #[test]
    fn threads_that_ask_at_once_get_the_same_language() {
        let barrier = Barrier::new(8);
        let parse = || {
            barrier.wait();
            let language = crate::grammar("zig").expect("it is compiled in");
            let mut parser = parser();
            parser.set_language(&language).expect("it fits the runtime");
            let tree = parser.parse("const answer = 42;", None).expect("it parses");
            (language.into_raw() as usize, tree.root_node().to_sexp())
        };
        let seen: HashSet<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(parse)).collect();
            threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
        });
        assert_eq!(seen.len(), 1, "{seen:?}");
        assert!(seen.iter().all(|(_, tree)| tree.contains("variable_declaration")), "{seen:?}");
    }
}
