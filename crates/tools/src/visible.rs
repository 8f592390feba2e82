//! Text from a repository is data. Whatever could steer a terminal or hide in a line is made visible before it is shown.

use std::borrow::Cow;

/// The text with control and direction characters written as escapes: `\u{202e}`. Tabs stay, since they are how
/// source is laid out; a line break does not, since one value is one line.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            c if is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Whether a character acts instead of being seen.
pub(crate) fn is_hidden(c: char) -> bool {
    // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Line and paragraph separator, zero-width space, byte order mark, language tags.
    let hides = matches!(c, '\u{2028}' | '\u{2029}' | '\u{200b}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    turns || hides || (c.is_control() && c != '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_written_out() {
        assert_eq!(visible("plain größe 🙂\tok"), "plain größe 🙂\tok");
        assert_eq!(visible("a\u{1b}[31mred"), "a\\u{1b}[31mred");
        assert_eq!(visible("if admin\u{202e} } \u{2066}"), "if admin\\u{202e} } \\u{2066}");
        assert_eq!(visible("two\r\nlines\u{9b}"), "two\\r\\nlines\\u{9b}");
    }
}
