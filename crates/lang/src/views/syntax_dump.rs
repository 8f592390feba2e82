//! The syntax tree of a file as text, for authors of packs.

use crate::extract;
use crate::pack::Pack;
use orient_grammars::TreeCursor;
use std::fmt::Write;

/// Maximum number of characters of a leaf.
const LEAF_CAP: usize = 60;

/// The tree that the pack's node table or queries see: a line for each node, with its field, lines and text. None without a
/// grammar.
pub fn syntax(pack: &Pack, bytes: &[u8]) -> Option<String> {
    let tree = extract::tree(pack, bytes)?;
    let mut out = String::new();
    let mut cursor = tree.walk();
    let mut depth = 0;
    let breaks: Vec<usize> = memchr::memchr_iter(b'\n', bytes).collect();
    loop {
        show(&mut out, &cursor, depth, bytes, &breaks);
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(out);
            }
            depth -= 1;
        }
    }
}

fn show(out: &mut String, cursor: &TreeCursor<'_>, depth: usize, bytes: &[u8], breaks: &[usize]) {
    let node = cursor.node();
    let _ = write!(out, "{:1$}", "", depth * 2);
    if let Some(field) = cursor.field_name() {
        let _ = write!(out, "{field}: ");
    }
    let missing = if node.is_missing() { " MISSING" } else { "" };
    let kind = if node.is_named() { node.kind().to_owned() } else { format!("{:?}", node.kind()) };
    // Counted in the source: the parser may have seen fewer lines.
    let line = |at: usize| breaks.partition_point(|&line_break| line_break < at) + 1;
    let _ = write!(out, "{kind}{missing} {}-{}", line(node.start_byte()), line(node.end_byte()));
    if node.child_count() == 0 && node.is_named() {
        let text = bytes.get(node.byte_range()).unwrap_or_default();
        let text: String = String::from_utf8_lossy(text).chars().take(LEAF_CAP).collect();
        let _ = write!(out, " {text:?}");
    }
    out.push('\n');
}
