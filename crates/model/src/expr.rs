//! Expressions, as far as they tell what a name means: `a.b().c`, `new Foo<Bar>(x)`, `*T`, `List[int] | None`.
//!
//! Values and types share one small language, since an annotation and an initialiser answer the same question.

use crate::Atom;

/// The first letter of the name of a member of the receiver that is the receiver with this label: `this@Outer` is the member `@Outer`.
pub const RECEIVER_LABEL: char = '@';

/// An expression of a [`crate::Flow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

/// A run of expressions in [`crate::Flow::operands`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ExprList {
    /// Where it starts.
    pub start: u32,
    /// How many there are.
    pub len: u32,
}

/// An expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// Something we do not follow: arithmetic, a comparison, too deep a nesting.
    Unknown,
    /// A name.
    Name(Atom),
    /// The receiver: `self`, `this`.
    SelfRef,
    /// The receiver seen as its base: `super`, `base`, `parent`.
    SuperRef,
    /// `base.name`, `base::name`, `base->name`.
    Member {
        /// The part before the dot.
        base: ExprId,
        /// The part after the dot.
        name: Atom,
    },
    /// `callee(args)`.
    Call {
        /// What is called.
        callee: ExprId,
        /// With what; keyword arguments are [`Expr::Named`].
        args: ExprList,
    },
    /// `new ty(args)`, `ty { … }`.
    New {
        /// The type that is made.
        ty: ExprId,
        /// With what.
        args: ExprList,
    },
    /// `base[key]`.
    Index {
        /// What is looked into.
        base: ExprId,
        /// With what.
        key: ExprId,
    },
    /// `await x`, `x.await`.
    Await(ExprId),
    /// `x as T`, `(T) x`, a type test that holds.
    Cast {
        /// The value.
        value: ExprId,
        /// The type it is seen as.
        ty: ExprId,
    },
    /// `base<args>`, `base[args]` in a type.
    Apply {
        /// The generic type or function.
        base: ExprId,
        /// Its arguments.
        args: ExprList,
    },
    /// `*T`, `&x`, `T?`, `T[]`, `...x`.
    Wrap {
        /// What is around it.
        wrapper: Wrapper,
        /// What is inside.
        inner: ExprId,
    },
    /// One of several: a union type, `a ? b : c`, `a or b`.
    Either(ExprList),
    /// `[a, b]`, `(a, b)`, `{a: b}`.
    Sequence {
        /// Which.
        kind: Sequence,
        /// The items; those of a map are [`Expr::Named`] where the key is a constant.
        items: ExprList,
    },
    /// A value under a name: a keyword argument, an entry of a map or object.
    Named {
        /// The name or constant key.
        name: Atom,
        /// The value.
        value: ExprId,
    },
    /// A literal whose text does not matter.
    Literal(Literal),
    /// A string literal that may be a name or a path, without quotes.
    Text(Atom),
    /// A function value that is a symbol of the file.
    Function(u32),
    /// A function value without a name: the scope of its parameters and body.
    Lambda(u32),
}

/// What is around the inside of an [`Expr::Wrap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wrapper {
    /// A pointer, in a type; an address, of a value.
    Pointer,
    /// What a pointer points to.
    Deref,
    /// A reference or borrow.
    Reference,
    /// May be absent.
    Optional,
    /// An array, slice or list of it.
    Array,
    /// Any number of it, or spread out.
    Spread,
    /// The type of a function with this result.
    FunctionType,
    /// The type of a value: `typeof x`.
    TypeOf,
    /// The first name of a path, which means a module or type although a variable has the name: `config` of
    /// `config::load()`.
    PathRoot,
}

/// The kind of an [`Expr::Sequence`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sequence {
    /// A list, array or set.
    List,
    /// A tuple.
    Tuple,
    /// A map, dictionary or object literal.
    Map,
}

/// A literal whose text does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literal {
    /// A string.
    String,
    /// A number without fraction.
    Integer,
    /// A number with one.
    Float,
    /// True or false.
    Bool,
    /// The absence of a value.
    Null,
    /// A character.
    Char,
    /// A regular expression.
    Regex,
}
