//! The closed list of captures and settings a query may use.

use crate::schema::error::PackError;
use crate::schema::vocabulary::{self, HeaderWord, Unknown};
use orient_grammars::QueryProperty;
use orient_model::{ImportKind, RefKind, Relation, SymbolKind};

/// What a captured node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capture {
    /// `@definition.KIND`: all of a symbol.
    Definition(SymbolKind),
    /// `@name`: the name of the symbol or reference; several are joined.
    Name,
    /// `@qualifier`: a container named at the definition itself.
    Qualifier,
    /// `@doc`: documentation of the symbol, or, alone in its pattern, of the next one.
    Doc,
    /// `@doc.inner`: documentation of the symbol around it.
    InnerDoc,
    /// `@comment`: documentation of what follows directly.
    Comment,
    Body,
    /// `@params`: the list whose children are the parameters; `@param`: one of them.
    Params,
    Param,
    Returns,
    /// `@modifier`: words that say who may use a symbol, and what else it is.
    Modifier,
    /// `@attribute`: of the symbol, or, alone in its pattern, of the next one.
    Attribute,
    /// `@base`, `@base.implements`, `@base.mixes`.
    Base(Relation),
    /// `@reference.KIND`: a use of a name.
    Reference(RefKind),
    /// `@receiver`: what the name is looked up in.
    Receiver,
    /// `@import`, `@import.item`, `@import.wildcard`, `@import.effect`: the statement, or the module alone.
    Import(ImportKind),
    /// `@module`: the module, where `@import` is the statement.
    Module,
    /// `@alias`: the name an import gets here.
    Alias,
    /// `@export`: a name given to others.
    Export,
    /// `@package`: what the file says it belongs to.
    Package,
    /// `@_anything`: only for predicates.
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
pub(super) fn capture(name: &str) -> Result<Capture, Unknown> {
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
        Unknown { what: "capture", known }
    })
}

/// What a pattern says by `#set!`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct Pattern {
    /// `name`: what the symbol is called where the source does not say.
    pub(super) name: Option<String>,
    /// `trim`: marks that are no part of the name.
    pub(super) trim: Option<String>,
    /// `markup`: the name is what is left of its text without tags.
    pub(super) markup: bool,
    /// `join`: what stands between several names.
    pub(super) join: Option<String>,
    /// `section`: the symbol reaches to the next one with this level or a lower one; with `free` behind the number also
    /// out of the node it stands in.
    pub(super) section: Option<u8>,
    pub(super) free: bool,
    /// `returns`: what stands before the result in the header.
    pub(super) returns: Option<String>,
    /// `lead`: the words before it on its line belong to it.
    pub(super) lead: bool,
    /// `merge`: neighbours of the same name are parts of one symbol: clauses of a function.
    pub(super) merge: bool,
    /// `header` = `line`: only the first line is its header.
    pub(super) line: bool,
    /// `closed`: what is not exported by this pattern is private.
    pub(super) closed: bool,
    /// `local` = `keep`: also inside functions.
    pub(super) local: bool,
    /// `modifier`, `visibility`: what always holds.
    pub(super) words: Vec<HeaderWord>,
}

const SETTINGS: &[&str] = &[
    "name",
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
                let unknown = Unknown { what: "setting", known: SETTINGS.to_vec() };
                return Err(unknown.at(pack, "tags.scm", other));
            }
        }
    }
    Ok(pattern)
}

impl Unknown {
    /// The fault of a pack that uses the word.
    pub(crate) fn at(&self, pack: &str, place: &str, word: &str) -> PackError {
        PackError::Word {
            pack: pack.to_owned(),
            place: place.to_owned(),
            word: word.to_owned(),
            what: self.what,
            known: self.known.join(", "),
        }
    }
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
