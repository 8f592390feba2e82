//! `pack.toml` as written: which files a language has, how they are detected, its naming conventions and its test rules.

use super::error::PackError;
use crate::parse::run_parser::ParserTraits;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `pack.toml`: what must be known of a language before any of its files is read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PackManifest {
    /// The name users write: `python`.
    pub(crate) name: String,
    /// The name shown to people: `Python`.
    pub(crate) title: String,
    /// The packs whose node tables its own extends, outermost first.
    pub(crate) inherits: Vec<String>,
    /// The grammar, if its name differs from the pack's.
    pub(crate) grammar: Option<String>,
    /// Patterns of file names: `*.py`, `Makefile`. The longest matching pattern wins.
    pub(crate) files: Vec<String>,
    /// Interpreters that a `#!` line may name.
    pub(crate) shebangs: Vec<String>,
    /// Other names users write for the language.
    pub(crate) aliases: Vec<String>,
    /// The role of its files, unless their path says otherwise.
    pub(crate) role: Option<String>,
    /// Maximum indentation depth that its parser survives.
    pub(crate) max_indentation: Option<usize>,
    /// Factor by which its scanner takes longer than others to read text; 1 by default.
    pub(crate) read_work: Option<u64>,
    /// Text after which its parser never returns if the file does not end with a newline.
    pub(crate) needs_newline_after: Option<String>,
    /// The character that stands for `$` while a structural pattern is parsed, if the grammar does not accept `$` at the
    /// start of a name.
    pub(crate) metavariable: Option<char>,
    /// The tag that starts code in a file; without it, the grammar reads the file as text: `<?php `.
    pub(crate) code_prefix: Option<String>,
    /// The separator of qualified names in the source; `.` by default.
    pub(crate) separator: Option<String>,
    /// Names that are private, public or constants by convention.
    pub(crate) private_names: Option<String>,
    pub(crate) public_names: Option<String>,
    pub(crate) constant_names: Option<String>,
    /// Names that a pattern binds; any other name in a pattern refers to an existing definition.
    pub(crate) pattern_variables: Option<String>,
    /// The part of a module's path that is its name: the first group.
    pub(crate) module_name: Option<String>,
    /// How to recognise tests.
    pub(crate) tests: TestSpec,
    /// Patterns of the names of generated files.
    pub(crate) generated_files: Vec<String>,
    /// Files whose names other packs claim as well, and the content that decides for this language.
    pub(crate) ambiguous_files: Vec<AmbiguousFiles>,
    /// The hand-written scanner that reads its files, if there is no grammar.
    pub(crate) scanner: Option<String>,
    /// Other languages inside its files.
    pub(crate) embedded: Vec<EmbeddedSpec>,
    /// In shallow packs: symbols that the grammar has no node for.
    pub(crate) regex_symbol: Vec<RegexSymbolSpec>,
    /// In packs without a node table: uses in markup that the grammar has no node for.
    #[serde(rename = "use")]
    pub(crate) uses: Vec<UseSpec>,
    /// Files that are a symbol themselves: a component, a template.
    pub(crate) file_symbol: Vec<FileSymbolSpec>,
    /// Code between delimiters, which together is one program.
    pub(crate) delimited: Option<DelimitedSpec>,
    /// In shallow packs: the visibility of a symbol that does not state one.
    pub(crate) default_visibility: Option<String>,
    /// In shallow packs: modifier words of definitions, beyond the common ones.
    pub(crate) modifier_words: BTreeMap<String, String>,
    /// How its files are read as values, if project files are written in it.
    pub(crate) values: Option<ValuesSpec>,
}

impl PackManifest {
    /// The name of its grammar.
    pub(crate) fn grammar_name(&self) -> &str {
        self.grammar.as_deref().unwrap_or(&self.name)
    }

    /// How its parser differs from most.
    pub(crate) fn parser_traits(&self) -> ParserTraits {
        ParserTraits { max_indentation: self.max_indentation, read_work: self.read_work.unwrap_or(1) }
    }

    /// The languages that may be embedded in its files, by name or alias.
    pub(crate) fn embedded_languages(&self) -> impl Iterator<Item = &String> {
        let nodes = self.embedded.iter().flat_map(|spec| spec.language.iter().chain(spec.languages.values()));
        nodes.chain(self.delimited.iter().map(|spec| &spec.language))
    }

    /// Whether its files contain other languages.
    pub(crate) fn embeds(&self) -> bool {
        self.embedded_languages().next().is_some()
    }

    /// The error for a pattern that does not compile.
    pub(crate) fn pattern_error(&self, place: &str, error: &dyn std::fmt::Display) -> PackError {
        PackError::Pattern { pack: self.name.clone(), place: place.to_owned(), message: error.to_string() }
    }
}

/// File names that several languages share.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AmbiguousFiles {
    /// Patterns of the file names.
    pub(crate) files: Vec<String>,
    /// A pattern that the beginning of a file contains if it is in this language.
    pub(crate) contains: String,
}

/// `[tests]`: how to recognise tests.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TestSpec {
    /// Patterns of the names or paths of test files.
    pub(crate) files: Vec<String>,
    /// The command that runs tests. `{places}` stands for `path::Class::test` of each, `{files}` and `{directories}` for
    /// those that they are in, `{names}` for their names separated by `|`, `{words}` for their names separated by spaces.
    pub(crate) command: Option<String>,
    /// Symbols that a runner runs as tests.
    pub(crate) cases: Vec<TestRuleSpec>,
    /// Symbols that a runner runs before or after the tests around them.
    pub(crate) setup: Vec<TestRuleSpec>,
    /// Symbols that a runner passes to the tests that name them.
    pub(crate) fixtures: Vec<TestRuleSpec>,
    /// Other symbols that only tests can see or use.
    pub(crate) test_only: Vec<TestRuleSpec>,
}

/// A rule of `[tests]`: a symbol must satisfy every pattern that is given.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TestRuleSpec {
    /// Kinds of the symbol; any callable kind by default.
    pub(crate) kinds: Vec<String>,
    /// Its name.
    pub(crate) names: Option<String>,
    /// One of its attributes.
    pub(crate) attributes: Option<String>,
    /// Its signature.
    pub(crate) signatures: Option<String>,
    /// The name of its container; empty at the top level.
    pub(crate) within: Option<String>,
    /// A base of its container.
    pub(crate) bases: Option<String>,
}

/// `[[embedded]]`: a place where files contain another language.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EmbeddedSpec {
    /// The kind of the node.
    pub(crate) node: String,
    /// The kind of the descendant that holds the text; the node's own text by default.
    pub(crate) text: Option<String>,
    /// The pack that reads the text, unless an attribute names another.
    pub(crate) language: Option<String>,
    /// Attributes before the text that name its language, and the pack for each of their values.
    pub(crate) attributes: Vec<String>,
    pub(crate) languages: BTreeMap<String, String>,
    /// The text is a fragment of a program: its syntax errors are not reported.
    pub(crate) fragment: bool,
}

/// `[[regex_symbol]]`: a symbol that the grammar has no node for, found by a regular expression.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RegexSymbolSpec {
    /// The kind of the symbol.
    pub(crate) kind: String,
    /// Its beginning; the first group is its name.
    pub(crate) pattern: String,
    /// Its end: the first match after its beginning. The end of the line by default.
    pub(crate) until: Option<String>,
}

/// `[[use]]`: a use in markup, found by a regular expression.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct UseSpec {
    /// What is used: `component`, `template`, `class`, `id`, `name` or `call`.
    pub(crate) is: String,
    /// The use; the first group that takes part is its name.
    pub(crate) pattern: String,
    /// The name is a list of names, separated by white space.
    pub(crate) each: bool,
}

/// `[[file_symbol]]`: files that are a symbol themselves, named like the file up to its first dot.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FileSymbolSpec {
    /// Ends of the names of the files: `.vue`.
    pub(crate) files: Vec<String>,
    /// The kind of the symbol.
    pub(crate) kind: String,
    /// What the text of the file contains; any file by default.
    pub(crate) contains: Option<String>,
}

/// `[delimited]`: code between delimiters. What is outside of them becomes white space, so that the rest is one program.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DelimitedSpec {
    /// The pack that reads the code.
    pub(crate) language: String,
    /// What begins and ends code.
    pub(crate) open: String,
    pub(crate) close: String,
    /// What follows the opening delimiter if it is no code: a comment, an escaped delimiter.
    pub(crate) skip: Vec<String>,
    /// Characters after the opening and before the closing delimiter that are no code.
    pub(crate) marks: String,
    /// What ends a statement.
    pub(crate) end: String,
}

/// `[values]`: how a file of the language is read as a value. Without it a file is one text.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ValuesSpec {
    /// The line scanner that reads it, if there is no grammar.
    pub(crate) scanner: Option<String>,
    /// The meaning of node kinds. All other nodes are replaced by their children.
    pub(crate) nodes: BTreeMap<String, String>,
}
