//! The syntax tree as one flat array in pre-order: later passes walk it without going back to the parser.
//!
//! A parent precedes its children, so that a subtree is a range of indices. Punctuation without meaning is left out. Each
//! node links to its parent and its previous sibling.
//!
//! Example: `f(x)` becomes
//!
//! | id | kind | parent | previous | after |
//! |---|---|---|---|---|
//! | 0 | call | none | none | 4 |
//! | 1 | identifier `f` | 0 | none | 2 |
//! | 2 | arguments | 0 | 1 | 4 |
//! | 3 | identifier `x` | 2 | none | 4 |
//!
//! The children of 0 are 1 and then `after` of 1, which is 2; the subtree of 2 is the range 2..4.

use orient_grammars::{Node as RawNode, Tree as RawTree, TreeCursor};
use orient_model::Span;

/// Index of a node.
pub(crate) type NodeId = u32;

/// No node.
pub(crate) const NONE: NodeId = u32::MAX;

/// Whether a node is part of a syntax error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    Good,
    /// The grammar does not accept this text.
    Error,
    /// The parser inserted this node: the text lacks it.
    Missing,
}

/// A node of the tree.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: u16,
    /// Its field in the parent; 0 for none.
    pub(crate) field: u16,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Line of the first byte, from 0.
    pub(crate) row: u32,
    /// Line of the last byte, from 0.
    pub(crate) end_row: u32,
    pub(crate) parent: NodeId,
    pub(crate) previous: NodeId,
    /// One past the last node of its subtree.
    pub(crate) after: NodeId,
    pub(crate) named: bool,
    pub(crate) health: Health,
}

/// A parsed file.
pub(crate) struct Tree<'s> {
    pub(crate) source: &'s [u8],
    /// The source as headers show it: without the text that was erased before parsing.
    pub(crate) text: &'s [u8],
    pub(crate) nodes: Vec<Node>,
}

impl<'s> Tree<'s> {
    /// Copies the parser's tree. `joined_lines` are the offsets of line breaks that the parser did not see, in order; `tokens` says
    /// which kinds of nodes to keep.
    pub(crate) fn new(
        source: &'s [u8],
        text: &'s [u8],
        raw: &RawTree,
        joined_lines: &[u32],
        tokens: &[Token],
    ) -> Self {
        let mut builder = Builder {
            joined_lines,
            nodes: Vec::with_capacity(source.len() / 6 + 16),
            open: Vec::new(),
            faulty: raw.root_node().has_error(),
        };
        let mut cursor = raw.walk();
        let mut passed = 0;
        loop {
            let node = cursor.node();
            // The parser knows the number of descendants, so there is no need to try for a child or a sibling.
            let below = node.descendant_count() - 1;
            passed += 1;
            if !builder.enter(&cursor, node, tokens) {
                passed += below;
            } else if below > 0 && cursor.goto_first_child() {
                builder.descend(passed + below);
                continue;
            }
            loop {
                let Some(level) = builder.open.last() else {
                    return Self { source, text, nodes: builder.nodes };
                };
                if passed < level.end && cursor.goto_next_sibling() {
                    break;
                }
                cursor.goto_parent();
                builder.leave();
            }
        }
    }

    /// Whether only lines that were erased before parsing separate two offsets.
    pub(crate) fn bridged(&self, start: u32, end: u32) -> bool {
        let (start, end) = (start as usize, end as usize);
        let Some(gap) = self.source.get(start..end).filter(|gap| self.text.get(start..end) != Some(gap))
        else {
            return false;
        };
        let lines = memchr::memchr_iter(b'\n', gap).count();
        !gap.split(|&b| b == b'\n').take(lines).skip(1).any(|line| line.trim_ascii().is_empty())
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id as usize)
    }

    pub(crate) fn bytes(&self, id: NodeId) -> &'s [u8] {
        let node = self.node(id);
        &self.source[node.start as usize..node.end as usize]
    }

    pub(crate) fn span(&self, id: NodeId) -> Span {
        let node = self.node(id);
        Span { start: node.start, end: node.end, first_line: node.row + 1, last_line: node.end_row + 1 }
    }

    /// The direct children, in order.
    pub(crate) fn children(&self, id: NodeId) -> Children<'_> {
        Children { nodes: &self.nodes, next: id + 1, end: self.node(id).after }
    }

    /// The direct children of named kinds.
    pub(crate) fn named_children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(|&child| self.node(child).named)
    }

    pub(crate) fn is_inside(&self, id: NodeId, ancestor: NodeId) -> bool {
        ancestor <= id && id < self.node(ancestor).after
    }
}

/// Iterator over direct children.
pub(crate) struct Children<'t> {
    nodes: &'t [Node],
    next: NodeId,
    end: NodeId,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let id = self.next;
        self.next = self.nodes[id as usize].after;
        Some(id)
    }
}

/// Whether to keep the nodes of a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// A named kind: kept.
    Named,
    /// An anonymous token that carries meaning: kept.
    Word,
    /// Punctuation: kept only if it is in a field.
    Mark,
}

/// A node whose subtree is not complete yet.
struct OpenNode {
    node: NodeId,
    /// Its last child so far.
    last: NodeId,
    /// The number of parser nodes passed when it is complete.
    end: usize,
}

struct Builder<'j> {
    /// Offsets of line breaks that the parser did not see, in order.
    joined_lines: &'j [u32],
    nodes: Vec<Node>,
    /// Outermost first.
    open: Vec<OpenNode>,
    /// Whether the tree contains errors.
    faulty: bool,
}

impl Builder<'_> {
    /// Adds a node; false if it carries no meaning.
    fn enter(&mut self, cursor: &TreeCursor<'_>, raw: RawNode<'_>, tokens: &[Token]) -> bool {
        let kind = raw.kind_id();
        let token = tokens.get(kind as usize).copied().unwrap_or(Token::Named);
        debug_assert_eq!(token == Token::Named, raw.is_named(), "of kind {kind}");
        let field = cursor.field_id().map_or(0, Into::into);
        let health = if self.faulty { health(raw) } else { Health::Good };
        if token == Token::Mark && field == 0 && health != Health::Missing {
            return false;
        }
        let id = self.nodes.len() as NodeId;
        let (mut parent, mut previous) = (NONE, NONE);
        if let Some(level) = self.open.last_mut() {
            parent = level.node;
            previous = std::mem::replace(&mut level.last, id);
        }
        let (row, end) = (raw.start_position().row as u32, raw.end_position());
        // A node that ends with a line break ends on the line before, as people count.
        let end_row =
            if end.column == 0 && end.row as u32 > row { end.row as u32 - 1 } else { end.row as u32 };
        let (row, end_row) =
            (row + self.joined_before(raw.start_byte()), end_row + self.joined_before(raw.end_byte()));
        self.nodes.push(Node {
            kind,
            field,
            start: raw.start_byte() as u32,
            end: raw.end_byte() as u32,
            row,
            end_row,
            parent,
            previous,
            after: id + 1,
            named: token == Token::Named,
            health,
        });
        true
    }

    /// The number of line breaks before an offset that the parser did not see.
    fn joined_before(&self, offset: usize) -> u32 {
        self.joined_lines.partition_point(|&line_break| (line_break as usize) < offset) as u32
    }

    /// The next nodes are children of the node entered last.
    fn descend(&mut self, end: usize) {
        self.open.push(OpenNode { node: self.nodes.len() as NodeId - 1, last: NONE, end });
    }

    fn leave(&mut self) {
        if let Some(level) = self.open.pop() {
            self.nodes[level.node as usize].after = self.nodes.len() as NodeId;
        }
    }
}

fn health(raw: RawNode<'_>) -> Health {
    if raw.is_error() {
        Health::Error
    } else if raw.is_missing() {
        Health::Missing
    } else {
        Health::Good
    }
}
