//! Splits answers into the text inside and outside of Markdown fences.

/// The lines outside of fences. As in `CommonMark`, a fence ends with a line of at least as many backticks.
pub(crate) fn outside(text: &str) -> Vec<&str> {
    let mut fence: Option<usize> = None;
    let mut outside = Vec::new();
    for line in text.lines() {
        let bare = line.trim_start_matches(' ');
        let ticks = bare.len() - bare.trim_start_matches('`').len();
        match fence {
            Some(length) if ticks >= length && bare.trim_matches(['`', ' ']).is_empty() => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(ticks),
            None => outside.push(line),
        }
    }
    assert!(fence.is_none(), "a fence without an end: {text}");
    outside
}

/// Whether a character is an invisible control or formatting character.
pub(crate) fn is_control(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e0fff}')
}

/// Checks that everything outside of fences is Orient's own text: known line beginnings, bounded length, no markup.
#[track_caller]
pub(crate) fn assert_inert(what: &str, text: &str) {
    const OWN: &[&str] = &[
        "[complete",
        "[partial: ",
        "note: ",
        "error (",
        "next: ",
        "nothing ",
        "much like it",
        "no exact match; ",
        "no symbol is named ",
        "no symbol matches",
        "introduced by",
        "every commit that added or removed it",
        "no commit ",
        "older commits were left out",
        "the current commit ",
        "other changed files",
        "task ",
        "decision: ",
        "refused: ",
        "- ",
        "unknown slots: ",
        "risk ",
        "explore the repository first",
        "run the tests: ",
        "step ",
        "ended tasks: ",
        "symbols",
        "change together, without an edge between them",
        "(lines ",
        "(the same answer",
        "`",
    ];
    assert!(!text.contains(is_control), "{what}: {text}");
    for line in outside(text) {
        assert!(OWN.iter().any(|own| line.starts_with(own)), "{what}: {line}\n{text}");
        assert!(line.chars().count() < 700, "{what}: {line}");
        for marker in ["``", "<system", "</", "<!", "]("] {
            assert!(!line.contains(marker), "{what}: {line}");
        }
    }
}
