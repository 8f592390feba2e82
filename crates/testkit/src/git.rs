//! Runs git for tests, independent of the machine's configuration.

use std::path::Path;
use std::process::Command;

/// Runs git in a directory without the machine's configuration; returns its output.
///
/// # Panics
/// If git is not installed or fails.
pub fn git(at: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@b", "-c", "gc.auto=0", "-c", "core.autocrlf=false"])
        .args(args)
        .current_dir(at)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
