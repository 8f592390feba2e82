//! A line diff of one edit, for display.

/// Number of unchanged lines shown before and after a change.
const CONTEXT: usize = 3;

/// The lines between the common prefix and the common suffix of two texts, marked with `-` and `+`, and their context.
pub fn diff(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let mut lines = Vec::new();
    let shown = |mark: char, line: &&str| format!("{mark} {line}");
    lines.extend(old[head.saturating_sub(CONTEXT)..head].iter().map(|line| shown(' ', line)));
    lines.extend(old[head..old.len() - tail].iter().map(|line| shown('-', line)));
    lines.extend(new[head..new.len() - tail].iter().map(|line| shown('+', line)));
    lines.extend(old[old.len() - tail..].iter().take(CONTEXT).map(|line| shown(' ', line)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_shown_with_context() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n";
        assert_eq!(
            diff(before, "1\n2\n3\n4\nx\n5\n6\n7\n8\n"),
            ["  2", "  3", "  4", "+ x", "  5", "  6", "  7"]
        );
        assert_eq!(diff(before, "1\n2\n3\n4\n5\n6\n7\n9\n"), ["  5", "  6", "  7", "- 8", "+ 9"]);
        assert_eq!(diff("", "a\nb\n"), ["+ a", "+ b"]);
        assert_eq!(diff("a\na\n", "a\n"), ["  a", "- a"]);
        assert_eq!(diff("a\n", "a\n"), ["  a"]);
    }
}
