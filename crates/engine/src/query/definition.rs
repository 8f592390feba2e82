//! A symbol with all its facts as text.

use orient_model::{Handle, Modifiers, Outline, Relation, RepoPath, Span, Symbol, SymbolKind, Visibility};
use orient_store::{FileRow, SymbolId};

/// A symbol with all its facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its id; stable as long as its position, name and kind are.
    pub id: SymbolId,
    /// Its handle.
    pub handle: Handle,
    /// The file that defines it.
    pub path: RepoPath,
    /// The language of that file.
    pub language: Option<String>,
    /// Its own name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its modifiers.
    pub modifiers: Modifiers,
    /// The number of enclosing symbols.
    pub depth: u32,
    /// The whole definition.
    pub span: Span,
    /// The name in the declaration.
    pub name_span: Span,
    /// From after the attributes to before the body.
    pub header: Span,
    /// Its body, if any.
    pub body: Option<Span>,
    /// The signature as written.
    pub signature: String,
    /// Parameters as written.
    pub params: Vec<Parameter>,
    /// Return or value type as written.
    pub returns: Option<String>,
    /// Documentation.
    pub doc: Option<String>,
    /// Attributes, annotations, decorators as written.
    pub attributes: Vec<String>,
    /// Supertypes as written, with the relation.
    pub bases: Vec<(Relation, String)>,
}

/// A parameter as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its type.
    pub ty: Option<String>,
    /// Whether it has a default value.
    pub default: bool,
    /// Whether it takes any number of arguments.
    pub variadic: bool,
}

impl Definition {
    /// The symbol at a position of an outline; `None` if the position does not exist.
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

/// The handle of a symbol of an outline.
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
