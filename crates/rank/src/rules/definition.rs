//! A chunk that defines a name of the query ranks above chunks that mention it.

use super::{Context, Rule};
use crate::ranking::ScoreBoard;
use orient_model::SymbolKind;
use orient_text::{for_each_term, term_hash};

/// Factor if the name of the chunk is not that of its content.
const WEAK_NAME: f32 = 0.5;

pub(super) fn apply(context: &Context<'_>, scores: &mut ScoreBoard) {
    if context.pool.total <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let share = (candidate.lexical.named / context.pool.total).min(1.0);
        if share <= 0.0 {
            continue;
        }
        // A longer name than requested is a weaker match.
        // The name of a namespace, heading or key says little about its content.
        let own =
            matches!(candidate.symbol, Some(SymbolKind::Module | SymbolKind::Heading | SymbolKind::Key))
                || candidate.name.is_empty();
        let coverage = if own { WEAK_NAME } else { name_coverage(context, &candidate.name) };
        scores.add(at, Rule::Definition, context.weights.definition * share.sqrt() * coverage);
    }
}

/// The share of a name's terms that are in the query.
fn name_coverage(context: &Context<'_>, name: &str) -> f32 {
    let (mut all, mut found) = (0.0_f32, 0.0_f32);
    for_each_term(name.as_bytes(), |term, whole| {
        let number = term_hash(term);
        let is_asked = context.query.terms.iter().any(|term| term.number == number);
        if !whole {
            all += 1.0;
            found += f32::from(u8::from(is_asked));
        }
    });
    if all > 0.0 { found / all } else { 0.0 }
}
