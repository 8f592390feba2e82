//! What each channel says of the units: words by their terms, meaning by vectors, names by definitions.

use super::corpus::Corpus;
use crate::{EngineError, Snapshot};
use orient_model::{Role, SymbolKind};
use orient_rank::{Analysis, Extent, Form, Held, Lexical, Weights};
use orient_store::{ChunkPosting, NameMatch, SymbolQuery, SymbolRow};
use orient_text::{for_each_term, plain_words, term_hash};

/// How many bearers of a name are looked at.
const BEARERS: usize = 200;

/// What the words say.
pub(super) struct Words {
    pub(super) lexical: Lexical,
    pub(super) replaced: Vec<(String, Vec<String>)>,
    /// Room for another question.
    pub(super) postings: Vec<Held>,
}

impl Snapshot {
    /// Scores all units by the terms of a question.
    pub(super) fn words(
        &self,
        corpus: &Corpus,
        asked: &Analysis,
        weights: &Weights,
    ) -> Result<Words, EngineError> {
        let catalogue = &corpus.catalogue;
        let mut room = corpus.room();
        let mut postings = std::mem::take(&mut room.postings);
        let extent = Extent {
            units: catalogue.len(),
            terms: catalogue.terms(),
            unit_bound: catalogue.bound(),
            file_bound: catalogue.file_bound(),
        };
        let mut lexical = Lexical::new(&extent, room, weights);
        let mut replaced = Vec::new();
        let read = |number: u32, postings: &mut Vec<_>| {
            postings.clear();
            self.store.each_with_term(
                catalogue,
                number,
                |ChunkPosting { chunk, file, length, occurrence }| {
                    postings.push(Held { unit: chunk, file, length, occurrence });
                },
            )
        };
        let mut held = Vec::with_capacity(asked.terms.len());
        for term in &asked.terms {
            read(term.number, &mut postings)?;
            held.push(!postings.is_empty());
            lexical.add(term.weight, term.whole, &postings);
        }
        for word in mistyped(asked, &held) {
            let near = self.near_words(&word)?;
            for one in &near {
                read(one.number, &mut postings)?;
                lexical.add(1.0, one.whole, &postings);
            }
            if !near.is_empty() {
                replaced.push((word, near.into_iter().map(|one| one.name).collect()));
            }
        }
        Ok(Words { lexical, replaced, postings })
    }

    /// The symbols that bear the name a question consists of, with how surely they are meant.
    pub(super) fn named(&self, asked: &Analysis) -> Result<Vec<(SymbolRow, f32)>, EngineError> {
        if asked.form != Form::Name {
            return Ok(Vec::new());
        }
        let Some(text) = asked.names.first() else { return Ok(Vec::new()) };
        let names = orient_model::Handle::split(text);
        let Some(own) = names.last() else { return Ok(Vec::new()) };
        let query = SymbolQuery { name: NameMatch::Exact(own.clone()), ..SymbolQuery::default() };
        let page = self.store.symbols(&query, 0, BEARERS)?;
        let mut found = Vec::new();
        for row in page.rows.into_iter().map(|found| found.symbol) {
            if names.len() > 1 {
                let definitions = self.define([row.clone()])?;
                if !definitions.iter().any(|one| one.handle.names.ends_with(&names)) {
                    continue;
                }
            }
            let surely = surely(row.kind, row.parent.is_some());
            found.push((row, surely));
        }
        Ok(found)
    }
}

/// The words of a question that were perhaps mistyped: names written as code that stand nowhere; if no word stands
/// anywhere, all of them.
fn mistyped(asked: &Analysis, held: &[bool]) -> Vec<String> {
    let own = |name: &String| orient_model::Handle::split(name).pop();
    let stands = |name: &String| {
        let mut last = 0;
        for_each_term(name.as_bytes(), |term, _| last = term_hash(term));
        asked.terms.iter().zip(held).any(|(term, held)| *held && term.number == last)
    };
    let mut words: Vec<String> = asked.names.iter().filter_map(own).filter(|name| !stands(name)).collect();
    if words.is_empty() && !held.contains(&true) {
        words = plain_words(&asked.text);
    }
    words
}

/// How likely a symbol of this kind is what a bare name means.
fn surely(kind: SymbolKind, inside: bool) -> f32 {
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

/// What a role leaves of the certainty that a bearer of a name is meant.
pub(super) fn of_role(role: Role) -> f32 {
    match role {
        Role::Source => 1.0,
        Role::Generated | Role::Vendored => 0.6,
        Role::Test | Role::Config => 0.5,
        Role::Doc => 0.3,
    }
}
