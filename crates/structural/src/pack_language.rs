//! A language pack as a language of the matcher.

use ast_grep_core::matcher::{Pattern, PatternBuilder, PatternError, PatternNode};
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use ast_grep_core::{AstGrep, Language, Node};
use orient_lang::{Pack, parse_unmodified};
use std::borrow::Cow;

/// A language pack that has a grammar.
#[derive(Clone, Copy)]
pub(crate) struct PackLanguage {
    pack: &'static Pack,
    grammar: &'static orient_grammars::Language,
}

/// A parsed text.
pub(crate) type Document = StrDoc<PackLanguage>;

impl PackLanguage {
    /// The language of a pack; `None` if it has no grammar.
    pub(crate) fn new(pack: &'static Pack) -> Option<Self> {
        Some(Self { pack, grammar: pack.grammar()? })
    }

    pub(crate) fn name(self) -> &'static str {
        self.pack.name()
    }

    /// Parses a text within the limits of extraction; `None` if it reaches one.
    pub(crate) fn document(self, text: String) -> Option<Document> {
        let tree = parse_unmodified(self.pack, text.as_bytes())?;
        Some(StrDoc { src: text, lang: self, tree })
    }

    /// The pattern of a piece of code: its only node, without those around it that contain nothing else.
    pub(crate) fn pattern(self, code: &str) -> Result<Pattern, PatternError> {
        if self.pack.code_prefix().is_empty() {
            return Pattern::try_new(code, self);
        }
        let document = self.code(&self.pre_process_pattern(code)).map_err(PatternError::Parse)?;
        let root = AstGrep::doc(document);
        let prefix = self.pack.code_prefix().len();
        let parts = |node: &Node<'_, Document>| -> Vec<usize> {
            let is_part = |part: &Node<'_, Document>| {
                part.range().start >= prefix && !part.is_missing() && !part.kind().is_empty()
            };
            node.children().enumerate().filter(|(_, part)| is_part(part)).map(|(at, _)| at).collect()
        };
        let mut node = root.root();
        match parts(&node)[..] {
            [] => return Err(PatternError::NoContent(code.to_owned())),
            [_] => {}
            _ => return Err(PatternError::MultipleNode(code.to_owned())),
        }
        while let [only] = parts(&node)[..]
            && let Some(inner) = node.child(only)
        {
            node = inner;
        }
        let pattern = Pattern::from(node);
        match &pattern.node {
            PatternNode::MetaVar { meta_var: MetaVariable::MultiCapture(_) | MetaVariable::Multiple } => {
                Err(PatternError::RootMultiMetaVar(code.to_owned()))
            }
            _ => Ok(pattern),
        }
    }

    /// Parses a piece of code behind what makes it code.
    fn code(self, text: &str) -> Result<Document, String> {
        let document = self.document(format!("{}{text}", self.pack.code_prefix()));
        document.ok_or_else(|| "it is too large or nests too deeply".to_owned())
    }

    /// The number of a named node kind; `None` if the grammar has no such kind.
    pub(crate) fn kind(self, name: &str) -> Option<u16> {
        Some(self.grammar.id_for_node_kind(name, true)).filter(|kind| *kind != 0)
    }
}

impl Language for PackLanguage {
    /// Replaces the `$` of metavariables by a character that the grammar accepts in names: `$X.unwrap()` becomes
    /// `µX.unwrap()`. Other `$` stay: `$name` of a shell, `"$5"`.
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        let sigil = self.expando_char();
        if sigil == '$' {
            return Cow::Borrowed(query);
        }
        let mut text = String::with_capacity(query.len() + 8);
        let mut dollars = 0;
        let flush = |text: &mut String, dollars: usize, next: Option<char>| {
            let is_name = next.is_some_and(|c| c.is_ascii_uppercase() || c == '_');
            let written = if is_name || dollars == 3 { sigil } else { '$' };
            text.extend(std::iter::repeat_n(written, dollars));
        };
        for c in query.chars() {
            if c == '$' {
                dollars += 1;
                continue;
            }
            flush(&mut text, std::mem::take(&mut dollars), Some(c));
            text.push(c);
        }
        flush(&mut text, dollars, None);
        Cow::Owned(text)
    }

    fn expando_char(&self) -> char {
        self.pack.metavariable()
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.grammar.id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.grammar.field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        builder.build(|text| self.code(text))
    }
}

impl LanguageExt for PackLanguage {
    fn get_ts_language(&self) -> TSLanguage {
        self.grammar.clone()
    }
}
