//! The compiler layers: what a SCIP index or a language server says replaces our edges, file by file and content by content.

use crate::support::edits::assert_same;
use crate::support::{Bench, dump, fresh, refresh};
use orient_engine::{
    Cancel, Engine, EngineError, ImportState, KeptAnswers, LayerPublication, LayerSource, NoProgress,
    RefreshMode, RefreshOptions, ScipImport, ServerAnswers,
};
use orient_model::{
    AskedRelation, ContentHash, FileAnswers, NameAnswer, NameQuestion, ServicePlace, ServiceStatus,
};
use orient_testkit::{DEFINES, USES, scip_document, scip_index, scip_occurrence};
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::Barrier;

const A: &str = "from b import make\n\ndef run(x):\n    make()\n    x.go()\n";
const B: &str = "\
class Engine:
    def go(self):
        pass

class Other:
    def go(self):
        pass

def make():
    return Engine()
";

const GO: &str = "py pip b 1 Engine#go().";
const MAKE: &str = "py pip b 1 make().";

/// The index of both files: `x.go()` means the method of `Engine`, which our rules cannot know.
fn index() -> Vec<u8> {
    let a =
        scip_document("a.py", &[scip_occurrence(MAKE, 3, 4, 8, USES), scip_occurrence(GO, 4, 6, 8, USES)]);
    let b = scip_document(
        "b.py",
        &[
            scip_occurrence("py pip b 1 Engine#", 0, 6, 12, DEFINES),
            scip_occurrence(GO, 1, 8, 10, DEFINES),
            scip_occurrence(MAKE, 8, 4, 8, DEFINES),
            scip_occurrence("py pip b 1 Engine#", 9, 11, 17, USES),
        ],
    );
    scip_index(&[a, b])
}

fn import(bench: &Bench, bytes: &[u8]) -> ScipImport {
    let path: PathBuf = bench.store().join("index.scip");
    std::fs::write(&path, bytes).expect("the index");
    let engine = bench.engine();
    let snapshot = engine.snapshot().expect("a snapshot");
    engine.import_scip(&snapshot, &[path], LayerPublication::NextRefresh).expect("it is well formed")
}

fn edges(dump: &str) -> Vec<&str> {
    dump.lines().filter(|line| line.starts_with("edge\t") && line.contains("compiler")).collect()
}

/// The dump of the same store after a rebuild.
fn rebuilt(engine: &Engine) -> String {
    let options = RefreshOptions { mode: RefreshMode::Rebuild, ..RefreshOptions::default() };
    engine.refresh(&options, &NoProgress).expect("the index is rebuilt");
    dump(engine)
}

#[test]
fn a_compiler_adds_what_our_rules_cannot_know_and_dropping_it_restores_the_graph() {
    let bench = Bench::new(&[("a.py", A), ("b.py", B)]);
    bench.refresh();
    let before = bench.dump();
    assert!(edges(&before).is_empty());
    let done = import(&bench, &index());
    assert_eq!((done.documents, done.definitions, done.references, done.refused.len()), (2, 3, 3, 0));
    bench.refresh();
    let with = bench.dump();
    let go = edges(&with).into_iter().find(|line| line.contains("Engine.go")).expect("the compiler's edge");
    assert!(go.contains("calls") && go.contains("exact"), "{go}");
    let audit = bench.engine().snapshot().expect("a snapshot").audit_layer(1, &Cancel::default());
    let audit = audit.expect("it runs").expect("there is a layer");
    assert!(audit.added.iter().any(|edge| edge.target.1 == "Engine.go"), "{audit:?}");
    assert!(audit.confirmed > 0, "{audit:?}");
    assert!(bench.engine().drop_compiler_layer(LayerSource::Scip).expect("it is removed"));
    bench.refresh();
    assert_same(&bench.dump(), &before, "the graph before the import");
    assert_same(&bench.dump(), &fresh(&bench.root(), 1), "a full build");
}

#[test]
fn an_edited_file_falls_back_to_our_rules_until_it_is_covered_again() {
    let bench = Bench::new(&[("a.py", A), ("b.py", B)]);
    bench.refresh();
    import(&bench, &index());
    bench.refresh();
    let covered = bench.dump();
    bench.put("a.py", format!("{A}    x.stop()\n"));
    bench.refresh();
    let edited = bench.dump();
    assert!(!edges(&edited).iter().any(|line| line.contains("Engine.go")), "{edited}");
    let status = bench
        .engine()
        .snapshot()
        .expect("a snapshot")
        .layer_status(LayerSource::Scip)
        .expect("readable")
        .expect("a layer");
    assert_eq!((status.covered, status.outdated.len()), (1, 1));
    bench.put("a.py", A);
    bench.refresh();
    assert_same(&bench.dump(), &covered, "the same content as before");
}

#[test]
fn a_compiler_that_says_external_drops_our_edge_to_a_file_it_saw() {
    let bench = Bench::new(&[("a.py", A), ("b.py", B)]);
    bench.refresh();
    assert!(
        bench
            .dump()
            .lines()
            .any(|line| line.starts_with("edge") && line.contains("calls") && line.contains("#make"))
    );
    let a = scip_document("a.py", &[scip_occurrence("py pip other 1 make().", 3, 4, 8, USES)]);
    let b = scip_document("b.py", &[scip_occurrence("py pip b 1 Engine#", 0, 6, 12, DEFINES)]);
    import(&bench, &scip_index(&[a, b]));
    bench.refresh();
    let dump = bench.dump();
    assert!(
        !dump
            .lines()
            .any(|line| line.starts_with("edge") && line.contains("calls") && line.contains("#make")),
        "{dump}"
    );
    assert!(dump.lines().any(|line| line.starts_with("outside") && line.contains("other")), "{dump}");
}

#[test]
fn an_index_of_another_version_is_refused() {
    let bench = Bench::new(&[("a.py", A), ("b.py", &format!("\n\n{B}"))]);
    bench.refresh();
    let done = import(&bench, &index());
    assert_eq!(done.documents, 1, "{done:?}");
    assert_eq!(done.refused[0].path, "b.py");
}

/// What a language server says about `x.go()`, with the content of both files that it saw.
fn answers(bench: &Bench) -> FileAnswers {
    let snapshot = bench.engine().snapshot().expect("a snapshot");
    let hash =
        |path: &str| snapshot.file(&path.into()).expect("readable").expect("indexed").hash.expect("text");
    let question = NameQuestion { at: 49, line: 4, column: 6, asks: AskedRelation::Definition };
    let place = ServicePlace { file: bench.root().join("b.py"), line: 1, character: 8, in_bytes: false };
    let answers = vec![NameAnswer { question, places: vec![place] }];
    FileAnswers { path: "a.py".into(), hash: hash("a.py"), status: ServiceStatus::Full, answers }
}

fn keep(bench: &Bench, answers: FileAnswers) -> KeptAnswers {
    let engine = bench.engine();
    let snapshot = engine.snapshot().expect("a snapshot");
    let answers = [ServerAnswers { server: "pyright 1.2".to_owned(), files: vec![answers] }];
    engine.keep_answers(&snapshot, &answers, LayerPublication::NextRefresh).expect("kept")
}

#[test]
fn only_what_is_not_proved_is_asked_and_answers_are_not_asked_again() {
    let bench = Bench::new(&[("a.py", A), ("b.py", B)]);
    bench.refresh();
    let asked = |again| {
        let snapshot = bench.engine().snapshot().expect("a snapshot");
        let languages = ["python".to_owned()].into();
        snapshot.compiler_questions(&languages, again, 1, &Cancel::default()).expect("it runs")
    };
    let [file] = &asked(false)[..] else { panic!("{:?}", asked(false)) };
    assert_eq!(file.questions, [answers(&bench).answers[0].question], "make() is proved, x.go() is not");
    keep(&bench, answers(&bench));
    bench.refresh();
    assert!(asked(false).is_empty(), "{:?}", asked(false));
    assert_eq!(asked(true).len(), 1, "unless it is asked again");
    bench.put("b.py", format!("{B}\n\ndef more():\n    pass\n"));
    bench.refresh();
    assert_eq!(asked(false).len(), 1, "the answer leads to another content");
}

#[test]
fn the_constructor_of_a_base_without_one_is_asked_about() {
    let text = "class A {}\nclass B extends A {\n  constructor() {\n    super();\n  }\n}\n";
    let bench = Bench::new(&[("a.ts", text)]);
    bench.refresh();
    let snapshot = bench.engine().snapshot().expect("a snapshot");
    let languages = ["typescript".to_owned()].into();
    let asked = snapshot.compiler_questions(&languages, false, 1, &Cancel::default()).expect("it runs");
    let question = asked[0].questions[0];
    assert_eq!((question.line, question.column), (3, 4), "{asked:?}");
    let place = ServicePlace { file: bench.root().join("a.ts"), line: 0, character: 6, in_bytes: false };
    let answers = vec![NameAnswer { question, places: vec![place] }];
    let (path, hash) = (asked[0].path.clone(), asked[0].hash);
    keep(&bench, FileAnswers { path, hash, status: ServiceStatus::Full, answers });
    bench.refresh();
    let dump = bench.dump();
    assert!(edges(&dump).iter().any(|line| line.contains("constructs") && line.contains("#A")), "{dump}");
}

#[test]
fn an_answer_holds_until_the_file_of_the_use_or_of_the_target_changes() {
    let bench = Bench::new(&[("a.py", A), ("b.py", B)]);
    bench.refresh();
    let before = bench.dump();
    let kept = keep(&bench, answers(&bench));
    assert_eq!((kept.inside, kept.external, kept.unknown), (1, 0, 0));
    bench.refresh();
    let with = bench.dump();
    assert!(edges(&with).iter().any(|line| line.contains("Engine.go")), "{with}");
    for path in ["a.py", "b.py"] {
        let text = if path == "a.py" { A } else { B };
        bench.put(path, format!("{text}\n\ndef more():\n    pass\n"));
        bench.refresh();
        assert!(edges(&bench.dump()).is_empty(), "an edit of {path}");
        bench.put(path, text);
        bench.refresh();
        assert_same(&bench.dump(), &with, "the same content as before");
    }
    assert!(bench.engine().drop_compiler_layer(LayerSource::Servers).expect("it is removed"));
    bench.refresh();
    assert_same(&bench.dump(), &before, "the graph before the answers");
}

#[test]
fn answers_can_become_visible_with_the_graph_that_is_resolved_with_them() {
    let bench = Bench::new(&[("a.py", A), ("b.py", B)]);
    bench.refresh();
    let (engine, before) = (bench.engine(), bench.dump());
    let said = [ServerAnswers { server: "pyright 1.2".to_owned(), files: vec![answers(&bench)] }];
    let publish = |cancel: &Cancel| {
        let snapshot = engine.snapshot().expect("a snapshot");
        engine.keep_answers(&snapshot, &said, LayerPublication::Resolved(cancel))
    };
    let cancelled = Cancel::default();
    cancelled.cancel();
    assert!(matches!(publish(&cancelled), Err(EngineError::Cancelled)));
    assert_same(&bench.dump(), &before, "stopped: nothing was published");
    let generation = engine.generation().expect("the graph is current");
    publish(&Cancel::default()).expect("published");
    assert_eq!(engine.generation(), Some(generation + 1), "current again, without a refresh");
    let with = bench.dump();
    assert!(edges(&with).iter().any(|line| line.contains("Engine.go")), "{with}");
    bench.refresh();
    assert_same(&bench.dump(), &with, "a refresh has nothing to do");
}

#[test]
fn answers_that_prove_nothing_leave_our_graph_as_it_is() {
    let bench = Bench::new(&[("a.py", A), ("b.py", B)]);
    bench.refresh();
    let edges_of = |dump: &str| {
        dump.lines().filter(|line| line.starts_with("edge")).map(str::to_owned).collect::<Vec<_>>()
    };
    let before = edges_of(&bench.dump());
    let mut several = answers(&bench);
    let other = ServicePlace { line: 5, ..several.answers[0].places[0].clone() };
    several.answers[0].places.push(other);
    assert_eq!(keep(&bench, several).unknown, 1, "one of two");
    let mut nowhere = answers(&bench);
    nowhere.answers[0].places[0].line = 700;
    assert_eq!(keep(&bench, nowhere).unknown, 1);
    let mut stale = answers(&bench);
    stale.hash = ContentHash::default();
    assert_eq!(keep(&bench, stale), KeptAnswers::default(), "about another content");
    bench.refresh();
    assert_eq!(edges_of(&bench.dump()), before);
    let mut outside = answers(&bench);
    outside.answers[0].places[0].file = "/usr/lib/site-packages/motor/core.py".into();
    assert_eq!(keep(&bench, outside).external, 1);
    bench.refresh();
    let dump = bench.dump();
    assert!(dump.lines().any(|line| line.starts_with("outside") && line.contains("motor")), "{dump}");
}

#[test]
fn of_runs_at_once_every_answer_survives() {
    const RUNS: u32 = 8;
    let text = format!("def run(x):\n{}", "    x.go()\n".repeat(RUNS as usize));
    let bench = Bench::new(&[("a.py", &text), ("b.py", B)]);
    bench.refresh();
    let snapshot = bench.engine().snapshot().expect("a snapshot");
    let hash = snapshot.file(&"a.py".into()).expect("readable").expect("indexed").hash.expect("text");
    let answer = |run: u32| {
        let question =
            NameQuestion { at: 12 + run * 11 + 6, line: 1 + run, column: 6, asks: AskedRelation::Definition };
        let place = ServicePlace { file: bench.root().join("b.py"), line: 1, character: 8, in_bytes: false };
        let answers = vec![NameAnswer { question, places: vec![place] }];
        FileAnswers { path: "a.py".into(), hash, status: ServiceStatus::Full, answers }
    };
    let start = Barrier::new(RUNS as usize);
    std::thread::scope(|scope| {
        for run in 0..RUNS {
            let (bench, start, answer) = (&bench, &start, &answer);
            scope.spawn(move || {
                start.wait();
                keep(bench, answer(run));
            });
        }
    });
    bench.refresh();
    let dump = bench.dump();
    let lines: Vec<&str> = edges(&dump).into_iter().filter(|line| line.contains("Engine.go")).collect();
    assert_eq!(lines.len(), RUNS as usize, "{dump}");
}

#[test]
fn indexes_are_found_in_the_usual_places_and_are_new_until_they_are_imported() {
    let bench =
        Bench::new(&[("a.py", A), ("b.py", B), ("web/app/x.py", "pass\n"), ("l1/l2/l3/l4/y.py", "pass\n")]);
    bench.refresh();
    let engine = bench.engine();
    let found = || {
        let snapshot = engine.snapshot().expect("a snapshot");
        let found = engine.find_scip_indexes(&snapshot).expect("it looks");
        found
            .into_iter()
            .map(|one| (one.path.display().into_owned(), one.state == ImportState::Imported))
            .collect::<Vec<_>>()
    };
    assert!(found().is_empty());
    bench.put("index.scip", index());
    bench.put("web/app/index.scip", index());
    bench.put("l1/l2/l3/l4/index.scip", "too deep");
    bench.put("build/index.scip", "a directory without indexed files");
    std::os::unix::fs::symlink("/etc/passwd", bench.root().join("web/index.scip")).expect("a link");
    assert_eq!(found(), [("index.scip".to_owned(), false), ("web/app/index.scip".to_owned(), false)]);
    let snapshot = engine.snapshot().expect("a snapshot");
    let written = [bench.root().join("index.scip")];
    engine.import_scip(&snapshot, &written, LayerPublication::NextRefresh).expect("it is well formed");
    assert_eq!(found(), [("index.scip".to_owned(), true), ("web/app/index.scip".to_owned(), false)]);
    bench.put("index.scip", [index(), index()].concat());
    assert!(!found()[0].1, "it was written again");
}

#[test]
fn implementations_that_a_server_knows_override_the_member() {
    let files = [
        (
            "a.py",
            "from abc import ABC, abstractmethod\n\nclass Opens(ABC):\n    @abstractmethod\n    def open(self): ...\n",
        ),
        ("b.py", "class Box:\n    def open(self): pass\n"),
    ];
    let bench = Bench::new(&files);
    bench.refresh();
    let snapshot = bench.engine().snapshot().expect("a snapshot");
    let hash = snapshot.file(&"a.py".into()).expect("readable").expect("indexed").hash.expect("text");
    let at = files[0].1.find("open(").expect("it is there") as u32;
    let question = NameQuestion { at, line: 4, column: 8, asks: AskedRelation::Implementations };
    let place = ServicePlace { file: bench.root().join("b.py"), line: 1, character: 8, in_bytes: true };
    let answers = vec![NameAnswer { question, places: vec![place] }];
    let kept = keep(&bench, FileAnswers { path: "a.py".into(), hash, status: ServiceStatus::Full, answers });
    assert_eq!(kept.implementations, 1);
    bench.refresh();
    let dump = bench.dump();
    assert!(
        edges(&dump).iter().any(|line| line.contains("overrides") && line.contains("Opens.open")),
        "{dump}"
    );
    bench.put("a.py", format!("{}\n", files[0].1));
    bench.refresh();
    assert!(edges(&bench.dump()).is_empty(), "the member's file changed");
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 50, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn incremental_equals_full_with_a_layer(steps in prop::collection::vec(0..8_usize, 1..8), from in 0..3_u8) {
        let bench = Bench::new(&[("a.py", A), ("b.py", B)]);
        let engine = bench.engine();
        refresh(&engine);
        if from != 0 {
            keep(&bench, answers(&bench));
        }
        if from != 1 {
            import(&bench, &index());
        }
        refresh(&engine);
        for step in steps {
            match step {
                0 => bench.put("a.py", A),
                1 => bench.put("a.py", format!("{A}    x.stop()\n")),
                2 => bench.put("b.py", B),
                3 => bench.put("b.py", B.replace("def go", "def went")),
                4 => bench.put("b.py", format!("def first():\n    pass\n\n{B}")),
                5 => bench.put("b.py", B.replace("class Engine", "class Motor")),
                6 => bench.put("b.py", B.replace("pass", "return 1")),
                _ => { let _ = std::fs::remove_file(bench.root().join("b.py")); }
            }
            refresh(&engine);
            let incremental = dump(&engine);
            let other = tempfile::tempdir().expect("a directory");
            let store = other.path().join("store");
            copy(&bench.store(), &store);
            assert_same(&incremental, &rebuilt(&crate::support::open(&bench.root(), &store, 1)), "a full build with the layer");
        }
    }
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).expect("a directory");
    for entry in std::fs::read_dir(from).expect("readable").flatten() {
        if entry.path().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a file");
        }
    }
}
