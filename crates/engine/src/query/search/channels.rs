//! The channels of ranked search: terms by BM25, names by definition.

use super::corpus::Corpus;
use crate::{EngineError, Snapshot};
use orient_model::{Role, SymbolKind};
use orient_rank::{Analysis, Bm25, CorpusSize, Form, Posting, Weights};
use orient_store::{ChunkPosting, NameMatch, SymbolQuery, SymbolRow};
use orient_text::{for_each_term, plain_words, term_hash};

/// Maximum number of symbols considered for a name.
const MAX_SYMBOLS_PER_NAME: usize = 200;

/// The result of the term channel.
pub(super) struct LexicalMatches {
    pub(super) lexical: Bm25,
    pub(super) replaced: Vec<(String, Vec<String>)>,
    /// Reusable buffer.
    pub(super) postings: Vec<Posting>,
}

impl Snapshot {
    /// Scores all chunks by the terms of a query.
    pub(super) fn score_terms(
        &self,
        corpus: &Corpus,
        analysis: &Analysis,
        weights: &Weights,
    ) -> Result<LexicalMatches, EngineError> {
        let catalogue = &corpus.catalogue;
        let mut buffers = corpus.scratch_buffers();
        let mut postings = std::mem::take(&mut buffers.postings);
        let size = CorpusSize {
            chunks: catalogue.len(),
            terms: catalogue.terms(),
            chunk_bound: catalogue.bound(),
            file_bound: catalogue.file_bound(),
        };
        let mut lexical = Bm25::new(&size, buffers, weights);
        let mut replaced = Vec::new();
        let read = |number: u32, postings: &mut Vec<_>| {
            postings.clear();
            self.store.each_with_term(
                catalogue,
                number,
                |ChunkPosting { chunk, file, length, occurrence }| {
                    postings.push(Posting { chunk, file, length, occurrence });
                },
            )
        };
        let mut held = Vec::with_capacity(analysis.terms.len());
        for term in &analysis.terms {
            read(term.number, &mut postings)?;
            held.push(!postings.is_empty());
            if !(term.optional && postings.is_empty()) {
                lexical.add(term.weight, &postings);
            }
        }
        for word in misspelled(analysis, &held) {
            let corrections = self.corrections(&word)?;
            for one in &corrections {
                read(one.number, &mut postings)?;
                lexical.add(1.0, &postings);
            }
            if !corrections.is_empty() {
                replaced.push((word, corrections.into_iter().map(|one| one.name).collect()));
            }
        }
        Ok(LexicalMatches { lexical, replaced, postings })
    }

    /// The symbols with the name that the query consists of, with a confidence each.
    pub(super) fn exact_names(&self, analysis: &Analysis) -> Result<Vec<(SymbolRow, f32)>, EngineError> {
        if analysis.form != Form::Name {
            return Ok(Vec::new());
        }
        let Some(text) = analysis.names.first() else { return Ok(Vec::new()) };
        let names = orient_model::Handle::split(text);
        let Some(own) = names.last() else { return Ok(Vec::new()) };
        let query = SymbolQuery { name: NameMatch::Exact(own.clone()), ..SymbolQuery::default() };
        let page = self.store.symbols(&query, 0, MAX_SYMBOLS_PER_NAME)?;
        let mut found = Vec::new();
        for row in page.rows.into_iter().map(|found| found.symbol) {
            if names.len() > 1 {
                let definitions = self.define([row.clone()])?;
                if !definitions.iter().any(|one| one.handle.names.ends_with(&names)) {
                    continue;
                }
            }
            let confidence = prior_by_kind(row.kind, row.parent.is_some());
            found.push((row, confidence));
        }
        Ok(found)
    }
}

/// The words to spell-correct: names written as code that do not occur; if no word occurs at all, all of them.
fn misspelled(analysis: &Analysis, held: &[bool]) -> Vec<String> {
    let own = |name: &String| orient_model::Handle::split(name).pop();
    let occurs = |name: &String| {
        let mut last = 0;
        for_each_term(name.as_bytes(), |term, _| last = term_hash(term));
        analysis.terms.iter().zip(held).any(|(term, held)| *held && term.number == last)
    };
    // The names of a report come from everywhere; only its title is worth correcting.
    let is_looked_for = |name: &&String| !analysis.report || analysis.text.contains(name.as_str());
    let names = analysis.names.iter().filter(is_looked_for);
    let mut words: Vec<String> = names.filter_map(own).filter(|name| !occurs(name)).collect();
    // A question that is only half typed may have stop words alone: they have no terms, and are not misspelled.
    if words.is_empty() && !held.is_empty() && !held.contains(&true) {
        words = plain_words(analysis.english());
    }
    words
}

/// Prior confidence that a bare name means a symbol of this kind.
pub(super) fn prior_by_kind(kind: SymbolKind, inside: bool) -> f32 {
    use SymbolKind as K;
    let by_kind = match kind {
        K::Class
        | K::Struct
        | K::Interface
        | K::Trait
        | K::Enum
        | K::Object
        | K::Union
        | K::TypeAlias
        | K::Module => 1.0,
        K::Function | K::Macro | K::Delegate | K::Service | K::Table | K::View => 0.95,
        K::Method | K::Constructor | K::Operator | K::Procedure | K::Rpc | K::Message => 0.9,
        K::Constant | K::Property | K::Event | K::Impl => 0.7,
        _ => 0.5,
    };
    if inside && by_kind < 0.9 { by_kind - 0.2 } else { by_kind }
}

/// Factor by which a file's role reduces that confidence.
pub(super) fn role_factor(role: Role) -> f32 {
    match role {
        Role::Source => 1.0,
        Role::Generated | Role::Vendored => 0.6,
        Role::Test | Role::Config => 0.5,
        Role::Doc => 0.3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_rank::analyse;

    #[test]
    fn words_that_occur_nowhere_are_misspelled_but_stop_words_are_not() {
        let unknown = analyse("conection poool");
        assert_eq!(misspelled(&unknown, &vec![false; unknown.terms.len()]), ["conection", "poool"]);
        let stop_words = analyse("how are");
        assert!(misspelled(&stop_words, &vec![false; stop_words.terms.len()]).is_empty());
    }
}
