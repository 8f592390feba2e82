//! Import and export statements, and the package of a file.

use super::Lowering;
use crate::facts::display_text;
use crate::node_table::{ExportRole, ImportRole, Rule};
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::{ExprRole, HeaderWord};
use orient_model::{
    BindingKind, Export, Import, ImportKind, Modifier, Modifiers, Says, Statement, Visibility,
};

/// Maximum nesting depth of import groups.
const DEPTH_CAP: usize = 16;

/// The parts of an import statement that all its items share.
#[derive(Clone)]
struct ImportStatement {
    reexport: bool,
    binds: bool,
    visibility: Visibility,
    modifiers: Modifiers,
}

impl<'t> Lowering<'t> {
    /// Lowers an import statement; true if all of it was processed.
    pub(super) fn import_statement(&mut self, id: NodeId, rule: &'t Rule) -> bool {
        let Some(role @ (ImportRole::Statement | ImportRole::Effect)) = rule.import else { return false };
        if rule.export.is_some() && rule.module.find(self.tree, id).is_none() {
            return self.export_statement(id, rule);
        }
        let mut modifiers = rule.modifiers;
        let mut visibility = Visibility::Private;
        for word in self.header_words(id) {
            match self.table.modifier_words.get(word) {
                Some(HeaderWord::Modifier(modifier)) => modifiers.insert(*modifier),
                Some(HeaderWord::Visibility(said)) => visibility = *said,
                _ => {}
            }
        }
        // A star in an import means all names.
        modifiers.remove(Modifier::Generator);
        if let Some(module) = rule.module.find(self.tree, id) {
            modifiers.0 |= self.table.rule(self.tree, module).modifiers.0;
        }
        let reexport = rule.reexport || visibility != Visibility::Private;
        let statement = ImportStatement { reexport, binds: !rule.reexport, visibility, modifiers };
        let before = self.outline.imports.len();
        let module_node = rule.module.find(self.tree, id);
        let module = module_node.map(|node| self.module_text(node)).unwrap_or_default();
        if rule.wildcard.find(self.tree, id).is_some() {
            self.import_all(id, rule, &module, &statement);
            return true;
        }
        let alias_node = rule.alias.find(self.tree, id);
        for child in self.tree.named_children(id).collect::<Vec<_>>() {
            if Some(child) != module_node && Some(child) != alias_node {
                self.import_part(child, &module, &statement, 0);
            }
        }
        if self.outline.imports.len() == before && !module.is_empty() {
            let kind = if role == ImportRole::Effect { ImportKind::Effect } else { ImportKind::Module };
            let alias = rule.alias.find(self.tree, id).map(|alias| self.name_text(alias));
            self.add_import(id, kind, &module, None, alias.as_deref(), &statement);
        }
        // An import expression may contain others.
        rule.expr.is_none()
    }

    /// `import a.b.*`, `export * as ns from "x"`, `use a::*`.
    fn import_all(&mut self, id: NodeId, rule: &Rule, module: &str, statement: &ImportStatement) {
        let module = if module.is_empty() {
            rule.name.find(self.tree, id).map(|name| self.module_text(name)).unwrap_or_default()
        } else {
            module.to_owned()
        };
        match rule.alias.find(self.tree, id).map(|alias| self.name_text(alias)) {
            Some(alias) => self.add_import(id, ImportKind::Module, &module, None, Some(&alias), statement),
            None => self.add_import(id, ImportKind::Wildcard, &module, None, None, statement),
        }
    }

    fn module_text(&self, id: NodeId) -> String {
        let text = display_text::lossy(self.tree.bytes(id));
        display_text::unquote(&text).split_whitespace().collect()
    }

    fn import_part(&mut self, id: NodeId, prefix: &str, statement: &ImportStatement, depth: usize) {
        if depth > DEPTH_CAP {
            return;
        }
        let rule: &'t Rule = self.table.rule(self.tree, id);
        let module_node = rule.module.find(self.tree, id);
        let prefix = match module_node {
            Some(node) => self.join(prefix, &self.module_text(node)),
            None => prefix.to_owned(),
        };
        let Some(role) = rule.import else {
            for child in self.tree.named_children(id).collect::<Vec<_>>() {
                self.import_part(child, &prefix, statement, depth + 1);
            }
            return;
        };
        let name =
            rule.name.find(self.tree, id).map_or_else(|| self.module_text(id), |name| self.module_text(name));
        let alias = rule.alias.find(self.tree, id).map(|alias| self.name_text(alias));
        if rule.wildcard.find(self.tree, id).is_some() {
            let module = if rule.name.is_empty() { prefix } else { self.join(&prefix, &name) };
            self.add_import(id, ImportKind::Wildcard, &module, None, None, statement);
            return;
        }
        if rule.side_effect.find(self.tree, id).is_some() {
            let module = self.join(&prefix, &name);
            self.add_import(id, ImportKind::Effect, &module, None, None, statement);
            return;
        }
        match role {
            ImportRole::Statement | ImportRole::Effect | ImportRole::Group => {
                for child in self.tree.named_children(id).collect::<Vec<_>>() {
                    if Some(child) != module_node {
                        self.import_part(child, &prefix, statement, depth + 1);
                    }
                }
            }
            ImportRole::Item => self.import_item(id, &prefix, &name, alias.as_deref(), statement),
            ImportRole::Module => {
                let module = if rule.name.is_empty() && self.is_self(&name)
                    || rule.name.is_empty() && alias.is_some()
                {
                    prefix
                } else {
                    self.join(&prefix, &name)
                };
                self.add_import(id, ImportKind::Module, &module, None, alias.as_deref(), statement);
            }
            ImportRole::Wildcard => {
                let module =
                    if rule.name.find(self.tree, id).is_none() { prefix } else { self.join(&prefix, &name) };
                self.add_import(id, ImportKind::Wildcard, &module, None, None, statement);
            }
            ImportRole::Default => {
                self.add_import(id, ImportKind::Default, &prefix, None, Some(&name), statement);
            }
        }
    }

    fn is_self(&self, name: &str) -> bool {
        self.table.self_names.iter().any(|own| own == name)
    }

    /// Adds one item; a path before its name belongs to the module.
    fn import_item(
        &mut self,
        id: NodeId,
        prefix: &str,
        path: &str,
        alias: Option<&str>,
        statement: &ImportStatement,
    ) {
        let separator = self.separator().to_owned();
        // Type arguments are not part of the name.
        let path = path.split_once('<').map_or(path, |(path, _)| path);
        let (module, name) = match path.rsplit_once(separator.as_str()) {
            Some((module, name)) if !module.is_empty() => (self.join(prefix, module), name),
            Some((_, name)) => (prefix.to_owned(), name),
            None => (prefix.to_owned(), path),
        };
        if self.is_self(name) || module.is_empty() {
            let module = if module.is_empty() { path } else { &module };
            self.add_import(id, ImportKind::Module, module, None, alias, statement);
        } else {
            self.add_import(id, ImportKind::Item, &module, Some(name), alias, statement);
        }
    }

    fn separator(&self) -> &str {
        &self.conventions.separator
    }

    fn join(&self, prefix: &str, rest: &str) -> String {
        match (prefix.is_empty(), rest.is_empty()) {
            (true, _) => rest.to_owned(),
            (_, true) => prefix.to_owned(),
            _ => format!("{}{}{rest}", prefix.trim_end_matches(self.separator()), self.separator()),
        }
    }

    fn add_import(
        &mut self,
        id: NodeId,
        kind: ImportKind,
        module: &str,
        name: Option<&str>,
        alias: Option<&str>,
        statement: &ImportStatement,
    ) {
        let at = *self.tree.node(id);
        let frame = self.frame();
        let import = Import {
            kind,
            module: self.shown.intern(module),
            name: name.map(|name| self.shown.intern(name)),
            alias: alias.map(|alias| self.shown.intern(alias)),
            reexport: statement.reexport,
            visibility: statement.visibility,
            modifiers: statement.modifiers,
            scope: frame.scope,
            at: at.start,
            line: at.row + 1,
        };
        if self.table.project_wide_imports && import.reexport {
            self.project_wide_import(&import);
        }
        self.outline.imports.push(import);
        let index = self.outline.imports.len() as u32 - 1;
        if !statement.binds
            || matches!(kind, ImportKind::Wildcard | ImportKind::Effect | ImportKind::Template)
        {
            return;
        }
        let bound = alias.or(name).map_or_else(|| self.bound_part(module), str::to_owned);
        if !bound.is_empty() {
            self.bind_name(frame.scope, &bound, BindingKind::Import(index), at.start);
        }
    }

    /// States an import that applies to all files of the project, as a project file would.
    fn project_wide_import(&mut self, import: &Import) {
        let module = self.shown.get(import.module).to_owned();
        let value = match import.name {
            Some(name) => format!("{module}.{}", self.shown.get(name)),
            None => module,
        };
        let name = match import.alias {
            Some(alias) => self.shown.get(alias).to_owned(),
            None if import.modifiers.contains(Modifier::Static) => Modifier::Static.as_str().to_owned(),
            None => String::new(),
        };
        let (name, value) = (self.shown.intern(&name), self.shown.intern(&value));
        self.outline.manifest.push(Statement { says: Says::Using, name, value });
    }

    /// The name that an import of a module binds without an alias.
    fn bound_part(&self, module: &str) -> String {
        if let Some(pattern) = &self.conventions.module_name {
            let found = pattern.captures(module).and_then(|captures| captures.get(1));
            return found.map(|name| name.as_str().to_owned()).unwrap_or_default();
        }
        let mut parts = module.split(['/', '.', '\\', ':']).filter(|part| !part.is_empty());
        let part = if self.table.import_binds_first { parts.next() } else { parts.next_back() };
        part.unwrap_or_default().to_owned()
    }

    /// Lowers an export statement; true if all of it was processed, false if it wraps a definition.
    pub(super) fn export_statement(&mut self, id: NodeId, rule: &'t Rule) -> bool {
        if rule.export != Some(ExportRole::Statement) {
            return false;
        }
        if let Some(value) = rule.value.find(self.tree, id) {
            self.export_value(id, value);
            return false;
        }
        let mut found = false;
        let mut pending: Vec<NodeId> = self.tree.named_children(id).collect();
        pending.reverse();
        while let Some(node) = pending.pop() {
            let node_rule = self.table.rule(self.tree, node);
            match node_rule.export {
                Some(ExportRole::Item) => {
                    found = true;
                    let name_node = node_rule.name.find(self.tree, node).unwrap_or(node);
                    let name = self.name_text(name_node);
                    let public = node_rule
                        .alias
                        .find(self.tree, node)
                        .map_or(name.clone(), |alias| self.name_text(alias));
                    self.add_export(node, &name, &public);
                }
                _ if node_rule.symbol.is_none()
                    && node_rule.declare.is_none()
                    && !node_rule.wrapper
                    && node_rule.expr.is_none() =>
                {
                    let children: Vec<NodeId> = self.tree.named_children(node).collect();
                    pending.extend(children.into_iter().rev());
                }
                _ => {}
            }
        }
        found
    }

    /// `export default x`: an anonymous function or type is called `default`.
    fn export_value(&mut self, id: NodeId, value: NodeId) {
        let value = self.through(value);
        let rule: &'t Rule = self.table.rule(self.tree, value);
        if rule.expr == Some(ExprRole::Name) {
            let name = self.name_text(value);
            self.add_export(id, &name, "default");
        } else if self.is_unnamed(value) {
            let kind = rule.symbol.unwrap_or(orient_model::SymbolKind::Function);
            let body = rule.body.find(self.tree, value);
            let draft = super::definitions::SymbolDraft {
                kind,
                name: "default",
                qualifier: None,
                node: value,
                name_node: value,
                body,
                parent: self.frame().symbol,
            };
            let symbol = self.add_symbol(draft, rule);
            self.outline.symbols[symbol as usize].modifiers.insert(Modifier::Default);
            self.claims.insert(value, symbol);
            self.add_export(id, "default", "default");
        } else if rule.symbol.is_none() {
            if self.is_object(value) {
                self.objects.insert(
                    value,
                    super::assigned_exports::ObjectContainer { path: "default".to_owned(), exported: false },
                );
            }
            let name = self.passed_name(value).unwrap_or_default();
            self.add_export(id, &name, "default");
        }
    }

    /// The name of the function that a call returns: `Foo` in `export default memo(Foo)`.
    fn passed_name(&self, value: NodeId) -> Option<String> {
        let rule = self.table.rule(self.tree, value);
        self.call_rule(value, rule).filter(|call| call.returns_its_function)?;
        let first = self.tree.named_children(rule.args.find(self.tree, value)?).next()?;
        match self.table.rule(self.tree, first).expr {
            Some(ExprRole::Name) => Some(self.name_text(first)),
            _ => self.passed_name(first),
        }
    }

    pub(super) fn add_export(&mut self, id: NodeId, name: &str, public: &str) {
        let at = self.tree.node(id);
        let export = Export {
            name: self.shown.intern(name),
            public: self.shown.intern(public),
            at: at.start,
            line: at.row + 1,
        };
        self.outline.exports.push(export);
    }

    /// `package a.b`, `namespace A\B;`.
    pub(super) fn package(&mut self, id: NodeId, rule: &Rule) {
        if rule.needs_body && rule.body.find(self.tree, id).is_some() {
            // With a body it is a symbol, and a file may have several.
            return;
        }
        let name = rule.name.find(self.tree, id).or_else(|| self.tree.named_children(id).next());
        if let Some(name) = name {
            let text = self.module_text(name);
            self.outline.package = Some(self.shown.intern(&text));
            self.marks[name as usize] |= super::mark::DONE;
        }
    }
}
