//! Runs the documents under `packs/*/tests`: each contains files and the facts that must be extracted from them.
//!
//! `UPDATE_EXPECT=1` writes the actual facts into the documents; review the difference before you keep it.

use orient_lang::{Registry, extract, render};
use orient_testkit::{Block, Document, difference};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[test]
fn every_document_passes() {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
    let only = std::env::var("PACK").ok();
    let mut failures = String::new();
    let mut checked = 0;
    for path in documents(&packs) {
        if only.as_deref().is_some_and(|only| !path.starts_with(packs.join(only))) {
            continue;
        }
        checked += check(&path, &mut failures);
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(checked > 0, "no expectation was checked");
}

fn documents(packs: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for pack in std::fs::read_dir(packs).expect("packs are there").flatten() {
        if let Ok(tests) = std::fs::read_dir(pack.path().join("tests")) {
            found.extend(
                tests
                    .flatten()
                    .map(|entry| entry.path())
                    .filter(|path| path.extension().is_some_and(|e| e == "md")),
            );
        }
    }
    found.sort();
    found
}

fn check(path: &Path, failures: &mut String) -> usize {
    let text = std::fs::read_to_string(path).expect("documents are text");
    let document = Document::parse(&text);
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut replacements = Vec::new();
    let mut checked = 0;
    for case in &document.cases {
        let mut source: Option<&Block> = None;
        for block in &case.blocks {
            if Registry::builtin().by_name(&block.kind).is_some() {
                source = Some(block);
                continue;
            }
            let named = case.blocks.iter().find(|other| block.file.is_some() && other.file == block.file);
            let Some(source) = named.or(source) else {
                panic!("{}:{}: no file before this", path.display(), block.line)
            };
            let registry = Registry::builtin();
            let file = source.file.as_deref().unwrap_or_default();
            let pack = registry.by_name(&source.kind).map(|pack| registry.for_file(pack, file.as_bytes()));
            let facts = extract(pack, source.text.as_bytes());
            let Some(found) = render(&facts, &block.kind) else {
                panic!(
                    "{}:{}: `{}` is no language and no part of the facts",
                    path.display(),
                    block.line,
                    block.kind
                );
            };
            checked += 1;
            if let Some(difference) = difference(&block.text, &found) {
                let _ = writeln!(failures, "{}:{}: {}\n{difference}", path.display(), block.line, case.title);
                replacements.push((block.line, found));
            }
        }
    }
    if update && !replacements.is_empty() {
        std::fs::write(path, document.updated(&replacements)).expect("documents can be written");
        failures.clear();
    }
    checked
}
