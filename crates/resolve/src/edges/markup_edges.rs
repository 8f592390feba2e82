//! Edges of references in markup that no other rule resolves: to components, members of the component, and style selectors.

use super::component_props::properties;
use super::references::ReferenceEdges;
use crate::markup::styled_kind;
use crate::session::Site;
use crate::types::target::{Referent, Target, Value};
use crate::types::ty::{Module, Ty};
use orient_model::{
    Atom, BindingKind, Confidence, Edge, EdgeKind, Expr, ExprId, Modifier, Node, RefKind, Rule,
};

/// Whether a target is nothing that the repository defines.
pub(super) fn is_undefined(target: &Target) -> bool {
    matches!(target.referent, Referent::External(..) | Referent::Value(Ty::Module(Module::Namespace(_))))
}

impl ReferenceEdges<'_, '_> {
    /// Follows a class, an id or a custom property. What no style sheet has is no miss: classes have many other uses.
    pub(super) fn follow_selector(&mut self, site: &Site) -> bool {
        let name = match self.unit.expr(self.reference.expr) {
            Expr::Name(name) => self.unit.text(name),
            Expr::Member { base, name } => return self.follow_module_class(site, base, name),
            _ => return false,
        };
        let Some(kind) = styled_kind(name) else { return false };
        for (sym, confidence) in self.session.styled(self.unit, name, kind) {
            let from = Node { file: self.unit.file, symbol: self.reference.symbol };
            let to = Node { file: sym.file, symbol: Some(sym.at) };
            let (kind, rule, line) = (EdgeKind::References, Rule::Selector, self.reference.line);
            if from != to {
                self.out.edges.push(Edge { from, kind, to, line, confidence, rule });
            }
        }
        true
    }

    /// Follows a member of an imported style sheet to the class of that name: `styles.card`.
    fn follow_module_class(&mut self, site: &Site, base: ExprId, name: Atom) -> bool {
        let Expr::Name(sheet) = self.unit.expr(base) else { return false };
        if self.unit.rules.markup.selectors.is_empty() {
            return false;
        }
        let bindings = self.unit.bindings_around(site.scope, self.unit.text(sheet));
        let import = bindings.first().and_then(|&at| match self.unit.binding(at)?.kind {
            BindingKind::Import(at) => self.unit.import(at),
            _ => None,
        });
        let Some(import) = import else { return false };
        let module = self.unit.outline_text(import.module);
        let Some(Module::File(file)) = self.session.find_module(self.unit, module) else { return false };
        let Some(sheet) = self.session.unit(file) else { return false };
        if !self.unit.rules.markup.selectors.contains(&sheet.rules.family) {
            return false;
        }
        let selector = format!(".{}", self.unit.text(name));
        let found = sheet.bound(0, &selector).iter().find_map(|&at| match sheet.binding(at)?.kind {
            BindingKind::Symbol(symbol) => Some(sheet.sym(symbol)),
            _ => None,
        });
        if let Some(sym) = found {
            self.push_edge(EdgeKind::References, sym, Rule::Selector, Confidence::Exact);
        }
        true
    }

    /// Follows an attribute of an element to the property that the component declares. An attribute that it does not declare is no
    /// miss: it may be passed on, or be one that every element has.
    pub(super) fn follow_property(&mut self, site: &Site) -> bool {
        let (RefKind::Write, Expr::Member { base, name }) =
            (self.reference.kind, self.unit.expr(self.reference.expr))
        else {
            return false;
        };
        let Expr::New { ty, .. } = self.unit.expr(base) else { return false };
        if !self.unit.rules.markup.element_properties {
            return false;
        }
        let name = self.unit.text(name);
        for component in self.session.targets(site, ty).iter() {
            let Some(sym) = component.sym() else { continue };
            let Some(home) = self.session.unit_of(sym).filter(|home| home.is(sym.at, Modifier::Component))
            else {
                continue;
            };
            for ty in properties(self.session, &home, sym.at) {
                for found in self.session.member(&Value::new(ty, Rule::Declared), name, &home) {
                    let confidence = found.confidence.max(component.confidence);
                    if let Some(sym) = found.sym() {
                        self.push_edge(EdgeKind::References, sym, Rule::Declared, confidence);
                    }
                }
            }
        }
        true
    }

    /// Follows an element to its component, and a name to a member of the component.
    pub(super) fn follow_markup(&mut self, site: &Site, expr: ExprId) -> bool {
        if !self.unit.rules.markup.finds_by_name() || !self.whole {
            return false;
        }
        let found = match (self.reference.kind, self.unit.expr(expr)) {
            (RefKind::Construct, Expr::Name(_) | Expr::Member { .. }) => {
                self.session.component(site, &self.dotted(expr))
            }
            // Functions of the script have names of their own; in markup there are none, except where all code is markup.
            (RefKind::Read | RefKind::Write | RefKind::Call, Expr::Name(name))
                if self.reference.scope == 0 || !self.unit.rules.markup.helper_types.is_empty() =>
            {
                self.session.markup_member(self.unit, self.unit.text(name))
            }
            _ => return false,
        };
        let mut has_edge = false;
        for one in found {
            let Some(sym) = one.sym() else { continue };
            let kind = match self.reference.kind {
                RefKind::Construct => EdgeKind::Constructs,
                RefKind::Call => EdgeKind::Calls,
                _ if self.is_function_value(sym) => EdgeKind::Passes,
                _ => EdgeKind::References,
            };
            self.push_edge(kind, sym, one.rule, one.confidence);
            has_edge = true;
        }
        has_edge
    }

    /// The name of an element, which may have dots.
    fn dotted(&self, expr: ExprId) -> String {
        match self.unit.expr(expr) {
            Expr::Name(name) => self.unit.text(name).to_owned(),
            Expr::Member { base, name } => format!("{}.{}", self.dotted(base), self.unit.text(name)),
            _ => String::new(),
        }
    }
}
