//! The lookups of a session in the repository. Each is recorded; nothing else reaches the repository.

use crate::file::{FileRef, FileUnit};
use crate::invalidation::lookups::{
    Kinds, Reach, anywhere_key, has_program_scope, is_decided_by_kind, is_within, may_be_within,
};
use crate::invalidation::slots::path_key;
use crate::modules::DirectIncludes;
use crate::session::{Namesake, Session};
use crate::types::ty::SymbolId;
use orient_model::Rules;
use std::rc::Rc;
use std::sync::Arc;

/// The part of a path that the result depends on, of those in [`path_keys`](crate::invalidation::slots::path_keys). A search that
/// tries many paths of one name depends on the name; where the name is that of thousands of files, on the whole path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKey {
    /// The whole path, without the extension.
    Whole,
    /// The name of the file, without extensions.
    Name,
    /// The name of its directory.
    Directory,
}

impl Session<'_> {
    /// A file. The result depends on it, and on what is read of it.
    pub(crate) fn unit(&self, file: u32) -> Option<FileRef> {
        self.queries.units.get_or_insert(&file, || {
            let unit = self.resolver.unit(file)?;
            if Some(file) == self.file {
                return Some(FileRef::own(unit));
            }
            self.dependencies.on_file(file);
            Some(FileRef::other(unit, Rc::clone(&self.dependencies)))
        })
    }

    /// The file of a symbol.
    pub(crate) fn unit_of(&self, sym: SymbolId) -> Option<FileRef> {
        self.unit(sym.file)
    }

    /// The symbols of a name within reach, in files of a language family, by path and position.
    pub(crate) fn symbols_within(&self, rules: &Rules, name: &str, reach: Reach<'_>) -> Vec<Namesake> {
        self.find_symbols((&rules.family, rules), name, reach, None)
    }

    /// The symbols of a name in files of another language family: all, or those that markup names.
    pub(crate) fn symbols_in_family(&self, family: &str, name: &str, markup: bool) -> Vec<Namesake> {
        let reach = if markup { Reach::Markup } else { Reach::Anywhere };
        self.find_symbols((family, &Rules::default()), name, reach, None)
    }

    /// The same, and all symbols of the name in one file.
    pub(crate) fn symbols_within_or_in(
        &self,
        rules: &Rules,
        name: &str,
        reach: Reach<'_>,
        file: u32,
    ) -> Vec<Namesake> {
        // It is read, so it is a dependency; the name is the slot.
        self.unit(file);
        self.find_symbols((&rules.family, rules), name, reach, Some(file))
    }

    fn find_symbols(
        &self,
        (family, rules): (&str, &Rules),
        name: &str,
        reach: Reach<'_>,
        also: Option<u32>,
    ) -> Vec<Namesake> {
        debug_assert!(reach != Reach::Program || has_program_scope(rules), "nothing would invalidate it");
        match reach {
            Reach::Anywhere => self.dependencies.on_key(&anywhere_key(name)),
            Reach::Inside(container) => self.dependencies.on_key(container),
            Reach::Types | Reach::Parts | Reach::Extensions | Reach::Markup | Reach::Program => {}
        }
        let named = self.symbols_named(family, name);
        let is_found = |one: &&Namesake| {
            if also == Some(one.sym.file) {
                return true;
            }
            let may_be_found = may_be_within(reach, one.kind, one.modifiers, rules);
            if !may_be_found || is_decided_by_kind(reach) {
                return may_be_found;
            }
            // Not recorded: the reach is, and that is all that is read here.
            let Some(unit) = self.unrecorded(one.sym.file) else { return false };
            let symbol = unit.symbol(one.sym.at);
            symbol.is_some_and(|symbol| is_within(reach, unit.outline(), unit.rules(), one.sym.at, symbol))
        };
        named.iter().filter(is_found).copied().collect()
    }

    /// A file for a look at what a lookup finds.
    fn unrecorded(&self, file: u32) -> Option<Arc<FileUnit>> {
        // What the session has read already is at hand without a lock.
        match self.queries.units.get(&file) {
            Some(known) => known.map(|unit| Arc::clone(unit.unrecorded())),
            None => self.resolver.unit(file),
        }
    }

    /// The symbols of a name in one of the files that a file reads textually.
    pub(crate) fn included_symbols(
        &self,
        rules: &Rules,
        name: &str,
        is_included: impl Fn(u32) -> bool,
    ) -> Vec<Namesake> {
        let named = self.symbols_named(&rules.family, name);
        named.iter().filter(|one| is_included(one.sym.file)).copied().collect()
    }

    /// The kinds of all symbols of a name in files of a language family.
    pub(crate) fn kinds_named(&self, rules: &Rules, name: &str) -> Kinds {
        Kinds::of(self.symbols_named(&rules.family, name).iter().map(|one| one.kind))
    }

    fn symbols_named(&self, family: &str, name: &str) -> Arc<[Namesake]> {
        if *family != *self.family {
            self.dependencies.on_key(name);
            return self.resolver.symbols_named(family, name);
        }
        self.queries.symbols_by_name.get_or_insert(name, || {
            self.dependencies.on_key(name);
            self.resolver.symbols_named(family, name)
        })
    }

    /// The file at a path.
    pub(crate) fn file_at(&self, path: &str) -> Option<u32> {
        self.first_file_at([path.to_owned()], PathKey::Whole)
    }

    /// The first file at one of several paths.
    pub(crate) fn first_file_at(&self, paths: impl IntoIterator<Item = String>, key: PathKey) -> Option<u32> {
        paths.into_iter().find_map(|path| {
            match key {
                PathKey::Whole => self.dependencies.on_key(&path_key(without_extension(&path))),
                PathKey::Name => self.dependencies.on_key(stem(&path)),
                PathKey::Directory => match path.rsplit('/').nth(1) {
                    Some(directory) => {
                        self.dependencies.on_key(directory.split('.').next().unwrap_or_default());
                    }
                    None => self.dependencies.on_key(&path_key(without_extension(&path))),
                },
            }
            self.resolver.repository.file_at(&path.as_str().into())
        })
    }

    /// The files whose path is this, or ends with it after a `/`, by path.
    pub(crate) fn files_ending_with(&self, path: &str) -> Vec<u32> {
        self.dependencies.on_key(stem(path));
        self.resolver.repository.files_ending_with(path)
    }

    /// The path of a file, which never changes.
    pub(crate) fn path_of(&self, file: u32) -> Option<String> {
        Some(self.resolver.repository.facts(file)?.path.display().into_owned())
    }

    /// The files directly in a directory.
    pub(crate) fn directory(&self, path: &str) -> Rc<[u32]> {
        let name = path.rsplit('/').next().unwrap_or_default();
        self.dependencies.on_key(name.split('.').next().unwrap_or_default());
        self.files_in(path)
    }

    /// The files of a package that is a directory. A file that is added invalidates those that looked up one of its names and
    /// read another file of the directory.
    pub(crate) fn package_files(&self, path: &str) -> Vec<FileRef> {
        self.files_in(path).iter().filter_map(|&file| self.unit(file)).collect()
    }

    /// Whether there are files directly in a directory.
    pub(crate) fn has_files(&self, path: &str) -> bool {
        !self.directory(path).is_empty()
    }

    fn files_in(&self, path: &str) -> Rc<[u32]> {
        let find = || self.resolver.repository.directory(&path.into()).into();
        self.queries.directory_files.get_or_insert(path, find)
    }

    /// The direct includes of a file. They are found along the includes, so they need no dependency on the file.
    pub(crate) fn includes_of(
        &self,
        file: u32,
        find: impl FnOnce(&FileRef) -> DirectIncludes,
    ) -> Arc<DirectIncludes> {
        self.resolver.includes(file, || {
            self.resolver.unit(file).map(|unit| find(&FileRef::own(unit))).unwrap_or_default()
        })
    }
}

/// A file's name without directory and extension.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// A path without the extension of the file.
fn without_extension(path: &str) -> &str {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    path[name..].find('.').map_or(path, |dot| &path[..name + dot])
}
