//! Extraction of any bytes in any language never panics, and every span is inside the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use orient_lang::{Registry, extract};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, source)) = data.split_first() else { return };
    let packs = Registry::builtin().packs();
    let facts = extract(packs.get(choice as usize % packs.len()), source);
    let end = source.len() as u32;
    for (index, symbol) in facts.outline.symbols.iter().enumerate() {
        assert!(symbol.span.start <= symbol.span.end && symbol.span.end <= end);
        assert!(symbol.span.contains(&symbol.header) && symbol.span.first_line <= symbol.span.last_line);
        assert!(symbol.parent.is_none_or(|parent| (parent as usize) < index));
    }
    let mut last = 0;
    for chunk in &facts.outline.chunks {
        assert!(last <= chunk.span.start && chunk.span.start < chunk.span.end && chunk.span.end <= end);
        last = chunk.span.end;
    }
    for scope in &facts.flow.scopes {
        assert!(scope.start <= scope.end && scope.end <= end);
    }
    for reference in &facts.flow.references {
        assert!(reference.at <= end && (reference.scope as usize) < facts.flow.scopes.len());
    }
});
