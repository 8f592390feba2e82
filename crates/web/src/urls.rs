//! Addresses of pages. Every link of every page is made here, so that nothing is put into an address unencoded.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What must be encoded in a path. The slash separates directories and stays.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'\\')
    .add(b'^')
    .add(b'[')
    .add(b']')
    .add(b'|')
    .add(b'\'');

/// An address with parameters; those without a value are left out.
pub(crate) fn with_parameters<N: AsRef<str>, V: AsRef<str>>(path: &str, parameters: &[(N, V)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in parameters.iter().filter(|(_, value)| !value.as_ref().is_empty()) {
        query.append_pair(name.as_ref(), value.as_ref());
    }
    let (path, query) = (utf8_percent_encode(path, PATH), query.finish());
    if query.is_empty() { path.to_string() } else { format!("{path}?{query}") }
}

/// The page of a file or directory; `revision` is empty for the working tree.
pub(crate) fn code(path: &str, revision: &str) -> String {
    with_parameters(&format!("/code/{}", path.trim_end_matches('/')), &[("at", revision)])
}

/// A line of a file; the whole file for line 0.
pub(crate) fn line(path: &str, line: u32, revision: &str) -> String {
    let page = code(path, revision);
    if line == 0 {
        return page;
    }
    // A long file is shown in parts, and the fragment of an address is not sent to the server.
    let window = crate::code::window_of_line(line);
    let page = if window > 1 {
        with_parameters(&format!("/code/{path}"), &[("at", revision), ("from", &window.to_string())])
    } else {
        page
    };
    format!("{page}#L{line}")
}

/// A symbol in its file, with its uses listed beside the code.
pub(crate) fn symbol(path: &str, handle: &str, at_line: u32, revision: &str) -> String {
    let window = crate::code::window_of_line(at_line);
    let from = if window > 1 { window.to_string() } else { String::new() };
    let page =
        with_parameters(&format!("/code/{path}"), &[("symbol", handle), ("at", revision), ("from", &from)]);
    format!("{page}#L{at_line}")
}

/// The diagram around a symbol.
pub(crate) fn graph(symbol: &str) -> String {
    with_parameters("/graph", &[("symbol", symbol)])
}

/// The card of a symbol.
pub(crate) fn card(symbol: &str, revision: &str) -> String {
    with_parameters("/card", &[("symbol", symbol), ("at", revision)])
}

/// A search.
pub(crate) fn search(query: &str, mode: &str) -> String {
    with_parameters("/search", &[("q", query), ("mode", mode)])
}

/// The map of a directory.
pub(crate) fn map(path: &str) -> String {
    with_parameters("/map", &[("path", path)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_escapes_from_its_place_in_an_address() {
        assert_eq!(code("a b/c?d#e&f\"<>'%.rs", ""), "/code/a%20b/c%3Fd%23e&f%22%3C%3E%27%25.rs");
        assert_eq!(graph("a.rs#x&depth=9\"<"), "/graph?symbol=a.rs%23x%26depth%3D9%22%3C");
        assert_eq!(code("src/", "HEAD~1"), "/code/src?at=HEAD%7E1");
    }

    #[test]
    fn lines_of_long_files_lead_to_their_part() {
        assert_eq!(line("a.rs", 7, ""), "/code/a.rs#L7");
        assert_eq!(line("a.rs", 0, ""), "/code/a.rs");
        assert!(line("a.rs", 9000, "").contains("from="));
    }
}
