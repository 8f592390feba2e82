//! The closed vocabulary of packs: expression roles, scopes, references, modifiers. An unknown word is an error that lists
//! the known ones.

use super::error::PackError;
use orient_model::{Literal, Modifier, RefKind, ScopeKind, Sequence, SymbolKind, Via, Visibility, Wrapper};

/// The role of a node in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExprRole {
    /// A bare name: its text.
    Name,
    /// `base.name`.
    Member,
    /// A call: `callee` + `args`, or `base` + `name` + `args`.
    Call,
    /// Construction of an instance: `type` + `args`.
    New,
    /// `base[key]`.
    Index,
    Await,
    /// `value` cast to `type`.
    Cast,
    /// `base<args>`.
    Apply,
    Wrap(Wrapper),
    /// One of its children.
    Either,
    Sequence(Sequence),
    /// Adjacent values: a tuple, or the only child.
    Run,
    /// A chain of sibling names: `a.b.C<args>`.
    Path,
    /// `name: value`.
    Named,
    Literal(Literal),
    /// Equivalent to its `value`, or to its only named child.
    Transparent,
    SelfRef,
    SuperRef,
    /// A member of the receiver, recognised by its spelling: `@x`.
    Own,
    /// The result of calling the member `fixed_name` of its `value`: the delegate of a property.
    Delegated,
    /// An unknown value; its children are still visited.
    Opaque,
    /// A concatenation: a string if one of its parts is one.
    Joined,
    /// A type that lists its fields in place: `struct { a T }`, `{ a: T }`.
    Record,
}

const SELECTOR_MARKS: &[(&str, char)] = &[("class", '.'), ("id", '#')];

const EXPR_ROLES: &[(&str, ExprRole)] = &[
    ("name", ExprRole::Name),
    ("member", ExprRole::Member),
    ("call", ExprRole::Call),
    ("new", ExprRole::New),
    ("index", ExprRole::Index),
    ("await", ExprRole::Await),
    ("cast", ExprRole::Cast),
    ("apply", ExprRole::Apply),
    ("pointer", ExprRole::Wrap(Wrapper::Pointer)),
    ("deref", ExprRole::Wrap(Wrapper::Deref)),
    ("reference", ExprRole::Wrap(Wrapper::Reference)),
    ("optional", ExprRole::Wrap(Wrapper::Optional)),
    ("array", ExprRole::Wrap(Wrapper::Array)),
    ("spread", ExprRole::Wrap(Wrapper::Spread)),
    ("function_type", ExprRole::Wrap(Wrapper::FunctionType)),
    ("typeof", ExprRole::Wrap(Wrapper::TypeOf)),
    ("either", ExprRole::Either),
    ("list", ExprRole::Sequence(Sequence::List)),
    ("tuple", ExprRole::Sequence(Sequence::Tuple)),
    ("map", ExprRole::Sequence(Sequence::Map)),
    ("run", ExprRole::Run),
    ("path", ExprRole::Path),
    ("named", ExprRole::Named),
    ("string", ExprRole::Literal(Literal::String)),
    ("integer", ExprRole::Literal(Literal::Integer)),
    ("float", ExprRole::Literal(Literal::Float)),
    ("bool", ExprRole::Literal(Literal::Bool)),
    ("null", ExprRole::Literal(Literal::Null)),
    ("char", ExprRole::Literal(Literal::Char)),
    ("regex", ExprRole::Literal(Literal::Regex)),
    ("transparent", ExprRole::Transparent),
    ("self", ExprRole::SelfRef),
    ("super", ExprRole::SuperRef),
    ("own", ExprRole::Own),
    ("delegated", ExprRole::Delegated),
    ("opaque", ExprRole::Opaque),
    ("joined", ExprRole::Joined),
    ("record", ExprRole::Record),
];

const SCOPES: &[(&str, ScopeKind)] = &[
    ("module", ScopeKind::Module),
    ("type", ScopeKind::Type),
    ("function", ScopeKind::Function),
    ("block", ScopeKind::Block),
    ("comprehension", ScopeKind::Comprehension),
];

const REFS: &[(&str, RefKind)] = &[
    ("call", RefKind::Call),
    ("construct", RefKind::Construct),
    ("read", RefKind::Read),
    ("write", RefKind::Write),
    ("type", RefKind::Type),
    ("decorate", RefKind::Decorate),
    ("inherit", RefKind::Inherit),
    ("expand", RefKind::Expand),
];

const VIAS: &[(&str, Via)] = &[
    ("value", Via::Value),
    ("element", Via::Element),
    ("enter", Via::Enter),
    ("second", Via::Item(1)),
    ("match", Via::Match),
    ("unknown", Via::Unknown),
];

const VISIBILITIES: &[(&str, Visibility)] = &[
    ("public", Visibility::Public),
    ("protected", Visibility::Protected),
    ("internal", Visibility::Internal),
    ("private", Visibility::Private),
];

/// Modifier words with the same meaning in several languages. Packs add or change single words.
pub(crate) const HEADER_WORDS: &[(&str, HeaderWord)] = &[
    ("public", HeaderWord::Visibility(Visibility::Public)),
    ("open", HeaderWord::Visibility(Visibility::Public)),
    ("pub", HeaderWord::Visibility(Visibility::Public)),
    ("protected", HeaderWord::Visibility(Visibility::Protected)),
    ("internal", HeaderWord::Visibility(Visibility::Internal)),
    ("private", HeaderWord::Visibility(Visibility::Private)),
    ("fileprivate", HeaderWord::Visibility(Visibility::Private)),
    ("export", HeaderWord::Modifier(Modifier::Exported)),
    ("default", HeaderWord::Modifier(Modifier::Default)),
    ("static", HeaderWord::Modifier(Modifier::Static)),
    ("async", HeaderWord::Modifier(Modifier::Async)),
    ("suspend", HeaderWord::Modifier(Modifier::Async)),
    ("abstract", HeaderWord::Modifier(Modifier::Abstract)),
    ("final", HeaderWord::Modifier(Modifier::Final)),
    ("override", HeaderWord::Modifier(Modifier::Override)),
    ("virtual", HeaderWord::Modifier(Modifier::Virtual)),
    ("readonly", HeaderWord::Modifier(Modifier::Readonly)),
    ("get", HeaderWord::Modifier(Modifier::Getter)),
    ("set", HeaderWord::Modifier(Modifier::Setter)),
    ("partial", HeaderWord::Modifier(Modifier::Partial)),
    ("declare", HeaderWord::Modifier(Modifier::Declaration)),
    ("unsafe", HeaderWord::Modifier(Modifier::Unsafe)),
    ("extern", HeaderWord::Modifier(Modifier::Extern)),
    ("native", HeaderWord::Modifier(Modifier::Extern)),
    ("external", HeaderWord::Modifier(Modifier::Extern)),
    ("inline", HeaderWord::Modifier(Modifier::Inline)),
    ("constexpr", HeaderWord::Modifier(Modifier::Constexpr)),
    ("sealed", HeaderWord::Modifier(Modifier::Sealed)),
    ("data", HeaderWord::Modifier(Modifier::Data)),
    ("record", HeaderWord::Modifier(Modifier::Data)),
    ("lateinit", HeaderWord::Modifier(Modifier::Lazy)),
    ("lazy", HeaderWord::Modifier(Modifier::Lazy)),
    ("mut", HeaderWord::Modifier(Modifier::Mutable)),
];

/// The meaning of a modifier word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderWord {
    Visibility(Visibility),
    Modifier(Modifier),
    /// Has no meaning in this language.
    Nothing,
}

/// The error for a word that is not in its list.
pub(crate) struct UnknownWord {
    /// What the word should have been.
    pub(crate) what: &'static str,
    /// The words of the list.
    pub(crate) known: Vec<&'static str>,
}

impl UnknownWord {
    /// The error of a pack that uses the word at a place.
    pub(crate) fn at(&self, pack: &str, place: &str, word: &str) -> PackError {
        PackError::Word {
            pack: pack.to_owned(),
            place: place.to_owned(),
            word: word.to_owned(),
            what: self.what,
            known: self.known.join(", "),
        }
    }
}

fn find<T: Copy>(list: &[(&'static str, T)], word: &str, what: &'static str) -> Result<T, UnknownWord> {
    list.iter()
        .find(|(known, _)| *known == word)
        .map(|(_, value)| *value)
        .ok_or_else(|| UnknownWord { what, known: list.iter().map(|(known, _)| *known).collect() })
}

pub(crate) fn expr_role(word: &str) -> Result<ExprRole, UnknownWord> {
    find(EXPR_ROLES, word, "expression role")
}

pub(crate) fn scope(word: &str) -> Result<ScopeKind, UnknownWord> {
    find(SCOPES, word, "scope")
}

pub(crate) fn reference(word: &str) -> Result<RefKind, UnknownWord> {
    find(REFS, word, "reference")
}

pub(crate) fn via(word: &str) -> Result<Via, UnknownWord> {
    find(VIAS, word, "way of binding")
}

/// The mark before the names of a kind of selector.
pub(crate) fn selector_mark(word: &str) -> Result<char, UnknownWord> {
    find(SELECTOR_MARKS, word, "kind of selector")
}

pub(crate) fn visibility(word: &str) -> Result<Visibility, UnknownWord> {
    find(VISIBILITIES, word, "visibility")
}

pub(crate) fn symbol(word: &str) -> Result<SymbolKind, UnknownWord> {
    word.parse().map_err(|()| UnknownWord {
        what: "symbol kind",
        known: SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect(),
    })
}

pub(crate) fn header_word(word: &str) -> Result<HeaderWord, UnknownWord> {
    if word == "nothing" {
        return Ok(HeaderWord::Nothing);
    }
    if let Ok(visibility) = visibility(word) {
        return Ok(HeaderWord::Visibility(visibility));
    }
    word.parse().map(HeaderWord::Modifier).map_err(|()| UnknownWord {
        what: "modifier or visibility",
        known: Modifier::ALL.iter().map(|modifier| modifier.as_str()).collect(),
    })
}
