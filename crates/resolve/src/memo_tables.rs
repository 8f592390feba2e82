//! The memo tables of one file's resolution.

use crate::file::FileRef;
use crate::file::file_unit::Members;
use crate::memo::{CycleGuard, Memo, SearchMemo};
use crate::modules::{SeenFrom, TopLevelSymbols, WildcardTarget, Wildcards};
use crate::names::scope_lookup::{BeyondKey, ScopeMemberKey};
use crate::session::Namesake;
use crate::types::hierarchy::Supertypes;
use crate::types::target::{Target, Value};
use crate::types::ty::{Module, SymbolId, Ty};
use orient_model::ExprId;
use std::rc::Rc;
use std::sync::Arc;

/// A binding or a scope: file, index.
pub(crate) type InFile = (u32, u32);
/// An entry of an object literal: file, scope, expression, name.
type EntryKey = (u32, u32, ExprId, Box<str>);
/// An expression at a place: file, scope, expression, position.
type ExprKey = (u32, u32, ExprId, u32);

/// Modules by their name in an import.
type ModulesByName = Memo<Box<str>, Option<Module>>;

/// One memo table for each kind of query, and the cycle guards of queries that are not stored.
#[derive(Default)]
pub(crate) struct MemoTables {
    // Files and names.
    pub(crate) units: Memo<u32, Option<FileRef>>,
    pub(crate) symbols_by_name: Memo<Box<str>, Arc<[Namesake]>>,
    pub(crate) symbols_by_full_name: Memo<Box<str>, Rc<[SymbolId]>>,
    pub(crate) directory_files: Memo<Box<str>, Rc<[u32]>>,
    pub(crate) directory_symbols: Memo<Box<str>, Arc<TopLevelSymbols>>,
    pub(crate) scope_members: Memo<ScopeMemberKey, Rc<[Target]>>,
    pub(crate) beyond_scopes: Memo<BeyondKey, Rc<[Target]>>,
    /// Whether the function with a scope runs with another `self`.
    pub(crate) self_rebinding: Memo<InFile, bool>,

    // Modules.
    pub(crate) imports: Memo<InFile, Rc<[Target]>>,
    /// By the importing file.
    pub(crate) modules: Memo<u32, Rc<ModulesByName>>,
    /// The file of the parent module, by file.
    pub(crate) parent_files: Memo<u32, Option<u32>>,
    /// The wildcard imports of files.
    pub(crate) wildcards: Memo<u32, Arc<Wildcards>>,
    /// All targets that are reachable through wildcard imports, by the scope that they begin in.
    pub(crate) reachable_targets: Memo<(InFile, SeenFrom), Rc<[WildcardTarget]>>,
    /// Directories where absolute module names may start, by file.
    pub(crate) source_roots: Memo<u32, Rc<[String]>>,
    /// The files that a file includes, at any depth.
    pub(crate) included: Memo<u32, Rc<crate::modules::includes::Included>>,
    /// Namespaces and types that a file names, by file and name.
    pub(crate) namespaces: Memo<(u32, Box<str>), Rc<[Target]>>,
    /// Members of modules, by file and hash of the name.
    pub(crate) module_members: SearchMemo<(u32, u64), Rc<[Target]>>,

    // Types.
    pub(crate) targets: Memo<ExprKey, Rc<[Target]>>,
    pub(crate) symbol_types: Memo<SymbolId, Value>,
    pub(crate) binding_values: Memo<InFile, Value>,
    pub(crate) declared_types: Memo<InFile, Ty>,
    /// The types that functions get from the place where they are written, by scope.
    pub(crate) contextual_types: Memo<InFile, Ty>,
    pub(crate) aliases: Memo<SymbolId, Ty>,
    pub(crate) object_entries: Memo<EntryKey, Rc<[Target]>>,
    pub(crate) index_accesses: CycleGuard<ExprKey>,
    pub(crate) declarations: Memo<SymbolId, Rc<[SymbolId]>>,
    pub(crate) canonical: Memo<SymbolId, SymbolId>,
    pub(crate) members: Memo<SymbolId, Arc<Members>>,
    pub(crate) supertypes: Memo<SymbolId, Supertypes>,
    pub(crate) mros: Memo<Ty, Rc<[Ty]>>,

    // Calls.
    pub(crate) return_types: Memo<SymbolId, Value>,
    pub(crate) scope_returns: CycleGuard<InFile>,
}

impl MemoTables {
    /// The answers that no type enters into: they remain right if parameters turn out to have other types.
    pub(crate) fn without_types(self) -> Self {
        Self {
            units: self.units,
            symbols_by_name: self.symbols_by_name,
            symbols_by_full_name: self.symbols_by_full_name,
            directory_files: self.directory_files,
            directory_symbols: self.directory_symbols,
            modules: self.modules,
            parent_files: self.parent_files,
            wildcards: self.wildcards,
            reachable_targets: self.reachable_targets,
            source_roots: self.source_roots,
            included: self.included,
            ..Self::default()
        }
    }
}
