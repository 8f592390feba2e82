//! Hostile input: endless lines, endless nesting, bytes that are not text. In every language extraction returns facts, and
//! all their spans are inside the file.

use orient_lang::{Pack, Registry, extract};
use orient_model::{Facts, IssueKind};
use orient_testkit::{bomb, repeated_bomb};
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
fn ten_thousand_open_levels() {
    let pieces = ["(", "[{", "a(", "if (a) {", "<a>", "\"#{", "- ", "a: "];
    in_every_language(&pieces.map(|piece| piece.repeat(10_000).into_bytes()), |_| true);
}

#[test]
fn ten_thousand_closed_levels() {
    let nested = |open: &str, close: &str| {
        format!("x = {}1{};\n", open.repeat(10_000), close.repeat(10_000)).into_bytes()
    };
    in_every_language(&[nested("(", ")"), nested("[", "]"), nested("f(", ")")], |_| true);
}

#[test]
fn thousands_of_nested_definitions() {
    for (language, open) in
        [("cpp", "f a() {"), ("c", "function a() {"), ("objc", "function a() {"), ("ocaml", "type a ")]
    {
        let source = format!("x = {}{};\n", open.repeat(20_000), "}".repeat(20_000));
        check(pack(language), source.as_bytes());
        let facts = extract(Some(pack(language)), source.as_bytes());
        assert!(facts.flow.scopes.len() < 1000, "{language}: {} scopes", facts.flow.scopes.len());
    }
}

#[test]
fn thousands_of_definitions_of_one_name() {
    let source = "class A extends A { a() {} }\n";
    let facts = extract(Some(pack("javascript")), source.repeat(20_000).as_bytes());
    assert_eq!(limit(&facts), Some(IssueKind::Budget));
    let facts = extract(Some(pack("javascript")), source.repeat(2000).as_bytes());
    assert_eq!((limit(&facts), facts.outline.symbols.len()), (None, 4000));
}

#[test]
fn a_chain_of_calls_as_long_as_the_file() {
    check(pack("javascript"), "```\n".repeat(40_000).as_bytes());
}

#[test]
fn a_chain_of_a_hundred_thousand_members() {
    for name in ["hcl", "elixir", "lua", "swift", "scala"] {
        check(pack(name), format!("x = a{}", ".b".repeat(88_000)).as_bytes());
    }
}

#[test]
fn a_line_of_a_megabyte() {
    let text = format!("x = \"{}\";", "a".repeat(1 << 20)).into_bytes();
    in_every_language(&[text], |_| true);
    let code = "f(a, b); ".repeat((1 << 20) / 9).into_bytes();
    in_every_language(&[code], Pack::is_deep);
}

#[test]
fn bytes_that_are_not_text() {
    let nul = b"def f(a) { return \0; }\nclass \0A { int \0x; }\n\0\0\0".to_vec();
    let torn = b"class Caf\xe9 { \xff\xfe f(\xc3\x28, \"\x80\") { # \xf0\x9f } }\n".to_vec();
    let every = (0..=u8::MAX).cycle().take(4096).collect();
    in_every_language(&[nul, torn.repeat(20), every, vec![0; 4096], vec![0xff; 4096]], |_| true);
}

/// Unterminated here-documents whose last line has no newline and contains an interpolation.
#[test]
fn unterminated_here_documents() {
    let sources = ["print <<X;\na $b c", "<<~SQL if x\n $", "$x = <<X;\n@{[1]}\n\\é"];
    let sources: Vec<Vec<u8>> = sources.iter().map(|source| source.as_bytes().to_vec()).collect();
    in_every_language(&sources, |_| true);
}

fn pack(name: &str) -> &'static Pack {
    Registry::builtin().by_name(name).expect("the language is compiled in")
}

/// The parser limit that a file reached.
fn limit(facts: &Facts) -> Option<IssueKind> {
    let kinds = facts.outline.issues.iter().map(|issue| issue.kind);
    kinds.into_iter().find(|kind| matches!(kind, IssueKind::Budget | IssueKind::Memory))
}

/// Comparisons that may also be type arguments: without limits, following both readings takes gigabytes for 50 KB.
#[test]
fn endless_operators_take_little_memory() {
    let source = repeated_bomb("a<b<c<d<", 50_000).bytes;
    in_every_language(std::slice::from_ref(&source), Pack::is_deep);
    let facts = extract(Some(pack("csharp")), &source);
    assert_eq!(limit(&facts), Some(IssueKind::Memory));
    let covered: u32 = facts.outline.chunks.iter().map(|chunk| chunk.span.end - chunk.span.start).sum();
    assert_eq!(covered as usize, source.len(), "all of it can be searched");
}

/// Unclosed brackets beyond the memory limit: the file is kept as text.
#[test]
fn two_megabytes_of_brackets_are_kept_as_text() {
    let facts = extract(Some(pack("java")), &repeated_bomb("(", 2 << 20).bytes);
    assert_eq!(limit(&facts), Some(IssueKind::Memory));
    assert!(facts.outline.symbols.is_empty() && !facts.outline.chunks.is_empty());
}

/// A query searches for the next named sibling, and an error node can have a hundred thousand unnamed children.
#[test]
fn a_query_over_a_hundred_thousand_unnamed_siblings() {
    let facts = extract(Some(pack("bash")), &repeated_bomb("(\n ", 400_000).bytes);
    assert_eq!(limit(&facts), Some(IssueKind::Budget));
}

/// Text that looks unterminated is read to its end again and again.
#[test]
fn repeated_reading_counts_as_work() {
    let facts = extract(Some(pack("dart")), &repeated_bomb("=> {", 800_000).bytes);
    assert_eq!(limit(&facts), Some(IssueKind::Budget));
}

/// Hundreds of scripts in a page share the limits of the page.
#[test]
fn embedded_texts_share_the_limits_of_their_file() {
    let piece = format!("<script>{}</script>\n", "a<b<c<d<(".repeat(800));
    let facts = extract(Some(pack("html")), piece.repeat(200).as_bytes());
    let limits = facts.outline.issues.iter().filter(|issue| issue.kind.as_str().starts_with("parse limit"));
    assert_eq!(limits.count(), 1, "it is said once");
}

/// Whether a file reaches a limit depends on its bytes only, not on earlier files or threads.
#[test]
fn limits_are_the_same_on_any_number_of_threads() {
    let languages = ["csharp", "java", "kotlin", "typescript"];
    let sources: Vec<Vec<u8>> =
        ["a<b<c<d<", "a?b:", "f(a, {"].iter().map(|piece| repeated_bomb(piece, 40_000).bytes).collect();
    let read = || {
        let each =
            languages.iter().flat_map(|name| sources.iter().map(|source| extract(Some(pack(name)), source)));
        each.map(|facts| format!("{:?}", facts.outline.issues)).collect::<Vec<_>>()
    };
    let alone = read();
    assert_eq!(alone, read(), "again on the same thread");
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..3).map(|_| scope.spawn(read)).collect();
        for other in others {
            assert_eq!(alone, other.join().expect("it ends"));
        }
    });
}

/// A few of the files that `cargo xtask bombs` generates by the thousand, truncated.
#[test]
fn tokens_of_the_language_in_random_order() {
    let packs = Registry::builtin().packs();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(pack) = packs.get(next.fetch_add(1, Ordering::Relaxed)) {
            for index in [7, 8, 9, 18] {
                let mut bytes = bomb(&pack.tokens(), 11, index).bytes;
                bytes.truncate(20_000);
                check(pack, &bytes);
            }
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
}
