//! References: which names are used where. Only the largest expression counts: `a.b.c` is one reference, not three, because a
//! use of `c` also uses `a` and `b`. A part on another line is a reference of its own.

use super::definitions::SymbolDraft;
use super::{Lowering, mark};
use crate::facts::display_text;
use crate::node_table::{CallImport, CallRule, Rule};
use crate::parse::flat_tree::{NONE, NodeId};
use crate::schema::vocabulary::ExprRole;
use orient_model::{
    Atom, Expr, ExprId, ExprList, ImportKind, Literal, Modifier, Modifiers, RefKind, Reference, Relation,
    SymbolKind, Wrapper,
};

/// Maximum number of names in the path of a reference.
const LONGEST: u32 = 64;

impl<'t> Lowering<'t> {
    /// Adds the reference that a node is, if it is one.
    pub(super) fn reference(&mut self, id: NodeId, rule: &'t Rule) {
        let Some(role) = rule.role(self.tree, id) else { return };
        let part = self.has(id, mark::PART | mark::CONSUMED) || self.is_absent(id);
        if rule.bare_call && self.bare_call(id, rule) {
            return;
        }
        let written =
            role == ExprRole::Call && self.has(id, mark::WRITE) && rule.args.find(self.tree, id).is_none();
        let role = if written { ExprRole::Member } else { role };
        match role {
            ExprRole::Name | ExprRole::Member | ExprRole::Own => {
                if role == ExprRole::Member {
                    self.member_parts(id, rule);
                }
                if !part && !rule.not_a_reference {
                    let kind = self.kind_of_use(id, rule);
                    let expr = self.expr(id);
                    if !matches!(self.flow.expr(expr), Expr::SelfRef | Expr::SuperRef) {
                        let expr = self.keyed(id).unwrap_or(expr);
                        self.add_reference(kind, expr, id);
                        self.bases_on_other_lines(id);
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
                // A list literal constructs its element type only if its items do.
                let ty = rule.ty.find(self.tree, id).filter(|&ty| {
                    let rule = self.table.rule(self.tree, ty);
                    rule.expr != Some(ExprRole::Wrap(Wrapper::Array)) && !rule.not_a_reference
                });
                if let Some(ty) = ty {
                    // The type may be that of a declaration around the construction.
                    let is_named_here = self.tree.is_inside(ty, id);
                    if is_named_here {
                        self.part_out(ty);
                    }
                    if rule.only_if_capitalised && self.is_plain_element(ty) {
                        return;
                    }
                    let expr = self.expr(id);
                    let place = if is_named_here { ty } else { id };
                    self.add_reference(rule.reference.unwrap_or(RefKind::Construct), expr, place);
                }
            }
            ExprRole::Named => {
                if let Some(name) = rule.name.find(self.tree, id)
                    && !self.is_key(id)
                {
                    self.mark(name, mark::CONSUMED);
                    self.mark(self.through(name), mark::CONSUMED);
                    if rule.element_attribute {
                        self.element_attribute(id, rule);
                    }
                    if self.table.has_bare_calls && !rule.pattern && rule.value.find(self.tree, id).is_none()
                    {
                        self.shorthand(id, name);
                    }
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

    /// What is looked up in a value under a constant key: `env["HOME"]`. Like a call, it is one reference, so that it is known
    /// where which key is used.
    fn keyed(&mut self, base: NodeId) -> Option<ExprId> {
        let parent = self.tree.node(base).parent;
        self.tree.get(parent)?;
        let rule: &'t Rule = self.table.rule(self.tree, parent);
        if rule.role(self.tree, parent) != Some(ExprRole::Index) {
            return None;
        }
        let found = rule.base.find(self.tree, parent).or_else(|| self.tree.named_children(parent).next());
        if found != Some(base) {
            return None;
        }
        let expr = self.expr(parent);
        let Expr::Index { key, .. } = self.flow.expr(expr) else { return None };
        matches!(self.flow.expr(key), Expr::Text(_)).then_some(expr)
    }

    /// Whether markup names a built-in element, not a component of the program.
    pub(super) fn is_plain_element(&self, name: NodeId) -> bool {
        self.table.rule(self.tree, name).expr != Some(ExprRole::Member)
            && !self.name_text(name).starts_with(char::is_uppercase)
    }

    /// Whether a node's text means that there is nothing: `void` for no parameters, `var` for no declared type.
    pub(super) fn is_absent(&self, id: NodeId) -> bool {
        self.table.rule(self.tree, id).empty_texts.iter().any(|text| text == self.tree.bytes(id))
    }

    /// Whether the names before values in a literal are keys of a map and not members, judging by its type.
    fn is_key(&self, id: NodeId) -> bool {
        let (mut at, mut passed) = (self.tree.node(id).parent, Vec::new());
        for _ in 0..12 {
            let Some(node) = self.tree.get(at) else { return false };
            let rule = self.table.rule(self.tree, at);
            if rule.expr == Some(ExprRole::New) {
                let (Some(args), Some(mut ty)) = (rule.args.find(self.tree, at), rule.ty.find(self.tree, at))
                else {
                    return false;
                };
                let kind = self.tree.node(args).kind;
                let is_list =
                    |ty| self.table.rule(self.tree, ty).expr == Some(ExprRole::Wrap(Wrapper::Array));
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

    /// Marks the base of a member as part of it; a call in the base is a reference of its own.
    fn member_parts(&mut self, id: NodeId, rule: &'t Rule) {
        if let Some(last) = rule.name.find(self.tree, id) {
            self.part_name(last);
            let mut name = last;
            while name != id && name != NONE {
                self.mark(name, mark::PART);
                name = self.tree.node(name).parent;
            }
        }
        if let Some(base) = rule.base.find(self.tree, id) {
            self.part_out(base);
        }
    }

    /// The last name of a member, which may be a path itself.
    fn part_name(&mut self, name: NodeId) {
        match self.table.rule(self.tree, name).expr {
            Some(ExprRole::Member | ExprRole::Apply) => self.part_out(name),
            _ => self.mark(name, mark::PART),
        }
    }

    /// Marks a node, and the nodes equivalent to it, as part of the enclosing expression.
    pub(super) fn part_out(&mut self, id: NodeId) {
        let mut at = id;
        for _ in 0..LONGEST {
            self.mark(at, mark::PART);
            let rule: &'t Rule = self.table.rule(self.tree, at);
            if rule.expr == Some(ExprRole::Member)
                && let Some(name) = rule.name.find(self.tree, at)
            {
                self.part_name(name);
            }
            match self.inward(at, rule, rule.expr) {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// The part of an expression that it accesses, or that it is equivalent to.
    fn inward(&self, id: NodeId, rule: &Rule, role: Option<ExprRole>) -> Option<NodeId> {
        match role {
            Some(ExprRole::Member) => rule.base.find(self.tree, id),
            Some(ExprRole::Apply) => {
                rule.base.find(self.tree, id).or_else(|| self.tree.named_children(id).next())
            }
            Some(ExprRole::Transparent | ExprRole::Wrap(_)) => {
                rule.value.find(self.tree, id).or_else(|| self.tree.named_children(id).next())
            }
            None => {
                let mut children = self.tree.named_children(id);
                children.next().filter(|_| children.next().is_none())
            }
            _ => None,
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
        let parent = self.tree.node(id).parent;
        if parent != NONE
            && !rule.trailing_argument.is_empty()
            && self.continued(parent, self.table.rule(self.tree, parent)) == Some(id)
        {
            return;
        }
        let same = self
            .continued(id, rule)
            .and_then(|same| self.table.rule(self.tree, same).callee.find(self.tree, same));
        let Some(target) = same.or(callee).or(name) else { return };
        if self.is_unnamed(self.through(target)) || self.call_rule(id, rule).is_some_and(|call| call.keyword)
        {
            return;
        }
        if rule.reference == Some(RefKind::Expand)
            && let Some(arguments) = rule.args.find(self.tree, id)
        {
            self.functions_by_macro(target, arguments);
        }
        let expr = self.expr(id);
        match self.made_type(id, rule) {
            Some(made) => self.add_reference(RefKind::Construct, expr, made),
            None => self.add_reference(rule.reference.unwrap_or(RefKind::Call), expr, target),
        }
        self.bases_on_other_lines(callee.unwrap_or(id));
        if self.table.has_dotted_calls
            && !self.made.contains(&id)
            && let Some(declared) = self.dotted_call(id, rule)
            && (declared.creates_type.is_none() || self.in_type())
        {
            self.declaring_call(id, rule, declared);
        }
        if !self.table.calls.is_empty() && rule.base.find(self.tree, id).is_none() {
            let root = self.root_name(target);
            if let Some(&declared) = self.table.calls.get(&root) {
                // Only a test may be declared by calling the result of a call: `it.each(table)(title, …)`.
                let direct = root == self.name_text(target);
                let declared =
                    if direct { declared } else { CallRule { test: declared.test, ..CallRule::default() } };
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
                Some(ExprRole::Member | ExprRole::Call | ExprRole::Apply) => {
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

    /// Lowers a call that declares something: an import, members, bases, visibility, a test.
    pub(super) fn declaring_call(&mut self, id: NodeId, rule: &'t Rule, call: CallRule) {
        if call.only_in_type && !self.in_type() {
            return;
        }
        let args = self.call_args(id, rule);
        if call.import == Some(CallImport::Named)
            && let [name, module, ..] = args[..]
            && self.is_string(name)
            && self.is_string(module)
        {
            let (module, item) = (self.string_at(module), self.string_at(name));
            self.add_required(&module, Some(&item), &item, name);
        }
        if (call.import == Some(CallImport::Effect)
            || call.import == Some(CallImport::Value) && !self.required.contains(&id))
            && let Some(&first) = args.first()
            && self.is_string(first)
        {
            self.required_effect(first, call);
        }
        if let Some(kind) = call.define {
            for &arg in args.iter().take(if call.first_argument_only { 1 } else { args.len() }) {
                if let Some(arg) = self.naming_arg(arg, call) {
                    self.defined_by_call(id, rule, kind, arg, call);
                }
            }
        }
        if call.mixes_in
            && let Some(owner) = self.type_around().filter(|&owner| self.frame().symbol == Some(owner))
        {
            for &arg in &args {
                if matches!(self.table.rule(self.tree, arg).expr, Some(ExprRole::Name | ExprRole::Member)) {
                    self.add_base(arg, Relation::Mixes, owner);
                }
            }
        }
        if call.define.is_none() && (call.sets_visibility.is_some() || call.modifiers != Modifiers::default())
        {
            if args.is_empty() && rule.body.find(self.tree, id).is_none() {
                self.set_section(call);
            } else {
                self.qualify_by_call(id, &args, call);
            }
        }
        if call.test || call.suite {
            self.test_by_call(id, rule, &args, call.suite);
        }
    }

    pub(super) fn is_string(&self, id: NodeId) -> bool {
        matches!(self.table.rule(self.tree, id).expr, Some(ExprRole::Literal(Literal::String)))
    }

    pub(super) fn string_at(&self, id: NodeId) -> String {
        let parts: Vec<NodeId> = self.tree.named_children(id).collect();
        // `"one " "two"` is one string.
        if parts.len() > 1 && parts.iter().all(|&part| self.is_string(part)) {
            let joined: String = parts.into_iter().map(|part| self.string_at(part)).collect();
            return display_text::cut(&joined, display_text::PHRASE_CAP);
        }
        display_text::cut(
            display_text::unquote(&display_text::lossy(self.tree.bytes(id))),
            display_text::PHRASE_CAP,
        )
    }

    fn required_effect(&mut self, node: NodeId, call: CallRule) {
        let module = self.string_at(node);
        let module = if call.relative_to_file && !module.starts_with(['.', '/']) {
            format!("./{module}")
        } else {
            module
        };
        self.push_required(ImportKind::Effect, &module, None, None, node, false);
    }

    /// The argument as the name of what a call declares: a string or, if only the first argument counts, a key.
    fn naming_arg(&self, arg: NodeId, call: CallRule) -> Option<NodeId> {
        let rule = self.table.rule(self.tree, arg);
        if call.first_argument_only && rule.expr == Some(ExprRole::Named) {
            return rule.name.find(self.tree, arg);
        }
        self.is_string(arg).then_some(arg)
    }

    fn defined_by_call(&mut self, id: NodeId, rule: &'t Rule, kind: SymbolKind, arg: NodeId, call: CallRule) {
        let name = self.string_at(arg);
        let parent = self.frame().symbol;
        let block = rule.body.find(self.tree, id).filter(|_| call.first_argument_only);
        let body = block.and_then(|block| self.table.rule(self.tree, block).body.find(self.tree, block));
        let symbol = self.add_symbol(
            SymbolDraft { kind, name: &name, qualifier: None, node: id, name_node: arg, body, parent },
            rule,
        );
        self.outline.symbols[symbol as usize].modifiers.0 |= call.modifiers.0;
        if let Some(block) = block {
            self.claims.insert(block, symbol);
        }
    }

    fn test_by_call(&mut self, id: NodeId, rule: &'t Rule, args: &[NodeId], suite: bool) {
        let Some(&first) = args.first() else { return };
        let block = rule.body.find(self.tree, id);
        let function = args.iter().copied().find(|&arg| self.is_unnamed(arg)).or(block);
        let Some(function) = function else { return };
        let name = if self.is_string(first) {
            display_text::fold(&self.string_at(first), display_text::PHRASE_CAP)
        } else if first == function {
            return;
        } else {
            display_text::fold(&display_text::lossy(self.tree.bytes(first)), display_text::PHRASE_CAP)
        };
        let body = self.table.rule(self.tree, function).body.find(self.tree, function).or(Some(function));
        let parent = self.frame().symbol;
        let draft = SymbolDraft {
            kind: SymbolKind::Test,
            name: &name,
            qualifier: None,
            node: id,
            name_node: first,
            body,
            parent,
        };
        let symbol = self.add_symbol(draft, rule);
        // The title of a test is no name that code could refer to.
        self.flow.bindings.pop();
        let modifiers = &mut self.outline.symbols[symbol as usize].modifiers;
        modifiers.insert(Modifier::Test);
        if !suite {
            modifiers.insert(Modifier::Case);
        }
        if self.is_unnamed(function) {
            // The title and the rows of a test are computed by the suite around it.
            self.claims.insert(function, symbol);
        }
        if block == Some(function) || !self.is_unnamed(function) {
            self.push_symbol(id, symbol);
        }
    }

    /// Adds the reference of a decorator, annotation or attribute.
    pub(super) fn decorate(&mut self, id: NodeId, rule: &'t Rule) {
        let target = rule.name.find(self.tree, id).or_else(|| self.tree.named_children(id).next());
        let Some(target) = target else { return };
        let target_rule = self.table.rule(self.tree, target);
        if target_rule.expr == Some(ExprRole::Call) {
            // `@decorator(args)` is a call, and the function that it returns decorates.
            if self.table.calls_return_decorators {
                let expr = self.expr(target);
                self.add_reference(RefKind::Decorate, expr, target);
            }
            return;
        }
        self.part_out(target);
        let expr = self.expr(target);
        // A text, such as the tag of a field, refers to nothing.
        if self.flow.expr(expr) != Expr::Unknown {
            self.add_reference(RefKind::Decorate, expr, target);
        }
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
            apart: 0,
        });
    }

    /// Adds a call of this member of the value around an initialiser for every function in it.
    pub(super) fn pass_items(&mut self, id: NodeId, member: &str) {
        let value = self.tree.node(id).parent;
        let is_function = |&item: &NodeId| {
            let rule = self.table.rule(self.tree, item);
            rule.symbol == Some(SymbolKind::Function) && rule.name.is_empty()
        };
        let items: Vec<NodeId> =
            self.tree.named_children(id).filter(is_function).take(LONGEST as usize).collect();
        for item in items {
            let base = self.expr(value);
            let name = self.names.intern(member);
            let callee = self.push_expr(Expr::Member { base, name });
            let arg = self.expr(item);
            let args = ExprList { start: self.flow.operands.len() as u32, len: 1 };
            self.flow.operands.push(arg);
            let call = self.push_expr(Expr::Call { callee, args });
            self.add_reference(RefKind::Call, call, item);
        }
    }

    /// Adds a reference to the member that a pattern destructures; the value is a reference of its own.
    pub(super) fn taken_out(&mut self, base: ExprId, name: Atom, node: NodeId) {
        let expr = self.push_expr(Expr::Member { base, name });
        self.add_reference(RefKind::Read, expr, node);
        if let Some(reference) = self.flow.references.last_mut() {
            reference.apart = LONGEST;
        }
    }

    /// Marks the names in the path of the last reference as part of it, unless they are on another line.
    fn bases_on_other_lines(&mut self, whole: NodeId) {
        let Some((added, line)) = self.flow.references.iter().map(|last| last.line).enumerate().next_back()
        else {
            return;
        };
        let mut at = whole;
        for _ in 0..LONGEST {
            if self.tree.node(at).row + 1 == line {
                return;
            }
            let rule: &'t Rule = self.table.rule(self.tree, at);
            let base = match rule.role(self.tree, at) {
                Some(ExprRole::Call) => rule.base.find(self.tree, at),
                role => self.inward(at, rule, role),
            };
            let Some(base) = base else { return };
            match self.table.rule(self.tree, base).role(self.tree, base) {
                Some(ExprRole::Name | ExprRole::Member) => self.base_apart(base, added, line),
                // A reference of its own, with its own bases.
                Some(ExprRole::Call) => return,
                _ => {}
            }
            at = base;
        }
    }

    /// Adds a base as a reference of its own if it is on another line than its member.
    fn base_apart(&mut self, base: NodeId, outermost: usize, line: u32) {
        if self.tree.node(self.last_name(base)).row + 1 == line {
            return;
        }
        let expr = self.expr(base);
        if matches!(self.flow.expr(expr), Expr::Name(_) | Expr::Member { .. }) {
            // Each is deeper than those before it.
            self.flow.references[outermost..].iter_mut().for_each(|outer| outer.apart += 1);
            self.add_reference(RefKind::Read, expr, base);
        }
    }

    /// The offset of the last name of an expression.
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
