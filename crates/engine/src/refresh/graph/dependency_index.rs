//! Dependency lookups in a change set: who depends on a name or a file.

use super::invalidation::DependencyIndex;
use crate::extraction;
use orient_model::EdgeKind;
use orient_resolve::Kinds;
use orient_store::{ChangeSet, Dependencies, FileId, NodeId, StoreError};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Answers the invalidation queries from a change set; memoised for one plan.
pub(crate) struct ChangeSetDependencies<'s, 'w> {
    set: &'s ChangeSet<'w>,
    depends: HashMap<FileId, Dependencies>,
    names: HashMap<String, Option<i64>>,
    includers: HashMap<FileId, HashSet<FileId>>,
}

impl<'s, 'w> ChangeSetDependencies<'s, 'w> {
    pub(crate) fn new(set: &'s ChangeSet<'w>) -> Self {
        Self { set, depends: HashMap::new(), names: HashMap::new(), includers: HashMap::new() }
    }

    fn depends(&mut self, file: FileId) -> Result<&Dependencies, StoreError> {
        if !self.depends.contains_key(&file) {
            self.depends.insert(file, self.set.reader().depends(file)?);
        }
        Ok(&self.depends[&file])
    }

    fn name(&mut self, name: &str) -> Result<Option<i64>, StoreError> {
        if let Some(&known) = self.names.get(name) {
            return Ok(known);
        }
        let id = self.set.reader().name_id(name)?;
        self.names.insert(name.to_owned(), id);
        Ok(id)
    }

    /// The files that include a file, transitively: its text is part of theirs.
    fn includers(&mut self, file: FileId) -> Result<&HashSet<FileId>, StoreError> {
        if !self.includers.contains_key(&file) {
            // The includes of owed files are unknown: any of them may include this file.
            let mut next = self.set.owed()?;
            next.push(file);
            let mut found: HashSet<FileId> = next.iter().copied().collect();
            while let Some(file) = next.pop() {
                let edges = self.set.reader().incoming(NodeId::from(file))?;
                let imports = edges.iter().filter(|edge| edge.kind == EdgeKind::Imports);
                next.extend(imports.filter_map(|edge| edge.source.file()).filter(|&from| found.insert(from)));
            }
            self.includers.insert(file, found);
        }
        Ok(&self.includers[&file])
    }
}

/// Whether a language family includes files textually.
fn includes(family: &str) -> bool {
    extraction::family(family).is_some_and(|family| family.includes)
}

fn languages_of(family: &str) -> &'static [&'static str] {
    extraction::family(family).map_or(&[], |family| &family.languages)
}

impl DependencyIndex for ChangeSetDependencies<'_, '_> {
    fn dependents_of_name(&mut self, name: &str, family: Option<&str>) -> Result<Vec<FileId>, StoreError> {
        match family {
            None => self.set.reader().dependents_of_name(name),
            Some(family) => {
                let observers = extraction::family(family).map_or(&[][..], |family| &family.observers);
                self.set.reader().dependents_of_name_in(name, observers)
            }
        }
    }

    fn files_under(&mut self, directory: &[u8]) -> Result<Vec<FileId>, StoreError> {
        Ok(self.set.reader().indexed_under(directory)?.into_iter().map(|file| file.id).collect())
    }

    fn depends_on_file(&mut self, dependent: FileId, file: FileId, family: &str) -> Result<bool, StoreError> {
        if includes(family) && self.includers(file)?.contains(&dependent) {
            return Ok(true);
        }
        Ok(self.depends(dependent)?.has_file(file))
    }

    fn dependents_of_files(&mut self, files: &BTreeMap<FileId, &str>) -> Result<Vec<FileId>, StoreError> {
        let mut found = self.set.reader().dependents_of_files(|file| files.contains_key(&file))?;
        for (&file, family) in files {
            if includes(family) {
                found.extend(self.includers(file)?);
            }
        }
        Ok(found)
    }

    fn depends_on_name(&mut self, dependent: FileId, name: &str) -> Result<bool, StoreError> {
        let Some(name) = self.name(name)? else { return Ok(false) };
        Ok(self.depends(dependent)?.has_name(name))
    }

    fn kinds(
        &mut self,
        name: &str,
        family: &str,
        without: &BTreeSet<FileId>,
        enough: Kinds,
    ) -> Result<Kinds, StoreError> {
        let mut seen = Kinds::default();
        self.set.reader().each_kind(name, languages_of(family), |file, kind| {
            if !without.contains(&file) {
                seen.0 |= Kinds::of([kind]).0;
            }
            seen.0 & enough.0 != enough.0
        })?;
        Ok(seen)
    }
}
