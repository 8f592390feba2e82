//! The encoding of the graph of a file: column by column, ids as differences.

use super::CodecError;
use super::varint::{Decoder, Encoder, closed_list, made};
use crate::graph::{
    EdgeRow, ExternalRow, FileGraph, NodeId, UnlinkedReferences, UnresolvedRow, parts, proof,
};
use orient_model::{Atom, EdgeKind, Reason, RefKind, Strings};
use rustc_hash::FxHashMap;

pub(super) fn write(out: &mut Encoder, graph: &FileGraph) {
    let mut words = Words::default();
    let packages: Vec<u32> = graph.external.iter().map(|row| words.number(&row.package)).collect();
    let external: Vec<u32> = graph.external.iter().map(|row| words.number(&row.name)).collect();
    let unresolved: Vec<u32> = graph.unresolved.iter().map(|row| words.number(&row.name)).collect();
    out.strings(&words.strings);
    out.number(u32::from(graph.failed));
    let edges = &graph.edges;
    out.number(edges.len() as u32);
    out.number(graph.own as u32);
    nodes(out, edges.iter().map(|edge| edge.source));
    out.column(edges, |edge| edge.kind as u32);
    for edge in edges {
        out.step(edge.target.0, edge.source.0);
    }
    out.ascending(edges, |edge| edge.line);
    out.column(edges, |edge| u32::from(proof(edge)));
    out.number(external.len() as u32);
    nodes(out, graph.external.iter().map(|row| row.source));
    out.column(&graph.external, |row| row.kind as u32);
    out.column(&packages, |&number| number);
    out.column(&external, |&number| number);
    out.ascending(&graph.external, |row| row.line);
    out.number(unresolved.len() as u32);
    nodes(out, graph.unresolved.iter().map(|row| row.source));
    out.column(&graph.unresolved, |row| row.kind as u32);
    out.column(&unresolved, |&number| number);
    out.ascending(&graph.unresolved, |row| row.line);
    out.column(&graph.unresolved, |row| row.reason as u32);
}

pub(super) fn read(bytes: &[u8]) -> Result<FileGraph, CodecError> {
    let mut from = Decoder { bytes };
    let strings = from.strings()?;
    let failed = from.flag()?;
    let (edges, own) = read_edges(&mut from)?;
    let external = read_outside(&mut from, &strings)?;
    let unresolved = read_misses(&mut from, &strings)?;
    from.end()?;
    Ok(FileGraph { edges, own, external, unresolved, failed })
}

/// Decodes the edges only.
pub(super) fn read_edges_only(bytes: &[u8]) -> Result<(Vec<EdgeRow>, usize), CodecError> {
    let mut from = Decoder { bytes };
    from.strings()?;
    from.flag()?;
    read_edges(&mut from)
}

/// Decodes the unresolved and the external references to one name only.
pub(super) fn read_references_to(bytes: &[u8], name: &str) -> Result<UnlinkedReferences, CodecError> {
    const FIELDS: usize = 5;
    let mut from = Decoder { bytes };
    let Some(wanted) = from.place(name)? else { return Ok(UnlinkedReferences::default()) };
    from.flag()?;
    let edges = from.count()?;
    from.skip(1 + FIELDS * edges)?;
    let count = from.count()?;
    let (sources, kinds) = (read_nodes(&mut from, count)?, from.column(count)?);
    from.skip(count)?;
    let names = from.column(count)?;
    let row = |at: usize| Ok((sources[at], ref_kind(kinds[at])?));
    let external =
        (0..count).filter(|&at| names[at] == wanted).map(row).collect::<Result<_, CodecError>>()?;
    from.skip(count)?;
    let count = from.count()?;
    let (sources, kinds) = (read_nodes(&mut from, count)?, from.column(count)?);
    let (names, lines, reasons) = (from.column(count)?, from.ascending(count)?, from.column(count)?);
    let row = |at: usize| {
        Ok(UnresolvedRow {
            source: sources[at],
            kind: ref_kind(kinds[at])?,
            name: name.to_owned(),
            line: lines[at],
            reason: byte(reasons[at]).and_then(Reason::from_number).ok_or(CodecError)?,
        })
    };
    let unresolved =
        (0..count).filter(|&at| names[at] == wanted).map(row).collect::<Result<_, CodecError>>()?;
    Ok(UnlinkedReferences { unresolved, external })
}

fn read_edges(from: &mut Decoder<'_>) -> Result<(Vec<EdgeRow>, usize), CodecError> {
    let count = from.count()?;
    let own = from.number()? as usize;
    if own > count {
        return Err(CodecError);
    }
    let (sources, kinds) = (read_nodes(from, count)?, from.column(count)?);
    let mut edges = Vec::with_capacity(count);
    for (source, kind) in sources.into_iter().zip(kinds) {
        let kind = byte(kind).and_then(EdgeKind::from_number).ok_or(CodecError)?;
        let target = NodeId(from.step(source.0)?);
        let (confidence, rule) = parts(0).ok_or(CodecError)?;
        edges.push(EdgeRow { source, kind, target, line: 0, confidence, rule });
    }
    let (lines, proofs) = (from.ascending(count)?, from.column(count)?);
    for ((edge, line), proof) in edges.iter_mut().zip(lines).zip(proofs) {
        let (confidence, rule) = byte(proof).and_then(parts).ok_or(CodecError)?;
        (edge.line, edge.confidence, edge.rule) = (line, confidence, rule);
    }
    Ok((edges, own))
}

fn read_outside(from: &mut Decoder<'_>, strings: &Strings) -> Result<Vec<ExternalRow>, CodecError> {
    let count = from.count()?;
    let (sources, kinds) = (read_nodes(from, count)?, from.column(count)?);
    let (packages, names) = (from.column(count)?, from.column(count)?);
    let lines = from.ascending(count)?;
    let row = |at: usize| {
        Ok(ExternalRow {
            source: sources[at],
            kind: ref_kind(kinds[at])?,
            package: word(strings, packages[at])?,
            name: word(strings, names[at])?,
            line: lines[at],
        })
    };
    made(count, row)
}

fn read_misses(from: &mut Decoder<'_>, strings: &Strings) -> Result<Vec<UnresolvedRow>, CodecError> {
    let count = from.count()?;
    let (sources, kinds) = (read_nodes(from, count)?, from.column(count)?);
    let (names, lines, reasons) = (from.column(count)?, from.ascending(count)?, from.column(count)?);
    let row = |at: usize| {
        Ok(UnresolvedRow {
            source: sources[at],
            kind: ref_kind(kinds[at])?,
            name: word(strings, names[at])?,
            line: lines[at],
            reason: byte(reasons[at]).and_then(Reason::from_number).ok_or(CodecError)?,
        })
    };
    made(count, row)
}

/// Nodes that mostly ascend, as differences to the one before.
fn nodes(out: &mut Encoder, nodes: impl Iterator<Item = NodeId>) {
    let mut before = 0i64;
    for NodeId(node) in nodes {
        out.step(node, before);
        before = node;
    }
}

fn read_nodes(from: &mut Decoder<'_>, count: usize) -> Result<Vec<NodeId>, CodecError> {
    let mut before = 0i64;
    from.rows(count, |from| {
        before = from.step(before)?;
        Ok(NodeId(before))
    })
}

fn byte(number: u32) -> Option<u8> {
    u8::try_from(number).ok()
}

fn word(strings: &Strings, number: u32) -> Result<String, CodecError> {
    if (number as usize) < strings.len() { Ok(strings.get(Atom(number)).to_owned()) } else { Err(CodecError) }
}

/// Strings, each stored once.
#[derive(Default)]
struct Words<'w> {
    strings: Strings,
    numbers: FxHashMap<&'w str, u32>,
}

impl<'w> Words<'w> {
    fn number(&mut self, text: &'w str) -> u32 {
        *self.numbers.entry(text).or_insert_with(|| self.strings.push(text).0)
    }
}

closed_list! {
    ref_kind -> RefKind { Call, Construct, Read, Write, Type, Decorate, Inherit, Expand }
}
