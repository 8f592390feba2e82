//! Tests, prose, examples, settings and what nobody here wrote speak of the code; they are seldom what is looked for.

use super::{Context, Rule};
use crate::order::Board;
use orient_model::Role;

/// Folders of code that shows how to use the rest.
const EXAMPLES: &[&str] = &[
    "example",
    "examples",
    "demo",
    "demos",
    "sample",
    "samples",
    "tutorial",
    "tutorials",
    "docs_src",
    "playground",
    "sandbox",
    "www",
    "website",
];

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    let factors: Vec<f32> =
        context.pool.files.iter().map(|file| factor(context, &file.path, file.role)).collect();
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        board.multiply(at, Rule::Role, factors[candidate.file as usize]);
    }
}

fn factor(context: &Context<'_>, path: &str, role: Role) -> f32 {
    let (weights, asked) = (context.weights, context.asked.asked);
    let by_role = match role {
        Role::Test if !asked.tests => weights.test,
        Role::Doc if !asked.docs => weights.docs,
        Role::Config if !asked.config => weights.config,
        Role::Generated | Role::Vendored if !asked.foreign => weights.foreign,
        _ => 1.0,
    };
    let is_example =
        path.split('/').rev().skip(1).any(|part| EXAMPLES.contains(&part.to_ascii_lowercase().as_str()));
    if is_example && !asked.examples { by_role * weights.example } else { by_role }
}
