//! The C parsers and nothing else: a name in, a compiled tree-sitter grammar out.
//!
//! Which files a grammar is for, and what its nodes mean, is said by the language packs.
#![doc(html_no_source)]

mod load;
mod meter;
#[cfg(test)]
#[path = "../build/parse_tables.rs"]
mod parse_tables;

pub use load::{Origin, names, origins, packed_tables, tables};
pub use meter::{Meter, parser, query_cursor};

// What may be named of the parser runtime. Parsers and query cursors are made by `parser` and `query_cursor` alone, so that
// none is there before its memory is counted.
pub use tree_sitter::{
    Language, Node, ParseOptions, ParseState, Query, QueryCursorOptions, QueryCursorState, QueryMatch,
    QueryProperty, StreamingIterator, Tree, TreeCursor,
};

/// The grammar called `name`, if it was compiled in.
#[must_use]
pub fn grammar(name: &str) -> Option<Language> {
    meter::install();
    load::language(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grammar_parses_an_empty_file() {
        for name in names() {
            let mut parser = parser();
            parser.set_language(&grammar(name).expect("listed")).expect(name);
            assert!(parser.parse("", None).is_some(), "{name}");
        }
    }
}
