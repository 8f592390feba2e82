//! The kinds of symbols: one closed list for all languages.

use crate::{Modifier, Modifiers};

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $word:literal;)*) => {
        /// The kind of a symbol. The numbers are stored: never reuse one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum SymbolKind { $($(#[doc = $doc])+ $variant = $number,)* }

        impl SymbolKind {
            /// Every kind, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word users and packs write.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What the kind means, in one line.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+),)* }
            }

            /// The kind with this stored number.
            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::str::FromStr for SymbolKind {
            type Err = ();
            fn from_str(word: &str) -> Result<Self, ()> {
                match word { $($word => Ok(Self::$variant),)* _ => Err(()) }
            }
        }
    };
}

kinds! {
    /// A module, namespace or package declared in the file.
    Module = 1, "module";
    /// A class.
    Class = 2, "class";
    /// A struct, record or data type.
    Struct = 3, "struct";
    /// A union as in C.
    Union = 4, "union";
    /// An interface or protocol.
    Interface = 5, "interface";
    /// A trait, mixin or type class.
    Trait = 6, "trait";
    /// An enumeration.
    Enum = 7, "enum";
    /// One member of an enumeration.
    EnumMember = 8, "enum_member";
    /// A type alias or type definition.
    TypeAlias = 9, "type";
    /// A block of members for a type declared elsewhere: `impl`, `extension`.
    Impl = 10, "impl";
    /// A singleton object.
    Object = 11, "object";
    /// A function outside a type, or inside another function.
    Function = 12, "function";
    /// A function of a type.
    Method = 13, "method";
    /// A constructor.
    Constructor = 14, "constructor";
    /// A property with code behind it: getter, setter, accessor.
    Property = 15, "property";
    /// A data member of a type.
    Field = 16, "field";
    /// A name whose value never changes.
    Constant = 17, "constant";
    /// A name with a value.
    Variable = 18, "variable";
    /// A macro.
    Macro = 19, "macro";
    /// A delegate, function type or signature.
    Delegate = 20, "delegate";
    /// An event.
    Event = 21, "event";
    /// An overloaded operator or conversion.
    Operator = 22, "operator";
    /// A test named by a string, as in `it("adds", …)`.
    Test = 23, "test";
    /// A database table.
    Table = 30, "table";
    /// A database view.
    View = 31, "view";
    /// A stored procedure or trigger.
    Procedure = 32, "procedure";
    /// A service of an interface description.
    Service = 33, "service";
    /// A remote call of a service.
    Rpc = 34, "rpc";
    /// A message of an interface description.
    Message = 35, "message";
    /// A heading of a document.
    Heading = 40, "heading";
    /// A key of a configuration file.
    Key = 41, "key";
    /// A style rule, build rule or target.
    Rule = 42, "rule";
    /// A declared block of infrastructure: resource, stage, element with an id.
    Block = 43, "block";
    /// A component of a user interface.
    Component = 50, "component";
    /// A file that is rendered: a page or a part of one.
    Template = 51, "template";
    /// A class or an id that a style sheet selects.
    Selector = 52, "selector";
}

impl SymbolKind {
    /// Whether it contains members: a function in it is a method.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Union
                | Self::Interface
                | Self::Trait
                | Self::Enum
                | Self::Impl
                | Self::Object
        )
    }

    /// The kind that answers show: what renders markup is a component, whatever the language defines it as.
    #[must_use]
    pub fn shown(self, modifiers: Modifiers) -> Self {
        if modifiers.contains(Modifier::Component) { Self::Component } else { self }
    }

    /// Whether one of these kinds is meant. A component that is a function is found as either.
    pub fn is_among(self, modifiers: Modifiers, kinds: &[Self]) -> bool {
        kinds.iter().any(|&kind| kind == self || kind == self.shown(modifiers))
    }

    /// Whether it is a file that markup or code renders.
    pub fn is_rendered(self) -> bool {
        matches!(self, Self::Component | Self::Template)
    }

    /// Whether it has code that a call runs.
    pub fn is_callable(self) -> bool {
        matches!(
            self,
            Self::Function
                | Self::Method
                | Self::Constructor
                | Self::Property
                | Self::Macro
                | Self::Operator
                | Self::Test
                | Self::Procedure
                | Self::Rpc
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_lead_back_to_the_kind() {
        for &kind in SymbolKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert_eq!(SymbolKind::from_number(kind as u8), Some(kind));
            assert!(kind.meaning().len() > 4);
        }
    }

    #[test]
    fn a_function_that_is_a_component_is_found_as_either() {
        let mut component = Modifiers::default();
        component.insert(Modifier::Component);
        let (function, none) = (SymbolKind::Function, Modifiers::default());
        assert_eq!((function.shown(component), function.shown(none)), (SymbolKind::Component, function));
        assert!(
            function.is_among(component, &[SymbolKind::Component])
                && function.is_among(component, &[function])
        );
        assert!(!function.is_among(none, &[SymbolKind::Component]) && !function.is_among(none, &[]));
    }
}
