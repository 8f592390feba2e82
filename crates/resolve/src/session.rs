//! The resolution of one file: its memo tables, its limits and its dependencies.

use crate::calls::argument_types::ParamTypes;
use crate::dependencies::Dependencies;
use crate::file::FileRef;
use crate::limits::Limits;
use crate::memo_tables::MemoTables;
use crate::modules::WILDCARD_ROUNDS;
use crate::resolver::Resolver;
use crate::types::ty::SymbolId;
use orient_model::{Modifiers, Resolved, SymbolKind};
use std::cell::Cell;
use std::rc::Rc;

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
        self.unit.scope(self.scope)?.symbol
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
    /// The file that is resolved; none if the answer is shared between files.
    pub(crate) file: Option<u32>,
    /// The family of its language.
    pub(crate) family: Box<str>,
    /// Parameter types that follow from the calls in the file.
    pub(crate) param_types: ParamTypes,
    pub(crate) queries: MemoTables,
    pub(crate) limits: Limits,
    pub(crate) dependencies: Rc<Dependencies>,
    /// The number of type parameters of the type that the next lookup is for.
    pub(crate) arity: Cell<Option<usize>>,
    /// The rounds in which the paths of wildcard imports are found. Without a round, wildcard imports bring in nothing.
    pub(crate) wildcard_rounds: u8,
}

impl<'r> Session<'r> {
    pub(crate) fn new(resolver: &'r Resolver<'r>, file: u32, param_types: ParamTypes) -> Self {
        let family = resolver.unit(file).map(|unit| unit.rules().family.as_str().into()).unwrap_or_default();
        Self {
            resolver,
            file: Some(file),
            family,
            param_types,
            queries: MemoTables::default(),
            limits: Limits::new(),
            dependencies: Rc::default(),
            arity: Cell::new(None),
            wildcard_rounds: WILDCARD_ROUNDS,
        }
    }

    /// A session that resolves the targets of a file's wildcard imports. It knows the names that this number of rounds before it brought in.
    pub(crate) fn for_wildcards(resolver: &'r Resolver<'r>, file: u32, rounds: u8) -> Self {
        Self { file: None, wildcard_rounds: rounds, ..Self::new(resolver, file, ParamTypes::default()) }
    }

    /// Starts over with better parameter types. The dependencies so far remain.
    pub(crate) fn again(self, param_types: ParamTypes) -> Self {
        Self {
            queries: self.queries.without_types(),
            param_types,
            limits: Limits::new(),
            arity: Cell::new(None),
            ..self
        }
    }

    /// Begins with another reference, which gets steps of its own.
    pub(crate) fn start_reference(&self) {
        self.limits.start_reference();
    }

    /// Runs `descend` one level deeper; nothing if that leads too far.
    pub(crate) fn nested<T>(&self, descend: impl FnOnce() -> T) -> Option<T> {
        self.limits.nested(descend)
    }

    /// Ends the resolution: adds the dependencies to the result.
    pub(crate) fn finish(self, resolved: &mut Resolved) {
        self.queries.units.each(|unit| unit.iter().for_each(FileRef::finish));
        self.dependencies.finish(self.file, resolved);
    }

    /// The kind of a symbol.
    pub(crate) fn kind(&self, sym: SymbolId) -> Option<SymbolKind> {
        self.unit_of(sym)?.kind(sym.at)
    }
}
