//! Imports and exports of a file, as written.

use crate::{Atom, Modifiers, Visibility};

/// An import of a name, of all names, or of a whole module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// What is imported.
    pub kind: ImportKind,
    /// The module, path or namespace as written, without quotes.
    pub module: Atom,
    /// The imported item, for [`ImportKind::Item`].
    pub name: Option<Atom>,
    /// The local name, if it is given.
    pub alias: Option<Atom>,
    /// Whether it is re-exported: `pub use`, `export … from`.
    pub reexport: bool,
    /// Visibility of a re-export, and modifiers such as `static`.
    pub visibility: Visibility,
    /// Modifiers of the statement.
    pub modifiers: Modifiers,
    /// The scope in which it is visible, as an index into the file's scopes.
    pub scope: u32,
    /// Its start.
    pub at: u32,
    /// Its line, counted from 1.
    pub line: u32,
}

/// What an import imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ImportKind {
    /// The module itself under a name: `import os`, `import * as x from "y"`.
    Module = 0,
    /// One item of it: `from os import path`.
    Item = 1,
    /// Its default item: `import x from "y"`.
    Default = 2,
    /// All its public items: `from os import *`.
    Wildcard = 3,
    /// No name; the module is executed or included: `import "y"`, `#include <x>`.
    Effect = 4,
    /// A template that is rendered here: `{% include "x.html" %}`.
    Template = 5,
}

impl ImportKind {
    /// The word users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Item => "item",
            Self::Default => "default",
            Self::Wildcard => "wildcard",
            Self::Effect => "effect",
            Self::Template => "template",
        }
    }
}

/// An export statement: `export { a as b }`, `export default x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The local name; empty for an expression without one.
    pub name: Atom,
    /// The exported name.
    pub public: Atom,
    /// Its start.
    pub at: u32,
    /// Its line, counted from 1.
    pub line: u32,
}
