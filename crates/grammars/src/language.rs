//! Languages of the parser runtime, made from packed grammars on their first use.
//!
//! A language stays in memory until the process ends, because syntax trees and queries refer to it without counting references.
//! The parser runtime does not allocate this memory, so no parse is charged for it.
#![expect(unsafe_code, reason = "the runtime reads a language through raw pointers and calls C functions")]

use crate::lexer::{Lexer, TSLexer};
use crate::list::Grammar;
use crate::packed::{Count, Packed, Part};
use std::ffi::{c_char, c_uint, c_void};
use std::ptr::null;
use std::sync::OnceLock;
use tree_sitter::Language;

include!(concat!(env!("OUT_DIR"), "/compiled.rs"));

/// A grammar of this build.
struct Compiled {
    grammar: Grammar,
    /// The compressed content.
    packed: &'static [u8],
    /// The scanner that is written by hand, for tokens that no lexer can tell.
    scanner: Scanner,
    lex: LexFunction,
    lex_keywords: LexFunction,
    loaded: OnceLock<Loaded>,
}

type LexFunction = unsafe extern "C" fn(*mut TSLexer, u16) -> bool;

/// The functions of an external scanner: all of them, or none.
#[derive(Clone, Copy)]
#[repr(C)]
struct Scanner {
    create: Option<unsafe extern "C" fn() -> *mut c_void>,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    scan: Option<unsafe extern "C" fn(*mut c_void, *mut TSLexer, *const bool) -> bool>,
    serialize: Option<unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_uint>,
    deserialize: Option<unsafe extern "C" fn(*mut c_void, *const c_char, c_uint)>,
}

impl Scanner {
    const NONE: Self = Self { create: None, destroy: None, scan: None, serialize: None, deserialize: None };
}

/// The language, and what it points to.
struct Loaded {
    language: TSLanguage,
    lexer: Lexer,
    keyword_lexer: Option<Lexer>,
    _parts: Packed,
    _symbol_names: Names,
    _field_names: Names,
}

/// Texts, each with a zero at its end, and where they begin.
struct Names {
    _text: Box<[u8]>,
    starts: Box<[*const c_char]>,
}

// SAFETY: nothing writes to what the pointers lead to: the parts and names, which live as long.
unsafe impl Send for Loaded {}
// SAFETY: ditto.
unsafe impl Sync for Loaded {}

/// A language as the parser runtime declares it in `parser.h`.
#[repr(C)]
struct TSLanguage {
    abi_version: u32,
    symbol_count: u32,
    alias_count: u32,
    token_count: u32,
    external_token_count: u32,
    state_count: u32,
    large_state_count: u32,
    production_id_count: u32,
    field_count: u32,
    max_alias_sequence_length: u16,
    parse_table: *const c_void,
    small_parse_table: *const c_void,
    small_parse_table_map: *const c_void,
    parse_actions: *const c_void,
    symbol_names: *const *const c_char,
    field_names: *const *const c_char,
    field_map_slices: *const c_void,
    field_map_entries: *const c_void,
    symbol_metadata: *const c_void,
    public_symbol_map: *const c_void,
    alias_map: *const c_void,
    alias_sequences: *const c_void,
    lex_modes: *const c_void,
    lex_fn: LexFunction,
    keyword_lex_fn: Option<LexFunction>,
    keyword_capture_token: u16,
    external_scanner: TSExternalScanner,
    primary_state_ids: *const c_void,
    name: *const c_void,
    reserved_words: *const c_void,
    max_reserved_word_set_size: u16,
    supertype_count: u32,
    supertype_symbols: *const c_void,
    supertype_map_slices: *const c_void,
    supertype_map_entries: *const c_void,
    metadata: [u8; 3],
}

/// The external scanner of a language.
#[repr(C)]
struct TSExternalScanner {
    states: *const c_void,
    symbol_map: *const c_void,
    functions: Scanner,
}

impl Compiled {
    fn find(name: &str) -> Option<&'static Self> {
        COMPILED.iter().find(|compiled| compiled.grammar.name == name)
    }

    fn loaded(&'static self) -> &'static Loaded {
        self.loaded.get_or_init(|| self.load())
    }

    fn load(&self) -> Loaded {
        let parts = Packed::decompress(self.packed);
        let symbol_names = Names::read(&parts, Part::SymbolNames);
        let field_names = Names::read(&parts, Part::FieldNames);
        let keyword_lexer = Lexer::read(parts.words(Part::KeywordLexer));
        Loaded {
            language: TSLanguage {
                symbol_names: symbol_names.pointer(),
                field_names: field_names.pointer(),
                keyword_lex_fn: keyword_lexer.is_some().then_some(self.lex_keywords),
                ..self.language(&parts)
            },
            lexer: Lexer::read(parts.words(Part::Lexer)).expect("every grammar has a lexer"),
            keyword_lexer,
            _parts: parts,
            _symbol_names: symbol_names,
            _field_names: field_names,
        }
    }

    /// The language without names and keywords. Its pointers stay valid when `parts` is moved, because what it owns is on the heap.
    fn language(&self, parts: &Packed) -> TSLanguage {
        let count = |count| parts.count(count);
        let short = |count| u16::try_from(parts.count(count)).expect("the generator stores it in two bytes");
        let byte = |count| u8::try_from(parts.count(count)).expect("the generator stores it in a byte");
        let array = |part| match parts.words(part) {
            [] => null(),
            words => words.as_ptr().cast(),
        };
        TSLanguage {
            abi_version: count(Count::AbiVersion),
            symbol_count: count(Count::Symbols),
            alias_count: count(Count::Aliases),
            token_count: count(Count::Tokens),
            external_token_count: count(Count::ExternalTokens),
            state_count: count(Count::States),
            large_state_count: count(Count::LargeStates),
            production_id_count: count(Count::ProductionIds),
            field_count: count(Count::Fields),
            max_alias_sequence_length: short(Count::MaxAliasSequenceLength),
            parse_table: array(Part::ParseTable),
            small_parse_table: array(Part::SmallParseTable),
            small_parse_table_map: array(Part::SmallParseTableMap),
            parse_actions: array(Part::ParseActions),
            symbol_names: null(),
            field_names: null(),
            field_map_slices: array(Part::FieldMapSlices),
            field_map_entries: array(Part::FieldMapEntries),
            symbol_metadata: array(Part::SymbolMetadata),
            public_symbol_map: array(Part::PublicSymbolMap),
            alias_map: array(Part::AliasMap),
            alias_sequences: array(Part::AliasSequences),
            lex_modes: array(Part::LexModes),
            lex_fn: self.lex,
            keyword_lex_fn: None,
            keyword_capture_token: short(Count::KeywordCaptureToken),
            external_scanner: TSExternalScanner {
                states: array(Part::ExternalScannerStates),
                symbol_map: array(Part::ExternalScannerSymbols),
                functions: self.scanner,
            },
            primary_state_ids: array(Part::PrimaryStateIds),
            name: array(Part::Name),
            reserved_words: array(Part::ReservedWords),
            max_reserved_word_set_size: short(Count::MaxReservedWordSetSize),
            supertype_count: count(Count::Supertypes),
            supertype_symbols: array(Part::SupertypeSymbols),
            supertype_map_slices: array(Part::SupertypeMapSlices),
            supertype_map_entries: array(Part::SupertypeMapEntries),
            metadata: [Count::MajorVersion, Count::MinorVersion, Count::PatchVersion].map(byte),
        }
    }
}

impl Names {
    fn read(parts: &Packed, part: Part) -> Self {
        let text = parts.bytes(part);
        let starts = text.split_inclusive(|byte| *byte == 0).map(|name| name.as_ptr().cast()).collect();
        Self { _text: text, starts }
    }

    /// The address of the list, none for an empty one.
    fn pointer(&self) -> *const *const c_char {
        if self.starts.is_empty() { null() } else { self.starts.as_ptr() }
    }
}

/// The lexer of the grammar at a place in the list: the runtime calls it without saying for which language.
unsafe extern "C" fn lex<const AT: usize>(lexer: *mut TSLexer, state: u16) -> bool {
    // SAFETY: the runtime passes its own lexer.
    unsafe { COMPILED[AT].loaded().lexer.run(lexer, state) }
}

/// The lexer of keywords, ditto.
unsafe extern "C" fn lex_keywords<const AT: usize>(lexer: *mut TSLexer, state: u16) -> bool {
    // SAFETY: as above.
    COMPILED[AT].loaded().keyword_lexer.as_ref().is_some_and(|keywords| unsafe { keywords.run(lexer, state) })
}

/// The language with this name.
pub(crate) fn language(name: &str) -> Option<Language> {
    let loaded = Compiled::find(name)?.loaded();
    // SAFETY: the language lives in a static, and has the layout and the content that the generator of the grammar gave it.
    Some(unsafe { Language::from_raw((&raw const loaded.language).cast()) })
}

/// The names of all grammars of this build.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMPILED.iter().map(|compiled| compiled.grammar.name)
}

/// What a grammar adds to the program, in bytes: compressed, and in memory after its first use.
#[must_use]
pub fn sizes(name: &str) -> Option<(usize, usize)> {
    let compiled = Compiled::find(name)?;
    Some((compiled.packed.len(), Packed::decompress(compiled.packed).size()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Meter, parser};
    use std::collections::HashSet;
    use std::sync::Barrier;

    #[test]
    fn decompressing_is_charged_to_no_parse() {
        let meter = Meter::start();
        for name in names() {
            assert!(sizes(name).is_some_and(|(packed, whole)| 0 < packed && packed < whole), "{name}");
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
