//! The encoding of facts and graphs: a compact binary format, compressed (zstd), with a checksum.
//!
//! The extracting threads encode; the writers only move the bytes.

mod compiler_layer;
mod flow;
mod graph;
mod history;
pub(crate) mod id_list;
mod incoming_edges;
mod outline;
mod surface;
mod varint;

use crate::graph::{EdgeRow, FileGraph, NodeId, StoredEdge, UnresolvedRow};
pub use compiler_layer::CompilerLayer;
pub use history::{ChangedSymbol, CommitTerm, GraphCommit};
pub(crate) use history::{
    decode_commits, decode_symbols, decode_terms, encode_commits, encode_symbols, encode_terms,
};
use orient_model::{Flow, Outline, RefKind, Surface};
pub(crate) use outline::chunk_kind;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use varint::Encoder;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, get_frame_content_size};

/// Level 1 gives 6 % more bytes and saves no measurable time.
const LEVEL: i32 = 3;
/// Below this size, compression adds more than it saves.
const TINY: usize = 48;
/// A larger frame is damaged: no file that we read produces so much.
const LARGEST: u64 = 1 << 30;

const OUTLINE: u8 = 1;
const FLOW: u8 = 2;
const GRAPH: u8 = 3;
const MANIFEST: u8 = 4;
const SURFACE: u8 = 5;
const PACKED: u8 = 0x80;

/// Encoded facts. Cheap to clone: the cache and the index may share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded(Arc<[u8]>);

impl Encoded {
    /// Bytes from [`encode_outline`] or [`encode_flow`] that were stored.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The size without compression.
    pub fn unpacked(&self) -> usize {
        match self.0.split_first() {
            Some((tag, rest)) if tag & PACKED != 0 => {
                get_frame_content_size(rest).ok().flatten().map_or(0, |size| size.min(LARGEST) as usize)
            }
            _ => self.0.len(),
        }
    }
}

/// Malformed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stored facts cannot be read")]
pub struct CodecError;

/// Encodes an outline.
pub fn encode_outline(outline: &Outline) -> Encoded {
    encode(OUTLINE, |out| outline::write(out, outline))
}

/// Decodes an outline.
pub fn decode_outline(bytes: &[u8]) -> Result<Outline, CodecError> {
    decode(OUTLINE, bytes, outline::read)
}

/// Encodes a flow.
pub fn encode_flow(flow: &Flow) -> Encoded {
    encode(FLOW, |out| flow::write(out, flow))
}

/// Decodes a flow.
pub fn decode_flow(bytes: &[u8]) -> Result<Flow, CodecError> {
    decode(FLOW, bytes, flow::read)
}

/// Encodes the graph of a file.
pub(crate) fn encode_graph(graph: &FileGraph) -> Encoded {
    encode(GRAPH, |out| graph::write(out, graph))
}

/// Decodes the unresolved references to a name in the graph of a file.
pub(crate) fn decode_unresolved_of(bytes: &[u8], name: &str) -> Result<Vec<UnresolvedRow>, CodecError> {
    decode(GRAPH, bytes, |bytes| graph::read_unresolved_of(bytes, name))
}

/// Decodes the external references to a name in the graph of a file: their sources and kinds.
pub(crate) fn decode_external_of(bytes: &[u8], name: &str) -> Result<Vec<(NodeId, RefKind)>, CodecError> {
    decode(GRAPH, bytes, |bytes| graph::read_external_of(bytes, name))
}

/// Decodes the graph of a file.
pub(crate) fn decode_graph(bytes: &[u8]) -> Result<FileGraph, CodecError> {
    decode(GRAPH, bytes, graph::read)
}

/// Encodes what a file says about the surface.
pub(crate) fn encode_surface(surface: &Surface<NodeId>) -> Encoded {
    encode(SURFACE, |out| surface::write(out, surface))
}

/// Decodes what a file says about the surface.
pub(crate) fn decode_surface(bytes: &[u8]) -> Result<Surface<NodeId>, CodecError> {
    decode(SURFACE, bytes, surface::read)
}

/// Encodes a tree manifest.
pub(crate) fn encode_manifest(plain: &[u8]) -> Encoded {
    encode(MANIFEST, |out| out.bytes.extend_from_slice(plain))
}

/// Decodes a tree manifest.
pub(crate) fn decode_manifest(bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    // Megabytes, so avoid another copy.
    let mut manifest = Vec::new();
    match unpack(MANIFEST, bytes, &mut manifest)? {
        Some(plain) => Ok(plain.to_vec()),
        None => Ok(manifest),
    }
}

/// Decodes the edges of the graph of a file, and how many of them start in the file.
pub(crate) fn decode_edges(bytes: &[u8]) -> Result<(Vec<EdgeRow>, usize), CodecError> {
    decode(GRAPH, bytes, graph::read_edges_only)
}

/// Encodes the edges to one node: too few to be worth compressing.
pub(crate) fn encode_incoming_edges(edges: &[StoredEdge]) -> Vec<u8> {
    let mut out = Encoder { bytes: Vec::with_capacity(edges.len() * 8) };
    incoming_edges::write(&mut out, edges);
    out.bytes
}

/// Decodes the edges to `target`.
pub(crate) fn decode_incoming_edges(
    bytes: &[u8],
    target: i64,
    edges: &mut Vec<StoredEdge>,
) -> Result<(), CodecError> {
    incoming_edges::read(bytes, target, edges)
}

/// The number of edges in an encoded list.
pub(crate) fn count_incoming_edges(bytes: &[u8]) -> Result<u32, CodecError> {
    incoming_edges::count(bytes)
}

/// Encoded facts without compression.
pub(crate) fn plain_facts(bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
    let what = bytes.first().ok_or(CodecError)? & !PACKED;
    let mut buffer = Vec::new();
    let plain = unpack(what, bytes, &mut buffer)?.unwrap_or(&buffer);
    let mut tagged = Vec::with_capacity(plain.len() + 1);
    tagged.push(what);
    tagged.extend_from_slice(plain);
    Ok(tagged)
}

/// What [`plain_facts`] returned, encoded as it was.
pub(crate) fn packed_facts(plain: &[u8]) -> Result<Encoded, CodecError> {
    match plain.first() {
        Some(what) if what & PACKED == 0 => Ok(Packer::with(|packer| packer.pack(*what, plain))),
        _ => Err(CodecError),
    }
}

/// A compressor and its buffers. It holds a megabyte, which threads that write once would never free.
struct Packer {
    plain: Vec<u8>,
    packed: Vec<u8>,
    compressor: Compressor<'static>,
}

/// Idle compressors. There are never more than were in use at once.
static SPARE: Mutex<Vec<Packer>> = Mutex::new(Vec::new());

impl Packer {
    fn new() -> Self {
        let mut compressor = Compressor::new(LEVEL).expect("the level is a known one");
        compressor.set_parameter(CParameter::ChecksumFlag(true)).expect("checksums are always available");
        Self { plain: Vec::new(), packed: Vec::new(), compressor }
    }

    /// Takes a compressor.
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

/// The decompressor of each thread.
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

fn encode(what: u8, write: impl FnOnce(&mut Encoder)) -> Encoded {
    Packer::with(|packer| {
        let mut out = Encoder { bytes: std::mem::take(&mut packer.plain) };
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

/// Decompresses into `into`; returns uncompressed bytes as they are.
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
