//! From a question to ranked places.

use super::candidate_pool::{best, first_pass};
use super::channels::{Words, of_role};
use super::chunk_cache::SeenFile;
use super::chunk_loader::{Closer, Place};
use super::corpus::{Corpus, Nearness, Wanted};
use super::hit::{Found, OtherPlace, SearchHit, SearchQuery};
use crate::chunk_features::embedder;
use crate::{EngineError, FileQuery, Snapshot};
use orient_embed::{BuiltIn, combine};
use orient_model::EdgeKind;
use orient_rank::{Analysis, Candidate, FileInfo, Form, Lexical, Most, Pool, Rule, analyse, rank};
use orient_store::{ChunkSymbol, EdgeRow};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many of the best are asked for their neighbours.
const STRONG: usize = 5;
/// More uses than this are not counted.
const MANY_USES: u32 = 64;
/// How many units each channel names.
const OF_WORDS: usize = 250;
const OF_VECTORS: usize = 200;
/// How many of them are looked at closely.
const POOL: usize = 160;
/// The same where most will be thrown away for what they are.
const FILTERED: usize = 6;

impl Snapshot {
    /// The places that answer a question best, best first.
    pub fn search(&self, query: &SearchQuery) -> Result<Found, EngineError> {
        let gathered = self.gather(query)?;
        self.order(query, &gathered)
    }

    /// What the channels say about the places worth a closer look. Depends on the weights of words alone.
    pub fn gather(&self, query: &SearchQuery) -> Result<Gathered, EngineError> {
        let asked = analyse(&query.text);
        let corpus = self.corpora.of(&self.store)?;
        let allowed = self.allowed(query, &corpus)?;
        let allows = |unit: u32| {
            allowed.as_ref().is_none_or(|allowed| allowed[corpus.catalogue.file_of(unit) as usize])
        };
        let times = if query.kinds.is_empty() && !query.symbols_only { 1 } else { FILTERED };
        let without = query.without_vectors || self.store.embedder() != embedder();
        let vector = (!without).then(|| combine(&[(&BuiltIn::shared().embed_text(&asked.text), 1.0)]));
        let vector = vector.filter(|vector| vector.values().iter().any(|value| *value != 0));
        let by_terms = || self.words(&corpus, &asked, &query.weights);
        let other = query.other.as_ref().filter(|_| !query.without_vectors);
        let by_other = match other {
            Some(other) => self.nearness_by_other(&corpus, other, vector.as_ref())?,
            None => None,
        };
        let is_by_other = by_other.is_some();
        let (by_meaning, nearness, words) = match (by_other, &vector) {
            (None, None) => (Vec::new(), None, by_terms()?),
            (None, Some(vector)) => {
                let wanted =
                    Wanted { count: OF_VECTORS * times, filtered: allowed.is_some(), allows: &allows };
                let found = corpus.nearest(&self.store, vector, &wanted, by_terms)?;
                let units = found.best.into_iter().map(|one| one.0).collect();
                (units, Some(found.nearness), found.meanwhile)
            }
            (Some(near), _) => {
                let units = nearest_of(&near, OF_VECTORS * times, allows);
                (units, Some(Nearness::Scaled(near)), by_terms()?)
            }
        };
        let Words { lexical, replaced, postings } = words;
        let held = lexical.touched.iter().map(|&unit| (unit, lexical.units[unit as usize].score));
        let (by_words, holders) = best(held.filter(|(unit, _)| allows(*unit)), OF_WORDS * times);
        let exact = self.exact_units(&corpus, &asked, &allows)?;
        let near = |unit: u32| nearness.as_ref().map_or(0.0, |nearness| nearness.of(unit));
        let pool = first_pass(&by_words, &by_meaning, &exact, near, POOL * times);
        let seen = Seen { words: &lexical, exact: &exact, near: &near };
        let mut gathered = self.look_at(query, asked, &corpus, &seen, pool)?;
        corpus.take_back(lexical.into_room(postings));
        gathered.pool.semantic = nearness.is_some();
        self.link(query, &mut gathered)?;
        let bare = if query.without_vectors { 0 } else { corpus.bare(without) };
        Ok(Gathered { replaced, holders, bare, by_other: is_by_other, ..gathered })
    }

    /// Looks at units, and leaves out what is not of a kind that is asked for.
    fn look_at(
        &self,
        query: &SearchQuery,
        asked: Analysis,
        corpus: &Corpus,
        seen: &Seen<'_>,
        units: Vec<u32>,
    ) -> Result<Gathered, EngineError> {
        let mut closer = Closer::new(self, corpus);
        let (mut candidates, mut places) = (Vec::with_capacity(units.len()), Vec::with_capacity(units.len()));
        for unit in units {
            let Some(place) = closer.look(unit)?.filter(|place| place.fits(query)) else { continue };
            let own = place.symbol.as_ref().filter(|_| place.defines());
            let role = closer.files[place.file as usize].role;
            candidates.push(Candidate {
                unit,
                file: place.file,
                lexical: seen.words.units[unit as usize],
                semantic: (seen.near)(unit),
                kind: place.chunk.kind,
                symbol: place.symbol.as_ref().map(|symbol| symbol.kind),
                name: own.map_or_else(String::new, |symbol| symbol.name.clone()),
                owner: place.symbol.as_ref().map(|symbol| symbol.id.0),
                exact: seen.exact.get(&unit).map_or(0.0, |surely| surely * of_role(role)),
                test: place.is_test(),
                uses: self.uses(own.filter(|_| asked.form == Form::Name))?,
                linked: 0.0,
                first_line: place.chunk.first_line,
                last_line: place.chunk.last_line,
            });
            places.push(place);
        }
        let numbers = closer.file_numbers();
        let files = closer.files.iter().zip(&numbers).map(|(file, &number)| FileInfo {
            path: file.path.display().into_owned(),
            role: file.role,
            units: file.chunks,
            lexical: seen.words.files[number as usize],
        });
        let Lexical { total, missing, .. } = *seen.words;
        let pool = Pool { files: files.collect(), candidates, total, missing, semantic: false };
        Ok(Gathered {
            asked,
            pool,
            files: closer.files,
            places,
            replaced: Vec::new(),
            holders: 0,
            bare: 0,
            by_other: false,
        })
    }

    /// Puts what was gathered in its order.
    pub fn order(&self, query: &SearchQuery, gathered: &Gathered) -> Result<Found, EngineError> {
        let Gathered { asked, pool, files, places, replaced, holders, bare, by_other } = gathered;
        let ranked = rank(asked, pool, &query.weights, query.switches, query.most());
        let more = ranked.len() > query.limit;
        let mut hits = Vec::with_capacity(query.limit.min(ranked.len()));
        for hit in ranked.into_iter().take(query.limit) {
            let (place, candidate) = (&places[hit.candidate], &pool.candidates[hit.candidate]);
            let file = &files[place.file as usize];
            hits.push(SearchHit {
                path: file.path.clone(),
                language: file.language.clone(),
                role: file.role,
                kind: place.chunk.kind,
                first_line: place.chunk.first_line,
                last_line: place.chunk.last_line,
                symbol: place.symbol.as_ref().map(|symbol| symbol.id),
                name: self.qualified(place.symbol.as_ref())?,
                symbol_kind: candidate.symbol,
                score: hit.score,
                exact: candidate.exact > 0.0,
                parts: hit.parts,
                also: hit.also.iter().map(|&at| OtherPlace::new(&places[at])).collect(),
            });
        }
        Ok(Found {
            hits,
            analysis: asked.clone(),
            replaced: replaced.clone(),
            confident: pool.is_confident(),
            holders: *holders,
            more,
            bare: *bare,
            by_other: *by_other,
        })
    }

    /// Marks the candidates that the best ones call, or are called by.
    fn link(&self, query: &SearchQuery, gathered: &mut Gathered) -> Result<(), EngineError> {
        let Gathered { asked, pool, places, .. } = gathered;
        if query.weights.neighbours <= 0.0 || !query.switches.has(Rule::Neighbours) {
            return Ok(());
        }
        let mut near = FxHashSet::default();
        let switches = query.switches.without(Rule::Neighbours);
        for hit in rank(asked, pool, &query.weights, switches, Most { hits: STRONG, also: 0 }) {
            let Some(symbol) = &places[hit.candidate].symbol else { continue };
            let calls = |edge: &&EdgeRow| edge.kind == EdgeKind::Calls;
            let file = places[hit.candidate].chunk.file;
            near.extend(
                self.store.edges_from(file, symbol.id.into())?.iter().filter(calls).map(|edge| edge.target),
            );
            // What everything calls says nothing about who calls it.
            if self.uses(Some(symbol))? < MANY_USES {
                near.extend(self.incoming(symbol.id.into())?.iter().filter(calls).map(|edge| edge.source));
            }
        }
        for (candidate, place) in pool.candidates.iter_mut().zip(places) {
            let linked = place.symbol.as_ref().is_some_and(|symbol| near.contains(&symbol.id.into()));
            candidate.linked = f32::from(u8::from(linked));
        }
        Ok(())
    }

    /// How often a symbol is used, as far as it matters.
    fn uses(&self, symbol: Option<&ChunkSymbol>) -> Result<u32, EngineError> {
        match symbol {
            Some(symbol) => Ok(self.store.reader().count_incoming(symbol.id.into(), MANY_USES)?),
            None => Ok(0),
        }
    }

    /// The names around and of a symbol, outermost first.
    pub(super) fn qualified(&self, symbol: Option<&ChunkSymbol>) -> Result<Vec<String>, EngineError> {
        let mut names = Vec::new();
        let mut next = match symbol {
            Some(symbol) => self.store.symbol(symbol.id)?,
            None => None,
        };
        while let Some(symbol) = next {
            next = match symbol.parent {
                Some(parent) => self.store.symbol(parent)?,
                None => None,
            };
            names.push(symbol.name);
        }
        names.reverse();
        Ok(names)
    }

    /// Which files the filters allow, by number; none where there are no filters.
    fn allowed(&self, query: &SearchQuery, corpus: &Corpus) -> Result<Option<Vec<bool>>, EngineError> {
        if query.languages.is_empty()
            && query.roles.is_empty()
            && query.path.is_none()
            && query.among.is_none()
        {
            return Ok(None);
        }
        let asked = FileQuery {
            path: query.path.clone(),
            languages: query.languages.clone(),
            roles: query.roles.clone(),
            indexed: Some(true),
            with_issues: false,
        };
        let mut allowed = vec![false; corpus.catalogue.file_bound()];
        for file in self.files(&asked, 0, usize::MAX)?.rows {
            let is_among = query.among.as_ref().is_none_or(|among| among.contains(&file.path));
            if let Some(number) = corpus.catalogue.find(file.id).filter(|_| is_among) {
                allowed[number as usize] = true;
            }
        }
        Ok(Some(allowed))
    }

    /// The units that define what the question names, with how surely it is meant.
    fn exact_units(
        &self,
        corpus: &Corpus,
        asked: &Analysis,
        allows: &dyn Fn(u32) -> bool,
    ) -> Result<BTreeMap<u32, f32>, EngineError> {
        let mut units = BTreeMap::new();
        for (symbol, surely) in self.named(asked)? {
            let Some((first, _)) = corpus.units_of(symbol.file) else { continue };
            let Some(file) = self.seen_file(corpus, symbol.file)? else { continue };
            // The first chunk that reaches into the symbol holds its header. Chunks come in the order of the source.
            let (mut low, mut high) = (0, file.ids.len());
            while low < high {
                let middle = usize::midpoint(low, high);
                match self.store.chunk(file.ids[middle])? {
                    Some(chunk) if chunk.last_line >= symbol.first_line => high = middle,
                    _ => low = middle + 1,
                }
            }
            let unit = first + low as u32;
            if low < file.ids.len() && allows(unit) {
                let known = units.entry(unit).or_insert(surely);
                *known = f32::max(*known, surely);
            }
        }
        Ok(units)
    }
}

/// What the channels say of all units.
struct Seen<'s> {
    words: &'s Lexical,
    exact: &'s BTreeMap<u32, f32>,
    near: &'s dyn Fn(u32) -> f32,
}

/// What the channels said, before it is put in order.
pub struct Gathered {
    /// How the question was understood.
    pub asked: Analysis,
    /// What the channels and the index say of the places.
    pub pool: Pool,
    files: Vec<Arc<SeenFile>>,
    places: Vec<Place>,
    replaced: Vec<(String, Vec<String>)>,
    holders: usize,
    bare: u64,
    by_other: bool,
}

/// The nearest of all units that are allowed, nearest first.
fn nearest_of(near: &[f32], count: usize, allows: impl Fn(u32) -> bool) -> Vec<u32> {
    let allowed = |(unit, near): &(u32, f32)| *near > 0.0 && allows(*unit);
    let (units, _) = best((0..).zip(near.iter().copied()).filter(allowed), count);
    units.into_iter().map(|one| one.0).collect()
}
