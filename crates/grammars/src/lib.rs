//! The compiled tree-sitter grammars, by name.
//!
//! Language packs say which files a grammar is for and what its nodes mean.
#![doc(html_no_source)]

mod counting_allocator;
mod load;
#[cfg(test)]
#[path = "../build/parse_tables.rs"]
mod parse_tables;

pub use counting_allocator::{Meter, parser, query_cursor};
pub use load::{Origin, names, origins, packed_tables, tables};

// The public part of the parser runtime. Only `parser` and `query_cursor` create parsers and query cursors, so that the
// memory of each is counted from the start.
pub use tree_sitter::{
    Language, Node, ParseOptions, ParseState, Query, QueryCursorOptions, QueryCursorState, QueryMatch,
    QueryProperty, StreamingIterator, Tree, TreeCursor,
};

/// The grammar called `name`, if it was compiled in.
#[must_use]
pub fn grammar(name: &str) -> Option<Language> {
    counting_allocator::install();
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
