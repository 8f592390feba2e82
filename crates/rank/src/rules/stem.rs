//! Files are named after what they are about.

use super::{Context, Rule};
use crate::order::Board;
use orient_text::{for_each_term, term_hash};

pub(super) fn apply(context: &Context<'_>, board: &mut Board) {
    let shares: Vec<f32> = context.pool.files.iter().map(|file| share(context, &file.path)).collect();
    let weight = context.weights.stem * if context.pool.semantic { 1.0 } else { context.weights.alone };
    for (at, candidate) in context.pool.candidates.iter().enumerate() {
        board.add(at, Rule::Stem, weight * shares[candidate.file as usize]);
    }
}

/// Which part of a file's name the question says. Names that every folder has stand for their folder.
fn share(context: &Context<'_>, path: &str) -> f32 {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
    let generic = ["index", "mod", "lib", "main", "init", "__init__", "base", "core"].contains(&stem);
    let stem = if generic { parts.next().unwrap_or(stem) } else { stem };
    let (mut all, mut found) = (0.0_f32, 0.0_f32);
    for_each_term(stem.as_bytes(), |term, whole| {
        let number = term_hash(term);
        let weight =
            context.asked.terms.iter().find(|term| term.number == number).map_or(0.0, |term| term.weight);
        if !whole {
            all += 1.0;
            found += weight;
        } else if weight > 0.0 {
            found = all;
        }
    });
    if all > 0.0 { (found / all).min(1.0) } else { 0.0 }
}
