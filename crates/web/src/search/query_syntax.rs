//! The syntax of queries: free text with qualifiers such as `path:src`, `lang:go` and `kind:method`.

use std::fmt::Write;

/// The qualifiers and what they narrow.
pub(crate) const QUALIFIERS: &[(&str, &str)] = &[
    ("path", "only in this file or directory, or in files that match this glob"),
    ("lang", "only in files of this language; may be repeated"),
    ("kind", "only symbols of this kind: function, method, class, …; may be repeated"),
];

/// A query: the text to search for, and the qualifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParsedQuery {
    pub(crate) text: String,
    qualifiers: Vec<(&'static str, String)>,
}

impl ParsedQuery {
    /// Separates qualifiers from text. What is between qualifiers is kept as typed, since it may be a pattern. A value with spaces is
    /// quoted: `path:"my files"`.
    pub(crate) fn parse(typed: &str) -> Self {
        let mut query = Self::default();
        let mut rest = typed;
        let mut text = String::new();
        while !rest.is_empty() {
            let at_word = text.is_empty() || text.ends_with(char::is_whitespace);
            if at_word && let Some((name, value, after)) = qualifier(rest) {
                query.qualifiers.push((name, value.to_owned()));
                rest = after.trim_start();
                continue;
            }
            let next = rest.char_indices().nth(1).map_or(rest.len(), |(at, _)| at);
            text.push_str(&rest[..next]);
            rest = &rest[next..];
        }
        text.trim().clone_into(&mut query.text);
        query
    }

    /// Whether there is nothing to search for.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The values of a qualifier.
    pub(crate) fn values(&self, name: &str) -> Vec<&str> {
        self.qualifiers.iter().filter(|(known, _)| *known == name).map(|(_, value)| value.as_str()).collect()
    }

    /// Whether a qualifier is given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.qualifiers.iter().any(|(known, _)| *known == name)
    }

    /// The query as text with a qualifier set to one value.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        let known = QUALIFIERS.iter().map(|(known, _)| *known).find(|known| *known == name);
        let mut query = self.clone();
        query.qualifiers.retain(|(other, _)| *other != name);
        query.qualifiers.extend(known.map(|known| (known, value.to_owned())));
        query.to_text()
    }

    /// The query as text without a qualifier.
    pub(crate) fn without(&self, name: &str) -> String {
        let mut query = self.clone();
        query.qualifiers.retain(|(other, _)| *other != name);
        query.to_text()
    }

    fn to_text(&self) -> String {
        let mut text = self.text.clone();
        for (name, value) in &self.qualifiers {
            if !text.is_empty() {
                text.push(' ');
            }
            let quote = if value.contains(char::is_whitespace) { "\"" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(text, "{name}:{quote}{value}{quote}");
        }
        text
    }
}

/// The qualifier at the beginning of a text: name, value and what follows. `path:` without a value is text.
fn qualifier(text: &str) -> Option<(&'static str, &str, &str)> {
    let (name, rest) =
        QUALIFIERS.iter().find_map(|(name, _)| Some((*name, text.strip_prefix(name)?.strip_prefix(':')?)))?;
    let (value, after) = match rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        Some(quoted) => quoted,
        None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
    };
    (!value.is_empty()).then_some((name, value, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualifiers_are_separated_from_text() {
        let query = ParsedQuery::parse("parse  header lang:go path:\"my files\" kind:method lang:c");
        assert_eq!(query.text, "parse  header");
        assert_eq!(query.values("lang"), ["go", "c"]);
        assert_eq!(query.values("path"), ["my files"]);
        assert_eq!(query.without("lang"), "parse  header path:\"my files\" kind:method");
        assert_eq!(query.with("lang", "d"), "parse  header path:\"my files\" kind:method lang:d");
    }

    #[test]
    fn what_is_no_qualifier_is_text() {
        for text in ["a::path:b", "path:", "xlang:go", "std::path::Path", "(?x) a  b", "kind"] {
            assert_eq!(ParsedQuery::parse(text).text, text);
        }
    }

    #[test]
    fn the_text_of_a_query_means_the_same_query() {
        for text in ["a lang:go", "kind:class", "a b path:x/y.rs kind:f kind:g", "path:\"a b\" c"] {
            let query = ParsedQuery::parse(text);
            assert_eq!(ParsedQuery::parse(&query.to_text()), query);
        }
    }
}
