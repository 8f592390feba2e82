//! Embedding jobs: the texts that a remote model has not embedded yet, and storing their vectors.

use super::chunk_texts::{hash_of, key_of};
use crate::clock::today;
use crate::{Engine, EngineError};
use orient_embed::{TextEmbedding, combine};
use orient_model::ContentHash;
use orient_store::{Cache, CacheState, EmbedModel, FileRow, WriteLock};

use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;

/// Number of files read at a time.
const FILES: usize = 64;
/// The directory beside the cache whose lock marks the embedding process.
const TURN: &str = "embedding";

/// The exclusive right to embed for a repository, so that nothing is paid for twice.
pub struct EmbeddingLock {
    _lock: WriteLock,
}

/// The chunks that a model has not embedded yet, for one run.
pub struct EmbeddingJob<'e> {
    engine: &'e Engine,
    model: EmbedModel,
    files: Vec<FileRow>,
    texts: u64,
    bytes: u64,
    state: RefCell<JobState>,
    _turn: EmbeddingLock,
}

struct JobState {
    cache: Cache,
    /// Texts that the model has embedded, or was given in this run.
    known: HashSet<ContentHash>,
    /// Why no more texts come.
    fault: Option<EngineError>,
}

impl Engine {
    /// Takes the right to embed; `None` if another process has it. Take it before sending any request.
    pub fn embedding_turn(&self) -> Result<Option<EmbeddingLock>, EngineError> {
        Ok(WriteLock::try_acquire(&self.embedding_directory())?.map(|lock| EmbeddingLock { _lock: lock }))
    }

    /// What a model must embed of the current generation. `source` and `wanted` come from the settings, `name` and
    /// `dimension` from the model.
    pub fn embedding(
        &self,
        turn: EmbeddingLock,
        source: &str,
        wanted: usize,
        name: &str,
        dimension: usize,
    ) -> Result<EmbeddingJob<'_>, EngineError> {
        let mut cache = Cache::open(&self.paths.cache());
        let model = cache.put_embed_model(source, wanted, name, dimension);
        let model = model.ok_or_else(|| unkept(self, &cache))?;
        let known = cache.embedded(model.id);
        let (mut files, mut texts, mut bytes) = (Vec::new(), 0, 0);
        self.snapshot()?.store.each_file(|file| {
            let Some(key) = key_of(&file) else { return };
            let missing = match cache.embed_texts(&key) {
                Some(own) => own.iter().filter(|text| !known.contains(text)).count() as u64,
                None => u64::from(file.chunks),
            };
            if missing > 0 {
                texts += missing;
                bytes += file.bytes * missing / u64::from(file.chunks);
                files.push(file);
            }
        })?;
        let state = RefCell::new(JobState { cache, known, fault: None });
        Ok(EmbeddingJob { engine: self, model, files, texts, bytes, state, _turn: turn })
    }

    /// The process that is embedding for this repository, or was the last to.
    pub fn embedding_by(&self) -> Option<u32> {
        WriteLock::holder(&self.embedding_directory())
    }

    fn embedding_directory(&self) -> PathBuf {
        self.paths.repository.join(TURN)
    }
}

impl EmbeddingJob<'_> {
    /// Maximum number of texts to embed, and their approximate bytes.
    pub fn amount(&self) -> (u64, u64) {
        (self.texts, self.bytes)
    }

    /// The texts, each once, with their hashes. Files are read on demand; files that changed meanwhile are skipped.
    pub fn texts(&self) -> impl Iterator<Item = (ContentHash, String)> {
        let (mut groups, mut ready) = (self.files.chunks(FILES), VecDeque::new());
        std::iter::from_fn(move || {
            while ready.is_empty() {
                ready = match self.read(groups.next()?) {
                    Ok(texts) => texts,
                    Err(error) => {
                        self.state.borrow_mut().fault = Some(error);
                        return None;
                    }
                };
            }
            ready.pop_front()
        })
    }

    fn read(&self, files: &[FileRow]) -> Result<VecDeque<(ContentHash, String)>, EngineError> {
        // One snapshot per batch, so that index writers do not wait for the network.
        let snapshot = self.engine.snapshot()?;
        let tree = snapshot.tree.open()?;
        let state = &mut *self.state.borrow_mut();
        let (mut ready, mut noted) = (VecDeque::new(), Vec::new());
        for file in files {
            let now = snapshot.store.file(&file.path)?;
            let Some(now) = now.filter(|now| now.hash == file.hash) else { continue };
            let (Some(key), Some(texts)) = (key_of(&now), snapshot.texts_of(&*tree, &now)?) else { continue };
            let hashes: Vec<ContentHash> = texts.iter().map(|text| hash_of(text)).collect();
            let fresh = hashes.iter().copied().zip(texts).filter(|(hash, _)| state.known.insert(*hash));
            ready.extend(fresh);
            noted.push((key, hashes));
        }
        state.cache.put_embed_texts(&noted, today());
        Ok(ready)
    }

    /// Stores vectors durably.
    pub fn keep(&self, sums: &[(ContentHash, TextEmbedding)]) -> Result<(), EngineError> {
        let bytes =
            |sum: &TextEmbedding| combine(&[(sum, 1.0)]).values().iter().map(|v| v.cast_unsigned()).collect();
        let vectors: Vec<(ContentHash, Vec<u8>)> =
            sums.iter().map(|(text, sum)| (*text, bytes(sum))).collect();
        let state = &mut *self.state.borrow_mut();
        if state.cache.put_embedded(self.model.id, &vectors, today()) {
            return Ok(());
        }
        Err(unkept(self.engine, &state.cache))
    }

    /// Why the texts ended early, if an error occurred.
    pub fn fault(self) -> Option<EngineError> {
        self.state.into_inner().fault
    }
}

fn unkept(engine: &Engine, cache: &Cache) -> EngineError {
    let reason = match cache.state() {
        CacheState::ReadOnly => "it can only be read".to_owned(),
        CacheState::Off(reason) => reason.clone(),
        CacheState::Ready | CacheState::Recreated => "it is in use or full".to_owned(),
    };
    EngineError::VectorsNotStored { path: engine.paths.cache(), reason }
}
