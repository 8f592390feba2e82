//! Similar code: nearest chunks by vector, optionally ordered by structural similarity.

use super::chunk_loader::{ChunkLoader, LoadedChunk};
use super::corpus::VectorQuery;
use super::structural_similarity::TokenShingles;
use crate::{EngineError, Snapshot, chunk_features};
use orient_embed::{BuiltIn, Embedder, Vector, cosine};
use orient_model::{ChunkKind, RepoPath, SymbolKind};
use orient_store::FileRow;
use orient_walk::TreeReader;

/// Number of nearest chunks that are compared structurally.
const COMPARED_CHUNKS: usize = 200;

/// A chunk that is similar to another.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarHit {
    /// The file.
    pub path: RepoPath,
    /// The kind of chunk.
    pub kind: ChunkKind,
    /// Its first line.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The qualified name of its symbol, or of the enclosing one.
    pub name: Vec<String>,
    /// The kind of that symbol.
    pub symbol_kind: Option<SymbolKind>,
    /// Cosine similarity; 1 is identical.
    pub meaning: f32,
    /// Jaccard similarity of token shingles; 1 is identical.
    pub structure: f32,
}

/// The order of similar chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Similarity {
    /// By vector.
    #[default]
    Meaning,
    /// By structure, ignoring names.
    Structure,
}

impl Snapshot {
    /// The chunk at a line of a file and the chunks most similar to it; `None` if there is no chunk.
    pub fn similar(
        &self,
        file: &FileRow,
        line: u32,
        by: Similarity,
        limit: usize,
    ) -> Result<Option<(SimilarHit, Vec<SimilarHit>)>, EngineError> {
        let corpus = self.caches.corpus(&self.store)?;
        let Some(own) = self.chunk_at(&corpus, file.id, line)? else { return Ok(None) };
        let dimension = BuiltIn::shared().dimension();
        let first = corpus.chunks_of(file.id).map_or(0, |(first, _)| first);
        let vectors = self.store.vectors_of(file.id)?.unwrap_or_default();
        let group = chunk_features::read_vectors(&vectors);
        let Some((bytes, shared)) = group.and_then(|group| group.vector_of(own - first)) else {
            return Ok(None);
        };
        let vector = Vector::unpack(bytes, dimension);
        let wanted =
            VectorQuery { count: COMPARED_CHUNKS + shared.len(), filtered: false, allows: &|_| true };
        let found = corpus.nearest(&self.store, &vector, &wanted, || Ok(()))?;
        let mut loader = ChunkLoader::new(self, &corpus);
        let tree = self.tree.open()?;
        let Some(loaded) = loader.load(own)? else { return Ok(None) };
        let shape = self.shape(&*tree, &loader.files[loaded.file as usize], &loaded);
        let mut hits = Vec::new();
        // Chunks that share its vector are not similar for that reason.
        let is_other = |chunk: u32| chunk.checked_sub(first).is_none_or(|member| !shared.contains(&member));
        for (chunk, product) in found.best.into_iter().filter(|(chunk, _)| is_other(*chunk)) {
            let Some(other) = loader.load(chunk)? else { continue };
            let row = &loader.files[other.file as usize];
            let structure = shape.likeness(&self.shape(&*tree, row, &other));
            hits.push(self.similar_hit(row, &other, cosine(product, dimension), structure)?);
        }
        let key = |hit: &SimilarHit| if by == Similarity::Structure { hit.structure } else { hit.meaning };
        hits.sort_by(|a, b| {
            key(b).total_cmp(&key(a)).then_with(|| (&a.path, a.first_line).cmp(&(&b.path, b.first_line)))
        });
        hits.truncate(limit);
        let own = self.similar_hit(&loader.files[loaded.file as usize], &loaded, 1.0, 1.0)?;
        Ok(Some((own, hits)))
    }

    /// The shingles of a chunk, from the current file; empty if the file cannot be read.
    fn shape(&self, tree: &dyn TreeReader, file: &FileRow, loaded: &LoadedChunk) -> TokenShingles {
        let Ok(content) = tree.read(&file.path, self.max_file_size) else { return TokenShingles::default() };
        let text = String::from_utf8_lossy(&content.bytes);
        let (first, last) = (loaded.chunk.first_line as usize, loaded.chunk.last_line as usize);
        TokenShingles::of(text.lines().skip(first.saturating_sub(1)).take((last + 1).saturating_sub(first)))
    }

    fn similar_hit(
        &self,
        file: &FileRow,
        loaded: &LoadedChunk,
        meaning: f32,
        structure: f32,
    ) -> Result<SimilarHit, EngineError> {
        Ok(SimilarHit {
            path: file.path.clone(),
            kind: loaded.chunk.kind,
            first_line: loaded.chunk.first_line,
            last_line: loaded.chunk.last_line,
            name: self.qualified(loaded.symbol.as_ref())?,
            symbol_kind: loaded.symbol.as_ref().map(|symbol| symbol.kind.shown(symbol.modifiers)),
            meaning,
            structure,
        })
    }
}
