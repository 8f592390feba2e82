//! The lines an edit changes, for people.

/// How many unchanged lines are shown around a change.
const AROUND: usize = 3;

/// The change from one text to another: lines with `-` and `+`, and a few around them.
pub fn diff(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let mut lines = Vec::new();
    let shown = |mark: char, line: &&str| format!("{mark} {line}");
    lines.extend(old[head.saturating_sub(AROUND)..head].iter().map(|line| shown(' ', line)));
    lines.extend(old[head..old.len() - tail].iter().map(|line| shown('-', line)));
    lines.extend(new[head..new.len() - tail].iter().map(|line| shown('+', line)));
    lines.extend(old[old.len() - tail..].iter().take(AROUND).map(|line| shown(' ', line)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_changed_lines_and_a_few_around_are_shown() {
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
