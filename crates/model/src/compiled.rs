//! What a compiler says about a file: uses with the symbols they mean, and what its symbols implement.

use crate::RepoPath;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The uses and relationships of one content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledFile {
    /// What is used, each once.
    pub targets: Vec<CompiledTarget>,
    /// The uses, by position.
    pub uses: Vec<CompiledUse>,
    /// Symbols of the file and what they implement.
    pub relations: Vec<CompiledRelation>,
    /// Every file that the compiler saw: what it calls external is not in one of them.
    pub seen: Arc<BTreeSet<RepoPath>>,
}

/// A use of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompiledUse {
    /// The offset of the name.
    pub at: u32,
    /// Its line, counted from 1.
    pub line: u32,
    /// What it means, as an index into the targets.
    pub target: u32,
    /// Whether it imports the symbol.
    pub imports: bool,
}

/// What a use means.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompiledTarget {
    /// A symbol of the repository.
    Inside(CompiledSymbol),
    /// Something outside the repository.
    Outside {
        /// The package; empty if it names none.
        package: String,
        /// The name.
        name: String,
    },
}

/// A symbol of the repository. It is found by its qualified name, so that it is still found after an edit of its file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CompiledSymbol {
    /// Its file.
    pub path: RepoPath,
    /// Names from the outermost container to the symbol itself.
    pub names: Vec<String>,
    /// Its place among the symbols of the file with the same qualified name, from 0.
    pub ordinal: u32,
    /// Its index among the symbols of the file, where it is looked for first.
    pub hint: u32,
}

/// A symbol of the file that implements, overrides or inherits another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompiledRelation {
    /// The symbol, as an index into the targets.
    pub symbol: u32,
    /// The base, likewise.
    pub base: u32,
}

impl CompiledFile {
    /// What the use at an offset means.
    pub fn target_at(&self, at: u32) -> Option<&CompiledTarget> {
        let found = self.uses.binary_search_by_key(&at, |one| one.at).ok()?;
        self.targets.get(self.uses[found].target as usize)
    }
}
