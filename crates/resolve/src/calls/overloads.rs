//! Which of several functions of one name can take the arguments of a call, and which takes them best.

use crate::file::file_unit::{FileRef, FileUnit};
use crate::session::{Session, Site};
use crate::types::target::Target;
use crate::types::ty::{SymbolId, Ty};
use crate::types::written_types::{
    bare_type, function_arity, function_result, given, is_anything, is_function, is_plain, is_vague,
    literal_fit, type_fit, without_marks,
};
use orient_model::{Confidence, Expr, ExprId, Literal, Modifier, Modules, Rule, SymbolKind, Wrapper};

/// The very type that was given.
pub(crate) const SAME: i32 = 3;
/// A type the argument is one of.
pub(crate) const FITS: i32 = 2;
/// A type the argument can be turned into.
pub(crate) const TURNS: i32 = 1;
/// Nothing is known, or anything goes; also of types from outside, which may be related.
pub(crate) const OPEN: i32 = 0;
/// Surely another type.
pub(crate) const NEVER: i32 = -2;

impl Session<'_> {
    /// Of several functions, those that can take these arguments.
    pub(crate) fn resolve_overloads(&self, site: &Site, found: &[Target], args: &[ExprId]) -> Vec<Target> {
        if found.len() > 1 && site.unit.rules.type_namespace {
            return self.first_matching_signature(found, args.len());
        }
        if found.len() < 2 || !site.unit.rules.overloads {
            return found.to_vec();
        }
        let takes: Vec<Target> = found.iter().filter(|one| self.accepts(site, one, args)).cloned().collect();
        // Where none seems to take them, we know too little to be sure of one.
        let doubted = || found.iter().map(|one| one.clone().at_most(Confidence::Probable)).collect();
        let left = if takes.is_empty() { doubted() } else { takes };
        if left.len() < 2 {
            return left;
        }
        self.best(site, &left, args)
    }

    /// Of functions that take as many arguments, those whose parameters fit best.
    pub(crate) fn best(&self, site: &Site, found: &[Target], args: &[ExprId]) -> Vec<Target> {
        let fits: Vec<Vec<i32>> = found.iter().map(|one| self.fits(site, one, args)).collect();
        let scores: Vec<i32> =
            found.iter().zip(&fits).map(|(one, fit)| fit.iter().sum::<i32>() - self.rest(one)).collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let mut left: Vec<usize> = (0..found.len()).filter(|&at| scores[at] == best).collect();
        let mut confidence = true;
        // What the arguments are does not matter where all are asked for the same.
        let written: Vec<Vec<String>> = found.iter().map(|one| self.asked_for(one, args.len())).collect();
        let told = |left: &[usize]| {
            left.iter().all(|&at| fits[at].iter().all(|&fit| fit > OPEN) || written[at] == written[left[0]])
        };
        let near = left.iter().map(|&at| found[at].receiver_distance).min().unwrap_or(0);
        if left.iter().any(|&at| found[at].receiver_distance > near) {
            // The nearest receiver decides where the arguments say nothing else.
            confidence = told(&left);
            left.retain(|&at| found[at].receiver_distance == near);
        }
        if left.len() > 1 && told(&left) {
            // One that needs no default comes before one that does, if nothing else tells them apart.
            let whole = |at: &usize| self.takes_exactly(&found[*at], args.len());
            if left.iter().any(whole) {
                left.retain(whole);
            }
        }
        let loses = |other: usize, one: usize| {
            let last = self.rest(&found[other]) > self.rest(&found[one]);
            let told = fits[one].iter().all(|&fit| fit > OPEN);
            beats(&fits[one], &fits[other]) || (last && told && fits[one] == fits[other])
        };
        confidence &= (0..found.len()).all(|at| scores[at] == best || left.iter().all(|&one| loses(at, one)));
        let most = match left.len() {
            1 if confidence => Confidence::Exact,
            1 => Confidence::Probable,
            // Nothing says which of them is meant.
            _ => Confidence::Approximate,
        };
        left.into_iter().map(|at| found[at].clone().at_most(most)).collect()
    }

    /// Taking any number of arguments is what a function is asked to do last.
    pub(crate) fn rest(&self, found: &Target) -> i32 {
        let home = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym)));
        let rest = home.is_some_and(|(unit, sym)| {
            unit.symbol(sym.at).is_some_and(|symbol| symbol.params.iter().any(|param| param.variadic))
        });
        i32::from(rest)
    }

    /// The types of the first parameters as written.
    fn asked_for(&self, found: &Target, count: usize) -> Vec<String> {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))) else {
            return Vec::new();
        };
        let params = unit.symbol(sym.at).map_or(&[][..], |symbol| &symbol.params);
        let asked = params.iter().skip(receivers_of(found, &unit, sym.at)).take(count);
        asked.map(|param| param.ty.map_or("", |ty| unit.outline_text(ty)).to_owned()).collect()
    }

    fn takes_exactly(&self, found: &Target, count: usize) -> bool {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))) else {
            return false;
        };
        let Some(symbol) = unit.symbol(sym.at) else {
            return false;
        };
        let any = symbol.params.iter().any(|param| param.variadic);
        !any && symbol.params.len() == count + receivers_of(found, &unit, sym.at)
    }

    /// Of several signatures of one member, the first that takes this many arguments stands for all.
    fn first_matching_signature(&self, found: &[Target], count: usize) -> Vec<Target> {
        let place = |one: &Target| {
            let sym = one.sym().filter(|&sym| self.kind(sym).is_some_and(SymbolKind::is_callable))?;
            let unit = self.unit_of(sym)?;
            Some((sym.file, unit.symbol(sym.at)?.parent?, unit.name(sym.at).to_owned()))
        };
        let first = place(&found[0]);
        if first.is_none() || found.iter().any(|one| place(one) != first) {
            return found.to_vec();
        }
        let fit = found.iter().find(|one| self.takes(one, count)).unwrap_or(&found[0]);
        vec![fit.clone()]
    }

    /// Whether a function takes this many arguments.
    pub(crate) fn takes(&self, found: &Target, count: usize) -> bool {
        let Some(sym) = found.sym() else { return true };
        let Some(unit) = self.unit_of(sym) else {
            return true;
        };
        let Some(symbol) = unit.symbol(sym.at) else {
            return true;
        };
        if !symbol.kind.is_callable() && symbol.params.is_empty() {
            return true;
        }
        let count = count + receivers_of(found, &unit, sym.at);
        let least = symbol.params.iter().filter(|param| !param.default && !param.variadic).count();
        let any = symbol.params.iter().any(|param| param.variadic);
        count >= least && (any || count <= symbol.params.len())
    }

    /// Whether a function takes these arguments, by their number and their names.
    fn accepts(&self, site: &Site, found: &Target, args: &[ExprId]) -> bool {
        if !self.takes(found, args.len()) {
            return false;
        }
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))) else {
            return true;
        };
        let Some(symbol) = unit.symbol(sym.at) else {
            return true;
        };
        args.iter().all(|&arg| match site.unit.expr(arg) {
            Expr::Named { name, .. } => {
                let name = site.unit.text(name);
                symbol.params.is_empty()
                    || symbol.params.iter().any(|param| unit.outline_text(param.name) == name)
            }
            _ => true,
        })
    }

    /// How each argument fits the parameter it meets.
    pub(crate) fn fits(&self, site: &Site, found: &Target, args: &[ExprId]) -> Vec<i32> {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))) else {
            return Vec::new();
        };
        let each = args.iter().enumerate();
        each.map(|(at, &arg)| self.fit(site, found, (&unit, sym), (at, args.len(), arg))).collect()
    }

    pub(crate) fn fit(
        &self,
        site: &Site,
        found: &Target,
        (unit, sym): (&FileRef, SymbolId),
        (at, count, arg): (usize, usize, ExprId),
    ) -> i32 {
        let Some(symbol) = unit.symbol(sym.at) else {
            return OPEN;
        };
        let (param, value) = if let Expr::Named { name, value } = site.unit.expr(arg) {
            let name = site.unit.text(name);
            (symbol.params.iter().find(|param| unit.outline_text(param.name) == name), value)
        } else {
            let at = match site.unit.expr(arg) {
                Expr::Lambda(_) => self.param_index(found, sym, count, at),
                _ => at + receivers_of(found, unit, sym.at),
            };
            let rest = symbol.params.last().filter(|param| param.variadic);
            (symbol.params.get(at).or(rest), arg)
        };
        let Some(written) = param.and_then(|param| param.ty).map(|ty| unit.outline_text(ty)) else {
            return OPEN;
        };
        let rules = &unit.rules;
        let written = without_marks(rules, written);
        let bare = bare_type(rules, written);
        match site.unit.expr(value) {
            Expr::Literal(literal) => self.fits_literal(unit, sym.at, written, literal),
            Expr::Text(_) => self.fits_literal(unit, sym.at, written, Literal::String),
            _ if is_anything(rules, bare) => OPEN,
            Expr::Wrap { wrapper: Wrapper::TypeOf, .. } if is_type_param(unit, sym.at, bare) => OPEN,
            Expr::Wrap { wrapper: Wrapper::TypeOf, .. } => type_fit(rules, bare),
            Expr::Lambda(scope) => {
                let takes = site.unit.params(scope).len();
                let implicit = takes == 0 && !site.unit.rules.receiver_scope_methods.is_empty();
                let fit = self.fits_function(unit, sym.at, written, takes, implicit);
                if fit == NEVER { fit } else { self.fits_result(site, scope, (unit, sym.at), written) }
            }
            _ => match self.eval(site, value).ty {
                Ty::Function(function, _) => {
                    let takes =
                        self.unit_of(function).and_then(|home| Some(home.symbol(function.at)?.params.len()));
                    takes.map_or(OPEN, |takes| self.fits_function(unit, sym.at, written, takes, false))
                }
                ty => self.fits_value(&ty, (unit, sym.at), written),
            },
        }
    }

    /// How a function that takes so many arguments fits a type as written; `implicit`: it may take one more unnamed.
    fn fits_function(&self, unit: &FileRef, symbol: u32, written: &str, takes: usize, implicit: bool) -> i32 {
        let rules = &unit.rules;
        let bare = bare_type(rules, written);
        match function_arity(rules, written) {
            Some(arity) if arity == takes || (implicit && arity == 1) => OPEN,
            Some(_) => NEVER,
            None if is_plain(rules, bare) => NEVER,
            None if is_type_param(unit, symbol, bare) => OPEN,
            None => {
                // What has no single member to call takes no function.
                let closed = |kind: SymbolKind| match kind {
                    SymbolKind::Struct | SymbolKind::Enum => true,
                    SymbolKind::Class => unit.rules.modules == Modules::Namespace,
                    _ => !kind.is_type() && kind != SymbolKind::Delegate && kind != SymbolKind::TypeAlias,
                };
                let named = self.symbols_named(&unit.rules.family, bare);
                let here = self.has_type(unit, bare) && named.iter().all(|namesake| closed(namesake.kind));
                if here { NEVER } else { OPEN }
            }
        }
    }

    /// How what a function gives fits what a function of the type as written gives.
    fn fits_result(&self, site: &Site, scope: u32, at: (&FileRef, u32), written: &str) -> i32 {
        let rules = &at.0.rules;
        let Some(result) = function_result(rules, written) else {
            return OPEN;
        };
        if is_vague(rules, bare_type(rules, result)) || result.contains("->") {
            return OPEN;
        }
        match self.scope_return_type(&site.unit, scope).ty {
            ty @ Ty::Instance(..) => self.fits_value(&ty, at, result),
            _ => OPEN,
        }
    }

    /// Whether a type of this name is here.
    fn has_type(&self, unit: &FileRef, bare: &str) -> bool {
        self.symbols_named(&unit.rules.family, bare).iter().any(|namesake| namesake.kind.is_type())
    }

    fn fits_value(&self, ty: &Ty, (unit, symbol): (&FileRef, u32), written: &str) -> i32 {
        let rules = &unit.rules;
        let bare = bare_type(rules, written);
        if !ty.is_known() || is_type_param(unit, symbol, bare) {
            return OPEN;
        }
        match ty {
            Ty::Instance(..) => {
                let line = self.mro(ty);
                for (distance, of) in line.iter().enumerate() {
                    let is = match of {
                        Ty::Instance(sym, _) => self.unit_of(*sym).is_some_and(|home| {
                            let alike = !home.rules.generic_arity_overloads
                                || home.type_params(sym.at).len() == given(written);
                            alike && home.name(sym.at) == bare
                        }),
                        Ty::External(name, _) => &**name == bare,
                        _ => false,
                    };
                    if is {
                        return if distance == 0 { SAME } else { FITS };
                    }
                }
                let more = line.iter().any(|of| matches!(of, Ty::External(..) | Ty::Unknown));
                if more && !self.has_type(unit, bare) { OPEN } else { NEVER }
            }
            // A function of another type takes or gives something else.
            Ty::External(name, args)
                if function_arity(rules, written).is_some() && is_function(rules, name) =>
            {
                let alike = &**name == bare && (args.is_empty() || args.len() == given(written));
                if alike { SAME } else { NEVER }
            }
            Ty::External(name, _) if &**name == bare => SAME,
            // A type from outside may be one of another from outside; never of a plain one.
            Ty::External(name, _) if !name.is_empty() && (is_plain(rules, bare) || is_plain(rules, name)) => {
                NEVER
            }
            Ty::External(name, _) if !name.is_empty() => OPEN,
            Ty::List(_) if written.contains('[') || written.contains("...") => FITS,
            Ty::List(_) if is_plain(rules, bare) => NEVER,
            _ => OPEN,
        }
    }

    /// How a literal fits a type as written.
    fn fits_literal(&self, unit: &FileRef, symbol: u32, written: &str, literal: Literal) -> i32 {
        let rules = &unit.rules;
        let bare = bare_type(rules, written);
        let known = literal_fit(rules, written, bare, literal);
        let open = is_anything(rules, bare) || is_type_param(unit, symbol, bare);
        if known != OPEN || literal == Literal::Null || open {
            return known;
        }
        // Where types can be made of literals without a word, a type of ours may take one.
        let made = unit.rules.modules == Modules::Include;
        let alias =
            self.symbols_named(&unit.rules.family, bare).iter().any(|b| b.kind == SymbolKind::TypeAlias);
        if !made && !alias && self.has_type(unit, bare) { NEVER } else { OPEN }
    }
}

/// Whether one fit is surely better than another: never worse, and once better for a reason; or the other cannot be.
fn beats(one: &[i32], other: &[i32]) -> bool {
    other.iter().any(|&fit| fit <= NEVER)
        || (one.iter().zip(other).all(|(one, other)| one >= other)
            && one.iter().zip(other).any(|(one, other)| one > other && *one >= FITS))
}

/// How many of a function's parameters are its receiver, and no argument.
fn receivers(unit: &FileUnit, symbol: u32) -> usize {
    usize::from(unit.is(symbol, Modifier::Extension) && unit.qualifier(symbol).is_none())
}

/// How many parameters are no arguments of this call: called by its plain name, an extension takes its receiver as one.
pub(crate) fn receivers_of(found: &Target, unit: &FileUnit, symbol: u32) -> usize {
    if found.rule == Rule::Extension { receivers(unit, symbol) } else { 0 }
}

/// Whether the arguments of a call say all types that a function takes.
pub(crate) fn can_be_inferred(unit: &FileUnit, symbol: u32) -> bool {
    let Some(params) = unit.symbol(symbol).map(|symbol| &symbol.params) else {
        return true;
    };
    let words = |text: &str, name: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    let said =
        |name: &str| params.iter().any(|param| param.ty.is_some_and(|ty| words(unit.outline_text(ty), name)));
    let mut names = unit.type_params(symbol).iter().filter_map(|&at| unit.binding(at));
    names.all(|binding| said(unit.text(binding.name)))
}

/// Whether a name is a type parameter of a symbol or of what it stands in.
pub(crate) fn is_type_param(unit: &FileUnit, symbol: u32, name: &str) -> bool {
    let mut next = Some(symbol);
    while let Some(at) = next {
        let called = |at: &u32| unit.binding(*at).is_some_and(|binding| unit.text(binding.name) == name);
        if unit.type_params(at).iter().any(called) {
            return true;
        }
        next = unit.symbol(at).and_then(|symbol| symbol.parent);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_fit_beats_another_for_a_reason() {
        assert!(beats(&[SAME, OPEN], &[OPEN, OPEN]));
        assert!(beats(&[OPEN], &[NEVER]));
        assert!(!beats(&[OPEN], &[OPEN]));
        assert!(!beats(&[SAME, OPEN], &[OPEN, FITS]));
    }
}
