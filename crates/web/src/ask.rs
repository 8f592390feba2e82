//! Asks operations of the table and reads their answers. The only module that names operations.

use orient_tools::{AnswerMetadata, Code, OPERATIONS, Redactor, Session, ToolError, redact_json};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::io;

/// The operations that pages consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Blame,
    Callees,
    Callers,
    Changes,
    Deps,
    Edges,
    Files,
    Find,
    Grep,
    Hierarchy,
    Hotspots,
    Log,
    Map,
    Outline,
    Rdeps,
    References,
    Search,
    Show,
    Status,
    Symbol,
    Symbols,
    Trace,
}

impl Asked {
    /// All of them.
    #[cfg(test)]
    const ALL: &'static [Self] = &[
        Self::Blame,
        Self::Callees,
        Self::Callers,
        Self::Changes,
        Self::Deps,
        Self::Edges,
        Self::Files,
        Self::Find,
        Self::Grep,
        Self::Hierarchy,
        Self::Hotspots,
        Self::Log,
        Self::Map,
        Self::Outline,
        Self::Rdeps,
        Self::References,
        Self::Search,
        Self::Show,
        Self::Status,
        Self::Symbol,
        Self::Symbols,
        Self::Trace,
    ];

    /// The name in the operation table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Blame => "blame",
            Self::Callees => "callees",
            Self::Callers => "callers",
            Self::Changes => "changes",
            Self::Deps => "deps",
            Self::Edges => "edges",
            Self::Files => "files",
            Self::Find => "find",
            Self::Grep => "grep",
            Self::Hierarchy => "hierarchy",
            Self::Hotspots => "hotspots",
            Self::Log => "log",
            Self::Map => "map",
            Self::Outline => "outline",
            Self::Rdeps => "rdeps",
            Self::References => "references",
            Self::Search => "search",
            Self::Show => "show",
            Self::Status => "status",
            Self::Symbol => "symbol",
            Self::Symbols => "symbols",
            Self::Trace => "trace",
        }
    }
}

/// An answer with everything that pages show about it.
#[derive(Debug)]
pub(crate) struct Answered<T> {
    pub(crate) data: T,
    pub(crate) metadata: AnswerMetadata,
}

/// The operations of one request. All answers come from one session, so the files are compared with the index once.
pub(crate) struct Asker<'s> {
    session: &'s Session<'s>,
    redacts: bool,
    redactor: RefCell<Redactor>,
    /// What the page should say about the freshness of its answers.
    pub(crate) generation: Cell<Option<u64>>,
    pub(crate) pending: Cell<u64>,
}

impl<'s> Asker<'s> {
    pub(crate) fn new(session: &'s Session<'s>, redacts: bool) -> Self {
        let (generation, pending) = (Cell::default(), Cell::default());
        Self { session, redacts, redactor: RefCell::default(), generation, pending }
    }

    /// The name of the served directory.
    pub(crate) fn root_name(&self) -> String {
        let root = self.session.root();
        root.file_name()
            .map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// Asks an operation. Arguments that are `null` count as absent.
    pub(crate) fn ask<T: DeserializeOwned>(
        &self,
        operation: Asked,
        mut arguments: Value,
    ) -> Result<Answered<T>, ToolError> {
        if let Some(fields) = arguments.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        let reply = entry(operation)?.call_with_any(self.session, arguments)?;
        let metadata = reply.metadata();
        self.note_freshness(&metadata);
        let mut data = reply.data();
        if self.redacts {
            redact_json(&mut data, &mut self.redactor.borrow_mut());
        }
        let data = serde_json::from_value(data).map_err(|error| {
            ToolError::new(Code::Internal, format!("unexpected answer of {}: {error}", operation.name()))
        })?;
        Ok(Answered { data, metadata })
    }

    /// Asks an operation whose answer is a stream of JSON lines, and keeps the first `limit` that `keep` accepts. The second
    /// result tells whether there are more.
    pub(crate) fn stream<T>(
        &self,
        operation: Asked,
        arguments: Value,
        limit: usize,
        keep: impl FnMut(Value) -> Option<T>,
    ) -> Result<(Vec<T>, bool), ToolError> {
        let reply = entry(operation)?.call(self.session, arguments)?;
        self.note_freshness(&reply.metadata());
        let redactor = self.redacts.then(|| self.redactor.borrow_mut());
        let mut lines = LineCollector { redactor, buffer: Vec::new(), kept: Vec::new(), limit, keep };
        let written = reply.json(&mut lines);
        let more = lines.kept.len() > limit;
        match written {
            Err(error) if !more => {
                Err(ToolError::new(Code::Io, format!("the answer could not be read: {error}")))
            }
            _ => {
                lines.kept.truncate(limit);
                Ok((lines.kept, more))
            }
        }
    }

    fn note_freshness(&self, metadata: &AnswerMetadata) {
        self.generation.set(metadata.generation().or(self.generation.get()));
        self.pending.set(self.pending.get().max(metadata.pending()));
    }
}

fn entry(operation: Asked) -> Result<&'static orient_tools::Operation, ToolError> {
    let found = OPERATIONS.iter().find(|entry| entry.name == operation.name());
    found.ok_or_else(|| ToolError::new(Code::Internal, "a page asks an operation that does not exist"))
}

/// Parses JSON lines while they are written, and stops the writer after enough of them.
struct LineCollector<'r, T, K> {
    redactor: Option<std::cell::RefMut<'r, Redactor>>,
    buffer: Vec<u8>,
    kept: Vec<T>,
    limit: usize,
    keep: K,
}

impl<T, K: FnMut(Value) -> Option<T>> io::Write for LineCollector<'_, T, K> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        let Some(end) = self.buffer.iter().rposition(|byte| *byte == b'\n') else { return Ok(bytes.len()) };
        let rest = self.buffer.split_off(end + 1);
        let lines = std::mem::replace(&mut self.buffer, rest);
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let Ok(mut value) = serde_json::from_slice(line) else { continue };
            if let Some(redactor) = &mut self.redactor {
                redact_json(&mut value, redactor);
            }
            self.kept.extend((self.keep)(value));
            if self.kept.len() > self.limit {
                return Err(io::Error::other("enough lines"));
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The answer to a question about a symbol, as operations give it.
#[derive(Debug, Deserialize)]
#[serde(tag = "found", rename_all = "snake_case")]
pub(crate) enum NamedSymbol<T> {
    /// The name means one symbol.
    One(T),
    /// The name is ambiguous.
    Several { name: String, candidates: Vec<SymbolData> },
    /// No symbol has the name.
    None { name: String, did_you_mean: Vec<SymbolData> },
}

/// A symbol in a list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SymbolData {
    pub(crate) handle: String,
    pub(crate) name: String,
    pub(crate) qualified: String,
    pub(crate) kind: String,
    pub(crate) language: Option<String>,
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) signature: String,
    pub(crate) visibility: String,
    pub(crate) bases: Vec<String>,
    pub(crate) attributes: Vec<String>,
}

/// A node of the graph: a symbol, or a file with its top-level code.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NodeData {
    pub(crate) handle: String,
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) test: bool,
}

/// The evidence of a use.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct UseData {
    pub(crate) line: u32,
    pub(crate) kind: String,
    pub(crate) confidence: String,
    pub(crate) rule: String,
}

/// Unresolved uses of a name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NameOnlyData {
    pub(crate) total: u64,
    pub(crate) external: u64,
    pub(crate) shown: Vec<NameOnlyUse>,
}

/// An unresolved use of a name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NameOnlyUse {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) within: String,
    pub(crate) reason: String,
}

/// A commit in a list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CommitData {
    pub(crate) commit: String,
    pub(crate) date: String,
    pub(crate) author: String,
    pub(crate) subject: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn every_operation_of_a_page_exists_and_is_open_to_programs() {
        for operation in Asked::ALL {
            assert!(entry(*operation).is_ok_and(|entry| entry.exposed), "{operation:?}");
        }
    }

    #[test]
    fn lines_are_collected_across_writes_until_there_are_enough() {
        let mut lines = LineCollector {
            redactor: None,
            buffer: Vec::new(),
            kept: Vec::new(),
            limit: 2,
            keep: |value: Value| value.as_u64(),
        };
        assert!(lines.write_all(b"1\n\"no number\"\n2").is_ok());
        assert_eq!(lines.kept, [1]);
        assert!(lines.write_all(b"2\n3\n4\n").is_err(), "the third stops the search");
        assert_eq!(lines.kept, [1, 22, 3]);
    }
}
