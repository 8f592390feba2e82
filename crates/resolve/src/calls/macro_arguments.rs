//! Macros that stand for one of their arguments: `STR("a")` with `#define STR(x) L ## x`.

use crate::session::{Session, Site};
use crate::types::target::Target;
use crate::types::ty::SymbolId;
use orient_model::{Expr, ExprId, SymbolKind};

/// Maximum number of macros that pass an argument on to each other.
const MAX_MACROS: usize = 4;

impl Session<'_> {
    /// The argument that macros around it stand for; the expression itself if it is no call of such a macro.
    pub(super) fn through_macros(&self, site: &Site, expr: ExprId) -> ExprId {
        let unit = &site.unit;
        let mut expr = expr;
        for _ in 0..MAX_MACROS {
            let Expr::Call { callee, args } = unit.expr(expr) else { break };
            if unit.rules.namespace_word.is_empty() || !matches!(unit.expr(callee), Expr::Name(_)) {
                break;
            }
            let Some(place) = self.agreed_argument(&self.targets(site, callee)) else { break };
            let Some(&inner) = unit.list(args).get(place) else { break };
            expr = inner;
        }
        expr
    }

    /// The position of the parameter that a macro stands for.
    pub(super) fn passed_argument(&self, sym: SymbolId) -> Option<usize> {
        self.nested(|| self.find_passed_argument(sym)).flatten()
    }

    fn find_passed_argument(&self, sym: SymbolId) -> Option<usize> {
        let unit = self.unit_of(sym)?;
        let scope = unit.scope_of(sym.at)?;
        let &value = unit.returns(scope).first()?;
        let (name, callee) = match unit.expr(value) {
            Expr::Name(name) => (name, None),
            Expr::Call { callee, args } => match (unit.list(args), unit.expr(callee)) {
                (&[arg], Expr::Name(callee)) => match unit.expr(arg) {
                    Expr::Name(name) => (name, Some(callee)),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        if let Some(callee) = callee {
            let site = Site { unit: unit.clone(), scope: 0, at: u32::MAX };
            let found = self.lookup(&site, unit.text(callee));
            self.agreed_argument(&found).filter(|&place| place == 0)?;
        }
        unit.params(scope).iter().position(|&at| unit.binding(at).is_some_and(|param| param.name == name))
    }

    /// The position of the parameter that all of these macros stand for: alternatives of conditional compilation.
    fn agreed_argument(&self, found: &[Target]) -> Option<usize> {
        let is_macro = |sym: &SymbolId| self.kind(*sym) == Some(SymbolKind::Macro);
        let mut places = found.iter().map(|one| self.passed_argument(one.sym().filter(is_macro)?));
        let first = places.next()??;
        places.all(|place| place == Some(first)).then_some(first)
    }
}
