//! The contract changes of a comparison: symbols and files that were removed, renamed, moved, made less visible or that have
//! another signature, so that what uses them may break.

use super::file_pairs::FilePair;
use crate::arguments::symbol_lookup::is_code;
use orient_engine::{ChangeParts, FileVersion, SymbolChange, SymbolVersion, changes_since, pair_moves};
use orient_model::{Handle, RepoPath};
use std::collections::BTreeSet;

/// A changed file with the symbols of both versions.
pub(crate) struct ComparedFile<'p> {
    pub(crate) pair: &'p FilePair,
    pub(crate) old: FileVersion,
    pub(crate) new: FileVersion,
}

impl<'p> ComparedFile<'p> {
    /// Extracts the symbols of both versions.
    pub(crate) fn of(pair: &'p FilePair) -> Self {
        let old = FileVersion::extract(&pair.old_path, &pair.before);
        let new = FileVersion::extract(&pair.path, &pair.after);
        Self { pair, old, new }
    }
}

/// The changed symbols of all files, file by file; what one file lost and another gained is paired.
pub(crate) fn symbol_changes<'c>(compared: &'c [ComparedFile<'_>]) -> Vec<Vec<SymbolChange<'c>>> {
    let mut all: Vec<Vec<SymbolChange<'_>>> =
        compared.iter().map(|file| changes_since(&file.new, &file.old)).collect();
    pair_moves(&mut all);
    all
}

/// A symbol of one tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SymbolPlace {
    /// Its file.
    pub(crate) path: RepoPath,
    /// Its qualified name; empty for the file itself.
    pub(crate) name: String,
    /// Its first line; 0 for the file itself.
    pub(crate) line: u32,
}

impl SymbolPlace {
    fn of(path: &RepoPath, symbol: &SymbolVersion) -> Self {
        Self { path: path.clone(), name: symbol.name.clone(), line: symbol.first_line }
    }

    fn of_file(path: &RepoPath) -> Self {
        Self { path: path.clone(), name: String::new(), line: 0 }
    }

    /// Its own name, without containers; empty for a file.
    pub(crate) fn own_name(&self) -> String {
        Handle::split(&self.name).pop().unwrap_or_default()
    }

    /// Its handle; the path of a file.
    pub(crate) fn handle(&self) -> String {
        let path = self.path.display();
        if self.name.is_empty() { path.into_owned() } else { format!("{path}#{}", self.name) }
    }
}

/// A symbol or file whose users a change may break.
#[derive(Clone, Debug)]
pub(crate) struct ContractChange {
    /// What happened to it: removed, renamed, moved, visibility, signature.
    pub(crate) change: Vec<&'static str>,
    /// The word for its kind.
    pub(crate) kind: &'static str,
    /// Where it was.
    pub(crate) old: SymbolPlace,
    /// Where it is now.
    pub(crate) new: Option<SymbolPlace>,
    /// Whether nothing happened to it but that it is less visible, so that only uses outside of its container may break.
    pub(crate) only_less_visible: bool,
}

/// The word for a symbol that fewer places may use than before.
pub(crate) const LESS_VISIBLE: &str = "visibility";

impl ContractChange {
    /// Whether a use by its old name cannot be right any more.
    pub(crate) fn name_is_gone(&self) -> bool {
        self.new.as_ref().is_none_or(|new| new.own_name() != self.old.own_name())
    }

    /// Whether it has another contract where it still is: uses that lead to it may break all the same.
    pub(crate) fn is_other_contract(&self) -> bool {
        self.change.iter().any(|word| matches!(*word, "signature" | LESS_VISIBLE))
    }

    /// The contract change of a changed symbol, if it is one. `source` is the file that it was moved from.
    pub(crate) fn of_symbol(
        file: &ComparedFile<'_>,
        source: Option<&FilePair>,
        change: &SymbolChange<'_>,
    ) -> Option<Self> {
        let old = change.old.filter(|symbol| is_code(symbol.kind))?;
        let parts = change.parts(&file.new, &file.old);
        let contract =
            [ChangeParts::REMOVED, ChangeParts::RENAMED, ChangeParts::MOVED, ChangeParts::SIGNATURE];
        let mut words = Vec::new();
        for (part, word) in ChangeParts::ALL {
            if contract.contains(&part) && parts.contains(part) {
                words.push(word);
            }
        }
        let is_less_visible = is_less_visible(change);
        if is_less_visible {
            words.push(LESS_VISIBLE);
        }
        // A removed overload leaves namesakes behind, which some of its users do not fit.
        let namesake = match change.new {
            None if words.is_empty() => file.new.find(&old.name, old.kind),
            _ => None,
        };
        if namesake.is_some() {
            words.push("signature");
        }
        let new = change.new.or(namesake);
        if words.is_empty() || new.is_some_and(|new| follows_container(old, new, &words)) {
            return None;
        }
        Some(Self {
            change: words,
            kind: old.kind.as_str(),
            old: SymbolPlace::of(source.map_or(&file.pair.old_path, |from| &from.old_path), old),
            new: new.map(|new| SymbolPlace::of(&file.pair.path, new)),
            only_less_visible: is_less_visible
                && change.new.is_some_and(|new| new.name == old.name)
                && source.is_none(),
        })
    }
}

/// Whether fewer places may use a symbol than before.
pub(crate) fn is_less_visible(change: &SymbolChange<'_>) -> bool {
    change.old.zip(change.new).is_some_and(|(old, new)| new.visibility > old.visibility)
}

/// Whether a member kept its own name and only its container is called otherwise or elsewhere: uses break at the container.
fn follows_container(old: &SymbolVersion, new: &SymbolVersion, words: &[&str]) -> bool {
    let is_member = |symbol: &SymbolVersion| Handle::split(&symbol.name).len() > 1;
    let only_place = words.iter().all(|word| matches!(*word, "renamed" | "moved"));
    only_place && is_member(old) && is_member(new) && old.own_name() == new.own_name()
}

/// The contract changes of a comparison, by file and line.
pub(crate) fn contract_changes(
    compared: &[ComparedFile<'_>],
    changes: &[Vec<SymbolChange<'_>>],
) -> Vec<ContractChange> {
    let mut found = Vec::new();
    for (file, changes) in compared.iter().zip(changes) {
        let pair = file.pair;
        // What went to another file is told there.
        for change in changes.iter().filter(|change| change.moved_to.is_none()) {
            let source = change.moved_from.map(|from| compared[from].pair);
            found.extend(ContractChange::of_symbol(file, source, change));
        }
        let is_moved = pair.old_path != pair.path;
        if !pair.removed && !is_moved {
            continue;
        }
        let change = vec![if pair.removed { "removed" } else { "moved" }];
        found.push(ContractChange {
            change: change.clone(),
            kind: "file",
            old: SymbolPlace::of_file(&pair.old_path),
            new: is_moved.then(|| SymbolPlace::of_file(&pair.path)),
            only_less_visible: false,
        });
        if is_moved {
            found.extend(moved_along(file, changes, &change));
        }
    }
    found.sort_by(|a, b| a.old.cmp(&b.old));
    found
}

/// The top-level symbols that a renamed file took along unchanged.
fn moved_along(
    file: &ComparedFile<'_>,
    changes: &[SymbolChange<'_>],
    words: &[&'static str],
) -> Vec<ContractChange> {
    let told: BTreeSet<u32> = changes.iter().filter_map(|change| Some(change.old?.first_line)).collect();
    let unchanged =
        file.old.symbols.iter().filter(|symbol| is_code(symbol.kind) && !told.contains(&symbol.first_line));
    let top_level = unchanged.filter(|symbol| Handle::split(&symbol.name).len() == 1);
    top_level
        .filter_map(|old| {
            let new = file.new.find(&old.name, old.kind)?;
            Some(ContractChange {
                change: words.to_vec(),
                kind: old.kind.as_str(),
                old: SymbolPlace::of(&file.pair.old_path, old),
                new: Some(SymbolPlace::of(&file.pair.path, new)),
                only_less_visible: false,
            })
        })
        .collect()
}
