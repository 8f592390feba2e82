//! Parsing of unified diffs: the changed lines of each file, numbered as in the new version.

use std::collections::BTreeMap;

/// The changes of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileDiff {
    /// New and modified lines, in order.
    pub(crate) lines: Vec<u32>,
    /// Where lines were deleted: the number of the line that follows.
    pub(crate) gaps: Vec<u32>,
    /// Whether the file was removed.
    pub(crate) removed: bool,
    /// The removed lines with their numbers in the old version. Only a diff has them.
    pub(crate) old_lines: Vec<(u32, String)>,
    /// The old path of a renamed file. Only a diff has it.
    pub(crate) old_path: Option<String>,
}

/// The files of a diff by their new path; by the old one if the file was removed.
pub(crate) fn parse(text: &str) -> BTreeMap<String, FileDiff> {
    let mut files: BTreeMap<String, FileDiff> = BTreeMap::new();
    let mut before = String::new();
    let mut current: Option<String> = None;
    let mut hunk = Hunk::default();
    for line in text.lines() {
        if hunk.old_left > 0 || hunk.new_left > 0 {
            let changed = current.as_ref().and_then(|path| files.get_mut(path));
            hunk.take(line, changed);
            continue;
        }
        if let Some(path) = line.strip_prefix("--- ") {
            before = stripped(path);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let after = stripped(path);
            let removed = after == "/dev/null";
            let path = if removed { before.clone() } else { after };
            let file = files.entry(path.clone()).or_default();
            file.removed = removed;
            file.old_path = Some(before.clone()).filter(|before| *before != path && before != "/dev/null");
            current = Some(path);
        } else if let Some(path) = line.strip_prefix("rename to ") {
            files.entry(unquoted(path)).or_default();
        } else if let Some(header) = line.strip_prefix("@@ ") {
            hunk = Hunk::parse(header).unwrap_or_default();
        }
    }
    files
}

#[derive(Default)]
struct Hunk {
    old_left: u32,
    new_left: u32,
    line: u32,
    old_line: u32,
}

impl Hunk {
    /// `-1,2 +3,4 @@ …`
    fn parse(header: &str) -> Option<Self> {
        let mut parts = header.split(' ');
        let (old_line, old_left) = range(parts.next()?.strip_prefix('-')?)?;
        let (first, new_left) = range(parts.next()?.strip_prefix('+')?)?;
        // For an empty side the header names the line before.
        Some(Self { old_left, new_left, old_line, line: if new_left == 0 { first + 1 } else { first } })
    }

    fn take(&mut self, line: &str, changed: Option<&mut FileDiff>) {
        let (mut lines, mut gaps, mut old_lines) = (Vec::new(), Vec::new(), Vec::new());
        match line.as_bytes().first() {
            Some(b'+') => {
                lines.push(self.line);
                self.line += 1;
                self.new_left = self.new_left.saturating_sub(1);
            }
            Some(b'-') => {
                gaps.push(self.line);
                old_lines.push((self.old_line, line[1..].to_owned()));
                self.old_line += 1;
                self.old_left = self.old_left.saturating_sub(1);
            }
            Some(b'\\') => {}
            _ => {
                self.line += 1;
                self.old_line += 1;
                self.old_left = self.old_left.saturating_sub(1);
                self.new_left = self.new_left.saturating_sub(1);
            }
        }
        if let Some(changed) = changed {
            changed.lines.extend(lines);
            changed.gaps.extend(gaps);
            changed.gaps.dedup();
            changed.old_lines.extend(old_lines);
        }
    }
}

fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// The prefixes that git puts before paths: old and new, or index, working tree, commit, object.
const PREFIXES: &str = "abiwco";

/// A path without the prefix `a/` or `b/` and without the time stamp.
fn stripped(written: &str) -> String {
    let path = unquoted(written.split('\t').next().unwrap_or_default().trim_end());
    if path == "/dev/null" {
        return path;
    }
    match path.split_once('/') {
        Some((side, rest)) if side.len() == 1 && PREFIXES.contains(side) => rest.to_owned(),
        _ => path,
    }
}

/// Decodes a path that git quoted: `"caf\303\251.c"`.
fn unquoted(written: &str) -> String {
    let Some(inner) = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return written.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        if let [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..] = rest {
            bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
            rest = tail;
        } else if let [escaped, tail @ ..] = rest {
            bytes.push(match escaped {
                b't' => b'\t',
                b'n' => b'\n',
                other => *other,
            });
            rest = tail;
        }
    }
    orient_model::RepoPath::new(bytes).display().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_have_the_numbers_of_the_new_version() {
        let text = "\
diff --git a/src/a.c b/src/a.c
index 1..2 100644
--- a/src/a.c
+++ b/src/a.c
@@ -1,4 +1,5 @@ int f()
 one
-two
+TWO
+more
 three
 four
@@ -10,2 +11 @@
 ten
--- a line of code that begins so
";
        let files = parse(text);
        let changed = &files["src/a.c"];
        assert_eq!((&changed.lines[..], &changed.gaps[..]), (&[2, 3][..], &[2, 12][..]));
        assert!(!changed.removed);
        let old: Vec<_> = changed.old_lines.iter().map(|(line, text)| (*line, text.as_str())).collect();
        assert_eq!(old, [(2, "two"), (11, "-- a line of code that begins so")]);
    }

    #[test]
    fn added_removed_and_renamed_files_are_listed() {
        let text = "\
--- /dev/null
+++ b/new.c
@@ -0,0 +1,2 @@
+one
+two
--- a/old.c\t2026-01-01
+++ /dev/null
@@ -1 +0,0 @@
-gone
rename from a.c
rename to \"caf\\303\\251.c\"
";
        let files = parse(text);
        assert_eq!(files["new.c"].lines, [1, 2]);
        assert!(files["old.c"].removed);
        assert!(files.contains_key("café.c"));
        assert_eq!(files.len(), 3);
        assert!(parse("no diff at all\n@@ nonsense\n").is_empty());
    }
}
