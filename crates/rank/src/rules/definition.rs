//! A place that defines what the question names beats one that mentions it.

use super::{Context, Rule};
use crate::order::Board;
use orient_model::SymbolKind;
use orient_text::{for_each_term, term_hash};

/// What counts of a match with one of several names.
const UNSURE: f32 = 0.5;

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    if context.pool.total <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let share = (candidate.lexical.named / context.pool.total).min(1.0);
        if share <= 0.0 {
            continue;
        }
        // A name that says more than was asked is less surely what is meant.
        // What a namespace or a heading is called says little of what is in it.
        let own =
            matches!(candidate.symbol, Some(SymbolKind::Module | SymbolKind::Heading | SymbolKind::Key))
                || candidate.name.is_empty();
        let said = if own { UNSURE } else { said(context, &candidate.name) };
        board.add(at, Rule::Definition, context.weights.definition * share.sqrt() * said);
    }
}

/// Which part of a name the question says.
fn said(context: &Context<'_>, name: &str) -> f32 {
    let (mut all, mut found) = (0.0_f32, 0.0_f32);
    for_each_term(name.as_bytes(), |term, whole| {
        let number = term_hash(term);
        let is_asked = context.asked.terms.iter().any(|term| term.number == number);
        if !whole {
            all += 1.0;
            found += f32::from(u8::from(is_asked));
        }
    });
    if all > 0.0 { found / all } else { 0.0 }
}
