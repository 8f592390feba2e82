//! Words from closed lists, as users type them. A wrong one is answered with the nearest right one and the list.

use crate::error::{Code, ToolError};
use orient_engine::Snapshot;
use orient_model::{Confidence, EdgeKind, Role, Rule, SymbolKind};

/// The kinds of these words.
pub(crate) fn kinds(words: &[String]) -> Result<Vec<SymbolKind>, ToolError> {
    let known: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
    words.iter().map(|word| word.parse().map_err(|()| unknown("kind", word, &known))).collect()
}

/// The roles of these words.
pub(crate) fn roles(words: &[String]) -> Result<Vec<Role>, ToolError> {
    let known: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
    words.iter().map(|word| word.parse().map_err(|()| unknown("role", word, &known))).collect()
}

/// The kinds of edges of these words.
pub(crate) fn edge_kinds(words: &[String]) -> Result<Vec<EdgeKind>, ToolError> {
    let known: Vec<&str> = EdgeKind::ALL.iter().map(|kind| kind.as_str()).collect();
    words.iter().map(|word| word.parse().map_err(|()| unknown("kind of edge", word, &known))).collect()
}

/// The rules of these words.
pub(crate) fn rules(words: &[String]) -> Result<Vec<Rule>, ToolError> {
    let known: Vec<&str> = Rule::ALL.iter().map(|rule| rule.as_str()).collect();
    words.iter().map(|word| word.parse().map_err(|()| unknown("rule", word, &known))).collect()
}

/// The confidence of a word; what is proven unless something else is asked for.
pub(crate) fn confidence(word: Option<&str>) -> Result<Confidence, ToolError> {
    let Some(word) = word else { return Ok(Confidence::Probable) };
    let known: Vec<&str> = Confidence::ALL.iter().map(|one| one.as_str()).collect();
    word.parse().map_err(|()| unknown("confidence", word, &known))
}

/// The languages of these words; each must be one the index has files of.
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

/// The word itself if it is in the list.
pub(crate) fn one_of(what: &str, word: &str, known: &[&str]) -> Result<(), ToolError> {
    if known.contains(&word) { Ok(()) } else { Err(unknown(what, word, known)) }
}

fn unknown(what: &str, word: &str, known: &[&str]) -> ToolError {
    let hint = match orient_model::nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", known.join(", ")),
    };
    let wherever = if what == "language" { " in this index" } else { "" };
    ToolError::new(Code::BadArgument, format!("there is no {what} `{word}`{wherever}")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_word_is_answered_with_the_nearest() {
        let error = kinds(&["clas".to_owned()]).expect_err("no kind");
        assert_eq!((error.message(), error.help()), ("there is no kind `clas`", "did you mean `class`?"));
        let error = roles(&["colour".to_owned()]).expect_err("no role");
        assert_eq!(error.help(), "there are: source, test, generated, vendored, doc, config");
    }
}
