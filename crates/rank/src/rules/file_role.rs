//! Tests, documentation, examples, configuration, generated and vendored code, and old versions rank lower, unless requested.

use super::{Context, Rule};
use crate::candidate::{Candidate, FileInfo, Pool};
use crate::query_analysis::Analysis;
use crate::question_scope::Scope;
use crate::ranking::ScoreBoard;
use crate::weights::Weights;
use orient_model::{Role, directory_of_examples};
use std::collections::HashMap;

pub(super) fn apply(context: &Context<'_>, scores: &mut ScoreBoard) {
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let of_file = context.role_factors[candidate.file as usize];
        scores.multiply(at, Rule::Role, of_file * of_chunk(context, candidate));
    }
}

/// The factor of each file of a pool.
pub(crate) fn factors(query: &Analysis, pool: &Pool, weights: &Weights) -> Vec<f32> {
    let newest = newest(pool.files.iter().map(|file| file.path.as_str()));
    let every_part = query.scope == Scope::EveryPart;
    let of = |file: &FileInfo| match file.role {
        // They are in every package, and say nothing about its code.
        role if every_part && (role == Role::Config || file.project) => weights.build_file,
        role => factor(query, weights, &file.path, role, &newest),
    };
    pool.files.iter().map(of).collect()
}

/// The factor of a test in a file that is not a test file.
pub(super) fn of_chunk(context: &Context<'_>, candidate: &Candidate) -> f32 {
    let inside = candidate.test
        && !context.query.requested.tests
        && context.pool.files[candidate.file as usize].role != Role::Test;
    if inside { context.weights.test } else { 1.0 }
}

/// The newest version in each directory with versions: `api/v1`, `api/v2`.
fn newest<'p>(paths: impl Iterator<Item = &'p str>) -> HashMap<&'p str, u32> {
    let mut newest = HashMap::new();
    for (around, number) in paths.filter_map(version) {
        let known = newest.entry(around).or_insert(number);
        *known = number.max(*known);
    }
    newest
}

/// The versioned directory of a path, and its version.
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

fn factor(query: &Analysis, weights: &Weights, path: &str, role: Role, newest: &HashMap<&str, u32>) -> f32 {
    let requested = query.requested;
    let by_role = match role {
        Role::Test if !requested.tests => weights.test,
        Role::Doc if !requested.docs => weights.docs,
        Role::Config if !requested.config => weights.config,
        Role::Generated | Role::Vendored if !requested.foreign => weights.foreign,
        _ => 1.0,
    };
    let is_example = directory_of_examples(path).is_some();
    let by_place = if is_example && !requested.examples { by_role * weights.example } else { by_role };
    let is_old = version(path)
        .is_some_and(|(around, number)| newest.get(around).is_some_and(|newest| number < *newest));
    let names_one = is_old && query.terms.iter().any(|term| is_version(&term.text));
    if is_old && !names_one { by_place * weights.previous } else { by_place }
}

/// Whether a term is a version: `v2`.
fn is_version(term: &str) -> bool {
    term.strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_each_directory_is_found() {
        assert_eq!(version("src/v3/types.ts"), Some(("src/", 3)));
        assert_eq!(version("src/views/v.ts"), None);
        let newest = newest(["a/v1/x", "a/v2/x", "b/v1/x"].into_iter());
        assert_eq!((newest["a/"], newest["b/"]), (2, 1));
    }
}
