//! Files that are a symbol themselves: a component or a template has no name but that of its file.

use crate::schema::error::PackError;
use crate::schema::manifest::{FileSymbolSpec, PackManifest};
use crate::schema::vocabulary;
use orient_model::{BindingKind, Expr, Facts, Modifier, Modifiers, Span, Symbol, SymbolKind, Visibility};
use regex::bytes::Regex;

/// A compiled [`FileSymbolSpec`].
pub(crate) struct FileSymbol {
    /// In lower case.
    endings: Vec<String>,
    kind: SymbolKind,
    contains: Option<Regex>,
}

impl FileSymbol {
    pub(super) fn compile(manifest: &PackManifest, spec: &FileSymbolSpec) -> Result<Self, PackError> {
        let kind = vocabulary::symbol(&spec.kind)
            .map_err(|unknown| unknown.at(&manifest.name, "file_symbol", &spec.kind))?;
        let contains = spec.contains.as_deref().map(Regex::new).transpose();
        let contains = contains.map_err(|error| manifest.pattern_error("file_symbol", &error))?;
        let endings = spec.files.iter().map(|ending| ending.to_ascii_lowercase()).collect();
        Ok(Self { endings, kind, contains })
    }

    /// Whether a file with this name and text is such a symbol.
    pub(crate) fn fits(&self, file_name: &str, source: &[u8]) -> bool {
        let name = file_name.to_ascii_lowercase();
        self.endings.iter().any(|ending| name.ends_with(ending.as_str()))
            && self.contains.as_ref().is_none_or(|text| text.is_match(source))
    }

    /// Adds the symbol as the first of its file. It is no parent of the others, whose names stay as they are; but what is used
    /// outside of all of them is used by it.
    pub(crate) fn add(&self, facts: &mut Facts, file_name: &str, source: &[u8]) {
        let stem = file_name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(file_name);
        shift(facts);
        let mut modifiers = Modifiers::default();
        modifiers.insert(Modifier::Exported);
        if self.kind == SymbolKind::Component {
            modifiers.insert(Modifier::Component);
        }
        let last_line = facts.outline.lines.max(1);
        let end = source.trim_ascii_end().len() as u32;
        let span = Span { start: 0, end, first_line: 1, last_line };
        let none = Span { start: 0, end: 0, first_line: 1, last_line: 1 };
        let name = facts.outline.strings.push(stem);
        let signature = facts.outline.strings.push(file_name);
        let symbol = Symbol {
            kind: self.kind,
            name,
            parent: None,
            qualifier: None,
            ordinal: 0,
            visibility: Visibility::Public,
            modifiers,
            span,
            name_span: none,
            header: none,
            body: None,
            signature,
            params: Vec::new(),
            returns: None,
            doc: None,
            attributes: Vec::new(),
            bases: Vec::new(),
            body_hash: 0,
            complexity: None,
        };
        facts.outline.symbols.insert(0, symbol);
        crate::facts::ordinals::assign(&mut facts.outline);
    }
}

/// Makes room for a first symbol: all indices move by one, and what has no symbol around it gets the new one.
fn shift(facts: &mut Facts) {
    let up = |at: &mut Option<u32>| {
        if let Some(at) = at {
            *at += 1;
        }
    };
    facts.outline.symbols.iter_mut().for_each(|symbol| up(&mut symbol.parent));
    facts.outline.chunks.iter_mut().for_each(|chunk| up(&mut chunk.symbol));
    let flow = &mut facts.flow;
    flow.scopes.iter_mut().for_each(|scope| up(&mut scope.symbol));
    for reference in &mut flow.references {
        reference.symbol = Some(reference.symbol.map_or(0, |at| at + 1));
    }
    for binding in &mut flow.bindings {
        if let BindingKind::Symbol(at) = &mut binding.kind {
            *at += 1;
        }
    }
    for expr in &mut flow.exprs {
        if let Expr::Function(at) = expr {
            *at += 1;
        }
    }
}
