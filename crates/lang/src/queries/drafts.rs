//! What the queries of a pack found in a file, before it is put in order.

use crate::schema::vocabulary::HeaderWord;
use orient_grammars::Node;
use orient_model::{ImportKind, RefKind, Relation, Span, SymbolKind};

/// All that was found.
#[derive(Default)]
pub(crate) struct Gathered {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) mentions: Vec<Mention>,
    pub(crate) imports: Vec<ImportDraft>,
    pub(crate) comments: Vec<Comment>,
    /// Documentation and attributes that stand alone before what they are for.
    pub(crate) docs: Vec<Span>,
    pub(crate) inner_docs: Vec<Span>,
    pub(crate) attributes: Vec<Span>,
    pub(crate) exports: Vec<Span>,
    /// What is not exported is private.
    pub(crate) closed: bool,
    pub(crate) package: Option<Span>,
}

/// A symbol.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct Draft {
    /// The pattern that found it; of several for one node or name the first wins.
    pub(crate) pattern: usize,
    /// The node, told from others of the same span.
    pub(crate) node: usize,
    pub(crate) kind: SymbolKind,
    pub(crate) span: Span,
    /// Where the node around it ends: no section reaches further.
    pub(crate) parent_end: u32,
    pub(crate) names: Vec<Span>,
    /// The name, where the source does not have it in one piece.
    pub(crate) given: Option<String>,
    /// What stands between several names, and marks that are no part of one.
    pub(crate) join: Option<String>,
    pub(crate) trim: Option<String>,
    pub(crate) qualifier: Option<Span>,
    pub(crate) body: Option<Span>,
    pub(crate) params: Vec<ParamDraft>,
    pub(crate) returns: Option<Span>,
    /// What stands before the result, where the grammar has no node for it.
    pub(crate) mark: Option<String>,
    pub(crate) docs: Vec<Span>,
    pub(crate) words: Vec<Span>,
    pub(crate) fixed: Vec<HeaderWord>,
    pub(crate) attributes: Vec<Span>,
    pub(crate) bases: Vec<(Span, Relation)>,
    pub(crate) section: Option<u8>,
    /// The words before it on its line belong to it.
    pub(crate) lead: bool,
    pub(crate) merge: bool,
    pub(crate) line: bool,
    pub(crate) local: bool,
}

impl Draft {
    /// A symbol with a name and nothing else.
    pub(crate) fn new(kind: SymbolKind, span: Span) -> Self {
        Self {
            pattern: 0,
            node: 0,
            kind,
            span,
            parent_end: u32::MAX,
            names: Vec::new(),
            given: None,
            join: None,
            trim: None,
            qualifier: None,
            body: None,
            params: Vec::new(),
            returns: None,
            mark: None,
            docs: Vec::new(),
            words: Vec::new(),
            fixed: Vec::new(),
            attributes: Vec::new(),
            bases: Vec::new(),
            section: None,
            lead: false,
            merge: false,
            line: false,
            local: false,
        }
    }

    /// Where its name stands; where the symbol starts if it has none of its own.
    pub(crate) fn name_span(&self) -> Span {
        match (self.names.first(), self.names.last()) {
            (Some(first), Some(last)) => Span {
                start: first.start,
                end: last.end,
                first_line: first.first_line,
                last_line: last.last_line,
            },
            _ => Span { end: self.span.start, last_line: self.span.first_line, ..self.span },
        }
    }
}

/// A parameter.
pub(crate) struct ParamDraft {
    pub(crate) name: Span,
    pub(crate) ty: Option<Span>,
    pub(crate) default: bool,
    pub(crate) variadic: bool,
}

/// A use of a name.
pub(crate) struct Mention {
    pub(crate) pattern: usize,
    pub(crate) kind: RefKind,
    pub(crate) name: Span,
    pub(crate) receiver: Option<Span>,
}

/// Something brought in.
pub(crate) struct ImportDraft {
    pub(crate) pattern: usize,
    pub(crate) kind: ImportKind,
    pub(crate) span: Span,
    pub(crate) module: Span,
    pub(crate) item: Option<Span>,
    pub(crate) alias: Option<Span>,
}

/// A comment.
#[derive(Clone, Copy)]
pub(crate) struct Comment {
    pub(crate) span: Span,
}

/// The place of a node. One that ends with a line break ends on the line before: people count that way.
pub(super) fn span(node: Node<'_>) -> Span {
    let (first, end) = (node.start_position().row, node.end_position());
    let last = if end.column == 0 && end.row > first { end.row - 1 } else { end.row };
    Span {
        start: node.start_byte() as u32,
        end: node.end_byte() as u32,
        first_line: first as u32 + 1,
        last_line: last as u32 + 1,
    }
}
