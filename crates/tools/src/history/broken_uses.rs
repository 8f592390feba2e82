//! The uses that a change breaks: those that the old tree has of a changed symbol and that are not changed with it, and those
//! that the new tree no longer resolves.
//!
//! Both trees are indexed, so nothing is guessed from text: an edge of the old graph leads to the symbol, the line of the use
//! stands unchanged in the new tree, and the new graph says what the line means now. Example: `Cart.add` becomes `Cart.put`,
//! and `cart.add(1)` in another file stays. The old graph has `total calls Cart.add`, the new one an unresolved `add`: the use is
//! broken, because the type has no such member.

use super::contract_changes::{ContractChange, SymbolPlace};
use super::line_correspondence::LineCorrespondence;
use crate::error::ToolError;
use orient_engine::{EdgeRow, Edges as _, EngineError, FileGraph, GraphView, NodeId, UnresolvedUse};
use orient_model::{Confidence, EdgeKind, Handle, Reason, RefKind, RepoPath, Rule, Span};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Maximum number of files with a name in which uses are looked for that lead nowhere since it is gone.
const MAX_LOST_FILES: usize = 5_000;

/// Two trees and what they have in common.
pub(crate) struct TreePair<'t> {
    pub(crate) old: GraphView<'t>,
    pub(crate) new: GraphView<'t>,
    pub(crate) lines: LineCorrespondence<'t>,
    /// The uses of files of the new tree by line, as far as they were asked for.
    sites: RefCell<BTreeMap<RepoPath, Rc<FileSites>>>,
}

/// What the lines of a file of the new tree refer to.
#[derive(Default)]
struct FileSites {
    graph: Arc<FileGraph>,
    by_line: BTreeMap<u32, Vec<usize>>,
}

/// A use of the old tree that is not changed with what it uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BrokenUse {
    /// Its file in the new tree.
    pub(crate) path: RepoPath,
    /// Its line there.
    pub(crate) line: u32,
    /// The node of the new tree that contains it.
    pub(crate) within: NodeId,
    /// The word for the kind of use.
    pub(crate) kind: &'static str,
    /// How sure it is that the use meant the symbol.
    pub(crate) confidence: Confidence,
    /// The rule that proved it; `None` if only the new tree has the use.
    pub(crate) rule: Option<Rule>,
    /// What the new tree says about it, if it does not resolve it.
    pub(crate) reason: Option<Reason>,
    /// What it means in the new tree, if that is another symbol.
    pub(crate) now: Option<NodeId>,
}

/// The users of a changed symbol.
#[derive(Clone, Debug, Default)]
pub(crate) struct UsersOfChange {
    /// The uses that are not changed with it, by path and line. Those that now mean another symbol are among them.
    pub(crate) uses: Vec<BrokenUse>,
    /// Number of uses that are changed with it.
    pub(crate) changed_with_it: u64,
    /// Unresolved uses of its old name in the new tree, by path and line.
    pub(crate) candidates: Vec<BrokenUse>,
    /// Number of uses of the name that apparently mean something outside the repository.
    pub(crate) external: u64,
    /// Number of files with the name that were not searched.
    pub(crate) unread: u64,
    /// Further lines with its old name: `path:line`.
    pub(crate) mentions: Vec<String>,
}

impl BrokenUse {
    /// An unresolved use of the name.
    pub(crate) fn by_name(one: UnresolvedUse) -> Self {
        Self {
            path: one.path,
            line: one.miss.line,
            within: one.miss.source,
            kind: word(one.miss.kind),
            confidence: Confidence::Approximate,
            rule: None,
            reason: Some(one.miss.reason),
            now: None,
        }
    }
}

/// What has become of a use.
enum Fate {
    /// It means the changed symbol as before, or what took its place.
    Kept,
    /// The line is not there any more.
    ChangedWithIt,
    /// It stands there and does not fit.
    Broken(BrokenUse),
}

impl<'t> TreePair<'t> {
    /// The pair of two views.
    pub(crate) fn new(old: GraphView<'t>, new: GraphView<'t>, lines: LineCorrespondence<'t>) -> Self {
        Self { old, new, lines, sites: RefCell::default() }
    }

    /// The users of a changed symbol or file.
    pub(crate) fn users_of(&self, change: &ContractChange) -> Result<UsersOfChange, ToolError> {
        let mut users = UsersOfChange::default();
        let successor = match &change.new {
            Some(new) => node_at(&self.new, new)?,
            None => None,
        };
        let mut known = BTreeSet::new();
        if let Some(node) = node_at(&self.old, &change.old)? {
            for edge in self.edges_of_users(node)? {
                match self.fate(change, node, successor, &edge)? {
                    Fate::Kept => {}
                    Fate::ChangedWithIt => users.changed_with_it += 1,
                    Fate::Broken(broken) => {
                        // One line may use it in several ways, and is told once.
                        if known.insert((broken.path.clone(), broken.line)) {
                            users.uses.push(broken);
                        }
                    }
                }
            }
        }
        self.add_unresolved(change, &known, &mut users)?;
        users.uses.sort();
        Ok(users)
    }

    /// The edges from what uses a node, and from what must have the same form: implementations of a member of an interface.
    fn edges_of_users(&self, node: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        let mut edges = self.old.incoming(node)?;
        // A type that has all members of an interface does not name it, and loading a file names none of its symbols.
        edges.retain(|edge| {
            edge.kind != EdgeKind::Runs
                && (edge.kind, edge.rule) != (EdgeKind::Implements, Rule::Implementation)
        });
        for edge in self.old.outgoing(node)? {
            if (edge.kind, edge.rule) == (EdgeKind::Dispatches, Rule::Implementation) {
                edges.push(EdgeRow { source: edge.target, target: edge.source, ..edge });
            }
        }
        Ok(edges)
    }

    fn fate(
        &self,
        change: &ContractChange,
        node: NodeId,
        successor: Option<NodeId>,
        edge: &EdgeRow,
    ) -> Result<Fate, EngineError> {
        let file = self.old.file_of(edge.source)?;
        if change.only_less_visible && self.is_within_container(edge.source, node)? {
            return Ok(Fate::Kept);
        }
        if is_of_hierarchy(edge) {
            return self.fate_of_relative(successor, edge);
        }
        let Some((path, line)) = self.lines.new_place(&file.path, edge.line) else {
            return Ok(Fate::ChangedWithIt);
        };
        let Some(sites) = self.sites(&path)? else { return Ok(Fate::ChangedWithIt) };
        let own_name = change.old.own_name();
        let within = self.within(&path, line, edge.source)?;
        let reason = sites.unresolved(line, &own_name);
        let targets = self.targets(&sites, line, within)?;
        let leads_on = successor.is_some_and(|successor| targets.iter().any(|one| one.target == successor));
        if leads_on && !change.is_other_contract() {
            return Ok(Fate::Kept);
        }
        let now = match reason {
            None if !leads_on => self.other_meaning(edge, (&path, line), &targets, &own_name)?,
            _ => None,
        };
        let (kind, confidence, rule) = (edge.kind.as_str(), edge.confidence, Some(edge.rule));
        Ok(Fate::Broken(BrokenUse { path, line, within, kind, confidence, rule, reason, now }))
    }

    /// What has become of a base member or an implementation of a changed member: both have to be changed together.
    fn fate_of_relative(&self, successor: Option<NodeId>, edge: &EdgeRow) -> Result<Fate, EngineError> {
        let described = self.old.describe(edge.source)?;
        let Some(definition) = &described.definition else { return Ok(Fate::Kept) };
        let header =
            definition.header.first_line..=definition.header.last_line.max(definition.header.first_line);
        let mut place = None;
        for line in header {
            let moved = self.lines.new_place(&described.file.path, line);
            let Some(moved) = moved else { return Ok(Fate::ChangedWithIt) };
            if line == definition.name_span.first_line {
                place = Some(moved);
            }
        }
        let Some((path, line)) = place else { return Ok(Fate::ChangedWithIt) };
        let within = self.within(&path, line, edge.source)?;
        if let Some(successor) = successor {
            let mut around = self.new.outgoing(within)?;
            around.extend(self.new.incoming(within)?.into_iter().filter(is_of_hierarchy));
            if around.iter().any(|one| one.target == successor || one.source == successor) {
                return Ok(Fate::Kept);
            }
        }
        let (kind, confidence, rule) = (edge.kind.as_str(), edge.confidence, Some(edge.rule));
        Ok(Fate::Broken(BrokenUse { path, line, within, kind, confidence, rule, reason: None, now: None }))
    }

    /// What a line means now that did not mean it before: another symbol of the name, or what an alias leads to. Only what is proven counts.
    fn other_meaning(
        &self,
        edge: &EdgeRow,
        (path, line): (&RepoPath, u32),
        targets: &[EdgeRow],
        own_name: &str,
    ) -> Result<Option<NodeId>, EngineError> {
        let mut before = BTreeSet::new();
        for other in &self.old.file_graph(self.old.file_of(edge.source)?.id)?.edges {
            if other.line == edge.line {
                before.insert(self.new_name(other.target)?);
            }
        }
        let is_spelled = !own_name.is_empty() && self.line_has(path, line, own_name)?;
        for target in targets.iter().filter(|one| one.confidence <= Confidence::Probable) {
            let described = self.new.describe(target.target)?;
            let key = (described.file.path.clone(), described.qualified());
            let name = self.new.name(target.target)?;
            if !before.contains(&key) && (name == own_name || !is_spelled) {
                return Ok(Some(target.target));
            }
        }
        Ok(None)
    }

    /// The path and qualified name that a symbol of the old tree has in the new one if nothing happened to it.
    fn new_name(&self, node: NodeId) -> Result<(RepoPath, String), EngineError> {
        let described = self.old.describe(node)?;
        let path = self.lines.new_path(&described.file.path).unwrap_or_else(|| described.file.path.clone());
        Ok((path, described.qualified()))
    }

    /// Whether the text of a line of the new tree contains the name as a word; true if it cannot be read.
    fn line_has(&self, path: &RepoPath, line: u32, name: &str) -> Result<bool, EngineError> {
        let Some(row) = self.new.snapshot().file(path)? else { return Ok(true) };
        let span = Span { first_line: line, last_line: line, ..Span::default() };
        let Ok(source) = self.new.snapshot().source(&row, span, 0) else { return Ok(true) };
        Ok(source.lines.iter().any(|text| has_word(text, name)))
    }

    /// Whether a node is inside of the symbol or file that contains another.
    fn is_within_container(&self, user: NodeId, node: NodeId) -> Result<bool, EngineError> {
        let (user, target) = (self.old.describe(user)?, self.old.describe(node)?);
        if user.file.path != target.file.path {
            return Ok(false);
        }
        let names = |name: String| Handle::split(&name);
        let mut container = names(target.qualified());
        container.pop();
        Ok(names(user.qualified()).starts_with(&container))
    }

    /// The edges from a line of the new tree: those of its file, and those that other files or frameworks add to the node around it.
    fn targets(&self, sites: &FileSites, line: u32, within: NodeId) -> Result<Vec<EdgeRow>, EngineError> {
        let own = sites.by_line.get(&line).into_iter().flatten();
        let mut targets: Vec<EdgeRow> = own.map(|&at| sites.graph.edges[at]).collect();
        let others = self.new.outgoing(within)?;
        targets.extend(others.into_iter().filter(|edge| edge.line == line));
        Ok(targets)
    }

    fn sites(&self, path: &RepoPath) -> Result<Option<Rc<FileSites>>, EngineError> {
        if let Some(known) = self.sites.borrow().get(path) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(row) = self.new.snapshot().file(path)? else { return Ok(None) };
        let graph = self.new.file_graph(row.id)?;
        let mut by_line: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, edge) in graph.edges[..graph.own].iter().enumerate() {
            by_line.entry(edge.line).or_default().push(at);
        }
        let sites = Rc::new(FileSites { graph, by_line });
        self.sites.borrow_mut().insert(path.clone(), Rc::clone(&sites));
        Ok(Some(sites))
    }

    /// The node of the new tree that contains a line: the symbol that the old tree says contains the use, or the innermost one.
    fn within(&self, path: &RepoPath, line: u32, old_source: NodeId) -> Result<NodeId, EngineError> {
        let Some(row) = self.new.snapshot().file(path)? else {
            return Err(EngineError::DanglingNode { what: "file" });
        };
        let held = self.new.outline(row.id)?;
        let wanted = self.old.describe(old_source)?.qualified();
        let mut innermost = None;
        for (at, symbol) in held.outline.symbols.iter().enumerate() {
            if !(symbol.span.first_line..=symbol.span.last_line).contains(&line) {
                continue;
            }
            let Some(&id) = held.ids.get(at) else { continue };
            innermost = Some(NodeId::from(id));
            if !wanted.is_empty() && Handle::join(held.outline.qualified(at as u32)) == wanted {
                return Ok(id.into());
            }
        }
        // Top-level code belongs to the file, also on the line of a symbol.
        if wanted.is_empty() { Ok(row.id.into()) } else { Ok(innermost.unwrap_or_else(|| row.id.into())) }
    }

    /// Adds the uses of the old name that the new tree does not resolve: those that the old tree did resolve or does not have are
    /// broken, the others may be.
    fn add_unresolved(
        &self,
        change: &ContractChange,
        known: &BTreeSet<(RepoPath, u32)>,
        users: &mut UsersOfChange,
    ) -> Result<(), ToolError> {
        let own_name = change.old.own_name();
        if own_name.is_empty() {
            return Ok(());
        }
        let before = self.old.unresolved_uses(&own_name)?;
        let found = self.new.unresolved_uses(&own_name)?;
        // A name that nothing in the tree has any more seems to mean something outside of it: only what seemed so before does.
        users.external = before.external.len() as u64;
        users.unread = (found.unread + before.unread) as u64;
        let mut known = known.clone();
        let mut doubtful_before = BTreeSet::new();
        for one in before.uses {
            if let Some((path, line)) = self.lines.new_place(&one.path, one.miss.line) {
                doubtful_before.insert((path.clone(), line));
                if self.new.snapshot().file(&path)?.is_some() && known.insert((path.clone(), line)) {
                    let within = self.within(&path, line, one.miss.source)?;
                    users.candidates.push(BrokenUse { path, line, within, ..BrokenUse::by_name(one) });
                }
            }
        }
        for one in found.uses {
            let (reason, one) = (one.miss.reason, BrokenUse::by_name(one));
            let place = (one.path.clone(), one.line);
            let was_there = doubtful_before.contains(&place);
            if !known.insert(place) {
                continue;
            }
            let leads_nowhere = matches!(reason, Reason::Member | Reason::Unknown | Reason::Module);
            if !was_there && leads_nowhere && change.name_is_gone() {
                users.uses.push(BrokenUse { confidence: Confidence::Probable, ..one });
            } else {
                users.candidates.push(one);
            }
        }
        self.add_lost(change, &mut known, users)?;
        users.candidates.sort();
        Ok(())
    }

    /// Adds the uses of the old name that seem to mean something outside of the repository only since nothing in it has the name.
    fn add_lost(
        &self,
        change: &ContractChange,
        known: &mut BTreeSet<(RepoPath, u32)>,
        users: &mut UsersOfChange,
    ) -> Result<(), ToolError> {
        let own_name = change.old.own_name();
        for file in self.new.snapshot().files_depending_on(&own_name)?.into_iter().take(MAX_LOST_FILES) {
            let graph = self.new.file_graph(file)?;
            for one in graph.external.iter().filter(|one| one.name == own_name) {
                let path = self.new.file(file)?.path.clone();
                if self.was_external(&path, one.line, &own_name)? || !known.insert((path.clone(), one.line)) {
                    continue;
                }
                let lost = BrokenUse {
                    path,
                    line: one.line,
                    within: one.source,
                    kind: word(one.kind),
                    confidence: Confidence::Probable,
                    rule: None,
                    reason: Some(Reason::Unknown),
                    now: None,
                };
                if change.name_is_gone() { users.uses.push(lost) } else { users.candidates.push(lost) }
            }
        }
        Ok(())
    }

    /// Whether the old tree has a use of a name at this place that seems to mean something outside of the repository.
    pub(crate) fn was_external(&self, path: &RepoPath, line: u32, name: &str) -> Result<bool, EngineError> {
        let Some((path, line)) = self.lines.old_place(path, line) else { return Ok(false) };
        let Some(row) = self.old.snapshot().file(&path)? else { return Ok(false) };
        let graph = self.old.file_graph(row.id)?;
        Ok(graph.external.iter().any(|one| one.line == line && one.name == name))
    }
}

impl FileSites {
    /// Why a use of a name on a line is not resolved, if it is not. What was resolved before and seems to mean something outside of the
    /// repository now, means nothing.
    fn unresolved(&self, line: u32, name: &str) -> Option<Reason> {
        let mut all = self.graph.unresolved.iter();
        let told = all.find(|one| one.line == line && one.name == name).map(|one| one.reason);
        let is_outside = || self.graph.external.iter().any(|one| one.line == line && one.name == name);
        told.or_else(|| is_outside().then_some(Reason::Unknown))
    }
}

/// Whether a text contains a name as a word.
pub(crate) fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_part) && !behind.starts_with(is_part)
    })
}

/// Whether an edge is between members of types that must have the same form.
fn is_of_hierarchy(edge: &EdgeRow) -> bool {
    matches!(edge.kind, EdgeKind::Overrides | EdgeKind::Dispatches) && edge.rule != Rule::Linked
}

/// The word that an edge has for this kind of reference.
fn word(kind: RefKind) -> &'static str {
    match kind {
        RefKind::Call | RefKind::Expand | RefKind::Decorate => EdgeKind::Calls.as_str(),
        RefKind::Construct => EdgeKind::Constructs.as_str(),
        RefKind::Read | RefKind::Write => EdgeKind::References.as_str(),
        RefKind::Type => EdgeKind::TypeOf.as_str(),
        RefKind::Inherit => EdgeKind::Inherits.as_str(),
    }
}

/// The node of a symbol in a tree; `None` if the index does not have it.
pub(crate) fn node_at(view: &GraphView<'_>, place: &SymbolPlace) -> Result<Option<NodeId>, EngineError> {
    let Some(row) = view.snapshot().file(&place.path)? else { return Ok(None) };
    if place.name.is_empty() {
        return Ok(Some(row.id.into()));
    }
    let held = view.outline(row.id)?;
    let is_meant = |(at, symbol): &(usize, &orient_model::Symbol)| {
        symbol.span.first_line == place.line && Handle::join(held.outline.qualified(*at as u32)) == place.name
    };
    let found = held.outline.symbols.iter().enumerate().find(is_meant);
    Ok(found.and_then(|(at, _)| held.ids.get(at)).map(|&id| id.into()))
}
