//! Unified diffs of hunks.

use orient_history::{Hunk, lines};

/// Lines of context around a hunk.
const CONTEXT: u32 = 3;

/// The hunks of two texts in the unified format, without file names. Nearby hunks share their context.
pub(crate) fn unified(before: &[u8], after: &[u8], hunks: &[Hunk]) -> String {
    let (old, new) = (lines(before), lines(after));
    let mut text = String::new();
    let mut at = 0;
    while let Some(first) = hunks.get(at) {
        let mut end = at + 1;
        while hunks.get(end).is_some_and(|next| next.before.start <= hunks[end - 1].before.end + 2 * CONTEXT)
        {
            end += 1;
        }
        let last = &hunks[end - 1];
        let lead = first.before.start.min(first.after.start).min(CONTEXT);
        let remaining = (old.len() as u32).saturating_sub(last.before.end);
        let trail = remaining.min(CONTEXT);
        let (old_start, new_start) = (first.before.start - lead, first.after.start - lead);
        let (old_count, new_count) =
            (last.before.end + trail - old_start, last.after.end + trail - new_start);
        let place = format!("@@ -{},{old_count} +{},{new_count} @@\n", old_start + 1, new_start + 1);
        text.push_str(&place);
        let mut line = old_start;
        for hunk in &hunks[at..end] {
            push(&mut text, ' ', &old, line..hunk.before.start);
            push(&mut text, '-', &old, hunk.before.clone());
            push(&mut text, '+', &new, hunk.after.clone());
            line = hunk.before.end;
        }
        push(&mut text, ' ', &old, line..last.before.end + trail);
        at = end;
    }
    text
}

fn push(text: &mut String, sign: char, lines: &[&[u8]], range: std::ops::Range<u32>) {
    for line in lines.get(range.start as usize..range.end as usize).unwrap_or_default() {
        text.push(sign);
        text.push_str(String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']));
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_history::hunks;

    #[test]
    fn unified_diff_has_context_and_counts() {
        let before = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
        let after = b"1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n";
        let text = unified(before, after, &hunks(before, after));
        assert_eq!(text, "@@ -2,9 +2,10 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n+11\n");
        assert_eq!(unified(b"", b"a\n", &hunks(b"", b"a\n")), "@@ -1,0 +1,1 @@\n+a\n");
    }
}
