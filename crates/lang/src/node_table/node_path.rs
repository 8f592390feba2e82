//! Node paths: where a part of a node is, as alternatives of short paths through the syntax tree.

use crate::parse::flat_tree::{NONE, NodeId, Tree};

/// Alternatives of paths from a node to one of its parts; the first that leads somewhere wins.
#[derive(Default)]
pub(crate) struct NodePath(pub(super) Vec<Vec<Step>>);

/// One step from a node.
pub(super) enum Step {
    /// The child in a field.
    Field(u16),
    /// The first child of a kind.
    Kind(u16),
    /// The n-th named child.
    Nth(u32),
    /// The last named child.
    Last,
    /// Every named child.
    Each,
    /// The node itself.
    Here,
    /// Its parent.
    Parent,
    /// Its next or its previous sibling, kept tokens included.
    Next,
    Previous,
    /// The named child directly before, or after, another child.
    Before(ChildSelector),
    After(ChildSelector),
    /// The node itself, if it is of one of these kinds.
    Is(Vec<u16>),
    /// The node itself, if it has no such child.
    Lacks(ChildSelector),
    /// Every node that the step leads to, even if more steps follow.
    All(Box<Step>),
}

/// Selects a child, by its field or its kind.
#[derive(Clone, Copy)]
pub(super) enum ChildSelector {
    Field(u16),
    Kind(u16),
}

impl ChildSelector {
    fn find(self, tree: &Tree<'_>, id: NodeId) -> Option<NodeId> {
        tree.children(id).find(|&child| match self {
            Self::Field(field) => tree.node(child).field == field,
            Self::Kind(kind) => tree.node(child).kind == kind,
        })
    }
}

impl Step {
    /// Calls `found` with each node that the step leads to, until it returns true.
    fn each(&self, tree: &Tree<'_>, id: NodeId, found: &mut dyn FnMut(NodeId) -> bool) {
        let one = match self {
            Self::All(step) => return step.each(tree, id, found),
            Self::Field(_) | Self::Kind(_) | Self::Each => {
                for child in tree.children(id) {
                    let node = tree.node(child);
                    let fits = match self {
                        Self::Field(field) => node.field == *field,
                        Self::Kind(kind) => node.kind == *kind,
                        _ => node.named,
                    };
                    if fits && found(child) {
                        return;
                    }
                }
                return;
            }
            Self::Nth(n) => tree.named_children(id).nth(*n as usize),
            Self::Last => tree.named_children(id).last(),
            Self::Here => Some(id),
            Self::Parent => Some(tree.node(id).parent).filter(|&parent| parent != NONE),
            Self::Next => {
                let node = tree.node(id);
                tree.get(node.parent).filter(|parent| node.after < parent.after).map(|_| node.after)
            }
            Self::Previous => Some(tree.node(id).previous).filter(|&previous| previous != NONE),
            Self::Before(selector) => selector
                .find(tree, id)
                .and_then(|at| tree.named_children(id).take_while(|&child| child < at).last()),
            Self::After(selector) => {
                selector.find(tree, id).and_then(|at| tree.named_children(id).find(|&child| child > at))
            }
            Self::Is(kinds) => kinds.contains(&tree.node(id).kind).then_some(id),
            Self::Lacks(selector) => selector.find(tree, id).is_none().then_some(id),
        };
        if let Some(one) = one {
            found(one);
        }
    }

    fn first(&self, tree: &Tree<'_>, id: NodeId) -> NodeId {
        let mut first = NONE;
        self.each(tree, id, &mut |node| {
            first = node;
            true
        });
        first
    }
}

impl NodePath {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first node that the path leads to.
    pub(crate) fn find(&self, tree: &Tree<'_>, id: NodeId) -> Option<NodeId> {
        self.0.iter().find_map(|path| {
            if path.iter().any(|step| matches!(step, Step::All(_))) {
                return walk(path, tree, id).first().copied();
            }
            let end = path.iter().fold(id, |at, step| if at == NONE { NONE } else { step.first(tree, at) });
            (end != NONE).then_some(end)
        })
    }

    /// The nodes that all alternatives lead to.
    pub(crate) fn find_each(&self, tree: &Tree<'_>, id: NodeId) -> Vec<NodeId> {
        self.0.iter().flat_map(|path| walk(path, tree, id)).collect()
    }

    /// All nodes that the first matching alternative leads to.
    pub(crate) fn find_all(&self, tree: &Tree<'_>, id: NodeId) -> Vec<NodeId> {
        self.0.iter().map(|path| walk(path, tree, id)).find(|found| !found.is_empty()).unwrap_or_default()
    }
}

/// All nodes at the end of a path. A step before the last continues from its first node only, unless it is `All`.
fn walk(path: &[Step], tree: &Tree<'_>, id: NodeId) -> Vec<NodeId> {
    let mut at = vec![id];
    for (index, step) in path.iter().enumerate() {
        let every = index + 1 == path.len() || matches!(step, Step::All(_));
        let mut next = Vec::new();
        for &node in &at {
            step.each(tree, node, &mut |found| {
                next.push(found);
                !every
            });
        }
        at = next;
    }
    at
}
