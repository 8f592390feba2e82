//! The form of the edges that lead to one node: how many, then one after the other, each from where the one before stands.

use super::CodecError;
use super::varint::{In, Out, difference, sum};
use crate::graph::StoredEdge;

/// The source is that of the edge before.
const SAME: u32 = 1;
/// Another file than that of the source gave rise to the edge.
const OWNED: u32 = 2;
/// The kind is a number of this many.
const KIND: u32 = 4;

pub(super) fn write(out: &mut Out, edges: &[StoredEdge]) {
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
    let mut from = In { bytes };
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

/// How many there are.
pub(super) fn count(bytes: &[u8]) -> Result<u32, CodecError> {
    In { bytes }.number()
}
