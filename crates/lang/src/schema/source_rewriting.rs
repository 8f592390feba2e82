//! The sections of `table.toml` that rewrite a source before or between parses: `[preprocess]`, `[item_macros]` and `[[grammar_gap]]`.

use serde::Deserialize;

/// `[preprocess]`: the words of a language with a C-like preprocessor, and how its macros look.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PreprocessSpec {
    /// Directives that open, continue and close a conditional: `if`, `else`, `endif`.
    pub(crate) conditional_open: Vec<String>,
    pub(crate) conditional_else: Vec<String>,
    pub(crate) conditional_close: Vec<String>,
    /// Erase every directive, because the grammar accepts them in few places only.
    pub(crate) erase_directives: bool,
    /// The language has multi-line strings without escapes: `@"…"`, `"""…"""`.
    pub(crate) verbatim_strings: bool,
    /// Words before a type that qualify it: `static`, `const`.
    pub(crate) qualifiers: Vec<String>,
    /// Built-in types.
    pub(crate) types: Vec<String>,
    /// Words followed by the name of a type: `struct`; and those that list constants: `enum`.
    pub(crate) type_keywords: Vec<String>,
    pub(crate) enum_keywords: Vec<String>,
    /// Words that open a block of declarations: `namespace`.
    pub(crate) namespace_keywords: Vec<String>,
    /// Statement keywords: followed by a condition (`while`), by a statement (`else`), and all others.
    pub(crate) condition_keywords: Vec<String>,
    pub(crate) prefix_keywords: Vec<String>,
    pub(crate) statement_keywords: Vec<String>,
    /// Words that may follow a parameter list: `override`.
    pub(crate) suffixes: Vec<String>,
    /// Words that look like macros but that the grammar knows.
    pub(crate) known_words: Vec<String>,
    /// Pattern of words that are macros if a declaration has one word too many.
    pub(crate) macros: Option<String>,
    /// Pattern of words that are never macros.
    pub(crate) never_macros: Option<String>,
    /// A macro that defines a function must become a function without parameters.
    pub(crate) macros_define_functions: bool,
    /// Macros that expand to nothing before a call, and make a declaration of it otherwise: `emit changed();`.
    pub(crate) call_prefixes: Vec<String>,
    /// Pattern of macros with arguments that annotate the declaration after them, even from the line before.
    pub(crate) attribute_macros: Option<String>,
    /// Pattern of macros that define a symbol named by their last argument instead of the first.
    pub(crate) named_by_last_argument: Option<String>,
}

/// `[item_macros]`: macro calls around items, which the grammar reads as tokens.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ItemMacroSpec {
    /// The kind of a macro call, and of its arguments.
    pub(crate) call: String,
    pub(crate) arguments: String,
    /// The kinds of nodes that contain items.
    pub(crate) places: Vec<String>,
    /// The pattern of arguments that may be items. They are, if the grammar accepts them as a file.
    pub(crate) items: String,
}

/// `[[grammar_gap]]`: a construct that the grammar does not know, and what to parse instead of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GrammarGapSpec {
    /// The construct. Its first group is replaced.
    pub(crate) pattern: String,
    /// The parts of the group to replace; the whole group by default.
    pub(crate) only: Option<String>,
    /// The replacement: a text of the same length, or one byte for each byte replaced. A space by default.
    pub(crate) replacement: Option<String>,
    /// The replaced text begins the definition after it, which the tree no longer shows; with `only`, each part is one
    /// of its attributes.
    pub(crate) is_definition_prefix: bool,
    /// Apply only around text that the grammar misread: a reserved word that it took for a name, an ending that a node cannot have.
    pub(crate) at_misread_words: bool,
    /// Also replace the line breaks of the group: the grammar ends a statement there. Lines are counted as in the source.
    pub(crate) joins_lines: bool,
}
