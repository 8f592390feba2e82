//! Headers of definitions: wrappers, attributes, modifiers, documentation and signature.

use super::{Frame, Lowering};
use crate::facts::display_text;
use crate::node_table::{CallRule, Rule};
use crate::parse::flat_tree::{NONE, NodeId};
use crate::schema::vocabulary::{ExprRole, HeaderWord};
use orient_model::{Atom, Modifier, Modifiers, ScopeKind, Span, SymbolKind, Visibility};

/// Maximum number of attributes and comments to look back over before a definition.
const LOOK_BACK_CAP: usize = 200;

/// What the header of a definition states.
pub(super) struct DefinitionHeader {
    pub(super) modifiers: Modifiers,
    pub(super) visibility: Option<Visibility>,
    pub(super) attributes: Vec<Atom>,
    pub(super) doc: Option<Atom>,
    pub(super) span: Span,
    pub(super) header: Span,
    /// Whether its declared type is that of a user-interface component.
    pub(super) component: bool,
}

/// The last part of an attribute's name: `setter` of `total.setter`, `Test` of `org.junit.Test(timeout = 1)`.
pub(super) fn attribute_name(attribute: &str) -> &str {
    let name = attribute.split(['(', ' ', '<', '=']).next().unwrap_or_default();
    name.rsplit(['.', ':', '\\']).next().unwrap_or(name)
}

/// Whether a text only joins attributes: `[`, `, `, `][return: `.
fn joins_attributes(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let target = text.strip_suffix(b":").map(|text| {
        let word = text.iter().rev().take_while(|b| b.is_ascii_alphabetic()).count();
        &text[..text.len() - word]
    });
    let text = target.unwrap_or(text);
    text.iter().all(|b| b.is_ascii_whitespace() || matches!(b, b'[' | b']' | b',' | b'#'))
}

impl<'t> Lowering<'t> {
    pub(super) fn read_header(&mut self, id: NodeId, body: Option<NodeId>, rule: &Rule) -> DefinitionHeader {
        let outer = self.outer_of(id);
        let mut attribute_nodes = Vec::new();
        let first = self.attributes_before(outer, &mut attribute_nodes);
        let mut at = outer;
        loop {
            self.attributes_in(at, 0, &mut attribute_nodes);
            if at == id {
                break;
            }
            let Some(next) = self.tree.children(at).find(|&child| self.tree.is_inside(id, child)) else {
                break;
            };
            at = next;
        }
        attribute_nodes.sort_unstable();
        attribute_nodes.dedup();
        let (mut modifiers, visibility) = self.modifiers(id);
        modifiers.0 |= rule.modifiers.0;
        if body.is_some() && rule.scope == Some(ScopeKind::Function) {
            modifiers.remove(Modifier::Declaration);
        }
        let mut span = self.tree.span(outer);
        let start = self.tree.span(first);
        (span.start, span.first_line) = (start.start, start.first_line);
        let span = display_text::trimmed(span, self.tree.source);
        let header = self.header_span(span, &attribute_nodes, body);
        let span = self.with_rest(span, outer);
        let mut attributes = Vec::with_capacity(attribute_nodes.len());
        for node in attribute_nodes {
            let bare = display_text::bare_attribute(&display_text::lossy(self.attribute_text(node)));
            if let Some(HeaderWord::Modifier(modifier)) =
                self.table.attribute_modifiers.get(attribute_name(&bare))
            {
                modifiers.insert(*modifier);
            }
            attributes.push(self.shown.intern(&bare));
        }
        let component = rule.ty.find(self.tree, id).is_some_and(|ty| {
            let ty = self.type_name(ty);
            let ty = ty.rsplit('.').next().unwrap_or(&ty);
            self.table.component_types.iter().any(|known| known == ty)
        });
        // In a group of one, the documentation may be inside the group.
        let doc =
            self.documentation(first).or_else(|| if first == id { None } else { self.documentation(id) });
        let doc = doc.or_else(|| self.shared_documentation(id));
        DefinitionHeader { modifiers, visibility, attributes, doc, span, header, component }
    }

    /// The text of an attribute without the comment after it.
    fn attribute_text(&self, id: NodeId) -> &'t [u8] {
        let comment = self.tree.children(id).find(|&child| self.table.rule(self.tree, child).comment);
        let last = self.tree.children(id).last();
        let (start, end) = (self.tree.node(id).start, self.tree.node(id).end);
        let end = comment.filter(|_| comment == last).map_or(end, |comment| self.tree.node(comment).start);
        &self.tree.source[start as usize..end as usize]
    }

    /// The outermost wrapper that contains only this definition.
    pub(super) fn outer_of(&self, id: NodeId) -> NodeId {
        let mut at = id;
        loop {
            let parent_id = self.tree.node(at).parent;
            if parent_id == NONE || !self.table.rule(self.tree, parent_id).wrapper {
                break;
            }
            if self.table.rule(self.tree, parent_id).group.find(self.tree, parent_id).is_some() {
                break;
            }
            let definitions = self
                .tree
                .children(parent_id)
                .filter(|&child| {
                    let rule = self.table.rule(self.tree, child);
                    rule.symbol.is_some()
                        || rule.declare.is_some()
                        || rule.wrapper
                        || !rule.inner_declarator.is_empty()
                })
                .take(2)
                .count();
            if definitions > 1 {
                break;
            }
            at = parent_id;
        }
        at
    }

    /// Collects the attributes that are siblings before a definition; returns the first of them, or the definition.
    pub(super) fn attributes_before(&self, outer: NodeId, found: &mut Vec<NodeId>) -> NodeId {
        let (mut first, mut at) = (outer, self.tree.node(outer).previous);
        for _ in 0..LOOK_BACK_CAP {
            if at == NONE {
                break;
            }
            let rule = self.table.rule(self.tree, at);
            if rule.attribute || rule.attribute_if_has.find(self.tree, at).is_some() {
                found.push(at);
                first = at;
            } else if !rule.comment {
                break;
            }
            at = self.tree.node(at).previous;
        }
        first
    }

    fn attributes_in(&self, id: NodeId, depth: usize, found: &mut Vec<NodeId>) {
        for child in self.tree.children(id) {
            let rule = self.table.rule(self.tree, child);
            if rule.attribute {
                found.push(child);
            } else if rule.holds_modifiers && depth < 3 {
                self.attributes_in(child, depth + 1, found);
            }
        }
    }

    /// The modifier words in the header of a definition and of its wrappers.
    pub(super) fn header_words(&self, id: NodeId) -> Vec<&'t [u8]> {
        let mut words = Vec::new();
        let mut at = id;
        let outer = self.outer_of(id);
        loop {
            if at == id {
                self.words_in(at, &mut words);
            } else {
                self.words_before(at, &mut words);
            }
            let parent = self.tree.node(at).parent;
            // The words of a wrapper apply to everything it wraps: `static int a, b;`.
            let wraps = parent != NONE && self.table.rule(self.tree, parent).wrapper;
            if !wraps && self.tree.is_inside(outer, at) {
                break;
            }
            if parent == NONE {
                break;
            }
            at = parent;
        }
        words
    }

    /// Collects the words of a wrapper before the first wrapped definition, of which there may be thousands.
    fn words_before(&self, id: NodeId, words: &mut Vec<&'t [u8]>) {
        let tree = self.tree;
        for child in tree.children(id) {
            let rule = self.table.rule(tree, child);
            if rule.symbol.is_some()
                || rule.declare.is_some()
                || rule.wrapper
                || !rule.inner_declarator.is_empty()
            {
                break;
            }
            self.word_at(child, words);
        }
    }

    pub(super) fn words_in(&self, id: NodeId, words: &mut Vec<&'t [u8]>) {
        for child in self.tree.children(id) {
            self.word_at(child, words);
        }
    }

    fn word_at(&self, id: NodeId, words: &mut Vec<&'t [u8]>) {
        let text = self.tree.bytes(id);
        if !self.tree.node(id).named {
            words.push(text);
        } else if self.table.rule(self.tree, id).holds_modifiers {
            let known = &self.table.modifier_words;
            // `pub(in some::place)`: the path does not matter.
            let open = text.iter().position(|&b| b == b'(').map_or(text, |at| &text[..=at]);
            let word = if known.contains_key(text) || !known.contains_key(open) { text } else { open };
            words.push(word);
            if !known.contains_key(word) {
                self.words_in(id, words);
            }
        }
    }

    fn modifiers(&self, id: NodeId) -> (Modifiers, Option<Visibility>) {
        let (mut modifiers, mut visibility) = (Modifiers::default(), None);
        let outside = self.member_of().is_none();
        for word in self.header_words(id) {
            let says = self
                .table
                .top_level_modifier_words
                .get(word)
                .filter(|_| outside)
                .or_else(|| self.table.modifier_words.get(word));
            match says {
                Some(HeaderWord::Modifier(modifier)) => modifiers.insert(*modifier),
                Some(HeaderWord::Visibility(said)) => {
                    // `protected internal`, `private protected`: the wider one counts.
                    visibility = Some(visibility.map_or(*said, |before: Visibility| before.min(*said)));
                }
                Some(HeaderWord::Nothing) | None => {}
            }
        }
        (modifiers, visibility)
    }

    /// The modifiers that words directly in a node state.
    pub(super) fn modifiers_at(&self, id: NodeId) -> Modifiers {
        let (mut words, mut modifiers) = (Vec::new(), Modifiers::default());
        self.words_in(id, &mut words);
        for word in words {
            if let Some(HeaderWord::Modifier(modifier)) = self.table.modifier_words.get(word) {
                modifiers.insert(*modifier);
            }
        }
        modifiers
    }

    /// The span of a definition including the strings that it began and that follow it: `A = <<~TEXT`.
    fn with_rest(&self, mut span: Span, outer: NodeId) -> Span {
        let begins = |span: &Span| memchr::memmem::find(span.of(self.tree.text), b"<<").is_some();
        let row = self.tree.node(outer).end_row;
        let mut at = outer;
        while self.table.has_continuations
            && let Some(around) = self.tree.get(self.tree.node(at).parent)
        {
            let mut next = self.tree.node(at).after;
            while next < around.after && self.table.rule(self.tree, next).continues_previous && begins(&span)
            {
                let rest = self.tree.span(next);
                (span.end, span.last_line) = (span.end.max(rest.end), span.last_line.max(rest.last_line));
                next = self.tree.node(next).after;
            }
            if around.end_row != row {
                break;
            }
            at = self.tree.node(at).parent;
        }
        display_text::trimmed(span, self.tree.source)
    }

    fn header_span(&self, span: Span, attributes: &[NodeId], body: Option<NodeId>) -> Span {
        let mut header = span;
        for &attribute in attributes {
            let node = self.tree.node(attribute);
            let between = &self.tree.text[header.start as usize..(node.start.max(header.start)) as usize];
            if joins_attributes(&between[display_text::gap(between)..]) {
                header.start = node.end;
            }
        }
        if header.start != span.start {
            let rest = &self.tree.text[header.start as usize..span.end as usize];
            let skipped = display_text::gap(rest);
            // A list of attributes ends after its last one: `[A, B]`.
            let behind = &rest[skipped..];
            let brackets = behind.iter().take_while(|&&b| b == b']').count();
            let closing = behind
                .get(brackets..)
                .filter(|_| brackets > 0)
                .map_or(0, |rest| brackets + rest.len() - rest.trim_ascii_start().len());
            header.start += (skipped + closing) as u32;
        }
        let passed = &self.tree.source[span.start as usize..header.start as usize];
        header.first_line = span.first_line + memchr::memchr_iter(b'\n', passed).count() as u32;
        if let Some(body) = body {
            // A keyword at the beginning of the body may belong to the header: `type Store interface {`.
            let word = self.tree.children(body).next().filter(|&word| {
                self.table.rule(self.tree, body).holds_modifiers && !self.tree.node(word).named
            });
            let end = word.map_or_else(
                || self.tree.node(self.before_comments(body)).start,
                |word| self.tree.node(word).end,
            );
            if end > header.start && end <= header.end {
                header.end = end;
                header.last_line = self.tree.node(self.before_comments(body)).row + 1;
            }
        }
        let bytes = &self.tree.source[header.start as usize..header.end as usize];
        let trimmed = bytes.trim_ascii_end();
        let lost = memchr::memchr_iter(b'\n', &bytes[trimmed.len()..]).count() as u32;
        header.end = header.start + trimmed.len() as u32;
        header.last_line = header.last_line.saturating_sub(lost).max(header.first_line);
        header
    }

    /// The first of the comments directly before a body, or the body.
    fn before_comments(&self, body: NodeId) -> NodeId {
        let mut first = body;
        for _ in 0..LOOK_BACK_CAP {
            let previous = self.tree.node(first).previous;
            if previous == NONE || !self.table.rule(self.tree, previous).comment {
                break;
            }
            first = previous;
        }
        first
    }

    pub(super) fn signature(&mut self, header: &Span) -> Atom {
        let signature = display_text::signature(header.of(self.tree.text));
        self.shown.intern(&signature)
    }

    /// The comments directly before a definition, without a blank line between.
    fn documentation(&mut self, first: NodeId) -> Option<Atom> {
        let tree = self.tree;
        let (mut row, mut next) = (tree.node(first).row, tree.node(first).start);
        let mut at = tree.node(first).previous;
        // A body without braces begins with its first statement, so comments before it precede the body.
        if at == NONE
            && let Some(around) =
                tree.get(tree.node(first).parent).filter(|around| around.start == tree.node(first).start)
        {
            at = around.previous;
        }
        let (mut start, mut end) = (NONE, 0);
        for _ in 0..LOOK_BACK_CAP {
            if at == NONE {
                break;
            }
            let node = tree.node(at);
            let apart = node.end_row + 1 < row && !tree.bridged(node.end, next);
            if !self.table.rule(tree, at).comment || apart || self.is_trailing(at) || self.is_inner_doc(at) {
                break;
            }
            start = node.start;
            end = end.max(node.end);
            (row, next) = (node.row, node.start);
            at = node.previous;
        }
        if start == NONE && self.table.trailing_docs {
            (start, end) = self.trailing_comment(first)?;
        }
        if start == NONE {
            return None;
        }
        let mut cleaned =
            display_text::clean_comment(&display_text::lossy(&tree.text[start as usize..end as usize]));
        if self.table.xml_docs {
            cleaned = display_text::without_tags(&cleaned);
        }
        (!cleaned.is_empty()).then(|| self.shown.intern(&cleaned))
    }

    /// The documentation of a declaration of several names, which applies to each: `/** Sizes. */ int width, height;`.
    fn shared_documentation(&mut self, id: NodeId) -> Option<Atom> {
        let mut at = id;
        loop {
            let parent = self.tree.node(at).parent;
            if parent == NONE || !self.table.rule(self.tree, parent).wrapper {
                break;
            }
            if self.table.rule(self.tree, parent).group.find(self.tree, parent).is_some() {
                return None;
            }
            at = parent;
        }
        if at == id {
            return None;
        }
        let first = self.attributes_before(at, &mut Vec::new());
        self.documentation(first)
    }

    /// Whether a comment documents the enclosing definition, not the next one.
    fn is_inner_doc(&self, comment: NodeId) -> bool {
        self.table.inner_doc_prefixes.iter().any(|mark| self.tree.bytes(comment).starts_with(mark.as_bytes()))
    }

    /// Whether a comment follows code on the same line.
    fn is_trailing(&self, comment: NodeId) -> bool {
        let start = self.tree.node(comment).start as usize;
        let line = self.tree.source[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        !self.tree.source[line..start].iter().all(u8::is_ascii_whitespace)
    }

    fn trailing_comment(&self, id: NodeId) -> Option<(u32, u32)> {
        let node = self.tree.node(id);
        let parent = self.tree.get(node.parent)?;
        let mut next = node.after;
        // `} /* end of f */` documents nothing.
        if self.tree.bytes(id).ends_with(b"}") {
            return None;
        }
        // There may be a separator between.
        for _ in 0..2 {
            if next >= parent.after {
                return None;
            }
            let after = self.tree.node(next);
            if self.table.rule(self.tree, next).comment && after.row == node.end_row {
                return Some((after.start, after.end));
            }
            next = after.after;
        }
        None
    }

    /// The docstring of a body, if the language has docstrings.
    pub(super) fn docstring(&mut self, body: NodeId) -> Option<Atom> {
        if !self.table.docstrings {
            return None;
        }
        let first = self.tree.named_children(body).find(|&c| !self.table.rule(self.tree, c).comment)?;
        let first = if self.table.rule(self.tree, first).expr.is_none() {
            // The statement must be the string itself, not return it.
            let (around, inner) = (first, self.tree.named_children(first).next()?);
            Some(inner).filter(|&inner| self.tree.node(inner).start == self.tree.node(around).start)?
        } else {
            first
        };
        let rule = self.table.rule(self.tree, first);
        // `f"…"` and `b"…"` are values, not documentation.
        let prefix = self.tree.bytes(first).iter().take_while(|byte| byte.is_ascii_alphabetic());
        if !matches!(rule.expr, Some(ExprRole::Literal(orient_model::Literal::String)))
            || prefix.into_iter().any(|byte| !matches!(byte, b'r' | b'R' | b'u' | b'U'))
        {
            return None;
        }
        let cleaned = display_text::clean_string(&display_text::lossy(self.tree.bytes(first)));
        (!cleaned.is_empty()).then(|| self.shown.intern(&cleaned))
    }

    /// Applies an access specifier to the members after it.
    pub(super) fn access(&mut self, id: NodeId) {
        let text = display_text::lossy(self.tree.bytes(id));
        let word = text.trim_end_matches([':', ' ']).split_whitespace().next().unwrap_or_default();
        if let Some(HeaderWord::Visibility(said)) = self.table.modifier_words.get(word.as_bytes()) {
            self.set_access(*said);
        }
    }

    pub(super) fn set_access(&mut self, visibility: Visibility) {
        self.set_section(CallRule { sets_visibility: Some(visibility), ..CallRule::default() });
    }

    /// Applies a call's visibility and modifiers to the members from here on.
    pub(super) fn set_section(&mut self, call: CallRule) {
        let Frame { scope, adds, .. } = self.frame();
        for frame in self.frames.iter_mut().rev() {
            if frame.scope != scope || frame.adds != adds {
                break;
            }
            frame.access = call.sets_visibility.or(frame.access);
            frame.adds = frame.adds.with(call.modifiers);
        }
    }

    /// Marks the function around markup as a component.
    pub(super) fn markup(&mut self) {
        let function = self.flow.scopes.get(self.frame().function as usize);
        let mut at = self.frame().symbol;
        while let Some(index) = at {
            let Some(symbol) = self.outline.symbols.get_mut(index as usize) else { return };
            if symbol.kind == SymbolKind::Test {
                return;
            }
            if symbol.kind.is_callable() || symbol.kind.is_type() {
                if self.shown.get(symbol.name).starts_with(char::is_uppercase) {
                    symbol.modifiers.insert(Modifier::Component);
                    return;
                }
                if !symbol.kind.is_type() && symbol.parent.is_none() {
                    return;
                }
            } else if function.is_some_and(|scope| scope.symbol == at)
                && self.shown.get(symbol.name).starts_with(char::is_uppercase)
            {
                symbol.modifiers.insert(Modifier::Component);
                return;
            }
            at = symbol.parent;
        }
    }
}
