//! The code page: a directory, or a file with its names linked to their definitions.

mod card;
mod directory;
mod file;
mod name_links;
mod source_text;
mod uses;

pub(crate) use card::card_page;
pub(crate) use source_text::{LineStyle, SourceText, occurrences};

use crate::ask::{Asked, Asker};
use crate::layout;
use crate::response::View;
use crate::routes::PageContext;
use maud::html;
use orient_tools::{Code, ToolError, bytes};
use serde::Deserialize;
use serde_json::{Value, json};

/// Number of lines of a file on one page.
const WINDOW_LINES: u32 = 2000;

/// The first line of the page that shows a line of a long file.
pub(crate) fn window_of_line(line: u32) -> u32 {
    line.saturating_sub(1) / WINDOW_LINES * WINDOW_LINES + 1
}

/// A file in a list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FileData {
    pub(crate) path: String,
    pub(crate) language: Option<String>,
    pub(crate) role: String,
    pub(crate) lines: u32,
    pub(crate) bytes: u64,
    pub(crate) skipped: Option<String>,
    pub(crate) issues: u32,
}

/// The answer of the list of files.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FilesData {
    pub(crate) files: Vec<FileData>,
    pub(crate) tree: Vec<TreeData>,
}

/// A directory or file of a tree.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TreeData {
    /// Ends with a slash for a directory.
    pub(crate) path: String,
    pub(crate) depth: u32,
    pub(crate) files: u64,
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
}

/// How many directories are around what is in a directory.
pub(crate) fn depth_of(directory: &str) -> usize {
    directory.split('/').filter(|part| !part.is_empty()).count()
}

/// The revision of a request as an argument.
pub(crate) fn revision_argument(revision: &str) -> Value {
    if revision.is_empty() { Value::Null } else { json!(revision) }
}

/// What is at a path.
enum AtPath {
    File(Box<FileData>),
    Directory,
    /// Found, but not read: binary, too large.
    Skipped(Box<FileData>),
}

/// The page of a file or directory.
pub(crate) fn page(context: &PageContext<'_>) -> Result<View, ToolError> {
    let path = context.request.path.strip_prefix("/code").unwrap_or_default().trim_matches('/');
    let revision = context.request.get("at");
    match at_path(context.asker, path, revision)? {
        AtPath::Directory => directory::page(context, path, revision),
        AtPath::File(file) => file::page(context, &file, revision),
        AtPath::Skipped(file) => Ok(skipped(&file, revision)),
    }
}

fn at_path(asker: &Asker<'_>, path: &str, revision: &str) -> Result<AtPath, ToolError> {
    if path.is_empty() {
        return Ok(AtPath::Directory);
    }
    let missing = || ToolError::new(Code::NotFound, format!("there is no file or directory {path}"));
    for skipped in [false, true] {
        let arguments =
            json!({ "glob": path, "limit": 1, "skipped": skipped, "at": revision_argument(revision) });
        let found = match asker.ask::<FilesData>(Asked::Files, arguments) {
            Err(error) if error.code() == Code::NotFound => continue,
            found => found?.data.files,
        };
        match found.into_iter().next() {
            Some(file) if file.path == path && skipped => return Ok(AtPath::Skipped(Box::new(file))),
            Some(file) if file.path == path => return Ok(AtPath::File(Box::new(file))),
            Some(file) if file.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')) => {
                return Ok(AtPath::Directory);
            }
            _ => {}
        }
    }
    Err(missing())
}

/// The page of a file that is not shown.
fn skipped(file: &FileData, revision: &str) -> View {
    let body = html! {
        div.pagehead { (layout::breadcrumbs(&file.path, revision)) }
        div.empty {
            p { "This file is not shown: " strong { (file.skipped.as_deref().unwrap_or("not indexed")) } "." }
            p.dim { (bytes(file.bytes)) }
        }
    };
    View::Page { title: file.path.clone(), section: "code", body }
}
