//! Flow: the scopes, bindings, references and assignments of a file.

use crate::{Atom, Expr, ExprId, ExprList, Strings};

/// The inside of a file, as far as resolution needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The strings of this part; its atoms belong to this table alone.
    pub strings: Strings,
    /// Scopes; the first is the file itself, a parent always comes before its children.
    pub scopes: Vec<Scope>,
    /// What is bound in them, in the order of the source.
    pub bindings: Vec<Binding>,
    /// Expressions, each stored once however often it occurs in the file; an operand need not come before what it is
    /// used in. What one means depends on the scope it is looked at from.
    pub exprs: Vec<Expr>,
    /// The runs that [`ExprList`]s point into.
    pub operands: Vec<ExprId>,
    /// What is used where, in the order of the source.
    pub references: Vec<Reference>,
    /// Values put into something other than a plain new name: `self.x = y`, `a[0] = b`, `x = y` again.
    pub assigns: Vec<Assign>,
    /// Values that leave a function.
    pub returns: Vec<Return>,
    /// Where a test of a variable's type has a known outcome, in the order of the source.
    pub narrowings: Vec<Narrowing>,
}

impl Flow {
    /// The expression behind an id; unknown for an id of another file.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs.get(id.0 as usize).copied().unwrap_or(Expr::Unknown)
    }

    /// The expressions of a list.
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        self.operands.get(list.start as usize..(list.start + list.len) as usize).unwrap_or_default()
    }
}

/// A region in which names are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// What opened it.
    pub kind: ScopeKind,
    /// The scope around it.
    pub parent: Option<u32>,
    /// The symbol it belongs to, as an index into the file's symbols: the innermost one around it.
    pub symbol: Option<u32>,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// What opened a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ScopeKind {
    /// The file.
    File = 0,
    /// A module or namespace inside it.
    Module = 1,
    /// A type: its members are not visible by bare name in every language.
    Type = 2,
    /// A function: parameters and body.
    Function = 3,
    /// A block.
    Block = 4,
    /// A comprehension or query.
    Comprehension = 5,
}

impl ScopeKind {
    /// The word packs write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Module => "module",
            Self::Type => "type",
            Self::Function => "function",
            Self::Block => "block",
            Self::Comprehension => "comprehension",
        }
    }
}

/// A name bound in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The scope it is bound in.
    pub scope: u32,
    /// The name.
    pub name: Atom,
    /// By what.
    pub kind: BindingKind,
    /// Its declared type.
    pub ty: Option<ExprId>,
    /// What it is initialised from.
    pub value: Option<ExprId>,
    /// How it comes out of that value.
    pub via: Via,
    /// The span of the name.
    pub at: u32,
    /// The first place where it is visible: where the name stands, or after the value it is initialised from, if that still means an
    /// outer name (`let x = x(1)`).
    pub visible_from: u32,
}

/// What binds a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BindingKind {
    /// A parameter.
    Param,
    /// The receiver, where it is a parameter with a name.
    Receiver,
    /// A local variable.
    Local,
    /// A type parameter.
    TypeParam,
    /// A symbol of this file, as an index into its symbols.
    Symbol(u32),
    /// An import, as an index into the file's imports.
    Import(u32),
    /// A name of an outer scope that this scope assigns to: `global x`, `nonlocal x`.
    Outer,
}

/// How a name comes out of the value it is bound from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Via {
    /// It is the value.
    #[default]
    Value,
    /// It is each element in turn: `for x in xs`.
    Element,
    /// It is what entering the value gives: `with open() as f`.
    Enter,
    /// It is what a channel or iterator delivers, or the key of a collection: `for x := range xs`.
    Delivered,
    /// It is the item at this place: `a, b = pair`.
    Item(u32),
    /// It is the member of this name: `{ a } = options`.
    Member(Atom),
    /// It is what was thrown or matched; the type says what.
    Match,
    /// It comes out in a way we do not follow.
    Unknown,
}

/// A use of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// What is done with it.
    pub kind: RefKind,
    /// What is used. A call is the whole call expression.
    pub expr: ExprId,
    /// The span of its last name.
    pub at: u32,
    /// Its line, counted from 1.
    pub line: u32,
    /// The scope it is looked up from.
    pub scope: u32,
    /// The innermost symbol around it, as an index into the file's symbols.
    pub symbol: Option<u32>,
    /// How many of the names on the way to it, the innermost, are references of their own: they stand on other lines. Of
    /// `a.b.c` on one line it is none, and `a` and `a.b` are used with it.
    pub apart: u32,
}

/// What a reference does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RefKind {
    /// Calls it.
    Call = 0,
    /// Makes an instance of it.
    Construct = 1,
    /// Reads it.
    Read = 2,
    /// Writes it.
    Write = 3,
    /// Uses it as a type.
    Type = 4,
    /// Applies it as a decorator, annotation or attribute.
    Decorate = 5,
    /// Inherits from it.
    Inherit = 6,
    /// Expands it as a macro.
    Expand = 7,
}

impl RefKind {
    /// The word users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Construct => "construct",
            Self::Read => "read",
            Self::Write => "write",
            Self::Type => "type",
            Self::Decorate => "decorate",
            Self::Inherit => "inherit",
            Self::Expand => "expand",
        }
    }
}

/// A value put somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assign {
    /// Where it goes.
    pub target: ExprId,
    /// The value.
    pub value: Option<ExprId>,
    /// A type declared with it.
    pub ty: Option<ExprId>,
    /// How it comes out of the value.
    pub via: Via,
    /// The scope it happens in.
    pub scope: u32,
    /// Where.
    pub at: u32,
}

/// A value that leaves a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Return {
    /// The function's scope.
    pub scope: u32,
    /// The value.
    pub value: ExprId,
    /// Whether it is one of many: `yield`.
    pub yields: bool,
}

/// A region in which a test of a variable's type has a known outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowing {
    /// The variable.
    pub name: Atom,
    /// The scope that the test is written in.
    pub scope: u32,
    /// The test and its outcome.
    pub test: TypeTest,
    /// What the test compares with: the type, the member as an [`Expr::Named`] with the constant it is compared with, or the
    /// call of a function that tests its argument.
    pub by: ExprId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// What is known of a variable's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum TypeTest {
    /// It has the type: `x instanceof T`.
    Is = 0,
    /// It does not have the type.
    IsNot = 1,
    /// It has the member, with this constant if there is one: `"m" in x`, `x.kind === "circle"`.
    Has = 2,
    /// It does not have the member, or another constant.
    HasNot = 3,
    /// A function that tests its argument returned true: `isCircle(x)`.
    Passes = 4,
    /// It returned false.
    Fails = 5,
}

impl TypeTest {
    /// The test with the other outcome.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Is => Self::IsNot,
            Self::IsNot => Self::Is,
            Self::Has => Self::HasNot,
            Self::HasNot => Self::Has,
            Self::Passes => Self::Fails,
            Self::Fails => Self::Passes,
        }
    }
}
