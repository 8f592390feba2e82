//! Text from a repository is data. Whatever could steer a terminal or hide in a line is made visible before it is shown.

use std::borrow::Cow;

/// The text with control and direction characters written as escapes: `\u{202e}`. Tabs stay, since they are how
/// source is laid out; a line break does not, since one value is one line.
pub fn visible(text: &str) -> Cow<'_, str> {
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

/// The same for whole lines of bytes in colours: what chooses a colour stays, and so do the ends of lines.
pub(crate) fn visible_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let acts = |c: char| is_hidden(c) && c != '\n';
    if str::from_utf8(bytes).is_ok_and(|text| !text.chars().any(acts)) {
        return Cow::Borrowed(bytes);
    }
    let mut shown = Vec::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| acts(c)) {
            shown.extend_from_slice(&rest.as_bytes()[..at]);
            rest = &rest[at..];
            let length = colour(rest).unwrap_or(0);
            if length == 0 {
                shown.extend(c.escape_unicode().to_string().bytes());
                rest = &rest[c.len_utf8()..];
            } else {
                shown.extend_from_slice(&rest.as_bytes()[..length]);
                rest = &rest[length..];
            }
        }
        shown.extend_from_slice(rest.as_bytes());
        shown.extend(chunk.invalid().iter().flat_map(|byte| format!("\\x{byte:02x}").into_bytes()));
    }
    Cow::Owned(shown)
}

/// The length of a sequence at the start that does nothing but choose a colour.
fn colour(text: &str) -> Option<usize> {
    let behind = text.strip_prefix("\u{1b}[")?;
    let end = behind.find(|c: char| !matches!(c, '0'..='9' | ';'))?;
    behind[end..].starts_with('m').then_some(end + 3)
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

    #[test]
    fn of_bytes_only_colours_act() {
        let shown = |bytes: &[u8]| String::from_utf8(visible_bytes(bytes).into_owned());
        assert_eq!(shown(b"a\x1b[1;31mb\x1b[0m\n").as_deref(), Ok("a\u{1b}[1;31mb\u{1b}[0m\n"));
        assert_eq!(
            shown(b"a\x1b[2Jb\x1b]0;x\x07\xff\n").as_deref(),
            Ok("a\\u{1b}[2Jb\\u{1b}]0;x\\u{7}\\xff\n")
        );
    }
}
