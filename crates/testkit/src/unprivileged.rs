//! Commands that respect file permissions even if root runs the tests.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// A command for a program that file permissions apply to. If the tests run as root, it drops the capabilities that bypass
/// them.
///
/// # Panics
/// If no temporary file can be created.
pub fn unprivileged(program: &str) -> Command {
    let probe = std::env::temp_dir().join(format!(
        "orient-permissions-{}-{:?}",
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
