//! Races: directories of a store are swapped for symbolic links while commands run. What was checked must be what is used.

use crate::attack;
use crate::sandbox::{CommandOutput, Sandbox, Store};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Number of commands that run while the directory is swapped.
const ROUNDS: usize = 12;

/// Stops the swapping when dropped, even if an assertion fails.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Swaps a directory of the store for a link to one outside, back and forth, while commands run.
fn swapped(choose: impl Fn(&Sandbox) -> PathBuf) {
    let sandbox = Sandbox::new(Store::Inside);
    let path = choose(&sandbox);
    let link = sandbox.root().join("swap");
    symlink(sandbox.victim_directory(), &link).expect("a link");
    let stop = AtomicBool::new(false);
    let swaps = std::thread::scope(|scope| {
        let ending = Stop(&stop);
        let swapping = scope.spawn(|| {
            let mut swaps = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                if renameat_with(CWD, &path, CWD, &link, RenameFlags::EXCHANGE).is_ok() {
                    swaps += 1;
                }
                std::thread::sleep(Duration::from_micros(swaps % 7 * 150));
            }
            swaps
        });
        for round in 0..ROUNDS {
            let name = format!("added_{round}");
            sandbox.write("new.py", &format!("def {name}(): pass\n"));
            let output = sandbox.run(&["symbols", &name]);
            answered_or_refused(&output);
            if round % 4 == 0 {
                answered_or_refused(&sandbox.run(&["index", "--rebuild"]));
            }
        }
        sandbox.agent();
        drop(ending);
        swapping.join().expect("it only renames")
    });
    assert!(swaps > 100, "it was swapped {swaps} times");
    sandbox.assert_unharmed();
}

/// Checks that a command that found the link answers from memory or reports the problem.
fn answered_or_refused(output: &CommandOutput) {
    let reasons = ["is a symbolic link, and links are not followed here", "was replaced while it was opened"];
    let told = reasons.iter().any(|reason| output.err.contains(reason));
    assert!(output.ok || told, "{output:?}");
}

attack!(tree_races, "the directory of the tree turns into a link and back: nothing is written behind it", {
    swapped(|sandbox| sandbox.directories().1);
});
attack!(repository_races, "the directory of the repository turns into a link and back: the same", {
    swapped(|sandbox| sandbox.directories().0);
});
attack!(store_races, "the store turns into a link and back: the same", swapped(Sandbox::store));
