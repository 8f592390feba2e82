//! What ranked search needs of a file: the terms of each chunk, and vectors, which tiny neighbours share.

use crate::word_cache::Lexicon;
use orient_embed::{BuiltIn, Embedder, PackedGroup, TextEmbedding, TokenBag, combine, packed_length};
use orient_model::{Chunk, Outline, RepoPath, Symbol};
use orient_text::{ChunkTerms, ChunkTermsBuilder, Field, TERMS_VERSION};

/// What the names and the path weigh against the text of a chunk: few words say more than many.
const NAMES_WEIGHT: f32 = 3.0;
const PATH_WEIGHT: f32 = 4.0;
/// How many parts of a path go into vectors: those further up say where the repository is, not what the file is.
const PATH_PARTS: usize = 3;
/// Changes whenever the same file may give other terms for a reason found here.
const VERSION: u32 = 2;
/// The same for vectors.
const VECTORS_VERSION: u32 = 2;
/// Chunks of so many lines at most, one after the other, share a vector while they have no more than so many together:
/// constants, fields, macros. Alone they say little, and there may be millions of them.
const TINY: u32 = 3;
const TOGETHER: u32 = 12;

/// Stands for everything terms depend on beside the file.
pub(crate) fn version() -> String {
    format!("{VERSION} {TERMS_VERSION}")
}

/// Stands for everything vectors depend on beside the file. Those of another version are made anew in the background.
pub(crate) fn embedder() -> u64 {
    let text = format!("{VECTORS_VERSION} {}", BuiltIn::shared().model());
    let mut short = [0; 8];
    short.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..8]);
    // The store keeps signed numbers.
    u64::from_le_bytes(short) >> 1
}

/// The vectors of the chunks of a file, as they are stored; none where these bytes are none.
pub(crate) fn read_vectors(bytes: &[u8]) -> Option<PackedGroup<'_>> {
    PackedGroup::parse(bytes, BuiltIn::shared().dimension())
}

/// Terms and vectors of the chunks of a file.
pub(crate) struct Units {
    pub(crate) terms: ChunkTerms,
    pub(crate) vectors: Vec<u8>,
}

impl Units {
    pub(crate) fn of(path: &RepoPath, outline: &Outline, bytes: &[u8]) -> Self {
        Lexicon::with(|lexicon| {
            let shown = path.display();
            let mut place = Vec::new();
            lexicon.read(shown.as_bytes(), |found, _| place.extend_from_slice(found));
            let mut vectors = Vectors::new(&shown, &outline.chunks);
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

/// The vectors of the chunks of a file alone.
pub(crate) fn vectors(path: &RepoPath, outline: &Outline, bytes: &[u8]) -> Vec<u8> {
    Lexicon::with(|lexicon| {
        let mut vectors = Vectors::new(&path.display(), &outline.chunks);
        each_chunk(outline, bytes, |names, text| vectors.push(lexicon, names, text, |_, _| ()));
        vectors.finish()
    })
}

/// The vectors of a file as they are made.
struct Vectors {
    model: &'static BuiltIn,
    /// What the chunks are called that share the next vector, and their texts.
    called: TokenBag,
    body: TokenBag,
    path: TextEmbedding,
    packed: Vec<u8>,
    /// How many chunks share each vector.
    counts: Vec<u8>,
    done: usize,
    /// How many of the next were seen.
    seen: u8,
}

impl Vectors {
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

    /// Adds a chunk to its vector. Shows on the way the terms of the words it rests on: those of a field, or of the text.
    fn push(
        &mut self,
        lexicon: &mut Lexicon,
        names: &Names,
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

    /// All of them, as they are stored.
    fn finish(mut self) -> Vec<u8> {
        self.packed.extend_from_slice(&self.counts);
        self.packed
    }
}

/// How many chunks share each vector.
fn shared(chunks: &[Chunk]) -> Vec<u8> {
    let mut counts = Vec::with_capacity(chunks.len());
    // How many lines more may join the chunks before.
    let mut room = 0;
    for chunk in chunks {
        let lines = (chunk.span.last_line + 1).saturating_sub(chunk.span.first_line).max(1);
        match counts.last_mut() {
            Some(count) if lines <= TINY.min(room) => {
                *count += 1;
                room -= lines;
            }
            _ => {
                counts.push(1_u8);
                room = if lines <= TINY { TOGETHER - lines } else { 0 };
            }
        }
    }
    counts
}

/// Grows whenever other models are given another text of the same chunk.
pub(crate) const TEXTS_VERSION: u32 = 1;
/// No text for another model is longer; chunks are shorter, but for what stands on one line.
const LONGEST_TEXT: usize = 8 << 10;

/// What another model is given of each chunk: where it stands, what it is called, and its text. One text, not three as
/// for the built-in model: each costs a request, and models that read sentences make more of words that stand together.
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

/// Shows every chunk with what it is called.
fn each_chunk(outline: &Outline, bytes: &[u8], mut see: impl FnMut(&Names, &[u8])) {
    let mut first = 0;
    for chunk in &outline.chunks {
        let text = bytes.get(chunk.span.start as usize..chunk.span.end as usize).unwrap_or_default();
        // Symbols and chunks both come in the order of the source.
        while outline.symbols.get(first).is_some_and(|symbol| symbol.name_span.start < chunk.span.start) {
            first += 1;
        }
        see(&Names::of(outline, chunk, first), text);
    }
}

fn last_parts(path: &str) -> String {
    let parts: Vec<&str> = path.rsplit('/').take(PATH_PARTS).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

/// What a chunk is called.
#[derive(Default)]
struct Names {
    /// The names it defines.
    own: String,
    /// The names around it.
    around: String,
    /// The headers of what it defines.
    header: String,
    doc: String,
}

impl Names {
    /// `first` is the first symbol whose name does not stand before the chunk.
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
    fn tiny_chunks_in_a_row_share_a_vector_until_it_stands_for_a_dozen_lines() {
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
