//! Why a definition without a verified use may be used still: one rule for each reason.
//!
//! A definition that no rule speaks for is reported at the strongest level. What a rule must know of a language comes
//! from its pack, through [`Whole::rules`] and [`Whole::runtime_use`].

use super::occurrences::Occurrences;
use super::usage::Usage;
use crate::amount::plural;
use orient_engine::Whole;
use orient_model::{Modifier, Role, Rules, SymbolKind, Visibility};

/// A reason to doubt that a definition is unused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// A program starts here, or a framework was told to call it.
    EntryPoint,
    /// A test runner finds and runs it, or it is a helper of tests.
    TestCode,
    /// An attribute, annotation or decorator may register it somewhere.
    Attributed,
    /// Calls of a member of a base may reach it.
    Overrides,
    /// A base is from outside: whoever knows the base may call what stands in for its members, or look for its heirs.
    ForeignBase,
    /// A runtime, a library or a framework uses it by its name.
    RuntimeName(&'static str),
    /// Its type may be one from outside that is opened again here: the member may stand in for one of that.
    OpenType,
    /// It is linked or exported by an explicit statement.
    Exported,
    /// Code outside of the repository can see it.
    Public,
    /// The language calls it without naming it: a constructor, an operator, an accessor.
    Implicit,
    /// It is data: used by its layout, its value, or by serialisation.
    DataMember,
    /// It is a member of an object that is a value: whoever gets the object may call it.
    ObjectMember,
    /// It is a value where it is defined: returned, assigned or given to a call.
    Value,
    /// It is declared here and defined elsewhere.
    DefinedElsewhere,
    /// Its initialiser may run code, for which it may be there.
    Initialiser,
    /// A program wrote it, and uses of it may be written when the program is built.
    Generated,
    /// The parser did not understand all of it.
    Misread,
    /// Its language is not resolved by rules of its own.
    Unresolved,
    /// Something inside it is entered from outside.
    Inside,
    /// Unresolved uses have its name.
    UnresolvedUses(u64),
    /// Its name has no letters to look for.
    Unsearchable,
    /// Texts that are put together when the program runs may give its name.
    BuiltName(String),
    /// Its name occurs elsewhere in the text of the tree.
    Occurs(u64),
}

impl Doubt {
    /// What users read.
    pub(crate) fn text(&self) -> String {
        let words = match self {
            Self::EntryPoint => "entry point",
            Self::TestCode => "test code",
            Self::Attributed => "has attributes",
            Self::Overrides => "overrides a member of a base",
            Self::ForeignBase => "has a base that is not here",
            Self::RuntimeName(why) => return format!("by its name, {why}"),
            Self::OpenType => "its type may be from outside and only opened again here",
            Self::Exported => "exported",
            Self::Public => "public",
            Self::Implicit => "called by the language without its name",
            Self::DataMember => "data, which may be used by layout or serialisation",
            Self::ObjectMember => "member of an object that is passed on as a value",
            Self::Value => "a value where it is defined",
            Self::DefinedElsewhere => "its definition is not here",
            Self::Initialiser => "its initialiser may run code",
            Self::Generated => "written by a program",
            Self::Misread => "not all of it could be parsed",
            Self::Unresolved => "uses in its language are resolved only in part",
            Self::Inside => "something inside it is entered from outside",
            Self::UnresolvedUses(uses) => {
                return plural(*uses, "name-only mention", "name-only mentions");
            }
            Self::Unsearchable => "its name cannot be looked for in text",
            Self::BuiltName(piece) => return format!("names are built from `{piece}` at run time"),
            Self::Occurs(places) => {
                let places = plural(*places, "other place", "other places");
                return format!("its name occurs at {places} in the text");
            }
        };
        words.to_owned()
    }
}

/// A definition without a verified use, and what is known around it.
pub(crate) struct Judged<'a> {
    pub(crate) whole: &'a Whole,
    pub(crate) usage: &'a Usage,
    pub(crate) number: u32,
    /// Who may use it, as its declaration says.
    pub(crate) visibility: Visibility,
    /// Whether it is a declaration, and nothing here defines it.
    pub(crate) undefined: bool,
}

type Rule = fn(&Judged<'_>) -> Option<Doubt>;

/// The rules that need no text.
const RULES: &[Rule] = &[
    entry_point,
    test_code,
    attributed,
    overrides,
    foreign_base,
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

/// What speaks for a definition, as far as it can be told without reading texts.
pub(crate) fn doubts(judged: &Judged<'_>) -> Vec<Doubt> {
    RULES.iter().filter_map(|rule| rule(judged)).collect()
}

/// What the texts of the tree say for a definition that nothing else speaks for.
pub(crate) fn textual(occurrences: &Occurrences, number: u32) -> Vec<Doubt> {
    let found = occurrences.of(number);
    let mut doubts = Vec::new();
    doubts.extend(found.unsearchable.then_some(Doubt::Unsearchable));
    doubts.extend(found.value.then_some(Doubt::Value));
    doubts.extend(found.runs_code.then_some(Doubt::Initialiser));
    doubts.extend(found.built_from.clone().map(Doubt::BuiltName));
    doubts.extend((found.places > 0).then_some(Doubt::Occurs(found.places)));
    doubts
}

impl Judged<'_> {
    fn node(&self) -> &orient_engine::WholeNode {
        &self.whole.nodes[self.number as usize]
    }

    fn is(&self, kinds: &[SymbolKind]) -> bool {
        self.node().kind.is_some_and(|kind| kinds.contains(&kind))
    }

    fn has(&self, modifier: Modifier) -> bool {
        self.node().modifiers.contains(modifier)
    }

    /// The node directly around it; none at the top level.
    fn parent(&self) -> Option<&orient_engine::WholeNode> {
        let parent = &self.whole.nodes[self.node().parent as usize];
        parent.kind.is_some().then_some(parent)
    }

    /// Whether it is a member that nothing outside its type can replace or call.
    fn is_sealed_in(&self) -> bool {
        let hides = self.whole.rules(self.number).is_some_and(|rules| rules.hides_private);
        hides && self.visibility == Visibility::Private
    }
}

fn entry_point(judged: &Judged<'_>) -> Option<Doubt> {
    judged.node().entry.is_some().then_some(Doubt::EntryPoint)
}

fn test_code(judged: &Judged<'_>) -> Option<Doubt> {
    judged.whole.is_test(judged.number).then_some(Doubt::TestCode)
}

fn attributed(judged: &Judged<'_>) -> Option<Doubt> {
    let around = judged.parent().is_some_and(|parent| {
        parent.attributed && matches!(parent.kind, Some(SymbolKind::Impl | SymbolKind::Module))
    });
    (judged.node().attributed || around).then_some(Doubt::Attributed)
}

fn overrides(judged: &Judged<'_>) -> Option<Doubt> {
    judged.usage.overrides(judged.whole, judged.number).then_some(Doubt::Overrides)
}

fn foreign_base(judged: &Judged<'_>) -> Option<Doubt> {
    let around = judged.parent().and_then(|parent| judged.whole.number(parent.id));
    let of_type = around.is_some_and(|of| judged.usage.has_foreign_base(judged.whole, of));
    let member = of_type && !judged.is_sealed_in() && !judged.usage.overrides(judged.whole, judged.number);
    let own = judged.usage.has_foreign_base(judged.whole, judged.number);
    (member || own).then_some(Doubt::ForeignBase)
}

fn runtime_name(judged: &Judged<'_>) -> Option<Doubt> {
    judged.whole.runtime_use(judged.number).map(Doubt::RuntimeName)
}

fn open_type(judged: &Judged<'_>) -> Option<Doubt> {
    let reopens = judged.whole.rules(judged.number).is_some_and(|rules| rules.reopens);
    let of_type = |parent: &orient_engine::WholeNode| {
        parent.kind.is_some_and(|kind| kind.is_type() || kind == SymbolKind::Module) && parent.bases == 0
    };
    (reopens && judged.parent().is_some_and(of_type)).then_some(Doubt::OpenType)
}

fn is_exported(judged: &Judged<'_>) -> bool {
    judged.has(Modifier::Exported) || judged.has(Modifier::Extern)
}

fn exported(judged: &Judged<'_>) -> Option<Doubt> {
    is_exported(judged).then_some(Doubt::Exported)
}

/// Whether it stands at the top level of a file that is there to be included.
fn is_in_header(judged: &Judged<'_>) -> bool {
    let member = judged.parent().is_some_and(|parent| parent.kind.is_some_and(SymbolKind::is_type));
    let name = judged.whole.file(judged.number).path.display();
    let is_header = |rules: &Rules| {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        extension.is_some_and(|extension| rules.headers.iter().any(|known| known == extension))
    };
    !member && judged.whole.rules(judged.number).is_some_and(is_header)
}

fn public(judged: &Judged<'_>) -> Option<Doubt> {
    let seen = matches!(judged.visibility, Visibility::Public | Visibility::Protected);
    ((seen || is_in_header(judged)) && !is_exported(judged)).then_some(Doubt::Public)
}

fn implicit(judged: &Judged<'_>) -> Option<Doubt> {
    use SymbolKind::{Constructor, Event, Operator, Property};
    let accessor = judged.has(Modifier::Getter) || judged.has(Modifier::Setter);
    (accessor || judged.is(&[Constructor, Event, Operator, Property])).then_some(Doubt::Implicit)
}

fn data_member(judged: &Judged<'_>) -> Option<Doubt> {
    let member = judged.parent().is_some_and(|parent| parent.kind.is_some_and(SymbolKind::is_type));
    let of_type =
        member && judged.is(&[SymbolKind::Constant, SymbolKind::Variable]) && !judged.is_sealed_in();
    (of_type || judged.is(&[SymbolKind::Field, SymbolKind::EnumMember])).then_some(Doubt::DataMember)
}

fn object_member(judged: &Judged<'_>) -> Option<Doubt> {
    let of_type = judged.parent().is_some_and(|parent| parent.kind.is_some_and(SymbolKind::is_type));
    // Where objects get members by assignment, what a member names before it is an object. Elsewhere it is its type.
    let assigned = judged.whole.rules(judged.number).is_none_or(|rules| rules.type_space);
    let of_object = !of_type && (assigned || !judged.node().qualified);
    (judged.is(&[SymbolKind::Method]) && of_object).then_some(Doubt::ObjectMember)
}

fn defined_elsewhere(judged: &Judged<'_>) -> Option<Doubt> {
    (judged.undefined || judged.has(Modifier::Abstract)).then_some(Doubt::DefinedElsewhere)
}

fn generated(judged: &Judged<'_>) -> Option<Doubt> {
    (judged.whole.file(judged.number).role == Role::Generated).then_some(Doubt::Generated)
}

fn misread(judged: &Judged<'_>) -> Option<Doubt> {
    judged.node().misread.then_some(Doubt::Misread)
}

fn unresolved(judged: &Judged<'_>) -> Option<Doubt> {
    judged.whole.rules(judged.number).is_none().then_some(Doubt::Unresolved)
}

fn inside(judged: &Judged<'_>) -> Option<Doubt> {
    let Judged { whole, number, .. } = *judged;
    let within = (number + 1..whole.nodes.len() as u32).take_while(|&inner| whole.is_within(inner, number));
    let entered = |inner: u32| {
        let node = &whole.nodes[inner as usize];
        node.entry.is_some() || node.attributed || whole.is_test(inner)
    };
    within.into_iter().any(entered).then_some(Doubt::Inside)
}

fn unresolved_uses(judged: &Judged<'_>) -> Option<Doubt> {
    let uses = judged.usage.unresolved(judged.whole.name(judged.number));
    (uses > 0).then_some(Doubt::UnresolvedUses(uses))
}
