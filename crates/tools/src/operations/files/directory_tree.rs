//! The directory tree of a list of files, with totals per directory.

use super::FileLine;
use crate::text::number_format::{bytes, plural};
use crate::text::writer::{Cell, Style};
use serde::Serialize;
use std::collections::BTreeMap;

/// A directory or file of the tree, in depth-first order, directories first.
#[derive(Serialize)]
pub(crate) struct TreeLine {
    /// Its path from the root; directories end with `/`.
    path: String,
    /// Its depth below the root of the tree; 0 for the root.
    depth: usize,
    /// Files in it and below; 1 for a file.
    files: u64,
    /// Their lines.
    lines: u64,
    /// Their size in bytes.
    bytes: u64,
}

impl TreeLine {
    /// Puts its path below the name of its root.
    pub(super) fn label(&mut self, root: &str) {
        self.path = format!("{root}/{}", self.path.trim_start_matches("./"));
    }
}

#[derive(Default)]
struct Directory<'a> {
    directories: BTreeMap<&'a str, Directory<'a>>,
    files: Vec<(&'a str, &'a FileLine)>,
}

/// The tree of files down to a depth. Deeper files count in the totals of their directories.
pub(super) fn directory_tree(files: &[FileLine], depth: usize) -> Vec<TreeLine> {
    let mut root = Directory::default();
    for file in files {
        let mut directory = &mut root;
        let mut parts = file.path.split('/');
        let name = parts.next_back().unwrap_or_default();
        for part in parts {
            directory = directory.directories.entry(part).or_default();
        }
        directory.files.push((name, file));
    }
    let mut lines = Vec::new();
    root.list("", 0, depth, &mut lines);
    lines
}

impl Directory<'_> {
    /// Lists a directory and returns its totals.
    fn list(&self, path: &str, depth: usize, max: usize, lines: &mut Vec<TreeLine>) -> (u64, u64, u64) {
        let place = lines.len();
        let shown = depth <= max;
        if shown {
            let path = if path.is_empty() { "./" } else { path }.to_owned();
            lines.push(TreeLine { path, depth, files: 0, lines: 0, bytes: 0 });
        }
        let mut totals = (0, 0, 0);
        for (name, directory) in &self.directories {
            let (files, count, size) = directory.list(&format!("{path}{name}/"), depth + 1, max, lines);
            totals = (totals.0 + files, totals.1 + count, totals.2 + size);
        }
        for (name, file) in &self.files {
            totals = (totals.0 + 1, totals.1 + u64::from(file.lines), totals.2 + file.bytes);
            if depth < max {
                let path = format!("{path}{name}");
                let lines_of_file = u64::from(file.lines);
                lines.push(TreeLine {
                    path,
                    depth: depth + 1,
                    files: 1,
                    lines: lines_of_file,
                    bytes: file.bytes,
                });
            }
        }
        if shown {
            (lines[place].files, lines[place].lines, lines[place].bytes) = totals;
        }
        totals
    }
}

impl TreeLine {
    /// A row of the table: the last part of the path, indented by depth, and the totals.
    pub(super) fn row(&self) -> Vec<Cell> {
        let directory = self.path.ends_with('/');
        let plain = self.path.trim_end_matches('/');
        let name = plain.rsplit_once('/').map_or(plain, |(_, name)| name);
        let name = format!("{}{name}{}", "  ".repeat(self.depth), if directory { "/" } else { "" });
        let files = if directory { plural(self.files, "file", "files") } else { String::new() };
        vec![
            Cell::new(Style::Path, name),
            Cell::number(Style::Plain, files),
            Cell::number(Style::Plain, plural(self.lines, "line", "lines")),
            Cell::number(Style::Plain, bytes(self.bytes)),
        ]
    }
}
