//! Roles in questions and answers: of files, of symbols as they are derived, and those that the settings define.

use crate::arguments::enum_values;
use crate::arguments::file_scope::FileScope;
use crate::error::ToolError;
use crate::operations::find;
use crate::session::Session;
use orient_engine::{
    CustomRole, Definition, DefinitionQuery, EngineError, FileOutline, NodeId, RoleConditions, Snapshot,
    SymbolId, SymbolRoles,
};
use orient_model::{Role, SymbolRole};
use orient_structural::{Query, QuerySpec};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the roles of a question select: files with one of these roles, and in them symbols with one of the other roles.
#[derive(Default)]
pub(crate) struct RoleSelection {
    /// The roles of files; empty for any.
    pub(crate) files: Vec<Role>,
    /// The symbols; `None` for any.
    pub(crate) symbols: Option<Arc<BTreeSet<SymbolId>>>,
}

/// Whether any of these words is a role of symbols, which only the graph tells.
pub(crate) fn names_symbol_roles(words: &[String]) -> bool {
    words.iter().any(|word| word.parse::<Role>().is_err())
}

impl RoleSelection {
    /// The selection that words make.
    pub(crate) fn new(
        session: &Session<'_>,
        snapshot: &Snapshot,
        words: &[String],
    ) -> Result<Self, ToolError> {
        let mut selection = Self::default();
        let (mut derived, mut found): (Vec<SymbolRole>, BTreeSet<SymbolId>) = Default::default();
        let custom = snapshot.custom_roles().all();
        for word in words {
            let usual = word.to_lowercase().replace('-', "_");
            let singular = usual.strip_suffix('s').unwrap_or(&usual);
            if let Some(role) = usual.parse().ok().or_else(|| singular.parse().ok()) {
                selection.files.push(role);
            } else if let Some(role) = usual.parse().ok().or_else(|| singular.parse().ok()) {
                derived.push(role);
            } else if let Some(role) = custom.iter().find(|role| role.name == *word) {
                found.extend(symbols_with(session, snapshot, role)?);
            } else {
                let files = Role::ALL.iter().map(|role| role.as_str());
                let symbols = SymbolRole::ALL.iter().map(|role| role.as_str());
                let custom = custom.iter().map(|role| role.name.as_str());
                let known: Vec<&str> = files.chain(symbols).chain(custom).collect();
                enum_values::one_of("role", word, &known)?;
            }
        }
        if selection.files.len() == words.len() {
            return Ok(selection);
        }
        if !derived.is_empty() {
            found.extend(snapshot.symbols_with_roles(&derived)?);
        }
        selection.symbols = Some(Arc::new(found));
        Ok(selection)
    }

    /// Whether a node is selected: a symbol with the role, in a file with the role.
    pub(crate) fn allows(&self, snapshot: &Snapshot, node: NodeId) -> Result<bool, EngineError> {
        let in_file = self.files.is_empty() || {
            let file = snapshot.graph().file_of(node)?;
            self.files.contains(&file.role)
        };
        let of_symbol = |symbols: &BTreeSet<SymbolId>| node.symbol().is_some_and(|id| symbols.contains(&id));
        Ok(in_file && self.symbols.as_ref().is_none_or(|symbols| of_symbol(symbols)))
    }
}

/// The symbols that have a role of the settings.
fn symbols_with(
    session: &Session<'_>,
    snapshot: &Snapshot,
    role: &CustomRole,
) -> Result<BTreeSet<SymbolId>, ToolError> {
    let mut found = BTreeSet::new();
    for conditions in &role.alternatives {
        match &conditions.code {
            None => {
                let all = snapshot.symbols(&DefinitionQuery::default(), 0, usize::MAX)?.rows;
                found.extend(all.into_iter().filter(|one| conditions.allows(one)).map(|one| one.id));
            }
            Some(pattern) => found.extend(symbols_by_code(session, snapshot, conditions, pattern)?),
        }
    }
    Ok(found)
}

/// The innermost symbols around the matches of a pattern that fit the other conditions too.
fn symbols_by_code(
    session: &Session<'_>,
    snapshot: &Snapshot,
    conditions: &RoleConditions,
    pattern: &str,
) -> Result<BTreeSet<SymbolId>, ToolError> {
    let spec = QuerySpec { pattern: pattern.to_owned(), ..QuerySpec::default() };
    let languages = snapshot.status()?.languages;
    // A pattern is code of some languages; in the others it means nothing.
    let names = languages.iter().filter_map(|count| count.language.as_deref());
    let queries: Vec<Query> = names.filter_map(|language| Query::compile(language, &spec).ok()).collect();
    let scope = FileScope::new(session, snapshot, &[], &[], &[])?;
    let matches = find::search(session, snapshot, &scope, &queries)?.matches;
    let mut lines: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for found in matches {
        lines.entry(found.path).or_default().push(found.line);
    }
    let mut found = BTreeSet::new();
    for (path, lines) in lines {
        let Some(file) = snapshot.file(&path.as_str().into())? else { continue };
        let held = snapshot.outline(file)?;
        let innermost: BTreeSet<SymbolId> =
            lines.into_iter().filter_map(|line| innermost(&held, line)).collect();
        for symbol in innermost {
            let definition = snapshot.graph().describe(symbol.into())?.definition;
            found.extend(definition.filter(|one| conditions.allows(one)).map(|one| one.id));
        }
    }
    Ok(found)
}

/// The innermost function or type around a line.
fn innermost(held: &FileOutline, line: u32) -> Option<SymbolId> {
    let symbols = held.outline.symbols.iter().enumerate();
    let mut around = symbols.filter(|(_, symbol)| {
        let span = symbol.span;
        (symbol.kind.is_callable() || symbol.kind.is_type())
            && (span.first_line..=span.last_line).contains(&line)
    });
    let (at, _) = around.next_back()?;
    held.ids.get(at).copied()
}

/// The roles of symbols as answers show them.
pub(crate) struct RoleLabels<'s> {
    snapshot: &'s Snapshot,
    /// `None` while the graph is behind the files: then no role is known.
    derived: Option<Arc<SymbolRoles>>,
}

impl<'s> RoleLabels<'s> {
    pub(crate) fn new(snapshot: &'s Snapshot) -> Result<Self, EngineError> {
        let derived = if snapshot.owed() == 0 { Some(snapshot.symbol_roles()?) } else { None };
        Ok(Self { snapshot, derived })
    }

    /// The roles of a symbol. Those that depend on patterns of code are not among them: they are found only when they are asked for.
    pub(crate) fn of(&self, definition: &Definition) -> Vec<String> {
        let Some(derived) = &self.derived else { return Vec::new() };
        let own = derived.of(definition).into_iter().map(|role| role.as_str().to_owned());
        let custom = self.snapshot.custom_roles().all().iter();
        own.chain(custom.filter(|role| role.fits(definition)).map(|role| role.name.clone())).collect()
    }

    /// The roles of a node; a file has none.
    pub(crate) fn of_node(&self, node: NodeId) -> Result<Vec<String>, EngineError> {
        if self.derived.is_none() || node.symbol().is_none() {
            return Ok(Vec::new());
        }
        let definition = self.snapshot.graph().describe(node)?.definition;
        Ok(definition.map(|definition| self.of(&definition)).unwrap_or_default())
    }
}

/// Roles as the text of an answer shows them, after a kind and a name: ` [handler]`. A role that is the kind itself is not repeated.
pub(crate) fn bracketed(roles: &[String], kind: &str) -> String {
    let others: Vec<&str> = roles.iter().map(String::as_str).filter(|role| *role != kind).collect();
    if others.is_empty() { String::new() } else { format!(" [{}]", others.join(", ")) }
}
