//! The encoding of the edges to one node: their number, then each edge as the difference to the one before.

use super::CodecError;
use super::varint::{Decoder, Encoder, difference, sum};
use crate::graph::StoredEdge;

/// The source is that of the edge before.
const SAME: u32 = 1;
/// The edge was found in another file than that of its source.
const OWNED: u32 = 2;
/// The factor of the kind, above the two flags.
const KIND: u32 = 4;

pub(super) fn write(out: &mut Encoder, edges: &[StoredEdge]) {
    out.number(edges.len() as u32);
    let mut before = edges.first().map_or((0, 0), |edge| (edge.target, 0));
    for edge in edges {
        let (same, owned) = (edge.source == before.0, edge.owner != 0);
        out.number(u32::from(edge.kind) * KIND + if same { SAME } else { 0 } + if owned { OWNED } else { 0 });
        if same {
            out.number(difference(edge.line, before.1));
        } else {
            out.step(edge.source, before.0);
            out.number(edge.line);
        }
        if owned {
            out.wide(edge.owner.cast_unsigned());
        }
        out.bytes.push(edge.proof);
        before = (edge.source, edge.line);
    }
}

pub(super) fn read(bytes: &[u8], target: i64, edges: &mut Vec<StoredEdge>) -> Result<(), CodecError> {
    let mut from = Decoder { bytes };
    let count = from.count()?;
    edges.reserve(count);
    let mut before = (target, 0);
    for _ in 0..count {
        let what = from.number()?;
        let (source, line) = if what & SAME != 0 {
            (before.0, sum(from.number()?, before.1))
        } else {
            (from.step(before.0)?, from.number()?)
        };
        let owner = if what & OWNED != 0 { from.wide()?.cast_signed() } else { 0 };
        let (&proof, rest) = from.bytes.split_first().ok_or(CodecError)?;
        from.bytes = rest;
        let kind = u8::try_from(what / KIND).map_err(|_| CodecError)?;
        edges.push(StoredEdge { target, source, kind, line, owner, proof });
        before = (source, line);
    }
    from.end()
}

/// The number of edges.
pub(super) fn count(bytes: &[u8]) -> Result<u32, CodecError> {
    Decoder { bytes }.number()
}
