//! Arguments of calls: which one a rule means, and the text it has.

use crate::file::FileRef;
use crate::session::{Session, Site};
use crate::types::target::Target;
use orient_model::{Argument, Expr, ExprId, Sequence};

/// What stands for a path that is computed when the program runs.
pub(super) const COMPUTED: &str = "{?}";

/// The first of these arguments that a call has.
pub(super) fn find(unit: &FileRef, args: &[ExprId], wanted: &[Argument]) -> Option<ExprId> {
    wanted.iter().find_map(|wanted| match wanted {
        Argument::Position(at) => positional(unit, args, *at),
        Argument::Named(name) => named(unit, args, name),
        Argument::Type(_) => None,
    })
}

/// The same, also among the type arguments of what is called.
pub(super) fn find_in_call(
    unit: &FileRef,
    callee: ExprId,
    args: &[ExprId],
    wanted: &[Argument],
) -> Option<ExprId> {
    wanted.iter().find_map(|one| match (one, unit.expr(callee)) {
        (Argument::Type(at), Expr::Apply { args: types, .. }) => unit.list(types).get(*at as usize).copied(),
        (one, _) => find(unit, args, std::slice::from_ref(one)),
    })
}

/// A positional argument; a negative number counts from the end.
pub(super) fn positional(unit: &FileRef, args: &[ExprId], at: i32) -> Option<ExprId> {
    let is_positional = |&&arg: &&ExprId| !matches!(unit.expr(arg), Expr::Named { .. });
    let mut list = args.iter().filter(is_positional);
    let count = list.clone().count();
    let away = at.unsigned_abs() as usize;
    let at = if at < 0 { count.checked_sub(away)? } else { away };
    list.nth(at).copied()
}

/// A named argument, or an entry of an object that is an argument.
fn named(unit: &FileRef, args: &[ExprId], wanted: &str) -> Option<ExprId> {
    for &arg in args {
        match unit.expr(arg) {
            Expr::Named { name, value } if unit.text(name) == wanted => return Some(value),
            Expr::Sequence { kind: Sequence::Map | Sequence::List, items } => {
                let items = unit.list(items);
                if let found @ Some(_) = named(unit, items, wanted) {
                    return found;
                }
            }
            _ => {}
        }
    }
    None
}

impl Session<'_> {
    /// The text of a string literal, or of a constant that is one.
    pub(super) fn constant_text(&self, site: &Site, expr: ExprId) -> Option<String> {
        match site.unit.expr(expr) {
            Expr::Text(text) => Some(site.unit.text(text).to_owned()),
            Expr::Named { value, .. } => self.constant_text(site, value),
            Expr::Name(_) | Expr::Member { .. } => {
                let found = self.targets(site, expr);
                let sym = found.iter().find_map(Target::sym)?;
                let unit = self.unit_of(sym)?;
                let value = unit.binding_of(sym.at)?.value?;
                match unit.expr(value) {
                    Expr::Text(text) => Some(unit.text(text).to_owned()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The texts of a list of strings, or of one string.
    pub(super) fn constant_texts(&self, site: &Site, expr: ExprId) -> Vec<String> {
        match site.unit.expr(expr) {
            Expr::Sequence { items, .. } => {
                let items = site.unit.list(items).iter();
                items.flat_map(|&item| self.constant_texts(site, item)).collect()
            }
            // The last name of a constant of the framework is its value: `RequestMethod.POST`, `http.MethodGet`.
            Expr::Member { name, .. } => match self.constant_text(site, expr) {
                Some(text) => vec![text],
                None => vec![site.unit.text(name).to_owned()],
            },
            _ => self.constant_text(site, expr).into_iter().collect(),
        }
    }
}

/// An HTTP method in its usual form: `get`, `MethodGet` and `HttpMethod.GET` are `GET`.
pub(super) fn method_name(text: &str) -> String {
    let last = text.rsplit(['.', ':']).next().unwrap_or(text);
    let bare = last.strip_prefix("Method").filter(|rest| !rest.is_empty()).unwrap_or(last);
    match bare.to_ascii_uppercase().as_str() {
        "*" | "ALL" | "ANY" | "" => "ANY".to_owned(),
        "DEL" => "DELETE".to_owned(),
        upper => upper.to_owned(),
    }
}
