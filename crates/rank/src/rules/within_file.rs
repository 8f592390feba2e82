//! Ranking of the chunks of one file. A question in words asks what code does, so
//!
//! - chunks with the words of the query come first: their vectors are similar, since they share path and enclosing names;
//! - callables come before declarations, such as the head of a large type or lines between definitions;
//! - larger chunks come before smaller ones: two lines that pass a value on explain nothing.
//!
//! The score of the file does not change.

use super::{Context, Rule};
use crate::bm25::as_f32;
use crate::candidate::Candidate;
use crate::query_analysis::Form;
use crate::ranking::ScoreBoard;
use orient_model::{ChunkKind, SymbolKind};

/// Chunks of more lines count as equally large.
const LARGE: usize = 40;

/// Raises chunks with the words of the query.
pub(super) fn words(context: &Context<'_>, scores: &mut ScoreBoard) {
    let best = context.pool.candidates.iter().map(|one| one.lexical.score).fold(0.0, f32::max);
    if context.query.form != Form::Prose || best <= 0.0 {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let more = context.weights.words_in_file * candidate.lexical.score / best;
        let score = scores.score(at);
        if score > 0.0 {
            scores.within(at, Rule::WordsInFile, 1.0 + more / score);
        }
    }
}

/// Lowers declarations.
pub(super) fn implementation(context: &Context<'_>, scores: &mut ScoreBoard) {
    if context.query.form != Form::Prose {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        if !is_implementation(candidate) {
            scores.within(at, Rule::Implementation, context.weights.declaration);
        }
    }
}

/// Lowers small chunks.
pub(super) fn size(context: &Context<'_>, scores: &mut ScoreBoard) {
    if context.query.form != Form::Prose {
        return;
    }
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        let lines = candidate.last_line.saturating_sub(candidate.first_line) as usize + 1;
        let share = as_f32(lines.min(LARGE)) / as_f32(LARGE);
        scores.within(at, Rule::Size, share.powf(context.weights.size));
    }
}

fn is_implementation(candidate: &Candidate) -> bool {
    let Some(kind) = candidate.symbol else { return false };
    // A type that is one chunk includes its members.
    let with_members = candidate.kind == ChunkKind::Symbol
        && matches!(kind, SymbolKind::Class | SymbolKind::Trait | SymbolKind::Impl | SymbolKind::Object);
    kind.is_callable() || with_members
}
