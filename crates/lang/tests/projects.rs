//! Properties that hold for project files with any content.

use orient_lang::{Registry, extract, render};
use orient_testkit::Document;
use std::path::Path;

/// Every project file in the packs' documents: its path and text.
fn project_files() -> Vec<(String, String)> {
    let packs = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs");
    let mut found = Vec::new();
    for pack in std::fs::read_dir(packs).expect("packs are there").flatten() {
        for entry in std::fs::read_dir(pack.path().join("tests")).into_iter().flatten().flatten() {
            let document =
                Document::parse(&std::fs::read_to_string(entry.path()).expect("documents are text"));
            let blocks = document.cases.into_iter().flat_map(|case| case.blocks);
            found.extend(blocks.filter_map(|block| Some((block.file?, block.text))));
        }
    }
    let detect = |path: &str| Registry::builtin().detect(path.as_bytes(), b"");
    found.retain(|(path, _)| detect(path).is_some_and(|pack| pack.project_title().is_some()));
    found.sort();
    found
}

fn manifest(path: &str, bytes: &[u8]) -> String {
    let pack = Registry::builtin().detect(path.as_bytes(), bytes);
    render(&extract(pack, bytes), "manifest").expect("a part of the facts")
}

#[test]
fn a_truncated_file_states_only_names_and_paths_that_it_contains() {
    let files = project_files();
    assert!(files.len() > 50, "{} project files", files.len());
    for (path, text) in files {
        for end in (0..text.len()).step_by(5) {
            let said = manifest(&path, &text.as_bytes()[..end]);
            for (line, value) in said.lines().filter_map(|line| Some((line, line.split_once(" = ")?.1))) {
                let mut parts = value.split(['/', '!', ':', '&']);
                assert!(parts.all(|part| text.contains(part)), "{path}, {end} bytes: {line}");
            }
        }
    }
}

#[test]
fn deep_nesting_terminates() {
    for pack in Registry::builtin().projects() {
        let path = pack.project_files()[0].replace('*', "x");
        for piece in ["{\"exports\":", "[", "- ", "<Project>", "a.", "[[a.b]]\n", "use (\n"] {
            let said = manifest(&path, piece.repeat(2_000).as_bytes());
            assert!(said.len() < 100, "{path} of {piece}: {said}");
        }
    }
}

#[test]
fn deep_indentation_terminates() {
    let steps: Vec<u8> =
        (0..400).flat_map(|level| format!("{}a:\n", " ".repeat(level)).into_bytes()).collect();
    for pack in Registry::builtin().packs() {
        let facts = extract(Some(pack), &steps);
        assert!(facts.outline.lines >= 400, "{}", pack.name());
    }
}
