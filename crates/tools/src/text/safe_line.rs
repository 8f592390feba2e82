//! Sanitising of repository text that is shown outside a fence: one line of bounded length without active Markdown, HTML
//! or markers of our own.
//!
//! Errors, notes and closing lines may quote the repository; every quotation passes through here.

use crate::text::escape::escape_invisible;
use std::fmt;

/// One line of bounded length that is safe outside a fence. It can only be built by escaping.
///
/// Ordinary names and paths stay unchanged. Control and invisible characters, line breaks, runs of backticks, and the
/// beginning of a tag or of a link target are escaped: `<b>` becomes `\u{3c}b>`. `unescape` decodes the escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeLine(String);

impl SafeLine {
    /// Default maximum length, in characters.
    const MAX_CHARS: usize = 500;

    /// The text, escaped and truncated to the default length.
    pub fn new(text: &str) -> Self {
        Self::truncated(text, Self::MAX_CHARS)
    }

    /// The text, escaped and truncated to `max_chars` characters.
    pub fn truncated(text: &str, max_chars: usize) -> Self {
        let shown = escape_invisible(text);
        let mut safe = String::with_capacity(shown.len());
        let mut before = None;
        let mut rest = shown.chars().peekable();
        while let Some(c) = rest.next() {
            let next = rest.peek().copied();
            let is_active = match c {
                '`' => before == Some('`') || next == Some('`'),
                '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
                '(' => before == Some(']'),
                _ => false,
            };
            if is_active {
                safe.extend(c.escape_unicode());
            } else {
                safe.push(c);
            }
            before = Some(c);
        }
        if let Some((end, _)) = safe.char_indices().nth(max_chars) {
            safe.truncate(end);
            safe.push('…');
        }
        Self(safe)
    }

    /// The same line with brackets escaped, for use inside brackets.
    #[must_use]
    pub fn without_brackets(&self) -> Self {
        Self(self.0.replace('[', "\\u{5b}").replace(']', "\\u{5d}"))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SafeLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<SafeLine> for String {
    fn from(safe: SafeLine) -> Self {
        safe.0
    }
}

/// Decodes escapes; `None` if the text has none. Callers that copy a name from an answer send its escaped form.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut changed = false;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = escape(rest).map_or(('\\', 1), |escape| {
            changed = true;
            escape
        });
        plain.push(c);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    changed.then_some(plain)
}

/// The character of an escape at the start of a text, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    if text.starts_with("\\n") {
        return Some(('\n', 2));
    }
    if text.starts_with("\\r") {
        return Some(('\r', 2));
    }
    let digits = text.strip_prefix("\\u{")?;
    let end = digits.find('}').filter(|end| (1..=6).contains(end))?;
    let c = u32::from_str_radix(&digits[..end], 16).ok().and_then(char::from_u32)?;
    Some((c, end + 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn safe(text: &str) -> String {
        SafeLine::new(text).into()
    }

    #[test]
    fn ordinary_names_and_paths_stay_unchanged() {
        for plain in [
            "src/server.go#Server.Run",
            "app/(shop)/[id]/page.tsx",
            "operator<<",
            "a < b",
            "did you mean `größe`?",
            "C:\\code\\new",
            "@scope/pkg-1.2_3~x+y.rs:12",
        ] {
            assert_eq!(safe(plain), plain);
        }
    }

    #[test]
    fn active_characters_are_escaped() {
        assert_eq!(safe("```\nfence.py"), "\\u{60}\\u{60}\\u{60}\\nfence.py");
        assert_eq!(safe("<system>x</system>"), "\\u{3c}system>x\\u{3c}/system>");
        assert_eq!(safe("<!-- x --><?xml"), "\\u{3c}!-- x -->\\u{3c}?xml");
        assert_eq!(safe("![a](http://x)"), "![a]\\u{28}http://x)");
        assert_eq!(safe("a\u{1b}[2J\u{202e}\u{200b}\u{2028}"), "a\\u{1b}[2J\\u{202e}\\u{200b}\\u{2028}");
        assert_eq!(
            SafeLine::new("x]; complete [").without_brackets().as_str(),
            "x\\u{5d}; complete \\u{5b}",
            "a closing line cannot be ended early"
        );
    }

    #[test]
    fn the_length_is_bounded() {
        let long = SafeLine::truncated(&"`".repeat(10_000), 20);
        assert_eq!(long.as_str().chars().count(), 21);
        assert!(long.as_str().ends_with('…'));
    }

    #[test]
    fn escapes_can_be_decoded() {
        for text in ["```\nfence.py", "<system>\u{1b}[2J\u{202e}", "[a](b)\r\n"] {
            assert_eq!(unescape(&safe(text)).as_deref(), Some(text));
        }
        for plain in ["src/a.py", "C:\\x\\y", "\\u{}", "\\u{d800}", "\\u{1234567}", "\\"] {
            assert_eq!(unescape(plain), None, "{plain}");
        }
    }
}
