//! What nobody writes and every tree may hold: endless lines, endless nesting, bytes that are no text. Whatever the
//! language, facts come back, and what they say about places lies inside the file.

use orient_lang::{Pack, Registry, extract};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Extracts each source in every language, several at a time.
fn in_every_language(sources: &[Vec<u8>], fits: fn(&Pack) -> bool) {
    let packs: Vec<&Pack> = Registry::builtin().packs().iter().filter(|pack| fits(pack)).collect();
    assert!(packs.len() > 10, "{} languages", packs.len());
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(pack) = packs.get(next.fetch_add(1, Ordering::Relaxed)) {
            for source in sources {
                check(pack, source);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
}

fn check(pack: &Pack, source: &[u8]) {
    let facts = extract(Some(pack), source);
    let end = u32::try_from(source.len()).expect("a small source");
    let shown = || format!("{}: {}", pack.name(), String::from_utf8_lossy(&source[..source.len().min(40)]));
    for (index, symbol) in facts.outline.symbols.iter().enumerate() {
        let span = symbol.span;
        assert!(span.start <= span.end && span.end <= end && span.contains(&symbol.header), "{}", shown());
        assert!(symbol.parent.is_none_or(|parent| (parent as usize) < index), "{}", shown());
    }
    let mut covered = 0;
    for chunk in &facts.outline.chunks {
        assert!(covered <= chunk.span.start && chunk.span.end <= end, "{}", shown());
        covered = chunk.span.end;
    }
    assert!(covered > 0, "nothing of it could be searched: {}", shown());
    for scope in &facts.flow.scopes {
        assert!(scope.start <= scope.end && scope.end <= end, "{}", shown());
    }
    for reference in &facts.flow.references {
        let scope = reference.scope as usize;
        assert!(reference.at <= end && scope < facts.flow.scopes.len(), "{}", shown());
    }
}

#[test]
fn ten_thousand_levels() {
    let pieces = ["(", "[{", "a(", "if (a) {", "<a>", "\"#{", "- ", "a: "];
    in_every_language(&pieces.map(|piece| piece.repeat(10_000).into_bytes()), |_| true);
}

#[test]
fn ten_thousand_levels_that_end() {
    let nested = |open: &str, close: &str| {
        format!("x = {}1{};\n", open.repeat(10_000), close.repeat(10_000)).into_bytes()
    };
    in_every_language(&[nested("(", ")"), nested("[", "]"), nested("f(", ")")], |_| true);
}

#[test]
fn a_line_of_a_megabyte() {
    let text = format!("x = \"{}\";", "a".repeat(1 << 20)).into_bytes();
    in_every_language(&[text], |_| true);
    let code = "f(a, b); ".repeat((1 << 20) / 9).into_bytes();
    in_every_language(&[code], Pack::is_deep);
}

#[test]
fn bytes_that_are_no_text() {
    let nul = b"def f(a) { return \0; }\nclass \0A { int \0x; }\n\0\0\0".to_vec();
    let torn = b"class Caf\xe9 { \xff\xfe f(\xc3\x28, \"\x80\") { # \xf0\x9f } }\n".to_vec();
    let every = (0..=u8::MAX).cycle().take(4096).collect();
    in_every_language(&[nul, torn.repeat(20), every, vec![0; 4096], vec![0xff; 4096]], |_| true);
}

/// Here-documents that nothing ends, the last line of them without an end and with something to fill in.
#[test]
fn a_here_document_that_never_ends() {
    let sources = ["print <<X;\na $b c", "<<~SQL if x\n $", "$x = <<X;\n@{[1]}\n\\é"];
    let sources: Vec<Vec<u8>> = sources.iter().map(|source| source.as_bytes().to_vec()).collect();
    in_every_language(&sources, |_| true);
}
