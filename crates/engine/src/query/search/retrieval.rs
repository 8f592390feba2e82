//! Retrieval and ranking: from a query to ranked hits.
//!
//! 1. Every channel scores chunks: BM25 terms, vectors, exact names.
//! 2. Fusion picks the pool of chunks worth loading.
//! 3. The pool is loaded with symbols and files.
//! 4. The ranking rules order it.

use super::candidate_pool::{best, fuse};
use super::channels::{LexicalMatches, role_factor};
use super::chunk_cache::CachedFile;
use super::chunk_loader::{ChunkLoader, LoadedChunk};
use super::corpus::{ChunkSimilarity, Corpus, VectorQuery};
use super::hit::{SameFileHit, SearchHit, SearchResults};
use super::mentions::Mentions;
use super::search_query::SearchQuery;
use crate::chunk_features::embedder;
use crate::{EngineError, FileQuery, Snapshot};
use orient_embed::{BuiltIn, TextEmbedding, Vector, combine};
use orient_rank::{Analysis, Bm25, Candidate, FileInfo, Pool, RankedChunk, Scope, analyse, has_more, rank};
use orient_store::{ChunkSymbol, FileId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of chunks that each channel proposes.
const TERM_CANDIDATES: usize = 250;
const VECTOR_CANDIDATES: usize = 200;
/// Number of chunks in the pool.
const POOL_SIZE: usize = 160;
/// Factor for pool and channels if a symbol filter discards most chunks.
const FILTER_FACTOR: usize = 6;
/// The same if the query is about every part of the repository.
const PARTS_FACTOR: usize = 4;

impl Snapshot {
    /// Builds the corpus of this generation, which the first search does otherwise.
    pub fn prepare_search(&self) -> Result<(), EngineError> {
        self.caches.corpus(&self.store).map(drop)
    }

    /// The chunks that answer a query best, best first.
    pub fn search(&self, query: &SearchQuery) -> Result<SearchResults, EngineError> {
        let retrieved = self.retrieve(query)?;
        self.rank(query, &retrieved)
    }

    /// Retrieves the candidates for a query. Depends only on the weights of terms, so one retrieval serves several
    /// rankings.
    pub fn retrieve(&self, query: &SearchQuery) -> Result<RetrievedCandidates, EngineError> {
        let analysis = analyse(&query.text);
        let corpus = self.caches.corpus(&self.store)?;
        let allowed = self.allowed(query, &corpus)?;
        let allows = |chunk: u32| {
            allowed.as_ref().is_none_or(|allowed| allowed[corpus.catalogue.file_of(chunk) as usize])
        };
        let any_symbol = query.kinds.is_empty() && !query.symbols_only && query.symbols.is_none();
        let factor = if !any_symbol {
            FILTER_FACTOR
        } else if analysis.scope == Scope::EveryPart {
            PARTS_FACTOR
        } else {
            1
        };
        let without = query.without_vectors || self.store.embedder() != embedder();
        let vector = (!without).then(|| query_vector(&analysis, query.weights.body));
        let vector = vector.filter(|vector| vector.values().iter().any(|value| *value != 0));
        let by_terms = || self.score_terms(&corpus, &analysis, &query.weights);
        let remote = query.remote.as_ref().filter(|_| !query.without_vectors);
        let by_remote = match remote {
            Some(remote) => self.remote_similarity(&corpus, remote, vector.as_ref())?,
            None => None,
        };
        let used_remote = by_remote.is_some();
        let (by_vector, similarity, words) = match (by_remote, &vector) {
            (None, None) => (Vec::new(), None, by_terms()?),
            (None, Some(vector)) => {
                let wanted = VectorQuery {
                    count: VECTOR_CANDIDATES * factor,
                    filtered: allowed.is_some(),
                    allows: &allows,
                };
                let found = corpus.nearest(&self.store, vector, &wanted, by_terms)?;
                let chunks = found.best.into_iter().map(|one| one.0).collect();
                (chunks, Some(found.similarity), found.meanwhile)
            }
            (Some(near), _) => {
                let chunks = nearest_of(&near, VECTOR_CANDIDATES * factor, allows);
                (chunks, Some(ChunkSimilarity::Scaled(near)), by_terms()?)
            }
        };
        let LexicalMatches { lexical, replaced, postings } = words;
        let held = lexical.touched.iter().map(|&chunk| (chunk, lexical.chunks[chunk as usize].score));
        let (term_matches, matching_chunks) =
            best(held.filter(|(chunk, _)| allows(*chunk)), TERM_CANDIDATES * factor);
        let exact = self.exact_chunks(&corpus, &analysis, &allows)?;
        let mentions = self.mentions(&corpus, &analysis, &lexical, &allows)?;
        let near = |chunk: u32| similarity.as_ref().map_or(0.0, |similarity| similarity.of(chunk));
        let required = exact.keys().copied().chain(mentions.chunks());
        let pool = fuse(&term_matches, &by_vector, required, near, POOL_SIZE * factor);
        let scores = ChannelScores { words: &lexical, exact: &exact, mentions: &mentions, near: &near };
        let mut retrieved = self.load_candidates(query, analysis, &corpus, &scores, pool)?;
        corpus.return_buffers(lexical.into_buffers(postings));
        retrieved.pool.semantic = similarity.is_some();
        let without_vector = if query.without_vectors { 0 } else { corpus.without_vector(without) };
        Ok(RetrievedCandidates {
            replaced,
            matching_chunks,
            without_vector,
            by_remote: used_remote,
            ..retrieved
        })
    }

    /// Loads chunks and drops those that do not match the symbol filters.
    fn load_candidates(
        &self,
        query: &SearchQuery,
        analysis: Analysis,
        corpus: &Corpus,
        scores: &ChannelScores<'_>,
        chunks: Vec<u32>,
    ) -> Result<RetrievedCandidates, EngineError> {
        let mut loader = ChunkLoader::new(self, corpus);
        let (mut candidates, mut loaded_chunks) =
            (Vec::with_capacity(chunks.len()), Vec::with_capacity(chunks.len()));
        for chunk in chunks {
            let Some(loaded) = loader.load(chunk)?.filter(|loaded| loaded.fits(query)) else { continue };
            let own = loaded.symbol.as_ref().filter(|_| loaded.defines());
            let role = loader.files[loaded.file as usize].role;
            candidates.push(Candidate {
                chunk,
                file: loaded.file,
                lexical: scores.words.chunks[chunk as usize],
                semantic: (scores.near)(chunk),
                kind: loaded.chunk.kind,
                symbol: loaded.symbol.as_ref().map(|symbol| symbol.kind),
                name: own.map_or_else(String::new, |symbol| symbol.name.clone()),
                owner: loaded.symbol.as_ref().map(|symbol| symbol.id.0),
                exact: scores.exact.get(&chunk).map_or(0.0, |confidence| confidence * role_factor(role)),
                mentioned: scores.mentions.lines.get(&chunk).copied().unwrap_or(0.0),
                named: scores.mentions.names.get(&chunk).copied().unwrap_or(0.0),
                quoted: scores.mentions.messages.get(&chunk).copied().unwrap_or(0.0),
                test: loaded.is_test(),
                first_line: loaded.chunk.first_line,
                last_line: loaded.chunk.last_line,
            });
            loaded_chunks.push(loaded);
        }
        let (project_files, packages) = match analysis.scope {
            Scope::EveryPart => self.project_directories()?,
            _ => Default::default(),
        };
        let file_numbers = loader.file_numbers();
        let files = loader.files.iter().zip(&file_numbers).map(|(file, &number)| FileInfo {
            path: file.path.display().into_owned(),
            role: file.role,
            lexical: scores.words.files[number as usize],
            mentioned: scores.mentions.files.get(&number).copied().unwrap_or(0.0),
            project: project_files.contains(&file.id),
        });
        let Bm25 { total, missing, .. } = *scores.words;
        let pool = Pool { files: files.collect(), candidates, total, missing, semantic: false, packages };
        Ok(RetrievedCandidates {
            analysis,
            pool,
            files: loader.files,
            loaded_chunks,
            replaced: Vec::new(),
            matching_chunks: 0,
            without_vector: 0,
            by_remote: false,
        })
    }

    /// The project files, and the directories that have one.
    fn project_directories(&self) -> Result<(BTreeSet<FileId>, Vec<String>), EngineError> {
        let files: BTreeSet<FileId> = self.store.reader().project_files()?.into_iter().collect();
        let mut directories = BTreeSet::new();
        for &file in &files {
            let Some(row) = self.store.file_by_id(file)? else { continue };
            let path = row.path.display();
            directories.extend(path.rsplit_once('/').map(|(directory, _)| directory.to_owned()));
        }
        Ok((files, directories.into_iter().collect()))
    }

    /// Ranks retrieved candidates.
    pub fn rank(
        &self,
        query: &SearchQuery,
        retrieved: &RetrievedCandidates,
    ) -> Result<SearchResults, EngineError> {
        let RetrievedCandidates { analysis, pool, .. } = retrieved;
        let (hits, more) = ranked_hits(query, analysis, pool, |chunk| self.hit(retrieved, chunk))?;
        Ok(SearchResults { hits, ..retrieved.results(pool.is_confident(), more) })
    }

    /// The hit of a ranked chunk; `None` if it only closes what another chunk opened.
    pub(super) fn hit(
        &self,
        retrieved: &RetrievedCandidates,
        chunk: RankedChunk,
    ) -> Result<Option<SearchHit>, EngineError> {
        let RetrievedCandidates { pool, files, loaded_chunks, .. } = retrieved;
        let only_closes = |loaded: &LoadedChunk| {
            let lines = (loaded.chunk.first_line, loaded.chunk.last_line);
            self.only_closes(&files[loaded.file as usize], loaded.chunk.kind, lines)
        };
        let (loaded, candidate) = (&loaded_chunks[chunk.candidate], &pool.candidates[chunk.candidate]);
        if only_closes(loaded) {
            return Ok(None);
        }
        let file = &files[loaded.file as usize];
        let beside = chunk.also.iter().map(|&at| &loaded_chunks[at]);
        Ok(Some(SearchHit {
            path: file.path.clone(),
            language: file.language.clone(),
            role: file.role,
            kind: loaded.chunk.kind,
            first_line: loaded.chunk.first_line,
            last_line: loaded.chunk.last_line,
            symbol: loaded.symbol.as_ref().map(|symbol| symbol.id),
            name: self.qualified(loaded.symbol.as_ref())?,
            symbol_kind: loaded.symbol.as_ref().map(|symbol| symbol.kind.shown(symbol.modifiers)),
            score: chunk.score,
            evidence: chunk.evidence,
            exact: candidate.exact > 0.0,
            also: beside.filter(|one| !only_closes(one)).map(SameFileHit::new).collect(),
            parts: chunk.parts,
            part: chunk.part,
        }))
    }

    /// The qualified name of a symbol, outermost name first.
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

    /// Which files the filters allow, by catalogue number; `None` without filters.
    fn allowed(&self, query: &SearchQuery, corpus: &Corpus) -> Result<Option<Vec<bool>>, EngineError> {
        if query.languages.is_empty()
            && query.roles.is_empty()
            && query.path.is_none()
            && query.among.is_none()
            && query.symbols.is_none()
        {
            return Ok(None);
        }
        let holding: Option<BTreeSet<FileId>> = match &query.symbols {
            None => None,
            Some(symbols) => {
                let rows = symbols.iter().map(|&symbol| self.store.symbol(symbol));
                let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
                Some(rows.into_iter().flatten().map(|row| row.file).collect())
            }
        };
        let analysis = FileQuery {
            path: query.path.clone(),
            languages: query.languages.clone(),
            roles: query.roles.clone(),
            indexed: Some(true),
            with_issues: false,
        };
        let mut allowed = vec![false; corpus.catalogue.file_bound()];
        for file in self.files(&analysis, 0, usize::MAX)?.rows {
            let is_among = query.among.as_ref().is_none_or(|among| among.contains(&file.path))
                && holding.as_ref().is_none_or(|holding| holding.contains(&file.id));
            if let Some(number) = corpus.catalogue.find(file.id).filter(|_| is_among) {
                allowed[number as usize] = true;
            }
        }
        Ok(Some(allowed))
    }

    /// The chunks that define what the query names, with a confidence each.
    fn exact_chunks(
        &self,
        corpus: &Corpus,
        analysis: &Analysis,
        allows: &dyn Fn(u32) -> bool,
    ) -> Result<BTreeMap<u32, f32>, EngineError> {
        let mut chunks = BTreeMap::new();
        for (symbol, confidence) in self.exact_names(analysis)? {
            // The chunk with the first line of the symbol contains its header.
            let Some(chunk) = self.chunk_at(corpus, symbol.file, symbol.first_line)? else { continue };
            if allows(chunk) {
                let known = chunks.entry(chunk).or_insert(confidence);
                *known = f32::max(*known, confidence);
            }
        }
        Ok(chunks)
    }
}

/// The scores of all chunks by channel.
struct ChannelScores<'s> {
    words: &'s Bm25,
    exact: &'s BTreeMap<u32, f32>,
    mentions: &'s Mentions,
    near: &'s dyn Fn(u32) -> f32,
}

/// Retrieved candidates, before ranking.
pub struct RetrievedCandidates {
    /// How the query was analysed.
    pub analysis: Analysis,
    /// The candidates with everything that ranking uses.
    pub pool: Pool,
    files: Vec<Arc<CachedFile>>,
    loaded_chunks: Vec<LoadedChunk>,
    replaced: Vec<(String, Vec<String>)>,
    matching_chunks: usize,
    without_vector: u64,
    by_remote: bool,
}

/// Ranks candidates and makes the hits; and whether there are more. A chunk that is no hit is replaced by the next one.
pub(super) fn ranked_hits<H>(
    query: &SearchQuery,
    analysis: &Analysis,
    pool: &Pool,
    hit: impl Fn(RankedChunk) -> Result<Option<H>, EngineError>,
) -> Result<(Vec<H>, bool), EngineError> {
    let mut limits = query.limits();
    loop {
        let ranked = rank(analysis, pool, &query.weights, query.enabled_rules, limits);
        let more = has_more(&ranked, pool);
        let mut hits = Vec::with_capacity(ranked.len());
        for chunk in ranked {
            hits.extend(hit(chunk)?);
        }
        let missing = query.limit.saturating_sub(hits.len());
        if missing == 0 || !more {
            return Ok((hits, more));
        }
        limits.hits += missing;
    }
}

impl RetrievedCandidates {
    /// The results without hits.
    pub(super) fn results(&self, confident: bool, more: bool) -> SearchResults {
        SearchResults {
            hits: Vec::new(),
            analysis: self.analysis.clone(),
            replaced: self.replaced.clone(),
            confident,
            matching_chunks: self.matching_chunks,
            more,
            without_vector: self.without_vector,
            by_remote: self.by_remote,
        }
    }
}

/// The vector of a query. The body of a report counts a share of the title, however long it is.
fn query_vector(analysis: &Analysis, body_share: f32) -> Vector {
    let title = BuiltIn::shared().embed_text(analysis.english());
    if analysis.english_body().is_empty() {
        return combine(&[(&title, 1.0)]);
    }
    let body = BuiltIn::shared().embed_text(analysis.english_body());
    let length = |sum: &TextEmbedding| {
        let square: f32 = sum.values().iter().map(|value| f32::from(*value).powi(2)).sum();
        (square.sqrt() * sum.scale()).max(f32::MIN_POSITIVE)
    };
    combine(&[(&title, 1.0 / length(&title)), (&body, body_share / length(&body))])
}

/// The nearest allowed chunks, nearest first.
fn nearest_of(near: &[f32], count: usize, allows: impl Fn(u32) -> bool) -> Vec<u32> {
    let allowed = |(chunk, near): &(u32, f32)| *near > 0.0 && allows(*chunk);
    let (chunks, _) = best((0..).zip(near.iter().copied()).filter(allowed), count);
    chunks.into_iter().map(|one| one.0).collect()
}
