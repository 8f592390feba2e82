//! Facts as bytes: a compact binary form, compressed, with a checksum.
//!
//! Encoding is meant to run on the threads that extract; the writers only move the bytes.

mod flow;
mod graph;
pub(crate) mod id_list;
mod incoming_edges;
mod outline;
mod varint;

use crate::graph::{EdgeRow, FileGraph, MissRow, StoredEdge};
use orient_model::{Flow, Outline};
pub(crate) use outline::chunk_kind;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use varint::Out;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, get_frame_content_size};

/// Level 1 gives 6 % more bytes for no time that could be measured.
const LEVEL: i32 = 3;
/// Below this, a frame is larger than what it saves.
const TINY: usize = 48;
/// No file we read gives this much; a frame that says so is damaged.
const LARGEST: u64 = 1 << 30;

const OUTLINE: u8 = 1;
const FLOW: u8 = 2;
const GRAPH: u8 = 3;
const SHEET: u8 = 4;
const PACKED: u8 = 0x80;

/// Facts as bytes. Cheap to clone: the cache and the index may hold the same ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded(Arc<[u8]>);

impl Encoded {
    /// Bytes that came from [`encode_outline`] or [`encode_flow`], read back from where they were kept.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// How many bytes it takes where it is not packed.
    pub fn unpacked(&self) -> usize {
        match self.0.split_first() {
            Some((tag, rest)) if tag & PACKED != 0 => {
                get_frame_content_size(rest).ok().flatten().map_or(0, |size| size.min(LARGEST) as usize)
            }
            _ => self.0.len(),
        }
    }
}

/// Bytes that are not what the codec wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stored facts cannot be read")]
pub struct CodecError;

/// An outline as bytes.
pub fn encode_outline(outline: &Outline) -> Encoded {
    encode(OUTLINE, |out| outline::write(out, outline))
}

/// The outline in these bytes.
pub fn decode_outline(bytes: &[u8]) -> Result<Outline, CodecError> {
    decode(OUTLINE, bytes, outline::read)
}

/// A flow as bytes.
pub fn encode_flow(flow: &Flow) -> Encoded {
    encode(FLOW, |out| flow::write(out, flow))
}

/// The flow in these bytes.
pub fn decode_flow(bytes: &[u8]) -> Result<Flow, CodecError> {
    decode(FLOW, bytes, flow::read)
}

/// What a file gave to the graph, as bytes.
pub(crate) fn encode_graph(graph: &FileGraph) -> Encoded {
    encode(GRAPH, |out| graph::write(out, graph))
}

/// The unresolved uses of a name among what a file gave to the graph.
pub(crate) fn decode_misses_of(bytes: &[u8], name: &str) -> Result<Vec<MissRow>, CodecError> {
    decode(GRAPH, bytes, |bytes| graph::read_misses_of(bytes, name))
}

/// What a file gave to the graph, in these bytes.
pub(crate) fn decode_graph(bytes: &[u8]) -> Result<FileGraph, CodecError> {
    decode(GRAPH, bytes, graph::read)
}

/// What the engine remembers of the tree, as bytes.
pub(crate) fn encode_sheet(plain: &[u8]) -> Encoded {
    encode(SHEET, |out| out.bytes.extend_from_slice(plain))
}

/// What the engine remembers of the tree, in these bytes.
pub(crate) fn decode_sheet(bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    // Megabytes, which are not copied once more.
    let mut sheet = Vec::new();
    match unpack(SHEET, bytes, &mut sheet)? {
        Some(plain) => Ok(plain.to_vec()),
        None => Ok(sheet),
    }
}

/// The edges among that, and how many of them start in the file.
pub(crate) fn decode_edges(bytes: &[u8]) -> Result<(Vec<EdgeRow>, usize), CodecError> {
    decode(GRAPH, bytes, graph::read_edges_only)
}

/// Edges that lead to one node, as bytes: too few to be worth packing.
pub(crate) fn encode_bundle(edges: &[StoredEdge]) -> Vec<u8> {
    let mut out = Out { bytes: Vec::with_capacity(edges.len() * 8) };
    incoming_edges::write(&mut out, edges);
    out.bytes
}

/// Adds the edges in these bytes, which lead to `target`.
pub(crate) fn decode_bundle(
    bytes: &[u8],
    target: i64,
    edges: &mut Vec<StoredEdge>,
) -> Result<(), CodecError> {
    incoming_edges::read(bytes, target, edges)
}

/// How many edges there are in these bytes.
pub(crate) fn count_in_bundle(bytes: &[u8]) -> Result<u32, CodecError> {
    incoming_edges::count(bytes)
}

/// What packing needs. A compressor holds a megabyte: those of threads that wrote once would never be given back.
struct Packer {
    plain: Vec<u8>,
    packed: Vec<u8>,
    compressor: Compressor<'static>,
}

/// Packers that are not in use. There are never more than were in use at once.
static SPARE: Mutex<Vec<Packer>> = Mutex::new(Vec::new());

impl Packer {
    fn new() -> Self {
        let mut compressor = Compressor::new(LEVEL).expect("the level is a known one");
        compressor.set_parameter(CParameter::ChecksumFlag(true)).expect("checksums are always available");
        Self { plain: Vec::new(), packed: Vec::new(), compressor }
    }

    /// Lends a packer.
    fn with<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        let spare = || SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = spare().pop();
        let mut packer = lent.unwrap_or_else(Self::new);
        let done = work(&mut packer);
        spare().push(packer);
        done
    }

    fn pack(&mut self, what: u8, plain: &[u8]) -> Encoded {
        if plain.len() > TINY {
            let bound = zstd::zstd_safe::compress_bound(plain.len() - 1);
            self.packed.clear();
            self.packed.reserve(bound);
            let packed = self.compressor.compress_to_buffer(&plain[1..], &mut self.packed);
            if packed.is_ok_and(|size| size + 1 < plain.len()) {
                let mut bytes = Vec::with_capacity(self.packed.len() + 1);
                bytes.push(what | PACKED);
                bytes.extend_from_slice(&self.packed);
                return Encoded(bytes.into());
            }
        }
        Encoded(plain.into())
    }
}

/// What unpacking needs, on each thread.
struct Unpacker {
    plain: Vec<u8>,
    decompressor: Decompressor<'static>,
}

thread_local! {
    static UNPACKER: RefCell<Unpacker> = RefCell::new(Unpacker {
        plain: Vec::new(),
        decompressor: Decompressor::new().expect("no dictionary, nothing to fail"),
    });
}

fn encode(what: u8, write: impl FnOnce(&mut Out)) -> Encoded {
    Packer::with(|packer| {
        let mut out = Out { bytes: std::mem::take(&mut packer.plain) };
        out.bytes.clear();
        out.bytes.push(what);
        write(&mut out);
        let encoded = packer.pack(what, &out.bytes);
        packer.plain = out.bytes;
        encoded
    })
}

fn decode<T>(
    what: u8,
    bytes: &[u8],
    read: impl FnOnce(&[u8]) -> Result<T, CodecError>,
) -> Result<T, CodecError> {
    let mut buffer = UNPACKER.with_borrow_mut(|unpacker| std::mem::take(&mut unpacker.plain));
    let done = unpack(what, bytes, &mut buffer).and_then(|plain| read(plain.unwrap_or(&buffer)));
    UNPACKER.with_borrow_mut(|unpacker| unpacker.plain = buffer);
    done
}

/// What was packed, in `into`; what was not, as it stands.
fn unpack<'b>(what: u8, bytes: &'b [u8], into: &mut Vec<u8>) -> Result<Option<&'b [u8]>, CodecError> {
    let (&tag, rest) = bytes.split_first().ok_or(CodecError)?;
    if tag & !PACKED != what {
        return Err(CodecError);
    }
    if tag & PACKED == 0 {
        return Ok(Some(rest));
    }
    let size =
        get_frame_content_size(rest).ok().flatten().filter(|&size| size <= LARGEST).ok_or(CodecError)?;
    into.clear();
    into.reserve(size as usize);
    UNPACKER
        .with_borrow_mut(|unpacker| unpacker.decompressor.decompress_to_buffer(rest, into))
        .map_err(|_| CodecError)?;
    Ok(None)
}

#[cfg(test)]
mod roundtrip_tests;
