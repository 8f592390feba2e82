//! Edges of the type hierarchy: inheritance, overriding members, and dispatch from interface members to
//! implementations.

use crate::file::FileRef;
use crate::invalidation::lookups::{Reach, container};
use crate::names::visibility::says_one_of;
use crate::session::Session;
use crate::types::target::{Referent, Target};
use crate::types::ty::{SymbolId, Ty};
use orient_model::{
    ANONYMOUS, Confidence, Edge, EdgeKind, ExprId, ExternalReference, Node, Reason, RefKind, Relation,
    Resolved, Rule, SymbolKind, UnresolvedReference,
};

/// Adds the edges of all types of a file.
pub(super) fn edges(session: &Session<'_>, unit: &FileRef, out: &mut Resolved) {
    for at in unit.symbols() {
        let Some(kind) = unit.kind(at) else { continue };
        session.start_reference();
        if kind.is_type() || kind == SymbolKind::Module {
            inherits(session, unit, at, out);
        }
        if kind.is_callable() && !unit.rules.platform_declaration_words.is_empty() {
            platform_definition(session, unit, at, out);
        }
        if kind == SymbolKind::EnumMember && !unit.children(Some(at)).is_empty() {
            constant_overrides(session, unit, at, out);
        }
        if unit.rules.type_namespace
            && matches!(kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
            && !unit.children(Some(at)).is_empty()
        {
            object_overrides(session, unit, at, out);
        }
        if kind.is_type() && unit.name(at).ends_with(ANONYMOUS) {
            created_in_place(unit, at, out);
        }
        if unit.rules.structural_interfaces && kind == SymbolKind::Interface {
            structural_implementations(session, unit, at, out);
        }
    }
}

fn inherits(session: &Session<'_>, unit: &FileRef, at: u32, out: &mut Resolved) {
    let line = unit.line(at);
    let own = unit.sym(at);
    let of = session.own_type(own);
    for &(expr, scope, relation) in unit.bases(at) {
        let site = crate::session::Site { unit: unit.clone(), scope, at: u32::MAX };
        let bases = session.ty(&site, expr);
        if !bases.is_known() {
            push_unknown_base(session, unit, expr, (at, line), out);
        }
        for ty in bases.alternatives() {
            if let Ty::External(name, _) = ty {
                out.external.push(external_base(session, &site, expr, (at, line), name));
            }
            let Ty::Instance(base, _) = ty else { continue };
            let kind = match session.unit_of(*base).and_then(|home| home.kind(base.at)) {
                Some(SymbolKind::Interface | SymbolKind::Trait)
                    if unit.kind(at) != Some(SymbolKind::Interface) =>
                {
                    EdgeKind::Implements
                }
                _ if relation == Relation::Implements => EdgeKind::Implements,
                _ => EdgeKind::Inherits,
            };
            let from = match (&of, unit.kind(at)) {
                (Ty::Instance(sym, _), Some(SymbolKind::Impl)) => *sym,
                _ => own,
            };
            if from == *base {
                continue;
            }
            out.edges.push(edge(from, kind, *base, line, Confidence::Exact, Rule::Scope));
        }
    }
    for &(expr, scope) in unit.type_mixins(at) {
        let site = crate::session::Site { unit: unit.clone(), scope, at: u32::MAX };
        for ty in session.ty(&site, expr).alternatives() {
            if let Ty::Instance(base, _) = ty
                && *base != own
            {
                out.edges.push(edge(own, EdgeKind::Inherits, *base, line, Confidence::Exact, Rule::Scope));
            }
        }
    }
    overrides(session, unit, at, &of, out);
    inherited_implementations(session, unit, at, &of, out);
}

/// Adds the edge from the common declaration of a function to its definition for a platform.
fn platform_definition(session: &Session<'_>, unit: &FileRef, at: u32, out: &mut Resolved) {
    let rules = &unit.rules;
    if !says_one_of(unit, at, &rules.default_inheriting_words) {
        return;
    }
    let own = unit.sym(at);
    let full = session.full_name(own);
    let line = unit.line(at);
    let reach = container(&full).map_or(Reach::Program, Reach::Inside);
    for namesake in session.symbols_within(rules, unit.name(at), reach) {
        let other = namesake.sym;
        let Some(home) = session.unit_of(other).filter(|_| Some(namesake.kind) == unit.kind(at)) else {
            continue;
        };
        let mut around = std::iter::successors(Some(other.at), |&at| home.symbol(at)?.parent);
        if around.any(|at| says_one_of(&home, at, &rules.platform_declaration_words))
            && session.full_name(other) == full
            && home.qualifier(other.at) == unit.qualifier(at)
            && session.has_same_params(own, other)
        {
            let (kind, rule) = (EdgeKind::Dispatches, Rule::Implementation);
            out.edges.push(edge(other, kind, own, line, Confidence::Exact, rule));
        }
    }
}

/// An external base, with its package if an import names one.
fn external_base(
    session: &Session<'_>,
    site: &crate::session::Site,
    expr: ExprId,
    (at, line): (u32, u32),
    name: &str,
) -> ExternalReference {
    let package = session.targets(site, expr).iter().find_map(|found| match &found.referent {
        // An anonymous type may inherit a type of any name, but not the one it is called after.
        Referent::External(package, _) if !package.ends_with(ANONYMOUS) => Some(package.to_string()),
        _ => None,
    });
    let (package, name) = (package.unwrap_or_default(), name.to_owned());
    ExternalReference { from: Some(at), kind: RefKind::Inherit, package, name, line }
}

/// Adds an unresolved base: a miss if the repository has a type of that name, else an external reference.
fn push_unknown_base(
    session: &Session<'_>,
    unit: &FileRef,
    expr: ExprId,
    (at, line): (u32, u32),
    out: &mut Resolved,
) {
    let Some(name) = unit.last_name(expr) else { return };
    let name = name.rsplit('\\').next().unwrap_or(name).to_owned();
    let (from, kind) = (Some(at), RefKind::Inherit);
    let is_type = |kind: SymbolKind| kind.is_type() || kind == SymbolKind::TypeAlias;
    if session.kinds_named(&unit.rules, &name).any(is_type) {
        out.unresolved.push(UnresolvedReference { from, kind, name, line, reason: Reason::Unknown });
    } else {
        out.external.push(ExternalReference { from, kind, package: String::new(), name, line });
    }
}

/// Adds edges from members to the inherited members they override.
fn overrides(session: &Session<'_>, unit: &FileRef, at: u32, of: &Ty, out: &mut Resolved) {
    let bases: Vec<Ty> = match unit.kind(at) {
        Some(SymbolKind::Impl) => unit
            .bases(at)
            .iter()
            .flat_map(|&(expr, scope, _)| {
                let site = crate::session::Site { unit: unit.clone(), scope, at: u32::MAX };
                session.mro(&session.ty(&site, expr)).to_vec()
            })
            .collect(),
        _ => session.mro(of).iter().skip(1).cloned().collect(),
    };
    overridden_in(session, unit, at, &bases, out);
}

/// A constant of an enumeration may have a body, whose members override those of the enumeration.
fn constant_overrides(session: &Session<'_>, unit: &FileRef, at: u32, out: &mut Resolved) {
    let Some(owner) = unit.symbol(at).and_then(|symbol| symbol.parent) else { return };
    let bases = session.mro(&session.own_type(unit.sym(owner)));
    overridden_in(session, unit, at, &bases, out);
}

/// The functions of an object implement the members of its declared type: `const square: Shape = { area() {} }`.
fn object_overrides(session: &Session<'_>, unit: &FileRef, at: u32, out: &mut Resolved) {
    let Some(binding) = unit.binding_of(at) else { return };
    let Some(ty) = binding.ty else { return };
    let site = crate::session::Site { unit: unit.clone(), scope: binding.scope, at: binding.at };
    let bases = session.mro(&session.ty(&site, ty));
    overridden_in(session, unit, at, &bases, out);
}

/// An anonymous type is used where it is written, and nowhere else by name.
fn created_in_place(unit: &FileRef, at: u32, out: &mut Resolved) {
    let Some(symbol) = unit.symbol(at) else { return };
    let from = Node { file: unit.file, symbol: symbol.parent };
    let to = Node { file: unit.file, symbol: Some(at) };
    let (kind, line) = (EdgeKind::References, unit.line(at));
    out.edges.push(Edge { from, kind, to, line, confidence: Confidence::Exact, rule: Rule::Scope });
}

/// Adds edges from the members of a symbol to those of the nearest base that they override.
fn overridden_in(session: &Session<'_>, unit: &FileRef, at: u32, bases: &[Ty], out: &mut Resolved) {
    if bases.is_empty() {
        return;
    }
    for &child in unit.children(Some(at)) {
        let Some(symbol) = unit.symbol(child) else { continue };
        let is_entry = symbol.kind == SymbolKind::Function && !unit.kind(at).is_some_and(SymbolKind::is_type);
        if !is_overridable(symbol.kind) && !is_entry {
            continue;
        }
        let name = unit.name(child);
        for base in bases {
            let Ty::Instance(base, _) = base else { continue };
            let Some(members) = session.members_called(*base, name) else { continue };
            let fit = members.iter().copied();
            let fit: Vec<SymbolId> =
                fit.filter(|&member| has_compatible_form(session, unit, child, member)).collect();
            let mut any = false;
            for &member in &fit {
                if is_other_overload(session, unit, at, child, member, &fit) {
                    continue;
                }
                if member != unit.sym(child) {
                    any = true;
                    // Calls of a member that is declared apart from its definition mean the definition.
                    let definition = session.definition_of(Target::symbol(member, Rule::Inherited)).sym();
                    let (from, kind, line) = (unit.sym(child), EdgeKind::Overrides, unit.line(child));
                    let (confidence, rule) = (Confidence::Exact, Rule::Inherited);
                    for to in [Some(member), definition.filter(|&to| to != member)].into_iter().flatten() {
                        out.edges.push(edge(from, kind, to, line, confidence, rule));
                    }
                }
            }
            if any {
                break;
            }
        }
    }
}

/// Adds dispatch edges from interface members to the implementations that a class inherits from its base class: members of the interfaces that
/// it implements, and of an interface that merges with it.
fn inherited_implementations(session: &Session<'_>, unit: &FileRef, at: u32, of: &Ty, out: &mut Resolved) {
    let is_interface = |sym: &SymbolId| {
        session.unit_of(*sym).and_then(|home| home.kind(sym.at)) == Some(SymbolKind::Interface)
    };
    if is_interface(&unit.sym(at)) {
        return;
    }
    let line = session.mro(of);
    let implemented = line.iter().skip(1).filter_map(|ty| match ty {
        Ty::Instance(sym, _) => Some(*sym),
        _ => None,
    });
    let mut interfaces: Vec<SymbolId> = implemented.filter(is_interface).collect();
    if unit.rules.declaration_merging && unit.kind(at).is_some_and(SymbolKind::is_type) {
        interfaces.extend(session.declarations(unit.sym(at)).iter().copied().filter(is_interface));
    }
    if interfaces.is_empty() {
        return;
    }
    let shown = unit.line(at);
    for interface in interfaces {
        let Some(home) = session.unit_of(interface) else { continue };
        for &member in home.children(Some(interface.at)) {
            let name = home.name(member);
            if unit.children_named(Some(at), name).next().is_some() {
                continue;
            }
            let found = session.type_member(of, name, 1, Rule::Implementation);
            let mut found: Vec<SymbolId> = found.iter().filter_map(Target::sym).collect();
            if home.rules.overloads {
                let own = home.sym(member);
                found.retain(|&one| has_compatible_form(session, &home, member, one));
                if found.iter().any(|&one| session.has_same_params(own, one)) {
                    found.retain(|&one| session.has_same_params(own, one));
                }
            }
            for one in found {
                let from_class = session.unit_of(one).and_then(|unit| {
                    let parent = unit.symbol(one.at)?.parent?;
                    Some(unit.kind(parent)? != SymbolKind::Interface)
                });
                if from_class == Some(true) {
                    out.edges.push(edge(
                        home.sym(member),
                        EdgeKind::Dispatches,
                        one,
                        shown,
                        Confidence::Probable,
                        Rule::Implementation,
                    ));
                }
            }
        }
    }
}

/// Structural typing: adds edges from the types that have all methods of an interface. If the interface embeds an
/// external one, it has unknown methods: a type that has all others probably has those as well.
fn structural_implementations(session: &Session<'_>, unit: &FileRef, at: u32, out: &mut Resolved) {
    let interface = unit.sym(at);
    let Some((required, confidence)) = required_methods(session, interface) else { return };
    // Only types with the rarest of the methods need a check.
    let Some(&rarest) = required.iter().min_by_key(|&&member| {
        session.unit_of(member).map_or(usize::MAX, |home| {
            session.symbols_within(&home.rules, home.name(member.at), Reach::Anywhere).len()
        })
    }) else {
        return;
    };
    let Some(home) = session.unit_of(rarest) else { return };
    let line = unit.line(at);
    let mut seen = Vec::new();
    for namesake in session.symbols_within(&unit.rules, home.name(rarest.at), Reach::Anywhere) {
        if namesake.kind != SymbolKind::Method {
            continue;
        }
        let Some(beside) = session.unit_of(namesake.sym) else { continue };
        let owner = session.qualifier_type(&beside, namesake.sym.at);
        let Some(ty @ Ty::Instance(sym, _)) = owner else { continue };
        if seen.contains(&sym) || sym == interface {
            continue;
        }
        seen.push(sym);
        let reached = implementations(session, &ty, &required);
        if reached.len() == required.len() {
            let (kind, rule) = (EdgeKind::Implements, Rule::Implementation);
            out.edges.push(edge(sym, kind, interface, line, confidence, rule));
            for (member, one) in reached {
                let (kind, confidence) = (EdgeKind::Dispatches, Confidence::Probable);
                out.edges.push(edge(member, kind, one, line, confidence, rule));
            }
        }
    }
}

/// The methods of an interface and of those it embeds, and the confidence that these are all.
fn required_methods(session: &Session<'_>, interface: SymbolId) -> Option<(Vec<SymbolId>, Confidence)> {
    let mut required: Vec<SymbolId> = Vec::new();
    let mut confidence = Confidence::Exact;
    for ty in session.mro(&Ty::instance(interface)).iter() {
        match ty {
            Ty::Instance(sym, _) => {
                let Some(home) = session.unit_of(*sym) else { continue };
                let methods = home.children(Some(sym.at)).iter();
                let methods = methods.filter(|&&at| home.kind(at) == Some(SymbolKind::Method));
                required.extend(methods.map(|&at| home.sym(at)));
            }
            Ty::External(..) | Ty::Unknown => confidence = Confidence::Probable,
            _ => return None,
        }
    }
    Some((required, confidence))
}

/// The methods of a type that implement the required ones, up to the first that is missing.
fn implementations(session: &Session<'_>, ty: &Ty, required: &[SymbolId]) -> Vec<(SymbolId, SymbolId)> {
    let implementation = |&member: &SymbolId| {
        let home = session.unit_of(member)?;
        let found = session.type_member(ty, home.name(member.at), 0, Rule::Implementation);
        let mut found = found.iter().filter_map(Target::sym);
        let one = found.find(|&one| has_compatible_form(session, &home, member.at, one))?;
        Some((member, one))
    };
    required.iter().map_while(implementation).collect()
}

fn is_overridable(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Operator | SymbolKind::Event)
}

/// Whether one member can override another: by kind and number of parameters.
fn has_compatible_form(session: &Session<'_>, unit: &FileRef, at: u32, other: SymbolId) -> bool {
    let Some(home) = session.unit_of(other) else { return false };
    let (Some(one), Some(two)) = (unit.symbol(at), home.symbol(other.at)) else { return false };
    let holds_function = unit.rules.type_namespace && two.kind == SymbolKind::Field;
    (is_overridable(two.kind) || holds_function)
        && (!unit.rules.overloads && !unit.rules.structural_interfaces
            || one.params.len() == two.params.len())
}

/// Whether an inherited member is overridden by another overload, or a member overrides another one: of overloads with
/// equally many parameters, only those with the same types belong together.
///
/// Example: of `a(int)` and `a(String)` in a class and its base, each overrides one. A lone `a(Item)` overrides `a(T)`.
fn is_other_overload(
    session: &Session<'_>,
    unit: &FileRef,
    owner: u32,
    child: u32,
    member: SymbolId,
    fit: &[SymbolId],
) -> bool {
    let own = unit.sym(child);
    if !unit.rules.overloads || session.has_same_params(own, member) {
        return false;
    }
    let name = unit.name(child);
    let siblings = unit.children(Some(owner)).iter().filter(|&&other| other != child);
    let mut siblings = siblings.filter(|&&other| unit.name(other) == name).map(|&other| unit.sym(other));
    fit.iter().any(|&other| other != member && session.has_same_params(own, other))
        || siblings.any(|other| session.has_same_params(other, member))
}

fn edge(from: SymbolId, kind: EdgeKind, to: SymbolId, line: u32, confidence: Confidence, rule: Rule) -> Edge {
    let node = |sym: SymbolId| Node { file: sym.file, symbol: Some(sym.at) };
    Edge { from: node(from), kind, to: node(to), line, confidence, rule }
}
