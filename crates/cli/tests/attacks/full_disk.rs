//! A disk without room: every question is answered, from the index that is there or from memory, and the reason is said.

use crate::attack;
use crate::sandbox::{Field, Said, Store};
use std::path::Path;
use std::process::Command;

/// Files may not grow at all: a full disk that every machine can have. Writing then fails, where else it would end the
/// process.
const NO_GROWTH: &str = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
const NO_GROWTH_SAID: &str = "this process may not write files that large";

/// Files may grow to a few kilobytes: locks can be written, an index cannot.
const LITTLE_GROWTH: &str = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";

const FULL_SAID: &str = "no space is left on its disk";

/// A command answers, with the reason why nothing is kept.
fn answers(said: &Said, expected: &str, reason: &str) {
    assert!(said.ok && said.out.contains(expected), "{said:?}");
    assert!(said.err.contains("the store cannot be written") && said.err.contains(reason), "{said:?}");
}

/// An agent is answered, with the reason.
fn agent_answers(said: &Said, reason: &str) {
    assert!(said.ok && said.out.contains("def total"), "{said:?}");
    assert!(said.out.contains("the store cannot be written") && said.out.contains(reason), "{said:?}");
}

/// Runs lines of shell with a disk of some size as the store, `fill` filling it up; nothing where that is not permitted.
fn on_a_small_disk(field: &Field, size: &str, lines: &str) -> Option<Said> {
    let store = field.store().display().to_string();
    let mount = format!("mkdir -p '{store}' && mount -t tmpfs -o size={size} tmpfs '{store}'");
    let ways = [&["-m"][..], &["-Urm"]];
    let permitted = |flags: &&&[&str]| {
        let tried = Command::new("unshare").args(**flags).args(["sh", "-c", &mount]).output();
        tried.is_ok_and(|output| output.status.success())
    };
    let Some(flags) = ways.iter().find(permitted) else {
        eprintln!("skipped: mounting a small disk is not permitted here");
        return None;
    };
    let fill = format!("fill() {{ cat /dev/zero > '{store}/fill' 2>/dev/null; true; }}");
    let flags = flags.join(" ");
    let script = format!("{mount}; {fill}; {lines}");
    let quoted = script.replace('\'', "'\\''");
    Some(field.run_in(&format!("exec unshare {flags} sh -c '{quoted}' sh \"$@\""), &[]))
}

attack!(first_index, "no room for the first index: answered from memory", {
    let field = Field::new(Store::Apart);
    for shell in [NO_GROWTH, LITTLE_GROWTH] {
        answers(&field.run_in(shell, &["symbols", "total"]), "def total", NO_GROWTH_SAID);
        assert!(field.run_in(shell, &["index"]).ok);
    }
});
attack!(existing_index, "no room, and nothing has changed: answered from the index, with nothing to say", {
    let field = Field::new(Store::Apart);
    assert!(field.run(&["index"]).ok && field.run(&["symbols", "total"]).ok);
    let said = field.run_in(NO_GROWTH, &["symbols", "total"]);
    assert!(said.ok && said.out.contains("def total"), "{said:?}");
    assert!(!said.err.contains("memory"), "{said:?}");
});
attack!(same_content, "no room, and a file was written again with the same content: nothing to say", {
    let field = Field::new(Store::Apart);
    assert!(field.run(&["index"]).ok);
    let text = std::fs::read_to_string(field.root().join("cart.py")).expect("it is there");
    field.write("cart.py", &text);
    let said = field.run_in(NO_GROWTH, &["symbols", "total"]);
    assert!(said.ok && said.out.contains("def total"), "{said:?}");
    assert!(!said.err.contains("memory"), "{said:?}");
});
attack!(update, "no room for a change: it shows in the answer, and is there once there is room", {
    let field = Field::new(Store::Apart);
    assert!(field.run(&["index"]).ok);
    for shell in [NO_GROWTH, LITTLE_GROWTH] {
        field.write("new.py", "def added(): pass\n");
        answers(&field.run_in(shell, &["symbols", "added"]), "def added", NO_GROWTH_SAID);
    }
    let said = field.run(&["symbols", "added"]);
    assert!(said.ok && said.out.contains("def added") && !said.err.contains("memory"), "{said:?}");
});
attack!(agents_first_call, "no room at an agent's first call: answered from memory, with the reason", {
    let field = Field::new(Store::Apart);
    agent_answers(&field.agent_in(NO_GROWTH), NO_GROWTH_SAID);
    agent_answers(&field.agent_in(LITTLE_GROWTH), NO_GROWTH_SAID);
});
attack!(
    agents_call_after_a_change,
    "no room for a change before an agent's call: it is answered, with the reason",
    {
        let field = Field::new(Store::Apart);
        assert!(field.run(&["index"]).ok);
        field.write("new.py", "def total_of_all(): pass\n");
        agent_answers(&field.agent_in(NO_GROWTH), NO_GROWTH_SAID);
    }
);
attack!(doctor_tries, "`doctor` without room: it writes a file to find out, and says why it cannot", {
    let field = Field::new(Store::Apart);
    let said = field.run(&["doctor"]);
    assert!(said.out.contains("can be written, ") && said.out.contains(" free on its disk"), "{said:?}");
    for indexed in [false, true] {
        if indexed {
            assert!(field.run(&["index"]).ok);
        }
        let said = field.run_in(NO_GROWTH, &["doctor"]);
        assert!(said.out.contains("cannot be written") && said.out.contains(NO_GROWTH_SAID), "{said:?}");
    }
});
attack!(disk_fills_up, "a disk that fills up, with an index on it and without: answered, with the reason", {
    let field = Field::new(Store::Apart);
    let lines = "fill; \"$@\" symbols total; rm \"$ORIENT_STORE/fill\"; \"$@\" index >/dev/null; fill; \
                 echo 'def added(): pass' > new.py; \"$@\" symbols added; \"$@\" doctor --quick; \
                 rm \"$ORIENT_STORE/fill\"; \"$@\" symbols added 2>&1 | sed 's/^/room: /'";
    let Some(said) = on_a_small_disk(&field, "16m", lines) else { return };
    assert!(said.out.contains("def total") && said.out.contains("def added"), "{said:?}");
    assert_eq!(said.err.matches(FULL_SAID).count(), 2, "{said:?}");
    assert!(said.out.contains(&format!("cannot be written ({FULL_SAID}")), "{said:?}");
    assert!(said.out.contains("room: new.py") && !said.out.contains("room: note"), "{said:?}");
});
attack!(
    index_does_not_fit,
    "a disk that is too small for the index: answered from memory, nothing is left there",
    {
        let field = Field::new(Store::Apart);
        let parts: Vec<String> =
            (0..3000).map(|n| format!("def part_{n}(x):\n    return x + {n}\n\n\n")).collect();
        let text = parts.concat();
        field.write("large.py", &text);
        let lines = "\"$@\" symbols part_2999; ls -R \"$ORIENT_STORE\"";
        let Some(said) = on_a_small_disk(&field, "512k", lines) else { return };
        assert!(said.out.contains("def part_2999") && said.err.contains(FULL_SAID), "{said:?}");
        assert!(!said.out.contains(".new-"), "{said:?}");
    }
);
attack!(read_only, "a store that became read-only: answered, with the reason", {
    let field = Field::new(Store::Apart);
    let lines = "\"$@\" index >/dev/null; mount -o remount,ro \"$ORIENT_STORE\"; \"$@\" symbols total; \
                 echo 'def added(): pass' > new.py; \"$@\" symbols added; \"$@\" doctor --quick";
    let Some(said) = on_a_small_disk(&field, "16m", lines) else { return };
    assert!(said.out.contains("def total") && said.out.contains("def added"), "{said:?}");
    assert!(said.err.contains("its file system is read-only"), "{said:?}");
    assert!(said.out.contains("cannot be written (its file system is read-only"), "{said:?}");
});

/// A folder that only another user may write to, for one who is not the superuser.
#[test]
fn a_store_without_permission_is_said_to_be() {
    let field = Field::new(Store::Apart);
    std::fs::create_dir(field.store()).expect("made");
    let lock = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(field.store(), mode).expect("it is ours");
    };
    lock(0o500);
    let may = std::fs::write(field.store().join("probe"), "").is_ok();
    let reduced = if may && Path::new("/usr/bin/setpriv").exists() {
        "exec setpriv --bounding-set=-dac_override,-dac_read_search -- \"$@\""
    } else {
        "exec \"$@\""
    };
    let _ = std::fs::remove_file(field.store().join("probe"));
    let said = field.run_in(reduced, &["symbols", "total"]);
    lock(0o700);
    answers(&said, "def total", "permission denied");
}
