//! References: what is used where. Only the largest expression counts; `a.b.c` is one reference, not three.

use super::define::Draft;
use super::{Lowering, mark};
use crate::table::{CallImport, CallRule, Rule};
use crate::text;
use crate::tree::{NONE, NodeId};
use crate::vocabulary::ExprRole;
use orient_model::{
    Expr, ExprId, Import, ImportKind, Literal, Modifier, Modifiers, RefKind, Reference, Relation, SymbolKind, Visibility, Wrapper,
};

impl<'t> Lowering<'t> {
    /// The reference a node is, if it is one.
    pub(super) fn reference(&mut self, id: NodeId, rule: &'t Rule) {
        let Some(role) = rule.role(self.tree, id) else { return };
        let part = self.has(id, mark::PART | mark::CONSUMED) || self.is_absent(id);
        match role {
            ExprRole::Name | ExprRole::Member => {
                if role == ExprRole::Member {
                    self.member_parts(id, rule);
                }
                if !part && !rule.silent {
                    let kind = self.kind_of_use(id, rule);
                    let expr = self.expr(id);
                    if !matches!(self.flow.expr(expr), Expr::SelfRef | Expr::SuperRef) {
                        self.add_reference(kind, expr, id);
                    }
                }
            }
            ExprRole::Path => {
                for name in self.path_names(id) {
                    self.mark(name, mark::PART);
                }
                if !part {
                    let kind = self.kind_of_use(id, rule);
                    let expr = self.expr(id);
                    self.add_reference(kind, expr, id);
                }
            }
            ExprRole::Call => self.call(id, rule),
            ExprRole::New => {
                // A list of something makes that thing only where its items say so.
                let ty = rule.ty.find(self.tree, id).filter(|&ty| {
                    self.table.rule(self.tree, ty).expr != Some(ExprRole::Wrap(Wrapper::Array))
                });
                if let Some(ty) = ty {
                    self.part_out(ty);
                    if rule.if_capital && self.is_plain_element(ty) {
                        return;
                    }
                    let expr = self.expr(id);
                    self.add_reference(rule.reference.unwrap_or(RefKind::Construct), expr, ty);
                }
            }
            ExprRole::Named => {
                if let Some(name) = rule.name.find(self.tree, id)
                    && !self.is_key(id)
                {
                    self.mark(name, mark::CONSUMED);
                    self.mark(self.through(name), mark::CONSUMED);
                }
            }
            ExprRole::Cast => {
                if let Some(ty) = rule.ty.find(self.tree, id) {
                    self.mark(ty, mark::TYPE);
                }
            }
            _ => {}
        }
    }

    /// Whether markup names an element of the platform, not something of the program.
    fn is_plain_element(&self, name: NodeId) -> bool {
        self.table.rule(self.tree, name).expr != Some(ExprRole::Member)
            && !self.name_text(name).starts_with(char::is_uppercase)
    }

    /// Whether a node's text says that there is nothing: `void` for no parameters, `var` for no declared type.
    pub(super) fn is_absent(&self, id: NodeId) -> bool {
        self.table.rule(self.tree, id).absent.iter().any(|text| text == self.tree.bytes(id))
    }

    /// Whether the names before values in a literal are keys of a table and no members, as its type says.
    fn is_key(&self, id: NodeId) -> bool {
        let (mut at, mut passed) = (self.tree.node(id).parent, Vec::new());
        for _ in 0..12 {
            let Some(node) = self.tree.get(at) else { return false };
            let rule = self.table.rule(self.tree, at);
            if rule.expr == Some(ExprRole::New) {
                let (Some(args), Some(mut ty)) = (rule.args.find(self.tree, at), rule.ty.find(self.tree, at)) else {
                    return false;
                };
                let kind = self.tree.node(args).kind;
                let is_list = |ty| self.table.rule(self.tree, ty).expr == Some(ExprRole::Wrap(Wrapper::Array));
                for _ in 1..passed.iter().filter(|&&passed| passed == kind).count() {
                    let element = self.table.rule(self.tree, ty).value.find(self.tree, ty);
                    match element.or_else(|| self.tree.named_children(ty).last()).filter(|_| is_list(ty)) {
                        Some(element) => ty = element,
                        None => return false,
                    }
                }
                return is_list(ty);
            }
            passed.push(node.kind);
            at = node.parent;
        }
        false
    }

    fn kind_of_use(&self, id: NodeId, rule: &Rule) -> RefKind {
        if self.has(id, mark::WRITE) {
            RefKind::Write
        } else if let Some(kind) = rule.reference {
            kind
        } else if self.frame().types {
            RefKind::Type
        } else {
            RefKind::Read
        }
    }

    /// The base of a member belongs to it; a call in the base is a reference of its own.
    fn member_parts(&mut self, id: NodeId, rule: &'t Rule) {
        if let Some(mut name) = rule.name.find(self.tree, id) {
            while name != id && name != NONE {
                self.mark(name, mark::PART);
                name = self.tree.node(name).parent;
            }
        }
        if let Some(base) = rule.base.find(self.tree, id) {
            self.part_out(base);
        }
    }

    /// Marks a node as part of the expression around it, looking through what does not change its meaning.
    pub(super) fn part_out(&mut self, id: NodeId) {
        let mut at = id;
        for _ in 0..64 {
            self.mark(at, mark::PART);
            let rule: &'t Rule = self.table.rule(self.tree, at);
            let next = match rule.expr {
                Some(ExprRole::Member) => {
                    if let Some(name) = rule.name.find(self.tree, at) {
                        self.mark(name, mark::PART);
                    }
                    rule.base.find(self.tree, at)
                }
                Some(ExprRole::Apply) => {
                    rule.base.find(self.tree, at).or_else(|| self.tree.named_children(at).next())
                }
                Some(ExprRole::Transparent | ExprRole::Wrap(_)) => {
                    rule.value.find(self.tree, at).or_else(|| self.tree.named_children(at).next())
                }
                None => {
                    let mut children = self.tree.named_children(at);
                    children.next().filter(|_| children.next().is_none())
                }
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    fn call(&mut self, id: NodeId, rule: &'t Rule) {
        let callee = rule.callee.find(self.tree, id);
        let name = rule.name.find(self.tree, id);
        if let Some(callee) = callee {
            self.part_out(callee);
        } else {
            if let Some(name) = name {
                self.mark(name, mark::PART);
            }
            if let Some(base) = rule.base.find(self.tree, id) {
                self.part_out(base);
            }
        }
        let Some(target) = callee.or(name) else { return };
        if self.is_unnamed(self.through(target)) {
            return;
        }
        let expr = self.expr(id);
        self.add_reference(rule.reference.unwrap_or(RefKind::Call), expr, target);
        if !self.table.calls.is_empty() && rule.base.find(self.tree, id).is_none() {
            let root = self.root_name(target);
            if let Some(&declared) = self.table.calls.get(&root) {
                self.declaring_call(id, rule, declared);
            }
        }
    }

    /// The first name of a callee: `it` in `it.each`.
    fn root_name(&self, id: NodeId) -> String {
        let mut at = id;
        for _ in 0..8 {
            let rule = self.table.rule(self.tree, at);
            match rule.expr {
                Some(ExprRole::Member | ExprRole::Call) => {
                    match rule.base.find(self.tree, at).or_else(|| rule.callee.find(self.tree, at)) {
                        Some(base) => at = base,
                        None => break,
                    }
                }
                _ => break,
            }
        }
        self.name_text(at)
    }

    /// A call that declares something: a module, members, bases, visibility, a test.
    fn declaring_call(&mut self, id: NodeId, rule: &'t Rule, call: CallRule) {
        let args: Vec<NodeId> = rule
            .args
            .find(self.tree, id)
            .map(|args| self.tree.named_children(args).map(|arg| self.through(arg)).collect())
            .unwrap_or_default();
        if (call.import == Some(CallImport::Effect) || call.import == Some(CallImport::Value) && !self.required.contains(&id))
            && let Some(&first) = args.first()
            && self.is_string(first)
        {
            self.required_effect(first);
        }
        if let Some(kind) = call.define {
            for &arg in args.iter().take(if call.first { 1 } else { args.len() }) {
                if self.is_string(arg) {
                    self.defined_by_call(id, rule, kind, arg);
                }
            }
        }
        if call.mixes
            && let Some(owner) = self.type_around()
        {
            for &arg in &args {
                if matches!(self.table.rule(self.tree, arg).expr, Some(ExprRole::Name | ExprRole::Member)) {
                    self.add_base(arg, Relation::Mixes, owner);
                }
            }
        }
        if let Some(visibility) = call.access {
            self.access_by_call(&args, visibility);
        }
        if call.test {
            self.test_by_call(id, rule, &args);
        }
    }

    fn is_string(&self, id: NodeId) -> bool {
        matches!(self.table.rule(self.tree, id).expr, Some(ExprRole::Literal(Literal::String)))
    }

    fn string_at(&self, id: NodeId) -> String {
        text::cut(text::unquote(&text::lossy(self.tree.bytes(id))), text::PHRASE_CAP)
    }

    fn required_effect(&mut self, node: NodeId) {
        let module = self.string_at(node);
        let at = self.tree.node(node);
        let import = Import {
            kind: ImportKind::Effect,
            module: self.shown.intern(&module),
            name: None,
            alias: None,
            reexport: false,
            visibility: Visibility::Private,
            modifiers: Modifiers::default(),
            scope: self.frame().scope,
            at: at.start,
            line: at.row + 1,
        };
        self.outline.imports.push(import);
    }

    fn defined_by_call(&mut self, id: NodeId, rule: &'t Rule, kind: SymbolKind, arg: NodeId) {
        let name = self.string_at(arg);
        let parent = self.frame().symbol;
        self.add_symbol(Draft { kind, name: &name, qualifier: None, node: id, name_node: arg, body: None, parent }, rule);
    }

    fn access_by_call(&mut self, args: &[NodeId], visibility: Visibility) {
        if args.is_empty() {
            self.set_access(visibility);
            return;
        }
        let owner = self.frame().symbol;
        for &arg in args {
            let name = if self.is_string(arg) { self.string_at(arg) } else { continue };
            let named = self
                .outline
                .symbols
                .iter_mut()
                .rev()
                .find(|symbol| symbol.parent == owner && self.shown.get(symbol.name) == name);
            if let Some(symbol) = named {
                symbol.visibility = visibility;
            }
        }
    }

    fn test_by_call(&mut self, id: NodeId, rule: &'t Rule, args: &[NodeId]) {
        let Some(&first) = args.first() else { return };
        let block = rule.body.find(self.tree, id);
        let function = args.iter().copied().find(|&arg| self.is_unnamed(arg)).or(block);
        let Some(function) = function else { return };
        let name = if self.is_string(first) {
            self.string_at(first)
        } else if first == function {
            return;
        } else {
            text::fold(&text::lossy(self.tree.bytes(first)), text::PHRASE_CAP)
        };
        let body = self.table.rule(self.tree, function).body.find(self.tree, function).or(Some(function));
        let parent = self.frame().symbol;
        let draft =
            Draft { kind: SymbolKind::Test, name: &name, qualifier: None, node: id, name_node: first, body, parent };
        let symbol = self.add_symbol(draft, rule);
        // A test's title is no name that code could use.
        self.flow.bindings.pop();
        self.outline.symbols[symbol as usize].modifiers.insert(Modifier::Test);
        if self.is_unnamed(function) {
            self.claims.insert(function, symbol);
        }
        self.push_symbol(id, symbol);
    }

    /// A decorator, annotation or attribute.
    pub(super) fn decorate(&mut self, id: NodeId, rule: &'t Rule) {
        let target = rule.name.find(self.tree, id).or_else(|| self.tree.named_children(id).next());
        let Some(target) = target else { return };
        let target_rule = self.table.rule(self.tree, target);
        if target_rule.expr == Some(ExprRole::Call) {
            // `@decorator(args)` is seen as the call it is.
            return;
        }
        self.part_out(target);
        let expr = self.expr(target);
        self.add_reference(RefKind::Decorate, expr, target);
    }

    pub(super) fn add_reference(&mut self, kind: RefKind, expr: ExprId, node: NodeId) {
        let last = self.last_name(node);
        let at = self.tree.node(last);
        let frame = self.frame();
        self.flow.references.push(Reference {
            kind,
            expr,
            at: at.start,
            line: at.row + 1,
            scope: frame.scope,
            symbol: frame.symbol,
        });
    }

    /// Where the last name of an expression stands.
    fn last_name(&self, id: NodeId) -> NodeId {
        let mut at = id;
        for _ in 0..16 {
            let rule = self.table.rule(self.tree, at);
            let next = match rule.expr {
                Some(ExprRole::Member) => rule.name.find(self.tree, at),
                Some(ExprRole::Apply) => rule.base.find(self.tree, at),
                Some(ExprRole::Path) => self.path_names(at).last().copied(),
                Some(ExprRole::Transparent | ExprRole::Wrap(_)) => {
                    rule.value.find(self.tree, at).or_else(|| self.tree.named_children(at).next())
                }
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => return at,
            }
        }
        at
    }
}
