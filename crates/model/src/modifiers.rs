//! Visibility and modifiers of symbols.

use crate::Role;

/// The visibility of a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Visibility {
    /// Visible everywhere.
    #[default]
    Public = 0,
    /// The type and its subtypes.
    Protected = 1,
    /// The package, crate, assembly or module.
    Internal = 2,
    /// The type or file only.
    Private = 3,
}

impl Visibility {
    /// The word users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Protected => "protected",
            Self::Internal => "internal",
            Self::Private => "private",
        }
    }

    /// The visibility with this stored number.
    pub fn from_number(number: u8) -> Option<Self> {
        [Self::Public, Self::Protected, Self::Internal, Self::Private].get(number as usize).copied()
    }
}

macro_rules! modifiers {
    ($($(#[doc = $doc:literal])+ $variant:ident = $bit:literal, $word:literal;)*) => {
        /// A modifier in the header of a symbol, or one that was recognised. The bits are stored: never reuse one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Modifier { $($(#[doc = $doc])+ $variant = $bit,)* }

        impl Modifier {
            /// Every modifier, in the order of their bits.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word users and packs write.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl std::str::FromStr for Modifier {
            type Err = ();
            fn from_str(word: &str) -> Result<Self, ()> {
                match word { $($word => Ok(Self::$variant),)* _ => Err(()) }
            }
        }
    };
}

modifiers! {
    /// Belongs to the type, not to an instance.
    Static = 0, "static";
    /// Runs asynchronously.
    Async = 1, "async";
    /// Has no body; a subtype implements it.
    Abstract = 2, "abstract";
    /// Cannot be overridden or inherited.
    Final = 3, "final";
    /// Replaces an inherited member.
    Override = 4, "override";
    /// May be overridden by a subtype.
    Virtual = 5, "virtual";
    /// Never changes after initialisation.
    Readonly = 6, "readonly";
    /// Yields a sequence of values.
    Generator = 7, "generator";
    /// Reads a property.
    Getter = 8, "getter";
    /// Writes a property.
    Setter = 9, "setter";
    /// Adds a member to a type declared elsewhere.
    Extension = 10, "extension";
    /// One of several parts of the same type.
    Partial = 11, "partial";
    /// A declaration whose definition is elsewhere: prototype, overload signature, ambient declaration.
    Declaration = 12, "declaration";
    /// Visible to other files by an export.
    Exported = 13, "exported";
    /// The default export of its file.
    Default = 14, "default";
    /// Test code by its own header: a test, or a helper that only tests can see.
    Test = 15, "test";
    /// A user-interface component: renders markup.
    Component = 16, "component";
    /// Deprecated.
    Deprecated = 17, "deprecated";
    /// Bypasses the language's safety rules.
    Unsafe = 18, "unsafe";
    /// Linked from or to another language or unit.
    Extern = 19, "extern";
    /// Expanded where it is used.
    Inline = 20, "inline";
    /// Can be evaluated by the compiler.
    Constexpr = 21, "const";
    /// Mutable, where that must be declared.
    Mutable = 22, "mutable";
    /// A closed set of subtypes.
    Sealed = 23, "sealed";
    /// A data carrier: record, data class.
    Data = 24, "data";
    /// Created on first use.
    Lazy = 25, "lazy";
    /// May be omitted by the caller.
    Optional = 26, "optional";
    /// A test that a test runner runs. If only its name says so, it is a test in test files only.
    Case = 27, "case";
    /// Run by a test runner before or after the tests around it.
    Setup = 28, "setup";
    /// Injected by a test runner by name.
    Fixture = 29, "fixture";
}

/// A set of [`Modifier`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Modifiers(pub u32);

impl Modifiers {
    /// Adds a modifier.
    pub fn insert(&mut self, modifier: Modifier) {
        self.0 |= 1 << (modifier as u8);
    }

    /// Removes a modifier.
    pub fn remove(&mut self, modifier: Modifier) {
        self.0 &= !(1 << (modifier as u8));
    }

    /// The union of two sets.
    #[must_use]
    pub fn with(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// Whether it marks a test that a runner runs, in a file of this role.
    pub fn is_test_case(self, role: Role) -> bool {
        self.contains(Modifier::Case) && (self.contains(Modifier::Test) || role == Role::Test)
    }

    /// Whether the set contains a modifier.
    pub fn contains(self, modifier: Modifier) -> bool {
        self.0 & (1 << (modifier as u8)) != 0
    }

    /// The modifiers of the set, in the order of their bits.
    pub fn iter(self) -> impl Iterator<Item = Modifier> {
        Modifier::ALL.iter().copied().filter(move |&m| self.contains(m))
    }
}
