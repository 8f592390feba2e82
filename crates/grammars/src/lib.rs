//! The C parsers and nothing else: a name in, a compiled tree-sitter grammar out.
//!
//! Which files a grammar is for, and what its nodes mean, is said by the language packs.
#![doc(html_no_source)]

mod meter;

pub use meter::{Meter, parser, query_cursor};

// What may be named of the parser runtime. Parsers and query cursors are made by `parser` and `query_cursor` alone, so that
// none is there before its memory is counted.
pub use tree_sitter::{
    Language, Node, ParseOptions, ParseState, Query, QueryCursorOptions, QueryCursorState, QueryMatch,
    QueryProperty, StreamingIterator, Tree, TreeCursor,
};

macro_rules! grammars {
    ($($name:literal, $feature:literal => $path:path;)*) => {
        /// The grammar called `name`, if it was compiled in.
        #[must_use]
        pub fn grammar(name: &str) -> Option<Language> {
            meter::install();
            match name {
                $(#[cfg(feature = $feature)] $name => Some(Language::new($path)),)*
                _ => None,
            }
        }

        /// The names of all grammars that were compiled in.
        #[must_use]
        pub fn names() -> &'static [&'static str] {
            &[$(#[cfg(feature = $feature)] $name,)*]
        }
    };
}

grammars! {
    "go", "go" => tree_sitter_go::LANGUAGE;
    "python", "python" => tree_sitter_python::LANGUAGE;
    "javascript", "javascript" => tree_sitter_javascript::LANGUAGE;
    "typescript", "typescript" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
    "tsx", "typescript" => tree_sitter_typescript::LANGUAGE_TSX;
    "csharp", "csharp" => tree_sitter_c_sharp::LANGUAGE;
    "rust", "rust" => tree_sitter_rust::LANGUAGE;
    "java", "java" => tree_sitter_java::LANGUAGE;
    "c", "c" => tree_sitter_c::LANGUAGE;
    "cpp", "cpp" => tree_sitter_cpp::LANGUAGE;
    "php", "php" => tree_sitter_php::LANGUAGE_PHP;
    "ruby", "ruby" => tree_sitter_ruby::LANGUAGE;
    "kotlin", "kotlin" => tree_sitter_kotlin_ng::LANGUAGE;
    "swift", "swift" => tree_sitter_swift::LANGUAGE;
    "scala", "scala" => tree_sitter_scala::LANGUAGE;
    "bash", "bash" => tree_sitter_bash::LANGUAGE;
    "lua", "lua" => tree_sitter_lua::LANGUAGE;
    "css", "css" => tree_sitter_css::LANGUAGE;
    "html", "html" => tree_sitter_html::LANGUAGE;
    "json", "json" => tree_sitter_json::LANGUAGE;
    "yaml", "yaml" => tree_sitter_yaml::LANGUAGE;
    "toml", "toml" => tree_sitter_toml_ng::LANGUAGE;
    "sql", "sql" => tree_sitter_sequel::LANGUAGE;
    "proto", "proto" => tree_sitter_proto::LANGUAGE;
    "elixir", "elixir" => tree_sitter_elixir::LANGUAGE;
    "haskell", "haskell" => tree_sitter_haskell::LANGUAGE;
    "zig", "zig" => tree_sitter_zig::LANGUAGE;
    "dart", "dart" => tree_sitter_dart::LANGUAGE;
    "vue", "vue" => tree_sitter_vue_next::LANGUAGE;
    "svelte", "svelte" => tree_sitter_svelte_ng::LANGUAGE;
    "razor", "razor" => tree_sitter_razor::LANGUAGE;
    "hcl", "hcl" => tree_sitter_hcl::LANGUAGE;
    "dockerfile", "dockerfile" => tree_sitter_containerfile::LANGUAGE;
    "r", "r" => tree_sitter_r::LANGUAGE;
    "julia", "julia" => tree_sitter_julia::LANGUAGE;
    "objc", "objc" => tree_sitter_objc::LANGUAGE;
    "perl", "perl" => ts_parser_perl::LANGUAGE;
    "ocaml", "ocaml" => tree_sitter_ocaml::LANGUAGE_OCAML;
    "ocaml_interface", "ocaml" => tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE;
    "erlang", "erlang" => tree_sitter_erlang::LANGUAGE;
    "solidity", "solidity" => tree_sitter_solidity::LANGUAGE;
    "graphql", "graphql" => tree_sitter_graphql::LANGUAGE;
    "cmake", "cmake" => tree_sitter_cmake::LANGUAGE;
    "make", "make" => tree_sitter_make::LANGUAGE;
    "nix", "nix" => tree_sitter_nix::LANGUAGE;
    "powershell", "powershell" => tree_sitter_powershell::LANGUAGE;
    "markdown", "markdown" => tree_sitter_md::LANGUAGE;
    "xml", "xml" => tree_sitter_xml::LANGUAGE_XML;
    "groovy", "groovy" => tree_sitter_groovy::LANGUAGE;
    "clojure", "clojure" => tree_sitter_clojure_orchard::LANGUAGE;
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
