//! The closed lists that packs may choose words from. An unknown word in a pack is an error that names the list.

use orient_model::{Literal, Modifier, RefKind, ScopeKind, Sequence, SymbolKind, Via, Visibility, Wrapper};

/// What an expression node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExprRole {
    /// A bare name: its text.
    Name,
    /// `base.name`.
    Member,
    /// A call: `callee` + `args`, or `base` + `name` + `args`.
    Call,
    /// Making an instance: `type` + `args`.
    New,
    /// `base[key]`.
    Index,
    Await,
    /// `value` seen as `type`.
    Cast,
    /// `base<args>`.
    Apply,
    Wrap(Wrapper),
    /// One of its children.
    Either,
    Sequence(Sequence),
    /// Values side by side: a tuple, or its only child.
    Run,
    /// A chain of names that stand flat beside each other: `a.b.C<args>`.
    Path,
    /// `name: value`.
    Named,
    Literal(Literal),
    /// Stands for its `value`, or for its only named child.
    Transparent,
    SelfRef,
    SuperRef,
    /// A member of the receiver, told by how its name is written: `@x`.
    Own,
    /// Not followed; its inside is still looked at.
    Opaque,
    /// Parts put together: text, if one of them is.
    Joined,
}

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
    ("opaque", ExprRole::Opaque),
    ("joined", ExprRole::Joined),
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

/// A word that stands in headers of several languages and always means the same. Packs add or change single words.
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

/// What a word of a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderWord {
    Visibility(Visibility),
    Modifier(Modifier),
    /// Says nothing here, whatever it says elsewhere.
    Nothing,
}

/// A list of words, for errors.
pub(crate) struct Unknown {
    pub(crate) what: &'static str,
    pub(crate) known: Vec<&'static str>,
}

fn find<T: Copy>(list: &[(&'static str, T)], word: &str, what: &'static str) -> Result<T, Unknown> {
    list.iter()
        .find(|(known, _)| *known == word)
        .map(|(_, value)| *value)
        .ok_or_else(|| Unknown { what, known: list.iter().map(|(known, _)| *known).collect() })
}

pub(crate) fn expr_role(word: &str) -> Result<ExprRole, Unknown> {
    find(EXPR_ROLES, word, "expression role")
}

pub(crate) fn scope(word: &str) -> Result<ScopeKind, Unknown> {
    find(SCOPES, word, "scope")
}

pub(crate) fn reference(word: &str) -> Result<RefKind, Unknown> {
    find(REFS, word, "reference")
}

pub(crate) fn via(word: &str) -> Result<Via, Unknown> {
    find(VIAS, word, "way of binding")
}

pub(crate) fn visibility(word: &str) -> Result<Visibility, Unknown> {
    find(VISIBILITIES, word, "visibility")
}

pub(crate) fn symbol(word: &str) -> Result<SymbolKind, Unknown> {
    word.parse().map_err(|()| Unknown {
        what: "symbol kind",
        known: SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect(),
    })
}

pub(crate) fn header_word(word: &str) -> Result<HeaderWord, Unknown> {
    if word == "nothing" {
        return Ok(HeaderWord::Nothing);
    }
    if let Ok(visibility) = visibility(word) {
        return Ok(HeaderWord::Visibility(visibility));
    }
    word.parse().map(HeaderWord::Modifier).map_err(|()| Unknown {
        what: "modifier or visibility",
        known: Modifier::ALL.iter().map(|modifier| modifier.as_str()).collect(),
    })
}
