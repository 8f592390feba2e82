//! Source text prepared for display: white space folded, comment marks removed, length capped.

use orient_model::Span;
use std::borrow::Cow;

/// Longest signature kept, in bytes.
const SIGNATURE_CAP: usize = 400;
/// Longest documentation kept, in bytes.
pub(crate) const DOC_CAP: usize = 500;
/// Longest attribute, type or base kept, in bytes.
pub(crate) const PHRASE_CAP: usize = 200;

/// The bytes as text, with replacement characters for invalid UTF-8.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Folds every run of white space into one space and caps the result.
pub(crate) fn fold(text: &str, cap: usize) -> String {
    let mut folded = String::with_capacity(text.len().min(cap + 4));
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
        if folded.len() > cap {
            return cut(&folded, cap);
        }
    }
    folded
}

/// The signature of a definition: its header folded, capped, and without the tokens that open the body.
pub(crate) fn signature(header: &[u8]) -> String {
    // A header may continue after a line that ends with `\\`.
    let mut folded = fold(&lossy(header).replace("\\\n", " \n").replace("\\\r\n", " \n"), SIGNATURE_CAP);
    while let Some(shorter) =
        ["=>", "{", ":", "=", ";", " ", "\\"].iter().find_map(|end| folded.strip_suffix(end))
    {
        folded.truncate(shorter.len());
    }
    folded
}

/// A span without white space at its end.
pub(crate) fn trimmed(mut span: Span, source: &[u8]) -> Span {
    let bytes = span.of(source);
    let kept = bytes.trim_ascii_end().len();
    let lost = &bytes[kept..];
    span.last_line -= (memchr::memchr_iter(b'\n', lost).count() as u32)
        .saturating_sub(u32::from(lost.ends_with(b"\n")))
        .min(span.last_line - span.first_line);
    span.end -= lost.len() as u32;
    span
}

/// Cuts a text at a character boundary and marks the cut.
pub(crate) fn cut(text: &str, cap: usize) -> String {
    if text.len() <= cap {
        return text.to_owned();
    }
    let mut at = cap;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    format!("{}…", &text[..at])
}

/// Removes comment marks and common decoration from a run of comment text.
pub(crate) fn clean_comment(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        let mut line = line.trim();
        for mark in [
            "/**", "/*!", "/*", "///", "//!", "//", "(**", "(*", "{-|", "{-", "-- |", "--[[", "---", "--",
            ";;;", ";;", ";", "##", "#>", "#'", "#=", "#", "%%", "<!--", "<#", "=begin",
        ] {
            if let Some(rest) = line.strip_prefix(mark) {
                line = rest;
                break;
            }
        }
        for mark in ["**/", "*/", "*)", "-}", "-->", "#>", "=#", "=end"] {
            line = line.strip_suffix(mark).unwrap_or(line);
        }
        let line = line.strip_prefix("* ").unwrap_or(if line == "*" { "" } else { line });
        lines.push(line.trim());
    }
    let kept: Vec<&str> = lines
        .into_iter()
        .filter(|line| !line.chars().all(|c| "*-=#/_".contains(c)) || line.is_empty())
        .collect();
    cut(kept.join("\n").trim(), DOC_CAP)
}

/// Removes tags from documentation but keeps the name of a reference: `<see cref="Name"/>`.
pub(crate) fn without_tags(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let (before, tag) = rest.split_at(open);
        clean.push_str(before);
        let starts = tag[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        let Some(close) = tag.find('>').filter(|_| starts) else {
            clean.push('<');
            rest = &tag[1..];
            continue;
        };
        let name = ["cref=\"", "name=\"", "langword=\""].iter().find_map(|key| tag[..close].split_once(key));
        if let Some((_, name)) = name {
            clean.push_str(name.split('"').next().unwrap_or_default());
            if !tag[..close].ends_with('/') {
                clean.push_str(": ");
            }
        }
        rest = &tag[close + 1..];
    }
    clean.push_str(rest);
    let lines: Vec<&str> = clean.lines().map(str::trim).collect();
    lines.join("\n").trim().to_owned()
}

/// Removes the quotes and the common indentation of a documentation string.
pub(crate) fn clean_string(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let text = ["\"\"\"", "'''", "\"", "'", "`"]
        .iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(text);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    cut(lines.join("\n").trim(), DOC_CAP)
}

/// The content of a string literal: without prefix and quotes.
pub(crate) fn unquote(text: &str) -> &str {
    let text = text.trim();
    for (open, close) in
        [("\"\"\"", "\"\"\""), ("'''", "'''"), ("\"", "\""), ("'", "'"), ("`", "`"), ("<", ">")]
    {
        let start = text.find(open);
        if let Some(start) = start
            && start <= 2
            && text.len() >= start + open.len() + close.len()
            && text.ends_with(close)
        {
            return &text[start + open.len()..text.len() - close.len()];
        }
    }
    text.strip_prefix(':').unwrap_or(text)
}

/// An attribute or annotation without the marks around it: `#[test]`, `@Test`, `[Test]`, `[[nodiscard]]`.
pub(crate) fn bare_attribute(text: &str) -> String {
    let text = text.trim();
    let bare = text
        .strip_prefix("#![")
        .or_else(|| text.strip_prefix("#["))
        .or_else(|| text.strip_prefix("[["))
        .or_else(|| text.strip_prefix('['))
        .map_or(text, |inner| inner.trim_end_matches(']'));
    fold(bare.trim_start_matches('@'), PHRASE_CAP)
}

/// The number of bytes of white space and comments at the beginning of a text.
pub(crate) fn gap(text: &[u8]) -> usize {
    let mut rest = text.trim_ascii_start();
    loop {
        let end = match rest {
            [b'/', b'/', ..] => memchr::memchr(b'\n', rest),
            [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map(|end| end + 2),
            _ => None,
        };
        let Some(end) = end else { return text.len() - rest.len() };
        rest = rest[end..].trim_ascii_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_white_space_and_comments() {
        assert_eq!(gap(b" // a\n /* b */ class"), 15);
        assert_eq!(gap(b"class"), 0);
        assert_eq!(gap(b" // open"), 1);
    }

    #[test]
    fn comment_marks_are_removed_and_words_kept() {
        assert_eq!(clean_comment("/// Adds.\n///\n/// Twice."), "Adds.\n\nTwice.");
        assert_eq!(clean_comment("/**\n * Adds.\n * @param x\n */"), "Adds.\n@param x");
        assert_eq!(clean_comment("# One\n# ----\n# two"), "One\ntwo");
        assert_eq!(clean_string("\"\"\"Adds.\n\n    More.\n    \"\"\""), "Adds.\n\nMore.");
    }

    #[test]
    fn strings_lose_their_quotes() {
        assert_eq!(unquote("\"a/b\""), "a/b");
        assert_eq!(unquote("r\"x\""), "x");
        assert_eq!(unquote("<stdio.h>"), "stdio.h");
        assert_eq!(unquote(":name"), "name");
        assert_eq!(unquote("'"), "'");
    }

    #[test]
    fn cutting_never_splits_a_character() {
        assert_eq!(cut("aé", 2), "a…");
        assert_eq!(fold(" a \n  b ", 10), "a b");
    }
}
