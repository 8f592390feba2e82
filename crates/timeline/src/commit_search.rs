//! Search for commits by words and by meaning: BM25 over messages, BM25 over changed lines, and the similarity of vectors are
//! lists of their own, which are fused.

use crate::commit_terms::{CommitDocument, CommitEmbeddings};
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

/// Saturation of BM25.
const SATURATION: f32 = 1.2;
/// Length normalisation in messages, and in diffs: those differ more in length, and a long one has every word.
const MESSAGE_LENGTH: f32 = 0.4;
const DIFF_LENGTH: f32 = 0.8;
/// Reciprocal rank fusion: the first of a list counts 1 / (RANK + 1).
const RANK: f32 = 12.0;
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

/// The weights of the lists that are fused.
struct ListWeights {
    message_words: f32,
    diff_words: f32,
    message_meaning: f32,
    diff_meaning: f32,
    /// Of the vector of message and diff together.
    meaning: f32,
}

impl ListWeights {
    /// Measured on questions about other commits than those that the figures are of.
    fn of(kind: TextKind) -> Self {
        let none = Self {
            message_words: 0.0,
            diff_words: 0.0,
            message_meaning: 0.0,
            diff_meaning: 0.0,
            meaning: 0.0,
        };
        match kind {
            TextKind::Any => {
                Self { message_words: 0.5, diff_words: 1.0, diff_meaning: 0.5, meaning: 1.0, ..none }
            }
            TextKind::Message => Self { message_words: 1.0, message_meaning: 0.8, ..none },
            TextKind::Diff => Self { diff_words: 1.0, diff_meaning: 0.8, ..none },
        }
    }
}

/// Scores and the commits that have them.
type Scores = Vec<(f32, usize)>;

/// The words of the question in one text of each commit.
struct WordList {
    /// Per commit: the number of the term in the question and its frequency.
    matched: Vec<Vec<(usize, f32)>>,
    lengths: Vec<f32>,
    /// Number of commits that have each term.
    documents: Vec<usize>,
    /// Length normalisation.
    normalisation: f32,
}

impl WordList {
    fn new(terms: usize, normalisation: f32) -> Self {
        Self { matched: Vec::new(), lengths: Vec::new(), documents: vec![0; terms], normalisation }
    }

    /// Adds a commit by the frequency of each of its terms.
    fn add(&mut self, found: &[CommitTerm], terms: &[(u32, f32)], frequency: impl Fn(&CommitTerm) -> f32) {
        let mut matched = Vec::new();
        for (at, (wanted, _)) in terms.iter().enumerate() {
            let Ok(place) = found.binary_search_by_key(wanted, |term| term.term) else { continue };
            let frequency = frequency(&found[place]);
            if frequency > 0.0 {
                matched.push((at, frequency));
                self.documents[at] += 1;
            }
        }
        self.matched.push(matched);
        self.lengths.push(found.iter().map(frequency).sum());
    }

    /// The weight of each term of the question: rare terms count more.
    fn weights(&self, terms: &[(u32, f32)]) -> Vec<f32> {
        let all = as_f32(self.matched.len());
        let rarity = |held: usize| (1.0 + (all - as_f32(held) + 0.5) / (as_f32(held) + 0.5)).ln();
        terms.iter().zip(&self.documents).map(|((_, weight), held)| weight * rarity(*held)).collect()
    }

    /// The BM25 score of each commit that has a term.
    fn scores(&self, terms: &[(u32, f32)]) -> Scores {
        let weights = self.weights(terms);
        let mean = self.lengths.iter().sum::<f32>() / as_f32(self.lengths.len().max(1));
        let score = |(matched, length): (&Vec<(usize, f32)>, &f32)| -> f32 {
            let relative = length / mean.max(1.0);
            let norm = SATURATION * (1.0 - self.normalisation + self.normalisation * relative);
            let of_term = |(at, frequency): &(usize, f32)| {
                weights[*at] * frequency * (SATURATION + 1.0) / (frequency + norm)
            };
            matched.iter().map(of_term).sum()
        };
        let scores = self.matched.iter().zip(&self.lengths).map(score);
        scores.enumerate().map(|(at, score)| (score, at)).filter(|(score, _)| *score > 0.0).collect()
    }
}

/// All searched commits.
struct Corpus {
    ids: Vec<Oid>,
    message_words: WordList,
    diff_words: WordList,
    message_meaning: FlatIndex,
    diff_meaning: FlatIndex,
    meaning: FlatIndex,
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
    let asked = BuiltIn::shared().embed_text(analysis.english());
    let mut corpus = Corpus::new(terms.len(), asked.dimension());
    corpus.read_index(index, &terms, allowed.as_ref());
    if allowed.is_none() {
        corpus.read_messages(index, history, start, &terms)?;
    }
    let order = corpus.ranked(&terms, &combine(&[(&asked, 1.0)]), &ListWeights::of(query.kind));
    let weights: BTreeMap<u32, f32> =
        terms.iter().map(|(term, _)| *term).zip(corpus.diff_words.weights(&terms)).collect();
    let mut hits = Vec::new();
    for (score, at) in order {
        if hits.len() >= query.limit {
            break;
        }
        // A commit of the index may be gone from the repository since.
        let Ok(commit) = history.commit(&corpus.ids[at]) else { continue };
        if passes(&commit) {
            let hunk = match best_hunk(history, &commit, &weights, query) {
                // The words of the commit are known, its text is not.
                Err(error) if error.is_missing_object() => None,
                hunk => hunk?,
            };
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
    fn new(terms: usize, dimension: usize) -> Self {
        Self {
            ids: Vec::new(),
            message_words: WordList::new(terms, MESSAGE_LENGTH),
            diff_words: WordList::new(terms, DIFF_LENGTH),
            message_meaning: FlatIndex::new(dimension),
            diff_meaning: FlatIndex::new(dimension),
            meaning: FlatIndex::new(dimension),
        }
    }

    fn read_index(
        &mut self,
        index: &mut HistoryIndex,
        terms: &[(u32, f32)],
        allowed: Option<&BTreeSet<u32>>,
    ) {
        let HistoryIndex { cache, graph, .. } = index;
        cache.each_history_text(|text| {
            let id =
                graph.commit(text.commit).filter(|commit| !commit.is_gone).and_then(|commit| oid(&commit.id));
            let id = id.filter(|_| allowed.is_none_or(|allowed| allowed.contains(&text.commit)));
            let (Some(id), Some(embeddings)) = (id, CommitEmbeddings::from_bytes(text.vectors)) else {
                return;
            };
            let mut found = Vec::new();
            text.terms(|term| found.push(term));
            self.add(id, &found, &embeddings, terms);
        });
    }

    /// Adds the commits that the index does not have, by their message.
    fn read_messages(
        &mut self,
        index: &mut HistoryIndex,
        history: &mut History,
        start: Oid,
        terms: &[(u32, f32)],
    ) -> Result<(), HistoryError> {
        let is_indexed: BTreeSet<Oid> = self.ids.iter().copied().collect();
        if index.coverage().is_complete() && is_indexed.contains(&start) {
            return Ok(());
        }
        let mut count = 0;
        history.walk(&[start], &BTreeSet::new(), &mut |history, id, ()| {
            if !is_indexed.contains(&id) {
                let message = history.recorded_commit(&id)?.message;
                let document = CommitDocument { message, ..CommitDocument::default() };
                self.add(id, &document.terms(), &document.embeddings(), terms);
            }
            count += 1;
            Ok(if count < MAX_UNINDEXED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        })
    }

    fn add(&mut self, id: Oid, found: &[CommitTerm], embeddings: &CommitEmbeddings, terms: &[(u32, f32)]) {
        self.ids.push(id);
        self.message_words.add(found, terms, |term| f32::from(term.in_message));
        self.diff_words.add(found, terms, |term| f32::from(term.in_diff).sqrt());
        let CommitEmbeddings { message, diff } = embeddings;
        self.message_meaning.push(combine(&[(message, 1.0)]).values());
        self.diff_meaning.push(combine(&[(diff, 1.0)]).values());
        self.meaning.push(combine(&[(message, 1.0), (diff, 1.0)]).values());
    }

    /// The commits by score: reciprocal rank fusion of the lists.
    fn ranked(&self, terms: &[(u32, f32)], query: &Vector, weights: &ListWeights) -> Scores {
        let by_meaning = |index: &FlatIndex| -> Scores {
            let products = index.dot_products(query).into_iter().enumerate();
            #[expect(clippy::cast_precision_loss, reason = "only their order counts")]
            products.map(|(at, product)| (product as f32, at)).collect()
        };
        let lists: [(f32, &dyn Fn() -> Scores); 5] = [
            (weights.message_words, &|| self.message_words.scores(terms)),
            (weights.diff_words, &|| self.diff_words.scores(terms)),
            (weights.message_meaning, &|| by_meaning(&self.message_meaning)),
            (weights.diff_meaning, &|| by_meaning(&self.diff_meaning)),
            (weights.meaning, &|| by_meaning(&self.meaning)),
        ];
        let mut fused: BTreeMap<usize, f32> = BTreeMap::new();
        for (weight, scored) in lists.into_iter().filter(|(weight, _)| *weight > 0.0) {
            let mut list = scored();
            list.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (rank, (_, at)) in list.iter().take(FUSED).enumerate() {
                *fused.entry(*at).or_default() += weight / (RANK + 1.0 + as_f32(rank));
            }
        }
        let mut order: Scores = fused.into_iter().map(|(at, score)| (score, at)).collect();
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
    let changes = match history.changed_paths(&commit.id) {
        // The commit is found by its message, and the index says that its files are not known.
        Err(error) if error.is_too_large() => return Ok(None),
        changes => changes?,
    };
    let wanted: Vec<_> = changes
        .into_iter()
        .filter(|change| is_wanted(history, &change.path, query))
        .take(MAX_FILES)
        .collect();
    for change in wanted {
        let most = MAX_FILE as u64;
        if history.size(change.old)? > most || history.size(change.new)? > most {
            continue;
        }
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
