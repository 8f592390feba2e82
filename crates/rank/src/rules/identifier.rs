//! A question that writes a name as code means the definition of that name.

use super::{Context, Rule};
use crate::order::Board;

/// What is left where the name differs in upper and lower case only.
const FOLDED: f32 = 0.7;
/// What is left where the name is one of several things the unit defines.
const AMONG: f32 = 0.6;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    let names: Vec<&str> = context
        .asked
        .names
        .iter()
        .filter_map(|name| name.rsplit(['.', ':', '#']).find(|part| !part.is_empty()))
        .collect();
    if names.is_empty() {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let own = candidate.name.as_str();
        let share = if !own.is_empty() && names.contains(&own) {
            1.0
        } else if !own.is_empty() && names.iter().any(|name| name.eq_ignore_ascii_case(own)) {
            FOLDED
        } else if candidate.lexical.defined > 0.0 {
            AMONG
        } else {
            continue;
        };
        board.add(at, Rule::Identifier, context.weights.identifier * share);
    }
}
