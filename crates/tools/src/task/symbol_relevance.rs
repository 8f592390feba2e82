//! How relevant a symbol is to the target of a request, by the built-in model and by words.

use orient_embed::{BuiltIn, Vector, combine, cosine};
use orient_engine::Definition;
use orient_task::{relevance, shared_words};

/// The similarity of two texts by the built-in model, from -1 to 1.
pub(crate) fn similarity(a: &str, b: &str) -> f32 {
    let vector = |text: &str| -> Vector { combine(&[(&BuiltIn::shared().embed_text(text), 1.0)]) };
    let (a, b) = (vector(a), vector(b));
    let product = a.values().iter().zip(b.values()).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum();
    cosine(product, a.values().len())
}

/// The relevance of a symbol to a target, from 0 to 1.
pub(crate) fn of_symbol(target: &str, symbol: &Definition) -> f32 {
    let name = symbol.handle.names.join(" ");
    let doc = symbol.doc.as_deref().unwrap_or_default();
    let doc = doc.char_indices().nth(400).map_or(doc, |(end, _)| &doc[..end]);
    let text = format!("{name} {} {doc} {}", symbol.signature, symbol.path.display());
    relevance(similarity(target, &text), shared_words(target, &name), shared_words(target, &text))
}
