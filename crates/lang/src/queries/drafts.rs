//! Drafts: what the queries of a pack found in a file, before it is merged and ordered.

use crate::schema::vocabulary::HeaderWord;
use orient_grammars::Node;
use orient_model::{ImportKind, RefKind, Relation, Span, SymbolKind};

/// Everything that the queries found in a file.
#[derive(Default)]
pub(crate) struct FileDrafts {
    pub(crate) symbols: Vec<SymbolDraft>,
    pub(crate) references: Vec<ReferenceDraft>,
    pub(crate) imports: Vec<ImportDraft>,
    pub(crate) comments: Vec<Comment>,
    /// Documentation and attributes found by patterns of their own; they belong to the next symbol.
    pub(crate) docs: Vec<Span>,
    pub(crate) inner_docs: Vec<Span>,
    pub(crate) attributes: Vec<Span>,
    pub(crate) exports: Vec<Span>,
    /// Whether symbols that are not exported are private.
    pub(crate) closed: bool,
    pub(crate) package: Option<Span>,
}

/// A symbol, as one match of a query describes it.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct SymbolDraft {
    /// The pattern that matched; of several for one node or name the first wins.
    pub(crate) pattern: usize,
    /// The id of the node, because several nodes may have the same span.
    pub(crate) node: usize,
    pub(crate) kind: SymbolKind,
    pub(crate) span: Span,
    /// The end of its parent node: no section extends beyond it.
    pub(crate) parent_end: u32,
    pub(crate) names: Vec<Span>,
    /// The name, if it is not one piece of the source.
    pub(crate) given: Option<String>,
    /// The separator of several name parts, and characters to trim from them.
    pub(crate) join: Option<String>,
    pub(crate) trim: Option<String>,
    pub(crate) qualifier: Option<Span>,
    pub(crate) body: Option<Span>,
    pub(crate) params: Vec<ParamDraft>,
    pub(crate) returns: Option<Span>,
    /// The token before the result type, if the grammar has no node for it.
    pub(crate) mark: Option<String>,
    pub(crate) docs: Vec<Span>,
    pub(crate) words: Vec<Span>,
    pub(crate) fixed: Vec<HeaderWord>,
    pub(crate) attributes: Vec<Span>,
    pub(crate) bases: Vec<(Span, Relation)>,
    pub(crate) section: Option<u8>,
    /// Whether the words before it on its line belong to it.
    pub(crate) lead: bool,
    pub(crate) merge: bool,
    pub(crate) line: bool,
    pub(crate) local: bool,
}

impl SymbolDraft {
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

    /// The span of its name; an empty span at its beginning if it has no name of its own.
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

/// A reference by name.
pub(crate) struct ReferenceDraft {
    pub(crate) pattern: usize,
    pub(crate) kind: RefKind,
    pub(crate) name: Span,
    pub(crate) receiver: Option<Span>,
    /// The name, if it is not the text of its span.
    pub(crate) given: Option<String>,
}

/// An import.
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

/// The span of a node. One that ends with a line break ends on the line before, as people count.
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
