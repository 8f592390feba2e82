//! Chunking: cuts a file into the units of retrieval.
//!
//! A function, method or small type is one chunk with its documentation. A large one is cut at the boundaries of its
//! members. The lines between symbols, and files without symbols, become windows. Chunks do not overlap and leave out only
//! white space.
//!
//! Example: a file of an import block (lines 1–5), a class of 200 lines with two methods of 30 lines, and a function of 10
//! lines becomes: a gap (1–5), the head of the class up to its first method, one chunk for each method, parts for the
//! lines between and after them, and one chunk for the function.

use orient_model::{Chunk, ChunkKind, Outline, Span, SymbolKind};

/// Maximum number of lines of a symbol that stays one chunk.
const WHOLE_LINES: u32 = 60;
/// Target number of lines of windows and of parts of larger symbols.
const WINDOW_LINES: u32 = 40;
/// Maximum size of a chunk.
const CHUNK_BYTES: usize = 6000;
/// Maximum nesting depth of symbols that are cut at their members; deeper ones are cut into windows.
const DEPTH_CAP: u32 = 32;

pub(crate) fn count_lines(source: &[u8]) -> u32 {
    let breaks = memchr::memchr_iter(b'\n', source).count() as u32;
    breaks + u32::from(source.last().is_some_and(|&b| b != b'\n'))
}

/// Cuts a file along its symbols.
pub(crate) fn cut(source: &[u8], outline: &Outline) -> Vec<Chunk> {
    let mut chunker = Chunker {
        lines: Lines::new(source),
        source,
        outline,
        children: children(outline),
        chunks: Vec::new(),
        at: 0,
        depth: 0,
    };
    let end = chunker.lines.count();
    if outline.symbols.is_empty() {
        chunker.windows(0, end, None, ChunkKind::Window);
    } else {
        let top = chunker.children.last().cloned().unwrap_or_default();
        chunker.region(0, end, None, &top, ChunkKind::Gap);
    }
    chunker.chunks
}

/// The children of each symbol in the order of the source; the last entry holds the top-level symbols.
fn children(outline: &Outline) -> Vec<Vec<u32>> {
    let count = outline.symbols.len();
    let mut children = vec![Vec::new(); count + 1];
    for (index, symbol) in outline.symbols.iter().enumerate() {
        let inside =
            symbol.parent.is_some_and(|parent| outline.symbols[parent as usize].span.contains(&symbol.span));
        let parent = symbol.parent.filter(|_| inside).map_or(count, |parent| parent as usize);
        children[parent].push(index as u32);
    }
    for list in &mut children {
        list.sort_by_key(|&index| outline.symbols[index as usize].span);
    }
    children
}

/// Byte offsets of line starts.
struct Lines {
    starts: Vec<u32>,
    end: u32,
}

impl Lines {
    fn new(source: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', source).map(|at| at as u32 + 1));
        if starts.len() > 1 && starts.last() == Some(&(source.len() as u32)) {
            starts.pop();
        }
        Self { starts, end: source.len() as u32 }
    }

    fn count(&self) -> u32 {
        if self.end == 0 { 0 } else { self.starts.len() as u32 }
    }

    fn start(&self, line: u32) -> u32 {
        self.starts.get(line as usize).copied().unwrap_or(self.end)
    }
}

struct Chunker<'o> {
    lines: Lines,
    source: &'o [u8],
    outline: &'o Outline,
    children: Vec<Vec<u32>>,
    chunks: Vec<Chunk>,
    /// First line not yet in a chunk, from 0.
    at: u32,
    /// The nesting depth of the symbol being cut.
    depth: u32,
}

impl Chunker<'_> {
    /// Cuts lines `from..to`, which belong to `owner`, along the given symbols.
    fn region(&mut self, from: u32, to: u32, owner: Option<u32>, symbols: &[u32], between: ChunkKind) {
        self.at = self.at.max(from);
        let mut between = between;
        for &index in symbols {
            let symbol = &self.outline.symbols[index as usize];
            if !has_own_chunk(symbol.kind) {
                continue;
            }
            let first = (symbol.span.first_line - 1).max(self.at);
            let last = symbol.span.last_line.min(to);
            if last <= self.at || first >= to {
                continue;
            }
            let first = self.with_documentation(first);
            if first > self.at {
                self.windows(self.at, first, owner, between);
                between = if between == ChunkKind::Head { ChunkKind::Part } else { between };
            }
            self.symbol(index, first, last);
        }
        if self.at < to {
            self.windows(self.at, to, owner, between);
        }
    }

    fn symbol(&mut self, index: u32, first: u32, last: u32) {
        let large = last - first > WHOLE_LINES || self.bytes(first, last) > CHUNK_BYTES;
        self.at = first;
        if !large || last - first <= 1 {
            self.push(ChunkKind::Symbol, Some(index), first, last);
            self.at = last;
            return;
        }
        let children =
            if self.depth < DEPTH_CAP { self.children[index as usize].clone() } else { Vec::new() };
        self.depth += 1;
        self.region(first, last, Some(index), &children, ChunkKind::Head);
        self.depth -= 1;
        self.at = last;
    }

    /// The first line of a symbol including the comment lines directly before it.
    fn with_documentation(&self, first: u32) -> u32 {
        let mut line = first;
        while line > self.at {
            let before = self.line(line - 1).trim_ascii();
            let comment = [&b"//"[..], b"/*", b"*", b"#", b"--", b";", b"@", b"[", b"%", b"\"\"\""]
                .iter()
                .any(|mark| before.starts_with(mark));
            if !comment {
                break;
            }
            line -= 1;
        }
        line
    }

    fn line(&self, line: u32) -> &[u8] {
        &self.source[self.lines.start(line) as usize..self.lines.start(line + 1) as usize]
    }

    fn bytes(&self, from: u32, to: u32) -> usize {
        (self.lines.start(to) - self.lines.start(from)) as usize
    }

    /// Cuts lines into windows, preferably at blank lines.
    fn windows(&mut self, from: u32, to: u32, owner: Option<u32>, kind: ChunkKind) {
        let mut from = from;
        let mut kind = kind;
        while from < to {
            let mut until = (from + WINDOW_LINES).min(to);
            if to - from <= WINDOW_LINES + WINDOW_LINES / 2 {
                until = to;
            }
            if until < to
                && let Some(blank) = (from + WINDOW_LINES / 2..until)
                    .rev()
                    .find(|&line| self.line(line).trim_ascii().is_empty())
            {
                until = blank + 1;
            }
            while until > from + 1 && self.bytes(from, until) > CHUNK_BYTES {
                until -= 1;
            }
            self.push(kind, owner, from, until);
            kind = if kind == ChunkKind::Head { ChunkKind::Part } else { kind };
            from = until;
        }
        self.at = to;
    }

    /// Adds lines as a chunk, without the blank lines around them; a single line that is too long becomes several chunks.
    fn push(&mut self, kind: ChunkKind, symbol: Option<u32>, from: u32, to: u32) {
        let (mut from, mut to) = (from, to);
        while from < to && self.line(from).trim_ascii().is_empty() {
            from += 1;
        }
        while to > from && self.line(to - 1).trim_ascii().is_empty() {
            to -= 1;
        }
        if from == to {
            return;
        }
        let (mut start, end) = (self.lines.start(from), self.lines.start(to));
        if to - from == 1 {
            while (end - start) as usize > CHUNK_BYTES {
                let mut cut = start as usize + CHUNK_BYTES;
                while cut > start as usize + 1 && self.source[cut] & 0xc0 == 0x80 {
                    cut -= 1;
                }
                self.chunks.push(Chunk {
                    kind,
                    symbol,
                    span: Span { start, end: cut as u32, first_line: from + 1, last_line: to },
                });
                start = cut as u32;
            }
        }
        self.chunks.push(Chunk {
            kind,
            symbol,
            span: Span { start, end, first_line: from + 1, last_line: to },
        });
    }
}

/// Whether symbols of a kind get chunks of their own. Small members stay in the chunk of their container.
fn has_own_chunk(kind: SymbolKind) -> bool {
    !matches!(
        kind,
        SymbolKind::Field
            | SymbolKind::EnumMember
            | SymbolKind::Constant
            | SymbolKind::Variable
            | SymbolKind::Key
            | SymbolKind::Property
    )
}
