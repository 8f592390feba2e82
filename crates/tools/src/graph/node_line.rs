//! A node of the graph as answers show it, and the evidence of a use.

use crate::text::writer::{Style, TextWriter};
use orient_engine::{DescribedNode, EdgeRow, Snapshot};
use orient_model::{Confidence, EdgeKind, Rule};
use serde::Serialize;
use std::io;

/// A symbol, or a file with its top-level code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct NodeLine {
    /// Its handle; the path of a file.
    pub(crate) handle: String,
    /// Its qualified name; empty for the top-level code of a file.
    pub(crate) name: String,
    /// Its kind; `file` for a file and its top-level code.
    pub(crate) kind: &'static str,
    /// Its file.
    pub(crate) path: String,
    /// The line of its name; 0 for a file.
    pub(crate) line: u32,
    /// Whether it is test code.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) test: bool,
}

impl NodeLine {
    /// The line of a node.
    pub(crate) fn of(node: &DescribedNode) -> Self {
        let path = node.file.path.display().into_owned();
        let handle = node.definition.as_ref().map_or_else(|| path.clone(), |one| one.handle.to_string());
        Self {
            handle,
            name: node.qualified(),
            kind: node.definition.as_ref().map_or("file", |definition| definition.shown_kind().as_str()),
            path,
            line: node.line(),
            test: node.is_test(),
        }
    }

    /// Puts its path below the name of its root.
    pub(crate) fn label(&mut self, root: &str) {
        self.handle = format!("{root}/{}", self.handle);
        self.path = format!("{root}/{}", self.path);
    }

    /// Its name; the path if it has none.
    pub(crate) fn called(&self) -> &str {
        if self.name.is_empty() { &self.path } else { &self.name }
    }

    /// Where it is declared: `path:line`.
    pub(crate) fn anchor(&self) -> String {
        if self.line == 0 { self.path.clone() } else { format!("{}:{}", self.path, self.line) }
    }

    /// Writes its kind and name.
    pub(crate) fn write_name(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if self.name.is_empty() {
            return writer.put(Style::Kind, "top level");
        }
        writer.put(Style::Kind, self.kind)?;
        writer.plain(" ")?;
        writer.put(Style::Name, &self.name)
    }

    /// Writes its location, kind and name.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &self.anchor())?;
        writer.plain("  ")?;
        self.write_name(writer)
    }
}

/// One use of a symbol and its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct UseLine {
    /// The line, in the file that contains the use.
    pub(crate) line: u32,
    /// The kind of use.
    pub(crate) kind: &'static str,
    /// The confidence: `exact`, `probable`, or `approximate` if only the name matches.
    pub(crate) confidence: &'static str,
    /// The rule that proved it.
    pub(crate) rule: &'static str,
}

impl UseLine {
    /// The use of an edge.
    pub(crate) fn of(edge: &EdgeRow) -> Self {
        Self {
            line: edge.line,
            kind: edge.kind.as_str(),
            confidence: edge.confidence.as_str(),
            rule: edge.rule.as_str(),
        }
    }
}

/// The distinct lines of uses, in order: `24,30`.
pub(crate) fn lines(uses: &[UseLine]) -> String {
    const MAX_LINES: usize = 8;
    let mut lines: Vec<u32> = uses.iter().map(|one| one.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut shown: Vec<String> = lines.iter().take(MAX_LINES).map(u32::to_string).collect();
    if lines.len() > MAX_LINES {
        shown.push("…".to_owned());
    }
    shown.join(",")
}

/// What is unusual about uses: kinds other than calls, and a confidence below `exact`. `None` for exact calls.
pub(crate) fn qualifier(uses: &[UseLine]) -> Option<String> {
    let mut kinds: Vec<&str> = uses.iter().map(|one| one.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.retain(|&kind| kind != EdgeKind::Calls.as_str());
    let exact = Confidence::Exact.as_str();
    let unsure = uses.first().filter(|best| best.confidence != exact);
    if let Some(best) = unsure {
        let proof = format!("{}: {}", best.confidence, best.rule);
        return Some(if kinds.is_empty() { proof } else { format!("{} {proof}", kinds.join(", ")) });
    }
    if uses.first().is_some_and(|best| best.rule == Rule::Compiler.as_str()) {
        kinds.push(Rule::Compiler.as_str());
    }
    (!kinds.is_empty()).then(|| kinds.join(", "))
}

/// The note that names the compilers behind uses; none if our own rules proved them all.
pub(crate) fn compiler_note<'u>(
    snapshot: &Snapshot,
    uses: impl IntoIterator<Item = &'u UseLine>,
) -> Option<String> {
    let mut uses = uses.into_iter();
    let tools = uses.any(|one| one.rule == Rule::Compiler.as_str()).then(|| snapshot.compilers())?;
    (!tools.is_empty()).then(|| format!("`compiler`: said by {}", tools.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(line: u32, kind: &'static str, confidence: &'static str) -> UseLine {
        UseLine { line, kind, confidence, rule: "inferred" }
    }

    #[test]
    fn only_unusual_uses_are_qualified() {
        let plain = [uses(30, "calls", "exact"), uses(24, "calls", "exact"), uses(24, "calls", "exact")];
        assert_eq!((lines(&plain), qualifier(&plain)), ("24,30".to_owned(), None));
        assert_eq!(qualifier(&[uses(1, "constructs", "exact")]), Some("constructs".to_owned()));
        assert_eq!(qualifier(&[uses(1, "calls", "probable")]), Some("probable: inferred".to_owned()));
        assert_eq!(
            qualifier(&[uses(1, "constructs", "probable")]),
            Some("constructs probable: inferred".to_owned())
        );
    }
}
