//! Upper bound of the indentation depth of a text, for parsers that abort the process when their fixed-size stack of
//! levels is full.

/// Whether a text may nest deeper than `most` levels. Never underestimates: strings, comments and brackets count as well,
/// because a parser that recovers from an error may take them for structure.
///
/// Example: `a:` / `  - b:` / `    - c` has at most 1 + 2 + 2 levels open on its last line: one for each line, and one for
/// each `-` or `:` before white space.
pub(crate) fn may_exceed(text: &[u8], most: usize) -> bool {
    // Enclosing lines: the column where each begins, and the number of levels it may have opened.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0;
    for line in text.split(|&byte| matches!(byte, b'\n' | b'\r')) {
        let Some(column) = line.iter().position(|byte| !byte.is_ascii_whitespace()) else { continue };
        let mut levels = 1 + indicators(line);
        while let Some(&(at, opened)) = open.last().filter(|(at, _)| *at >= column) {
            // A list may begin in the column of its key: two levels at one column.
            levels += usize::from(at == column && opened > 0);
            depth -= opened;
            open.pop();
        }
        open.push((column, levels));
        depth += levels;
        if depth > most {
            return true;
        }
    }
    false
}

/// Characters that may open a level: `-`, `?`, `:`, `|` and `>` before white space or the end of the line.
fn indicators(line: &[u8]) -> usize {
    let ends = |at: usize| line.get(at + 1).is_none_or(u8::is_ascii_whitespace);
    let opens = |&(at, byte): &(usize, &u8)| matches!(byte, b'-' | b'?' | b':' | b'|' | b'>') && ends(at);
    line.iter().enumerate().filter(opens).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(levels: usize) -> Vec<u8> {
        (0..levels).flat_map(|level| format!("{}a:\n", " ".repeat(level)).into_bytes()).collect()
    }

    #[test]
    fn a_flat_text_never_exceeds_the_limit() {
        let flat = b"a: 1\nb:\n- x\n- y\nc:\n  d: e\n".repeat(1000);
        assert!(!may_exceed(&flat, 20));
    }

    #[test]
    fn each_deeper_line_is_a_level() {
        assert!(!may_exceed(&nested(10), 20));
        assert!(may_exceed(&nested(300), 200));
    }

    #[test]
    fn several_levels_may_open_on_one_line() {
        assert!(may_exceed(&b"- ".repeat(300), 200));
        assert!(!may_exceed(&b"- a\n".repeat(300), 200));
    }
}
