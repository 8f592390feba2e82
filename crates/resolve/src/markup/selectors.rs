//! Style selectors: the classes and ids of markup, and the custom properties of styles, with the style sheets that have them.

use crate::file::FileRef;
use crate::session::Session;
use crate::types::ty::SymbolId;
use orient_model::{BindingKind, Confidence, SymbolKind};

/// Maximum number of style sheets that one use is linked with.
const MAX_SHEETS: usize = 4;

/// The kind of symbol that a name of this form means: a selector for `.card` and `#top`, a property for `--color`.
pub(crate) fn styled_kind(name: &str) -> Option<SymbolKind> {
    match name.as_bytes() {
        [b'.' | b'#', b'_' | b'-' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.., ..] => Some(SymbolKind::Selector),
        [b'-', b'-', _, ..] => Some(SymbolKind::Variable),
        _ => None,
    }
}

impl Session<'_> {
    /// The selectors or properties of a name: those of the file itself, or of style sheets anywhere.
    pub(crate) fn styled(&self, unit: &FileRef, name: &str, kind: SymbolKind) -> Vec<(SymbolId, Confidence)> {
        // The first rule of the file stands for the others.
        let own = unit.bound(0, name).iter().filter_map(|&at| match unit.binding(at)?.kind {
            BindingKind::Symbol(symbol) => Some(symbol),
            _ => None,
        });
        if let Some(own) = own.into_iter().find(|&symbol| unit.kind(symbol) == Some(kind)) {
            return vec![(unit.sym(own), Confidence::Exact)];
        }
        let mut found = Vec::new();
        for family in &unit.rules.markup.selectors {
            let named = self.symbols_in_family(family, name, true);
            found.extend(named.iter().filter(|one| one.kind == kind).map(|one| one.sym));
        }
        // The first rule of each style sheet stands for the others.
        found.dedup_by_key(|sym| sym.file);
        let confidence = if found.len() < 2 { Confidence::Probable } else { Confidence::Approximate };
        found.truncate(MAX_SHEETS);
        found.into_iter().map(|sym| (sym, confidence)).collect()
    }
}
