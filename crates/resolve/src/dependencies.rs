//! The dependencies of a resolution: what it looked up, and the slots of other files that it read. A change of one of them
//! invalidates it.
//!
//! A slot is stored as its key, beside the files that were read: a file depends on a slot of another if it depends on the key and
//! on the file. So a file that read `add` of one file and `remove` of another is resolved again as well if the first gets another
//! `remove`: the lists stay short, and nothing that was read is missing.

use crate::invalidation::slots::Slot;
use orient_model::Resolved;
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// What one file's resolution depends on so far.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    names: RefCell<FxHashSet<Box<str>>>,
    files: RefCell<FxHashSet<u32>>,
}

impl Dependencies {
    /// Depends on a key. An empty one defines nothing, and would make the file depend on every change.
    pub(crate) fn on_key(&self, key: &str) {
        if key.is_empty() {
            return;
        }
        let mut names = self.names.borrow_mut();
        if !names.contains(key) {
            names.insert(key.into());
        }
    }

    /// Depends on a slot of the files that were read.
    pub(crate) fn on_slot(&self, slot: Slot<'_>) {
        self.on_key(&slot.key());
    }

    /// Depends on a file. A slot that is the same for all files, such as the wildcard imports, needs no key of its own.
    pub(crate) fn on_file(&self, file: u32) {
        self.files.borrow_mut().insert(file);
    }

    /// Adds the dependencies to the result of resolving a file, sorted; a file does not depend on itself.
    pub(crate) fn finish(&self, own: Option<u32>, resolved: &mut Resolved) {
        let (names, files) = (self.names.take(), self.files.take());
        resolved.file_dependencies = files.into_iter().filter(|&file| Some(file) != own).collect();
        resolved.file_dependencies.sort_unstable();
        resolved.name_dependencies = names.into_iter().map(Into::into).collect();
        resolved.name_dependencies.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_sorted_without_duplicates_and_without_the_file_itself() {
        let dependencies = Dependencies::default();
        dependencies.on_slot(Slot::Name("b"));
        dependencies.on_slot(Slot::Name(""));
        dependencies.on_slot(Slot::Body("b"));
        dependencies.on_key("b");
        for file in [3, 1, 2, 3] {
            dependencies.on_file(file);
        }
        let mut resolved = Resolved::default();
        dependencies.finish(Some(2), &mut resolved);
        assert_eq!(resolved.name_dependencies, ["b", "b/body"]);
        assert_eq!(resolved.file_dependencies, [1, 3]);
    }
}
