//! Parsing of enumerated values: kinds, roles, rules, confidences, languages. Errors suggest the nearest valid value.

use crate::error::{Code, ToolError};
use orient_engine::Snapshot;
use orient_model::{Confidence, EdgeKind, Modifier, Role, Rule, SurfaceKind, SurfaceRole, SymbolKind};

/// Parses symbol kinds.
pub(crate) fn kinds(words: &[String]) -> Result<Vec<SymbolKind>, ToolError> {
    let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
    words.iter().map(|word| word.parse().map_err(|()| unknown("kind", word, &known))).collect()
}

/// Parses modifiers.
pub(crate) fn modifiers<'w>(words: impl Iterator<Item = &'w str>) -> Result<Vec<Modifier>, ToolError> {
    let known: Vec<&str> = Modifier::ALL.iter().map(|modifier| modifier.as_str()).collect();
    words.map(|word| word.parse().map_err(|()| unknown("modifier", word, &known))).collect()
}

/// Parses file roles.
pub(crate) fn roles(words: &[String]) -> Result<Vec<Role>, ToolError> {
    let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    words.iter().map(|word| word.parse().map_err(|()| unknown("role", word, &known))).collect()
}

/// Parses edge kinds.
pub(crate) fn edge_kinds(words: &[String]) -> Result<Vec<EdgeKind>, ToolError> {
    let known: Vec<&str> = EdgeKind::ALL.iter().map(|kind| kind.as_str()).collect();
    words.iter().map(|word| word.parse().map_err(|()| unknown("edge kind", word, &known))).collect()
}

/// Parses resolution rules.
pub(crate) fn rules(words: &[String]) -> Result<Vec<Rule>, ToolError> {
    let known: Vec<&str> = Rule::ALL.iter().map(|rule| rule.as_str()).collect();
    words.iter().map(|word| word.parse().map_err(|()| unknown("rule", word, &known))).collect()
}

/// Other words for kinds of surface entries.
const SURFACE_ALIASES: &[(&str, SurfaceKind)] = &[
    ("route", SurfaceKind::Endpoint),
    ("grpc", SurfaceKind::Rpc),
    ("mcp", SurfaceKind::Tool),
    ("cli", SurfaceKind::Command),
    ("cron", SurfaceKind::Job),
    ("task", SurfaceKind::Job),
    ("queue", SurfaceKind::Topic),
    ("signal", SurfaceKind::Event),
    ("model", SurfaceKind::Table),
    ("env", SurfaceKind::Variable),
    ("config", SurfaceKind::Setting),
];

/// Parses kinds of surface entries, also in the plural.
pub(crate) fn surface_kinds(words: &[String]) -> Result<Vec<SurfaceKind>, ToolError> {
    let known: Vec<&str> = SurfaceKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let parse = |word: &str| {
        let alias = SURFACE_ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, kind)| *kind);
        word.parse().ok().or(alias)
    };
    let kind = |word: &String| {
        let lower = word.to_ascii_lowercase();
        let found = parse(&lower).or_else(|| parse(lower.strip_suffix('s')?));
        found.ok_or_else(|| unknown("kind", word, &known))
    };
    words.iter().map(kind).collect()
}

/// Parses roles of surface entries.
pub(crate) fn surface_roles(words: &[String]) -> Result<Vec<SurfaceRole>, ToolError> {
    let known: Vec<&str> = SurfaceRole::ALL.iter().map(|role| role.as_str()).collect();
    words.iter().map(|word| word.parse().map_err(|()| unknown("role", word, &known))).collect()
}

/// Parses a minimum confidence; `probable` by default.
pub(crate) fn confidence(word: Option<&str>) -> Result<Confidence, ToolError> {
    let Some(word) = word else { return Ok(Confidence::Probable) };
    let known: Vec<&str> = Confidence::ALL.iter().map(|one| one.as_str()).collect();
    word.parse().map_err(|()| unknown("confidence", word, &known))
}

/// Parses languages; the index must have files of each.
pub(crate) fn languages(words: &[String], snapshot: &Snapshot) -> Result<Vec<String>, ToolError> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let status = snapshot.status()?;
    let known: Vec<&str> = status.languages.iter().filter_map(|count| count.language.as_deref()).collect();
    words
        .iter()
        .map(|word| word.to_lowercase())
        .map(
            |word| {
                if known.contains(&word.as_str()) {
                    Ok(word)
                } else {
                    Err(unknown("language", &word, &known))
                }
            },
        )
        .collect()
}

/// Checks that a value is in a list.
pub(crate) fn one_of(what: &str, word: &str, known: &[&str]) -> Result<(), ToolError> {
    if known.contains(&word) { Ok(()) } else { Err(unknown(what, word, known)) }
}

fn unknown(what: &str, word: &str, known: &[&str]) -> ToolError {
    let hint = match orient_model::nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("one of: {}", known.join(", ")),
    };
    let scope = if what == "language" { " in this index" } else { "" };
    ToolError::new(Code::BadArgument, format!("unknown {what} `{word}`{scope}")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_value_is_an_error_with_a_suggestion() {
        let error = kinds(&["clas".to_owned()]).expect_err("no kind");
        assert_eq!((error.message(), error.help()), ("unknown kind `clas`", "did you mean `class`?"));
        let error = roles(&["colour".to_owned()]).expect_err("no role");
        assert_eq!(error.help(), "one of: source, test, generated, vendored, doc, config");
    }
}
