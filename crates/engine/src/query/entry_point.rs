//! Entry points: symbols and files that code outside the repository calls.

use crate::extraction::Language;
use crate::query::traversal::Edges;
use crate::{Definition, DescribedNode, EdgeRow, EngineError, GraphView, NodeId};
use orient_model::{EdgeKind, Modifier, Modifiers, Modules, Role, SymbolKind};

/// Why something is an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryPoint {
    /// The main function of a program.
    Main,
    /// An attribute or decorator registers it with a framework: a command, a route, a job.
    Marked,
    /// The top-level code of a file that no other file imports.
    Script,
}

impl EntryPoint {
    /// The word that users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Marked => "marked",
            Self::Script => "script",
        }
    }
}

/// Attribute names that register a function with an outside caller.
const MARKS: &[&str] = &[
    "command",
    "endpoint",
    "handler",
    "main",
    "route",
    "rpc",
    "scheduled",
    "subcommand",
    "task",
    "webhook",
    "websocket",
];
/// Attribute names that do so only with arguments.
const CALLED_MARKS: &[&str] =
    &["delete", "get", "head", "listener", "on", "patch", "post", "put", "subscribe", "cron"];

/// Whether a symbol is an entry point, judged by its header.
pub(crate) fn of_header<'a>(
    name: &str,
    kind: SymbolKind,
    modifiers: Modifiers,
    attributes: impl IntoIterator<Item = &'a str>,
) -> Option<EntryPoint> {
    if !kind.is_callable() || modifiers.contains(Modifier::Declaration) {
        return None;
    }
    let free = kind == SymbolKind::Function || modifiers.contains(Modifier::Static);
    if free && (name == "main" || name == "Main") {
        return Some(EntryPoint::Main);
    }
    attributes.into_iter().any(marks).then_some(EntryPoint::Marked)
}

fn marks(attribute: &str) -> bool {
    let (name, called) = match attribute.split_once('(') {
        Some((name, _)) => (name, true),
        None => (attribute, false),
    };
    let last = name.rsplit(['.', ':', '\\']).next().unwrap_or_default().trim().to_ascii_lowercase();
    let http = last.strip_prefix("http").is_some_and(|verb| CALLED_MARKS.contains(&verb));
    let mapping = last.ends_with("mapping");
    MARKS.contains(&last.as_str()) || http || mapping || (called && CALLED_MARKS.contains(&last.as_str()))
}

impl GraphView<'_> {
    /// Whether a node is an entry point. Tests are not, because they reach everything.
    pub fn entry(&self, node: NodeId) -> Result<Option<EntryPoint>, EngineError> {
        if self.is_test(node)? {
            return Ok(None);
        }
        let described = self.describe(node)?;
        if let Some(Definition { name, kind, modifiers, attributes, .. }) = &described.definition {
            return Ok(of_header(name, *kind, *modifiers, attributes.iter().map(String::as_str)));
        }
        if described.file.role != Role::Source || !self.has_top_level_code(&described)? {
            return Ok(None);
        }
        for inside in self.members(node)? {
            for edge in self.incoming(inside)? {
                let is_import = edge.kind == EdgeKind::Imports && !self.is_test(edge.source)?;
                if is_import && self.file_of(edge.source)?.id != described.file.id {
                    return Ok(None);
                }
            }
        }
        Ok(Some(EntryPoint::Script))
    }

    /// Whether the top-level code of a file does something besides definitions.
    fn has_top_level_code(&self, file: &DescribedNode) -> Result<bool, EngineError> {
        if self.snapshot().surface_edges()?.registers(file.file.id) {
            return Ok(true);
        }
        let language = Language::of(file.file.language.as_deref(), &file.file.path);
        // In C, code outside of functions is declarations only; calls there are macros that the parser did not recognise.
        if language.and_then(Language::rules).is_some_and(|rules| rules.modules == Modules::Include) {
            return Ok(false);
        }
        let imports_run = language.and_then(Language::rules).is_some_and(|rules| rules.imports_run);
        let is_last = self.outline(file.file.id)?.outline.exports.is_empty();
        let runs = |edge: &EdgeRow| match edge.kind {
            EdgeKind::Calls | EdgeKind::Constructs => true,
            EdgeKind::Registers => imports_run,
            // A file that exports what it imports is a part of others.
            EdgeKind::Imports => imports_run && is_last,
            _ => false,
        };
        if self.outgoing(file.node)?.iter().any(runs) {
            return Ok(true);
        }
        if imports_run {
            for inside in self.members(file.node)?.into_iter().skip(1) {
                let is_variable =
                    matches!(self.kind(inside)?, Some(SymbolKind::Variable | SymbolKind::Constant));
                if is_variable && self.is_top_level(inside)? && self.outgoing(inside)?.iter().any(runs) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a program starts at a node: an entry point that no code registers.
    pub fn starts_program(&self, node: NodeId) -> Result<bool, EngineError> {
        Ok(match self.entry(node)? {
            None => false,
            Some(EntryPoint::Main | EntryPoint::Script) => true,
            Some(EntryPoint::Marked) => {
                !self.incoming(node)?.iter().any(|edge| edge.kind == EdgeKind::Registers)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_identify_entry_points() {
        let of = |name, kind, attributes: &[&str]| {
            of_header(name, kind, Modifiers::default(), attributes.iter().copied())
        };
        let function = SymbolKind::Function;
        assert_eq!(of("main", function, &[]), Some(EntryPoint::Main));
        assert_eq!(of("main", SymbolKind::Method, &[]), None, "of an object, not of the program");
        for mark in ["app.route(\"/x\")", "tokio::main", "GetMapping(\"/x\")", "HttpGet", "router.get(\"/\")"]
        {
            assert_eq!(of("f", function, &[mark]), Some(EntryPoint::Marked), "{mark}");
        }
        for other in ["property", "x.get", "staticmethod", "derive(Debug)", "test", "inline"] {
            assert_eq!(of("f", function, &[other]), None, "{other}");
        }
        let mut modifiers = Modifiers::default();
        modifiers.insert(Modifier::Static);
        assert_eq!(of_header("Main", SymbolKind::Method, modifiers, []), Some(EntryPoint::Main));
    }
}
