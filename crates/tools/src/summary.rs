//! What an index holds, by language, and what it does not hold and why. Shown by `index` and `status`.

use crate::amount::{bytes, count, plural};
use crate::page::{Cell, Page, Tone};
use schemars::JsonSchema;
use serde::Serialize;
use std::io;

/// How many files are named for each reason; the rest are counted.
pub(crate) const NAMED: usize = 3;

/// What an index holds.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// Indexed files.
    pub files: u64,
    /// Their lines.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their symbols.
    pub symbols: u64,
    /// The same for each language, most lines first.
    pub languages: Vec<Language>,
    /// What was not read, by reason, most files first.
    pub skipped: Vec<Group>,
    /// What could not be read as it should, by kind, most files first.
    pub issues: Vec<Group>,
}

/// What an index holds of one language.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Language {
    /// Its name; empty for text without a language.
    pub language: String,
    /// Indexed files.
    pub files: u64,
    /// Their lines.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their symbols.
    pub symbols: u64,
}

/// Files with something in common.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Group {
    /// What they have in common, as one word or phrase.
    pub reason: String,
    /// How many there are.
    pub files: u64,
    /// The first of them by path, with what is particular to each.
    pub examples: Vec<GroupExample>,
}

/// One file of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupExample {
    /// Its path.
    pub path: String,
    /// Where in it; absent for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The reason in full.
    pub detail: String,
}

impl Summary {
    /// What a snapshot holds.
    pub(crate) fn of(_snapshot: &orient_engine::Snapshot) -> Result<Self, crate::error::ToolError> {
        todo!()
    }

    /// Files that were not read.
    pub fn skipped_files(&self) -> u64 {
        self.skipped.iter().map(|group| group.files).sum()
    }

    /// Writes the table of languages.
    pub(crate) fn languages(&self, page: &mut Page<'_>) -> io::Result<()> {
        if self.languages.is_empty() {
            return Ok(());
        }
        let head = |text: &str| Cell::number(Tone::Head, text);
        let mut rows = vec![vec![
            Cell::new(Tone::Head, "language"),
            head("files"),
            head("lines"),
            head("symbols"),
            head("size"),
        ]];
        for language in &self.languages {
            let name = if language.language.is_empty() { "other text" } else { &language.language };
            rows.push(vec![
                Cell::new(Tone::Kind, name),
                Cell::number(Tone::Plain, count(language.files)),
                Cell::number(Tone::Plain, count(language.lines)),
                Cell::number(Tone::Plain, count(language.symbols)),
                Cell::number(Tone::Plain, bytes(language.bytes)),
            ]);
        }
        page.table(0, &rows)
    }

    /// Writes what is missing and why.
    pub(crate) fn gaps(&self, page: &mut Page<'_>) -> io::Result<()> {
        groups(page, "skipped", &self.skipped)?;
        groups(page, "not understood everywhere", &self.issues)
    }
}

fn groups(page: &mut Page<'_>, title: &str, groups: &[Group]) -> io::Result<()> {
    for group in groups {
        page.put(Tone::Warn, &format!("{title}: "))?;
        page.plain(&format!("{}, {}", plural(group.files, "file", "files"), group.reason))?;
        page.end()?;
        for example in &group.examples {
            page.plain("  ")?;
            let anchor = example.line.map_or_else(String::new, |line| format!(":{line}"));
            page.put(Tone::Path, &format!("{}{anchor}", example.path))?;
            if example.detail != group.reason {
                page.put(Tone::Dim, &format!("  {}", example.detail))?;
            }
            page.end()?;
        }
        let named = group.examples.len() as u64;
        if group.files > named {
            page.line(Tone::Dim, &format!("  and {} more", count(group.files - named)))?;
        }
    }
    Ok(())
}
