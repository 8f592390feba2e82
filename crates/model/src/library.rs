//! What a pack knows of types and functions outside of the repository: the results of their members, as data.

/// A type outside of the repository, a namespace of functions, or (without a name) the built-in functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryType {
    /// Its last name; `[]` for arrays.
    pub name: String,
    /// How many type parameters it has.
    pub params: u32,
    /// Types whose members it has as well.
    pub bases: Vec<LibraryExpr>,
    /// Its members.
    pub members: Vec<LibraryMember>,
}

/// A member of a [`LibraryType`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryMember {
    /// Its name.
    pub name: String,
    /// The numbers of its own type parameters that a call may state: `make<T>()`.
    pub stated: Vec<u32>,
    /// Its parameters; none if it is read, not called.
    pub params: Option<Vec<LibraryExpr>>,
    /// The type of its result or value.
    pub result: LibraryExpr,
}

/// A type in the signature of a [`LibraryMember`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryExpr {
    /// Not said.
    Unknown,
    /// The type of the receiver.
    Receiver,
    /// A type parameter: first those of the type, then those of the member.
    Param(u32),
    /// A named type with its arguments.
    Named(String, Vec<LibraryExpr>),
    /// A list or array.
    List(Box<LibraryExpr>),
    /// A tuple.
    Tuple(Vec<LibraryExpr>),
    /// A function.
    Function(Vec<LibraryExpr>, Box<LibraryExpr>),
    /// A type that is passed as an argument: `new(T)`.
    TypeArgument(Box<LibraryExpr>),
}
