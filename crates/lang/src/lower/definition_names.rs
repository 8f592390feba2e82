//! Names of definitions: found through declarators, qualified names and patterns.

use super::{Lowering, mark};
use crate::node_table::{CallRule, Rule};
use crate::parse::flat_tree::NodeId;
use crate::schema::vocabulary::{ExprRole, HeaderWord};
use orient_model::{Atom, Expr, ExprId, Literal, Sequence, Via, Wrapper};

/// Maximum nesting depth of declarators.
const UNWRAP_CAP: usize = 16;
/// Maximum length of a name, in bytes.
const NAME_CAP: usize = 400;
/// Maximum nesting depth of patterns.
const PATTERN_CAP: usize = 12;

/// The name of a definition, and the declarators around it.
///
/// Example: in `char *argv[]` the name is `argv`, the wrappers are a pointer and an array around the type `char`.
pub(super) struct DefinitionName {
    pub(super) node: NodeId,
    pub(super) name: String,
    pub(super) qualifier: Option<String>,
    /// The parameter list of the declarator next to the name, if it has one: the definition is a function.
    pub(super) params: Option<NodeId>,
    pub(super) value: Option<NodeId>,
    /// How the declarators wrap the declared type, innermost first: `*` and `[]` of `char *argv[]`.
    pub(super) wraps: Vec<Wrapper>,
    /// The outermost declarator, and the part of it that is not part of the type: the name, or the name with its parameters.
    pub(super) declarator: (NodeId, NodeId),
}

impl DefinitionName {
    pub(super) fn plain(node: NodeId, name: String) -> Self {
        Self {
            node,
            name,
            qualifier: None,
            params: None,
            value: None,
            wraps: Vec::new(),
            declarator: (node, node),
        }
    }
}

impl<'t> Lowering<'t> {
    /// The name under `id`, looking through declarators.
    pub(super) fn naming(&self, id: NodeId) -> Option<DefinitionName> {
        let (mut at, mut outer, mut function, mut value) = (id, id, None, None);
        let mut wraps = Vec::new();
        for _ in 0..UNWRAP_CAP {
            let rule = self.table.rule(self.tree, at);
            if rule.inner_declarator.is_empty() {
                break;
            }
            let next = rule.inner_declarator.find(self.tree, at)?;
            if !rule.value.is_empty() {
                value = value.or_else(|| rule.value.find(self.tree, at));
                outer = next;
            }
            if let Some(params) = rule.params.find(self.tree, at) {
                wraps.extend(function.replace((at, params)).map(|_| Wrapper::FunctionType));
            } else if let Some(ExprRole::Wrap(wrapper)) = rule.expr {
                // A pointer between the name and the parameters: the definition is a pointer to a function.
                wraps.extend(function.take().map(|_| Wrapper::FunctionType));
                wraps.push(wrapper);
            }
            at = next;
        }
        let (name, qualifier) = self.split_name(at);
        let (cut, params) = function.map_or((at, None), |(node, params)| (node, Some(params)));
        let declarator = if wraps.is_empty() { (at, at) } else { (outer, cut) };
        // A node that the parser inserted during error recovery is no name.
        let sound = !name.is_empty() && name.len() <= NAME_CAP && !name.contains('\n');
        sound.then_some(DefinitionName { node: at, name, qualifier, params, value, wraps, declarator })
    }

    /// A name of several tokens: `operator ==`, `~Server`.
    pub(super) fn long_name(&self, first: NodeId, last: NodeId) -> Option<DefinitionName> {
        let (start, end) = (self.tree.node(first), self.tree.node(last));
        let rest = self.tree.source.get(start.end as usize..end.end as usize)?;
        let (word, rest) = (
            self.name_text(first),
            crate::facts::display_text::fold(
                &crate::facts::display_text::lossy(rest),
                crate::facts::display_text::PHRASE_CAP,
            ),
        );
        let gap = if word.ends_with(char::is_alphanumeric) { " " } else { "" };
        Some(DefinitionName::plain(first, format!("{word}{gap}{rest}")))
    }

    pub(super) fn span_of_long_name(&mut self, symbol: u32, id: NodeId, rule: &Rule) {
        let Some(last) = rule.name.find(self.tree, id).map(|last| self.tree.span(last)) else { return };
        let span = &mut self.outline.symbols[symbol as usize].name_span;
        (span.end, span.last_line) = (span.end.max(last.end), span.last_line.max(last.last_line));
    }

    /// A declared type wrapped by the declarators around a name.
    pub(super) fn wrapped(&mut self, ty: ExprId, wraps: &[Wrapper]) -> ExprId {
        wraps.iter().fold(ty, |inner, &wrapper| self.push_expr(Expr::Wrap { wrapper, inner }))
    }

    /// The type of a name as written, without the name: `const char *[]`.
    pub(super) fn type_phrase(&mut self, ty: NodeId, declarator: (NodeId, NodeId)) -> Atom {
        let tree = self.tree;
        let mut first = ty;
        while let Some(previous) = tree.get(tree.node(first).previous)
            && previous.field == 0
            && self.table.rule(tree, tree.node(first).previous).qualifies_type
            // `constexpr` modifies the name, not its type.
            && !matches!(self.table.modifier_words.get(tree.bytes(tree.node(first).previous)), Some(HeaderWord::Modifier(_)))
        {
            first = tree.node(first).previous;
        }
        if tree.is_inside(ty, declarator.0) {
            return self.phrase(ty);
        }
        let (outer, cut) = (tree.node(declarator.0), tree.node(declarator.1));
        if first == ty && outer.start == cut.start && outer.end == cut.end {
            return self.phrase(ty);
        }
        let (before, after) = (
            &tree.source[outer.start as usize..cut.start.max(outer.start) as usize],
            &tree.source[cut.end.min(outer.end) as usize..outer.end as usize],
        );
        let mut text = crate::facts::display_text::lossy(
            &tree.source[tree.node(first).start as usize..tree.node(ty).end as usize],
        )
        .into_owned();
        if !before.is_empty() || !after.is_empty() {
            text.push(' ');
            text.push_str(&crate::facts::display_text::lossy(before));
            text.push_str(&crate::facts::display_text::lossy(after));
        }
        self.shown.intern(&crate::facts::display_text::fold(&text, crate::facts::display_text::PHRASE_CAP))
    }

    /// The node inside all declarators, and the value found on the way.
    pub(super) fn unwrapped(&self, id: NodeId) -> (NodeId, Option<NodeId>) {
        let (mut at, mut value) = (id, None);
        for _ in 0..UNWRAP_CAP {
            let rule = self.table.rule(self.tree, at);
            let Some(next) = rule.inner_declarator.find(self.tree, at) else { break };
            value = value.or_else(|| rule.value.find(self.tree, at));
            at = next;
        }
        (at, value)
    }

    /// The last part of a possibly qualified name, and its qualifier.
    fn split_name(&self, id: NodeId) -> (String, Option<String>) {
        self.split_name_at(id, 0)
    }

    fn split_name_at(&self, id: NodeId, depth: usize) -> (String, Option<String>) {
        let rule = self.table.rule(self.tree, id);
        if rule.expr == Some(ExprRole::Member)
            && depth < UNWRAP_CAP
            && let Some(last) = rule.name.find(self.tree, id)
        {
            let (name, inner) = self.split_name_at(last, depth + 1);
            let base = rule.base.find(self.tree, id).map(|base| self.type_name(base));
            let parts: Vec<String> = base.into_iter().chain(inner).filter(|part| !part.is_empty()).collect();
            return (name, (!parts.is_empty()).then(|| parts.join(".")));
        }
        if rule.expr == Some(ExprRole::Apply)
            && depth < UNWRAP_CAP
            && let Some(base) = rule.base.find(self.tree, id)
        {
            return self.split_name_at(base, depth + 1);
        }
        if rule.expr == Some(ExprRole::Literal(Literal::String)) {
            return (crate::facts::display_text::unquote(&self.name_text(id)).to_owned(), None);
        }
        if let Some(end) = rule.name_ends.find(self.tree, id) {
            let text =
                &self.tree.source[self.tree.node(id).start as usize..self.tree.node(end).start as usize];
            return (
                crate::facts::display_text::fold(
                    &crate::facts::display_text::lossy(text),
                    crate::facts::display_text::PHRASE_CAP,
                ),
                None,
            );
        }
        (self.name_text(id), None)
    }

    /// The bare name of a type as a container: `Server` for `*Server`, `Map` for `Map<K, V>` and `pkg::Map`.
    pub(super) fn type_name(&self, id: NodeId) -> String {
        self.type_name_at(id, 0)
    }

    fn type_name_at(&self, id: NodeId, depth: usize) -> String {
        let mut at = id;
        for _ in 0..UNWRAP_CAP {
            let rule = self.table.rule(self.tree, at);
            let next = match rule.expr {
                Some(ExprRole::Name) => return self.name_text(at),
                Some(ExprRole::Member) => {
                    let base = rule.base.find(self.tree, at).filter(|_| depth < UNWRAP_CAP);
                    let base = base.map(|base| self.type_name_at(base, depth + 1));
                    let name = rule.name.find(self.tree, at).filter(|_| depth < UNWRAP_CAP);
                    let name = name.map(|name| self.type_name_at(name, depth + 1)).unwrap_or_default();
                    return base
                        .filter(|base| !base.is_empty())
                        .map_or(name.clone(), |base| format!("{base}.{name}"));
                }
                Some(ExprRole::Path) => {
                    let names: Vec<String> =
                        self.path_names(at).into_iter().map(|name| self.name_text(name)).collect();
                    return names.join(".");
                }
                Some(ExprRole::Apply) => rule.base.find(self.tree, at),
                // None of its parts is its name.
                Some(
                    ExprRole::Sequence(Sequence::Tuple)
                    | ExprRole::Wrap(Wrapper::FunctionType | Wrapper::Array),
                ) => {
                    let text = self.beginning(at);
                    return crate::facts::display_text::fold(&text, crate::facts::display_text::PHRASE_CAP);
                }
                _ if !rule.ty.is_empty() => rule.ty.find(self.tree, at),
                _ if !rule.value.is_empty() => rule.value.find(self.tree, at),
                _ => None,
            };
            match next.or_else(|| self.tree.named_children(at).next()) {
                Some(next) => at = next,
                None => return self.name_text(at),
            }
        }
        String::new()
    }

    /// The names that a pattern binds, each with its path from the value.
    pub(super) fn pattern(&mut self, id: NodeId) -> Vec<(NodeId, String, Via)> {
        let mut found = Vec::new();
        self.pattern_into(id, Via::Value, 0, &mut found);
        found
    }

    fn pattern_into(&mut self, id: NodeId, via: Via, depth: usize, found: &mut Vec<(NodeId, String, Via)>) {
        if depth > PATTERN_CAP {
            return;
        }
        let rule: &'t Rule = self.table.rule(self.tree, id);
        if !rule.inner_declarator.is_empty() {
            let inner = self.unwrapped(id).0;
            if inner != id && self.table.rule(self.tree, inner).pattern {
                self.pattern_into(inner, via, depth + 1, found);
            } else if let Some(naming) = self.naming(id) {
                found.push((naming.node, naming.name, via));
            }
            return;
        }
        match rule.expr {
            Some(ExprRole::Own) => {
                let name = self.name_text(id);
                found.push((id, name, via));
            }
            Some(ExprRole::Name) => {
                let name = self.name_text(id);
                if self.conventions.pattern_variables.as_ref().is_none_or(|binds| binds.is_match(&name)) {
                    found.push((id, name, via));
                }
            }
            Some(ExprRole::Transparent | ExprRole::Wrap(_)) => {
                let inner = rule.value.find(self.tree, id).or_else(|| self.tree.named_children(id).next());
                if let Some(inner) = inner {
                    self.pattern_into(inner, via, depth + 1, found);
                }
            }
            Some(ExprRole::Run) if self.tree.named_children(id).nth(1).is_none() => {
                if let Some(only) = self.tree.named_children(id).next() {
                    self.pattern_into(only, via, depth + 1, found);
                }
            }
            Some(ExprRole::Run) => {
                let children: Vec<NodeId> = self.tree.named_children(id).collect();
                for (index, child) in children.into_iter().enumerate() {
                    let via = self.part_of(via, Sequence::Tuple, index as u32, child);
                    self.pattern_into(child, via, depth + 1, found);
                }
            }
            Some(ExprRole::Sequence(kind)) if rule.pattern => {
                // A type in a pattern is no part of the value.
                let ty = rule.ty.find(self.tree, id);
                let children: Vec<NodeId> =
                    self.tree.named_children(id).filter(|&child| Some(child) != ty).collect();
                let (mut commas, mut end) = (0, self.tree.node(id).start);
                for (index, child) in children.into_iter().enumerate() {
                    // An omitted item leaves its comma: `[first, , third]`.
                    commas += self.commas_between(end, self.tree.node(child).start);
                    end = self.tree.node(child).end;
                    let via = self.part_of(via, kind, commas.max(index as u32), child);
                    self.pattern_into(child, via, depth + 1, found);
                }
            }
            Some(ExprRole::Named) if rule.pattern => {
                if let Some(value) = rule.value.find(self.tree, id) {
                    self.pattern_into(value, via, depth + 1, found);
                } else if let Some(name) = rule.name.find(self.tree, id) {
                    found.push((name, self.name_text(name), via));
                }
            }
            _ if rule.pattern => {
                let parts = if rule.value.is_empty() {
                    self.tree.named_children(id).collect()
                } else {
                    rule.value.find_all(self.tree, id)
                };
                for part in parts {
                    self.pattern_into(part, Via::Unknown, depth + 1, found);
                }
            }
            _ => {}
        }
    }

    fn commas_between(&self, start: u32, end: u32) -> u32 {
        let gap = self.tree.source.get(start as usize..end as usize).unwrap_or_default();
        if gap.contains(&b'/') || gap.contains(&b'#') {
            return 1;
        }
        memchr::memchr_iter(b',', gap).count() as u32
    }

    fn part_of(&mut self, via: Via, kind: Sequence, index: u32, child: NodeId) -> Via {
        if via != Via::Value {
            return Via::Unknown;
        }
        if kind != Sequence::Map {
            return Via::Item(index);
        }
        let rule = self.table.rule(self.tree, child);
        let key = if rule.expr == Some(ExprRole::Named) {
            rule.name.find(self.tree, child)
        } else {
            self.pattern_head(child)
        };
        key.map_or(Via::Unknown, |key| {
            let name = self.name_text(key);
            Via::Member(self.names.intern(crate::facts::display_text::unquote(&name)))
        })
    }

    /// The name that a shorthand entry of a map pattern binds: `a` in `{ a }` and in `{ a = 1 }`.
    fn pattern_head(&self, id: NodeId) -> Option<NodeId> {
        let rule = self.table.rule(self.tree, id);
        match rule.expr {
            Some(ExprRole::Name) => Some(id),
            Some(ExprRole::Transparent) => {
                let inner = rule.value.find(self.tree, id).or_else(|| self.tree.named_children(id).next())?;
                let inner_rule = self.table.rule(self.tree, inner);
                (inner_rule.expr == Some(ExprRole::Name)).then_some(inner)
            }
            _ => None,
        }
    }

    /// The value inside parentheses, casts, and calls that return the function they are given.
    pub(super) fn through(&self, id: NodeId) -> NodeId {
        let mut at = id;
        for _ in 0..UNWRAP_CAP {
            let rule = self.table.rule(self.tree, at);
            let alone = rule.expr == Some(ExprRole::Run) && self.tree.named_children(at).nth(1).is_none();
            let inner = match rule.expr {
                Some(ExprRole::Transparent | ExprRole::Cast) => {
                    rule.value.find(self.tree, at).or_else(|| self.tree.named_children(at).next())
                }
                Some(ExprRole::Call) => self.passed(at, rule),
                _ if alone => rule.value.find(self.tree, at).or_else(|| self.tree.named_children(at).next()),
                _ => None,
            };
            match inner {
                Some(inner) => at = inner,
                None => break,
            }
        }
        at
    }

    /// The rule of the pack for a call, by the last part of the callee's name.
    pub(super) fn call_rule(&self, id: NodeId, rule: &Rule) -> Option<CallRule> {
        if self.table.calls.is_empty() || rule.expr != Some(ExprRole::Call) {
            return None;
        }
        let callee = rule.callee.find(self.tree, id).or_else(|| rule.name.find(self.tree, id))?;
        let name = self.type_name(callee);
        self.table.calls.get(name.rsplit('.').next().unwrap_or(&name)).copied()
    }

    /// The anonymous function that a call returns.
    fn passed(&self, id: NodeId, rule: &Rule) -> Option<NodeId> {
        self.call_rule(id, rule).filter(|call| call.returns_its_function)?;
        if let Some(block) = rule.body.find(self.tree, id).filter(|&block| self.is_unnamed(block)) {
            return Some(block);
        }
        let args = rule.args.find(self.tree, id)?;
        self.tree.named_children(args).find(|&arg| {
            let rule = self.table.rule(self.tree, arg);
            rule.expr == Some(ExprRole::Call) && self.passed(arg, rule).is_some() || self.is_unnamed(arg)
        })
    }

    /// Marks a declared name, so that the walk does not take it for a reference.
    pub(super) fn consume(&mut self, id: NodeId) {
        let mut next = Some(id);
        while let Some(id) = next {
            self.mark(id, mark::CONSUMED);
            // In a qualified name at a definition all parts but the last are references.
            let rule = self.table.rule(self.tree, id);
            let last = if rule.expr == Some(ExprRole::Apply) { &rule.base } else { &rule.name };
            next = (self.tree.node(id).after > id + 1)
                .then(|| last.find(self.tree, id))
                .flatten()
                .filter(|&last| last > id);
        }
    }
}
