//! Imports and exports of a shallow file.

use super::build_facts::Builder;
use super::drafts::{FileDrafts, ImportDraft};
use super::run_query::clean_name;
use super::text_at;
use crate::facts::display_text;
use orient_model::{BindingKind, Export, Import, ImportKind, Modifier, Modifiers, SymbolKind, Visibility};
use std::cmp::Reverse;

impl Builder<'_> {
    pub(super) fn exports(&mut self, file_drafts: &FileDrafts) {
        let mut exported = Vec::with_capacity(file_drafts.exports.len());
        for &span in &file_drafts.exports {
            let name = clean_name(&text_at(self.source, span));
            let atom = self.shown.intern(&name);
            self.outline.exports.push(Export {
                name: atom,
                public: atom,
                at: span.start,
                line: span.first_line,
            });
            exported.push(atom);
        }
        if exported.is_empty() {
            return;
        }
        exported.sort_unstable();
        for symbol in &mut self.outline.symbols {
            if exported.binary_search(&symbol.name).is_ok() {
                symbol.modifiers.insert(Modifier::Exported);
                symbol.visibility = Visibility::Public;
            } else if file_drafts.closed
                && symbol.parent.is_none()
                && symbol.kind != SymbolKind::Module
                && !symbol.modifiers.contains(Modifier::Exported)
            {
                symbol.visibility = Visibility::Private;
            }
        }
    }

    /// Adds the imports; of several patterns for one statement and name the first wins.
    pub(super) fn imports(&mut self, drafts: &mut Vec<ImportDraft>) {
        let key = |draft: &ImportDraft| {
            (draft.span.start, Reverse(draft.span.end), draft.item.map(|item| item.start))
        };
        drafts.sort_by_key(|draft| (key(draft), draft.pattern, draft.module));
        drafts.dedup_by(|later, kept| {
            let same = key(later) == key(kept);
            if same && later.pattern == kept.pattern {
                // One pattern matched the parts of a path one by one.
                kept.module.end = kept.module.end.max(later.module.end);
                kept.alias = kept.alias.or(later.alias);
            }
            same || (kept.span.contains(&later.span) && kept.span != later.span)
        });
        // An import of an item makes the import of its module redundant.
        let items: Vec<u32> =
            drafts.iter().filter(|draft| draft.item.is_some()).map(|draft| draft.span.start).collect();
        drafts.retain(|draft| draft.item.is_some() || items.binary_search(&draft.span.start).is_err());
        for draft in drafts {
            let module = text_at(self.source, draft.module);
            let module: String = clean_module(&module).split_whitespace().collect();
            let name = draft.item.map(|item| clean_name(&text_at(self.source, item)));
            let alias = draft.alias.map(|alias| clean_name(&text_at(self.source, alias)));
            let import = Import {
                kind: draft.kind,
                module: self.shown.intern(&module),
                name: name.as_deref().map(|name| self.shown.intern(name)),
                alias: alias.as_deref().map(|alias| self.shown.intern(alias)),
                reexport: false,
                visibility: Visibility::Private,
                modifiers: Modifiers::default(),
                scope: 0,
                at: draft.span.start,
                line: draft.span.first_line,
            };
            let index = self.outline.imports.len() as u32;
            self.outline.imports.push(import);
            if matches!(draft.kind, ImportKind::Wildcard | ImportKind::Effect | ImportKind::Template) {
                continue;
            }
            let last = module.rsplit(['/', '.', '\\', ':']).find(|part| !part.is_empty());
            if let Some(bound) = alias.as_deref().or(name.as_deref()).or(last) {
                self.bind(bound, BindingKind::Import(index), draft.span.start);
            }
        }
    }
}

fn clean_module(text: &str) -> &str {
    let text = text.trim().trim_end_matches(';');
    if text.starts_with(['"', '\'', '`', '<']) { display_text::unquote(text) } else { text }
}
