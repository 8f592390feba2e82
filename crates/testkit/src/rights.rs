//! Commands for whom the modes of files count, whoever runs the tests.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// A program without the right to read whatever it likes: nothing is closed to the owner of the machine, unless that right
/// is laid down first.
///
/// # Panics
/// Where no temporary file can be made.
pub fn unprivileged(program: &str) -> Command {
    let probe = std::env::temp_dir().join(format!(
        "orient-rights-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    fs::write(&probe, "").expect("a temporary file");
    fs::set_permissions(&probe, Permissions::from_mode(0o000)).expect("its mode");
    let reads_all = File::open(&probe).is_ok();
    fs::remove_file(&probe).expect("it is ours");
    if !reads_all {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-dac_override,-dac_read_search", "--", program]);
    command
}
