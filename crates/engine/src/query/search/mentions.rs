//! What a query mentions: files by path, lines of files, symbols by name, and messages by their text.
//!
//! A path is looked up by its end, so that paths from another machine and frames of a stack trace are found: of
//! `/home/me/app/src/net/server.go:42`, the file `src/net/server.go` and its chunk with line 42.

use super::channels::{prior_by_kind, role_factor};
use super::corpus::Corpus;
use crate::{EngineError, Snapshot};
use orient_model::Handle;
use orient_rank::{Analysis, Bm25, Form};
use orient_store::{FileId, NameMatch, SymbolQuery, SymbolRow};
use std::collections::BTreeMap;

/// A name or path that more symbols or files have says little.
const MAX_NAMESAKES: usize = 8;
/// Maximum number of names that are looked up.
const MAX_NAMES: usize = 24;
/// Confidence in a file of which only the name is mentioned, in another directory.
const ELSEWHERE: f32 = 0.3;
/// Each further frame of a trace counts this share of the one before.
const FRAME_DECAY: f32 = 0.8;
/// Maximum number of chunks of a mentioned file that become candidates.
const CHUNKS_PER_FILE: usize = 4;
/// Confidence in a word that is only capitalised, in a qualified name whose qualifier is another, and in names after the title.
const CAPITALISED: f32 = 0.5;
const OTHER_QUALIFIER: f32 = 0.5;
const IN_BODY: f32 = 0.7;

/// The chunks and files that a query mentions, each with a confidence from 0 to 1.
#[derive(Default)]
pub(super) struct Mentions {
    /// Lines, by chunk.
    pub(super) lines: BTreeMap<u32, f32>,
    /// Messages, by chunk.
    pub(super) messages: BTreeMap<u32, f32>,
    /// Definitions, by chunk.
    pub(super) names: BTreeMap<u32, f32>,
    /// Files, by catalogue number.
    pub(super) files: BTreeMap<u32, f32>,
    /// Chunks that represent the mentioned files among the candidates.
    pub(super) of_files: Vec<u32>,
}

impl Mentions {
    /// All chunks that must be candidates.
    pub(super) fn chunks(&self) -> impl Iterator<Item = u32> + '_ {
        let keys = self.lines.keys().chain(self.messages.keys()).chain(self.names.keys());
        keys.chain(&self.of_files).copied()
    }
}

/// Keeps the highest confidence.
fn raise(known: &mut BTreeMap<u32, f32>, key: u32, confidence: f32) {
    let value = known.entry(key).or_insert(confidence);
    *value = value.max(confidence);
}

impl Snapshot {
    /// Looks up what a query mentions.
    pub(super) fn mentions(
        &self,
        corpus: &Corpus,
        analysis: &Analysis,
        words: &Bm25,
        allows: &dyn Fn(u32) -> bool,
    ) -> Result<Mentions, EngineError> {
        let mut mentions = Mentions::default();
        if analysis.form == Form::Name {
            return Ok(mentions);
        }
        self.add_paths(corpus, analysis, &mut mentions)?;
        self.add_names(corpus, analysis, &mut mentions)?;
        for (chunk, confidence) in self.message_places(corpus, &analysis.messages)? {
            raise(&mut mentions.messages, chunk, confidence);
        }
        for &file in mentions.files.keys() {
            let file = corpus.catalogue.file(file);
            let mut chunks: Vec<u32> = (file.first..file.first + file.count).collect();
            let score = |chunk: &u32| words.chunks[*chunk as usize].score;
            chunks.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
            mentions.of_files.extend(chunks.into_iter().take(CHUNKS_PER_FILE));
        }
        mentions.lines.retain(|chunk, _| allows(*chunk));
        mentions.messages.retain(|chunk, _| allows(*chunk));
        mentions.names.retain(|chunk, _| allows(*chunk));
        mentions.of_files.retain(|chunk| allows(*chunk));
        Ok(mentions)
    }

    fn add_paths(
        &self,
        corpus: &Corpus,
        analysis: &Analysis,
        mentions: &mut Mentions,
    ) -> Result<(), EngineError> {
        let mut frames: BTreeMap<usize, i32> = BTreeMap::new();
        for mention in &analysis.paths {
            let files = self.files_at(corpus, &mention.path)?;
            let Some(&(_, confidence)) = files.first() else { continue };
            let depth = frames.entry(mention.block).or_insert(0);
            let decay = if mention.line.is_some() { FRAME_DECAY.powi(*depth) } else { 1.0 };
            *depth += i32::from(mention.line.is_some());
            for &(file, _) in &files {
                if let Some(number) = corpus.catalogue.find(file) {
                    raise(&mut mentions.files, number, confidence * decay);
                }
                if let Some(line) = mention.line
                    && let Some(chunk) = self.chunk_at(corpus, file, line)?
                {
                    raise(&mut mentions.lines, chunk, confidence * decay);
                }
            }
        }
        Ok(())
    }

    /// The files whose paths share the longest end with a path, and the confidence in each of them.
    fn files_at(&self, corpus: &Corpus, path: &str) -> Result<Vec<(FileId, f32)>, EngineError> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        let Some(name) = parts.last() else { return Ok(Vec::new()) };
        let mut found: Vec<(FileId, usize, bool)> = Vec::new();
        for file in self.store.reader().files_ending_with(name.as_bytes())? {
            let Some(row) = self.cached_file(corpus, file)? else { continue };
            let own = row.path.display().into_owned();
            let shared = own.rsplit('/').zip(parts.iter().rev()).take_while(|(a, b)| a == *b).count();
            let is_whole = shared == parts.len() || shared == own.split('/').count();
            found.push((file, shared, is_whole || shared > 1));
        }
        let most = found.iter().map(|one| one.1).max().unwrap_or(0);
        found.retain(|one| one.1 == most);
        if found.len() > MAX_NAMESAKES {
            return Ok(Vec::new());
        }
        let share = 1.0 / number(found.len().max(1));
        let confidence = |is_sure: bool| if is_sure { share } else { share * ELSEWHERE };
        Ok(found.into_iter().map(|(file, _, is_sure)| (file, confidence(is_sure))).collect())
    }

    fn add_names(
        &self,
        corpus: &Corpus,
        analysis: &Analysis,
        mentions: &mut Mentions,
    ) -> Result<(), EngineError> {
        for name in analysis.names.iter().take(MAX_NAMES) {
            let is_word = name.chars().skip(1).all(char::is_lowercase);
            let is_in_title = analysis.text.contains(name.as_str());
            let factor = if is_word { CAPITALISED } else { 1.0 } * if is_in_title { 1.0 } else { IN_BODY };
            for (symbol, confidence) in self.symbols_named(name)? {
                let Some(chunk) = self.chunk_at(corpus, symbol.file, symbol.first_line)? else { continue };
                let Some(file) = self.cached_file(corpus, symbol.file)? else { continue };
                raise(&mut mentions.names, chunk, confidence * factor * role_factor(file.role));
            }
        }
        Ok(())
    }

    /// The symbols that a name may mean, with a confidence each; none if there are too many.
    fn symbols_named(&self, name: &str) -> Result<Vec<(SymbolRow, f32)>, EngineError> {
        let names = Handle::split(name);
        let Some(own) = names.last().filter(|own| own.len() > 2) else { return Ok(Vec::new()) };
        let query = SymbolQuery { name: NameMatch::Exact(own.clone()), ..SymbolQuery::default() };
        let page = self.store.symbols(&query, 0, MAX_NAMESAKES + 1)?;
        let mut rows: Vec<SymbolRow> = page.rows.into_iter().map(|found| found.symbol).collect();
        if rows.len() > MAX_NAMESAKES && names.len() == 1 {
            return Ok(Vec::new());
        }
        let mut factor = 1.0;
        if names.len() > 1 {
            let mut qualified = Vec::new();
            for row in &rows {
                let definitions = self.define([row.clone()])?;
                if definitions.iter().any(|one| one.handle.names.ends_with(&names[names.len() - 2..])) {
                    qualified.push(row.clone());
                }
            }
            if qualified.is_empty() {
                factor = OTHER_QUALIFIER;
            } else {
                rows = qualified;
            }
        }
        if rows.len() > MAX_NAMESAKES {
            return Ok(Vec::new());
        }
        let share = factor / number(rows.len().max(1)).sqrt();
        let confidence = |row: &SymbolRow| share * prior_by_kind(row.kind, row.parent.is_some());
        Ok(rows.iter().map(|row| (row.clone(), confidence(row))).collect())
    }

    /// The chunk of a file that contains a line, or the next one after it.
    pub(super) fn chunk_at(
        &self,
        corpus: &Corpus,
        file: FileId,
        line: u32,
    ) -> Result<Option<u32>, EngineError> {
        let Some((first, _)) = corpus.chunks_of(file) else { return Ok(None) };
        let Some(cached) = self.cached_file(corpus, file)? else { return Ok(None) };
        // Chunks are in source order, so search by bisection for the first that reaches the line.
        let (mut low, mut high) = (0, cached.ids.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.store.chunk(cached.ids[middle])? {
                Some(chunk) if chunk.last_line >= line => high = middle,
                _ => low = middle + 1,
            }
        }
        Ok((low < cached.ids.len()).then_some(first + low as u32))
    }
}
/// A count of at most [`MAX_NAMESAKES`] as a number.
#[expect(clippy::cast_precision_loss, reason = "a handful")]
fn number(count: usize) -> f32 {
    count as f32
}
