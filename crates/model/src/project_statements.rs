//! Statements of project files about where modules are: names, roots, aliases. The same terms for every ecosystem.

use crate::Atom;

/// A statement of a project file. Paths are as written, relative to the file's directory, separated by `/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Statement {
    /// The kind of statement.
    pub says: Says,
    /// The name, prefix or pattern that it is about; empty if there is none.
    pub name: Atom,
    /// The stated name, path or pattern; empty if there is none.
    pub value: Atom,
}

macro_rules! says {
    ($($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $word:literal;)*) => {
        /// The kinds of statements. The numbers are stored: never reuse one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Says { $($(#[doc = $doc])+ $variant = $number,)* }

        impl Says {
            /// Every one, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word in packs.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The one with this stored number.
            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::str::FromStr for Says {
            type Err = ();
            fn from_str(word: &str) -> Result<Self, ()> {
                match word { $($word => Ok(Self::$variant),)* _ => Err(()) }
            }
        }
    };
}

says! {
    /// The package is called `value`: others import it by that name or below it. `name` is empty, or `lib` if code
    /// uses another name than other project files do.
    Name = 0, "name";
    /// Importing the package yields the file `value`; `name` tells entries apart: `main`, `types`, `module`, a binary's name.
    Entry = 1, "entry";
    /// `name` under the package's name (`.`, `./sub`, `./x/*`) leads to the file `value`. Several statements for one
    /// name are in the order of precedence.
    Export = 2, "export";
    /// Inside the package, `name` (`#x`, `@app/*`) leads to `value`, relative to [`Says::Base`] if there is one.
    /// Several statements for one name are in the order of precedence.
    Alias = 3, "alias";
    /// Bare module names are also searched under `value`.
    Base = 4, "base";
    /// The statements of another project file, `value`, apply here, too.
    Extends = 5, "extends";
    /// Names with the prefix `name` are under the directory `value`; the file's own directory if that is empty.
    Root = 6, "root";
    /// Packages that match the pattern `value` belong to this project; a leading `!` excludes them.
    Member = 7, "member";
    /// The package known here as `name` is `value`: a path in the tree, or the name of another package.
    Depends = 8, "depends";
    /// Every file of the project sees the contents of the namespace `value` without an import; if `name` is `static`,
    /// the members of the type `value`; if it is any other, `value` under that name.
    Using = 9, "using";
    /// Files of the directory `value`, empty if it is not stated, are built into the directory `name`: maps a built
    /// entry to its source.
    Built = 10, "built";
    /// Projects of other repositories require this one as the package `value` of the ecosystem `name`; if `value` is empty, as the
    /// name of the file without its extension.
    Provides = 11, "provides";
    /// This project requires the package `value` of the ecosystem `name`.
    Requires = 12, "requires";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_come_back() {
        for &says in Says::ALL {
            assert_eq!((says.as_str().parse(), Says::from_number(says as u8)), (Ok(says), Some(says)));
        }
        assert_eq!(Says::from_number(200), None);
    }
}
