//! A request for a page: the decoded path and the parameters of the query string.

use percent_encoding::percent_decode_str;

/// Maximum length of a parameter; longer ones are cut. The longest legitimate one is a structural pattern.
const MAX_PARAMETER_LENGTH: usize = 4096;

/// A request for a page. Everything in it comes from outside and may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// The decoded path, with a leading slash.
    pub(crate) path: String,
    parameters: Vec<(String, String)>,
}

impl PageRequest {
    /// Parses a request target such as `/search?q=run&mode=names`. Invalid UTF-8 is replaced, never rejected.
    pub fn parse(target: &str) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
        let parameters = form_urlencoded::parse(query.as_bytes())
            .map(|(name, value)| (name.into_owned(), cut(&value)))
            .collect();
        Self { path, parameters }
    }

    /// The first value of a parameter that is not empty; empty if there is none.
    pub(crate) fn get(&self, name: &str) -> &str {
        let value = self.parameters.iter().find(|(known, value)| known == name && !value.is_empty());
        value.map_or("", |(_, value)| value)
    }

    /// All parameters, as they were sent.
    pub(crate) fn parameters(&self) -> &[(String, String)] {
        &self.parameters
    }

    /// All values of a parameter that are not empty.
    pub(crate) fn all<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> {
        let named = self.parameters.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Whether a parameter is set to anything but `0`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        !matches!(self.get(name), "" | "0")
    }

    /// A number, clamped to a range.
    pub(crate) fn number(&self, name: &str, default: u32, least: u32, most: u32) -> u32 {
        self.get(name).parse().unwrap_or(default).clamp(least, most)
    }

    /// The same path with a changed list of parameters, for links: `change` edits (name, value) pairs.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Vec<(String, String)>)) -> String {
        let mut parameters = self.parameters.clone();
        parameters.retain(|(name, value)| name != "fragment" && !value.is_empty());
        change(&mut parameters);
        crate::urls::with_parameters(&self.path, &parameters)
    }

    /// The same path with one parameter set, or removed if the value is empty.
    pub(crate) fn with_one(&self, name: &str, value: &str) -> String {
        self.with(|parameters| {
            parameters.retain(|(known, _)| known != name);
            if !value.is_empty() {
                parameters.push((name.to_owned(), value.to_owned()));
            }
        })
    }

    /// The canonical form, as the key of a cache.
    pub(crate) fn key(&self) -> String {
        crate::urls::with_parameters(&self.path, &self.parameters)
    }
}

/// A field of a posted form; empty if it is absent.
pub fn form_field(body: &str, name: &str) -> String {
    let mut fields = form_urlencoded::parse(body.as_bytes());
    fields.find(|(known, _)| known == name).map_or_else(String::new, |(_, value)| cut(&value))
}

fn cut(value: &str) -> String {
    let end = value.char_indices().nth(MAX_PARAMETER_LENGTH).map_or(value.len(), |(at, _)| at);
    value[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_decoded_and_can_be_written_again() {
        let request = PageRequest::parse("/code/a%20b/%C3%A9.rs?symbol=a%23b&lines=1-2&lines=9&x=");
        assert_eq!(request.path, "/code/a b/é.rs");
        assert_eq!((request.get("symbol"), request.get("lines"), request.get("x")), ("a#b", "1-2", ""));
        assert_eq!(request.with_one("lines", ""), "/code/a%20b/%C3%A9.rs?symbol=a%23b");
        assert_eq!(request.number("depth", 2, 1, 4), 2);
        assert_eq!(PageRequest::parse("/graph?depth=99").number("depth", 2, 1, 4), 4);
    }

    #[test]
    fn broken_encodings_are_text() {
        let request = PageRequest::parse("/code/%ff%zz?q=%ff&q=%");
        assert_eq!(request.path, "/code/\u{fffd}%zz");
        assert_eq!(request.all("q").collect::<Vec<_>>(), ["\u{fffd}", "%"]);
    }

    #[test]
    fn long_parameters_are_cut() {
        let request = PageRequest::parse(&format!("/search?q={}", "é".repeat(9000)));
        assert_eq!(request.get("q").chars().count(), MAX_PARAMETER_LENGTH);
    }
}
