//! Search for commits by words and by meaning: BM25 over messages and changed lines, fused with the similarity of vectors.

use crate::commit_terms::CommitDocument;
use crate::history_index::{HistoryIndex, oid};
use orient_embed::{BuiltIn, FlatIndex, Vector, combine};
use orient_engine::{FileVersion, analyse};
use orient_history::{Commit, History, HistoryError, Hunk, Oid, hunks, is_binary, lines};
use orient_model::RepoPath;
use orient_store::CommitTerm;
use orient_text::{for_each_term, term_hash};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Saturation and length normalisation of BM25.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.4;
/// What an occurrence in the message counts relative to one in the changed lines.
const MESSAGE_WEIGHT: f32 = 2.0;
/// Reciprocal rank fusion: the first of a list counts 1 / (RANK + 1).
const RANK: f32 = 12.0;
/// The weight of the vectors relative to the words.
const MEANING: f32 = 0.8;
/// Number of commits of each list that are fused.
const FUSED: usize = 200;
/// Commits that are not indexed are searched by their message, as many as this.
const MAX_UNINDEXED: usize = 20_000;
/// Maximum size of a file that is searched for the hunk that answers.
const MAX_FILE: usize = 1 << 20;
/// Maximum number of files of a commit that are.
const MAX_FILES: usize = 60;

/// Which words count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextKind {
    /// Those of messages and changed lines.
    #[default]
    Any,
    /// Those of messages.
    Message,
    /// Those of changed lines, paths and symbols.
    Diff,
}

/// A search for commits.
pub struct CommitQuery<'q> {
    /// The question.
    pub text: &'q str,
    /// Which words count.
    pub kind: TextKind,
    /// Only commits that changed a file below this path.
    pub below: Option<&'q RepoPath>,
    /// Only commits that changed a file of this language.
    pub language: Option<&'q str>,
    /// Maximum number of hits.
    pub limit: usize,
}

/// A commit that answers, with the hunk that answers best.
pub struct CommitHit {
    /// The commit, with names as `.mailmap` gives them.
    pub commit: Commit,
    /// How well it answers; comparable within one search.
    pub score: f32,
    /// The changed lines that have most of the words.
    pub hunk: Option<HunkHit>,
}

/// Changed lines of a file.
pub struct HunkHit {
    /// The file.
    pub path: RepoPath,
    /// The content before and after.
    pub contents: (Arc<Vec<u8>>, Arc<Vec<u8>>),
    /// The lines.
    pub hunk: Hunk,
}

/// A commit that has words of the question.
struct Candidate {
    id: Oid,
    matched: Vec<(usize, f32)>,
    length: usize,
}

/// All searched commits.
#[derive(Default)]
struct Corpus {
    candidates: Vec<Candidate>,
    vectors: Option<FlatIndex>,
    documents: Vec<usize>,
    terms: u64,
}

/// Searches the commits of the index, and by their message those that are not indexed. `passes` selects commits.
pub fn search_commits(
    index: &mut HistoryIndex,
    history: &mut History,
    start: Oid,
    query: &CommitQuery<'_>,
    passes: &dyn Fn(&Commit) -> bool,
) -> Result<Vec<CommitHit>, HistoryError> {
    let analysis = analyse(query.text);
    let terms = analysis.terms.iter().chain(&analysis.related);
    let terms: Vec<(u32, f32)> = terms.map(|term| (term.number, term.weight)).collect();
    let allowed = changed_below(index, history, query);
    let mut corpus = Corpus { documents: vec![0; terms.len()], ..Corpus::default() };
    corpus.read_index(index, &terms, query.kind, allowed.as_ref());
    if allowed.is_none() {
        corpus.read_messages(index, history, start, &terms, query.kind)?;
    }
    let model = BuiltIn::shared();
    let vector = combine(&[(&model.embed_text(analysis.english()), 1.0)]);
    let order = corpus.ranked(&terms, &vector);
    let mut hits = Vec::new();
    for (score, at) in order {
        if hits.len() >= query.limit {
            break;
        }
        // A commit of the index may be gone from the repository since.
        let Ok(commit) = history.commit(&corpus.candidates[at].id) else { continue };
        if passes(&commit) {
            let weights = corpus.weights(&terms);
            let hunk = best_hunk(history, &commit, &weights, query)?;
            hits.push(CommitHit { commit, score, hunk });
        }
    }
    Ok(hits)
}

/// The commits of the index that changed a file that the query asks for. `None` if it asks for none.
fn changed_below(
    index: &mut HistoryIndex,
    history: &History,
    query: &CommitQuery<'_>,
) -> Option<BTreeSet<u32>> {
    if query.below.is_none() && query.language.is_none() {
        return None;
    }
    let paths: HashMap<u32, bool> = index
        .cache
        .history_paths()
        .into_iter()
        .map(|(id, path)| (id, is_wanted(history, &path, query)))
        .collect();
    let changes = index.cache.history_changes();
    Some(changes.iter().filter(|row| paths.get(&row.path) == Some(&true)).map(|row| row.commit).collect())
}

fn is_wanted(history: &History, path: &[u8], query: &CommitQuery<'_>) -> bool {
    let shown = history.shown(path);
    query.below.is_none_or(|below| shown.is_below(below))
        && query.language.is_none_or(|language| FileVersion::language(&shown) == Some(language))
}

impl Corpus {
    fn read_index(
        &mut self,
        index: &mut HistoryIndex,
        terms: &[(u32, f32)],
        kind: TextKind,
        allowed: Option<&BTreeSet<u32>>,
    ) {
        let HistoryIndex { cache, graph, .. } = index;
        cache.each_history_text(|text| {
            let id =
                graph.commit(text.commit).filter(|commit| !commit.is_gone).and_then(|commit| oid(&commit.id));
            let Some(id) = id.filter(|_| allowed.is_none_or(|allowed| allowed.contains(&text.commit))) else {
                return;
            };
            let mut found = Vec::new();
            text.terms(|term| found.push(term));
            self.add(id, &found, text.vector, terms, kind);
        });
    }

    /// Adds the commits that the index does not have, by their message.
    fn read_messages(
        &mut self,
        index: &mut HistoryIndex,
        history: &mut History,
        start: Oid,
        terms: &[(u32, f32)],
        kind: TextKind,
    ) -> Result<(), HistoryError> {
        let is_indexed: BTreeSet<Oid> = self.candidates.iter().map(|candidate| candidate.id).collect();
        if index.coverage().is_complete() && is_indexed.contains(&start) {
            return Ok(());
        }
        let mut count = 0;
        history.walk(&[start], &BTreeSet::new(), &mut |history, id, ()| {
            if !is_indexed.contains(&id) {
                let message = history.recorded_commit(&id)?.message;
                let document = CommitDocument { message, ..CommitDocument::default() };
                self.add(id, &document.terms(), &document.vector(), terms, kind);
            }
            count += 1;
            Ok(if count < MAX_UNINDEXED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })
    }

    fn add(&mut self, id: Oid, found: &[CommitTerm], vector: &[u8], terms: &[(u32, f32)], kind: TextKind) {
        let mut matched = Vec::new();
        for (at, (wanted, _)) in terms.iter().enumerate() {
            let Ok(place) = found.binary_search_by_key(wanted, |term| term.term) else { continue };
            let in_message = MESSAGE_WEIGHT * f32::from(found[place].in_message);
            let in_diff = f32::from(found[place].in_diff).sqrt();
            let frequency = match kind {
                TextKind::Any => in_message + in_diff,
                TextKind::Message => in_message,
                TextKind::Diff => in_diff,
            };
            if frequency > 0.0 {
                matched.push((at, frequency));
                self.documents[at] += 1;
            }
        }
        self.terms += found.len() as u64;
        self.candidates.push(Candidate { id, matched, length: found.len() });
        let values: Vec<i8> = vector.iter().map(|value| value.cast_signed()).collect();
        self.vectors.get_or_insert_with(|| FlatIndex::new(values.len())).push(&values);
    }

    /// The weight of each term of the question: rare terms count more.
    fn weights(&self, terms: &[(u32, f32)]) -> BTreeMap<u32, f32> {
        let all = as_f32(self.candidates.len());
        let rarity = |held: usize| (1.0 + (all - as_f32(held) + 0.5) / (as_f32(held) + 0.5)).ln();
        terms
            .iter()
            .zip(&self.documents)
            .map(|((term, weight), held)| (*term, weight * rarity(*held)))
            .collect()
    }

    /// The candidates by score: reciprocal rank fusion of words and meaning.
    fn ranked(&self, terms: &[(u32, f32)], query: &Vector) -> Vec<(f32, usize)> {
        let weights = self.weights(terms);
        let mean = (as_f32(self.terms as usize) / as_f32(self.candidates.len().max(1))).max(1.0);
        let by_words = |candidate: &Candidate| -> f32 {
            let norm = SATURATION * (1.0 - LENGTH + LENGTH * as_f32(candidate.length) / mean);
            let score = |(at, frequency): &(usize, f32)| {
                let weight = weights.get(&terms[*at].0).copied().unwrap_or_default();
                weight * frequency * (SATURATION + 1.0) / (frequency + norm)
            };
            candidate.matched.iter().map(score).sum()
        };
        let mut words: Vec<(f32, usize)> = self
            .candidates
            .iter()
            .enumerate()
            .map(|(at, candidate)| (by_words(candidate), at))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        let products = self.vectors.as_ref().map(|index| index.dot_products(query)).unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "only their order counts")]
        let mut meaning: Vec<(f32, usize)> =
            products.iter().enumerate().map(|(at, product)| (*product as f32, at)).collect();
        let mut fused: BTreeMap<usize, f32> = BTreeMap::new();
        for (list, weight) in [(&mut words, 1.0), (&mut meaning, MEANING)] {
            list.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (rank, (_, at)) in list.iter().take(FUSED).enumerate() {
                *fused.entry(*at).or_default() += weight / (RANK + 1.0 + as_f32(rank));
            }
        }
        let mut order: Vec<(f32, usize)> = fused.into_iter().map(|(at, score)| (score, at)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order
    }
}

/// The hunk of a commit with the greatest weight of the question's terms.
fn best_hunk(
    history: &mut History,
    commit: &Commit,
    weights: &BTreeMap<u32, f32>,
    query: &CommitQuery<'_>,
) -> Result<Option<HunkHit>, HistoryError> {
    if commit.is_merge() {
        return Ok(None);
    }
    let mut best: Option<(f32, HunkHit)> = None;
    let weight = |texts: &[&[u8]]| {
        let mut seen = BTreeSet::new();
        for text in texts {
            for_each_term(text, |term, _| {
                seen.insert(term_hash(term));
            });
        }
        seen.iter().filter_map(|term| weights.get(term)).sum::<f32>()
    };
    let changes = history.changed_paths(&commit.id)?;
    let wanted: Vec<_> = changes
        .into_iter()
        .filter(|change| is_wanted(history, &change.path, query))
        .take(MAX_FILES)
        .collect();
    for change in wanted {
        let (before, after) = (history.content(change.old)?, history.content(change.new)?);
        let is_text = |content: &[u8]| content.len() <= MAX_FILE && !is_binary(content);
        if !is_text(&before) || !is_text(&after) {
            continue;
        }
        let of_path = 0.3 * weight(&[&change.path]);
        let (old, new) = (lines(&before), lines(&after));
        for hunk in hunks(&before, &after) {
            let range = |range: &std::ops::Range<u32>| range.start as usize..range.end as usize;
            let mut texts: Vec<&[u8]> = new[range(&hunk.after)].to_vec();
            texts.extend_from_slice(&old[range(&hunk.before)]);
            let score = of_path + weight(&texts);
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                let path = history.shown(&change.path);
                let contents = (Arc::clone(&before), Arc::clone(&after));
                best = Some((score, HunkHit { path, contents, hunk }));
            }
        }
    }
    Ok(best.map(|(_, hit)| hit))
}

#[expect(clippy::cast_precision_loss, reason = "counts are compared and divided, never added up")]
fn as_f32(count: usize) -> f32 {
    count as f32
}
