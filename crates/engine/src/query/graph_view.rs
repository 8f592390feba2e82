//! The graph as one query sees it: a memo of everything the query has read.

use crate::extraction;
use crate::query::traversal::Edges;
use crate::{Definition, EdgeRow, EngineError, FileGraph, FileOutline, NodeId, Snapshot, UnresolvedRow};
use orient_model::{EdgeKind, Handle, Modifier, Modifiers, RefKind, RepoPath, Role, Rule, SymbolKind};
use orient_store::{FileId, FileRow, SymbolRow};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// Maximum number of files that are searched for unresolved uses of a name.
const MAX_DEPENDENT_FILES: usize = 5_000;
/// Maximum number of types among which a base outside of the repository is looked for.
const MAX_BASES: usize = 32;

/// The graph of a snapshot. Made for one query: its memo tables are unbounded.
pub struct GraphView<'s> {
    snapshot: &'s Snapshot,
    files: RefCell<FxHashMap<FileId, Rc<FileRow>>>,
    outlines: RefCell<FxHashMap<FileId, Arc<FileOutline>>>,
    rows: RefCell<FxHashMap<NodeId, Rc<NodeRow>>>,
    /// The types that containers provide for a type.
    provided: RefCell<FxHashMap<NodeId, Rc<BTreeSet<NodeId>>>>,
}

/// The rows of a node, without the outline of its file.
struct NodeRow {
    file: Rc<FileRow>,
    symbol: Option<SymbolRow>,
}

impl NodeRow {
    fn is_test(&self) -> bool {
        let role = self.file.role;
        let symbol = self.symbol.as_ref();
        symbol.map_or(role == Role::Test, |symbol| is_test(role, symbol.kind, symbol.modifiers))
    }
}

/// A described node: a symbol, or a file with its top-level code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedNode {
    /// The node.
    pub node: NodeId,
    /// The file that it is in, or is.
    pub file: Rc<FileRow>,
    /// The symbol; `None` for a file.
    pub definition: Option<Definition>,
}

impl DescribedNode {
    /// The line of the declared name; 0 for a file and its top-level code.
    pub fn line(&self) -> u32 {
        self.definition.as_ref().map_or(0, |definition| definition.name_span.first_line)
    }

    /// The qualified name; empty for a file and its top-level code.
    pub fn qualified(&self) -> String {
        let join = |definition: &Definition| Handle::join(definition.handle.names.iter().map(String::as_str));
        self.definition.as_ref().map_or_else(String::new, join)
    }

    /// Whether it is a test, or visible to tests only.
    pub fn is_test(&self) -> bool {
        self.definition.as_ref().map_or(self.file.role == Role::Test, |definition| {
            is_test(self.file.role, definition.kind, definition.modifiers)
        })
    }
}

fn is_test(role: Role, kind: SymbolKind, modifiers: Modifiers) -> bool {
    role == Role::Test || kind == SymbolKind::Test || modifiers.contains(Modifier::Test)
}

/// The sort key of nodes in answers: tests last, since an answer may be truncated; then path and position in the
/// file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeOrder {
    /// Whether it is a test, or visible to tests only.
    pub test: bool,
    /// The path of its file.
    pub path: RepoPath,
    /// Its position in the file; 0 for the file itself.
    pub at: u32,
}

/// An unresolved use with the name of a symbol, which it may or may not mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedUse {
    /// The file of the use.
    pub path: RepoPath,
    /// The use.
    pub miss: UnresolvedRow,
}

/// Unresolved uses of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnresolvedUses {
    /// The uses, by path and line.
    pub uses: Vec<UnresolvedUse>,
    /// Uses of the name that apparently mean something outside the repository: the enclosing nodes, and the kinds of use.
    pub external: Vec<(NodeId, RefKind)>,
    /// Number of files not read, because too many depend on the name.
    pub unread: usize,
}

impl Snapshot {
    /// The graph, for one query.
    pub fn graph(&self) -> GraphView<'_> {
        GraphView {
            snapshot: self,
            files: RefCell::default(),
            outlines: RefCell::default(),
            rows: RefCell::default(),
            provided: RefCell::default(),
        }
    }
}

impl<'s> GraphView<'s> {
    /// The snapshot it belongs to.
    pub fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// Describes a node.
    pub fn describe(&self, node: NodeId) -> Result<DescribedNode, EngineError> {
        let node_row = self.node_row(node)?;
        let file = Rc::clone(&node_row.file);
        let definition = match &node_row.symbol {
            None => None,
            Some(symbol) => {
                let held = self.outline(file.id)?;
                Definition::new(&held.file, &held.outline, symbol.at, symbol.id)
            }
        };
        Ok(DescribedNode { node, file, definition })
    }

    /// The file of a node.
    pub fn file_of(&self, node: NodeId) -> Result<Rc<FileRow>, EngineError> {
        Ok(Rc::clone(&self.node_row(node)?.file))
    }

    /// The own name of a node; empty for a file.
    pub fn name(&self, node: NodeId) -> Result<String, EngineError> {
        Ok(self.node_row(node)?.symbol.as_ref().map_or_else(String::new, |symbol| symbol.name.clone()))
    }

    /// The kind of a symbol; `None` for a file.
    pub(crate) fn kind(&self, node: NodeId) -> Result<Option<SymbolKind>, EngineError> {
        Ok(self.node_row(node)?.symbol.as_ref().map(|symbol| symbol.kind))
    }

    /// Whether a symbol is in no other.
    pub(crate) fn is_top_level(&self, node: NodeId) -> Result<bool, EngineError> {
        Ok(self.node_row(node)?.symbol.as_ref().is_some_and(|symbol| symbol.parent.is_none()))
    }

    /// Whether a node is test code: a test, or visible to tests only.
    pub fn is_test(&self, node: NodeId) -> Result<bool, EngineError> {
        Ok(self.node_row(node)?.is_test())
    }

    /// The innermost enclosing test of a node, including itself: something a test runner runs, not a helper.
    pub fn test_around(&self, node: NodeId) -> Result<Option<NodeId>, EngineError> {
        let node_row = self.node_row(node)?;
        let Some(symbol) = &node_row.symbol else { return Ok(None) };
        let held = self.outline(node_row.file.id)?;
        let mut next = Some(symbol.at);
        while let Some((at, symbol)) = next.and_then(|at| Some((at, held.outline.symbols.get(at as usize)?)))
        {
            if symbol.modifiers.is_test_case(node_row.file.role) {
                return Ok(held.ids.get(at as usize).map(|&id| NodeId::from(id)));
            }
            next = symbol.parent;
        }
        Ok(None)
    }

    /// The resolution result of a file.
    pub fn file_graph(&self, file: FileId) -> Result<Arc<FileGraph>, EngineError> {
        self.snapshot.file_graph(file)
    }

    /// A file with its outline.
    pub fn outline(&self, file: FileId) -> Result<Arc<FileOutline>, EngineError> {
        if let Some(held) = self.outlines.borrow().get(&file) {
            return Ok(Arc::clone(held));
        }
        let held = self.snapshot.outline_of(file)?.ok_or(EngineError::DanglingNode { what: "file" })?;
        self.outlines.borrow_mut().insert(file, Arc::clone(&held));
        Ok(held)
    }

    /// A file by id.
    pub fn file(&self, file: FileId) -> Result<Rc<FileRow>, EngineError> {
        if let Some(row) = self.files.borrow().get(&file) {
            return Ok(Rc::clone(row));
        }
        let row = self.snapshot.store.file_by_id(file)?.ok_or(EngineError::DanglingNode { what: "file" })?;
        let row = Rc::new(row);
        self.files.borrow_mut().insert(file, Rc::clone(&row));
        Ok(row)
    }

    /// A node and everything it contains: itself first, then in source order.
    pub fn members(&self, node: NodeId) -> Result<Vec<NodeId>, EngineError> {
        let node_row = self.node_row(node)?;
        let held = self.outline(node_row.file.id)?;
        let mut nodes = vec![node];
        let Some(symbol) = &node_row.symbol else {
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

    /// Number of places in a symbol, or in a file, that the parser did not understand.
    pub fn issues_within(&self, node: NodeId) -> Result<u64, EngineError> {
        let described = self.describe(node)?;
        let held = self.outline(described.file.id)?;
        let span = described.definition.as_ref().map(|definition| definition.span);
        let is_inside =
            |first: u32| span.is_none_or(|span| (span.first_line..=span.last_line).contains(&first));
        Ok(held.outline.issues.iter().filter(|issue| is_inside(issue.span.first_line)).count() as u64)
    }

    /// Whether a type, or the type that contains a symbol, inherits something from outside of the repository, on its own or through its bases.
    pub fn has_external_base(&self, node: NodeId) -> Result<bool, EngineError> {
        let container = self.container(node)?;
        let mut types = vec![node];
        types.extend(container);
        let mut next = 0;
        while let Some(&of) = types.get(next).filter(|_| next < MAX_BASES) {
            next += 1;
            let graph = self.file_graph(self.describe(of)?.file.id)?;
            let inherits = |source, kind| source == of && kind == RefKind::Inherit;
            if graph.external.iter().any(|row| inherits(row.source, row.kind))
                || graph.unresolved.iter().any(|miss| inherits(miss.source, miss.kind))
            {
                return Ok(true);
            }
            for edge in self.outgoing(of)? {
                if matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements)
                    && !types.contains(&edge.target)
                {
                    types.push(edge.target);
                }
            }
        }
        Ok(false)
    }

    /// Whether a symbol is a member of an object that is no type, such as the options that are passed to a library.
    pub fn is_object_member(&self, node: NodeId) -> Result<bool, EngineError> {
        let has_objects = |definition: &Definition| {
            let rules = definition.language.as_deref().and_then(extraction::rules);
            let is_member = matches!(definition.kind, SymbolKind::Method | SymbolKind::Property);
            is_member && rules.is_some_and(|rules| rules.type_namespace)
        };
        if !self.describe(node)?.definition.as_ref().is_some_and(has_objects) {
            return Ok(false);
        }
        let Some(container) = self.container(node)? else { return Ok(true) };
        let kind = self.node_row(container)?.symbol.as_ref().map(|symbol| symbol.kind);
        Ok(!kind.is_some_and(SymbolKind::is_type))
    }

    /// Unresolved uses of a name.
    pub fn unresolved_uses(&self, name: &str) -> Result<UnresolvedUses, EngineError> {
        let mut files = self.snapshot.files_depending_on(name)?;
        let unread = files.len().saturating_sub(MAX_DEPENDENT_FILES);
        if unread > 0 {
            files = self.first_by_path(&files, MAX_DEPENDENT_FILES)?;
        }
        let reader = self.snapshot.store.reader();
        let mut of_files = Vec::new();
        for file in files {
            let found = reader.references_to(file, name)?;
            // Most files that depend on a common name have it resolved.
            if !found.unresolved.is_empty() || !found.external.is_empty() {
                of_files.push((self.file(file)?, found));
            }
        }
        of_files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let mut all = UnresolvedUses { uses: Vec::new(), external: Vec::new(), unread };
        for (row, mut found) in of_files {
            found.unresolved.sort_by_key(|miss| miss.line);
            all.external.extend(found.external);
            let uses = found.unresolved.into_iter();
            all.uses.extend(uses.map(|miss| UnresolvedUse { path: row.path.clone(), miss }));
        }
        Ok(all)
    }

    /// The first files of some, by path.
    fn first_by_path(&self, files: &[FileId], count: usize) -> Result<Vec<FileId>, EngineError> {
        let mut rows = Vec::with_capacity(files.len());
        for file in files {
            rows.push(self.file(*file)?);
        }
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        rows.truncate(count);
        Ok(rows.iter().map(|row| row.id).collect())
    }

    fn node_row(&self, node: NodeId) -> Result<Rc<NodeRow>, EngineError> {
        if let Some(node_row) = self.rows.borrow().get(&node) {
            return Ok(Rc::clone(node_row));
        }
        let node_row = if let Some(file) = node.file() {
            NodeRow { file: self.file(file)?, symbol: None }
        } else {
            let row = node.symbol().map(|id| self.snapshot.store.symbol(id)).transpose()?.flatten();
            let row = row.ok_or(EngineError::DanglingNode { what: "symbol" })?;
            NodeRow { file: self.file(row.file)?, symbol: Some(row) }
        };
        let node_row = Rc::new(node_row);
        self.rows.borrow_mut().insert(node, Rc::clone(&node_row));
        Ok(node_row)
    }
}

impl Edges for GraphView<'_> {
    type Error = EngineError;
    type Order = NodeOrder;

    fn incoming(&self, node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        let mut edges = self.snapshot.incoming(node)?;
        let derived = self.snapshot.surface_edges()?;
        edges.extend(derived.to(node).iter().filter(|edge| self.snapshot.holds(edge)));
        Ok(edges)
    }

    fn outgoing(&self, node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        let mut edges = self.snapshot.outgoing(node)?;
        let derived = self.snapshot.surface_edges()?;
        edges.extend(derived.from(node).iter().filter(|edge| self.snapshot.holds(edge)));
        Ok(edges)
    }

    fn order(&self, node: NodeId) -> Result<NodeOrder, EngineError> {
        let node_row = self.node_row(node)?;
        let at = node_row.symbol.as_ref().map_or(0, |symbol| symbol.at + 1);
        Ok(NodeOrder { test: node_row.is_test(), path: node_row.file.path.clone(), at })
    }

    fn can_override(&self, node: NodeId) -> Result<bool, EngineError> {
        use SymbolKind::{Event, Field, Method, Operator, Property};
        let kind = self.node_row(node)?.symbol.as_ref().map(|symbol| symbol.kind);
        Ok(kind.is_some_and(|kind| matches!(kind, Event | Field | Method | Operator | Property)))
    }
    fn is_provided(&self, dispatch: &EdgeRow) -> Result<Option<bool>, EngineError> {
        let (Some(asked), Some(called)) =
            (self.container(dispatch.source)?, self.container(dispatch.target)?)
        else {
            return Ok(None);
        };
        let provided = self.provided_for(asked)?;
        if provided.is_empty() {
            return Ok(None);
        }
        // What code makes itself, and what tests put in the place, is used without the container.
        let is_free = || Ok::<_, EngineError>(self.is_test(called)? || self.is_constructed(called)?);
        Ok(if provided.contains(&called) { Some(true) } else { (!is_free()?).then_some(false) })
    }
}

/// Maximum number of types above a provided one that are looked at.
const MAX_ABOVE: usize = 64;

impl GraphView<'_> {
    /// The symbol that contains another one.
    pub fn container(&self, member: NodeId) -> Result<Option<NodeId>, EngineError> {
        Ok(self.node_row(member)?.symbol.as_ref().and_then(|symbol| symbol.parent).map(NodeId::from))
    }

    /// Whether code other than tests makes values of a type.
    fn is_constructed(&self, ty: NodeId) -> Result<bool, EngineError> {
        for node in self.members(ty)? {
            let kind = self.node_row(node)?.symbol.as_ref().map(|symbol| symbol.kind);
            if node != ty && kind != Some(SymbolKind::Constructor) {
                continue;
            }
            for edge in self.incoming(node)?.iter().filter(|edge| edge.kind == EdgeKind::Constructs) {
                if !self.is_test(edge.source)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The types that containers provide where a type is asked for, with what they inherit from.
    fn provided_for(&self, asked: NodeId) -> Result<Rc<BTreeSet<NodeId>>, EngineError> {
        if let Some(known) = self.provided.borrow().get(&asked) {
            return Ok(Rc::clone(known));
        }
        let is_registered = |edge: &&EdgeRow| {
            edge.kind == EdgeKind::Registers && edge.rule == Rule::Injected && edge.target != asked
        };
        let mut found = BTreeSet::new();
        let mut rest: Vec<NodeId> =
            self.outgoing(asked)?.iter().filter(is_registered).map(|edge| edge.target).collect();
        while let Some(next) = rest.pop() {
            if next == asked || found.len() >= MAX_ABOVE || !found.insert(next) {
                continue;
            }
            let is_base = |edge: &&EdgeRow| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements);
            rest.extend(self.outgoing(next)?.iter().filter(is_base).map(|edge| edge.target));
        }
        let found = Rc::new(found);
        self.provided.borrow_mut().insert(asked, Rc::clone(&found));
        Ok(found)
    }
}
