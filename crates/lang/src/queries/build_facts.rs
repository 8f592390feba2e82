//! Builds the facts of a shallow file from its drafts: nested symbols, bindings, references, imports.

use super::drafts::{FileDrafts, ReferenceDraft, SymbolDraft};
use super::run_query::clean_name;
use super::{merge_drafts, text_at};
use crate::conventions::Conventions;
use crate::facts::display_text;
use crate::facts::hash::BodyHasher;
use crate::facts::interner::Interner;
use crate::schema::vocabulary::HeaderWord;
use orient_model::{
    Atom, Base, Binding, BindingKind, Facts, Flow, Modifier, Modifiers, Outline, Param, RefKind, Scope,
    ScopeKind, Span, Symbol, SymbolKind, Via, Visibility,
};
use std::collections::HashSet;

/// Maximum distance between a modifier word and the name.
const WORDS_CAP: usize = 400;

/// Builds the facts of a file.
pub(crate) fn build(conventions: &Conventions, source: &[u8], mut file_drafts: FileDrafts) -> Facts {
    conventions.markup_uses.iter().for_each(|used| used.add(source, &mut file_drafts));
    merge_drafts::merge(&mut file_drafts, source);
    let file =
        Scope { kind: ScopeKind::File, parent: None, symbol: None, start: 0, end: source.len() as u32 };
    let mut builder = Builder {
        conventions,
        source,
        outline: Outline::default(),
        flow: Flow { scopes: vec![file], ..Flow::default() },
        shown: Interner::default(),
        names: Interner::default(),
        bodies: BodyHasher::of_file(source.len()),
    };
    let declared = builder.symbols(&mut file_drafts);
    builder.inner_docs(&file_drafts.inner_docs);
    builder.exports(&file_drafts);
    builder.tests();
    builder.imports(&mut file_drafts.imports);
    builder.references(&mut file_drafts, &declared);
    builder.outline.package = file_drafts.package.map(|span| {
        let name = clean_name(&text_at(source, span));
        builder.shown.intern(&name)
    });
    builder.finish()
}

/// A symbol that may still get children, and the last of them.
struct OpenSymbol {
    symbol: Option<u32>,
    last: Option<u32>,
    end: u32,
}

pub(super) struct Builder<'b> {
    pub(super) conventions: &'b Conventions,
    pub(super) source: &'b [u8],
    pub(super) outline: Outline,
    pub(super) flow: Flow,
    pub(super) shown: Interner,
    pub(super) names: Interner,
    pub(super) bodies: BodyHasher,
}

impl Builder<'_> {
    fn finish(self) -> Facts {
        let Self { source, mut outline, mut flow, shown, names, .. } = self;
        outline.strings = shown.finish();
        flow.strings = names.finish();
        crate::facts::ordinals::assign(&mut outline);
        outline.lines = crate::facts::chunks::count_lines(source);
        outline.chunks = crate::facts::chunks::cut(source, &outline);
        Facts { outline, flow }
    }

    /// Adds all symbols, each inside the innermost one whose span contains it; returns the spans of their names.
    fn symbols(&mut self, file_drafts: &mut FileDrafts) -> Vec<(u32, u32)> {
        let mut declared = Vec::with_capacity(file_drafts.symbols.len());
        let mut open = vec![OpenSymbol { symbol: None, last: None, end: u32::MAX }];
        let mut merges = Vec::new();
        let drafts = std::mem::take(&mut file_drafts.symbols);
        let mut selectors = Selectors::of(&drafts, |draft| self.name_of(draft));
        for draft in drafts {
            if selectors.is_mention(&draft, || self.name_of(&draft)) {
                file_drafts.references.push(ReferenceDraft {
                    pattern: 0,
                    kind: RefKind::Read,
                    name: draft.name_span(),
                    receiver: None,
                    given: Some(self.name_of(&draft)),
                });
                continue;
            }
            declared.extend(draft.names.iter().map(|name| (name.start, name.end)));
            file_drafts.references.extend(draft.bases.iter().map(|&(base, _)| self.inherited(base)));
            while open.len() > 1 && open.last().is_some_and(|top| !self.holds(top, &draft)) {
                open.pop();
            }
            let top = open.last_mut().expect("the file itself is never closed");
            let (parent, last) = (top.symbol, top.last);
            if self.is_local(&draft, parent) {
                continue;
            }
            let name = self.name_of(&draft);
            if let Some(last) = last
                && draft.merge
                && merges.get(last as usize) == Some(&true)
                && self.is_same(last, &name, &draft)
            {
                self.grow(last, &draft);
                open.push(OpenSymbol { symbol: Some(last), last: None, end: draft.span.end });
                continue;
            }
            let index = self.outline.symbols.len() as u32;
            top.last = Some(index);
            merges.push(draft.merge);
            self.symbol(&draft, &name, parent, file_drafts);
            open.push(OpenSymbol { symbol: Some(index), last: None, end: draft.span.end });
        }
        declared.sort_unstable();
        declared
    }

    /// Whether a symbol encloses a draft. Two names of one node are siblings.
    fn holds(&self, top: &OpenSymbol, draft: &SymbolDraft) -> bool {
        let Some(symbol) = top.symbol.and_then(|index| self.outline.symbols.get(index as usize)) else {
            return true;
        };
        let same = symbol.span.start == draft.span.start && symbol.span.end == draft.span.end;
        draft.span.end <= top.end && draft.span.start >= symbol.span.start && !same
    }

    /// The reference to a base by its bare name.
    fn inherited(&self, base: Span) -> ReferenceDraft {
        let bytes = base.of(self.source);
        let length = bytes.iter().position(|b| b"<[( \n".contains(b)).unwrap_or(bytes.len());
        let name = Span { end: base.start + length as u32, last_line: base.first_line, ..base };
        ReferenceDraft { pattern: 0, kind: RefKind::Inherit, name, receiver: None, given: None }
    }

    /// Whether a draft is a local variable of a function, which is no symbol.
    fn is_local(&self, draft: &SymbolDraft, parent: Option<u32>) -> bool {
        if draft.local
            || !matches!(draft.kind, SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Field)
        {
            return false;
        }
        let mut at = parent;
        while let Some(symbol) = at.and_then(|index| self.outline.symbols.get(index as usize)) {
            if symbol.kind.is_type() {
                return false;
            }
            if symbol.kind.is_callable() {
                return true;
            }
            at = symbol.parent;
        }
        false
    }

    fn is_same(&self, index: u32, name: &str, draft: &SymbolDraft) -> bool {
        let last = &self.outline.symbols[index as usize];
        let kind = kind_in(draft.kind, last.parent.map(|parent| self.outline.symbols[parent as usize].kind));
        last.kind == kind && self.shown.get(last.name) == name
    }

    /// Extends a symbol by a further clause.
    fn grow(&mut self, index: u32, draft: &SymbolDraft) {
        let params = if self.outline.symbols[index as usize].params.is_empty() {
            self.params(draft)
        } else {
            Vec::new()
        };
        let symbol = &mut self.outline.symbols[index as usize];
        symbol.span.end = draft.span.end;
        symbol.span.last_line = draft.span.last_line;
        if symbol.params.is_empty() {
            symbol.params = params;
        }
        if symbol.body.is_none() {
            symbol.body = draft.body;
            symbol.body_hash = draft.body.map_or(0, |body| self.bodies.hash(body.of(self.source)));
        }
    }

    fn name_of(&self, draft: &SymbolDraft) -> String {
        match (&draft.given, draft.names.first()) {
            (Some(given), _) => given.clone(),
            (None, Some(&name)) => clean_name(&text_at(self.source, name)),
            (None, None) => String::new(),
        }
    }

    fn symbol(&mut self, draft: &SymbolDraft, name: &str, parent: Option<u32>, file_drafts: &FileDrafts) {
        let index = self.outline.symbols.len() as u32;
        let header = self.header(draft);
        let (mut modifiers, said) = self.words(draft, header);
        let mut kind = kind_in(draft.kind, parent.map(|parent| self.outline.symbols[parent as usize].kind));
        let accessor = modifiers.contains(Modifier::Getter) || modifiers.contains(Modifier::Setter);
        if kind == SymbolKind::Method && accessor {
            kind = SymbolKind::Property;
        }
        if said == Some(Visibility::Public) && file_drafts.closed {
            modifiers.insert(Modifier::Exported);
        }
        let symbol = Symbol {
            kind,
            name: self.shown.intern(name),
            parent,
            qualifier: draft.qualifier.map(|span| self.qualifier(span)),
            ordinal: 0,
            visibility: said.unwrap_or_else(|| self.visibility(name)),
            modifiers,
            span: draft.span,
            name_span: draft.name_span(),
            header,
            body: draft.body,
            signature: self.signature(header),
            params: self.params(draft),
            returns: draft
                .returns
                .or_else(|| self.returns_after_token(draft, header))
                .map(|span| self.phrase(span)),
            doc: self.doc(draft, file_drafts),
            attributes: draft.attributes.iter().map(|&span| self.attribute(span)).collect(),
            bases: self.bases(draft),
            body_hash: draft.body.map_or(0, |body| self.bodies.hash(body.of(self.source))),
            complexity: None,
        };
        self.outline.symbols.push(symbol);
        let unnamed = matches!(
            kind,
            SymbolKind::Impl | SymbolKind::Heading | SymbolKind::Key | SymbolKind::Test | SymbolKind::Block
        );
        if !unnamed && !name.is_empty() {
            self.bind(name, BindingKind::Symbol(index), draft.name_span().start);
        }
    }

    pub(super) fn bind(&mut self, name: &str, kind: BindingKind, at: u32) {
        let name = self.names.intern(name);
        self.flow.bindings.push(Binding {
            scope: 0,
            name,
            kind,
            ty: None,
            value: None,
            via: Via::Value,
            at,
            visible_from: at,
        });
    }

    fn phrase(&mut self, span: Span) -> Atom {
        let folded = display_text::fold(&text_at(self.source, span), display_text::PHRASE_CAP);
        self.shown.intern(folded.trim_start_matches([':', '-', '>', ' ']))
    }

    /// The result type after its token, outside of all brackets.
    fn returns_after_token(&self, draft: &SymbolDraft, header: Span) -> Option<Span> {
        let mark = draft.mark.as_deref()?.as_bytes();
        let from = draft.name_span().end.max(header.start);
        let rest = self.source.get(from as usize..header.end as usize)?;
        let mut depth = 0_i32;
        for at in 0..rest.len() {
            match rest[at] {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                _ if depth == 0 && rest[at..].starts_with(mark) => {
                    let start = from + (at + mark.len()) as u32;
                    let end = rest[at..]
                        .split(|&b| b == b'\n' || b == b'{')
                        .next()
                        .map_or(at, |line| at + line.len());
                    return Some(Span { start, end: from + end as u32, ..header });
                }
                _ => {}
            }
        }
        None
    }

    fn attribute(&mut self, span: Span) -> Atom {
        let bare = display_text::bare_attribute(&text_at(self.source, span));
        self.shown.intern(&bare)
    }

    /// The qualified name of a container: its parts joined by dots.
    fn qualifier(&mut self, span: Span) -> Atom {
        let text = clean_name(&text_at(self.source, span));
        let parts: Vec<&str> = text.split(['.', ':', '\\']).filter(|part| !part.is_empty()).collect();
        self.shown.intern(&parts.join("."))
    }

    fn params(&mut self, draft: &SymbolDraft) -> Vec<Param> {
        let mut params = Vec::with_capacity(draft.params.len());
        for param in &draft.params {
            let name = clean_name(&text_at(self.source, param.name));
            let ty = param.ty.map(|ty| self.phrase(ty));
            params.push(Param {
                name: self.shown.intern(&name),
                ty,
                default: param.default,
                variadic: param.variadic,
            });
        }
        params
    }

    fn bases(&mut self, draft: &SymbolDraft) -> Vec<Base> {
        let mut bases = Vec::with_capacity(draft.bases.len());
        for &(span, relation) in &draft.bases {
            let text = self.phrase(span);
            let shown = self.shown.get(text);
            let bare = shown.split(['<', '[', '(', ' ']).next().unwrap_or_default();
            let name = bare.rsplit(['.', ':', '\\']).next().unwrap_or(bare).to_owned();
            bases.push(Base { text, name: self.shown.intern(&name), relation });
        }
        bases
    }

    /// The header: from after the attributes to before the body. Data has a header of one line.
    fn header(&self, draft: &SymbolDraft) -> Span {
        let mut header = draft.span;
        let documented = draft.docs.iter().filter(|doc| doc.start == draft.span.start);
        for attribute in documented.chain(&draft.attributes) {
            let before = self.source.get(header.start as usize..attribute.start as usize).unwrap_or_default();
            if attribute.start >= header.start && before.trim_ascii().is_empty() {
                header.start = attribute.end.min(header.end);
            }
        }
        let skipped = header.of(self.source);
        header.start += (skipped.len() - skipped.trim_ascii_start().len()) as u32;
        if let Some(body) = draft.body
            && header.start < body.start
            && body.start <= header.end
        {
            header.end = body.start;
        } else if draft.line || is_data(draft.kind) {
            let line = memchr::memchr(b'\n', header.of(self.source));
            header.end = line.map_or(header.end, |at| header.start + at as u32);
        }
        header.end = header.start + header.of(self.source).trim_ascii_end().len() as u32;
        let passed = &self.source[draft.span.start as usize..header.start as usize];
        header.first_line = draft.span.first_line + memchr::memchr_iter(b'\n', passed).count() as u32;
        let inside = header.of(self.source);
        header.last_line = header.first_line + memchr::memchr_iter(b'\n', inside).count() as u32;
        header
    }

    fn signature(&mut self, header: Span) -> Atom {
        let signature = display_text::signature(header.of(self.source));
        self.shown.intern(&signature)
    }

    /// The modifiers and the visibility that words of the header state.
    fn words(&self, draft: &SymbolDraft, header: Span) -> (Modifiers, Option<Visibility>) {
        let (mut modifiers, mut visibility) = (Modifiers::default(), None);
        let mut take = |word: HeaderWord| match word {
            HeaderWord::Modifier(modifier) => modifiers.insert(modifier),
            HeaderWord::Visibility(said) => {
                visibility = Some(visibility.map_or(said, |before: Visibility| before.min(said)));
            }
            HeaderWord::Nothing => {}
        };
        draft.fixed.iter().copied().for_each(&mut take);
        let words = &self.conventions.modifier_words;
        let name = draft.name_span().start;
        let before = self.source.get(header.start as usize..name as usize).unwrap_or_default();
        let before = if is_data(draft.kind) || before.len() > WORDS_CAP { &[] } else { before };
        let captured = draft.words.iter().map(|span| span.of(self.source));
        for text in captured.chain([before]) {
            for word in text.split(u8::is_ascii_whitespace) {
                if let Some(&word) = words.get(word.strip_prefix(b"(").unwrap_or(word)) {
                    take(word);
                }
            }
        }
        (modifiers, visibility)
    }

    fn visibility(&self, name: &str) -> Visibility {
        let conventions = self.conventions;
        if conventions.private_names.as_ref().is_some_and(|private| private.is_match(name)) {
            return Visibility::Private;
        }
        match &conventions.public_names {
            Some(public) if public.is_match(name) => Visibility::Public,
            _ => conventions.default_visibility,
        }
    }

    fn doc(&mut self, draft: &SymbolDraft, file_drafts: &FileDrafts) -> Option<Atom> {
        let cleaned = if let (Some(first), Some(last)) = (draft.docs.first(), draft.docs.last()) {
            clean_doc(&text_at(self.source, Span { end: last.end.max(first.end), ..*first }))
        } else {
            let run = merge_drafts::comments_before(&file_drafts.comments, draft.span, self.source)?;
            display_text::clean_comment(&text_at(self.source, run))
        };
        (!cleaned.is_empty()).then(|| self.shown.intern(&cleaned))
    }

    /// Assigns documentation inside a symbol to that symbol.
    fn inner_docs(&mut self, docs: &[Span]) {
        for &doc in docs {
            let mut at =
                self.outline.symbols.partition_point(|symbol| symbol.span.start <= doc.start).checked_sub(1);
            while let Some(symbol) = at.and_then(|index| self.outline.symbols.get_mut(index)) {
                if symbol.span.contains(&doc) {
                    let cleaned = clean_doc(&text_at(self.source, doc));
                    symbol.doc = Some(self.shown.intern(&cleaned));
                    break;
                }
                at = symbol.parent.map(|parent| parent as usize);
            }
        }
    }

    fn tests(&mut self) {
        let shown = &self.shown;
        self.conventions.tests.mark(&mut self.outline.symbols, |atom| shown.get(atom));
    }
}

/// The style selectors of a file. One with a rule of its own is defined there, any other where it is first mentioned; all
/// further mentions are references.
struct Selectors {
    defined: HashSet<String>,
}

impl Selectors {
    fn of(drafts: &[SymbolDraft], name: impl Fn(&SymbolDraft) -> String) -> Self {
        let with_rule =
            drafts.iter().filter(|draft| draft.kind == SymbolKind::Selector && draft.body.is_some());
        Self { defined: with_rule.map(name).collect() }
    }

    fn is_mention(&mut self, draft: &SymbolDraft, name: impl FnOnce() -> String) -> bool {
        draft.kind == SymbolKind::Selector && draft.body.is_none() && !self.defined.insert(name())
    }
}

/// The kind of a symbol inside a parent: a function in a type is a method.
fn kind_in(kind: SymbolKind, parent: Option<SymbolKind>) -> SymbolKind {
    match kind {
        SymbolKind::Function if parent.is_some_and(SymbolKind::is_type) => SymbolKind::Method,
        SymbolKind::Variable if parent.is_some_and(SymbolKind::is_type) => SymbolKind::Field,
        kind => kind,
    }
}

/// Whether a symbol is data or prose: its first line is its header.
fn is_data(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Heading | SymbolKind::Key | SymbolKind::Rule | SymbolKind::Block | SymbolKind::Selector
    )
}

fn clean_doc(text: &str) -> String {
    if text.trim_start().starts_with(['"', '\'']) {
        display_text::clean_string(text.trim())
    } else {
        display_text::clean_comment(text)
    }
}
