//! What a file takes from others and gives to them, as written.

use crate::{Atom, Modifiers, Visibility};

/// One name (or all names, or a whole module) brought in from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// What is brought in.
    pub kind: ImportKind,
    /// The module, path or namespace as written, without quotes.
    pub module: Atom,
    /// The item asked of the module, for [`ImportKind::Item`].
    pub name: Option<Atom>,
    /// The name it gets here, where that is said.
    pub alias: Option<Atom>,
    /// Passed on to those who import this file: `pub use`, `export … from`.
    pub reexport: bool,
    /// Visibility of a re-export, and modifiers such as `static`.
    pub visibility: Visibility,
    /// Modifiers of the statement.
    pub modifiers: Modifiers,
    /// The scope it holds in, as an index into the file's scopes.
    pub scope: u32,
    /// Where it starts.
    pub at: u32,
    /// Its line, counted from 1.
    pub line: u32,
}

/// What an import brings in.
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
    /// Nothing by name; it is run or pasted: `import "y"`, `#include <x>`.
    Effect = 4,
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
        }
    }
}

/// A name given to other files by a statement of its own: `export { a as b }`, `export default x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The name here; empty for an expression without one.
    pub name: Atom,
    /// The name others see.
    pub public: Atom,
    /// Where it starts.
    pub at: u32,
    /// Its line, counted from 1.
    pub line: u32,
}
