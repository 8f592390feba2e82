//! The closed list of captures and settings that a query may use.

use crate::schema::error::PackError;
use crate::schema::vocabulary::{self, HeaderWord, UnknownWord};
use orient_grammars::QueryProperty;
use orient_model::{ImportKind, RefKind, Relation, SymbolKind};

/// The meaning of a captured node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capture {
    /// `@definition.KIND`: a whole symbol.
    Definition(SymbolKind),
    /// `@name`: the name of the symbol or reference; several are joined.
    Name,
    /// `@qualifier`: a container that the definition itself names.
    Qualifier,
    /// `@doc`: documentation of the symbol or, alone in its pattern, of the next one.
    Doc,
    /// `@doc.inner`: documentation of the enclosing symbol.
    InnerDoc,
    /// `@comment`: documentation of the symbol directly after it.
    Comment,
    Body,
    /// `@params`: the list whose children are the parameters; `@param`: one of them.
    Params,
    Param,
    Returns,
    /// `@modifier`: modifier words, visibility included.
    Modifier,
    /// `@attribute`: an attribute of the symbol or, alone in its pattern, of the next one.
    Attribute,
    /// `@base`, `@base.implements`, `@base.mixes`.
    Base(Relation),
    /// `@reference.KIND`: a reference by name.
    Reference(RefKind),
    /// `@receiver`: the expression in which the name is looked up.
    Receiver,
    /// `@import`, `@import.item`, `@import.wildcard`, `@import.effect`: the statement, or the module alone.
    Import(ImportKind),
    /// `@module`: the module, where `@import` is the statement.
    Module,
    /// `@alias`: the local name of an import.
    Alias,
    /// `@export`: an exported name.
    Export,
    /// `@package`: the package that the file belongs to.
    Package,
    /// `@_anything`: used by predicates only.
    Helper,
}

const CAPTURES: &[(&str, Capture)] = &[
    ("name", Capture::Name),
    ("qualifier", Capture::Qualifier),
    ("doc", Capture::Doc),
    ("doc.inner", Capture::InnerDoc),
    ("comment", Capture::Comment),
    ("body", Capture::Body),
    ("params", Capture::Params),
    ("param", Capture::Param),
    ("returns", Capture::Returns),
    ("modifier", Capture::Modifier),
    ("attribute", Capture::Attribute),
    ("base", Capture::Base(Relation::Extends)),
    ("base.implements", Capture::Base(Relation::Implements)),
    ("base.mixes", Capture::Base(Relation::Mixes)),
    ("receiver", Capture::Receiver),
    ("import", Capture::Import(ImportKind::Module)),
    ("import.item", Capture::Import(ImportKind::Item)),
    ("import.wildcard", Capture::Import(ImportKind::Wildcard)),
    ("import.effect", Capture::Import(ImportKind::Effect)),
    ("module", Capture::Module),
    ("alias", Capture::Alias),
    ("export", Capture::Export),
    ("package", Capture::Package),
];

/// The capture with this name.
pub(super) fn capture(name: &str) -> Result<Capture, UnknownWord> {
    if name.starts_with('_') {
        return Ok(Capture::Helper);
    }
    if let Some(kind) = name.strip_prefix("definition.") {
        return vocabulary::symbol(kind).map(Capture::Definition);
    }
    if let Some(kind) = name.strip_prefix("reference.") {
        return vocabulary::reference(kind).map(Capture::Reference);
    }
    CAPTURES.iter().find(|(known, _)| *known == name).map(|(_, capture)| *capture).ok_or_else(|| {
        let mut known = vec!["definition.KIND", "reference.KIND", "_HELPER"];
        known.extend(CAPTURES.iter().map(|(known, _)| *known));
        UnknownWord { what: "capture", known }
    })
}

/// The settings that a pattern makes by `#set!`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct Pattern {
    /// `name`: the name of a symbol that the source does not name.
    pub(super) name: Option<String>,
    /// `prefix`: what the name has in front.
    pub(super) prefix: Option<String>,
    /// `trim`: characters to trim from the name.
    pub(super) trim: Option<String>,
    /// `markup`: the name is its text without tags.
    pub(super) markup: bool,
    /// `join`: the separator of several name parts.
    pub(super) join: Option<String>,
    /// `section`: the symbol extends to the next one with this level or a lower one; with `free` after the number, even
    /// beyond its parent node.
    pub(super) section: Option<u8>,
    pub(super) free: bool,
    /// `returns`: the token before the result type in the header.
    pub(super) returns: Option<String>,
    /// `lead`: the words before it on its line belong to it.
    pub(super) lead: bool,
    /// `merge`: adjacent symbols of the same name are one: the clauses of a function.
    pub(super) merge: bool,
    /// `header` = `line`: only the first line is its header.
    pub(super) line: bool,
    /// `closed`: symbols that this pattern does not export are private.
    pub(super) closed: bool,
    /// `local` = `keep`: also inside functions.
    pub(super) local: bool,
    /// `modifier`, `visibility`: modifiers of every such symbol.
    pub(super) words: Vec<HeaderWord>,
}

const SETTINGS: &[&str] = &[
    "name",
    "prefix",
    "trim",
    "markup",
    "join",
    "section",
    "returns",
    "lead",
    "merge",
    "header",
    "closed",
    "local",
    "modifier",
    "visibility",
];

/// Reads the settings of a pattern.
pub(super) fn pattern(pack: &str, settings: &[QueryProperty]) -> Result<Pattern, PackError> {
    let mut pattern = Pattern::default();
    for setting in settings {
        let value = setting.value.as_deref().unwrap_or_default();
        match &*setting.key {
            "name" => pattern.name = Some(value.to_owned()),
            "prefix" => pattern.prefix = Some(value.to_owned()),
            "markup" => pattern.markup = true,
            "trim" => pattern.trim = Some(value.to_owned()),
            "join" => pattern.join = Some(value.to_owned()),
            "section" => {
                let mut words = value.split_whitespace();
                pattern.section = Some(words.next().and_then(|level| level.parse().ok()).unwrap_or(1));
                pattern.free = words.next() == Some("free");
            }
            "returns" => pattern.returns = Some(value.to_owned()),
            "lead" => pattern.lead = true,
            "merge" => pattern.merge = true,
            "header" => pattern.line = true,
            "closed" => pattern.closed = true,
            "local" => pattern.local = true,
            "modifier" | "visibility" => {
                let word =
                    vocabulary::header_word(value).map_err(|unknown| unknown.at(pack, "tags.scm", value))?;
                pattern.words.push(word);
            }
            other => {
                let unknown = UnknownWord { what: "setting", known: SETTINGS.to_vec() };
                return Err(unknown.at(pack, "tags.scm", other));
            }
        }
    }
    Ok(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_capture_names_the_known_ones() {
        assert_eq!(capture("definition.class").ok(), Some(Capture::Definition(SymbolKind::Class)));
        assert_eq!(capture("_x").ok(), Some(Capture::Helper));
        let unknown =
            capture("definitions.class").err().map(|unknown| unknown.known.join(" ")).unwrap_or_default();
        assert!(unknown.contains("doc.inner"), "{unknown}");
        assert!(capture("reference.use").is_err());
    }
}
