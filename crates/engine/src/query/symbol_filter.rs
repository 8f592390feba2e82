//! Compound conditions on symbols: what they are, return, take, document, contain and are called by.

use super::type_names::named_types;
use crate::{Definition, Edges, EngineError, GraphView, NodeId, Snapshot};
use orient_model::{Confidence, EdgeKind, Modifier, RepoPath, Symbol, Visibility};
use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;

/// Conditions on symbols beyond name, kind and place. All that are set must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolFilter {
    /// All of these modifiers.
    pub modifiers: Vec<Modifier>,
    /// None of these modifiers.
    pub without_modifiers: Vec<Modifier>,
    /// One of these visibilities; empty for any.
    pub visibilities: Vec<Visibility>,
    /// Returns this type, or a pointer, list, optional or promise of it.
    pub returns: Option<String>,
    /// Takes a parameter of each of these types, in the same sense.
    pub parameter_types: Vec<String>,
    /// Is defined in something of this name.
    pub container: Option<String>,
    /// Its container has this base.
    pub container_base: Option<String>,
    /// Its container has this attribute.
    pub container_attribute: Option<String>,
    /// Whether it has documentation.
    pub documented: Option<bool>,
    /// Whether its body only says that it is not implemented.
    pub stub: bool,
    /// The number of its parameters.
    pub parameters: NumberRange,
    /// The number of its lines.
    pub lines: NumberRange,
    /// Its cyclomatic complexity. A symbol whose complexity is unknown fails any limit.
    pub cyclomatic: NumberRange,
    /// Its cognitive complexity, in the same sense.
    pub cognitive: NumberRange,
    /// The deepest nesting in it, in the same sense.
    pub nesting: NumberRange,
    /// The number of symbols that call it.
    pub callers: NumberRange,
    /// The number of symbols that it calls.
    pub callees: NumberRange,
    /// The order; by place without one.
    pub order: Option<SymbolOrder>,
}

/// A range of numbers, open at the ends that are not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberRange {
    /// The smallest.
    pub least: Option<u32>,
    /// The largest.
    pub most: Option<u32>,
}

impl NumberRange {
    /// Whether it allows every number.
    pub fn is_open(self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    /// Whether it allows a number; an unknown one only if it is open.
    fn allows(self, number: Option<u32>) -> bool {
        self.is_open() || number.is_some_and(|number| self.range().contains(&number))
    }

    fn range(self) -> RangeInclusive<u32> {
        self.least.unwrap_or(0)..=self.most.unwrap_or(u32::MAX)
    }
}

/// An order of symbols. Numbers are in descending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolOrder {
    /// By name.
    Name,
    /// By number of lines.
    Lines,
    /// By number of parameters.
    Parameters,
    /// By cyclomatic complexity.
    Complexity,
    /// By cognitive complexity.
    Cognitive,
    /// By deepest nesting.
    Nesting,
    /// By number of callers.
    Callers,
    /// By number of callees.
    Callees,
}

impl SymbolOrder {
    /// Every order.
    pub const ALL: &'static [Self] = &[
        Self::Name,
        Self::Lines,
        Self::Parameters,
        Self::Complexity,
        Self::Cognitive,
        Self::Nesting,
        Self::Callers,
        Self::Callees,
    ];

    /// The word users write.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Lines => "lines",
            Self::Parameters => "parameters",
            Self::Complexity => "complexity",
            Self::Cognitive => "cognitive",
            Self::Nesting => "nesting",
            Self::Callers => "callers",
            Self::Callees => "callees",
        }
    }
}

impl SymbolFilter {
    /// Whether every symbol passes, in the order of place.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it needs the graph.
    pub fn needs_graph(&self) -> bool {
        !self.callers.is_open()
            || !self.callees.is_open()
            || matches!(self.order, Some(SymbolOrder::Callers | SymbolOrder::Callees))
    }

    /// The conditions that the outline of its file decides, before anything is made of the symbol.
    pub(crate) fn allows_symbol(&self, symbol: &Symbol) -> bool {
        let has = |modifier: &Modifier| symbol.modifiers.contains(*modifier);
        let lines = symbol.span.last_line.saturating_sub(symbol.span.first_line) + 1;
        self.modifiers.iter().all(has)
            && !self.without_modifiers.iter().any(has)
            && (self.visibilities.is_empty() || self.visibilities.contains(&symbol.visibility))
            && self.documented.is_none_or(|wanted| symbol.doc.is_some() == wanted)
            && self.parameters.range().contains(&(symbol.params.len() as u32))
            && self.lines.range().contains(&lines)
            && self.cyclomatic.allows(symbol.complexity.map(|complexity| complexity.cyclomatic))
            && self.cognitive.allows(symbol.complexity.map(|complexity| complexity.cognitive))
            && self.nesting.allows(symbol.complexity.map(|complexity| complexity.nesting))
    }

    /// The definitions that pass the other conditions, in the requested order.
    pub(crate) fn apply(
        &self,
        snapshot: &Snapshot,
        definitions: Vec<Definition>,
    ) -> Result<Vec<Definition>, EngineError> {
        let mut containers = Vec::new();
        for (text, is_base) in [(&self.container_base, true), (&self.container_attribute, false)] {
            if let Some(text) = text {
                containers.push(ContainerSet::new(snapshot, text, is_base)?);
            }
        }
        let view = snapshot.graph();
        let mut kept = Vec::new();
        for definition in definitions {
            if self.allows(&definition)
                && containers.iter().all(|set| set.has_container_of(&definition))
                && (self.callers.is_open() || self.callers.range().contains(&callers(&view, &definition)?))
                && (self.callees.is_open() || self.callees.range().contains(&callees(&view, &definition)?))
                && (!self.stub || is_stub(snapshot, &definition)?)
            {
                kept.push(definition);
            }
        }
        self.sort(&view, kept)
    }

    /// The conditions on names and types.
    fn allows(&self, definition: &Definition) -> bool {
        let names = |text: Option<&String>, wanted: &str| {
            text.is_some_and(|text| named_types(text).contains(&wanted))
        };
        let container = definition.handle.names.iter().rev().nth(1);
        self.container.as_ref().is_none_or(|wanted| container == Some(wanted))
            && self.returns.as_ref().is_none_or(|wanted| names(definition.returns.as_ref(), wanted))
            && self
                .parameter_types
                .iter()
                .all(|wanted| definition.params.iter().any(|param| names(param.ty.as_ref(), wanted)))
    }

    fn sort(
        &self,
        view: &GraphView<'_>,
        definitions: Vec<Definition>,
    ) -> Result<Vec<Definition>, EngineError> {
        let Some(order) = self.order else { return Ok(definitions) };
        let mut keyed = Vec::with_capacity(definitions.len());
        for definition in definitions {
            let number = match order {
                SymbolOrder::Name => 0,
                SymbolOrder::Lines => definition.span.last_line.saturating_sub(definition.span.first_line),
                SymbolOrder::Parameters => definition.params.len() as u32,
                SymbolOrder::Complexity => definition.complexity.map_or(0, |known| known.cyclomatic),
                SymbolOrder::Cognitive => definition.complexity.map_or(0, |known| known.cognitive),
                SymbolOrder::Nesting => definition.complexity.map_or(0, |known| known.nesting),
                SymbolOrder::Callers => callers(view, &definition)?,
                SymbolOrder::Callees => callees(view, &definition)?,
            };
            let name = if order == SymbolOrder::Name { definition.name.clone() } else { String::new() };
            keyed.push((std::cmp::Reverse(number), name, definition));
        }
        // Stable: equal symbols stay in the order of place.
        keyed.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
        Ok(keyed.into_iter().map(|(.., definition)| definition).collect())
    }
}

/// Types with a base or attribute, to compare containers with.
struct ContainerSet {
    /// Path and qualified name of each.
    places: HashSet<(RepoPath, Vec<String>)>,
    /// Directory and qualified name: members may be written outside the type, in another file of the package.
    packages: HashSet<(String, Vec<String>)>,
    /// Qualified names of types in several parts, which may be in any directory.
    parts: HashSet<Vec<String>>,
}

impl ContainerSet {
    fn new(snapshot: &Snapshot, text: &str, is_base: bool) -> Result<Self, EngineError> {
        let named = Some(text.to_owned());
        let query = crate::DefinitionQuery {
            attribute: named.clone().filter(|_| !is_base),
            base: named.filter(|_| is_base),
            ..crate::DefinitionQuery::default()
        };
        let mut set = Self { places: HashSet::new(), packages: HashSet::new(), parts: HashSet::new() };
        for definition in snapshot.symbols(&query, 0, usize::MAX)?.rows {
            let names = definition.handle.names.clone();
            if definition.modifiers.contains(Modifier::Partial) {
                set.parts.insert(names.clone());
            }
            set.packages.insert((directory(&definition.path), names.clone()));
            set.places.insert((definition.path, names));
        }
        Ok(set)
    }

    fn has_container_of(&self, definition: &Definition) -> bool {
        let [around @ .., _] = definition.handle.names.as_slice() else { return false };
        let around = around.to_vec();
        self.places.contains(&(definition.path.clone(), around.clone()))
            || self.parts.contains(&around)
            || self.packages.contains(&(directory(&definition.path), around))
    }
}

fn directory(path: &RepoPath) -> String {
    path.display().rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_owned())
}

fn is_proven_call(kind: EdgeKind, confidence: Confidence) -> bool {
    matches!(kind, EdgeKind::Calls | EdgeKind::Constructs) && confidence < Confidence::Approximate
}

/// The number of symbols that are proven to call a symbol.
pub(crate) fn callers(view: &GraphView<'_>, definition: &Definition) -> Result<u32, EngineError> {
    let edges = view.incoming(NodeId::from(definition.id))?;
    let sources =
        edges.iter().filter(|edge| is_proven_call(edge.kind, edge.confidence)).map(|edge| edge.source);
    Ok(sources.collect::<BTreeSet<NodeId>>().len() as u32)
}

/// The number of symbols that a symbol is proven to call.
pub(crate) fn callees(view: &GraphView<'_>, definition: &Definition) -> Result<u32, EngineError> {
    let edges = view.outgoing(NodeId::from(definition.id))?;
    let targets =
        edges.iter().filter(|edge| is_proven_call(edge.kind, edge.confidence)).map(|edge| edge.target);
    Ok(targets.collect::<BTreeSet<NodeId>>().len() as u32)
}

/// How bodies begin that only say that they are not implemented, in lower case.
const STUB_BODIES: &[&str] = &[
    "...",
    "fatalerror(",
    "panic(\"not implemented",
    "panic(\"todo",
    "panic!(\"not implemented",
    "pass",
    "raise notimplementederror",
    "throw notimplementederror",
    "throw new error(\"not implemented",
    "throw new error('not implemented",
    "throw new notimplementedexception",
    "throw new unsupportedoperationexception",
    "throw unsupportedoperationexception",
    "todo(",
    "todo!(",
    "unimplemented!(",
];
/// A longer body is not a stub.
const MAX_STUB_LINES: u32 = 12;

/// Whether the body of a symbol only says that it is not implemented.
fn is_stub(snapshot: &Snapshot, definition: &Definition) -> Result<bool, EngineError> {
    let Some(body) = definition.body else { return Ok(false) };
    if body.last_line.saturating_sub(body.first_line) > MAX_STUB_LINES {
        return Ok(false);
    }
    let Some(file) = snapshot.file(&definition.path)? else { return Ok(false) };
    let mut text = String::new();
    snapshot.each_text([&file], |_, whole| {
        whole.get(body.start as usize..body.end as usize).unwrap_or_default().clone_into(&mut text);
    })?;
    Ok(is_stub_body(&text))
}

fn is_stub_body(body: &str) -> bool {
    let inner = body.trim().trim_start_matches(['{', ':', '=', '>']).trim_end_matches('}').trim();
    // A documentation string or comments may come first.
    let code = inner.lines().map(str::trim).filter(|line| {
        !line.is_empty() && !line.starts_with("//") && !line.starts_with('#') && !line.starts_with("\"\"\"")
    });
    let code: Vec<String> = code.map(str::to_lowercase).collect();
    match code.as_slice() {
        [only] => {
            let only = only.trim_start_matches("return ").trim_end_matches(';');
            STUB_BODIES.iter().any(|stub| only == *stub || only.starts_with(stub) && stub.len() > 4)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_that_only_say_not_implemented_are_stubs() {
        for body in [
            "pass",
            "...",
            "{ todo!() }",
            "{\n    unimplemented!(\"later\")\n}",
            "{ throw new NotImplementedException(); }",
            "=> throw new NotImplementedException();",
            "\"\"\"Docs.\"\"\"\n    raise NotImplementedError(\"x\")",
            "{\n  // later\n  panic(\"not implemented\")\n}",
        ] {
            assert!(is_stub_body(body), "{body}");
        }
        for body in ["{}", "", "{ return 1; }", "passed = 1", "x = 1\npass", "{ todo_list.push(1) }"] {
            assert!(!is_stub_body(body), "{body}");
        }
    }
}
