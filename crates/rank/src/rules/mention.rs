//! What the query mentions literally ranks above what merely resembles it: a path, a line of a file, the name of a symbol,
//! the text of a message.

use super::{Context, Rule};
use crate::ranking::ScoreBoard;

pub(super) fn apply(context: &Context<'_>, scores: &mut ScoreBoard) {
    let weights = context.weights;
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let path = context.pool.files[candidate.file as usize].mentioned;
        let value = weights.mentioned_line * candidate.mentioned
            + weights.mentioned_path * path
            + weights.mentioned_name * candidate.named
            + weights.quoted_message * candidate.quoted;
        scores.add(at, Rule::Mention, value);
    }
}
