//! Who depends on what, as the change set at hand knows it.

use crate::extraction;
use crate::refresh::graph::invalidation::Dependents;
use orient_model::EdgeKind;
use orient_resolve::sorts;
use orient_store::{ChangeSet, Dependencies, FileId, NodeId, StoreError};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Answers the planner from a change set; what was read once is remembered while the plan is made.
pub(crate) struct Asked<'s, 'w> {
    set: &'s ChangeSet<'w>,
    depends: HashMap<FileId, Dependencies>,
    names: HashMap<String, Option<i64>>,
    includers: HashMap<FileId, HashSet<FileId>>,
}

impl<'s, 'w> Asked<'s, 'w> {
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

    /// The files that include a file, at any depth: its text counts as theirs.
    fn includers(&mut self, file: FileId) -> Result<&HashSet<FileId>, StoreError> {
        if !self.includers.contains_key(&file) {
            // What those include that have yet to be resolved is not known: it may be this file.
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

/// Whether files of a family stand in the place where others include them.
fn includes(family: &str) -> bool {
    extraction::family(family).is_some_and(|family| family.includes)
}

fn languages_of(family: &str) -> &'static [&'static str] {
    extraction::family(family).map_or(&[], |family| &family.languages)
}

impl Dependents for Asked<'_, '_> {
    fn asking(&mut self, name: &str, family: Option<&str>) -> Result<Vec<FileId>, StoreError> {
        match family {
            None => self.set.reader().dependents_of_name(name),
            Some(family) => self.set.reader().dependents_of_name_in(name, languages_of(family)),
        }
    }

    fn under(&mut self, folder: &[u8]) -> Result<Vec<FileId>, StoreError> {
        Ok(self.set.reader().indexed_under(folder)?.into_iter().map(|file| file.id).collect())
    }

    fn looked(&mut self, asker: FileId, file: FileId, family: &str) -> Result<bool, StoreError> {
        if includes(family) && self.includers(file)?.contains(&asker) {
            return Ok(true);
        }
        Ok(self.depends(asker)?.has_file(file))
    }

    fn looking(&mut self, files: &BTreeMap<FileId, &str>) -> Result<Vec<FileId>, StoreError> {
        let mut found = self.set.reader().dependents_of_files(|file| files.contains_key(&file))?;
        for (&file, family) in files {
            if includes(family) {
                found.extend(self.includers(file)?);
            }
        }
        Ok(found)
    }

    fn asks(&mut self, asker: FileId, name: &str) -> Result<bool, StoreError> {
        let Some(name) = self.name(name)? else { return Ok(false) };
        Ok(self.depends(asker)?.has_name(name))
    }

    fn sorts(
        &mut self,
        name: &str,
        family: &str,
        without: &BTreeSet<FileId>,
        enough: u64,
    ) -> Result<u64, StoreError> {
        let mut seen = 0;
        self.set.reader().each_kind(name, languages_of(family), |file, kind| {
            if !without.contains(&file) {
                seen |= sorts([kind]);
            }
            seen & enough != enough
        })?;
        Ok(seen)
    }
}
