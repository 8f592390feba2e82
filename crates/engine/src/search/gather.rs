//! From a question to ranked places.

use super::channels::{Words, of_role};
use super::corpus::{Corpus, Nearness};
use super::hit::{Found, SearchHit, SearchQuery};
use crate::{EngineError, FileQuery, Snapshot};
use orient_embed::{BuiltIn, Embedder, combine, cosine};
use orient_model::ChunkKind;
use orient_rank::{Analysis, Candidate, FileInfo, Pool, analyse, rank};
use orient_store::{ChunkRow, FileId, FileRow, INDEXED, SymbolRow};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

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
        let Words { lexical, replaced } = self.words(&corpus, &asked, &query.weights)?;
        let allows = |unit: u32| {
            allowed.as_ref().is_none_or(|allowed| allowed[corpus.file_of[unit as usize] as usize])
        };
        let times = if query.kinds.is_empty() && !query.symbols_only { 1 } else { FILTERED };
        let mut by_words: Vec<(u32, f32)> = lexical
            .touched
            .iter()
            .map(|&unit| (unit, lexical.units[unit as usize].score))
            .filter(|(unit, _)| allows(*unit))
            .collect();
        let holders = by_words.len();
        best(&mut by_words, OF_WORDS * times);
        let vector = (!query.without_vectors).then(|| combine(&[(&BuiltIn::shared().sum(&asked.text), 1.0)]));
        let vector = vector.filter(|vector| vector.values().iter().any(|value| *value != 0));
        let (by_meaning, nearness) = match &vector {
            None => (Vec::new(), None),
            Some(vector) => {
                let (best, nearness) =
                    corpus.nearest(&self.store, vector, OF_VECTORS * times, &allows, allowed.is_some())?;
                (best, Some(nearness))
            }
        };
        let exact = self.exact_units(&corpus, &asked, &allows)?;
        let near = |unit: u32| nearness.as_ref().map_or(0.0, |nearness| near(nearness, unit));
        let pool = first_pass(&by_words, &by_meaning, &exact, near, POOL * times);
        let mut closer = Closer {
            snapshot: self,
            corpus: &corpus,
            files: Vec::new(),
            numbers: FxHashMap::default(),
            places: Vec::new(),
            chunks: BTreeMap::new(),
        };
        let mut candidates = Vec::with_capacity(pool.len());
        for unit in pool {
            let Some(place) = closer.look(unit)? else { continue };
            if !fits(query, &place) {
                continue;
            }
            let is_defined = matches!(place.chunk.kind, ChunkKind::Symbol | ChunkKind::Head);
            candidates.push(Candidate {
                unit,
                file: place.file,
                lexical: lexical.units[unit as usize],
                semantic: near(unit),
                kind: place.chunk.kind,
                symbol: place.symbol.as_ref().map(|symbol| symbol.kind),
                name: place
                    .symbol
                    .as_ref()
                    .filter(|_| is_defined)
                    .map_or_else(String::new, |symbol| symbol.name.clone()),
                exact: exact
                    .get(&unit)
                    .map_or(0.0, |surely| surely * of_role(closer.files[place.file as usize].role)),
                uses: self.uses(place.symbol.as_ref().filter(|_| is_defined))?,
                linked: 0.0,
                first_line: place.chunk.first_line,
            });
            closer.places.push(place);
        }
        let shelves = closer.shelves();
        let files = closer.files.iter().zip(&shelves).map(|(file, &shelf)| FileInfo {
            path: file.path.display().into_owned(),
            role: file.role,
            units: file.chunks,
            lexical: lexical.files[shelf as usize],
        });
        let pool =
            Pool { files: files.collect(), candidates, total: lexical.total, semantic: vector.is_some() };
        Ok(Gathered { asked, pool, files: closer.files, places: closer.places, replaced, holders })
    }

    /// Puts what was gathered in its order.
    pub fn order(&self, query: &SearchQuery, gathered: &Gathered) -> Result<Found, EngineError> {
        let Gathered { asked, pool, files, places, replaced, holders } = gathered;
        let ranked = rank(asked, pool, &query.weights, query.switches, query.limit.saturating_add(1));
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
            });
        }
        Ok(Found { hits, analysis: asked.clone(), replaced: replaced.clone(), holders: *holders, more })
    }

    /// How often a symbol is used, as far as it matters.
    fn uses(&self, symbol: Option<&SymbolRow>) -> Result<u32, EngineError> {
        match symbol {
            Some(symbol) => Ok(self.store.reader().count_incoming(symbol.id.into(), MANY_USES)?),
            None => Ok(0),
        }
    }

    /// The names around and of a symbol, outermost first.
    fn qualified(&self, symbol: Option<&SymbolRow>) -> Result<Vec<String>, EngineError> {
        let mut names = Vec::new();
        let mut next = symbol.cloned();
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

    /// Which files the filters allow, by shelf; none where there are no filters.
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
        let mut allowed = vec![false; corpus.catalogue.shelves().len()];
        for file in self.files(&asked, 0, usize::MAX)?.rows {
            let is_among = query.among.as_ref().is_none_or(|among| among.contains(&file.path));
            if let Some((first, count)) = corpus.units_of(file.id).filter(|(_, count)| *count > 0 && is_among)
            {
                let _ = count;
                allowed[corpus.file_of[first as usize] as usize] = true;
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
            for (at, id) in (0..).zip(self.store.chunk_ids(symbol.file)?) {
                let Some(chunk) = self.store.chunk(id)? else { continue };
                // The first chunk that reaches into the symbol holds its header.
                if chunk.last_line >= symbol.first_line {
                    if allows(first + at) {
                        let known = units.entry(first + at).or_insert(surely);
                        *known = f32::max(*known, surely);
                    }
                    break;
                }
            }
        }
        Ok(units)
    }
}

/// What the channels said, before it is put in order.
pub struct Gathered {
    asked: Analysis,
    pool: Pool,
    files: Vec<FileRow>,
    places: Vec<Place>,
    replaced: Vec<(String, Vec<String>)>,
    holders: usize,
}

fn near(nearness: &Nearness<'_>, unit: u32) -> f32 {
    cosine(nearness.product(unit), BuiltIn::shared().dimension())
}

fn fits(query: &SearchQuery, place: &Place) -> bool {
    let kind = place.symbol.as_ref().map(|symbol| symbol.kind);
    let whole = matches!(place.chunk.kind, ChunkKind::Symbol | ChunkKind::Head);
    (query.kinds.is_empty() || kind.is_some_and(|kind| query.kinds.contains(&kind)))
        && (!query.symbols_only || (whole && kind.is_some()))
}

/// Keeps the best, best first; of equals the first.
fn best(units: &mut Vec<(u32, f32)>, count: usize) {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if units.len() > count {
        units.select_nth_unstable_by(count, order);
        units.truncate(count);
    }
    units.sort_unstable_by(order);
}

/// The units worth a closer look: the best by both channels together, and all that the question names.
fn first_pass(
    by_words: &[(u32, f32)],
    by_meaning: &[(u32, i32)],
    exact: &BTreeMap<u32, f32>,
    near: impl Fn(u32) -> f32,
    count: usize,
) -> Vec<u32> {
    let most = by_words.first().map_or(1.0, |best| best.1).max(f32::MIN_POSITIVE);
    let nearest = by_meaning.first().map_or(1.0, |best| near(best.0)).max(0.01);
    let words: FxHashMap<u32, f32> = by_words.iter().copied().collect();
    let mut all: Vec<u32> =
        by_words.iter().map(|one| one.0).chain(by_meaning.iter().map(|one| one.0)).collect();
    all.sort_unstable();
    all.dedup();
    let mut scored: Vec<(u32, f32)> = all
        .into_iter()
        .map(|unit| (unit, words.get(&unit).copied().unwrap_or(0.0) / most + near(unit) / nearest))
        .collect();
    best(&mut scored, count);
    let mut units: Vec<u32> = scored.into_iter().map(|one| one.0).chain(exact.keys().copied()).collect();
    units.sort_unstable();
    units.dedup();
    units
}

/// A unit that was looked at.
pub(super) struct Place {
    file: u32,
    chunk: ChunkRow,
    symbol: Option<SymbolRow>,
}

/// Looks at units; files are read once.
struct Closer<'s> {
    snapshot: &'s Snapshot,
    corpus: &'s Arc<Corpus>,
    files: Vec<FileRow>,
    numbers: FxHashMap<FileId, u32>,
    places: Vec<Place>,
    chunks: BTreeMap<u32, Vec<orient_store::ChunkId>>,
}

impl Closer<'_> {
    fn look(&mut self, unit: u32) -> Result<Option<Place>, EngineError> {
        let shelf = self.corpus.catalogue.shelves()[self.corpus.file_of[unit as usize] as usize];
        let store = &self.snapshot.store;
        let file = match self.numbers.get(&shelf.file) {
            Some(&number) => number,
            None => {
                let Some(row) = store.file_by_id(shelf.file)?.filter(|row| row.status == INDEXED) else {
                    return Ok(None);
                };
                self.files.push(row);
                let number = self.files.len() as u32 - 1;
                self.numbers.insert(shelf.file, number);
                self.chunks.insert(number, store.chunk_ids(shelf.file)?);
                number
            }
        };
        let Some(&id) = self.chunks.get(&file).and_then(|ids| ids.get((unit - shelf.first) as usize)) else {
            return Ok(None);
        };
        let Some(chunk) = store.chunk(id)? else { return Ok(None) };
        let symbol = match chunk.symbol {
            Some(symbol) => store.symbol(symbol)?,
            None => None,
        };
        Ok(Some(Place { file, chunk, symbol }))
    }

    /// The shelf of each file.
    fn shelves(&self) -> Vec<u32> {
        let shelf = |file: &FileRow| {
            self.corpus.units_of(file.id).map_or(0, |(first, _)| self.corpus.file_of[first as usize])
        };
        self.files.iter().map(shelf).collect()
    }
}
