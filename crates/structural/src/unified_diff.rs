//! A unified diff of edits to one text.

use std::fmt::Write;
use std::ops::Range;

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// The replacement of a range of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes replaced.
    pub range: Range<usize>,
    /// The new text.
    pub inserted: String,
}

/// A changed run of lines: the lines before, numbered from 0, and the lines after.
struct Change {
    old: Range<usize>,
    new: Vec<String>,
}

/// The unified diff of a text and the same text with the edits applied; empty if nothing changes. An edit that overlaps an
/// earlier one is left out, as a second run would find it again.
///
/// Example: replacing `a` by `x` in `a\nb\n` gives `@@ -1,2 +1,2 @@`, `-a`, `+x`, ` b`.
pub fn unified_diff(path: &str, text: &str, edits: &[TextEdit]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let changes = changes(text, &lines, edits);
    let mut diff = String::new();
    if changes.is_empty() {
        return diff;
    }
    let _ = write!(diff, "--- a/{path}\n+++ b/{path}\n");
    // How many lines earlier hunks have added.
    let mut shift = 0_isize;
    let mut rest = changes.as_slice();
    while let Some(first) = rest.first() {
        let mut count = 1;
        while rest.get(count).is_some_and(|next| next.old.start <= rest[count - 1].old.end + 2 * CONTEXT) {
            count += 1;
        }
        let (hunk, later) = rest.split_at(count);
        let start = first.old.start.saturating_sub(CONTEXT);
        let end = (hunk[count - 1].old.end + CONTEXT).min(lines.len());
        shift += write_hunk(&mut diff, &lines, start..end, hunk, shift);
        rest = later;
    }
    diff
}

/// Writes a hunk; returns how many lines it adds.
fn write_hunk(
    diff: &mut String,
    lines: &[&str],
    span: Range<usize>,
    changes: &[Change],
    shift: isize,
) -> isize {
    let mut body = String::new();
    let mut at = span.start;
    let mut added = 0_isize;
    for change in changes {
        lines[at..change.old.start].iter().for_each(|line| put(&mut body, ' ', line));
        lines[change.old.clone()].iter().for_each(|line| put(&mut body, '-', line));
        change.new.iter().for_each(|line| put(&mut body, '+', line));
        added += change.new.len().cast_signed() - change.old.len().cast_signed();
        at = change.old.end;
    }
    lines[at..span.end].iter().for_each(|line| put(&mut body, ' ', line));
    let old = span.len();
    let new = old.saturating_add_signed(added);
    // An empty side is numbered by the line before it.
    let first =
        |count: usize, shift: isize| (span.start + usize::from(count > 0)).saturating_add_signed(shift);
    let _ = writeln!(diff, "@@ -{},{old} +{},{new} @@", first(old, 0), first(new, shift));
    diff.push_str(&body);
    added
}

fn put(body: &mut String, mark: char, line: &str) {
    body.push(mark);
    body.push_str(line);
    if !line.ends_with('\n') {
        body.push_str("\n\\ No newline at end of file\n");
    }
}

/// The changed runs of lines in order.
fn changes(text: &str, lines: &[&str], edits: &[TextEdit]) -> Vec<Change> {
    let mut starts = Vec::with_capacity(lines.len() + 1);
    let mut offset = 0;
    for line in lines {
        starts.push(offset);
        offset += line.len();
    }
    starts.push(offset);
    let line_at =
        |byte: usize| starts.partition_point(|start| *start <= byte).saturating_sub(1).min(lines.len());
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
    // Runs of lines with the edits in them.
    let mut runs: Vec<(Range<usize>, Vec<&TextEdit>)> = Vec::new();
    let mut done = 0;
    for edit in sorted {
        let fits = edit.range.start >= done && text.get(edit.range.clone()).is_some();
        if !fits || text[edit.range.clone()] == *edit.inserted {
            continue;
        }
        done = edit.range.end.max(edit.range.start + 1);
        let first = line_at(edit.range.start);
        let last = line_at(edit.range.end.saturating_sub(1).max(edit.range.start)) + 1;
        match runs.last_mut() {
            Some((lines, edits)) if first < lines.end => {
                lines.end = lines.end.max(last);
                edits.push(edit);
            }
            _ => runs.push((first..last.min(lines.len()), vec![edit])),
        }
    }
    runs.into_iter().map(|(span, edits)| change(text, &starts, span, &edits)).collect()
}

fn change(text: &str, starts: &[usize], span: Range<usize>, edits: &[&TextEdit]) -> Change {
    let mut new = String::new();
    let mut at = starts[span.start];
    for edit in edits {
        new.push_str(&text[at..edit.range.start]);
        new.push_str(&edit.inserted);
        at = edit.range.end;
    }
    new.push_str(&text[at..starts[span.end].max(at)]);
    Change { old: span, new: new.split_inclusive('\n').map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: Range<usize>, inserted: &str) -> TextEdit {
        TextEdit { range, inserted: inserted.to_owned() }
    }

    #[test]
    fn a_change_is_shown_with_three_lines_of_context() {
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let diff = unified_diff("a.txt", text, &[edit(8..9, "five\nand a half")]);
        let hunk = "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+and a half\n 6\n 7\n 8\n";
        assert_eq!(diff, format!("--- a/a.txt\n+++ b/a.txt\n{hunk}"));
    }

    #[test]
    fn distant_changes_are_hunks_of_their_own_and_count_the_lines_before() {
        let text = (0..20).map(|number| format!("{number:02}\n")).collect::<Vec<_>>().concat();
        let diff = unified_diff("n", &text, &[edit(3..5, "x\ny"), edit(48..50, "z")]);
        assert!(diff.contains("@@ -1,5 +1,6 @@\n") && diff.contains("@@ -14,7 +15,7 @@\n"), "{diff}");
    }

    #[test]
    fn an_edit_inside_an_edit_is_left_out() {
        let diff = unified_diff("n", "f(f(1))\n", &[edit(0..7, "g(f(1))"), edit(2..6, "g(1)")]);
        assert!(diff.contains("+g(f(1))\n") && !diff.contains("g(g"), "{diff}");
        assert_eq!(unified_diff("n", "f\n", &[edit(0..1, "f")]), "");
    }

    #[test]
    fn git_applies_the_diff_of_a_text_without_a_last_newline() {
        let diff = unified_diff("n", "a\nb", &[edit(2..3, "c")]);
        assert!(
            diff.ends_with("-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"),
            "{diff}"
        );
    }
}
