//! What a change breaks: for each changed contract, its users in the tree before and what they find in the tree after.

use super::broken_uses::{BrokenUse, TreePair, UsersOfChange, has_word, node_at};
use super::contract_changes::ContractChange;
use super::contract_users::{ContractUsers, FEW};
use super::file_pairs::Comparison;
use super::line_correspondence::LineCorrespondence;
use crate::answer::{Cause, Doubt};
use crate::arguments::file_scope::candidates;
use crate::error::ToolError;
use crate::session::Session;
use crate::text::number_format::plural;
use orient_engine::{FileQuery, FileRow, Snapshot, TokenClass, highlight};
use orient_grep::{Boundary, Pattern};
use orient_model::RepoPath;
use std::collections::BTreeSet;
use std::ops::Range;

/// Maximum number of changed contracts whose users are looked up; the first by path and line.
const MAX_CONTRACTS: usize = 400;
/// Maximum number of names whose mentions are searched for in the text of the tree.
const MAX_NAMES: usize = 100;
/// Names that more files contain are not searched for in their text: they mean many things.
const MAX_FILES: usize = 1_000;
/// Shorter names are in most lines of most files.
const MIN_NAME: usize = 3;

/// A changed contract and its users.
pub(crate) struct BrokenContract {
    /// Its place in the list of contract changes.
    pub(crate) at: usize,
    /// The users.
    pub(crate) found: UsersOfChange,
    /// The same as answers show them.
    pub(crate) users: ContractUsers,
}

/// What a change breaks.
#[derive(Default)]
pub(crate) struct Breakage {
    /// The changed contracts, in the order of the list.
    pub(crate) contracts: Vec<BrokenContract>,
    /// Why more may be broken.
    pub(crate) doubts: Vec<Doubt>,
}

impl Breakage {
    /// What the changed contracts of a comparison break; at most `max` uses, and
    /// candidates, of each are listed. `current` is the index of the working tree.
    pub(crate) fn of(
        session: &Session<'_>,
        current: &Snapshot,
        comparison: &Comparison,
        changes: &[ContractChange],
        max: (usize, usize),
    ) -> Result<Self, ToolError> {
        if changes.is_empty() {
            return Ok(Self::default());
        }
        match comparison.new {
            None => Self::between(session, current, (session, comparison), changes, max),
            Some(new) => {
                let after = session.at(&new.to_string())?;
                let snapshot = after.snapshot()?;
                Self::between(session, &snapshot, (&after, comparison), changes, max)
            }
        }
    }

    fn between(
        session: &Session<'_>,
        new: &Snapshot,
        (after, comparison): (&Session<'_>, &Comparison),
        changes: &[ContractChange],
        max: (usize, usize),
    ) -> Result<Self, ToolError> {
        let mut breakage = Self::default();
        let old_tree = session.at(&comparison.old.to_string()).and_then(|before| before.snapshot());
        let old = match old_tree {
            Ok(old) => old,
            Err(error) => {
                let text = format!(
                    "the tree of {} could not be indexed ({}), so that only uses by name are known",
                    comparison.from,
                    error.message()
                );
                breakage.doubts.push(Doubt::new(Cause::OldTree, 1, text));
                return breakage.by_name_only(new, changes);
            }
        };
        let pair = TreePair::new(old.graph(), new.graph(), LineCorrespondence::new(&comparison.pairs));
        let mut searched = BTreeSet::new();
        for (at, change) in changes.iter().enumerate().take(MAX_CONTRACTS) {
            if session.cancel().is_cancelled() {
                break;
            }
            let mut found = pair.users_of(change)?;
            let name = change.old.own_name();
            if name.len() >= MIN_NAME && (searched.contains(&name) || searched.len() < MAX_NAMES) {
                match mentions(after, &pair, change, &found)? {
                    Ok(places) => found.mentions = places,
                    Err(files) => {
                        let said = plural(files as u64, "file has", "files have");
                        let text = format!("{said} the name `{name}`; their text was not searched");
                        breakage.doubts.push(Doubt::new(Cause::Unsearched, files as u64, text));
                    }
                }
                searched.insert(name);
            }
            if found.unread > 0 {
                let text =
                    format!("{} files with `{}` were not searched", found.unread, change.old.own_name());
                breakage.doubts.push(Doubt::new(Cause::Unsearched, found.unread as u64, text));
            }
            let mut users = ContractUsers::of(&pair.new, &found, max)?;
            if let Some(node) = node_at(&pair.old, &change.old)? {
                users.add_tests(&pair.old, node)?;
            }
            breakage.contracts.push(BrokenContract { at, found, users });
        }
        if changes.len() > breakage.contracts.len() {
            let (done, all) = (breakage.contracts.len(), changes.len());
            let text = format!("the users of {done} of {all} changed contracts were looked up");
            breakage.doubts.push(Doubt::limit((all - done) as u64, text));
        }
        if old.owed() > 0 {
            let text = format!("the tree of {} is not resolved in full", comparison.from);
            breakage.doubts.push(Doubt::new(Cause::OldTree, old.owed() as u64, text));
        }
        Ok(breakage)
    }

    /// The uses by name, without the old tree.
    fn by_name_only(mut self, new: &Snapshot, changes: &[ContractChange]) -> Result<Self, ToolError> {
        let view = new.graph();
        for (at, change) in changes.iter().enumerate().take(MAX_CONTRACTS) {
            let mut found = UsersOfChange::default();
            let unresolved = view.unresolved_uses(&change.old.own_name())?;
            found.candidates = unresolved.uses.into_iter().map(BrokenUse::by_name).collect();
            let users = ContractUsers::of(&view, &found, (0, FEW))?;
            self.contracts.push(BrokenContract { at, found, users });
        }
        Ok(self)
    }

    /// The users of the change at a place of the list.
    pub(crate) fn users_of(&mut self, at: usize) -> Option<ContractUsers> {
        let found = self.contracts.iter_mut().find(|one| one.at == at)?;
        Some(std::mem::take(&mut found.users))
    }
}

/// The lines of the new tree with a name that mean nothing that is known to have it: `path:line`. The number of files, if too many have the name.
fn mentions(
    after: &Session<'_>,
    pair: &TreePair<'_>,
    change: &ContractChange,
    found: &UsersOfChange,
) -> Result<Result<Vec<String>, usize>, ToolError> {
    let name = &change.old.own_name();
    let pattern = Pattern {
        patterns: vec![name.clone()],
        literal: true,
        boundary: Some(Boundary::Word),
        ..Pattern::default()
    };
    let snapshot = pair.new.snapshot();
    let rows = snapshot.files(&FileQuery::default(), 0, usize::MAX)?.rows;
    let rows = candidates(after, snapshot, rows, &pattern.required())?;
    if rows.len() > MAX_FILES {
        return Ok(Err(rows.len()));
    }
    let told: BTreeSet<(&RepoPath, u32)> =
        found.uses.iter().chain(&found.candidates).map(|one| (&one.path, one.line)).collect();
    let mut texts = Vec::new();
    snapshot.each_text(&rows, |row, text| {
        // A comment about a symbol that is still there is right as it is.
        let comments = if change.name_is_gone() { Vec::new() } else { comments_of(&row.path, text) };
        let is_comment = |line: &str| {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            let place = start + line.find(name.as_str()).unwrap_or_default();
            comments.iter().any(|comment| comment.contains(&place))
        };
        let lines = (1..).zip(text.lines()).filter(|(_, line)| has_word(line, name) && !is_comment(line));
        let lines: Vec<u32> = lines.map(|(number, _)| number).collect();
        if !lines.is_empty() {
            texts.push((row.clone(), lines));
        }
    })?;
    let mut places = Vec::new();
    for (row, lines) in texts {
        let explained = explained_lines(pair, &row, name)?;
        for line in lines {
            if !explained.contains(&line) && !told.contains(&(&row.path, line)) {
                places.push(format!("{}:{line}", row.path.display()));
            }
        }
    }
    Ok(Ok(places))
}

fn comments_of(path: &RepoPath, text: &str) -> Vec<Range<usize>> {
    let classified = highlight(&path.display(), text).into_iter();
    classified.filter(|(_, class)| *class == TokenClass::Comment).map(|(range, _)| range).collect()
}

/// The lines of a file on which the name is that of a symbol that is there, or of something outside the repository.
fn explained_lines(pair: &TreePair<'_>, row: &FileRow, name: &str) -> Result<BTreeSet<u32>, ToolError> {
    let new = &pair.new;
    let graph = new.file_graph(row.id)?;
    let mut lines = BTreeSet::new();
    for edge in &graph.edges[..graph.own] {
        if !lines.contains(&edge.line) && new.name(edge.target)? == name {
            lines.insert(edge.line);
        }
    }
    for one in graph.external.iter().filter(|one| one.name == name) {
        if pair.was_external(&row.path, one.line, name)? {
            lines.insert(one.line);
        }
    }
    let held = new.outline(row.id)?;
    let named = held.outline.symbols.iter().filter(|symbol| held.outline.strings.get(symbol.name) == name);
    lines.extend(named.map(|symbol| symbol.name_span.first_line));
    Ok(lines)
}
