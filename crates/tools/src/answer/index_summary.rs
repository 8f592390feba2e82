//! The contents of an index by language, and the files it does not contain, with reasons. Shown by `index` and `status`.

use crate::error::ToolError;
use crate::text::number_format::{bytes, count, plural};
use crate::text::writer::{Cell, Style, TextWriter};
use orient_engine::{DefinitionQuery, FileQuery, FileRow, PathPattern, SkipReason, Snapshot};
use orient_model::{EdgeKind, Issue, SymbolKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

/// Maximum number of files named for each reason; the rest are counted.
const MAX_NAMED: usize = 3;
/// Maximum number of nested repositories named.
const MAX_NESTED_NAMED: usize = 20;

/// The contents of an index.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Summary {
    /// Indexed files.
    pub(crate) files: u64,
    /// Their lines.
    pub(crate) lines: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Their symbols.
    pub(crate) symbols: u64,
    /// The same for each language, most lines first.
    pub(crate) languages: Vec<Language>,
    /// Skipped files by reason, most files first.
    pub(crate) skipped: Vec<Group>,
    /// Files that were parsed only in part.
    pub(crate) issues: Vec<Group>,
}

/// What the graph of a part of the tree consists of.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct GraphCounts {
    /// Functions, methods and everything else that can be called.
    pub(crate) functions: u64,
    /// Types: classes, structs, interfaces, enums and so on.
    pub(crate) types: u64,
    /// Calls and constructions that lead to a symbol of the repository.
    pub(crate) calls: u64,
    /// All proven relations.
    pub(crate) edges: u64,
    /// Uses of something outside the repository.
    pub(crate) external: u64,
    /// Uses that could not be resolved.
    pub(crate) unresolved: u64,
}

impl GraphCounts {
    /// Counts what is in files that match a path.
    pub(crate) fn of(snapshot: &Snapshot, path: Option<&PathPattern>) -> Result<Self, ToolError> {
        let symbols = |has: fn(SymbolKind) -> bool| {
            let kinds = SymbolKind::ALL.iter().copied().filter(|kind| has(*kind)).collect();
            let query = DefinitionQuery { kinds, path: path.cloned(), ..DefinitionQuery::default() };
            snapshot.symbols(&query, 0, 0).map(|page| page.total as u64)
        };
        let mut counts = Self {
            functions: symbols(SymbolKind::is_callable)?,
            types: symbols(SymbolKind::is_type)?,
            ..Self::default()
        };
        let query = FileQuery { path: path.cloned(), indexed: Some(true), ..FileQuery::default() };
        for file in snapshot.files(&query, 0, usize::MAX)?.rows {
            let graph = snapshot.file_graph(file.id)?;
            let own = graph.edges.get(..graph.own).unwrap_or_default();
            counts.edges += own.len() as u64;
            let is_call = |kind| matches!(kind, EdgeKind::Calls | EdgeKind::Constructs);
            counts.calls += own.iter().filter(|edge| is_call(edge.kind)).count() as u64;
            counts.external += graph.external.len() as u64;
            counts.unresolved += graph.unresolved.len() as u64;
        }
        Ok(counts)
    }
}

/// The indexed files of one language.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Language {
    /// Its name; empty for text without a language.
    pub(crate) name: String,
    /// Indexed files.
    pub(crate) files: u64,
    /// Their lines.
    pub(crate) lines: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Their symbols.
    pub(crate) symbols: u64,
}

/// Files with something in common.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Group {
    /// The common reason, as a word or phrase.
    pub(crate) reason: String,
    /// Number of files.
    pub(crate) files: u64,
    /// The first files by path, each with its own details.
    pub(crate) examples: Vec<GroupExample>,
}

/// One file of a group.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GroupExample {
    /// Its path.
    pub(crate) path: String,
    /// The line; absent for the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    /// The reason in detail.
    pub(crate) detail: String,
}

impl Summary {
    /// The contents of a snapshot, in one pass over its files.
    pub(crate) fn of(snapshot: &Snapshot) -> Result<Self, ToolError> {
        Self::within(snapshot, None)
    }

    /// The same for a part of the tree.
    pub(crate) fn within(snapshot: &Snapshot, path: Option<PathPattern>) -> Result<Self, ToolError> {
        let query = FileQuery { path, ..FileQuery::default() };
        let mut summary = Self::default();
        let mut languages: BTreeMap<Option<String>, Language> = BTreeMap::new();
        let mut skipped: BTreeMap<&'static str, Group> = BTreeMap::new();
        let mut broken: Vec<FileRow> = Vec::new();
        let mut issues = 0;
        for file in snapshot.files(&query, 0, usize::MAX)?.rows {
            if let Some(reason) = Snapshot::skip_reason(&file) {
                skipped
                    .entry(reason.word())
                    .or_insert_with(|| Group::new(&common(&reason)))
                    .add(&file, &reason);
                continue;
            }
            summary.add(&file);
            languages.entry(file.language.clone()).or_default().add(&file);
            if file.issues > 0 {
                issues += 1;
                if broken.len() < MAX_NAMED {
                    broken.push(file);
                }
            }
        }
        summary.languages = languages.into_values().collect();
        summary.languages.sort_by(|a, b| b.lines.cmp(&a.lines).then(a.name.cmp(&b.name)));
        summary.skipped = skipped.into_values().collect();
        summary.skipped.sort_by(|a, b| b.files.cmp(&a.files).then(a.reason.cmp(&b.reason)));
        if issues > 0 {
            let examples =
                broken.into_iter().map(|file| issue_example(snapshot, file)).collect::<Result<_, _>>()?;
            summary.issues.push(Group {
                reason: "see `orient files --issues`".into(),
                files: issues,
                examples,
            });
        }
        Ok(summary)
    }

    fn add(&mut self, file: &FileRow) {
        self.files += 1;
        self.lines += u64::from(file.lines);
        self.bytes += file.bytes;
        self.symbols += u64::from(file.symbols);
    }

    /// Writes the table of languages.
    pub(crate) fn languages(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if self.languages.is_empty() {
            return Ok(());
        }
        let head = |text: &str| Cell::number(Style::Head, text);
        let mut rows = vec![vec![
            Cell::new(Style::Head, "language"),
            head("files"),
            head("lines"),
            head("symbols"),
            head("size"),
        ]];
        for language in &self.languages {
            let name = if language.name.is_empty() { "other text" } else { &language.name };
            rows.push(vec![
                Cell::new(Style::Kind, name),
                Cell::number(Style::Plain, count(language.files)),
                Cell::number(Style::Plain, count(language.lines)),
                Cell::number(Style::Plain, count(language.symbols)),
                Cell::number(Style::Plain, bytes(language.bytes)),
            ]);
        }
        writer.table(0, &rows)
    }

    /// Writes the skipped and partly parsed files, with reasons.
    pub(crate) fn gaps(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        groups(writer, "skipped", &self.skipped)?;
        groups(writer, "parsed only in part", &self.issues)
    }
}

impl Language {
    fn add(&mut self, file: &FileRow) {
        if self.files == 0 {
            self.name = file.language.clone().unwrap_or_default();
        }
        self.files += 1;
        self.lines += u64::from(file.lines);
        self.bytes += file.bytes;
        self.symbols += u64::from(file.symbols);
    }
}

impl Group {
    fn new(reason: &str) -> Self {
        Self { reason: reason.to_owned(), files: 0, examples: Vec::new() }
    }

    fn add(&mut self, file: &FileRow, reason: &SkipReason) {
        self.files += 1;
        // Each is a project that users may look for.
        let named = if *reason == SkipReason::NestedRepository { MAX_NESTED_NAMED } else { MAX_NAMED };
        if self.examples.len() < named {
            let (path, detail) = (file.path.display().into_owned(), reason.to_string());
            self.examples.push(GroupExample { path, line: None, detail });
        }
    }
}

/// The common part of the reasons of a kind.
fn common(reason: &SkipReason) -> String {
    match reason {
        SkipReason::TooLarge { .. } => "too large".to_owned(),
        SkipReason::Unreadable(_) => "cannot be read".to_owned(),
        reason => reason.to_string(),
    }
}

fn issue_example(snapshot: &Snapshot, file: FileRow) -> Result<GroupExample, ToolError> {
    let path = file.path.display().into_owned();
    let held = snapshot.outline(file)?;
    let issue = held.outline.issues.first();
    let detail = issue.map_or("", |issue| issue.kind.as_str()).to_owned();
    Ok(GroupExample { path, line: issue.and_then(line_of), detail })
}

/// The line of an issue; issues of the whole file have none.
fn line_of(issue: &Issue) -> Option<u32> {
    Some(issue.span.first_line).filter(|&line| line > 0)
}

/// The first issue of a file: `12  syntax not understood`.
pub(crate) fn first_issue(snapshot: &Snapshot, file: FileRow) -> Result<Option<String>, ToolError> {
    let held = snapshot.outline(file)?;
    Ok(held.outline.issues.first().map(issue_text))
}

fn issue_text(issue: &Issue) -> String {
    let line = line_of(issue).map_or_else(String::new, |line| format!("{line}  "));
    format!("{line}{}", issue.kind.as_str())
}

fn groups(writer: &mut TextWriter<'_>, title: &str, groups: &[Group]) -> io::Result<()> {
    for group in groups {
        writer.put(Style::Warn, &format!("{title}: "))?;
        let nested = group.reason == SkipReason::NestedRepository.to_string();
        let (one, many) = if nested { ("directory", "directories") } else { ("file", "files") };
        writer.plain(&format!("{}, {}", plural(group.files, one, many), group.reason))?;
        writer.end_line()?;
        for example in &group.examples {
            writer.plain("  ")?;
            let anchor = example.line.map_or_else(String::new, |line| format!(":{line}"));
            writer.put(Style::Path, &format!("{}{anchor}", example.path))?;
            if example.detail != group.reason {
                writer.put(Style::Dim, &format!("  {}", example.detail))?;
            }
            writer.end_line()?;
        }
        let named = group.examples.len() as u64;
        if group.files > named {
            writer.line(Style::Dim, &format!("  and {} more", count(group.files - named)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_model::{IssueKind, Span};

    #[test]
    fn an_issue_of_the_whole_file_has_no_line() {
        let issue = |first_line| Issue {
            kind: IssueKind::Depth,
            span: Span { first_line, last_line: first_line, ..Span::default() },
        };
        assert_eq!((line_of(&issue(0)), line_of(&issue(3))), (None, Some(3)));
        assert_eq!(issue_text(&issue(3)), format!("3  {}", IssueKind::Depth.as_str()));
        assert_eq!(issue_text(&issue(0)), IssueKind::Depth.as_str());
    }
}
