//! What a diff, or the difference from a revision, breaks.

use super::breakage::Breakage;
use super::contract_changes::{ComparedFile, ContractChange, contract_changes, symbol_changes};
use super::file_pairs::{Comparison, FilePair};
use super::open;
use crate::answer::{Cause, Doubt};
use crate::arguments::unified_diff::FileDiff;
use crate::error::ToolError;
use crate::graph::changed_symbols::ChangedFiles;
use crate::session::Session;
use orient_engine::Snapshot;
use orient_model::RepoPath;
use std::collections::BTreeSet;

/// What changed files break.
#[derive(Default)]
pub(crate) struct DiffBreakage {
    /// The changed contracts.
    pub(crate) contracts: Vec<ContractChange>,
    /// Their users.
    pub(crate) breakage: Breakage,
    /// The changed files whose old version is known.
    pub(crate) followed: BTreeSet<RepoPath>,
}

impl DiffBreakage {
    /// Compares the changed files with their old versions: those of the revision, or of HEAD if that is what a diff starts from. At
    /// most `max_possible` candidates of each symbol are listed.
    pub(crate) fn of(
        session: &Session<'_>,
        snapshot: &Snapshot,
        changed: &ChangedFiles,
        max_possible: usize,
    ) -> Result<Self, ToolError> {
        let mut found = Self::default();
        let mut unknown = |why: String| {
            let text = format!("{why}, so that uses of what was removed are not known");
            found.breakage.doubts.push(Doubt::new(Cause::OldTree, 1, text));
        };
        if session.revision().is_some() {
            unknown("a diff is not followed at another revision".to_owned());
            return Ok(found);
        }
        let revision = changed.revision.as_deref().unwrap_or("HEAD");
        let comparison = open(session).map(|mut history| Comparison::since(&mut history, snapshot, revision));
        let comparison = match comparison {
            Ok(Ok(comparison)) => comparison,
            Ok(Err(error)) => {
                unknown(format!("the old tree cannot be read ({error})"));
                return Ok(found);
            }
            Err(error) => {
                unknown(format!("the old tree cannot be read ({})", error.message()));
                return Ok(found);
            }
        };
        let mut compared = Vec::new();
        for (path, diff) in &changed.files {
            let pair = comparison.pairs.iter().find(|pair| pair.path == *path);
            match pair {
                Some(pair) if changed.revision.is_some() || starts_from(&comparison, pair, diff) => {
                    found.followed.insert(path.clone());
                    compared.push(pair);
                }
                // A diff that only adds lines removes nothing.
                _ if changed.revision.is_none() && diff.old_lines.is_empty() && !diff.removed => {}
                _ => {
                    let text = format!(
                        "the diff of {} does not lead from HEAD to the working tree, so that uses of what it removes are \
                         not known",
                        path.display()
                    );
                    let doubt = Doubt::new(Cause::OldTree, 1, text);
                    found.breakage.doubts.push(doubt.remedy("name the revision that it starts from instead"));
                }
            }
        }
        // What went from one file to another has a pair for each, and a renamed file is removed under its old path.
        if changed.revision.is_none() {
            let old_paths: BTreeSet<RepoPath> =
                changed.files.values().filter_map(|diff| Some(diff.old_path.as_deref()?.into())).collect();
            compared.extend(
                comparison.pairs.iter().filter(|pair| pair.removed && old_paths.contains(&pair.path)),
            );
        }
        let compared: Vec<ComparedFile<'_>> = compared.into_iter().map(ComparedFile::of).collect();
        let changes = symbol_changes(&compared);
        found.contracts = contract_changes(&compared, &changes);
        let followed =
            Breakage::of(session, snapshot, &comparison, &found.contracts, (usize::MAX, max_possible))?;
        found.breakage.contracts = followed.contracts;
        found.breakage.doubts.extend(followed.doubts);
        Ok(found)
    }
}

/// Whether the lines that a diff removes are those of the old version.
fn starts_from(comparison: &Comparison, pair: &FilePair, diff: &FileDiff) -> bool {
    let renamed = diff.old_path.as_deref().map(RepoPath::from);
    let before = match &renamed {
        Some(old) => comparison.pairs.iter().find(|pair| pair.path == *old).map(|pair| &pair.before),
        None => Some(&pair.before),
    };
    let Some(before) = before else { return false };
    let text = String::from_utf8_lossy(before);
    let lines: Vec<&str> = text.lines().collect();
    diff.old_lines.iter().all(|(number, line)| {
        let there = lines.get((*number as usize).wrapping_sub(1));
        there.is_some_and(|there| *there == line.trim_end_matches('\r'))
    })
}
