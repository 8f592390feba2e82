//! Escaping of control and invisible characters, so that repository text cannot control a terminal or hide in a line.

use std::borrow::Cow;

/// The text with control, direction and invisible characters as escapes: `\u{202e}`. Tabs stay, since source is indented
/// with them; line breaks are escaped, since one value is one line.
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            c if is_invisible(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// The same for coloured output: colour sequences and line breaks stay, and bytes that are not UTF-8 become `\xNN`.
pub(crate) fn escape_invisible_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_escaped = |c: char| is_invisible(c) && c != '\n';
    if str::from_utf8(bytes).is_ok_and(|text| !text.chars().any(is_escaped)) {
        return Cow::Borrowed(bytes);
    }
    let mut shown = Vec::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| is_escaped(c)) {
            shown.extend_from_slice(&rest.as_bytes()[..at]);
            rest = &rest[at..];
            let length = colour_sequence(rest).unwrap_or(0);
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

/// The length of a colour sequence (SGR) at the start of a text.
fn colour_sequence(text: &str) -> Option<usize> {
    let behind = text.strip_prefix("\u{1b}[")?;
    let end = behind.find(|c: char| !matches!(c, '0'..='9' | ';'))?;
    behind[end..].starts_with('m').then_some(end + 3)
}

/// Whether a character is invisible or controls the display.
pub(crate) fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && c != '\t';
    }
    // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let separates = matches!(c, '\u{2028}' | '\u{2029}');
    // Zero-width spaces and joiners, soft hyphens, invisible operators, fillers, annotations, the byte order mark.
    let has_no_width = matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
    );
    // Language tags and variation selectors can carry text nobody sees. The two that choose between a letter and a
    // picture are common in ordinary text.
    let selects = matches!(c, '\u{fe00}'..='\u{fe0d}' | '\u{e0000}'..='\u{e0fff}');
    turns || separates || has_no_width || selects || c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_invisible_characters_are_escaped() {
        assert_eq!(escape_invisible("plain größe 🙂\tok"), "plain größe 🙂\tok");
        assert_eq!(escape_invisible("a\u{1b}[31mred"), "a\\u{1b}[31mred");
        assert_eq!(escape_invisible("if admin\u{202e} } \u{2066}"), "if admin\\u{202e} } \\u{2066}");
        assert_eq!(escape_invisible("two\r\nlines\u{9b}"), "two\\r\\nlines\\u{9b}");
        assert_eq!(escape_invisible("a\u{200d}b\u{2060}c\u{ad}"), "a\\u{200d}b\\u{2060}c\\u{ad}");
        assert_eq!(escape_invisible("\u{e0049}\u{e0101}\u{fe01}"), "\\u{e0049}\\u{e0101}\\u{fe01}");
        assert_eq!(escape_invisible("warning \u{26a0}\u{fe0f}"), "warning \u{26a0}\u{fe0f}");
    }

    #[test]
    fn only_colour_sequences_stay_in_coloured_output() {
        let shown = |bytes: &[u8]| String::from_utf8(escape_invisible_bytes(bytes).into_owned());
        assert_eq!(shown(b"a\x1b[1;31mb\x1b[0m\n").as_deref(), Ok("a\u{1b}[1;31mb\u{1b}[0m\n"));
        assert_eq!(
            shown(b"a\x1b[2Jb\x1b]0;x\x07\xff\n").as_deref(),
            Ok("a\\u{1b}[2Jb\\u{1b}]0;x\\u{7}\\xff\n")
        );
    }
}
