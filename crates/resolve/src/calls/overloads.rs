//! Overload resolution: which of several functions of one name a call means, by the number, names and types of its
//! arguments.
//!
//! 1. Functions that cannot take the number or the names of the arguments are not applicable.
//! 2. Each argument of each applicable function gets a score: [`IDENTICAL`], [`SUBTYPE`], [`CONVERSION`], [`UNKNOWN`] or
//!    [`MISMATCH`].
//! 3. The functions with the highest sum win; ties are broken by the receiver type, by default values, by variadic parameters.
//! 4. The result is exact if the scores prove it. If they do not, several are left, and the call is declined: its targets are candidates. A known
//!    argument that speaks for one function without proving it was right in four of seven cases, which is no evidence.
//!
//! # Example
//!
//! ```text
//! void add(String name)      void add(Item item)      void add(Item item, int count)
//!
//! cart.add("tea")     add(String): IDENTICAL     add(Item): MISMATCH      add(Item, int): not applicable
//! cart.add(book)      add(String): MISMATCH      add(Item): SUBTYPE       Book is a subclass of Item
//! cart.add(parse())   add(String): UNKNOWN       add(Item): UNKNOWN       parse() is external
//! ```
//!
//! The first two calls mean one function, exactly: the other one has a mismatch. The third one may mean either.

use crate::file::FileRef;
use crate::modules::dotted;
use crate::names::visibility::says_one_of;
use crate::session::{Session, Site};
use crate::types::library::{is_library_subtype, is_library_type};
use crate::types::target::Target;
use crate::types::ty::{SymbolId, Ty};
use crate::types::written_types::{
    array_element, bare_type, boxes, converts, function_arity, function_result, is_any_result, is_anything,
    is_conversion_target, is_function, is_plain, is_unboxed, kind_of, score_literal_type,
    score_type_argument, type_argument_count, widens, without_marks,
};
use orient_model::{
    Confidence, Expr, ExprId, Literal, Modifier, Modules, Param, Rule, Rules, SymbolKind, Wrapper,
};

/// The parameter has the type of the argument.
pub(crate) const IDENTICAL: i32 = 3;
/// The parameter has a supertype of the argument's type.
pub(crate) const SUBTYPE: i32 = 2;
/// The argument can be converted to the type of the parameter.
pub(crate) const CONVERSION: i32 = 1;
/// Nothing is known: of external types, which may be related, and of parameters that take anything.
pub(crate) const UNKNOWN: i32 = 0;
/// The argument cannot have the type of the parameter.
pub(crate) const MISMATCH: i32 = -2;

/// Maximum number of functions of one name in one scope or type among which calls are resolved. Generated code with thousands of them would
/// take time by the number of functions times that of the calls; hand-written code stays far below.
pub(crate) const MAX_OVERLOADS: usize = 128;

/// What is left of the functions of one name. If there are too many, no call is resolved among them: those that remain prove nothing.
pub(crate) fn bounded_overloads<T: Copy>(functions: &[T]) -> (&[T], Confidence) {
    match functions.get(..MAX_OVERLOADS) {
        Some(first) if functions.len() > MAX_OVERLOADS => (first, Confidence::Approximate),
        _ => (functions, Confidence::Exact),
    }
}

impl Session<'_> {
    /// Overload resolution: the targets that a call with these arguments means.
    pub(crate) fn resolve_overloads(&self, site: &Site, found: &[Target], args: &[ExprId]) -> Vec<Target> {
        if found.len() >= MAX_OVERLOADS {
            // They prove nothing, whatever the arguments are.
            return found.iter().map(|one| one.clone().at_most(Confidence::Approximate)).collect();
        }
        if found.len() > 1 && site.unit.rules.type_namespace {
            return self.first_matching_signature(found, args.len());
        }
        if found.len() < 2 || !site.unit.rules.overloads {
            return self.select_implementation(site, found, args).unwrap_or_else(|| found.to_vec());
        }
        let takes: Vec<Target> =
            found.iter().filter(|one| self.is_applicable(site, one, args)).cloned().collect();
        // If no overload seems applicable, we know too little to exclude any.
        let doubted = || found.iter().map(|one| one.clone().at_most(Confidence::Probable)).collect();
        let takes = self.prefer_nearest(site, takes, args);
        let left = if takes.is_empty() { doubted() } else { self.prefer_imported_by_name(site, takes, args) };
        if left.len() < 2 {
            return left;
        }
        self.most_specific(site, &left, args)
    }

    /// Of extensions, those that the file imports by their name, if their parameters do not exclude the arguments: they come before
    /// those of the same package and of wildcard imports.
    fn prefer_imported_by_name(&self, site: &Site, found: Vec<Target>, args: &[ExprId]) -> Vec<Target> {
        let from = &site.unit;
        let is_named = |one: &Target| {
            let home = one.sym().and_then(|sym| Some((self.unit_of(sym)?, sym.at)));
            home.is_some_and(|(unit, at)| {
                let space = self.namespace_of(&unit, at);
                one.rule == Rule::Extension
                    && from.imports().iter().any(|import| {
                        import.name.is_some_and(|name| from.outline_text(name) == unit.name(at))
                            && dotted(from.outline_text(import.module)) == space
                    })
            })
        };
        if found.len() < 2 || !from.rules.companion_objects || found.iter().all(is_named) {
            return found;
        }
        let mut named = Vec::new();
        for one in found.iter().filter(|one| is_named(one)) {
            let scores = self.argument_scores(site, one, args);
            if !scores.contains(&MISMATCH) {
                let is_proved = scores.iter().all(|&score| score > UNKNOWN);
                named.push(if is_proved { one.clone() } else { one.clone().at_most(Confidence::Probable) });
            }
        }
        if named.is_empty() { found } else { named }
    }

    /// Of the applicable overloads, those with the best score.
    fn most_specific(&self, site: &Site, found: &[Target], args: &[ExprId]) -> Vec<Target> {
        let fits: Vec<Vec<i32>> = found.iter().map(|one| self.argument_scores(site, one, args)).collect();
        let scores: Vec<i32> = found
            .iter()
            .zip(&fits)
            .map(|(one, fit)| fit.iter().sum::<i32>() - self.variadic_penalty(one))
            .collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let mut left: Vec<usize> = (0..found.len()).filter(|&at| scores[at] == best).collect();
        let mut confidence = true;
        // Arguments do not distinguish overloads with equal parameter types.
        let written: Vec<Vec<String>> =
            found.iter().map(|one| self.declared_param_types(one, args.len())).collect();
        let told = |left: &[usize]| {
            left.iter()
                .all(|&at| fits[at].iter().all(|&fit| fit > UNKNOWN) || written[at] == written[left[0]])
        };
        let near = left.iter().map(|&at| found[at].receiver_distance).min().unwrap_or(0);
        if left.iter().any(|&at| found[at].receiver_distance > near) {
            // If the arguments do not decide, the nearest receiver type does.
            confidence = told(&left);
            left.retain(|&at| found[at].receiver_distance == near);
        }
        if left.len() > 1 {
            // Of parameters that an argument can be widened to, the narrowest wins.
            let rules = &site.unit.rules;
            let narrow = |one: &String, other: &String| {
                let (one, other) = (bare_type(rules, one), bare_type(rules, other));
                one == other || widens(rules, one, other)
            };
            let is_narrowest = |at: &usize| {
                left.iter().all(|&other| written[*at].iter().zip(&written[other]).all(|(a, b)| narrow(a, b)))
            };
            let narrowest: Vec<usize> = left.iter().copied().filter(is_narrowest).collect();
            if let [only] = narrowest[..] {
                left = vec![only];
            } else if let Some(only) = self.most_specific_of(found, &left, &written, &fits) {
                left = vec![only];
            }
        }
        if left.len() > 1 && told(&left) {
            // If nothing else decides, an overload that needs no default value wins.
            let whole = |at: &usize| self.takes_exactly(&found[*at], args.len());
            if left.iter().any(whole) {
                left.retain(whole);
            }
        }
        let loses = |other: usize, one: usize| {
            let last = self.variadic_penalty(&found[other]) > self.variadic_penalty(&found[one]);
            let told = fits[one].iter().zip(args).enumerate().all(|(at, (&fit, &arg))| {
                // A type parameter has the very type of its argument; an array may be meant for all variadic arguments.
                fit > UNKNOWN
                    || written[one].get(at).is_some_and(|ty| self.is_own_type_param(&found[one], ty))
                        && !self.may_be_all_arguments(site, arg)
            });
            dominates(&fits[one], &fits[other]) || (last && told && fits[one] == fits[other])
        };
        confidence &= (0..found.len()).all(|at| scores[at] == best || left.iter().all(|&one| loses(at, one)));
        if let (&[best], false) = (&left[..], confidence) {
            // The arguments do not exclude these: which one is meant is not known.
            let contests = |&at: &usize| at != best && !loses(at, best);
            left.extend((0..found.len()).filter(contests));
        }
        let most = match left.len() {
            1 if confidence => Confidence::Exact,
            _ => Confidence::Approximate,
        };
        left.into_iter().map(|at| found[at].clone().at_most(most)).collect()
    }

    /// Whether a written type is a type parameter of the function that is found, where arguments decide what it stands for.
    fn is_own_type_param(&self, found: &Target, written: &str) -> bool {
        let home = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym.at)));
        home.is_some_and(|(unit, at)| {
            unit.rules.generic_arity_overloads
                && unit.type_params(at).iter().any(|&param| {
                    unit.binding(param).is_some_and(|binding| unit.text(binding.name) == written)
                })
        })
    }

    /// Whether an argument may be an array for all arguments of a variadic parameter that takes anything.
    fn may_be_all_arguments(&self, site: &Site, arg: ExprId) -> bool {
        match self.eval(site, arg).ty {
            Ty::List(inner) => match &*inner {
                Ty::External(name, _) => is_anything(&site.unit.rules, name),
                inner => !inner.is_known(),
            },
            _ => false,
        }
    }

    /// The penalty of a variadic function: 1 if it is one.
    fn variadic_penalty(&self, found: &Target) -> i32 {
        let home = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym)));
        let rest = home.is_some_and(|(unit, sym)| {
            unit.symbol(sym.at).is_some_and(|symbol| symbol.params.iter().any(|param| param.variadic))
        });
        i32::from(rest)
    }

    /// The declared types of the first parameters, as source text.
    fn declared_param_types(&self, found: &Target, count: usize) -> Vec<String> {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))) else {
            return Vec::new();
        };
        let params = unit.symbol(sym.at).map_or(&[][..], |symbol| symbol.params);
        let asked = params.iter().skip(receivers_of(found, &unit, sym.at)).take(count);
        asked.map(|param| param.ty.map_or("", |ty| unit.outline_text(ty)).to_owned()).collect()
    }

    /// Whether a parameter of a function takes any value.
    pub(super) fn takes_anything(&self, found: &Target, at: usize) -> bool {
        let types = self.declared_param_types(found, at + 1);
        let unit = found.sym().and_then(|sym| self.unit_of(sym));
        unit.zip(types.get(at)).is_some_and(|(unit, ty)| is_anything(&unit.rules, bare_type(&unit.rules, ty)))
    }

    /// Whether the first parameter of a function is a pointer.
    pub(crate) fn takes_pointer(&self, found: &Target) -> bool {
        self.declared_param_types(found, 1).first().is_some_and(|written| written.contains('*'))
    }

    fn takes_exactly(&self, found: &Target, count: usize) -> bool {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))) else {
            return false;
        };
        let Some(symbol) = unit.symbol(sym.at) else { return false };
        let any = symbol.params.iter().any(|param| param.variadic);
        !any && symbol.params.len() == count + receivers_of(found, &unit, sym.at)
    }

    /// Of several signatures of one member, the first that takes this many arguments, which represents all.
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
        let fit = found.iter().find(|one| self.accepts_count(one, count)).unwrap_or(&found[0]);
        vec![fit.clone()]
    }

    /// Whether a function takes this many arguments.
    pub(crate) fn accepts_count(&self, found: &Target, count: usize) -> bool {
        let Some(sym) = found.sym() else { return true };
        let Some(unit) = self.unit_of(sym) else { return true };
        let Some(symbol) = unit.symbol(sym.at) else { return true };
        if !symbol.kind.is_callable() && symbol.params.is_empty() {
            return true;
        }
        let count = count + receivers_of(found, &unit, sym.at);
        let is_needed = |param: &&Param| !param.default && !param.variadic;
        let least = if inherits_defaults(&unit, sym.at) {
            receivers_of(found, &unit, sym.at)
        } else {
            symbol.params.iter().filter(is_needed).count()
        };
        let any = symbol.params.iter().any(|param| param.variadic);
        count >= least && (any || count <= symbol.params.len())
    }

    /// Whether a function is applicable, by the number and the names of the arguments.
    pub(super) fn is_applicable(&self, site: &Site, found: &Target, args: &[ExprId]) -> bool {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))) else {
            return true;
        };
        let Some(symbol) = unit.symbol(sym.at) else { return true };
        if unit.rules.exact_arity && has_alternative_params(symbol.params) {
            return true;
        }
        if !self.accepts_count(found, args.len()) {
            return false;
        }
        let takes_names = args.iter().all(|&arg| match site.unit.expr(arg) {
            Expr::Named { name, .. } => {
                let name = site.unit.text(name);
                symbol.params.is_empty()
                    || symbol.params.iter().any(|param| unit.outline_text(param.name) == name)
            }
            _ => true,
        });
        takes_names && (!unit.rules.exact_arity || Self::gives_required(site, found, &unit, sym.at, args))
    }

    /// Whether the arguments give a value to every parameter that needs one. A function that comes last may be a trailing lambda, which
    /// is the value of the last parameter.
    ///
    /// Example: of `f(go: () -> Unit, wide: Boolean = true, body: () -> Unit)` and `f(go: () -> Unit, text: () -> Unit, icon: (() -> Unit)? =
    /// null)`, the call `f(go = {}) { … }` can only mean the first: in the second, `text` would have no value.
    fn gives_required(site: &Site, found: &Target, unit: &FileRef, symbol: u32, args: &[ExprId]) -> bool {
        let Some(params) = unit.symbol(symbol).map(|symbol| symbol.params) else { return true };
        let first = receivers_of(found, unit, symbol);
        let last_is_lambda = args.last().is_some_and(|&arg| matches!(site.unit.expr(arg), Expr::Lambda(_)));
        let gives = |has_trailing_lambda: bool| {
            let mut given = vec![false; params.len()];
            for (place, &arg) in args.iter().enumerate() {
                let at = match site.unit.expr(arg) {
                    Expr::Named { name, .. } => {
                        let name = site.unit.text(name);
                        params.iter().position(|param| unit.outline_text(param.name) == name)
                    }
                    Expr::Lambda(_) if has_trailing_lambda && place + 1 == args.len() => {
                        params.len().checked_sub(1)
                    }
                    _ => Some(place + first),
                };
                if let Some(one) = at.and_then(|at| given.get_mut(at)) {
                    *one = true;
                }
            }
            let mut needed = params.iter().zip(&given).skip(first);
            needed.all(|(param, given)| *given || param.default || param.variadic)
        };
        let has_variadic = params.iter().any(|param| param.variadic);
        has_variadic
            || inherits_defaults(unit, symbol)
            || gives(false)
            || (last_is_lambda && !unit.rules.receiver_scope_methods.is_empty() && gives(true))
    }

    /// The score of each argument.
    pub(super) fn argument_scores(&self, site: &Site, found: &Target, args: &[ExprId]) -> Vec<i32> {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.unit_of(sym)?, sym))) else {
            return Vec::new();
        };
        let each = args.iter().enumerate();
        each.map(|(at, &arg)| self.score_argument(site, found, (&unit, sym), (at, args.len(), arg))).collect()
    }

    fn score_argument(
        &self,
        site: &Site,
        found: &Target,
        (unit, sym): (&FileRef, SymbolId),
        (at, count, arg): (usize, usize, ExprId),
    ) -> i32 {
        let Some(symbol) = unit.symbol(sym.at) else { return UNKNOWN };
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
        let value = self.through_macros(site, value);
        let Some(written) = param.and_then(|param| param.ty).map(|ty| unit.outline_text(ty)) else {
            return UNKNOWN;
        };
        let is_variadic = param.is_some_and(|param| param.variadic);
        let rules = &unit.rules;
        let written = without_marks(rules, written);
        let bare = bare_type(rules, written);
        match site.unit.expr(value) {
            Expr::Literal(literal) => self.score_literal(unit, sym.at, written, literal),
            Expr::Text(_) => self.score_literal(unit, sym.at, written, Literal::String),
            Expr::Lambda(_) if is_anything(rules, bare) => UNKNOWN,
            _ if is_anything(rules, bare) => self.score_top_type(site, value, rules, written, is_variadic),
            Expr::Wrap { wrapper: Wrapper::TypeOf, .. } if is_type_param(unit, sym.at, bare) => UNKNOWN,
            Expr::Wrap { wrapper: Wrapper::TypeOf, .. } => score_type_argument(rules, bare),
            Expr::Lambda(scope) => {
                let takes = site.unit.params(scope).len();
                let implicit = takes == 0 && !site.unit.rules.receiver_scope_methods.is_empty();
                let fit = self.score_function(unit, sym.at, written, takes, implicit);
                if fit == MISMATCH { fit } else { self.score_result(site, scope, (unit, sym.at), written) }
            }
            _ => match self.eval(site, value).ty {
                Ty::Function(function, _) => {
                    let takes =
                        self.unit_of(function).and_then(|home| Some(home.symbol(function.at)?.params.len()));
                    takes.map_or(UNKNOWN, |takes| self.score_function(unit, sym.at, written, takes, false))
                }
                // An array can be passed for all arguments of a variadic parameter.
                Ty::List(inner) if is_variadic && array_element(written).is_none() => {
                    self.score_value(&inner, (unit, sym.at), written)
                }
                ty => self.score_value(&ty, (unit, sym.at), written),
            },
        }
    }

    /// How well a value matches a type that takes any value, or an array of one. With boxing, type parameters and top types
    /// stand for no primitive type, and an array of primitive values is no array of them.
    fn score_top_type(
        &self,
        site: &Site,
        value: ExprId,
        rules: &Rules,
        written: &str,
        is_variadic: bool,
    ) -> i32 {
        let ty = self.eval(site, value).ty;
        if rules.types.boxing.is_empty() {
            // An array of the top type is the array for all arguments.
            return match (&ty, array_element(written)) {
                (Ty::List(inner), Some(element)) if is_variadic => match &**inner {
                    Ty::External(name, _) if &**name == bare_type(rules, element) => IDENTICAL,
                    _ => UNKNOWN,
                },
                _ => UNKNOWN,
            };
        }
        match (&ty, array_element(written)) {
            (Ty::List(inner), Some(_)) => {
                let bare = bare_type(rules, written);
                match &**inner {
                    Ty::External(name, _) if is_unboxed(rules, name) => MISMATCH,
                    Ty::External(name, _) if &**name == bare => IDENTICAL,
                    _ => SUBTYPE,
                }
            }
            (Ty::External(name, _), None) if &**name == bare_type(rules, written) => IDENTICAL,
            (Ty::External(name, _), Some(_)) if !name.is_empty() && !is_variadic => MISMATCH,
            (Ty::Instance(..) | Ty::Param(..), Some(_)) if !is_variadic => MISMATCH,
            _ => UNKNOWN,
        }
    }

    /// How well a function with this many parameters matches a declared type. With `implicit`, it may have one more
    /// parameter without a name.
    fn score_function(
        &self,
        unit: &FileRef,
        symbol: u32,
        written: &str,
        takes: usize,
        implicit: bool,
    ) -> i32 {
        let rules = &unit.rules;
        let bare = bare_type(rules, written);
        match function_arity(rules, written) {
            Some(arity) if arity == takes || (implicit && arity == 1) => UNKNOWN,
            Some(_) => MISMATCH,
            None if is_plain(rules, bare) => MISMATCH,
            None if is_type_param(unit, symbol, bare) => UNKNOWN,
            None => {
                // A function matches no type that cannot have a single abstract method.
                let closed = |kind: SymbolKind| match kind {
                    kind if rules.types.no_function_interfaces && kind.is_type() => true,
                    SymbolKind::Struct | SymbolKind::Enum => true,
                    SymbolKind::Class => unit.rules.modules == Modules::Namespace,
                    _ => !kind.is_type() && kind != SymbolKind::Delegate && kind != SymbolKind::TypeAlias,
                };
                let kinds = self.kinds_named(&unit.rules, bare);
                let here = self.has_type(unit, bare) && !kinds.any(|kind| !closed(kind));
                if here { MISMATCH } else { UNKNOWN }
            }
        }
    }

    /// How well the result of a lambda matches the result of a declared function type.
    fn score_result(&self, site: &Site, scope: u32, at: (&FileRef, u32), written: &str) -> i32 {
        let rules = &at.0.rules;
        let Some(result) = function_result(rules, written) else { return UNKNOWN };
        if is_any_result(rules, bare_type(rules, result)) || result.contains("->") {
            return UNKNOWN;
        }
        match self.scope_return_type(&site.unit, scope).ty {
            ty @ Ty::Instance(..) => self.score_value(&ty, at, result),
            _ => UNKNOWN,
        }
    }

    /// Whether the repository has a type of this name.
    fn has_type(&self, unit: &FileRef, bare: &str) -> bool {
        self.kinds_named(&unit.rules, bare).any(SymbolKind::is_type)
    }

    fn score_value(&self, ty: &Ty, (unit, symbol): (&FileRef, u32), written: &str) -> i32 {
        let rules = &unit.rules;
        let bare = bare_type(rules, written);
        if !ty.is_known() || is_type_param(unit, symbol, bare) {
            return UNKNOWN;
        }
        match ty {
            Ty::Instance(..) => {
                let line = self.mro(ty);
                for (distance, of) in line.iter().enumerate() {
                    let is = match of {
                        Ty::Instance(sym, _) => self.unit_of(*sym).is_some_and(|home| {
                            let alike = !home.rules.generic_arity_overloads
                                || home.type_params(sym.at).len() == type_argument_count(written);
                            alike && home.name(sym.at) == bare
                        }),
                        Ty::External(name, _) => &**name == bare,
                        _ => false,
                    };
                    if is {
                        return if distance == 0 { IDENTICAL } else { SUBTYPE };
                    }
                }
                let more = line.iter().any(|of| matches!(of, Ty::External(..) | Ty::Unknown));
                if more && !self.has_type(unit, bare) { UNKNOWN } else { MISMATCH }
            }
            // Where values are boxed, a type parameter stands for no primitive type.
            Ty::Param(..) if is_plain(rules, bare) && !rules.types.boxing.is_empty() => MISMATCH,
            // Another function type has other parameters or another result.
            Ty::External(name, args)
                if function_arity(rules, written).is_some() && is_function(rules, name) =>
            {
                let alike =
                    &**name == bare && (args.is_empty() || args.len() == type_argument_count(written));
                if alike { IDENTICAL } else { MISMATCH }
            }
            // A primitive value is not an array.
            Ty::External(name, _) if written.ends_with("[]") && is_plain(rules, name) => MISMATCH,
            Ty::External(name, _) if &**name == bare => IDENTICAL,
            Ty::External(name, _) if widens(rules, name, bare) => SUBTYPE,
            Ty::External(name, _) if boxes(rules, name, bare) => CONVERSION,
            Ty::External(..) | Ty::List(_)
                if !self.has_type(unit, bare) && is_library_subtype(rules, ty, bare) == Some(true) =>
            {
                // An array is better passed as an array.
                if matches!(ty, Ty::List(_)) { CONVERSION } else { SUBTYPE }
            }
            Ty::External(name, _) if is_plain(rules, name) && is_conversion_target(rules, bare) => UNKNOWN,
            Ty::External(name, _) if converts(rules, name, bare) && !written.contains('*') => CONVERSION,
            // An external type may be a subtype of another external type, but never of a primitive one.
            Ty::External(name, _) if !name.is_empty() && (is_plain(rules, bare) || is_plain(rules, name)) => {
                MISMATCH
            }
            Ty::External(name, _) if !name.is_empty() => {
                // Types of the library know nothing of the repository.
                let is_here = self.has_type(unit, bare) && !self.has_alias(unit, bare);
                let is_other = if is_here {
                    is_library_type(rules, name)
                } else {
                    is_library_subtype(rules, ty, bare) == Some(false)
                };
                if is_other { MISMATCH } else { UNKNOWN }
            }
            Ty::List(inner) if let Some(element) = array_element(written) => {
                match self.score_value(inner, (unit, symbol), element) {
                    _ if !is_plain(rules, bare) => SUBTYPE,
                    IDENTICAL => IDENTICAL,
                    UNKNOWN => SUBTYPE,
                    _ => MISMATCH,
                }
            }
            Ty::List(_) if written.contains('[') || written.contains("...") => SUBTYPE,
            Ty::List(_) if is_plain(rules, bare) => MISMATCH,
            _ => UNKNOWN,
        }
    }

    /// How well a literal matches a declared type.
    fn score_literal(&self, unit: &FileRef, symbol: u32, written: &str, literal: Literal) -> i32 {
        let rules = &unit.rules;
        let bare = bare_type(rules, written);
        let known = score_literal_type(rules, written, bare, literal);
        let open = is_anything(rules, bare) || is_type_param(unit, symbol, bare);
        if known != UNKNOWN || literal == Literal::Null || open {
            return known;
        }
        // With implicit conversions, a type of the repository may take a literal.
        let made = unit.rules.modules == Modules::Include;
        if made || self.has_alias(unit, bare) {
            return UNKNOWN;
        }
        let primitive = rules.literal_types.iter().find(|(kind, _)| kind == kind_of(literal));
        let is_closed = primitive.is_some_and(|(_, name)| {
            rules.types.closed_primitives && !is_conversion_target(rules, bare) && !widens(rules, name, bare)
        });
        if is_closed || self.has_type(unit, bare) { MISMATCH } else { UNKNOWN }
    }

    /// Whether the repository has an alias of this name.
    fn has_alias(&self, unit: &FileRef, bare: &str) -> bool {
        self.kinds_named(&unit.rules, bare).any(|kind| kind == SymbolKind::TypeAlias)
    }
}

/// Whether one list of scores is better than another: nowhere worse and somewhere better by a subtype match, or the
/// other has a mismatch.
fn dominates(one: &[i32], other: &[i32]) -> bool {
    other.iter().any(|&fit| fit <= MISMATCH)
        || (one.iter().zip(other).all(|(one, other)| one >= other)
            && one.iter().zip(other).any(|(one, other)| one > other && *one >= SUBTYPE))
}

/// Whether parameters are alternatives of conditional compilation: two have one name.
fn has_alternative_params(params: &[Param]) -> bool {
    params.iter().enumerate().any(|(at, param)| params[..at].iter().any(|other| other.name == param.name))
}

/// Whether the parameters of a function may have default values that another declaration of it gives them.
fn inherits_defaults(unit: &FileRef, symbol: u32) -> bool {
    unit.rules.exact_arity
        && (unit.is(symbol, Modifier::Override)
            || says_one_of(unit, symbol, &unit.rules.default_inheriting_words))
}

/// The number of receiver parameters of an extension.
fn receivers(unit: &FileRef, symbol: u32) -> usize {
    usize::from(unit.is(symbol, Modifier::Extension) && unit.qualifier(symbol).is_none())
}

/// The number of parameters that take no argument of this call. An extension called like a plain function takes its
/// receiver as an argument.
pub(crate) fn receivers_of(found: &Target, unit: &FileRef, symbol: u32) -> usize {
    if found.rule == Rule::Extension { receivers(unit, symbol) } else { 0 }
}

/// Whether all type parameters of a function can be inferred from its arguments.
pub(crate) fn can_be_inferred(unit: &FileRef, symbol: u32) -> bool {
    let Some(params) = unit.symbol(symbol).map(|symbol| symbol.params) else { return true };
    let words = |text: &str, name: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    let said =
        |name: &str| params.iter().any(|param| param.ty.is_some_and(|ty| words(unit.outline_text(ty), name)));
    let mut names = unit.type_params(symbol).iter().filter_map(|&at| unit.binding(at));
    names.all(|binding| said(unit.text(binding.name)))
}

/// Whether a name is a type parameter of a symbol or of a symbol around it.
pub(crate) fn is_type_param(unit: &FileRef, symbol: u32, name: &str) -> bool {
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
    fn a_better_score_wins_only_with_a_subtype_match_or_against_a_mismatch() {
        assert!(dominates(&[IDENTICAL, UNKNOWN], &[UNKNOWN, UNKNOWN]));
        assert!(dominates(&[UNKNOWN], &[MISMATCH]));
        assert!(!dominates(&[UNKNOWN], &[UNKNOWN]));
        assert!(!dominates(&[IDENTICAL, UNKNOWN], &[UNKNOWN, SUBTYPE]));
    }
}
