//! Which of several functions of one name can take the arguments of a call, and which takes them best.

use crate::session::{Frame, Session};
use crate::unit::Unit;
use crate::value::{Found, Sym, Ty};
use orient_model::{Confidence, Expr, ExprId, Literal, Modifier, Modules, Rule, SymbolKind, Wrapper};
use std::sync::Arc;

/// The very type that was given.
const SAME: i32 = 3;
/// A type the argument is one of.
const FITS: i32 = 2;
/// A type the argument can be turned into.
const TURNS: i32 = 1;
/// Nothing is known, or anything goes; also of types from outside, which may be related.
const OPEN: i32 = 0;
/// Surely another type.
const NEVER: i32 = -2;

impl Session<'_> {
    /// Of several functions, those that can take these arguments.
    pub(crate) fn fitting(&self, frame: &Frame, found: &[Found], args: &[ExprId]) -> Vec<Found> {
        if found.len() > 1 && frame.unit.rules.type_space {
            return self.fitting_signature(found, args.len());
        }
        if found.len() < 2 || !frame.unit.rules.overloads {
            return found.to_vec();
        }
        let takes: Vec<Found> = found.iter().filter(|one| self.accepts(frame, one, args)).cloned().collect();
        let left = if takes.is_empty() { found.to_vec() } else { takes };
        if left.len() < 2 {
            return left;
        }
        self.best(frame, left, args)
    }

    /// Of functions that take as many arguments, those whose parameters fit best.
    fn best(&self, frame: &Frame, found: Vec<Found>, args: &[ExprId]) -> Vec<Found> {
        let fits: Vec<Vec<i32>> = found.iter().map(|one| self.fits(frame, one, args)).collect();
        let scores: Vec<i32> =
            found.iter().zip(&fits).map(|(one, fit)| fit.iter().sum::<i32>() - self.rest(one)).collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let mut left: Vec<usize> = (0..found.len()).filter(|&at| scores[at] == best).collect();
        let mut sure = true;
        // What the arguments are does not matter where all are asked for the same.
        let written: Vec<Vec<String>> = found.iter().map(|one| self.asked_for(one, args.len())).collect();
        let told = |left: &[usize]| {
            left.iter().all(|&at| fits[at].iter().all(|&fit| fit > OPEN) || written[at] == written[left[0]])
        };
        let near = left.iter().map(|&at| found[at].far).min().unwrap_or(0);
        if left.iter().any(|&at| found[at].far > near) {
            // The nearest receiver decides where the arguments say nothing else.
            sure = told(&left);
            left.retain(|&at| found[at].far == near);
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
        sure &= (0..found.len()).all(|at| scores[at] == best || left.iter().all(|&one| loses(at, one)));
        let several = left.len() > 1 || !sure;
        let kept = left.into_iter().map(|at| found[at].clone());
        kept.map(|one| if several { one.at_most(Confidence::Probable) } else { one }).collect()
    }

    /// Taking any number of arguments is what a function is asked to do last.
    fn rest(&self, found: &Found) -> i32 {
        let home = found.sym().and_then(|sym| Some((self.home(sym)?, sym)));
        let rest = home.is_some_and(|(unit, sym)| {
            unit.symbol(sym.at).is_some_and(|symbol| symbol.params.iter().any(|param| param.variadic))
        });
        i32::from(rest)
    }

    /// The types of the first parameters as written.
    fn asked_for(&self, found: &Found, count: usize) -> Vec<String> {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.home(sym)?, sym))) else {
            return Vec::new();
        };
        let params = unit.symbol(sym.at).map_or(&[][..], |symbol| &symbol.params);
        let asked = params.iter().skip(receivers_of(found, &unit, sym.at)).take(count);
        asked.map(|param| param.ty.map_or("", |ty| unit.said(ty)).to_owned()).collect()
    }

    fn takes_exactly(&self, found: &Found, count: usize) -> bool {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.home(sym)?, sym))) else {
            return false;
        };
        let Some(symbol) = unit.symbol(sym.at) else { return false };
        let any = symbol.params.iter().any(|param| param.variadic);
        !any && symbol.params.len() == count + receivers_of(found, &unit, sym.at)
    }

    /// Of several signatures of one member, the first that takes this many arguments stands for all.
    fn fitting_signature(&self, found: &[Found], count: usize) -> Vec<Found> {
        let place = |one: &Found| {
            let sym = one.sym().filter(|&sym| self.kind(sym).is_some_and(SymbolKind::is_callable))?;
            let unit = self.home(sym)?;
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
    pub(crate) fn takes(&self, found: &Found, count: usize) -> bool {
        let Some(sym) = found.sym() else { return true };
        let Some(unit) = self.home(sym) else { return true };
        let Some(symbol) = unit.symbol(sym.at) else { return true };
        if !symbol.kind.is_callable() && symbol.params.is_empty() {
            return true;
        }
        let count = count + receivers_of(found, &unit, sym.at);
        let least = symbol.params.iter().filter(|param| !param.default && !param.variadic).count();
        let any = symbol.params.iter().any(|param| param.variadic);
        count >= least && (any || count <= symbol.params.len())
    }

    /// Whether a function takes these arguments, by their number and their names.
    fn accepts(&self, frame: &Frame, found: &Found, args: &[ExprId]) -> bool {
        if !self.takes(found, args.len()) {
            return false;
        }
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.home(sym)?, sym))) else { return true };
        let Some(symbol) = unit.symbol(sym.at) else { return true };
        args.iter().all(|&arg| match frame.unit.expr(arg) {
            Expr::Named { name, .. } => {
                let name = frame.unit.text(name);
                symbol.params.is_empty() || symbol.params.iter().any(|param| unit.said(param.name) == name)
            }
            _ => true,
        })
    }

    /// How each argument fits the parameter it meets.
    fn fits(&self, frame: &Frame, found: &Found, args: &[ExprId]) -> Vec<i32> {
        let Some((unit, sym)) = found.sym().and_then(|sym| Some((self.home(sym)?, sym))) else {
            return Vec::new();
        };
        let each = args.iter().enumerate();
        each.map(|(at, &arg)| self.fit(frame, found, (&unit, sym), (at, args.len(), arg))).collect()
    }

    fn fit(
        &self,
        frame: &Frame,
        found: &Found,
        (unit, sym): (&Arc<Unit>, Sym),
        (at, count, arg): (usize, usize, ExprId),
    ) -> i32 {
        let Some(symbol) = unit.symbol(sym.at) else { return OPEN };
        let (param, value) = match frame.unit.expr(arg) {
            Expr::Named { name, value } => {
                let name = frame.unit.text(name);
                (symbol.params.iter().find(|param| unit.said(param.name) == name), value)
            }
            _ => {
                let at = match frame.unit.expr(arg) {
                    Expr::Lambda(_) => self.place_in(found, sym, count, at),
                    _ => at + receivers_of(found, unit, sym.at),
                };
                let rest = symbol.params.last().filter(|param| param.variadic);
                (symbol.params.get(at).or(rest), arg)
            }
        };
        let Some(written) = param.and_then(|param| param.ty).map(|ty| unit.said(ty)) else { return OPEN };
        let written = written.trim_start_matches("this ").trim_start_matches("params ");
        let bare = bare_type(written);
        match frame.unit.expr(value) {
            Expr::Literal(literal) => self.fits_literal(unit, sym.at, written, literal),
            Expr::Text(_) => self.fits_literal(unit, sym.at, written, Literal::String),
            _ if is_anything(bare) => OPEN,
            Expr::Wrap { wrapper: Wrapper::TypeOf, .. } if is_type_param(unit, sym.at, bare) => OPEN,
            Expr::Wrap { wrapper: Wrapper::TypeOf, .. } => {
                if bare == "Type" {
                    SAME
                } else {
                    NEVER
                }
            }
            Expr::Lambda(scope) => {
                let takes = frame.unit.params(scope).len();
                let implicit = takes == 0 && !frame.unit.rules.enters.is_empty();
                let fit = self.fits_function(unit, sym.at, written, takes, implicit);
                if fit == NEVER { fit } else { self.fits_result(frame, scope, (unit, sym.at), written) }
            }
            _ => match self.eval(frame, value).ty {
                Ty::Function(function, _) => {
                    let takes =
                        self.home(function).and_then(|home| Some(home.symbol(function.at)?.params.len()));
                    takes.map_or(OPEN, |takes| self.fits_function(unit, sym.at, written, takes, false))
                }
                ty => self.fits_value(&ty, (unit, sym.at), written),
            },
        }
    }

    /// How a function that takes so many arguments fits a type as written; `implicit`: it may take one more unnamed.
    fn fits_function(
        &self,
        unit: &Arc<Unit>,
        symbol: u32,
        written: &str,
        takes: usize,
        implicit: bool,
    ) -> i32 {
        let bare = bare_type(written);
        match function_arity(written) {
            Some(arity) if arity == takes || (implicit && arity == 1) => OPEN,
            Some(_) => NEVER,
            None if is_plain(bare) => NEVER,
            None if is_type_param(unit, symbol, bare) => OPEN,
            None => {
                // What has no single member to call takes no function.
                let closed = |kind: SymbolKind| match kind {
                    SymbolKind::Struct | SymbolKind::Enum => true,
                    SymbolKind::Class => unit.rules.modules == Modules::Namespace,
                    _ => !kind.is_type() && kind != SymbolKind::Delegate && kind != SymbolKind::TypeAlias,
                };
                let named = self.named(&unit.rules.family, bare);
                let here = self.has_type(unit, bare) && named.iter().all(|bearer| closed(bearer.kind));
                if here { NEVER } else { OPEN }
            }
        }
    }

    /// How what a function gives fits what a function of the type as written gives.
    fn fits_result(&self, frame: &Frame, scope: u32, at: (&Arc<Unit>, u32), written: &str) -> i32 {
        let Some(result) = function_result(written) else { return OPEN };
        let bare = bare_type(result);
        if is_anything(bare) || matches!(bare, "Unit" | "Task" | "ValueTask") || result.contains("->") {
            return OPEN;
        }
        match self.scope_result(&frame.unit, scope).ty {
            ty @ Ty::Of(..) => self.fits_value(&ty, at, result),
            _ => OPEN,
        }
    }

    /// Whether a type of this name is here.
    fn has_type(&self, unit: &Arc<Unit>, bare: &str) -> bool {
        self.named(&unit.rules.family, bare).iter().any(|bearer| bearer.kind.is_type())
    }

    fn fits_value(&self, ty: &Ty, (unit, symbol): (&Arc<Unit>, u32), written: &str) -> i32 {
        let bare = bare_type(written);
        if !ty.is_known() || is_type_param(unit, symbol, bare) {
            return OPEN;
        }
        match ty {
            Ty::Of(..) => {
                let line = self.line(ty);
                for (distance, of) in line.iter().enumerate() {
                    let is = match of {
                        Ty::Of(sym, _) => self.home(*sym).is_some_and(|home| {
                            let alike = !home.rules.arity || home.type_params(sym.at).len() == given(written);
                            alike && home.name(sym.at) == bare
                        }),
                        Ty::Outside(name, _) => &**name == bare,
                        _ => false,
                    };
                    if is {
                        return if distance == 0 { SAME } else { FITS };
                    }
                }
                let more = line.iter().any(|of| matches!(of, Ty::Outside(..) | Ty::Unknown));
                if more && !self.has_type(unit, bare) { OPEN } else { NEVER }
            }
            // A function of another type takes or gives something else.
            Ty::Outside(name, args) if function_arity(written).is_some() && is_function(name) => {
                let alike = &**name == bare && (args.is_empty() || args.len() == given(written));
                if alike { SAME } else { NEVER }
            }
            Ty::Outside(name, _) if &**name == bare => SAME,
            // A type from outside may be one of another from outside; never of a plain one.
            Ty::Outside(name, _) if !name.is_empty() && (is_plain(bare) || is_plain(name)) => NEVER,
            Ty::Outside(name, _) if !name.is_empty() => OPEN,
            Ty::Many(_) if written.contains('[') || written.contains("...") => FITS,
            Ty::Many(_) if is_plain(bare) => NEVER,
            _ => OPEN,
        }
    }

    /// How a literal fits a type as written.
    fn fits_literal(&self, unit: &Arc<Unit>, symbol: u32, written: &str, literal: Literal) -> i32 {
        let bare = bare_type(written);
        let known = literal_fit(written, bare, literal);
        if known != OPEN || literal == Literal::Null || is_anything(bare) || is_type_param(unit, symbol, bare)
        {
            return known;
        }
        // Where types can be made of literals without a word, a type of ours may take one.
        let made = unit.rules.modules == Modules::Include;
        let alias = self.named(&unit.rules.family, bare).iter().any(|b| b.kind == SymbolKind::TypeAlias);
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
fn receivers(unit: &Unit, symbol: u32) -> usize {
    usize::from(unit.is(symbol, Modifier::Extension) && unit.qualifier(symbol).is_none())
}

/// How many parameters are no arguments of this call: called by its plain name, an extension takes its receiver as one.
pub(crate) fn receivers_of(found: &Found, unit: &Unit, symbol: u32) -> usize {
    if found.rule == Rule::Extension { receivers(unit, symbol) } else { 0 }
}

/// The name of a type as written, without arguments, pointers and module.
fn bare_type(written: &str) -> &str {
    let written = written.trim_start_matches(['*', '&', '?', ' ']).trim_start_matches("const ");
    let head = written.split(['<', '[', '*', '&', '?', ' ']).next().unwrap_or_default();
    let head = head.rsplit(['.', ':', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    if head.is_empty() { written } else { head }
}

/// A type as written, without its namespace and without a sign that it may be absent.
fn unqualified(written: &str) -> &str {
    let written = written.trim().trim_end_matches('?');
    let head = written.find('<').unwrap_or(written.len());
    let plain = written.get(..head).filter(|head| !head.contains(['(', ' ', '-']));
    let start = plain.and_then(|head| head.rfind('.')).map_or(0, |dot| dot + 1);
    written.get(start..).unwrap_or(written)
}

/// How many arguments a function of this type takes: `Func<A, R>`, `(A, B) -> R`.
fn function_arity(written: &str) -> Option<usize> {
    let written = unqualified(written);
    if let Some(inner) = written.strip_prefix("Expression<").and_then(|inner| inner.strip_suffix('>')) {
        return function_arity(inner);
    }
    if let Some(inner) = written.strip_prefix("Func<").and_then(|inner| inner.strip_suffix('>')) {
        return Some(listed(inner).saturating_sub(1));
    }
    if let Some(inner) = written.strip_prefix("Action<").and_then(|inner| inner.strip_suffix('>')) {
        return Some(listed(inner));
    }
    if written == "Action" {
        return Some(0);
    }
    if !written.contains("->") {
        return None;
    }
    let whole = written.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    if let Some(inner) = whole.filter(|inner| balanced(inner) && inner.contains("->")) {
        return function_arity(inner);
    }
    let open = written.find('(')?;
    let mut depth = 0_i32;
    for (at, byte) in written.bytes().enumerate().skip(open) {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if depth == 0 {
            return Some(listed(written.get(open + 1..at)?));
        }
    }
    None
}

/// Whether no bracket is closed before it is opened.
fn balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    text.bytes().all(|byte| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        depth >= 0
    })
}

/// How many types a type as written is given.
pub(crate) fn given(written: &str) -> usize {
    match (written.find('<'), written.rfind('>')) {
        (Some(open), Some(close)) => listed(written.get(open + 1..close).unwrap_or_default()),
        _ => 0,
    }
}

/// What a function of this type gives: `R` of `Func<A, R>`, `(A) -> R`.
fn function_result(written: &str) -> Option<&str> {
    let written = unqualified(written);
    if let Some(inner) = written.strip_prefix("Func<").and_then(|inner| inner.strip_suffix('>')) {
        let mut depth = 0_i32;
        let last = inner.bytes().enumerate().filter(|(_, byte)| {
            let (opens, closes) = (b"<([".contains(byte), b">)]".contains(byte));
            depth += i32::from(opens) - i32::from(closes);
            *byte == b',' && depth == 0
        });
        let at = last.last().map_or(0, |(at, _)| at + 1);
        return inner.get(at..).map(str::trim);
    }
    let (_, result) = written.rsplit_once("->")?;
    Some(result.trim()).filter(|result| !result.contains(')'))
}

/// How many types are listed, with commas between them.
fn listed(text: &str) -> usize {
    if text.trim().is_empty() {
        return 0;
    }
    let mut depth = 0_i32;
    let mut last = b' ';
    let mut count = 1;
    for byte in text.trim().trim_end_matches(',').bytes() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            // The head of an arrow closes nothing.
            b'>' if last == b'-' => {}
            b'>' | b')' | b']' => depth -= 1,
            b',' if depth == 0 => count += 1,
            _ => {}
        }
        last = byte;
    }
    count
}

/// Whether the arguments of a call say all types that a function takes.
pub(crate) fn can_be_inferred(unit: &Unit, symbol: u32) -> bool {
    let Some(params) = unit.symbol(symbol).map(|symbol| &symbol.params) else { return true };
    let words = |text: &str, name: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    let said = |name: &str| params.iter().any(|param| param.ty.is_some_and(|ty| words(unit.said(ty), name)));
    let mut names = unit.type_params(symbol).iter().filter_map(|&at| unit.binding(at));
    names.all(|binding| said(unit.text(binding.name)))
}

/// Whether a name is a type parameter of a symbol or of what it stands in.
pub(crate) fn is_type_param(unit: &Unit, symbol: u32, name: &str) -> bool {
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

/// Whether a parameter of this type takes whatever comes: the root of all types, or a type parameter.
fn is_anything(bare: &str) -> bool {
    bare.len() < 2 || matches!(bare, "Object" | "object" | "Any" | "any" | "unknown" | "dynamic" | "mixed")
}

/// Whether a type is called as types of functions are.
fn is_function(name: &str) -> bool {
    matches!(name, "Func" | "Action")
}

fn is_plain(bare: &str) -> bool {
    matches!(
        bare.to_ascii_lowercase().as_str(),
        "string" | "str" | "int" | "long" | "bool" | "boolean" | "float" | "double" | "char"
    )
}

/// How a literal fits a type of the language.
fn literal_fit(written: &str, bare: &str, literal: Literal) -> i32 {
    let bare = bare.to_ascii_lowercase();
    let among = |words: &[&str]| words.contains(&bare.as_str());
    let number = among(&[
        "int", "long", "short", "byte", "integer", "size_t", "u8", "u32", "u64", "i32", "i64", "usize",
        "number", "uint",
    ]);
    let fraction = among(&["float", "double", "decimal", "f32", "f64", "number"]);
    let pointer = written.contains('*');
    match literal {
        Literal::String if among(&["string", "str"]) || (pointer && bare == "char") => SAME,
        Literal::String if among(&["charsequence", "string_view"]) => FITS,
        Literal::Integer if among(&["int", "integer", "i32", "number"]) => SAME,
        Literal::Integer if number => FITS,
        Literal::Integer if fraction => TURNS,
        Literal::Float if among(&["double", "f64", "number"]) => SAME,
        Literal::Float if fraction => FITS,
        Literal::Bool if among(&["bool", "boolean"]) => SAME,
        Literal::Char if among(&["char", "character"]) => SAME,
        Literal::Char if number => TURNS,
        Literal::Null if written.contains('?') || pointer => OPEN,
        Literal::Null if is_plain(&bare) && bare != "string" => NEVER,
        Literal::String | Literal::Integer | Literal::Float | Literal::Bool | Literal::Char
            if is_plain(&bare) =>
        {
            NEVER
        }
        _ => OPEN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_functions_say_how_many_arguments_they_take() {
        assert_eq!(function_arity("Func<int, Task<Dictionary<string, int>>>"), Some(1));
        assert_eq!(function_arity("Action"), Some(0));
        assert_eq!(function_arity("System.Func<A.B, C>"), Some(1));
        assert_eq!(function_arity("Action<A, B>?"), Some(2));
        assert_eq!(function_arity("suspend (A, (B) -> C) -> D"), Some(2));
        assert_eq!(function_arity("((A) -> Unit)?"), Some(1));
        assert_eq!(function_arity("Flow<T>.(T) -> Unit"), Some(1));
        assert_eq!(function_arity("() -> T"), Some(0));
        assert_eq!(function_arity("List<A>"), None);
        assert_eq!(function_result("Func<A, Map<B, C>>"), Some("Map<B, C>"));
        assert_eq!(function_result("(A) -> B"), Some("B"));
        assert_eq!(function_result("List<A>"), None);
    }

    #[test]
    fn one_fit_beats_another_for_a_reason() {
        assert!(beats(&[SAME, OPEN], &[OPEN, OPEN]));
        assert!(beats(&[OPEN], &[NEVER]));
        assert!(!beats(&[OPEN], &[OPEN]));
        assert!(!beats(&[SAME, OPEN], &[OPEN, FITS]));
    }
}
