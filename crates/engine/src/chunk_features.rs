//! The features of chunks that ranked search uses: terms, and vectors that small neighbouring chunks share.

use crate::word_cache::WordCache;
use orient_embed::{BuiltIn, Embedder, PackedGroup, TextEmbedding, TokenBag, combine, packed_length};
use orient_model::{Chunk, Outline, RepoPath, Symbol};
use orient_text::{ChunkTerms, ChunkTermsBuilder, Field, TERMS_VERSION};

/// Weights of names and path against the text of a chunk: a few words there say more than many in the text.
const NAMES_WEIGHT: f32 = 3.0;
const PATH_WEIGHT: f32 = 4.0;
/// Number of trailing path components that go into vectors. The leading ones name the repository, not the file.
const PATH_PARTS: usize = 3;
/// Version of term extraction. Increment it when the same file may give different terms because of this module.
const VERSION: u32 = 2;
/// Version of vector computation.
const VECTORS_VERSION: u32 = 2;
/// Consecutive chunks of at most `SMALL_CHUNK_LINES` lines share a vector until they have `SHARED_VECTOR_LINES` lines
/// together: constants, fields, macros. Alone they carry little meaning, and there may be millions of them.
const SMALL_CHUNK_LINES: u32 = 3;
const SHARED_VECTOR_LINES: u32 = 12;

/// Version of everything besides the file that terms depend on.
pub(crate) fn version() -> String {
    format!("{VERSION} {TERMS_VERSION}")
}

/// Version of everything besides the file that vectors depend on. Vectors of another version are renewed in the
/// background.
pub(crate) fn embedder() -> u64 {
    let text = format!("{VECTORS_VERSION} {}", BuiltIn::shared().model());
    let mut short = [0; 8];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    // SQLite stores signed integers.
    u64::from_le_bytes(short) >> 1
}

/// Parses the stored vectors of a file's chunks; `None` if the bytes are malformed.
pub(crate) fn read_vectors(bytes: &[u8]) -> Option<PackedGroup<'_>> {
    PackedGroup::parse(bytes, BuiltIn::shared().dimension())
}

/// Terms and vectors of the chunks of a file.
pub(crate) struct ChunkFeatures {
    pub(crate) terms: ChunkTerms,
    pub(crate) vectors: Vec<u8>,
}

impl ChunkFeatures {
    pub(crate) fn of(path: &RepoPath, outline: &Outline, bytes: &[u8]) -> Self {
        WordCache::with(|lexicon| {
            let shown = path.display();
            let mut place = Vec::new();
            lexicon.read(shown.as_bytes(), |found, _| place.extend_from_slice(found));
            let mut vectors = VectorBuilder::new(&shown, &outline.chunks);
            let mut terms = ChunkTermsBuilder::default();
            each_chunk(outline, bytes, |names, text| {
                let mut length = 0_u16;
                vectors.push(lexicon, names, text, |field, found| {
                    let Some(field) = field else {
                        length = length.saturating_add(found.len() as u16);
                        return terms.in_text(found);
                    };
                    terms.in_field(field, found);
                });
                for (field, text) in [(Field::Header, &names.header), (Field::Doc, &names.doc)] {
                    lexicon.read(text.as_bytes(), |found, _| terms.in_field(field, found));
                }
                terms.in_field(Field::Path, &place);
                terms.end(length);
            });
            Self { terms: terms.finish(), vectors: vectors.finish() }
        })
    }
}

/// Computes only the vectors of a file's chunks.
pub(crate) fn vectors(path: &RepoPath, outline: &Outline, bytes: &[u8]) -> Vec<u8> {
    WordCache::with(|lexicon| {
        let mut vectors = VectorBuilder::new(&path.display(), &outline.chunks);
        each_chunk(outline, bytes, |names, text| vectors.push(lexicon, names, text, |_, _| ()));
        vectors.finish()
    })
}

/// Computes the vectors of a file, chunk by chunk.
struct VectorBuilder {
    model: &'static BuiltIn,
    /// Token bags of the chunks that share the current vector: their names, and their text.
    called: TokenBag,
    body: TokenBag,
    path: TextEmbedding,
    packed: Vec<u8>,
    /// How many chunks share each vector.
    counts: Vec<u8>,
    done: usize,
    /// How many chunks of the current vector were added.
    seen: u8,
}

impl VectorBuilder {
    fn new(path: &str, chunks: &[Chunk]) -> Self {
        let (model, counts) = (BuiltIn::shared(), shared(chunks));
        Self {
            model,
            called: model.new_bag(),
            body: model.new_bag(),
            path: model.embed_text(&last_parts(path)),
            packed: Vec::with_capacity(counts.len() * (packed_length(model.dimension()) + 1)),
            counts,
            done: 0,
            seen: 0,
        }
    }

    /// Adds a chunk to its vector, and passes the terms it reads to `see`: those of a field, or of the text (`None`).
    fn push(
        &mut self,
        lexicon: &mut WordCache,
        names: &ChunkNames,
        text: &[u8],
        mut see: impl FnMut(Option<Field>, &[u32]),
    ) {
        let mut read = |field: Option<Field>, text: &[u8], bag: &mut TokenBag| {
            lexicon.read(text, |terms, tokens| {
                see(field, terms);
                for &token in tokens {
                    bag.add(token);
                }
            });
        };
        read(Some(Field::Header), names.around.as_bytes(), &mut self.called);
        read(Some(Field::Name), names.own.as_bytes(), &mut self.called);
        read(None, text, &mut self.body);
        self.seen += 1;
        if self.counts.get(self.done) == Some(&self.seen) {
            let (called, body) =
                (self.model.embed_bag(&mut self.called), self.model.embed_bag(&mut self.body));
            combine(&[(&body, 1.0), (&called, NAMES_WEIGHT), (&self.path, PATH_WEIGHT)])
                .pack(&mut self.packed);
            (self.done, self.seen) = (self.done + 1, 0);
        }
    }

    /// All vectors in their stored form.
    fn finish(mut self) -> Vec<u8> {
        self.packed.extend_from_slice(&self.counts);
        self.packed
    }
}

/// How many chunks share each vector.
///
/// Example: chunks of 1, 1, 20, 3 and 3 lines give `[2, 1, 2]`: the two one-line chunks share a vector, the long one
/// has its own, and the last two share one.
fn shared(chunks: &[Chunk]) -> Vec<u8> {
    let mut counts = Vec::with_capacity(chunks.len());
    // How many lines may still join the current vector.
    let mut room = 0;
    for chunk in chunks {
        let lines = (chunk.span.last_line + 1).saturating_sub(chunk.span.first_line).max(1);
        match counts.last_mut() {
            Some(count) if lines <= SMALL_CHUNK_LINES.min(room) => {
                *count += 1;
                room -= lines;
            }
            _ => {
                counts.push(1_u8);
                room = if lines <= SMALL_CHUNK_LINES { SHARED_VECTOR_LINES - lines } else { 0 };
            }
        }
    }
    counts
}

/// Version of the text that remote models are given for a chunk.
pub(crate) const TEXTS_VERSION: u32 = 1;
/// Maximum length of a text for a remote model. Only chunks with very long lines exceed it.
const LONGEST_TEXT: usize = 8 << 10;

/// The text that a remote model is given for each chunk: path, names and source. One text instead of the three of the
/// built-in model, because each costs a request and sentence models use context.
pub(crate) fn texts(path: &RepoPath, outline: &Outline, bytes: &[u8]) -> Vec<String> {
    let place = last_parts(&path.display());
    let mut texts = Vec::with_capacity(outline.chunks.len());
    each_chunk(outline, bytes, |names, text| {
        let called = format!("{} {}", names.around, names.own);
        let mut whole = format!("{place}\n{}\n{}", called.trim(), String::from_utf8_lossy(text));
        whole.truncate(whole.floor_char_boundary(LONGEST_TEXT));
        texts.push(whole);
    });
    texts
}

/// Calls `see` for every chunk with its names.
fn each_chunk(outline: &Outline, bytes: &[u8], mut see: impl FnMut(&ChunkNames, &[u8])) {
    let mut first = 0;
    for chunk in &outline.chunks {
        let text = bytes.get(chunk.span.start as usize..chunk.span.end as usize).unwrap_or_default();
        // Symbols and chunks are both in source order.
        while outline.symbols.get(first).is_some_and(|symbol| symbol.name_span.start < chunk.span.start) {
            first += 1;
        }
        see(&ChunkNames::of(outline, chunk, first), text);
    }
}

fn last_parts(path: &str) -> String {
    let parts: Vec<&str> = path.rsplit('/').take(PATH_PARTS).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// The names of a chunk.
#[derive(Default)]
struct ChunkNames {
    /// The names that it defines.
    own: String,
    /// The names of the enclosing symbols.
    around: String,
    /// The signatures of the symbols that it defines.
    header: String,
    doc: String,
}

impl ChunkNames {
    /// `first` is the first symbol whose name is not before the chunk.
    fn of(outline: &Outline, chunk: &Chunk, first: usize) -> Self {
        let mut names = Self::default();
        let text = |atom| outline.strings.get(atom);
        let is_inside = |symbol: &&Symbol| symbol.name_span.start < chunk.span.end;
        for symbol in outline.symbols[first..].iter().take_while(is_inside) {
            push(&mut names.own, text(symbol.name));
            if let Some(qualifier) = symbol.qualifier {
                push(&mut names.around, text(qualifier));
            }
        }
        let mut next = chunk.symbol;
        while let Some(symbol) = next.and_then(|at| outline.symbols.get(at as usize)) {
            let inside = (chunk.span.start..chunk.span.end).contains(&symbol.name_span.start);
            if inside {
                push(&mut names.header, text(symbol.signature));
                push(&mut names.doc, symbol.doc.map_or("", text));
            } else {
                push(&mut names.around, text(symbol.name));
            }
            next = symbol.parent;
        }
        names
    }
}

fn push(words: &mut String, more: &str) {
    if !words.is_empty() {
        words.push(' ');
    }
    words.push_str(more);
}

#[cfg(test)]
mod tests {
    use super::*;
    use orient_model::{ChunkKind, Span};

    #[test]
    fn consecutive_small_chunks_share_a_vector_up_to_twelve_lines() {
        let counts = |heights: &[u32]| {
            let mut line = 1;
            let chunk = |&height: &u32| {
                let span = Span { start: 0, end: 0, first_line: line, last_line: line + height - 1 };
                line += height;
                Chunk { kind: ChunkKind::Symbol, symbol: None, span }
            };
            shared(&heights.iter().map(chunk).collect::<Vec<_>>())
        };
        assert_eq!(counts(&[]), []);
        assert_eq!(counts(&[1, 1, 1, 20, 3, 3, 3, 3, 3, 2]), [3, 1, 4, 2]);
        assert_eq!(counts(&[20, 1, 4, 1]), [1, 1, 1, 1], "only neighbours share");
        assert_eq!(counts(&[1; 30]), [12, 12, 6]);
    }
}
