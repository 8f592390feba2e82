//! Folders of a store that turn into links and back while commands run: whatever was checked is what is used.

use crate::attack;
use crate::sandbox::{Field, Said, Store};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often commands run while the folder is swapped.
const ROUNDS: usize = 12;

/// Ends the swapping when it is dropped, also where an assertion fails.
struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Swaps a folder of the store for a link to one outside, back and forth, for as long as commands run.
fn swapped(choose: impl Fn(&Field) -> PathBuf) {
    let field = Field::new(Store::Inside);
    let path = choose(&field);
    let link = field.root().join("swap");
    symlink(field.victim_folder(), &link).expect("a link");
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
            field.write("new.py", &format!("def {name}(): pass\n"));
            let said = field.run(&["symbols", &name]);
            answered_or_refused(&said);
            if round % 4 == 0 {
                answered_or_refused(&field.run(&["index", "--rebuild"]));
            }
        }
        field.agent();
        drop(ending);
        swapping.join().expect("it only renames")
    });
    assert!(swaps > 100, "it was swapped {swaps} times");
    field.assert_unharmed();
}

/// A command that met the link answers from memory, or says what is in its way.
fn answered_or_refused(said: &Said) {
    let reasons = ["is a symbolic link, and links are not followed here", "was replaced while it was opened"];
    let told = reasons.iter().any(|reason| said.err.contains(reason));
    assert!(said.ok || told, "{said:?}");
}

attack!(tree_races, "the folder of the tree turns into a link and back: nothing is written behind it", {
    swapped(|field| field.folders().1);
});
attack!(repository_races, "the folder of the repository turns into a link and back: the same", {
    swapped(|field| field.folders().0);
});
attack!(store_races, "the store turns into a link and back: the same", swapped(Field::store));
