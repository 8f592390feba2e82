//! What a compiler says about a file: uses with the symbols they mean, and what its symbols implement.

use crate::{ContentHash, RepoPath, ServiceStatus};
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
    /// How completely it described the file.
    pub status: ServiceStatus,
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
        /// Whether the compiler showed the file of the definition. If it only named a package, that package may be a part of the repository.
        is_located: bool,
    },
    /// The compiler was asked and names no symbol: our rules decide, and it is not asked again.
    Unknown,
}

/// A symbol of the repository. It is found by its qualified name, so that it is still found after an edit of its file, unless the file must have
/// a certain content.
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
    /// The content of its file that the compiler saw. With any other content the symbol counts as gone.
    pub content: Option<ContentHash>,
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

    /// The index of a target among the targets; adds it if it is new.
    pub fn add_target(&mut self, target: CompiledTarget) -> u32 {
        let known = self.targets.iter().position(|known| *known == target);
        known.unwrap_or_else(|| {
            self.targets.push(target);
            self.targets.len() - 1
        }) as u32
    }

    /// Adds what another source says about places that this one says nothing about.
    pub fn absorb(&mut self, weaker: &Self) {
        let first = self.targets.len() as u32;
        self.targets.extend(weaker.targets.iter().cloned());
        let own = self.uses.len();
        for one in &weaker.uses {
            if self.uses[..own].binary_search_by_key(&one.at, |known| known.at).is_err() {
                self.uses.push(CompiledUse { target: first + one.target, ..*one });
            }
        }
        self.uses.sort_unstable_by_key(|one| (one.at, one.target));
        for one in &weaker.relations {
            let ends = [one.symbol, one.base].map(|end| weaker.targets.get(end as usize));
            let known = self
                .relations
                .iter()
                .any(|known| [known.symbol, known.base].map(|end| self.targets.get(end as usize)) == ends);
            if !known {
                self.relations.push(CompiledRelation { symbol: first + one.symbol, base: first + one.base });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(uses: &[(u32, &str)]) -> CompiledFile {
        let mut file = CompiledFile::default();
        for &(at, name) in uses {
            let (package, name) = (String::new(), name.to_owned());
            let target = file.add_target(CompiledTarget::Outside { package, name, is_located: false });
            file.uses.push(CompiledUse { at, line: 1, target, imports: false });
        }
        file.relations.push(CompiledRelation { symbol: 0, base: 0 });
        file
    }

    #[test]
    fn a_weaker_source_adds_only_what_the_stronger_leaves_open() {
        let name = |file: &CompiledFile, at| match file.target_at(at) {
            Some(CompiledTarget::Outside { name, .. }) => name.clone(),
            _ => String::new(),
        };
        let mut strong = file(&[(10, "f"), (30, "g")]);
        strong.absorb(&file(&[(10, "other"), (20, "h")]));
        assert_eq!([10, 20, 30].map(|at| name(&strong, at)), ["f", "h", "g"]);
        assert_eq!(strong.relations.len(), 2, "they are about different symbols");
        strong.absorb(&file(&[(10, "f")]));
        assert_eq!((strong.uses.len(), strong.relations.len()), (3, 2));
    }
}
