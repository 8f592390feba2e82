//! Enumerations whose members have a stored number, a word that users write and see, and a meaning.

macro_rules! words {
    ($(#[doc = $head:literal])+ $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $word:literal;)* }) => {
        $(#[doc = $head])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[doc = $doc])+ $variant = $number,)* }

        impl $name {
            /// Every one, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word users write and see.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What it means, in one line.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+),)* }
            }

            /// The one with this stored number.
            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::str::FromStr for $name {
            type Err = ();
            fn from_str(word: &str) -> Result<Self, ()> {
                match word { $($word => Ok(Self::$variant),)* _ => Err(()) }
            }
        }
    };
}
