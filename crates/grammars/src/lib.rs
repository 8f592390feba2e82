//! The tree-sitter grammars, by name.
//!
//! Language packs say which files a grammar is for and what its nodes mean. A grammar is data: what its generator wrote as C is
//! stored in `packed`, and only the scanners that are written by hand, in `scanners`, are compiled. `cargo xtask grammars` takes
//! both from the packages that `upstream` locks.
#![doc(html_no_source)]

#[cfg(target_endian = "big")]
compile_error!("grammars are stored as a little-endian machine has them in memory");

mod counting_allocator;
mod language;
mod lexer;
mod list;
mod packed;

pub use counting_allocator::{Meter, parser, query_cursor};
pub use language::{names, sizes};
pub use lexer::{Lexer, LexerState};
pub use list::{GRAMMARS, Grammar};
pub use packed::{PARTS, Part, pack};

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
    language::language(name)
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
