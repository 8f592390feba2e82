//! What handles a route: a function, what wraps one, a method of a type.

use super::arguments::method_name;
use super::extract::Extraction;
use super::routers::node;
use crate::session::Site;
use crate::types::ty::SymbolId;
use orient_model::{BindingKind, Expr, ExprId, Node, Place, Slot, SymbolKind};

/// What handles a route.
#[derive(Clone, Debug, Default)]
pub(super) struct Handler {
    pub(super) symbol: Option<SymbolId>,
    /// As written, if it is no symbol.
    pub(super) text: String,
}

impl Extraction<'_, '_> {
    /// What an expression in the place of a handler stands for: a function, what wraps one, a method of a type.
    pub(super) fn handler(&self, site: &Site, expr: ExprId, depth: u32) -> Handler {
        if depth > 8 {
            return Handler::default();
        }
        if let Some(given) = self.given(site, expr) {
            return self.handler(&given.site, given.expr, depth + 1);
        }
        let text = |text: &str| Handler { symbol: None, text: text.to_owned() };
        match site.unit.expr(expr) {
            Expr::Lambda(_) => text("closure"),
            Expr::Function(symbol) => Handler { symbol: Some(site.unit.sym(symbol)), text: String::new() },
            Expr::Name(_) | Expr::Member { .. } => {
                // The type itself handles: `ListUsers::class`.
                let of_type = |base| self.symbol_of(site, base);
                let symbol = self.symbol_of(site, expr).or_else(|| match site.unit.expr(expr) {
                    Expr::Member { base, name } if site.unit.text(name) == "class" => of_type(base),
                    _ => None,
                });
                match symbol {
                    Some(sym) => Handler { symbol: Some(sym), text: String::new() },
                    None => text(site.unit.last_name(expr).unwrap_or_default()),
                }
            }
            Expr::Text(name) => text(site.unit.text(name)),
            Expr::Named { value: inner, .. } | Expr::Wrap { inner, .. } => {
                self.handler(site, inner, depth + 1)
            }
            Expr::Sequence { items, .. } => {
                let items = site.unit.list(items);
                if let Some(found) = self.named_member(site, items) {
                    return found;
                }
                let each = items.iter().rev().map(|&item| self.handler(site, item, depth + 1));
                let mut found: Vec<Handler> = each.collect();
                let at = found.iter().position(|one| one.symbol.is_some()).unwrap_or(0);
                if found.is_empty() { Handler::default() } else { found.swap_remove(at) }
            }
            Expr::Call { callee, args } => self.wrapped_handler(site, callee, site.unit.list(args), depth),
            Expr::New { ty, .. } => self.handler(site, ty, depth + 1),
            _ => Handler::default(),
        }
    }

    /// The members of a type whose names fit.
    pub(super) fn members_named(&self, ty: SymbolId, fits: impl Fn(&str) -> bool) -> Vec<SymbolId> {
        let Some(unit) = self.session.unit_of(ty).filter(|_| self.session.is_type(ty)) else {
            return Vec::new();
        };
        let members = unit.children(Some(ty.at)).iter().filter(|&&member| {
            fits(unit.name(member)) && unit.kind(member).is_some_and(SymbolKind::is_callable)
        });
        members.map(|&member| unit.sym(member)).collect()
    }

    /// A type and the name of a member: `[UserController::class, 'index']`.
    fn named_member(&self, site: &Site, items: &[ExprId]) -> Option<Handler> {
        let &[ty, name] = items else { return None };
        let Expr::Text(name) = site.unit.expr(name) else { return None };
        let ty = match site.unit.expr(ty) {
            Expr::Member { base, .. } => self.symbol_of(site, ty).or_else(|| self.symbol_of(site, base))?,
            _ => self.symbol_of(site, ty)?,
        };
        let (unit, name) = (self.session.unit_of(ty)?, site.unit.text(name));
        let member = unit.children_named(Some(ty.at), name).next()?;
        Some(Handler { symbol: Some(unit.sym(member)), text: String::new() })
    }

    /// The handler inside of a call: an argument that is a function, what it is called on, or the function itself.
    fn wrapped_handler(&self, site: &Site, callee: ExprId, args: &[ExprId], depth: u32) -> Handler {
        let is_function = |found: &Handler| {
            let kind = found.symbol.and_then(|sym| self.session.kind(sym));
            found.text == "closure" || kind.is_some_and(SymbolKind::is_callable)
        };
        let mut inner = args.iter().rev().map(|&arg| self.handler(site, arg, depth + 1));
        if let Some(found) = inner.find(is_function) {
            return found;
        }
        let called = self.handler(site, callee, depth + 1);
        match site.unit.expr(callee) {
            Expr::Member { base, .. } if called.symbol.is_none() => {
                let on = self.handler(site, base, depth + 1);
                if on.symbol.is_some() { on } else { called }
            }
            _ => called,
        }
    }

    /// The methods and handlers of `get(list).post(create)` and `get().to(list)`.
    pub(super) fn method_calls(&self, site: &Site, mut expr: ExprId) -> Vec<(String, Handler)> {
        const METHODS: &[&str] =
            &["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "ANY"];
        let (mut found, mut chained) = (Vec::new(), None);
        while let Expr::Call { callee, args } = self.unit.expr(expr) {
            let Some(name) = self.last_name(callee) else { break };
            let method = method_name(name);
            let first = self.unit.list(args).first().copied();
            if METHODS.contains(&method.as_str()) {
                // The handler may be given to the next call: `get().to(list)`.
                let handler = first.or_else(|| chained.take());
                found.extend(handler.map(|handler| (method, self.handler(site, handler, 0))));
            } else {
                chained = first;
            }
            match self.unit.expr(callee) {
                Expr::Member { base, .. } => expr = base,
                _ => break,
            }
        }
        found.reverse();
        found
    }

    /// The place of the first parameter of a function that is given as an argument.
    pub(super) fn first_parameter(&self, site: &Site, arg: ExprId) -> Option<Place> {
        if let Some(given) = self.given(site, arg)
            && let Some(arg) = given.within(self.unit)
        {
            return self.first_parameter(&given.site, arg);
        }
        match self.unit.expr(arg) {
            Expr::Lambda(scope) => {
                let bindings = self.unit.bindings();
                let first = bindings.iter().position(|b| b.scope == scope && b.kind == BindingKind::Param)?;
                let node = Node { file: self.unit.file, symbol: None };
                Some(Place { node, slot: Slot::Local(first as u32) })
            }
            Expr::Function(symbol) => {
                let node = Node { file: self.unit.file, symbol: Some(symbol) };
                Some(Place { node, slot: Slot::Param(0) })
            }
            // A function that another one wraps: `plugin(routes)`.
            Expr::Call { args, .. }
                if let Some(&inner) = self.unit.list(args).first()
                    && matches!(
                        self.unit.expr(inner),
                        Expr::Name(_) | Expr::Lambda(_) | Expr::Function(_)
                    ) =>
            {
                self.first_parameter(site, inner)
            }
            _ => {
                let place = self.router(site, arg)?.place;
                if place.node.symbol.is_none() && place.slot == Slot::Value {
                    return Some(Place { slot: Slot::Param(0), ..place });
                }
                let sym = self.router_symbol(site, arg)?;
                let callable = self.session.kind(sym).is_some_and(SymbolKind::is_callable);
                callable.then(|| Place { node: node(sym), slot: Slot::Param(0) })
            }
        }
    }

    /// The symbol of a function that is named or loaded from a module.
    fn router_symbol(&self, site: &Site, arg: ExprId) -> Option<SymbolId> {
        let place = self.router(site, arg)?.place;
        match place {
            Place { node: Node { file, symbol: Some(at) }, slot: Slot::Value } => Some(SymbolId { file, at }),
            _ => None,
        }
    }
}
