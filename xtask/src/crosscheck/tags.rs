//! Runs Universal Ctags and parses its output.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) kind: String,
}

/// The tags of `files`, all read as `language`, by file and line.
pub(super) fn of(directory: &Path, files: &[&str], language: &str) -> Result<Vec<Tag>> {
    let mut ctags = Command::new("ctags")
        .current_dir(directory)
        .args([
            "--options=NONE",
            "--output-format=json",
            "--fields=+nKe",
            "--extras=-{anonymous}{subparser}",
            "-u",
        ])
        .args([&format!("--language-force={language}"), "-L", "-", "-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start ctags: install Universal Ctags (Debian: universal-ctags)")?;
    let mut names = ctags.stdin.take().context("ctags listens")?;
    let list = files.join("\n");
    let feed = std::thread::spawn(move || names.write_all(list.as_bytes()));
    let done = ctags.wait_with_output().context("ctags ends")?;
    feed.join().ok().context("the list is written")?.context("ctags reads its list")?;
    if !done.status.success() {
        bail!("ctags failed: {}", String::from_utf8_lossy(&done.stderr));
    }
    let mut tags: Vec<Tag> = done.stdout.split(|&byte| byte == b'\n').filter_map(parse).collect();
    tags.sort_by(|a, b| (&a.path, a.line, &a.name, &a.kind).cmp(&(&b.path, b.line, &b.name, &b.kind)));
    tags.dedup();
    Ok(tags)
}

/// A line of its output; names that are not UTF-8 are decoded lossily.
fn parse(line: &[u8]) -> Option<Tag> {
    serde_json::from_str(&String::from_utf8_lossy(line)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_read_from_its_line() {
        let line = br#"{"_type": "tag", "name": "run", "path": "a.x", "pattern": "/^run$/", "line": 3, "kind": "function", "end": 4}"#;
        let tag = parse(line).expect("the line is a tag");
        assert_eq!((tag.name.as_str(), tag.line, tag.kind.as_str()), ("run", 3, "function"));
        assert_eq!(parse(b""), None);
    }
}
