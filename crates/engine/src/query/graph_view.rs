//! The graph of a snapshot, as one question sees it: whatever was looked at once is not fetched again.

use crate::query::traversal::Edges;
use crate::{Definition, EdgeRow, EngineError, FileGraph, FileOutline, NodeId, Snapshot, UnresolvedRow};
use orient_model::{Handle, Modifier, Modifiers, RepoPath, Role, SymbolKind};
use orient_store::{FileId, FileRow, SymbolRow};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// How many files that ask for a name are looked at for unresolved uses of it.
const ASKING: usize = 5_000;

/// The graph of a snapshot. Made for one question: its memory of what it has seen is not bounded.
pub struct GraphView<'s> {
    snapshot: &'s Snapshot,
    files: RefCell<FxHashMap<FileId, Rc<FileRow>>>,
    outlines: RefCell<FxHashMap<FileId, Arc<FileOutline>>>,
    briefs: RefCell<FxHashMap<NodeId, Rc<Brief>>>,
}

/// What is known of a node without a look at the outline of its file.
struct Brief {
    file: Rc<FileRow>,
    symbol: Option<SymbolRow>,
}

impl Brief {
    fn is_test(&self) -> bool {
        let role = self.file.role;
        let symbol = self.symbol.as_ref();
        symbol.map_or(role == Role::Test, |symbol| is_test(role, symbol.kind, symbol.modifiers))
    }
}

/// A node in words: a symbol, or a file with its top-level code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The node.
    pub node: NodeId,
    /// The file it is in, or is.
    pub file: Rc<FileRow>,
    /// The symbol; none for a file.
    pub definition: Option<Definition>,
}

impl Described {
    /// The line of the declared name; 0 for a file and its top-level code.
    pub fn line(&self) -> u32 {
        self.definition.as_ref().map_or(0, |definition| definition.name_span.first_line)
    }

    /// The qualified name; empty for a file and its top-level code.
    pub fn qualified(&self) -> String {
        let join = |definition: &Definition| Handle::join(definition.handle.names.iter().map(String::as_str));
        self.definition.as_ref().map_or_else(String::new, join)
    }

    /// Whether it is a test, or only tests can see it.
    pub fn is_test(&self) -> bool {
        self.definition.as_ref().map_or(self.file.role == Role::Test, |definition| {
            is_test(self.file.role, definition.kind, definition.modifiers)
        })
    }
}

fn is_test(role: Role, kind: SymbolKind, modifiers: Modifiers) -> bool {
    role == Role::Test || kind == SymbolKind::Test || modifiers.contains(Modifier::Test)
}

/// Where a node stands, in the order in which nodes are told: tests behind the rest, since what is shown may end before all
/// of them; then by path and place in the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodePlace {
    /// Whether it is a test, or only tests can see it.
    pub test: bool,
    /// The path of its file.
    pub path: RepoPath,
    /// Its number in the file; 0 for the file itself.
    pub at: u32,
}

/// A use that has the name of a symbol and could not be resolved: it may mean it or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Where it stands.
    pub path: RepoPath,
    /// The use.
    pub miss: UnresolvedRow,
}

/// Unresolved uses of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// The uses, by path and line.
    pub uses: Vec<Mention>,
    /// How many files were not looked at, because too many ask for the name.
    pub unread: usize,
}

impl Snapshot {
    /// The graph, for one question.
    pub fn graph(&self) -> GraphView<'_> {
        GraphView {
            snapshot: self,
            files: RefCell::default(),
            outlines: RefCell::default(),
            briefs: RefCell::default(),
        }
    }
}

impl<'s> GraphView<'s> {
    /// The snapshot it belongs to.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// A node in words.
    pub fn describe(&self, node: NodeId) -> Result<Described, EngineError> {
        let brief = self.brief(node)?;
        let file = Rc::clone(&brief.file);
        let definition = match &brief.symbol {
            None => None,
            Some(symbol) => {
                let held = self.outline(file.id)?;
                Definition::new(&held.file, &held.outline, symbol.at, symbol.id)
            }
        };
        Ok(Described { node, file, definition })
    }

    /// The file of a node.
    pub fn file_of(&self, node: NodeId) -> Result<Rc<FileRow>, EngineError> {
        Ok(Rc::clone(&self.brief(node)?.file))
    }

    /// The own name of a node; empty for a file.
    pub fn name(&self, node: NodeId) -> Result<String, EngineError> {
        Ok(self.brief(node)?.symbol.as_ref().map_or_else(String::new, |symbol| symbol.name.clone()))
    }

    /// Whether a node is code of tests: a test, or what only tests can see.
    pub fn is_test(&self, node: NodeId) -> Result<bool, EngineError> {
        Ok(self.brief(node)?.is_test())
    }

    /// The innermost test around a node, itself included: what a runner runs, not a helper that stands beside it.
    pub fn test_around(&self, node: NodeId) -> Result<Option<NodeId>, EngineError> {
        let brief = self.brief(node)?;
        let Some(symbol) = &brief.symbol else { return Ok(None) };
        let held = self.outline(brief.file.id)?;
        let mut next = Some(symbol.at);
        while let Some((at, symbol)) = next.and_then(|at| Some((at, held.outline.symbols.get(at as usize)?)))
        {
            if symbol.modifiers.is_test_case(brief.file.role) {
                return Ok(held.ids.get(at as usize).map(|&id| NodeId::from(id)));
            }
            next = symbol.parent;
        }
        Ok(None)
    }

    /// What resolving a file gave.
    pub fn file_graph(&self, file: FileId) -> Result<Arc<FileGraph>, EngineError> {
        self.snapshot.file_graph(file)
    }

    /// A file and what it holds.
    pub fn outline(&self, file: FileId) -> Result<Arc<FileOutline>, EngineError> {
        if let Some(held) = self.outlines.borrow().get(&file) {
            return Ok(Arc::clone(held));
        }
        let held = self.snapshot.outline_of(file)?.ok_or(EngineError::Lost { what: "file" })?;
        self.outlines.borrow_mut().insert(file, Arc::clone(&held));
        Ok(held)
    }

    /// A file by its id.
    pub fn file(&self, file: FileId) -> Result<Rc<FileRow>, EngineError> {
        if let Some(row) = self.files.borrow().get(&file) {
            return Ok(Rc::clone(row));
        }
        let row = self.snapshot.store.file_by_id(file)?.ok_or(EngineError::Lost { what: "file" })?;
        let row = Rc::new(row);
        self.files.borrow_mut().insert(file, Rc::clone(&row));
        Ok(row)
    }

    /// The nodes of a symbol and of what it contains: the symbol itself first, then in the order of the source.
    pub fn members(&self, node: NodeId) -> Result<Vec<NodeId>, EngineError> {
        let brief = self.brief(node)?;
        let held = self.outline(brief.file.id)?;
        let mut nodes = vec![node];
        let Some(symbol) = &brief.symbol else {
            nodes.extend(held.ids.iter().map(|&id| NodeId::from(id)));
            return Ok(nodes);
        };
        let mut inside = vec![symbol.at];
        for (at, &id) in held.ids.iter().enumerate().skip(symbol.at as usize + 1) {
            let parent = held.outline.symbols.get(at).and_then(|symbol| symbol.parent);
            if parent.is_some_and(|parent| inside.contains(&parent)) {
                inside.push(at as u32);
                nodes.push(id.into());
            }
        }
        Ok(nodes)
    }

    /// Uses of a name that could not be resolved.
    pub fn mentions(&self, name: &str) -> Result<Mentions, EngineError> {
        let files = self.snapshot.dependents_of_name(name)?;
        let mut rows = Vec::with_capacity(files.len());
        for file in files {
            rows.push(self.file(file)?);
        }
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        let mut found = Mentions { uses: Vec::new(), unread: rows.len().saturating_sub(ASKING) };
        for row in rows.into_iter().take(ASKING) {
            let mut uses = self.snapshot.store.reader().unresolved_of(row.id, name)?;
            uses.sort_by_key(|miss| miss.line);
            found.uses.extend(uses.into_iter().map(|miss| Mention { path: row.path.clone(), miss }));
        }
        Ok(found)
    }

    fn brief(&self, node: NodeId) -> Result<Rc<Brief>, EngineError> {
        if let Some(brief) = self.briefs.borrow().get(&node) {
            return Ok(Rc::clone(brief));
        }
        let brief = if let Some(file) = node.file() {
            Brief { file: self.file(file)?, symbol: None }
        } else {
            let row = node.symbol().map(|id| self.snapshot.store.symbol(id)).transpose()?.flatten();
            let row = row.ok_or(EngineError::Lost { what: "symbol" })?;
            Brief { file: self.file(row.file)?, symbol: Some(row) }
        };
        let brief = Rc::new(brief);
        self.briefs.borrow_mut().insert(node, Rc::clone(&brief));
        Ok(brief)
    }
}

impl Edges for GraphView<'_> {
    type Fault = EngineError;
    type Place = NodePlace;

    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        self.snapshot.incoming(node)
    }

    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        self.snapshot.outgoing(node)
    }

    fn place(&self, node: NodeId) -> Result<NodePlace, EngineError> {
        let brief = self.brief(node)?;
        let at = brief.symbol.as_ref().map_or(0, |symbol| symbol.at + 1);
        Ok(NodePlace { test: brief.is_test(), path: brief.file.path.clone(), at })
    }

    fn can_override(&self, node: NodeId) -> Result<bool, EngineError> {
        use SymbolKind::{Event, Field, Method, Operator, Property};
        let kind = self.brief(node)?.symbol.as_ref().map(|symbol| symbol.kind);
        Ok(kind.is_some_and(|kind| matches!(kind, Event | Field | Method | Operator | Property)))
    }
}
