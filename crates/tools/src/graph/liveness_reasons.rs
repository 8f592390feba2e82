//! Reasons why a definition without a verified use may still be live: one rule for each reason.
//!
//! A definition without any reason is reported as likely unused, and one whose only reason is that others can see it as possibly
//! unused. Language facts come from the packs, through
//! [`Whole::rules`] and [`Whole::runtime_use`].

use super::contracts::Contracts;
use super::name_occurrences::NameOccurrences;
use super::verified_uses::VerifiedUses;
use crate::text::number_format::plural;
use orient_engine::FullGraph;
use orient_model::{Modifier, Role, Rules, SymbolKind, Visibility};

/// A reason why a definition may be live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LivenessReason {
    /// A program starts here, or a framework is told to call it.
    EntryPoint,
    /// A test runner runs it, or it is a test helper.
    TestCode,
    /// An attribute, annotation or decorator may register it somewhere.
    Attributed,
    /// Calls of a base member may reach it.
    Overrides,
    /// Its type satisfies an interface, a protocol or a marker by having it, or it is declared by one.
    Satisfies(String),
    /// A base is external: code that knows the base may call its overrides, or search for its subtypes.
    ExternalBase,
    /// A runtime, a library or a framework uses it by its name.
    RuntimeName(&'static str),
    /// Its type may be an external one that is reopened here: the member may override an external one.
    OpenType,
    /// It is exported explicitly.
    Exported,
    /// Code outside the repository can see it.
    Public,
    /// The language calls it without naming it: a constructor, an operator, an accessor.
    Implicit,
    /// It is data, which may be used by layout, value or serialisation.
    DataMember,
    /// It is a member of an object that is passed on as a value.
    ObjectMember,
    /// It is used as a value where it is defined: returned, assigned or passed to a call.
    Value,
    /// It is declared here and defined elsewhere.
    DefinedElsewhere,
    /// Its initialiser may run code.
    Initialiser,
    /// It is generated, and its uses may be generated at build time.
    Generated,
    /// It was parsed only in part.
    Misread,
    /// Uses in its language are resolved only in part.
    Unresolved,
    /// It contains an entry point.
    Inside,
    /// Unresolved uses have its name.
    UnresolvedUses(u64),
    /// Its name has no letters to search for.
    Unsearchable,
    /// Code may load its file by this pattern.
    LoadedFile(String),
    /// Strings built at run time may contain its name.
    BuiltName(String),
    /// Its name occurs elsewhere in the text of the tree.
    Occurs(u64),
}

impl LivenessReason {
    /// Whether it says no more than that code outside of the repository can see the definition.
    pub(crate) fn is_visibility(&self) -> bool {
        matches!(self, Self::Exported | Self::Public)
    }

    /// Whether it is no evidence of a use: anything outside may see the definition, or add to the type that it belongs to.
    pub(crate) fn is_weak(&self) -> bool {
        self.is_visibility() || matches!(self, Self::OpenType)
    }

    /// How strongly it speaks for a use: that something else could use the definition, that something has its name, or that it is used.
    pub(crate) fn evidence(&self) -> u8 {
        match self {
            Self::Exported | Self::Public | Self::OpenType => 0,
            Self::ExternalBase
            | Self::ObjectMember
            | Self::Attributed
            | Self::DataMember
            | Self::Implicit => 1,
            Self::EntryPoint
            | Self::TestCode
            | Self::RuntimeName(_)
            | Self::Overrides
            | Self::Satisfies(_) => 3,
            _ => 2,
        }
    }

    /// The reason as the heading of a group of definitions.
    pub(crate) fn heading(&self) -> String {
        match self {
            Self::RuntimeName(_) => "used by its name by a runtime or framework".to_owned(),
            Self::UnresolvedUses(_) => "name-only mentions".to_owned(),
            Self::LoadedFile(_) => "in files that are loaded at run time".to_owned(),
            Self::BuiltName(_) => "name built at run time".to_owned(),
            Self::Occurs(_) => "name occurs elsewhere in the text".to_owned(),
            Self::Satisfies(_) => "asked for by an interface, protocol or abstract type".to_owned(),
            plain => plain.text(),
        }
    }

    /// The text that users read.
    pub(crate) fn text(&self) -> String {
        let words = match self {
            Self::EntryPoint => "entry point",
            Self::TestCode => "test code",
            Self::Attributed => "has attributes",
            Self::Overrides => "overrides a base member",
            Self::Satisfies(contract) => return format!("`{contract}` asks for a member of this name"),
            Self::ExternalBase => "has an external base",
            Self::RuntimeName(why) => return format!("by its name, {why}"),
            Self::OpenType => "its type may be external and only reopened here",
            Self::Exported => "exported",
            Self::Public => "public",
            Self::Implicit => "called implicitly by the language",
            Self::DataMember => "data, which may be used by layout or serialisation",
            Self::ObjectMember => "member of an object that is passed on as a value",
            Self::Value => "used as a value where it is defined",
            Self::DefinedElsewhere => "defined outside the repository",
            Self::Initialiser => "its initialiser may run code",
            Self::Generated => "generated",
            Self::Misread => "parsed only in part",
            Self::Unresolved => "uses in its language are resolved only in part",
            Self::Inside => "contains an entry point",
            Self::UnresolvedUses(uses) => {
                return plural(*uses, "name-only mention", "name-only mentions");
            }
            Self::Unsearchable => "its name cannot be searched for in text",
            Self::LoadedFile(pattern) => return format!("files like `{pattern}` are loaded at run time"),
            Self::BuiltName(piece) => return format!("names are built from `{piece}` at run time"),
            Self::Occurs(places) => {
                let places = plural(*places, "other place", "other places");
                return format!("its name occurs in {places} of the text");
            }
        };
        words.to_owned()
    }
}

/// A definition without a verified use, and its surroundings.
pub(crate) struct UnusedCandidate<'a> {
    pub(crate) whole: &'a FullGraph,
    pub(crate) usage: &'a VerifiedUses,
    pub(crate) contracts: &'a Contracts,
    pub(crate) number: u32,
    /// Its declared visibility.
    pub(crate) visibility: Visibility,
    /// Whether it is a declaration without a definition in the repository.
    pub(crate) undefined: bool,
    /// The type of its result as written, where a framework judges by it.
    pub(crate) returns: Option<&'a str>,
}

type Rule = fn(&UnusedCandidate<'_>) -> Option<LivenessReason>;

/// The rules that need no source text.
const RULES: &[Rule] = &[
    entry_point,
    test_code,
    attributed,
    overrides,
    satisfies,
    external_base,
    runtime_name,
    open_type,
    exported,
    public,
    implicit,
    data_member,
    object_member,
    defined_elsewhere,
    generated,
    misread,
    unresolved,
    inside,
    unresolved_uses,
];

/// The reasons that need no source text.
pub(crate) fn liveness_reasons(candidate: &UnusedCandidate<'_>) -> Vec<LivenessReason> {
    RULES.iter().filter_map(|rule| rule(candidate)).collect()
}

/// The reasons found in source text, for a definition that has no other reasons than its visibility.
pub(crate) fn textual_reasons(occurrences: &NameOccurrences, number: u32) -> Vec<LivenessReason> {
    let found = occurrences.of(number);
    let mut reasons = Vec::new();
    reasons.extend(found.unsearchable.then_some(LivenessReason::Unsearchable));
    reasons.extend(found.value.then_some(LivenessReason::Value));
    reasons.extend(found.runs_code.then_some(LivenessReason::Initialiser));
    reasons.extend(found.loaded_by.clone().map(LivenessReason::LoadedFile));
    reasons.extend(found.built_from.clone().map(LivenessReason::BuiltName));
    reasons.extend((found.places > 0).then_some(LivenessReason::Occurs(found.places)));
    reasons
}

impl UnusedCandidate<'_> {
    fn node(&self) -> &orient_engine::FullGraphNode {
        &self.whole.nodes[self.number as usize]
    }

    fn is(&self, kinds: &[SymbolKind]) -> bool {
        self.node().kind.is_some_and(|kind| kinds.contains(&kind))
    }

    fn has(&self, modifier: Modifier) -> bool {
        self.node().modifiers.contains(modifier)
    }

    /// Its parent node; `None` at the top level.
    fn parent(&self) -> Option<&orient_engine::FullGraphNode> {
        let parent = &self.whole.nodes[self.node().parent as usize];
        parent.kind.is_some().then_some(parent)
    }

    /// Whether it is a private member that nothing outside its type can override or call.
    fn is_private_member(&self) -> bool {
        let hides = self.whole.rules(self.number).is_some_and(|rules| rules.strict_private);
        hides && self.visibility == Visibility::Private
    }
}

fn entry_point(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    candidate.node().entry.is_some().then_some(LivenessReason::EntryPoint)
}

fn test_code(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    candidate.whole.is_test(candidate.number).then_some(LivenessReason::TestCode)
}

fn attributed(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    let around = candidate.parent().is_some_and(|parent| {
        parent.attributed && matches!(parent.kind, Some(SymbolKind::Impl | SymbolKind::Module))
    });
    (candidate.node().attributed || around).then_some(LivenessReason::Attributed)
}

fn overrides(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    candidate.usage.overrides(candidate.whole, candidate.number).then_some(LivenessReason::Overrides)
}

fn satisfies(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    let contract = candidate.contracts.satisfied_by(candidate.whole, candidate.number)?;
    Some(LivenessReason::Satisfies(contract.to_owned()))
}

fn external_base(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    let around = candidate.parent().and_then(|parent| candidate.whole.number(parent.id));
    let of_type = around.is_some_and(|of| candidate.usage.has_external_base(candidate.whole, of));
    let member = of_type
        && !candidate.is_private_member()
        && !candidate.usage.overrides(candidate.whole, candidate.number);
    let own = candidate.usage.has_external_base(candidate.whole, candidate.number);
    (member || own).then_some(LivenessReason::ExternalBase)
}

fn runtime_name(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    candidate.whole.runtime_use(candidate.number, candidate.returns).map(LivenessReason::RuntimeName)
}

fn open_type(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    let reopens = candidate.whole.rules(candidate.number).is_some_and(|rules| rules.open_classes);
    let of_type = |parent: &orient_engine::FullGraphNode| {
        parent.kind.is_some_and(|kind| kind.is_type() || kind == SymbolKind::Module) && parent.bases == 0
    };
    (reopens && candidate.parent().is_some_and(of_type)).then_some(LivenessReason::OpenType)
}

fn is_exported(candidate: &UnusedCandidate<'_>) -> bool {
    candidate.has(Modifier::Exported) || candidate.has(Modifier::Extern)
}

fn exported(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    is_exported(candidate).then_some(LivenessReason::Exported)
}

/// Whether it is at the top level of a header file.
fn is_in_header(candidate: &UnusedCandidate<'_>) -> bool {
    let member = candidate.parent().is_some_and(|parent| parent.kind.is_some_and(SymbolKind::is_type));
    let name = candidate.whole.file(candidate.number).path.display();
    let is_header = |rules: &Rules| {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| rules.header_extensions.iter().any(|known| known == extension))
    };
    !member && candidate.whole.rules(candidate.number).is_some_and(is_header)
}

fn public(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    let seen = matches!(candidate.visibility, Visibility::Public | Visibility::Protected);
    ((seen || is_in_header(candidate)) && !is_exported(candidate)).then_some(LivenessReason::Public)
}

fn implicit(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    use SymbolKind::{Constructor, Event, Operator, Property};
    let accessor = candidate.has(Modifier::Getter) || candidate.has(Modifier::Setter);
    (accessor || candidate.is(&[Constructor, Event, Operator, Property])).then_some(LivenessReason::Implicit)
}

fn data_member(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    let member = candidate.parent().is_some_and(|parent| parent.kind.is_some_and(SymbolKind::is_type));
    let of_type = member
        && candidate.is(&[SymbolKind::Constant, SymbolKind::Variable])
        && !candidate.is_private_member();
    (of_type || candidate.is(&[SymbolKind::Field, SymbolKind::EnumMember]))
        .then_some(LivenessReason::DataMember)
}

fn object_member(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    let of_type = candidate.parent().is_some_and(|parent| parent.kind.is_some_and(SymbolKind::is_type));
    // In languages that add members by assignment, the qualifier of a member is an object; elsewhere it is a type.
    let assigned = candidate.whole.rules(candidate.number).is_none_or(|rules| rules.type_namespace);
    let of_object = !of_type && (assigned || !candidate.node().qualified);
    (candidate.is(&[SymbolKind::Method]) && of_object).then_some(LivenessReason::ObjectMember)
}

fn defined_elsewhere(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    (candidate.undefined || candidate.has(Modifier::Abstract)).then_some(LivenessReason::DefinedElsewhere)
}

fn generated(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    (candidate.whole.file(candidate.number).role == Role::Generated).then_some(LivenessReason::Generated)
}

fn misread(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    candidate.node().misread.then_some(LivenessReason::Misread)
}

fn unresolved(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    candidate.whole.rules(candidate.number).is_none().then_some(LivenessReason::Unresolved)
}

fn inside(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    let UnusedCandidate { whole, number, .. } = *candidate;
    let within = (number + 1..whole.nodes.len() as u32).take_while(|&inner| whole.is_within(inner, number));
    let entered = |inner: u32| {
        let node = &whole.nodes[inner as usize];
        node.entry.is_some() || node.attributed || whole.is_test(inner)
    };
    within.into_iter().any(entered).then_some(LivenessReason::Inside)
}

fn unresolved_uses(candidate: &UnusedCandidate<'_>) -> Option<LivenessReason> {
    let UnusedCandidate { whole, usage, number, .. } = *candidate;
    let of_extensions: u64 = extensions(whole, number).map(|inner| usage.unresolved(whole.name(inner))).sum();
    let uses = usage.unresolved(whole.name(number)) + of_extensions;
    (uses > 0).then_some(LivenessReason::UnresolvedUses(uses))
}

/// The extensions inside of a type. They are used by their own names: nothing names the type that holds them.
pub(super) fn extensions(whole: &FullGraph, number: u32) -> impl Iterator<Item = u32> {
    let within =
        (number + 1..whole.nodes.len() as u32).take_while(move |&inner| whole.is_within(inner, number));
    within.filter(|&inner| whole.nodes[inner as usize].modifiers.contains(Modifier::Extension))
}
