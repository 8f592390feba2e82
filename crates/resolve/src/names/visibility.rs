//! What is in sight where an expression stands: extensions that are members need a receiver around, members that are
//! kept for old binaries are seen by nobody, and a function that runs as another's sees nothing of where it is written.

use crate::file::file_unit::{Held, Unit, last_name};
use crate::modules::plain;
use crate::session::{Frame, Session};
use crate::types::ty::{Found, Sym, Ty};
use orient_model::{Expr, ExprId, Modifier, RefKind, Rule, ScopeKind, SymbolKind, Visibility};
use rustc_hash::FxHashSet;

/// Members of anything that run the function they are given as if it stood in their receiver.
pub(crate) const RUNS_AS_OTHER: [&str; 6] =
    ["instance_eval", "instance_exec", "class_eval", "class_exec", "module_eval", "module_exec"];

impl Session<'_> {
    /// Whether a symbol is there for old binaries only: nothing that is written means it.
    pub(crate) fn is_hidden(&self, sym: Sym) -> bool {
        let Some(unit) = self.home(sym).filter(|unit| !unit.rules.hidden_by.is_empty()) else { return false };
        is_marked(&unit, sym.at, &unit.rules.hidden_by)
    }

    /// Whether a symbol is a member of an enumeration that must be named with it.
    pub(crate) fn is_scoped_member(&self, unit: &Unit, symbol: u32) -> bool {
        let scoped = &unit.rules.scoped_enums;
        if scoped.is_empty() || unit.kind(symbol) != Some(SymbolKind::EnumMember) {
            return false;
        }
        let Some(around) = unit.symbol(symbol).and_then(|symbol| symbol.parent) else { return false };
        // The header of the enumeration decides, so whoever looks depends on that as well.
        self.ask(unit.name(around));
        let header = unit.symbol(around).map_or("", |around| unit.said(around.signature));
        scoped.iter().any(|begins| header.starts_with(begins.as_str()))
    }

    /// Whether members are private to a base, and so are none of its heir's. What is mixed in becomes the heir's own, and
    /// what stands inside one type sees all of it.
    pub(crate) fn is_kept_from(&self, heir: &Ty, base: Sym, members: &[Sym]) -> bool {
        let (Some(unit), Ty::Of(heir, _)) = (self.home(base), heir) else { return false };
        let is_class = matches!(unit.kind(base.at), Some(SymbolKind::Class | SymbolKind::Struct));
        let private = |&member: &Sym| self.visibility(member) == Some(Visibility::Private);
        unit.rules.hides_private
            && is_class
            && members.iter().all(private)
            && self.outermost(*heir) != self.outermost(base)
    }

    /// Whether a definition outside of all types is private to another file.
    pub(crate) fn is_of_other_file(&self, sym: Sym, unit: &Unit) -> bool {
        let rules = &unit.rules;
        sym.file != unit.file
            && (rules.hides_private && self.visibility(sym) == Some(Visibility::Private)
                || rules.file_variables && self.kind(sym) == Some(SymbolKind::Variable))
    }

    fn visibility(&self, sym: Sym) -> Option<Visibility> {
        self.home(sym).and_then(|unit| Some(unit.symbol(sym.at)?.visibility))
    }

    /// The outermost type around a symbol, or itself.
    fn outermost(&self, sym: Sym) -> Sym {
        let Some(unit) = self.home(sym) else { return sym };
        let (mut found, mut next) = (sym.at, Some(sym.at));
        while let Some(at) = next {
            if unit.kind(at).is_some_and(SymbolKind::is_type) {
                found = at;
            }
            next = unit.symbol(at).and_then(|symbol| symbol.parent);
        }
        unit.sym(found)
    }

    /// Without functions that give way to the others.
    pub(crate) fn without_yielding(&self, found: &mut Vec<Found>) {
        let yields = |one: &Found| {
            let home = one.sym().and_then(|sym| Some((self.home(sym)?, sym.at)));
            home.is_some_and(|(unit, at)| is_marked(&unit, at, &unit.rules.yields_by))
        };
        if found.len() > 1 && !found.iter().all(yields) {
            found.retain(|one| !yields(one));
        }
    }

    /// Whether a property can be written and not read.
    pub(crate) fn is_only_written(&self, found: &Found) -> bool {
        let home = found.sym().and_then(|sym| Some((self.home(sym)?, sym.at)));
        home.is_some_and(|(unit, at)| {
            let property = unit.kind(at) == Some(SymbolKind::Property);
            property && unit.is(at, Modifier::Setter) && !unit.is(at, Modifier::Getter)
        })
    }

    /// Whether a symbol stands in a script that is not this file.
    pub(crate) fn in_other_script(&self, sym: Sym, unit: &Unit) -> bool {
        if sym.file == unit.file || unit.rules.scripts.is_empty() {
            return false;
        }
        self.home(sym).is_some_and(|home| {
            let name = home.facts.path.display().into_owned();
            let extension = name.rsplit('.').next().unwrap_or_default();
            home.rules.scripts.iter().any(|script| script == extension)
        })
    }

    /// Without extensions that are members of what is no receiver here; the nearest receiver decides.
    pub(crate) fn in_sight(&self, frame: &Frame, found: Vec<Found>) -> Vec<Found> {
        let holders: Vec<Option<Sym>> = found.iter().map(|one| self.holder(one)).collect();
        if holders.iter().all(Option::is_none) {
            return found;
        }
        let around = self.receivers_around(frame);
        let place = |holder: Sym| match around.iter().position(|&one| one == holder) {
            None if self.imports_of(&frame.unit, holder, &found) => Some(around.len()),
            place => place,
        };
        let places: Vec<Option<usize>> = holders.iter().map(|holder| holder.and_then(place)).collect();
        let nearest = places.iter().flatten().min().copied();
        let kept = found.into_iter().zip(holders.iter().zip(places));
        kept.filter(|(_, (holder, place))| match (holder, nearest) {
            (None, nearest) => nearest.is_none(),
            (Some(_), _) => place.is_some() && *place == nearest,
        })
        .map(|(one, _)| one)
        .collect()
    }

    /// The type whose member an extension is.
    fn holder(&self, found: &Found) -> Option<Sym> {
        self.holder_of(found.sym().filter(|_| found.rule == Rule::Extension)?)
    }

    /// The type whose member an extension of this name is; none for one that stands by itself.
    pub(crate) fn holder_of(&self, sym: Sym) -> Option<Sym> {
        let unit = self.home(sym).filter(|unit| unit.rules.companions)?;
        let parent = unit.symbol(sym.at)?.parent?;
        unit.kind(parent)?.is_type().then(|| unit.sym(parent))
    }

    /// Whether a file names an object in an import, with what was found in it or with all of it.
    fn imports_of(&self, unit: &Held, holder: Sym, found: &[Found]) -> bool {
        if self.kind(holder) != Some(SymbolKind::Object) {
            return false;
        }
        let space = self.known_name(holder);
        let name = found
            .iter()
            .find_map(Found::sym)
            .and_then(|sym| self.home(sym).map(|home| home.name(sym.at).to_owned()));
        unit.facts.outline.imports.iter().any(|import| {
            let named = import.name.map(|atom| unit.said(atom));
            plain(unit.said(import.module)) == *space && (named.is_none() || named == name.as_deref())
        })
    }

    /// The types whose members are seen by their bare names, innermost first.
    fn receivers_around(&self, frame: &Frame) -> Vec<Sym> {
        let unit = &frame.unit;
        let mut around = Vec::new();
        let mut next = Some(frame.scope);
        while let Some((at, scope)) = next.and_then(|at| Some((at, unit.facts.flow.scopes.get(at as usize)?)))
        {
            next = scope.parent;
            let ty = match (scope.kind, scope.symbol) {
                (ScopeKind::Type, Some(symbol)) => Some(self.own_type(unit.sym(symbol))),
                (ScopeKind::Function, symbol) => {
                    let entered = self.entered(unit, at).map(|val| val.ty);
                    entered.or_else(|| self.qualifier_type(unit, symbol?))
                }
                _ => None,
            };
            let Some(ty) = ty else { continue };
            for of in self.line(&ty).iter() {
                let Ty::Of(sym, _) = of else { continue };
                around.push(*sym);
                let Some(home) = self.home(*sym) else { continue };
                let stands_for = |at: &&u32| {
                    home.kind(**at) == Some(SymbolKind::Object) && home.is(**at, Modifier::Static)
                };
                around.extend(home.children(Some(sym.at)).iter().filter(stands_for).map(|&at| home.sym(at)));
            }
        }
        around
    }

    /// Whether what was found is a member, and so depends on who runs the code.
    pub(crate) fn is_of_receiver(&self, found: &Found) -> bool {
        let kind = found.sym().and_then(|sym| self.kind(sym));
        kind.is_some_and(|kind| kind.is_callable() || kind == SymbolKind::Field)
    }

    /// Whether the function with this scope is run as if it stood elsewhere: who it is given to says so.
    pub(crate) fn runs_as_other(&self, unit: &Held, scope: u32) -> bool {
        if !unit.rules.split_members {
            return false;
        }
        if let Some(&known) = self.elsewhere.borrow().get(&(unit.file, scope)) {
            return known;
        }
        let Some((call, at)) = Self::argument_of(unit, scope) else { return false };
        let Expr::Call { callee, .. } = unit.expr(call) else { return false };
        let called = last_name(&unit.facts, callee).unwrap_or_default();
        let runs = RUNS_AS_OTHER.contains(&called) || {
            // While that is being found, the function counts as one that runs where it stands.
            self.elsewhere.borrow_mut().insert((unit.file, scope), false);
            let outer = unit.facts.flow.scopes.get(scope as usize).and_then(|scope| scope.parent);
            let frame = Frame { unit: unit.clone(), scope: outer.unwrap_or(0), at };
            let found = self.callees(&frame, callee);
            found.iter().filter_map(Found::sym).any(|sym| {
                let Some(home) = self.home(sym) else { return false };
                home.runs_as_other.get_or_init(|| givers(&home)).contains(&sym.at)
                    || (sym.file == unit.file && self.gives_on(unit, sym.at))
            })
        };
        self.elsewhere.borrow_mut().insert((unit.file, scope), runs);
        runs
    }

    /// Whether a function of this file gives a parameter on inside of a function that runs as another's.
    fn gives_on(&self, unit: &Held, symbol: u32) -> bool {
        let Some(own) = unit.scope_of(symbol) else { return false };
        let mut calls = unit.references_in(symbol).filter(|one| one.kind == RefKind::Call);
        calls.any(|reference| {
            let Expr::Call { args, .. } = unit.expr(reference.expr) else { return false };
            unit.facts.flow.list(args).iter().any(|&arg| is_param(unit, own, arg)) && {
                let mut next = Some(reference.scope).filter(|&at| at != own);
                let mut other = false;
                while let Some(at) = next.filter(|_| !other) {
                    other = self.runs_as_other(unit, at);
                    let parent = unit.facts.flow.scopes.get(at as usize).and_then(|scope| scope.parent);
                    next = parent.filter(|&at| at != own);
                }
                other
            }
        })
    }
}

/// Whether an annotation of a symbol says one of these.
fn is_marked(unit: &Unit, symbol: u32, marks: &[String]) -> bool {
    let says = |said: &str| marks.iter().any(|mark| said.contains(mark.as_str()));
    !marks.is_empty()
        && unit
            .symbol(symbol)
            .is_some_and(|symbol| symbol.attributes.iter().any(|&said| says(unit.said(said))))
}

/// Whether an argument is a parameter of the function with this scope.
fn is_param(unit: &Unit, scope: u32, arg: ExprId) -> bool {
    match unit.expr(arg) {
        Expr::Name(name) => {
            unit.params(scope).iter().any(|&at| unit.binding(at).is_some_and(|param| param.name == name))
        }
        _ => false,
    }
}

/// Functions that give a parameter of theirs to something that runs it as another's.
fn givers(unit: &Unit) -> FxHashSet<u32> {
    let mut givers = FxHashSet::default();
    for reference in unit.references().iter().filter(|reference| reference.kind == RefKind::Call) {
        let (Some(symbol), Expr::Call { callee, args }) = (reference.symbol, unit.expr(reference.expr))
        else {
            continue;
        };
        let runs = last_name(&unit.facts, callee).is_some_and(|name| RUNS_AS_OTHER.contains(&name));
        let Some(scope) = unit.scope_of(symbol).filter(|_| runs) else { continue };
        if unit.facts.flow.list(args).iter().any(|&arg| is_param(unit, scope, arg)) {
            givers.insert(symbol);
        }
    }
    givers
}
