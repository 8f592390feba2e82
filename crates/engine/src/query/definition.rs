//! A symbol with everything that is known of it, in words.

use orient_model::{Handle, Modifiers, Outline, Relation, RepoPath, Span, Symbol, SymbolKind, Visibility};
use orient_store::{FileRow, SymbolId};

/// A symbol with everything that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its id; stands as long as its place, name and kind do.
    pub id: SymbolId,
    /// Its readable address.
    pub handle: Handle,
    /// The file it stands in.
    pub path: RepoPath,
    /// The language of that.
    pub language: Option<String>,
    /// Its own name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Who may use it.
    pub visibility: Visibility,
    /// What else its header says.
    pub modifiers: Modifiers,
    /// How many symbols are around it.
    pub depth: u32,
    /// All of it.
    pub span: Span,
    /// Its name where it is declared.
    pub name_span: Span,
    /// From after the attributes to before the body.
    pub header: Span,
    /// Its body, where there is one.
    pub body: Option<Span>,
    /// The header as written.
    pub signature: String,
    /// Parameters as written.
    pub params: Vec<Parameter>,
    /// Return or value type as written.
    pub returns: Option<String>,
    /// Documentation.
    pub doc: Option<String>,
    /// Attributes, annotations, decorators as written.
    pub attributes: Vec<String>,
    /// What it inherits from, as written, and how.
    pub bases: Vec<(Relation, String)>,
}

/// A parameter as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; empty where it has none.
    pub name: String,
    /// Its type.
    pub ty: Option<String>,
    /// Whether it has a default value.
    pub default: bool,
    /// Whether it takes any number of arguments.
    pub variadic: bool,
}

impl Definition {
    /// The symbol at a place of an outline; none where there is no such place.
    pub(crate) fn new(file: &FileRow, outline: &Outline, at: u32, id: SymbolId) -> Option<Self> {
        let symbol = outline.symbols.get(at as usize)?;
        let text = |atom| outline.strings.get(atom).to_owned();
        let param = |param: &orient_model::Param| Parameter {
            name: text(param.name),
            ty: param.ty.map(text),
            default: param.default,
            variadic: param.variadic,
        };
        Some(Self {
            id,
            handle: handle(&file.path, outline, at, symbol),
            path: file.path.clone(),
            language: file.language.clone(),
            name: text(symbol.name),
            kind: symbol.kind,
            visibility: symbol.visibility,
            modifiers: symbol.modifiers,
            depth: depth(outline, symbol),
            span: symbol.span,
            name_span: symbol.name_span,
            header: symbol.header,
            body: symbol.body,
            signature: text(symbol.signature),
            params: symbol.params.iter().map(param).collect(),
            returns: symbol.returns.map(text),
            doc: symbol.doc.map(text),
            attributes: symbol.attributes.iter().copied().map(text).collect(),
            bases: symbol.bases.iter().map(|base| (base.relation, text(base.text))).collect(),
        })
    }
}

/// The readable address of a symbol of an outline.
pub(crate) fn handle(path: &RepoPath, outline: &Outline, at: u32, symbol: &Symbol) -> Handle {
    Handle {
        path: path.display().into_owned(),
        names: outline.qualified(at).into_iter().map(str::to_owned).collect(),
        ordinal: symbol.ordinal,
    }
}

fn depth(outline: &Outline, symbol: &Symbol) -> u32 {
    let parents = std::iter::successors(symbol.parent, |&at| outline.symbols.get(at as usize)?.parent);
    parents.count() as u32
}
