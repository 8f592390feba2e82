//! Edges of references in markup that no other rule resolves: to components, members of the component, and style selectors.

use super::references::ReferenceEdges;
use crate::markup::styled_kind;
use crate::session::Site;
use crate::types::target::{Referent, Target};
use crate::types::ty::{Module, Ty};
use orient_model::{Edge, EdgeKind, Expr, ExprId, MarkupRules, Node, RefKind, Rule};

/// Whether a target is nothing that the repository defines.
pub(super) fn is_undefined(target: &Target) -> bool {
    matches!(target.referent, Referent::External(..) | Referent::Value(Ty::Module(Module::Namespace(_))))
}

impl ReferenceEdges<'_, '_> {
    /// Follows a class, an id or a custom property. What no style sheet has is no miss: classes have many other uses.
    pub(super) fn follow_selector(&mut self) -> bool {
        let Expr::Name(name) = self.unit.expr(self.reference.expr) else { return false };
        let name = self.unit.text(name);
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

    /// Follows an element to its component, and a name to a member of the component.
    pub(super) fn follow_markup(&mut self, site: &Site, expr: ExprId) -> bool {
        if self.unit.rules.markup == MarkupRules::default() || !self.whole {
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
