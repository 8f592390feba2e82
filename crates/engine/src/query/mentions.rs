//! Mentions of a name where nothing is resolved: in templates, in other languages, in files that were understood in part, in strings, and in
//! code in which resolution found nothing.
//!
//! The trigram index leaves few files to read. A mention that a definition or a reference of that name accounts for is none.

use super::mention_context::{MAX_NAME, MentionContext, NameForms};
use super::unresolved_files::{UnresolvedFile, UnresolvedFileKind, UnresolvedFiles};
use crate::query::traversal::Edges;
use crate::{EngineError, GraphView, Snapshot};
use orient_lang::EmbeddedForm;
use orient_model::{Confidence, RepoPath};
use orient_store::{ExcludedFiles, FileId, FileRow};
use orient_text::{PatternSyntax, required_trigrams};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Maximum number of files that are read for one question.
const MAX_FILES: usize = 200;
/// Maximum number of files that are read for parts of a path in strings: every file of the program may have one.
pub(super) const MAX_FILES_OF_STRINGS: usize = 100;
/// With this many mentions in resolved files, further ones tell nothing more.
const ENOUGH: usize = 50;
/// Maximum size of a file that is too large to be indexed and is still searched for a name.
const MAX_LARGE: u64 = 32 << 20;

/// The name of a symbol that may be mentioned.
#[derive(Clone, Debug)]
pub struct MentionQuery<'q> {
    /// Its name.
    pub name: &'q str,
    /// The name of what contains it.
    pub container: Option<&'q str>,
    /// Whether it is called by its name.
    pub callable: bool,
    /// Whether resolved files are read too: for strings with the name, and for code with it in which resolution found nothing.
    pub resolved: bool,
    /// The definition itself: the name is not a use inside of it.
    pub own: Option<(&'q RepoPath, RangeInclusive<u32>)>,
}

/// A mention.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// Why it is not resolved.
    pub kind: UnresolvedFileKind,
    /// Its file.
    pub path: RepoPath,
    /// Its line.
    pub line: u32,
}

/// The mentions of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// By kind, path and line.
    pub places: Vec<Mention>,
    /// Number of files with the name that were not searched.
    pub unsearched: u64,
    /// Whether the name was not searched for: it is too short or too long, or has no letters.
    pub unsearchable: bool,
}

impl Snapshot {
    /// The mentions of a name that nothing resolved accounts for.
    pub fn unaccounted_mentions(&self, query: &MentionQuery<'_>) -> Result<Mentions, EngineError> {
        let Some(forms) = NameForms::of(query) else {
            return Ok(Mentions { unsearchable: true, ..Mentions::default() });
        };
        let syntax = PatternSyntax { literal: true, ignore_case: false, unicode: false };
        let excluded = self.left_out(&required_trigrams(forms.texts(), syntax))?;
        let files = self.unresolved_files()?;
        let mut search =
            MentionSearch { snapshot: self, view: self.graph(), forms, found: Mentions::default() };
        search.read_unresolved(&files, &excluded)?;
        if query.resolved {
            search.read_resolved_files(&files, &excluded, query.own.as_ref())?;
        }
        search.found.places.sort();
        Ok(search.found)
    }

    /// Where strings of the program have a part of a path: the first places, by path and line.
    pub fn path_mentions(&self, part: &str) -> Result<Vec<(RepoPath, u32)>, EngineError> {
        let syntax = PatternSyntax { literal: true, ignore_case: false, unicode: false };
        let excluded = self.left_out(&required_trigrams([part], syntax))?;
        let (mut places, mut rows) = (Vec::new(), Vec::new());
        for (_, id) in self.unresolved_files()?.program.iter().filter(|(_, id)| !excluded.contains(*id)) {
            rows.extend(self.store.file_by_id(*id)?);
            if rows.len() == MAX_FILES_OF_STRINGS {
                break;
            }
        }
        self.each_text(&rows, |row, text| {
            for (line, number) in text.lines().zip(1..) {
                let is_part = |(at, _): (usize, &str)| {
                    let (before, after) = (&line[..at], &line[at + part.len()..]);
                    before.ends_with(['/', '"', '\'', '`'])
                        && before.contains(['"', '\'', '`'])
                        && (after.is_empty()
                            || after.starts_with(['"', '\'', '`', '/', '?', '{', ':', '<', '(', ' ', '$']))
                };
                if line.match_indices(part).any(is_part) {
                    places.push((row.path.clone(), number));
                }
            }
        })?;
        Ok(places)
    }

    /// Whether a file that was not indexed may contain a name: it has the name, or cannot be read.
    pub fn may_mention(&self, path: &RepoPath, name: &str) -> Result<bool, EngineError> {
        if name.len() > MAX_NAME {
            return Ok(false);
        }
        let syntax = PatternSyntax { literal: true, ignore_case: false, unicode: false };
        if let Some(file) = self.file(path)?
            && self.left_out(&required_trigrams([name], syntax))?.contains(file.id)
        {
            return Ok(false);
        }
        Ok(match self.tree.open()?.read(path, MAX_LARGE) {
            Ok(content) => memchr::memmem::find(&content.bytes, name.as_bytes()).is_some(),
            Err(_) => true,
        })
    }
}

struct MentionSearch<'s> {
    snapshot: &'s Snapshot,
    view: GraphView<'s>,
    forms: NameForms,
    found: Mentions,
}

impl MentionSearch<'_> {
    fn read_unresolved(
        &mut self,
        files: &UnresolvedFiles,
        excluded: &ExcludedFiles,
    ) -> Result<(), EngineError> {
        let candidates = files.files.iter().filter(|file| {
            let names_nothing = matches!(
                file.kind,
                UnresolvedFileKind::Embedded(EmbeddedForm::Data | EmbeddedForm::Schema, _)
            ) && !self.forms.is_distinct();
            !names_nothing && !excluded.contains(file.row.id)
        });
        let mut candidates: Vec<&UnresolvedFile> = candidates.collect();
        self.found.unsearched += candidates.len().saturating_sub(MAX_FILES) as u64;
        candidates.truncate(MAX_FILES);
        for file in candidates {
            self.read(&file.row, &file.kind)?;
        }
        Ok(())
    }

    fn read_resolved_files(
        &mut self,
        files: &UnresolvedFiles,
        excluded: &ExcludedFiles,
        own: Option<&(&RepoPath, RangeInclusive<u32>)>,
    ) -> Result<(), EngineError> {
        let partly = files.files.iter().filter(|file| file.kind == UnresolvedFileKind::Partly);
        let resolved = files.resolved.iter().copied().chain(partly.map(|file| file.row.id));
        let may_have: Vec<FileId> = resolved.filter(|id| !excluded.contains(*id)).collect();
        self.found.unsearched += may_have.len().saturating_sub(MAX_FILES) as u64;
        for id in may_have.into_iter().take(MAX_FILES) {
            if self.found.places.len() >= ENOUGH {
                break;
            }
            if let Some(row) = self.snapshot.store.file_by_id(id)? {
                let own = own.filter(|(path, _)| **path == row.path).map(|(_, lines)| lines);
                self.read_resolved(&row, own)?;
            }
        }
        Ok(())
    }

    /// Reads a file whose names are resolved: what is left is in strings, and in code in which resolution found nothing.
    fn read_resolved(&mut self, row: &FileRow, own: Option<&RangeInclusive<u32>>) -> Result<(), EngineError> {
        let tree = self.snapshot.tree.open()?;
        let Ok(content) = tree.read(&row.path, self.snapshot.max_file_size) else {
            self.found.unsearched += 1;
            return Ok(());
        };
        let text = String::from_utf8_lossy(&content.bytes);
        let places = self.forms.places(&text);
        if places.is_empty() {
            return Ok(());
        }
        let known = self.accounted_lines(row.id, true, Confidence::Exact)?;
        let (path, kind) = (row.path.display(), UnresolvedFileKind::Text);
        let mut context = MentionContext::new(&path, &text, &kind);
        for place in places {
            let line = 1 + text[..place.at].matches('\n').count() as u32;
            if known.contains(&line) || own.is_some_and(|own| own.contains(&line)) {
                continue;
            }
            let Some(kind) = context.use_in_resolved(&self.forms, &place) else { continue };
            let mention = Mention { kind, path: row.path.clone(), line };
            if self.found.places.last() != Some(&mention) {
                self.found.places.push(mention);
            }
        }
        Ok(())
    }

    fn read(&mut self, row: &FileRow, kind: &UnresolvedFileKind) -> Result<(), EngineError> {
        let tree = self.snapshot.tree.open()?;
        let Ok(content) = tree.read(&row.path, self.snapshot.max_file_size) else {
            self.found.unsearched += 1;
            return Ok(());
        };
        let text = String::from_utf8_lossy(&content.bytes);
        let path = row.path.display();
        let mut context = MentionContext::new(&path, &text, kind);
        let places = self.forms.places(&text);
        let mentioned: Vec<usize> = places
            .into_iter()
            .filter(|place| context.is_use(&self.forms, place))
            .map(|place| place.at)
            .collect();
        if mentioned.is_empty() {
            return Ok(());
        }
        // What a schema defines is what the generated code has.
        let defines = !matches!(kind, UnresolvedFileKind::Embedded(EmbeddedForm::Schema, _));
        let known = self.accounted_lines(row.id, defines, Confidence::Approximate)?;
        for at in mentioned {
            let line = 1 + text[..at].matches('\n').count() as u32;
            let mention = Mention { kind: kind.clone(), path: row.path.clone(), line };
            if !known.contains(&line) && self.found.places.last() != Some(&mention) {
                self.found.places.push(mention);
            }
        }
        Ok(())
    }

    /// The lines of a file that refer to something of this name, at least this certainly, and with `defines` those that define something of
    /// this name.
    fn accounted_lines(
        &self,
        file: FileId,
        defines: bool,
        least: Confidence,
    ) -> Result<BTreeSet<u32>, EngineError> {
        let name = self.forms.name();
        let mut lines = BTreeSet::new();
        let graph = self.snapshot.file_graph(file)?;
        for edge in graph.edges.get(..graph.own).unwrap_or_default() {
            if edge.confidence <= least && self.view.name(edge.target)? == name {
                lines.insert(edge.line);
            }
        }
        lines.extend(graph.unresolved.iter().filter(|miss| miss.name == name).map(|miss| miss.line));
        if least > Confidence::Exact {
            // What seems to be of something outside is no proof: a path of an import may be an alias.
            lines.extend(graph.external.iter().filter(|row| row.name == name).map(|row| row.line));
        }
        for edge in self.view.outgoing(file.into())? {
            if edge.confidence <= least && self.view.name(edge.target)? == name {
                lines.insert(edge.line);
            }
        }
        if defines && let Some(held) = self.snapshot.outline_of(file)? {
            let named =
                held.outline.symbols.iter().filter(|symbol| held.outline.strings.get(symbol.name) == name);
            lines.extend(named.map(|symbol| symbol.name_span.first_line));
        }
        Ok(lines)
    }
}
