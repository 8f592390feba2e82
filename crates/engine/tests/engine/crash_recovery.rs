//! Crash recovery: a process that is killed at any moment of indexing leaves an index that opens and can be
//! refreshed.

use crate::support::{Bench, dump, fresh, open, refresh};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const ROOT: &str = "ORIENT_ENGINE_TEST_ROOT";
const STORE: &str = "ORIENT_ENGINE_TEST_STORE";
const ROUNDS: u64 = 12;

/// Enough files for indexing to take a while.
fn fill(bench: &Bench, round: u64) {
    for n in 0..60 {
        let mut text = format!("# round {}\n", round * u64::from(n % 3 == 0));
        for f in 0..20 {
            let _ = writeln!(text, "def f{f}_{n}(a, b):\n    return a + b + {f}\n");
        }
        bench.put(&format!("src/m{}/f{n}.py", n % 7), text);
    }
    let _ = fs::remove_file(bench.root().join(format!("src/m{}/f{}.py", round % 7, round % 7)));
}

fn child(bench: &Bench) -> Child {
    Command::new(std::env::current_exe().expect("the test binary"))
        .args(["crash_recovery::a_killed_process_leaves_a_valid_index", "--exact", "--nocapture"])
        .env(ROOT, bench.root())
        .env(STORE, bench.store())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

#[test]
fn a_killed_process_leaves_a_valid_index() {
    if let (Some(root), Some(store)) = (std::env::var_os(ROOT), std::env::var_os(STORE)) {
        refresh(&open(Path::new(&root), Path::new(&store), 2));
        return;
    }
    let bench = Bench::new(&[]);
    let mut killed = 0;
    for round in 0..ROUNDS {
        fill(&bench, round);
        if round % 6 == 5 {
            let _ = fs::remove_file(bench.engine().store_paths().index());
        }
        let mut indexing = child(&bench);
        std::thread::sleep(Duration::from_millis(3 + round * 11 % 90));
        killed += u64::from(indexing.try_wait().expect("its state").is_none());
        let _ = indexing.kill();
        let _ = indexing.wait();
        if let Ok(snapshot) = bench.engine().snapshot() {
            assert_eq!(snapshot.check().expect("it can be checked"), Vec::<String>::new(), "round {round}");
        }
        let done = refresh(&bench.engine());
        assert!(
            !matches!(done.rebuilt, Some(orient_engine::RebuildReason::Damaged(_))),
            "round {round}: {done:?}"
        );
        assert_eq!(dump(&bench.engine()), fresh(&bench.root(), 2), "round {round}");
    }
    assert!(killed > 0, "every child was done before it was killed");
}
