//! Types as source text: the name of a type, the arity of function types, and how well a literal matches. Packs list
//! the words of each language.

use crate::calls::overloads::{CONVERSION, IDENTICAL, MISMATCH, SUBTYPE, UNKNOWN};
use orient_model::{Literal, Rules, TypeWords};

fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|known| known == word)
}

/// Whether a parameter of this type takes any value: the root of all types, or a type parameter.
pub(crate) fn is_anything(rules: &Rules, bare: &str) -> bool {
    bare.len() < 2 || has(&rules.types.top_types, bare)
}

/// Whether a type is primitive.
pub(crate) fn is_plain(rules: &Rules, bare: &str) -> bool {
    has(&rules.types.primitives, bare)
}

/// Whether this is the name of a function type.
pub(crate) fn is_function(rules: &Rules, name: &str) -> bool {
    has(&rules.function_types, name) || has(&rules.types.void_functions, name)
}

/// How well a type used as an argument matches a parameter type.
pub(crate) fn score_type_argument(rules: &Rules, bare: &str) -> i32 {
    match bare {
        _ if has(&rules.types.type_values, bare) => IDENTICAL,
        _ if has(&rules.types.any_type_values, bare) => SUBTYPE,
        _ => MISMATCH,
    }
}

/// Whether a result type says nothing: any function matches it.
pub(crate) fn is_any_result(rules: &Rules, bare: &str) -> bool {
    is_anything(rules, bare) || has(&rules.types.uninformative_results, bare)
}

/// Whether a value of one primitive type can be widened to another.
pub(crate) fn widens(rules: &Rules, from: &str, to: &str) -> bool {
    rules.types.widening.iter().any(|(known, types)| known == from && has(types, to))
}

/// Whether values of primitive types are converted to this type.
pub(crate) fn is_conversion_target(rules: &Rules, bare: &str) -> bool {
    has(&rules.types.implicit_conversions, bare)
}

/// Whether a value of one type can be boxed or unboxed to another.
pub(crate) fn boxes(rules: &Rules, from: &str, to: &str) -> bool {
    rules.types.boxing.iter().any(|(known, types)| known == from && has(types, to))
}

/// Whether values of a type are boxed to be used as objects: `int`, and not `Integer`.
pub(crate) fn is_unboxed(rules: &Rules, name: &str) -> bool {
    rules.types.boxing.iter().any(|(known, _)| known == name) && name.starts_with(char::is_lowercase)
}

/// The element type of an array type or of a variadic parameter: `int` of `int[]`.
pub(crate) fn array_element(written: &str) -> Option<&str> {
    let written = written.trim_end();
    written.strip_suffix("[]").or_else(|| written.strip_suffix("...")).map(str::trim_end)
}

/// Strips modifiers such as `const` from a type.
pub(crate) fn without_marks<'w>(rules: &Rules, mut written: &'w str) -> &'w str {
    while let Some((_, rest)) = written.split_once(' ').filter(|(word, _)| has(&rules.types.modifiers, word))
    {
        written = rest;
    }
    written
}

/// How well a literal matches a type.
pub(crate) fn score_literal_type(rules: &Rules, written: &str, bare: &str, literal: Literal) -> i32 {
    let words = &rules.types;
    let pointer = written.contains('*');
    if literal == Literal::Null {
        let never = has(&words.non_null, bare) && !written.contains('?') && !pointer;
        return if never { MISMATCH } else { UNKNOWN };
    }
    let pointed = format!("{bare}*");
    let among = |table: &[(String, Vec<String>)]| {
        let listed = table.iter().find(|(kind, _)| kind == kind_of(literal));
        listed.is_some_and(|(_, words)| has(words, bare) || pointer && has(words, &pointed))
    };
    match literal {
        _ if among(&words.exact) => IDENTICAL,
        _ if among(&words.assignable) => SUBTYPE,
        _ if among(&words.convertible) => CONVERSION,
        Literal::Regex => UNKNOWN,
        _ if is_plain(rules, bare) => MISMATCH,
        _ => UNKNOWN,
    }
}

/// The name of a kind of literal in packs.
pub(crate) fn kind_of(literal: Literal) -> &'static str {
    match literal {
        Literal::String => "string",
        Literal::Integer => "integer",
        Literal::Float => "float",
        Literal::Bool => "bool",
        Literal::Char => "char",
        Literal::Null | Literal::Regex => "",
    }
}

/// The type arguments of a type with one of these names.
fn inside<'w>(words: &[String], written: &'w str) -> Option<&'w str> {
    let (name, inner) = written.split_once('<')?;
    if has(words, name) { inner.strip_suffix('>') } else { None }
}

/// The number of parameters of a function type: `Func<A, R>`, `(A, B) -> R`.
pub(crate) fn function_arity(rules: &Rules, written: &str) -> Option<usize> {
    let written = unqualified(written);
    let TypeWords { function_type_wrappers, void_functions, .. } = &rules.types;
    if let Some(inner) = inside(function_type_wrappers, written) {
        return function_arity(rules, inner);
    }
    if let Some(inner) = inside(&rules.function_types, written) {
        return Some(count_types(inner).saturating_sub(1));
    }
    if let Some(inner) = inside(void_functions, written) {
        return Some(count_types(inner));
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
            return Some(count_types(written.get(open + 1..at)?));
        }
    }
    None
}

/// The result of a function type: `R` of `Func<A, R>`, `(A) -> R`.
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

/// A type without its namespace and nullability mark.
fn unqualified(written: &str) -> &str {
    let written = written.trim().trim_end_matches('?');
    let head = written.find('<').unwrap_or(written.len());
    let plain = written.get(..head).filter(|head| !head.contains(['(', ' ', '-']));
    let start = plain.and_then(|head| head.rfind('.')).map_or(0, |dot| dot + 1);
    written.get(start..).unwrap_or(written)
}

/// The bare name of a type, without type arguments, pointers and module.
pub(crate) fn bare_type<'w>(rules: &Rules, written: &'w str) -> &'w str {
    let written = without_marks(rules, written.trim_start_matches(['*', '&', '?', ' ']));
    let compound = compound_name(rules, written);
    if !compound.is_empty() {
        return compound;
    }
    let head = written.split(['<', '[', '*', '&', '?', ' ']).next().unwrap_or_default();
    let head = head.rsplit(['.', ':', '\\']).find(|part| !part.is_empty()).unwrap_or_default();
    if head.is_empty() { written } else { head }
}

/// The words that form one type at the beginning of a written type: `unsigned long` of `unsigned long*`.
fn compound_name<'w>(rules: &Rules, written: &'w str) -> &'w str {
    let mut end = 0;
    while let Some(rest) = written.get(end..) {
        let start = end + rest.len() - rest.trim_start().len();
        let word = rest.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next();
        match word.filter(|word| has(&rules.types.compound_words, word)) {
            Some(word) => end = start + word.len(),
            None => break,
        }
    }
    &written[..end]
}

/// Whether values of two types are numbers, which are converted to each other.
pub(crate) fn converts(rules: &Rules, from: &str, to: &str) -> bool {
    has(&rules.types.arithmetic, from) && has(&rules.types.arithmetic, to)
}

/// Whether no bracket is closed before it is opened.
fn balanced(text: &str) -> bool {
    let mut depth = 0_i32;
    text.bytes().all(|byte| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        depth >= 0
    })
}

/// The number of type arguments of a type.
pub(crate) fn type_argument_count(written: &str) -> usize {
    match (written.find('<'), written.rfind('>')) {
        (Some(open), Some(close)) => count_types(written.get(open + 1..close).unwrap_or_default()),
        _ => 0,
    }
}

/// The types of a comma-separated list.
pub(crate) fn split_types(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let parts = text.split(move |letter: char| {
        depth += i32::from("<([".contains(letter)) - i32::from(">)]".contains(letter));
        letter == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty())
}

/// The number of types in a comma-separated list.
fn count_types(text: &str) -> usize {
    if text.trim().is_empty() {
        return 0;
    }
    let mut depth = 0_i32;
    let mut last = b' ';
    let mut count = 1;
    for byte in text.trim().trim_end_matches(',').bytes() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            // The `>` of an arrow is not a bracket.
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
    fn function_types_have_an_arity_and_a_result() {
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
