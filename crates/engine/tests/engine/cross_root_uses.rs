//! Uses of a symbol in another root: engines that have answered before answer like new ones, whichever root was edited.

use crate::support::{Bench, refresh};
use orient_engine::{DefinitionQuery, Engine, NameMatch, NodeId, RootSnapshot, cross_root_uses};

/// A library, and an application that requires it.
fn roots() -> [Bench; 2] {
    let library = Bench::new(&[
        ("package.json", "{ \"name\": \"tariff\", \"main\": \"index.js\" }\n"),
        ("index.js", "export function tariff(weight) {\n  return weight * 2;\n}\n"),
    ]);
    let application = Bench::new(&[
        ("package.json", "{ \"name\": \"app\", \"dependencies\": { \"tariff\": \"1.0.0\" } }\n"),
        ("a.js", "import { tariff } from 'tariff';\n\nexport function price() {\n  return tariff(3);\n}\n"),
    ]);
    [library, application]
}

/// The uses of `tariff`: file and line of each.
fn uses(engines: &[Engine; 2]) -> Vec<(String, u32)> {
    for engine in engines {
        refresh(engine);
    }
    let snapshots = engines.each_ref().map(|engine| engine.snapshot().expect("a snapshot"));
    let query = DefinitionQuery { name: NameMatch::Exact("tariff".to_owned()), ..DefinitionQuery::default() };
    let found = snapshots[0].symbols(&query, 0, 10).expect("symbols").rows;
    let nodes: Vec<NodeId> = found.iter().map(|one| NodeId::from(one.id)).collect();
    let roots: Vec<RootSnapshot<'_>> =
        engines.iter().zip(&snapshots).map(|(engine, snapshot)| RootSnapshot { engine, snapshot }).collect();
    let found = cross_root_uses(&roots, 0, &nodes, &["tariff"]).expect("uses").uses;
    let view = snapshots[1].graph();
    let place = |source: NodeId, line| {
        let file = view.file_of(source).expect("a file");
        (file.path.display().into_owned(), line)
    };
    let mut places: Vec<_> = found.iter().map(|one| place(one.edge.source, one.edge.line)).collect();
    places.sort();
    places.dedup();
    places
}

#[test]
fn edits_of_either_root_are_seen_by_engines_that_have_answered_before() {
    let benches = roots();
    let engines = benches.each_ref().map(Bench::engine);
    let check = |expected: &[(&str, u32)], what: &str| {
        let found = uses(&engines);
        let expected: Vec<(String, u32)> =
            expected.iter().map(|(path, line)| ((*path).to_owned(), *line)).collect();
        assert_eq!(found, expected, "{what}");
        assert_eq!(found, uses(&benches.each_ref().map(Bench::engine)), "{what}: new engines");
    };
    check(&[("a.js", 1), ("a.js", 4)], "at first");
    check(&[("a.js", 1), ("a.js", 4)], "asked again");
    benches[1].put("b.js", "import { tariff } from 'tariff';\n\nexport const fee = tariff(1);\n");
    check(&[("a.js", 1), ("a.js", 4), ("b.js", 1), ("b.js", 3)], "a new use");
    benches[1].put("a.js", "export function price() {\n  return 3;\n}\n");
    check(&[("b.js", 1), ("b.js", 3)], "a removed use");
    benches[0].put("index.js", "export function duty(weight) {\n  return weight;\n}\n");
    check(&[], "the symbol is gone");
    benches[0].put("index.js", "\n\nexport function tariff(weight) {\n  return weight;\n}\n");
    check(&[("b.js", 1), ("b.js", 3)], "and back elsewhere");
    std::fs::remove_dir_all(benches[0].store()).expect("removed");
    check(&[("b.js", 1), ("b.js", 3)], "its index was replaced");
}
