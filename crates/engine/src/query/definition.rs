//! A symbol with all its facts as text.

use crate::extraction::{self, Language};
use orient_model::{
    Complexity, Handle, Modifier, Modifiers, Modules, Outline, Relation, RepoPath, Span, Symbol, SymbolKind,
    Visibility,
};
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
    /// How complex its body is, where known.
    pub complexity: Option<Complexity>,
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
    /// The kind that answers show: a function or class that renders markup is a component.
    pub fn shown_kind(&self) -> SymbolKind {
        self.kind.shown(self.modifiers)
    }

    /// Whether the names in its language are resolved. If not, nothing is known about what it uses and what uses it.
    pub fn is_resolved(&self) -> bool {
        let rules = self.language.as_deref().and_then(extraction::rules);
        rules.is_some_and(|rules| !rules.outline_only)
    }

    /// The language, runtime or framework that may use it by its name, without naming it in the source. Whether the framework is there is not
    /// asked.
    pub fn runtime_use(&self) -> Option<&'static str> {
        let (language, path) = (self.language.as_deref()?, self.path.display());
        let of_framework = || {
            let frameworks = extraction::rules(language)?.frameworks.iter();
            let mut rules = frameworks.flat_map(|framework| &framework.implicit_uses);
            let rule = rules.find(|rule| rule.fits(&path, &self.name, self.kind, self.returns.as_deref()))?;
            Some(rule.why.as_str())
        };
        extraction::runtime_use(language, &path, &self.name, self.kind).or_else(of_framework)
    }

    /// Whether only code in other languages can use it: a type or field of a language that has no modules, such as a table or a column.
    pub fn is_used_by_other_languages(&self) -> bool {
        let rules = self.language.as_deref().and_then(extraction::rules);
        let is_data = self.kind.is_type() || self.kind == SymbolKind::Field;
        is_data && rules.is_none_or(|rules| rules.modules == Modules::None)
    }

    /// Whether a type in its language has the interfaces whose members it has, without naming them.
    pub fn has_implicit_interfaces(&self) -> bool {
        let rules = self.language.as_deref().and_then(extraction::rules);
        rules.is_some_and(|rules| rules.structural_interfaces)
    }

    /// Whether a value in its language may be used as one of another type that has its members.
    pub fn is_structurally_typed(&self) -> bool {
        let rules = self.language.as_deref().and_then(extraction::rules);
        rules.is_some_and(|rules| rules.structural_interfaces || rules.type_namespace)
    }

    /// Whether functions of one name and scope may differ by their parameters.
    pub fn may_be_overloaded(&self) -> bool {
        self.language.as_deref().and_then(extraction::rules).is_none_or(|rules| rules.overloads)
    }

    /// Whether another definition may be this one under another condition of the preprocessor.
    pub fn is_alternative_of(&self, other: &Self) -> bool {
        let has_directives =
            || self.language.as_deref().and_then(Language::by_name).is_some_and(Language::has_directives);
        self.kind == other.kind && self.path == other.path && has_directives()
    }

    /// Whether a build may take another definition in place of this one: both are in files that others include.
    pub fn is_alternative_in_build(&self, other: &Self) -> bool {
        let has_directives = |one: &Self| {
            one.language.as_deref().and_then(Language::by_name).is_some_and(Language::has_directives)
        };
        self.kind == other.kind && self.path != other.path && has_directives(self) && has_directives(other)
    }

    /// Whether two definitions are parts of one type or namespace: partial classes, reopened classes and modules, merged
    /// declarations.
    pub fn is_part_with(&self, other: &Self) -> bool {
        let is_type = |one: &Self| one.kind.is_type() || one.kind == SymbolKind::Module;
        let rules = |one: &Self| one.language.as_deref().and_then(extraction::rules);
        let (Some(ours), Some(theirs)) = (rules(self), rules(other)) else { return false };
        if !is_type(self)
            || !is_type(other)
            || ours.family != theirs.family
            || self.handle.names != other.handle.names
        {
            return false;
        }
        let both = |modifier| self.modifiers.contains(modifier) && other.modifiers.contains(modifier);
        // If each file is a module, a type of the same name in another file is another type.
        let shared = match ours.modules {
            Modules::Path | Modules::Dotted => false,
            Modules::Tree => self.kind != SymbolKind::Module,
            _ => true,
        };
        let open = both(Modifier::Partial) || ours.open_classes || self.kind == SymbolKind::Module;
        if self.path == other.path { open || ours.declaration_merging } else { open && shared }
    }

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
            complexity: symbol.complexity,
        })
    }
}

/// The handle of a symbol of an outline.
pub(crate) fn handle(path: &RepoPath, outline: &Outline, at: u32, symbol: &Symbol) -> Handle {
    Handle {
        path: path.display().into_owned(),
        names: outline.qualified(at).into_iter().map(str::to_owned).collect(),
        ordinal: symbol.ordinal,
        overload: overload(outline, symbol),
    }
}

/// Maximum number of functions of one name whose types are compared.
const MAX_OVERLOADS: usize = 64;

/// The parameter types of a function that has overloads in its file, if they tell them apart: without type arguments and qualifiers if
/// that is enough, as written otherwise.
fn overload(outline: &Outline, symbol: &Symbol) -> Option<String> {
    let is_overload = |other: &&Symbol| {
        other.name == symbol.name
            && other.parent == symbol.parent
            && other.qualifier == symbol.qualifier
            && other.kind.is_callable()
    };
    if !symbol.kind.is_callable() {
        return None;
    }
    let all: Vec<&Symbol> = outline.symbols.iter().filter(is_overload).take(MAX_OVERLOADS + 1).collect();
    let is_typed = |one: &&Symbol| one.params.iter().any(|param| param.ty.is_some());
    if !(2..=MAX_OVERLOADS).contains(&all.len()) || !all.iter().any(is_typed) {
        return None;
    }
    let types = |one: &Symbol, shown: fn(&str) -> String| {
        let of_param = |param: &orient_model::Param| {
            param.ty.map_or_else(|| "_".to_owned(), |ty| shown(outline.strings.get(ty)))
        };
        one.params.iter().map(of_param).collect::<Vec<_>>().join(",")
    };
    [base_type as fn(&str) -> String, type_as_written].into_iter().find_map(|shown| {
        let mut texts: Vec<String> = all.iter().map(|one| types(one, shown)).collect();
        texts.sort_unstable();
        let are_distinct = texts.windows(2).all(|pair| pair[0] != pair[1]);
        are_distinct.then(|| types(symbol, shown))
    })
}

/// A type without its arguments and qualifiers: `List` of `java.util.List<String>`.
fn base_type(text: &str) -> String {
    let (mut depth, mut plain) = (0_u32, String::new());
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let word = plain.split_whitespace().next_back().unwrap_or_default();
    word.rsplit(['.', ':', '\\']).next().unwrap_or_default().replace(['(', ')', ','], "")
}

/// A type as written, without white space and the characters that a handle uses.
fn type_as_written(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')' | ',')).collect()
}

fn depth(outline: &Outline, symbol: &Symbol) -> u32 {
    let parents = std::iter::successors(symbol.parent, |&at| outline.symbols.get(at as usize)?.parent);
    parents.count() as u32
}
