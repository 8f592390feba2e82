//! Symbols: definitions with their kind, name and span.

use crate::{Atom, Modifiers, Span, SymbolKind, Visibility};

/// What the name of an anonymous type ends with, after the type that it extends or implements: `Runnable{}`.
pub const ANONYMOUS: &str = "{}";

/// A definition in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What it is.
    pub kind: SymbolKind,
    /// Its own name, without container.
    pub name: Atom,
    /// The symbol around it in the same file, as an index into the file's symbols; always smaller than its own.
    pub parent: Option<u32>,
    /// A container named at the definition itself: `Foo` in `void Foo::bar()`, `Server` in `func (s *Server) Run()`.
    pub qualifier: Option<Atom>,
    /// Its place among the symbols of the file with the same qualified name, from 0.
    pub ordinal: u32,
    /// Who may use it.
    pub visibility: Visibility,
    /// What else the header says.
    pub modifiers: Modifiers,
    /// All of it: attributes, header and body, without the documentation before it.
    pub span: Span,
    /// The name where it is declared.
    pub name_span: Span,
    /// From after the attributes to before the body.
    pub header: Span,
    /// The body, where there is one.
    pub body: Option<Span>,
    /// The header as written, white space folded, capped.
    pub signature: Atom,
    /// Parameters as written.
    pub params: Vec<Param>,
    /// Return or value type as written.
    pub returns: Option<Atom>,
    /// Documentation, comment marks removed, capped.
    pub doc: Option<Atom>,
    /// Attributes, annotations, decorators: as written, without the marks around them.
    pub attributes: Vec<Atom>,
    /// What it inherits from, as written.
    pub bases: Vec<Base>,
    /// Hash of the tokens of the body; zero without one.
    pub body_hash: u64,
    /// How complex its body is, for a function of a language whose decisions are known.
    pub complexity: Option<Complexity>,
}

/// Measures of the control flow of a function, without the functions that are defined in it by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Complexity {
    /// `McCabe`'s cyclomatic complexity: one more than the number of decisions, at least 1.
    pub cyclomatic: u32,
    /// Cognitive complexity: breaks in the linear flow, each weighted by its nesting.
    pub cognitive: u32,
    /// The deepest nesting of branches, loops and anonymous functions.
    pub nesting: u32,
}

/// A parameter as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name; empty where the language lets it be left out.
    pub name: Atom,
    /// Its type as written.
    pub ty: Option<Atom>,
    /// Whether it has a default value.
    pub default: bool,
    /// Whether it takes any number of arguments.
    pub variadic: bool,
}

/// Something a type inherits from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The type as written.
    pub text: Atom,
    /// Its bare name: the last segment, without arguments.
    pub name: Atom,
    /// How it is inherited.
    pub relation: Relation,
}

/// How a base is inherited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Relation {
    /// A superclass, or a base whose kind the language does not tell.
    Extends = 0,
    /// An interface, trait or protocol.
    Implements = 1,
    /// Mixed in or embedded.
    Mixes = 2,
}

impl Relation {
    /// The word users and packs write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extends => "extends",
            Self::Implements => "implements",
            Self::Mixes => "mixes",
        }
    }
}

impl std::str::FromStr for Relation {
    type Err = ();
    fn from_str(word: &str) -> Result<Self, ()> {
        [Self::Extends, Self::Implements, Self::Mixes].into_iter().find(|r| r.as_str() == word).ok_or(())
    }
}
