//! The page of a directory: its directories and files with their sizes.

use super::{FilesData, TreeData, revision_argument};
use crate::ask::Asked;
use crate::response::View;
use crate::routes::PageContext;
use crate::{layout, urls};
use maud::html;
use orient_tools::{ToolError, bytes, count};
use serde_json::json;

/// Maximum number of entries on a page.
const MAX_ENTRIES: usize = 2000;

pub(crate) fn page(context: &PageContext<'_>, path: &str, revision: &str) -> Result<View, ToolError> {
    let arguments = json!({
        "glob": if path.is_empty() { json!(null) } else { json!(path) },
        "tree": true,
        "depth": super::depth_of(path) + 1,
        "at": revision_argument(revision),
    });
    let found = context.asker.ask::<FilesData>(Asked::Files, arguments)?;
    let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
    let entries: Vec<&TreeData> =
        found.data.tree.iter().filter(|entry| is_child(&entry.path, &prefix)).collect();
    let most = entries.iter().map(|entry| entry.lines).max().unwrap_or(0);
    let title = if path.is_empty() { context.asker.root_name() } else { path.to_owned() };
    let body = html! {
        div.pagehead {
            (layout::breadcrumbs(path, revision))
            div.actions { a href=(urls::map(path)) { "Map" } }
        }
        (layout::notes(&found.metadata))
        @if entries.is_empty() {
            (layout::empty("This directory has no indexed files.", &html! {
                p.dim { "Ignored, binary and very large files are not indexed." }
            }))
        } @else {
            table.listing {
                caption.hidden { "Entries of " (title) }
                thead { tr { th scope="col" { "Name" } th.num scope="col" { "Lines" } th.wide { } th.num scope="col" { "Files" } th.num scope="col" { "Size" } } }
                tbody {
                    @for entry in entries.iter().take(MAX_ENTRIES) {
                        tr {
                            td { a.(if entry.path.ends_with('/') { "dir" } else { "file" }) href=(urls::code(&entry.path, revision)) data-item { (&entry.path[prefix.len()..]) } }
                            td.num { (count(entry.lines)) }
                            td.wide { (layout::bar(entry.lines, most)) }
                            td.num { @if entry.path.ends_with('/') { (count(entry.files)) } }
                            td.num { (bytes(entry.bytes)) }
                        }
                    }
                }
            }
            @if entries.len() > MAX_ENTRIES {
                p.dim { (count((entries.len() - MAX_ENTRIES) as u64)) " more entries are not listed; search for them by name." }
            }
        }
    };
    Ok(View::Page { title, section: "code", body })
}

/// Whether a path is directly inside of a directory.
fn is_child(path: &str, prefix: &str) -> bool {
    let rest = path.strip_prefix(prefix).unwrap_or_default();
    !rest.is_empty() && rest != "./" && !rest.trim_end_matches('/').contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_direct_entries_are_listed() {
        assert!(is_child("src/", "") && is_child("src/a.rs", "src/") && is_child("src/b/", "src/"));
        assert!(!is_child("src/", "src/") && !is_child("./", "") && !is_child("src/b/c.rs", "src/"));
        assert!(!is_child("lib/a.rs", "src/"));
    }
}
