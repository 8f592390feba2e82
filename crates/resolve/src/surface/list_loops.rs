//! Loops over lists that the code states: `for (const { path, router } of routes) app.use(path, router)`.
//!
//! A call in such a loop is followed once for each element. A turn says which element the names of each loop stand for, and what is
//! taken out of an element is looked at where the list is, which may be another file. A list that the code computes or changes is
//! not expanded: the call is then followed once, and its names mean nothing.

use super::extract::Extraction;
use crate::file::FileRef;
use crate::session::Site;
use crate::types::target::Target;
use orient_model::{Atom, Binding, BindingKind, Expr, ExprId, Reference, Sequence, SymbolKind, Via, Wrapper};
use rustc_hash::FxHashMap;

/// Maximum number of turns of the loops around a call.
const MAX_TURNS: usize = 256;
/// Maximum nesting of expressions, and number of variables that are followed to a list.
const DEPTH: u32 = 12;
/// Members that change the list they are called on.
const CHANGES: &[&str] = &["push", "unshift", "append", "extend", "insert", "add", "addAll", "prepend"];

/// An expression and the place that it is looked at from, which may be in another file.
#[derive(Clone)]
pub(super) struct Given {
    pub(super) site: Site,
    pub(super) expr: ExprId,
    /// The type of an element that does not say it: `Route` for the elements of `[]Route{…}`.
    ty: Option<ExprId>,
}

/// A loop: the scope of its names, and what it goes over.
type Loop = (u32, ExprId);
/// The elements that loops are at.
pub(super) type Turn = Vec<(Loop, Given)>;

/// A part of an element.
enum Part<'t> {
    Whole,
    Item(u32),
    Member(&'t str),
}

impl Given {
    pub(super) fn new(site: &Site, expr: ExprId) -> Self {
        Self { site: site.clone(), expr, ty: None }
    }

    pub(super) fn kind(&self) -> Expr {
        self.site.unit.expr(self.expr)
    }

    /// The expression as one of this file.
    pub(super) fn within(&self, unit: &FileRef) -> Option<ExprId> {
        (self.site.unit.file == unit.file).then_some(self.expr)
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        self.expr == other.expr && self.site.unit.file == other.site.unit.file
    }

    fn at(&self, expr: ExprId) -> Self {
        Self { expr, ty: None, ..self.clone() }
    }
}

/// A function that is called for each element of a list.
pub(super) struct ElementCallback {
    list: ExprId,
    scope: u32,
    at: u32,
    /// The parameter that gets the element.
    parameter: u32,
}

impl Extraction<'_, '_> {
    /// What the loops around a call stand at, one turn after the other; a single empty one without such loops.
    pub(super) fn turns(&self, reference: &Reference) -> Vec<Turn> {
        let mut loops = Vec::new();
        self.loops_in(&self.site(reference), reference.expr, &mut loops, 0);
        let mut turns = vec![Turn::new()];
        for (key, site) in loops {
            let mut next = Vec::new();
            for turn in turns {
                self.turn.replace(turn.clone());
                match self.elements(&Given::new(&site, key.1), 0) {
                    Some(elements) => next.extend(elements.into_iter().map(|element| {
                        let mut turn = turn.clone();
                        turn.push((key, element));
                        turn
                    })),
                    None => next.push(turn),
                }
            }
            turns = next;
            if turns.len() > MAX_TURNS {
                turns = vec![Turn::new()];
                break;
            }
        }
        self.turn.take();
        turns
    }

    /// The loops whose elements an expression uses, outer ones first.
    fn loops_in(&self, site: &Site, expr: ExprId, found: &mut Vec<(Loop, Site)>, depth: u32) {
        if depth > DEPTH {
            return;
        }
        let unit = self.unit;
        let flow = unit.flow();
        match unit.expr(expr) {
            Expr::Name(name) => {
                let Some(at) = self.binding_of_name(site, unit.text(name)) else { return };
                if let Some((key, site, _)) = self.loop_of(at) {
                    if found.iter().all(|(known, _)| *known != key) {
                        self.loops_in(&site, key.1, found, depth + 1);
                        found.push((key, site));
                    }
                } else if let Some((value, site, _)) = self.local_value(at) {
                    self.loops_in(&site, value, found, depth + 1);
                }
            }
            Expr::Call { callee, args } => {
                self.loops_in(site, callee, found, depth + 1);
                flow.list(args).iter().for_each(|&arg| self.loops_in(site, arg, found, depth + 1));
            }
            Expr::Sequence { items, .. } => {
                flow.list(items).iter().for_each(|&item| self.loops_in(site, item, found, depth + 1));
            }
            Expr::Member { base: inner, .. }
            | Expr::Named { value: inner, .. }
            | Expr::Wrap { inner, .. }
            | Expr::Cast { value: inner, .. }
            | Expr::Await(inner) => self.loops_in(site, inner, found, depth + 1),
            Expr::Index { base, key } => {
                self.loops_in(site, base, found, depth + 1);
                self.loops_in(site, key, found, depth + 1);
            }
            _ => {}
        }
    }

    /// The loop that binds a name, where its list is looked at, and the part of each element that the name is.
    fn loop_of(&self, at: u32) -> Option<(Loop, Site, Part<'_>)> {
        let unit = self.unit;
        let binding = unit.binding(at)?;
        let part = self.part_of(binding.via)?;
        if binding.kind == BindingKind::Param {
            let callback = self.callbacks().get(&binding.scope)?;
            let site = Site { unit: unit.clone(), scope: callback.scope, at: callback.at };
            let is_element = binding.value.is_none() && self.position(binding) == Some(callback.parameter);
            return is_element.then_some(((binding.scope, callback.list), site, part));
        }
        let value = binding.value?;
        let list = match (unit.expr(value), binding.via) {
            (_, Via::Element) => value,
            (Expr::Wrap { wrapper: Wrapper::Spread, inner }, Via::Item(_) | Via::Member(_)) => inner,
            _ => return None,
        };
        let site = Site { unit: unit.clone(), scope: binding.scope, at: binding.at.saturating_sub(1) };
        Some(((binding.scope, list), site, part))
    }

    fn part_of(&self, via: Via) -> Option<Part<'_>> {
        match via {
            Via::Value | Via::Element => Some(Part::Whole),
            Via::Item(at) => Some(Part::Item(at)),
            Via::Member(name) => Some(Part::Member(self.unit.text(name))),
            _ => None,
        }
    }

    /// The value of a local variable, where it is looked at, and the part of it that the variable is.
    fn local_value(&self, at: u32) -> Option<(ExprId, Site, Part<'_>)> {
        let binding = self.unit.binding(at)?;
        let is_simple = binding.kind == BindingKind::Local && !matches!(binding.via, Via::Element);
        let part = self.part_of(binding.via).filter(|_| is_simple)?;
        let site = Site { unit: self.unit.clone(), scope: binding.scope, at: binding.at.saturating_sub(1) };
        Some((binding.value?, site, part))
    }

    /// The place of a parameter; the names of a pattern share one.
    fn position(&self, wanted: &Binding) -> Option<u32> {
        let (mut place, mut in_pattern) = (None, false);
        for &at in self.unit.params(wanted.scope) {
            let binding = self.unit.binding(at)?;
            let is_pattern = binding.via != Via::Value;
            if !(is_pattern && in_pattern) {
                place = Some(place.map_or(0, |place: u32| place + 1));
            }
            in_pattern = is_pattern;
            if binding.at == wanted.at {
                return place;
            }
        }
        None
    }

    /// The functions that are called for each element of a list, by their scope.
    fn callbacks(&self) -> &FxHashMap<u32, ElementCallback> {
        self.callbacks.get_or_init(|| {
            let unit = self.unit;
            let known = unit.references().iter().filter_map(|reference| {
                let Expr::Call { callee, args } = unit.expr(reference.expr) else { return None };
                let Expr::Member { base: list, name } = unit.expr(callee) else { return None };
                let scope = match unit.expr(*unit.list(args).first()?) {
                    Expr::Lambda(scope) => scope,
                    Expr::Function(symbol) => unit.scope_of(symbol)?,
                    _ => return None,
                };
                let name = unit.text(name);
                let (_, parameter) = unit.rules.callback_parameters.iter().find(|(feed, _)| feed == name)?;
                let (at, parameter) = (reference.at, *parameter);
                Some((scope, ElementCallback { list, scope: reference.scope, at, parameter }))
            });
            known.collect()
        })
    }

    /// What a local variable takes a member of this name from: `app.router` for `add_route = app.router.add_route`.
    pub(super) fn bound_member(&self, site: &Site, variable: Atom, name: &str) -> Option<ExprId> {
        let at = self.binding_of_name(site, self.unit.text(variable))?;
        let (value, _, Part::Whole) = self.local_value(at)? else { return None };
        match self.unit.expr(value) {
            Expr::Member { base, name: own } if self.unit.text(own) == name => Some(base),
            _ => None,
        }
    }

    /// What an expression stands for, if it is an element of a list that a loop is at, or a part of one.
    pub(super) fn given(&self, site: &Site, expr: ExprId) -> Option<Given> {
        let in_loop = !self.turn.borrow().is_empty() && site.unit.file == self.unit.file;
        if in_loop { self.given_below(site, expr, 0) } else { None }
    }

    fn given_below(&self, site: &Site, expr: ExprId, depth: u32) -> Option<Given> {
        if depth > DEPTH {
            return None;
        }
        match self.unit.expr(expr) {
            Expr::Name(name) => {
                let at = self.binding_of_name(site, self.unit.text(name))?;
                let (whole, part) = if let Some((key, _, part)) = self.loop_of(at) {
                    let turn = self.turn.borrow();
                    let element = turn.iter().find(|(known, _)| *known == key)?.1.clone();
                    (element, part)
                } else {
                    let (value, site, part) = self.local_value(at)?;
                    (self.given_below(&site, value, depth + 1)?, part)
                };
                self.part(&whole, &part)
            }
            Expr::Member { base, name } => {
                let whole = self.given_below(site, base, depth + 1)?;
                self.part(&whole, &Part::Member(self.unit.text(name)))
            }
            Expr::Index { base, key } => {
                let whole = self.given_below(site, base, depth + 1)?;
                let Expr::Text(name) = self.unit.expr(key) else { return None };
                self.part(&whole, &Part::Member(self.unit.text(name)))
            }
            Expr::Named { value: inner, .. }
            | Expr::Cast { value: inner, .. }
            | Expr::Wrap { wrapper: Wrapper::Deref | Wrapper::Pointer | Wrapper::Reference, inner } => {
                self.given_below(site, inner, depth + 1)
            }
            _ => None,
        }
    }

    /// Whether an expression is a part of an element that is not known.
    pub(super) fn is_unknown_part(&self, site: &Site, expr: ExprId) -> bool {
        let mut loops = Vec::new();
        if matches!(self.unit.expr(expr), Expr::Name(_) | Expr::Member { .. } | Expr::Index { .. }) {
            self.loops_in(site, expr, &mut loops, 0);
        }
        !loops.is_empty() && self.given(site, expr).is_none()
    }

    /// The entry of this name of an object that an expression says.
    pub(super) fn entry(&self, site: &Site, expr: ExprId, name: &str) -> Option<Given> {
        let whole = self.given(site, expr).unwrap_or_else(|| Given::new(site, expr));
        self.part(&whole, &Part::Member(name))
    }

    fn part(&self, whole: &Given, part: &Part<'_>) -> Option<Given> {
        if matches!(part, Part::Whole) {
            return Some(whole.clone());
        }
        let whole = self.literal(whole, 0)?;
        let unit = &whole.site.unit;
        let (items, ty) = match whole.kind() {
            Expr::Sequence { items, .. } => (items, whole.ty),
            Expr::New { ty, args } => (args, Some(ty)),
            _ => return None,
        };
        let items = unit.list(items);
        let is_spread =
            |item: &ExprId| matches!(unit.expr(*item), Expr::Wrap { wrapper: Wrapper::Spread, .. });
        match part {
            Part::Whole => None,
            Part::Item(at) => {
                let at = *at as usize;
                let item = *items.get(at)?;
                let plain = !matches!(unit.expr(item), Expr::Named { .. });
                (plain && !items[..=at].iter().any(is_spread)).then(|| whole.at(item))
            }
            Part::Member(name) => {
                let is_named = |item: &ExprId| matches!(unit.expr(*item), Expr::Named { .. });
                let of_name = |item: &ExprId| match unit.expr(*item) {
                    Expr::Named { name: own, value } if unit.text(own) == *name => Some(value),
                    _ => None,
                };
                if items.iter().any(is_named) {
                    return items.iter().rev().find_map(of_name).map(|value| whole.at(value));
                }
                let at = self.field_position(&whole.site, ty?, name)?;
                items.get(at).map(|&item| whole.at(item))
            }
        }
    }

    /// The place of a field among those of a type.
    fn field_position(&self, site: &Site, ty: ExprId, name: &str) -> Option<usize> {
        let sym = self.symbol_of(site, ty)?;
        let unit = self.session.unit_of(sym)?;
        let is_field = |&&child: &&u32| unit.kind(child) == Some(SymbolKind::Field);
        unit.children(Some(sym.at)).iter().filter(is_field).position(|&child| unit.name(child) == name)
    }

    /// The elements of a list that the code states.
    fn elements(&self, list: &Given, depth: u32) -> Option<Vec<Given>> {
        let whole = self.literal(list, depth)?;
        let unit = &whole.site.unit;
        let (items, ty) = match whole.kind() {
            Expr::Sequence { kind: Sequence::List | Sequence::Tuple, items } => (items, None),
            Expr::New { ty, args } => (args, element_type(&whole.site, ty)),
            _ => return None,
        };
        let mut found = Vec::new();
        for &item in unit.list(items) {
            match unit.expr(item) {
                Expr::Named { .. } => return None,
                Expr::Wrap { wrapper: Wrapper::Spread, inner } => {
                    found.extend(self.elements(&whole.at(inner), depth + 1)?);
                }
                _ => found.push(Given { ty, ..whole.at(item) }),
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Follows variables to the literal that they are initialised with and that nothing changes.
    fn literal(&self, from: &Given, depth: u32) -> Option<Given> {
        if depth > DEPTH {
            return None;
        }
        let unit = &from.site.unit;
        match from.kind() {
            Expr::Sequence { .. } | Expr::New { .. } => Some(from.clone()),
            Expr::Cast { value: inner, .. }
            | Expr::Named { value: inner, .. }
            | Expr::Wrap { wrapper: Wrapper::Pointer | Wrapper::Reference | Wrapper::Deref, inner } => {
                self.literal(&Given { expr: inner, ..from.clone() }, depth + 1)
            }
            Expr::Name(_) | Expr::Member { .. } | Expr::Index { .. } => {
                if let Some(given) = self.given(&from.site, from.expr) {
                    return self.literal(&given, depth + 1);
                }
                if let Expr::Name(name) = from.kind()
                    && unit.file == self.unit.file
                    && let Some(at) = self.binding_of_name(&from.site, unit.text(name))
                    && let Some((value, site, Part::Whole)) = self.local_value(at)
                {
                    let fixed = !is_changed(unit, unit.text(name));
                    return if fixed { self.literal(&Given::new(&site, value), depth + 1) } else { None };
                }
                let found = self.session.targets(&from.site, from.expr);
                let sym = found.iter().find_map(Target::sym)?;
                let home = self.session.unit_of(sym)?;
                let binding = home.binding_of(sym.at).filter(|binding| binding.via == Via::Value)?;
                if is_changed(&home, home.name(sym.at)) || is_changed(self.unit, home.name(sym.at)) {
                    return None;
                }
                let site = Site { unit: home.clone(), scope: binding.scope, at: u32::MAX };
                self.literal(&Given::new(&site, binding.value?), depth + 1)
            }
            _ => None,
        }
    }

    /// The text that an expression says.
    pub(super) fn text(&self, site: &Site, expr: ExprId) -> Option<String> {
        match self.given(site, expr) {
            Some(given) => self.session.constant_text(&given.site, given.expr),
            None => self.session.constant_text(site, expr),
        }
    }

    /// The texts that an expression says; a part of an element that is not known says none.
    pub(super) fn texts(&self, given: &Given) -> Vec<String> {
        let (site, expr) = (&given.site, given.expr);
        match self.given(site, expr) {
            Some(given) => self.session.constant_texts(&given.site, given.expr),
            None if site.unit.file == self.unit.file && self.is_unknown_part(site, expr) => Vec::new(),
            None => self.session.constant_texts(site, expr),
        }
    }
}

/// Whether a file assigns to a variable of this name, or adds something to the list in it.
fn is_changed(unit: &FileRef, name: &str) -> bool {
    let is_added = |reference: &Reference| {
        let Expr::Call { callee, .. } = unit.expr(reference.expr) else { return false };
        let Expr::Member { base, name: called } = unit.expr(callee) else { return false };
        CHANGES.contains(&unit.text(called))
            && matches!(unit.expr(base), Expr::Name(list) if unit.text(list) == name)
    };
    let is_name = |target| matches!(unit.expr(target), Expr::Name(_));
    unit.assigned(name).any(|(assign, _)| is_name(assign.target)) || unit.references().iter().any(is_added)
}

/// The type of the elements of a list that is made as a value of this type.
fn element_type(site: &Site, ty: ExprId) -> Option<ExprId> {
    match site.unit.expr(ty) {
        Expr::Wrap { wrapper: Wrapper::Array, inner } => match site.unit.expr(inner) {
            Expr::Wrap { wrapper: Wrapper::Pointer, inner } => Some(inner),
            _ => Some(inner),
        },
        _ => None,
    }
}
