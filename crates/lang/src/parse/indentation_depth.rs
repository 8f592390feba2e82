//! How deep a text nests by indentation, for parsers that keep their levels in a buffer of fixed size and end the process
//! when it is full.

/// Whether a text may nest deeper than `most` levels. Errs on the side of yes: what stands in strings, comments and brackets
/// counts as well, since a parser that recovers from an error may take it for structure.
pub(crate) fn may_exceed(text: &[u8], most: usize) -> bool {
    // Lines that are still open: where each begins, and how many levels it may have opened.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0;
    for line in text.split(|&byte| matches!(byte, b'\n' | b'\r')) {
        let Some(column) = line.iter().position(|byte| !byte.is_ascii_whitespace()) else { continue };
        let mut levels = 1 + indicators(line);
        while let Some(&(at, opened)) = open.last().filter(|(at, _)| *at >= column) {
            // A list may stand right under its key: two levels at one column.
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
    fn what_is_flat_never_exceeds() {
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
