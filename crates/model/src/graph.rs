//! The graph: edges between symbols with their evidence, external and unresolved references.

use crate::{RefKind, Surface};

words! {
    /// What one symbol has to do with another. The numbers are stored: never reuse one.
    EdgeKind {
        /// Calls it.
        Calls = 0, "calls";
        /// Makes an instance of it.
        Constructs = 1, "constructs";
        /// Reads, writes or names it.
        References = 2, "references";
        /// Uses it as a type.
        TypeOf = 3, "type_of";
        /// Is a kind of it: a superclass, or a base whose kind is not told.
        Inherits = 4, "inherits";
        /// Does what it promises: an interface or trait.
        Implements = 5, "implements";
        /// Overrides this member of a base.
        Overrides = 6, "overrides";
        /// Brings it in from another file.
        Imports = 7, "imports";
        /// Takes these properties: a component and their type.
        Accepts = 8, "accepts";
        /// Adds a member to this type from elsewhere.
        Extends = 9, "extends";
        /// May reach this implementation when it is called.
        Dispatches = 10, "dispatches";
        /// Hands it to a framework, which calls it: a route and its handler.
        Registers = 11, "registers";
        /// Names this function without calling it: passes, returns or stores it. Its receiver may call it.
        Passes = 12, "passes";
        /// Runs its code by loading it: an import and the top-level code of the module. Derived, never stored.
        Runs = 13, "runs";
        /// Sends a request to the endpoint that it handles. Derived, never stored.
        Requests = 14, "requests";
    }
}

words! {
    /// How sure we are of an edge. Lower is surer; the numbers are stored.
    Confidence {
        /// The language's own rules lead here and nowhere else.
        Exact = 0, "exact";
        /// Where values go as far as we follow them, or one of a few that may be meant.
        Probable = 1, "probable";
        /// It has the name, and little else is known.
        Approximate = 2, "approximate";
    }
}

words! {
    /// The rule that proved an edge: the step that decided. The numbers are stored: never reuse one.
    Rule {
        /// The name is bound in a scope around its use.
        Scope = 0, "scope";
        /// An import names it.
        Import = 1, "import";
        /// A file that passes it on was followed.
        Reexport = 2, "reexport";
        /// An import brings in everything of a module, and the module has it.
        Wildcard = 3, "wildcard";
        /// The package, directory or namespace is shared.
        Package = 4, "package";
        /// It is named by its full name.
        Qualified = 5, "qualified";
        /// An included file declares it.
        Include = 6, "include";
        /// A member of the receiver's own type.
        Receiver = 7, "receiver";
        /// A member of the base, asked for as such.
        Super = 8, "super";
        /// A member that comes from a base, trait, mixin or embedded type.
        Inherited = 9, "inherited";
        /// A member of a type that is declared for the value.
        Declared = 10, "declared";
        /// A member of a type that follows from the value's initialiser or a call's result.
        Inferred = 11, "inferred";
        /// A member of a module, namespace or type that is named.
        Static = 12, "static";
        /// What makes an instance of the type.
        Constructor = 13, "constructor";
        /// A member added to the type from elsewhere.
        Extension = 14, "extension";
        /// A function that went through a variable.
        Value = 15, "value";
        /// A function given as an argument to one that calls it.
        Argument = 16, "argument";
        /// A declaration and the only definition it can have.
        Linked = 17, "linked";
        /// A member with the name and parameters of an interface's.
        Implementation = 18, "implementation";
        /// A name the whole program shares.
        Global = 19, "global";
        /// What the language calls without being named: an operator, a loop, a `with`.
        Implicit = 20, "implicit";
        /// Only the name fits.
        Name = 21, "name";
        /// A fixture that a test runner injects by name.
        Fixture = 22, "fixture";
        /// Code that a test runner runs before or after a test: its setup, or the suite around it.
        Setup = 23, "setup";
        /// A rule of a framework says that it is called: a registered handler.
        Framework = 24, "framework";
        /// A compiler says so.
        Compiler = 25, "compiler";
        /// A container is told to provide it for that type.
        Injected = 26, "injected";
        /// Markup names a component by its file name or selector, without an import.
        Component = 27, "component";
        /// A template is named by its path, or belongs to what renders it by its place.
        Template = 28, "template";
        /// A style sheet selects the class or id that markup names, or declares the property that a style uses.
        Selector = 29, "selector";
        /// A URL leads to the endpoint.
        Endpoint = 30, "endpoint";
    }
}

words! {
    /// Why a use was not resolved. The numbers are stored: never reuse one.
    Reason {
        /// Nothing of this name is known.
        Unknown = 0, "nothing of this name is known";
        /// The type of the receiver is not known.
        Receiver = 1, "the type of the receiver is not known";
        /// The type is known and has no such member.
        Member = 2, "the type has no such member";
        /// Several fit, and nothing says which.
        Ambiguous = 3, "several definitions fit";
        /// The import leads to no file that is known.
        Module = 4, "the module was not found";
        /// It is computed while the program runs.
        Computed = 5, "it is computed when the program runs";
        /// The type has no such member, and a base that is not here may have one.
        Base = 6, "a base outside of the repository may have it";
    }
}

/// A symbol of a file, or the file itself, by the numbers that the caller of the resolver assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// The file.
    pub file: u32,
    /// The symbol, as an index into the file's symbols; `None` for the file itself or its top-level code.
    pub symbol: Option<u32>,
}

/// An edge of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Its source.
    pub from: Node,
    /// Its kind.
    pub kind: EdgeKind,
    /// Its target.
    pub to: Node,
    /// The line of the evidence, in the file of `from`.
    pub line: u32,
    /// The confidence.
    pub confidence: Confidence,
    /// The rule that proved it.
    pub rule: Rule,
}

/// A reference to something outside the repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExternalReference {
    /// The innermost enclosing symbol.
    pub from: Option<u32>,
    /// The kind of reference.
    pub kind: RefKind,
    /// The package or module as the source names it; empty for built-in names.
    pub package: String,
    /// The name in that package.
    pub name: String,
    /// Its line.
    pub line: u32,
}

/// A reference that was not resolved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnresolvedReference {
    /// The innermost enclosing symbol.
    pub from: Option<u32>,
    /// The kind of reference.
    pub kind: RefKind,
    /// The last name of the reference, which its candidates share.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// The reason.
    pub reason: Reason,
}

/// The result of resolving one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The edges of this file, sorted, without duplicates.
    pub edges: Vec<Edge>,
    /// External references, sorted.
    pub external: Vec<ExternalReference>,
    /// Unresolved references, sorted.
    pub unresolved: Vec<UnresolvedReference>,
    /// Every name whose definitions elsewhere the result depends on, sorted, without duplicates.
    pub name_dependencies: Vec<String>,
    /// The other files whose facts were read, sorted, without duplicates.
    pub file_dependencies: Vec<u32>,
    /// What the file says about the surface of the program.
    pub surface: Surface,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_lead_back() {
        for &kind in EdgeKind::ALL {
            assert_eq!((kind.as_str().parse(), EdgeKind::from_number(kind as u8)), (Ok(kind), Some(kind)));
        }
        for &rule in Rule::ALL {
            assert_eq!((rule.as_str().parse(), Rule::from_number(rule as u8)), (Ok(rule), Some(rule)));
        }
        for &confidence in Confidence::ALL {
            assert_eq!(confidence.as_str().parse(), Ok(confidence));
        }
    }
}
