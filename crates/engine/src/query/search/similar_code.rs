//! Look-alikes of a place: by meaning, and by structure among those.

use super::chunk_loader::{Closer, Place};
use super::corpus::{Corpus, Wanted};
use super::structural_similarity::Shape;
use crate::{EngineError, Snapshot, chunk_features};
use orient_embed::{BuiltIn, Embedder, Vector, cosine};
use orient_model::{ChunkKind, RepoPath, SymbolKind};
use orient_store::FileRow;
use orient_walk::RootDirectory;

/// How many of the nearest by meaning are compared by structure.
const NEAREST: usize = 200;

/// A place that is like another.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarHit {
    /// The file.
    pub path: RepoPath,
    /// What the place is a piece of.
    pub kind: ChunkKind,
    /// Its first line.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The qualified name of the symbol it is, or is a part of.
    pub name: Vec<String>,
    /// What that is.
    pub symbol_kind: Option<SymbolKind>,
    /// How near it is by meaning; 1 is the same.
    pub meaning: f32,
    /// How much of its structure is the same; 1 is all.
    pub structure: f32,
}

/// What places are compared by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Likeness {
    /// What they say.
    #[default]
    Meaning,
    /// How they are built, whatever the names.
    Structure,
}

impl Snapshot {
    /// The places most like the one at a line of a file, and how many lines that one has; none where nothing is there.
    pub fn similar(
        &self,
        file: &FileRow,
        line: u32,
        by: Likeness,
        limit: usize,
    ) -> Result<Option<(SimilarHit, Vec<SimilarHit>)>, EngineError> {
        let corpus = self.corpora.of(&self.store)?;
        let Some(own) = self.unit_at(&corpus, file, line)? else { return Ok(None) };
        let dimension = BuiltIn::shared().dimension();
        let first = corpus.units_of(file.id).map_or(0, |(first, _)| first);
        let vectors = self.store.vectors_of(file.id)?.unwrap_or_default();
        let group = chunk_features::read_vectors(&vectors);
        let Some((bytes, shared)) = group.and_then(|group| group.vector_of(own - first)) else {
            return Ok(None);
        };
        let vector = Vector::unpack(bytes, dimension);
        let wanted = Wanted { count: NEAREST + shared.len(), filtered: false, allows: &|_| true };
        let found = corpus.nearest(&self.store, &vector, &wanted, || Ok(()))?;
        let mut closer = Closer::new(self, &corpus);
        let tree = RootDirectory::open(&self.root)?;
        let Some(place) = closer.look(own)? else { return Ok(None) };
        let shape = self.shape(&tree, &closer.files[place.file as usize], &place);
        let mut hits = Vec::new();
        // That neighbours share its vector says nothing of how alike they are.
        let is_other = |unit: u32| unit.checked_sub(first).is_none_or(|member| !shared.contains(&member));
        for (unit, product) in found.best.into_iter().filter(|(unit, _)| is_other(*unit)) {
            let Some(other) = closer.look(unit)? else { continue };
            let row = &closer.files[other.file as usize];
            let structure = shape.likeness(&self.shape(&tree, row, &other));
            hits.push(self.similar_hit(row, &other, cosine(product, dimension), structure)?);
        }
        let key = |hit: &SimilarHit| if by == Likeness::Structure { hit.structure } else { hit.meaning };
        hits.sort_by(|a, b| {
            key(b).total_cmp(&key(a)).then_with(|| (&a.path, a.first_line).cmp(&(&b.path, b.first_line)))
        });
        hits.truncate(limit);
        let own = self.similar_hit(&closer.files[place.file as usize], &place, 1.0, 1.0)?;
        Ok(Some((own, hits)))
    }

    /// The unit that holds a line, or the next one behind it.
    fn unit_at(&self, corpus: &Corpus, file: &FileRow, line: u32) -> Result<Option<u32>, EngineError> {
        let Some((first, _)) = corpus.units_of(file.id) else { return Ok(None) };
        for (at, id) in (first..).zip(self.store.chunk_ids(file.id)?) {
            if self.store.chunk(id)?.is_some_and(|chunk| chunk.last_line >= line) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The shape of a place, from the file as it is now; nothing for one that cannot be read.
    fn shape(&self, tree: &RootDirectory, file: &FileRow, place: &Place) -> Shape {
        let Ok(content) = tree.read(&file.path, self.max_file_size) else { return Shape::default() };
        let text = String::from_utf8_lossy(&content.bytes);
        let (first, last) = (place.chunk.first_line as usize, place.chunk.last_line as usize);
        Shape::of(text.lines().skip(first.saturating_sub(1)).take((last + 1).saturating_sub(first)))
    }

    fn similar_hit(
        &self,
        file: &FileRow,
        place: &Place,
        meaning: f32,
        structure: f32,
    ) -> Result<SimilarHit, EngineError> {
        Ok(SimilarHit {
            path: file.path.clone(),
            kind: place.chunk.kind,
            first_line: place.chunk.first_line,
            last_line: place.chunk.last_line,
            name: self.qualified(place.symbol.as_ref())?,
            symbol_kind: place.symbol.as_ref().map(|symbol| symbol.kind),
            meaning,
            structure,
        })
    }
}
