//! Tests, prose, examples, settings, what nobody here wrote and what has a newer version beside it are seldom what is looked
//! for.

use super::{Context, Rule};
use crate::candidate::Candidate;
use crate::order::Board;
use orient_model::{Role, folder_of_examples};
use std::collections::HashMap;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    let newest = newest(context.pool.files.iter().map(|file| file.path.as_str()));
    let factors: Vec<f32> =
        context.pool.files.iter().map(|file| factor(context, &file.path, file.role, &newest)).collect();
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        board.multiply(at, Rule::Role, factors[candidate.file as usize] * of_place(context, candidate));
    }
}

/// What is left of the score of a test among other code.
pub(super) fn of_place(context: &Context<'_>, candidate: &Candidate) -> f32 {
    let inside = candidate.test
        && !context.asked.asked.tests
        && context.pool.files[candidate.file as usize].role != Role::Test;
    if inside { context.weights.test } else { 1.0 }
}

/// The newest number of each folder that has versions beside each other: `api/v1`, `api/v2`.
fn newest<'p>(paths: impl Iterator<Item = &'p str>) -> HashMap<&'p str, u32> {
    let mut newest = HashMap::new();
    for (around, number) in paths.filter_map(version) {
        let known = newest.entry(around).or_insert(number);
        *known = number.max(*known);
    }
    newest
}

/// The folder with versions that a path goes through, and which of them.
fn version(path: &str) -> Option<(&str, u32)> {
    let mut start = 0;
    while let Some(length) = path[start..].find('/') {
        if let Some(number) =
            path[start..start + length].strip_prefix('v').and_then(|digits| digits.parse().ok())
        {
            return Some((&path[..start], number));
        }
        start += length + 1;
    }
    None
}

fn factor(context: &Context<'_>, path: &str, role: Role, newest: &HashMap<&str, u32>) -> f32 {
    let (weights, asked) = (context.weights, context.asked.asked);
    let by_role = match role {
        Role::Test if !asked.tests => weights.test,
        Role::Doc if !asked.docs => weights.docs,
        Role::Config if !asked.config => weights.config,
        Role::Generated | Role::Vendored if !asked.foreign => weights.foreign,
        _ => 1.0,
    };
    let is_example = folder_of_examples(path).is_some();
    let by_place = if is_example && !asked.examples { by_role * weights.example } else { by_role };
    let is_old = version(path)
        .is_some_and(|(around, number)| newest.get(around).is_some_and(|newest| number < *newest));
    let names_one = is_old && context.asked.terms.iter().any(|term| is_version(&term.text));
    if is_old && !names_one { by_place * weights.previous } else { by_place }
}

/// Whether a term is the name of a version.
fn is_version(term: &str) -> bool {
    term.strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_folders_beside_each_other() {
        assert_eq!(version("src/v3/types.ts"), Some(("src/", 3)));
        assert_eq!(version("src/views/v.ts"), None);
        let newest = newest(["a/v1/x", "a/v2/x", "b/v1/x"].into_iter());
        assert_eq!((newest["a/"], newest["b/"]), (2, 1));
    }
}
