//! A full disk: every query is answered from the existing index or from memory, and the answer says why nothing is stored.

use crate::attack;
use crate::sandbox::{CommandOutput, Sandbox, Store};
use std::path::Path;
use std::process::Command;

/// Simulates a full disk on any machine: files must not grow. Ignoring the signal makes writes fail instead of killing the
/// process.
const NO_GROWTH: &str = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
const NO_GROWTH_SAID: &str = "this process may not write files that large";

/// Files may grow to a few kilobytes: enough for locks, not for an index.
const LITTLE_GROWTH: &str = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";

const FULL_SAID: &str = "no space is left on its disk";

/// Checks that a command answers, and says why nothing is stored.
fn answers(output: &CommandOutput, expected: &str, reason: &str) {
    assert!(output.ok && output.out.contains(expected), "{output:?}");
    assert!(output.err.contains("the store cannot be written") && output.err.contains(reason), "{output:?}");
}

/// Checks that a tool call is answered, with the reason.
fn agent_answers(output: &CommandOutput, reason: &str) {
    assert!(output.ok && output.out.contains("def total"), "{output:?}");
    assert!(output.out.contains("the store cannot be written") && output.out.contains(reason), "{output:?}");
}

/// Runs shell lines with a small disk as the store; `fill` fills it up. Returns none if mounting is not permitted.
fn on_a_small_disk(sandbox: &Sandbox, size: &str, lines: &str) -> Option<CommandOutput> {
    let store = sandbox.store().display().to_string();
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
    Some(sandbox.run_in(&format!("exec unshare {flags} sh -c '{quoted}' sh \"$@\""), &[]))
}

attack!(first_index, "no room for the first index: answered from memory", {
    let sandbox = Sandbox::new(Store::Apart);
    for shell in [NO_GROWTH, LITTLE_GROWTH] {
        answers(&sandbox.run_in(shell, &["symbols", "total"]), "def total", NO_GROWTH_SAID);
        assert!(sandbox.run_in(shell, &["index"]).ok);
    }
});
attack!(existing_index, "no room, and nothing has changed: answered from the index, with nothing to say", {
    let sandbox = Sandbox::new(Store::Apart);
    assert!(sandbox.run(&["index"]).ok && sandbox.run(&["symbols", "total"]).ok);
    let output = sandbox.run_in(NO_GROWTH, &["symbols", "total"]);
    assert!(output.ok && output.out.contains("def total"), "{output:?}");
    assert!(!output.err.contains("memory"), "{output:?}");
});
attack!(same_content, "no room, and a file was written again with the same content: nothing to say", {
    let sandbox = Sandbox::new(Store::Apart);
    assert!(sandbox.run(&["index"]).ok);
    let text = std::fs::read_to_string(sandbox.root().join("cart.py")).expect("it is there");
    sandbox.write("cart.py", &text);
    let output = sandbox.run_in(NO_GROWTH, &["symbols", "total"]);
    assert!(output.ok && output.out.contains("def total"), "{output:?}");
    assert!(!output.err.contains("memory"), "{output:?}");
});
attack!(update, "no room for a change: it shows in the answer, and is there once there is room", {
    let sandbox = Sandbox::new(Store::Apart);
    assert!(sandbox.run(&["index"]).ok);
    for shell in [NO_GROWTH, LITTLE_GROWTH] {
        sandbox.write("new.py", "def added(): pass\n");
        answers(&sandbox.run_in(shell, &["symbols", "added"]), "def added", NO_GROWTH_SAID);
    }
    let output = sandbox.run(&["symbols", "added"]);
    assert!(output.ok && output.out.contains("def added") && !output.err.contains("memory"), "{output:?}");
});
attack!(agents_first_call, "no room at an agent's first call: answered from memory, with the reason", {
    let sandbox = Sandbox::new(Store::Apart);
    agent_answers(&sandbox.agent_in(NO_GROWTH), NO_GROWTH_SAID);
    agent_answers(&sandbox.agent_in(LITTLE_GROWTH), NO_GROWTH_SAID);
});
attack!(
    agents_call_after_a_change,
    "no room for a change before an agent's call: it is answered, with the reason",
    {
        let sandbox = Sandbox::new(Store::Apart);
        assert!(sandbox.run(&["index"]).ok);
        sandbox.write("new.py", "def total_of_all(): pass\n");
        agent_answers(&sandbox.agent_in(NO_GROWTH), NO_GROWTH_SAID);
    }
);
attack!(doctor_tries, "`doctor` without room: it writes a file to find out, and says why it cannot", {
    let sandbox = Sandbox::new(Store::Apart);
    let output = sandbox.run(&["doctor"]);
    assert!(output.out.contains("is writable, ") && output.out.contains(" free on its disk"), "{output:?}");
    for indexed in [false, true] {
        if indexed {
            assert!(sandbox.run(&["index"]).ok);
        }
        let output = sandbox.run_in(NO_GROWTH, &["doctor"]);
        assert!(output.out.contains("is not writable") && output.out.contains(NO_GROWTH_SAID), "{output:?}");
    }
});
attack!(disk_fills_up, "a disk that fills up, with an index on it and without: answered, with the reason", {
    let sandbox = Sandbox::new(Store::Apart);
    let lines = "fill; \"$@\" symbols total; rm \"$ORIENT_STORE/fill\"; \"$@\" index >/dev/null; fill; \
                 echo 'def added(): pass' > new.py; \"$@\" symbols added; \"$@\" doctor --quick; \
                 rm \"$ORIENT_STORE/fill\"; \"$@\" symbols added 2>&1 | sed 's/^/room: /'";
    let Some(output) = on_a_small_disk(&sandbox, "16m", lines) else { return };
    assert!(output.out.contains("def total") && output.out.contains("def added"), "{output:?}");
    assert_eq!(output.err.matches(FULL_SAID).count(), 2, "{output:?}");
    assert!(output.out.contains(&format!("is not writable ({FULL_SAID}")), "{output:?}");
    assert!(output.out.contains("room: new.py") && !output.out.contains("room: note"), "{output:?}");
});
attack!(
    index_does_not_fit,
    "a disk that is too small for the index: answered from memory, nothing is left there",
    {
        let sandbox = Sandbox::new(Store::Apart);
        let parts: Vec<String> =
            (0..3000).map(|n| format!("def part_{n}(x):\n    return x + {n}\n\n\n")).collect();
        let text = parts.concat();
        sandbox.write("large.py", &text);
        let lines = "\"$@\" symbols part_2999; ls -R \"$ORIENT_STORE\"";
        let Some(output) = on_a_small_disk(&sandbox, "512k", lines) else { return };
        assert!(output.out.contains("def part_2999") && output.err.contains(FULL_SAID), "{output:?}");
        assert!(!output.out.contains(".new-"), "{output:?}");
    }
);
attack!(read_only, "a store that became read-only: answered, with the reason", {
    let sandbox = Sandbox::new(Store::Apart);
    let lines = "\"$@\" index >/dev/null; mount -o remount,ro \"$ORIENT_STORE\"; \"$@\" symbols total; \
                 echo 'def added(): pass' > new.py; \"$@\" symbols added; \"$@\" doctor --quick";
    let Some(output) = on_a_small_disk(&sandbox, "16m", lines) else { return };
    assert!(output.out.contains("def total") && output.out.contains("def added"), "{output:?}");
    assert!(output.err.contains("its file system is read-only"), "{output:?}");
    assert!(output.out.contains("is not writable (its file system is read-only"), "{output:?}");
});

/// A directory that only another user may write to; runs without root privileges.
#[test]
fn a_store_without_write_permission_is_reported() {
    let sandbox = Sandbox::new(Store::Apart);
    std::fs::create_dir(sandbox.store()).expect("made");
    let lock = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(sandbox.store(), mode).expect("it is ours");
    };
    lock(0o500);
    let may = std::fs::write(sandbox.store().join("probe"), "").is_ok();
    let reduced = if may && Path::new("/usr/bin/setpriv").exists() {
        "exec setpriv --bounding-set=-dac_override,-dac_read_search -- \"$@\""
    } else {
        "exec \"$@\""
    };
    let _ = std::fs::remove_file(sandbox.store().join("probe"));
    let output = sandbox.run_in(reduced, &["symbols", "total"]);
    lock(0o700);
    answers(&output, "def total", "permission denied");
}
