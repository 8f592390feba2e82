//! Routes whose method and path are the entries of an object: `createRoute({ method: "get", path: "/x" })`.

use super::arguments::{self, method_name};
use super::extract::Extraction;
use crate::session::Site;
use orient_model::{Argument, Expr, ExprId};

/// Maximum number of variables that are followed to an object.
const MAX_DEPTH: u32 = 3;

impl Extraction<'_, '_> {
    /// The method and the path that an object says, or a call or variable that has one.
    pub(super) fn route_definition(&self, site: &Site, expr: ExprId, depth: u32) -> Option<(String, String)> {
        let unit = &site.unit;
        let entries = match unit.expr(expr) {
            Expr::Call { args, .. } => unit.list(args).to_vec(),
            Expr::Sequence { .. } => vec![expr],
            Expr::Name(_) | Expr::Member { .. } if depth < MAX_DEPTH => {
                let sym = self.symbol_of(site, expr)?;
                let home = self.session.unit_of(sym)?;
                let binding = home.binding_of(sym.at)?;
                let site = Site { unit: home.clone(), scope: binding.scope, at: u32::MAX };
                return self.route_definition(&site, binding.value?, depth + 1);
            }
            _ => return None,
        };
        let text = |name: &str| {
            let found = arguments::find(unit, &entries, &[Argument::Named(name.to_owned())])?;
            self.session.constant_text(site, found)
        };
        Some((method_name(&text("method")?), text("path")?))
    }
}
