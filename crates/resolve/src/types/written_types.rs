//! What a type as written is called, and what that says of the values it takes. The words are those of the language
//! that wrote the type.

use crate::calls::overloads::{FITS, NEVER, OPEN, SAME, TURNS};
use orient_model::{Literal, Rules, TypeWords};

pub(crate) fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|known| known == word)
}

/// Whether a parameter of this type takes whatever comes: the root of all types, or a type parameter.
pub(crate) fn is_anything(rules: &Rules, bare: &str) -> bool {
    bare.len() < 2 || has(&rules.types.top_types, bare)
}

/// Whether a type is of plain values, which are of no other type.
pub(crate) fn is_plain(rules: &Rules, bare: &str) -> bool {
    has(&rules.types.primitives, bare)
}

/// Whether a type is called as types of functions are.
pub(crate) fn is_function(rules: &Rules, name: &str) -> bool {
    has(&rules.function_types, name) || has(&rules.types.void_functions, name)
}

/// How a type that is given as a value fits a type.
pub(crate) fn type_fit(rules: &Rules, bare: &str) -> i32 {
    match bare {
        _ if has(&rules.types.type_values, bare) => SAME,
        _ if has(&rules.types.any_type_values, bare) => FITS,
        _ => NEVER,
    }
}

/// Whether what a function gives cannot be compared with this.
pub(crate) fn is_vague(rules: &Rules, bare: &str) -> bool {
    is_anything(rules, bare) || has(&rules.types.uninformative_results, bare)
}

/// A type without words in front that are no part of it.
pub(crate) fn without_marks<'w>(rules: &Rules, mut written: &'w str) -> &'w str {
    while let Some((_, rest)) = written.split_once(' ').filter(|(word, _)| has(&rules.types.modifiers, word))
    {
        written = rest;
    }
    written
}

/// How a literal fits a type of the language.
pub(crate) fn literal_fit(rules: &Rules, written: &str, bare: &str, literal: Literal) -> i32 {
    let words = &rules.types;
    let pointer = written.contains('*');
    if literal == Literal::Null {
        let never = has(&words.non_null, bare) && !written.contains('?') && !pointer;
        return if never { NEVER } else { OPEN };
    }
    let pointed = format!("{bare}*");
    let among = |table: &[(String, Vec<String>)]| {
        let listed = table.iter().find(|(kind, _)| kind == kind_of(literal));
        listed.is_some_and(|(_, words)| has(words, bare) || pointer && has(words, &pointed))
    };
    match literal {
        _ if among(&words.exact) => SAME,
        _ if among(&words.assignable) => FITS,
        _ if among(&words.convertible) => TURNS,
        Literal::Regex => OPEN,
        _ if is_plain(rules, bare) => NEVER,
        _ => OPEN,
    }
}

/// What packs call a literal.
pub(super) fn kind_of(literal: Literal) -> &'static str {
    match literal {
        Literal::String => "string",
        Literal::Integer => "integer",
        Literal::Float => "float",
        Literal::Bool => "bool",
        Literal::Char => "char",
        Literal::Null | Literal::Regex => "",
    }
}

/// What stands between the brackets behind one of these names.
pub(crate) fn inside<'w>(words: &[String], written: &'w str) -> Option<&'w str> {
    let (name, inner) = written.split_once('<')?;
    if has(words, name) { inner.strip_suffix('>') } else { None }
}

/// How many arguments a function of this type takes: `Func<A, R>`, `(A, B) -> R`.
pub(crate) fn function_arity(rules: &Rules, written: &str) -> Option<usize> {
    let written = unqualified(written);
    let TypeWords { function_type_wrappers, void_functions, .. } = &rules.types;
    if let Some(inner) = inside(function_type_wrappers, written) {
        return function_arity(rules, inner);
    }
    if let Some(inner) = inside(&rules.function_types, written) {
        return Some(listed(inner).saturating_sub(1));
    }
    if let Some(inner) = inside(void_functions, written) {
        return Some(listed(inner));
    }
    if has(void_functions, written) {
        return Some(0);
    }
    if !written.contains("->") {
        return None;
    }
    let whole = written.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    if let Some(inner) = whole.filter(|inner| balanced(inner) && inner.contains("->")) {
        return function_arity(rules, inner);
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

/// What a function of this type gives: `R` of `Func<A, R>`, `(A) -> R`.
pub(crate) fn function_result<'w>(rules: &Rules, written: &'w str) -> Option<&'w str> {
    let written = unqualified(written);
    if let Some(inner) = inside(&rules.function_types, written) {
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

/// A type as written, without its namespace and without a sign that it may be absent.
fn unqualified(written: &str) -> &str {
    let written = written.trim().trim_end_matches('?');
    let head = written.find('<').unwrap_or(written.len());
    let plain = written.get(..head).filter(|head| !head.contains(['(', ' ', '-']));
    let start = plain.and_then(|head| head.rfind('.')).map_or(0, |dot| dot + 1);
    written.get(start..).unwrap_or(written)
}

/// The name of a type as written, without arguments, pointers and module.
pub(crate) fn bare_type<'w>(rules: &Rules, written: &'w str) -> &'w str {
    let written = without_marks(rules, written.trim_start_matches(['*', '&', '?', ' ']));
    let head = written.split(['<', '[', '*', '&', '?', ' ']).next().unwrap_or_default();
    let head = head.rsplit(['.', ':', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    if head.is_empty() { written } else { head }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_functions_say_how_many_arguments_they_take() {
        let types = TypeWords { void_functions: vec!["Action".to_owned()], ..TypeWords::default() };
        let rules = Rules { function_types: vec!["Func".to_owned()], types, ..Rules::default() };
        assert_eq!(function_arity(&Rules::default(), "Func<int, string>"), None);
        assert_eq!(function_arity(&rules, "Func<int, Task<Dictionary<string, int>>>"), Some(1));
        assert_eq!(function_arity(&rules, "Action"), Some(0));
        assert_eq!(function_arity(&rules, "System.Func<A.B, C>"), Some(1));
        assert_eq!(function_arity(&rules, "Action<A, B>?"), Some(2));
        assert_eq!(function_arity(&rules, "suspend (A, (B) -> C) -> D"), Some(2));
        assert_eq!(function_arity(&rules, "((A) -> Unit)?"), Some(1));
        assert_eq!(function_arity(&rules, "Flow<T>.(T) -> Unit"), Some(1));
        assert_eq!(function_arity(&rules, "() -> T"), Some(0));
        assert_eq!(function_arity(&rules, "List<A>"), None);
        assert_eq!(function_result(&rules, "Func<A, Map<B, C>>"), Some("Map<B, C>"));
        assert_eq!(function_result(&rules, "(A) -> B"), Some("B"));
        assert_eq!(function_result(&rules, "List<A>"), None);
    }
}
