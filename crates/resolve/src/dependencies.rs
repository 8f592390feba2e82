//! The dependencies of a resolution: the names it looked up and the files it read. A change of one of them invalidates it.

use crate::invalidation::name_reach;
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
    /// Depends on all definitions of a name in other files. An empty name defines nothing, and would make the file depend
    /// on every change.
    pub(crate) fn on_name(&self, name: &str) {
        if name.is_empty() {
            return;
        }
        let mut names = self.names.borrow_mut();
        if !names.contains(name) {
            names.insert(name.into());
        }
    }

    /// Depends on what is declared directly inside of the container of a full name: `Cart` of `shop.Cart.add`.
    pub(crate) fn on_container(&self, full: &str) {
        self.on_name(name_reach::container(full).unwrap_or_default());
    }

    /// Depends on the facts of a file.
    pub(crate) fn on_file(&self, file: u32) {
        self.files.borrow_mut().insert(file);
    }

    /// Adds the dependencies to the result of resolving a file, sorted; a file does not depend on itself.
    pub(crate) fn finish(self, own: u32, resolved: &mut Resolved) {
        resolved.file_dependencies =
            self.files.into_inner().into_iter().filter(|&file| file != own).collect();
        resolved.file_dependencies.sort_unstable();
        resolved.name_dependencies = self.names.into_inner().into_iter().map(Into::into).collect();
        resolved.name_dependencies.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_sorted_without_duplicates_and_without_the_file_itself() {
        let dependencies = Dependencies::default();
        dependencies.on_name("b");
        dependencies.on_name("");
        dependencies.on_container("shop.Cart.add");
        dependencies.on_container("add");
        dependencies.on_name("b");
        for file in [3, 1, 2, 3] {
            dependencies.on_file(file);
        }
        let mut resolved = Resolved::default();
        dependencies.finish(2, &mut resolved);
        assert_eq!(resolved.name_dependencies, ["Cart", "b"]);
        assert_eq!(resolved.file_dependencies, [1, 3]);
    }
}
