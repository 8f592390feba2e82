//! The resolution of one file: its memo tables, its limits and its dependencies.

use crate::calls::argument_types::ParamTypes;
use crate::dependencies::Dependencies;
use crate::file::file_unit::FileRef;
use crate::invalidation::name_reach;
use crate::limits::Limits;
use crate::memo_tables::MemoTables;
use crate::resolver::Resolver;
use crate::types::ty::SymbolId;
use orient_model::{Modifiers, Resolved, SymbolKind};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// A place to look names up from.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) unit: FileRef,
    pub(crate) scope: u32,
    /// The byte offset: later bindings may not be visible.
    pub(crate) at: u32,
}

impl Site {
    /// The innermost symbol around the place.
    pub(crate) fn symbol(&self) -> Option<u32> {
        self.unit.facts.flow.scopes.get(self.scope as usize)?.symbol
    }
}

/// A symbol with a given name, as far as it is known without reading its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Namesake {
    pub(crate) sym: SymbolId,
    pub(crate) kind: SymbolKind,
    pub(crate) modifiers: Modifiers,
}

/// The resolution of one file.
///
/// The methods are spread over the directories of this crate: `names`, `modules`, `types`, `calls`. What another directory
/// may call is `pub(crate)`; the rest is private to its file or directory.
pub(crate) struct Session<'r> {
    pub(crate) resolver: &'r Resolver<'r>,
    /// The file that is resolved.
    pub(crate) file: u32,
    /// Parameter types that follow from the calls in the file.
    pub(crate) param_types: ParamTypes,
    pub(crate) queries: MemoTables,
    pub(crate) limits: Limits,
    dependencies: Dependencies,
    /// The number of type parameters of the type that the next lookup is for.
    pub(crate) arity: Cell<Option<usize>>,
}

impl<'r> Session<'r> {
    pub(crate) fn new(resolver: &'r Resolver<'r>, file: u32, param_types: ParamTypes) -> Self {
        Self {
            resolver,
            file,
            param_types,
            queries: MemoTables::default(),
            limits: Limits::new(),
            dependencies: Dependencies::default(),
            arity: Cell::new(None),
        }
    }

    /// Starts over with better parameter types. The dependencies so far remain.
    pub(crate) fn again(self, param_types: ParamTypes) -> Self {
        Self { dependencies: self.dependencies, ..Self::new(self.resolver, self.file, param_types) }
    }

    /// Begins with another reference, which gets steps of its own.
    pub(crate) fn start_reference(&self) {
        self.limits.start_reference();
    }

    /// Runs `descend` one level deeper; nothing if that leads too far.
    pub(crate) fn nested<T>(&self, descend: impl FnOnce() -> T) -> Option<T> {
        self.limits.nested(descend)
    }

    /// Makes the result depend on all definitions of a name in other files.
    pub(crate) fn depend_on(&self, name: &str) {
        self.dependencies.on_name(name);
    }

    /// Makes the result depend on what is declared directly inside of the container of a full name.
    pub(crate) fn depend_on_container(&self, full: &str) {
        self.dependencies.on_container(full);
    }

    /// Ends the resolution: adds the dependencies to the result.
    pub(crate) fn finish(self, resolved: &mut Resolved) {
        self.dependencies.finish(self.file, resolved);
    }

    /// Members of this name in files of the language family, whatever type they belong to, sorted by path and position.
    pub(crate) fn members_named(&self, family: &str, name: &str) -> Arc<[Namesake]> {
        self.depend_on(&name_reach::any_member_key(name));
        self.symbols_named(family, name)
    }

    /// All symbols of this name in files of the language family, sorted by path and position.
    ///
    /// [`name_reach`] lists the ways in which a change of these symbols reaches this file. A caller that uses more of a symbol than
    /// is listed there must read its file with [`Session::unit`], which records a file dependency.
    pub(crate) fn symbols_named(&self, family: &str, name: &str) -> Arc<[Namesake]> {
        self.queries.symbols_by_name.get_or_insert(name, || {
            self.depend_on(name);
            self.resolver.symbols_named(family, name)
        })
    }

    /// A file with its lookup tables. The result depends on it.
    pub(crate) fn unit(&self, file: u32) -> Option<FileRef> {
        self.queries.units.get_or_insert(&file, || {
            let unit = self.resolver.unit(file).map(FileRef::new);
            if unit.is_some() {
                self.dependencies.on_file(file);
            }
            unit
        })
    }

    /// The file of a symbol.
    pub(crate) fn unit_of(&self, sym: SymbolId) -> Option<FileRef> {
        self.unit(sym.file)
    }

    /// The files directly in a directory.
    pub(crate) fn directory(&self, path: &str) -> Rc<[u32]> {
        let find = || self.resolver.repository.directory(&path.into()).into();
        self.queries.directory_files.get_or_insert(path, find)
    }

    /// The kind of a symbol.
    pub(crate) fn kind(&self, sym: SymbolId) -> Option<SymbolKind> {
        self.unit_of(sym)?.kind(sym.at)
    }
}
