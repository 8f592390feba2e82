//! The version that a program prints.

use crate::EnrichError;
use crate::child_process::{ChildGroup, Pipes};
use crate::environment::inherited;
use crate::message::plain_line;
use crate::program::Program;
use crate::server_table::Server;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

/// How long a program may take to print its version.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum length of what it prints.
const MAX_OUTPUT: u64 = 4096;

/// Runs a program to learn its version, outside the repository; empty if it prints none. Only call it once the user has allowed the program.
pub fn version_of(
    server: &Server,
    program: &Program,
    root: &Path,
    directory: &Path,
) -> Result<String, EnrichError> {
    if server.version.is_empty() {
        return Ok(String::new());
    }
    let mut command = Command::new(&program.path);
    command.args(&server.version).current_dir(directory).env_clear();
    command.envs(inherited(root, &|name| std::env::var_os(name))).envs(&server.environment);
    let (group, pipes) = ChildGroup::start(&mut command)
        .map_err(|source| EnrichError::Start { program: program.path.display().to_string(), source })?;
    let Pipes { stdin, stdout, .. } = pipes;
    drop(stdin);
    let (send, receive) = mpsc::channel();
    let read = move || {
        let mut text = Vec::new();
        let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut text);
        let _ = send.send(String::from_utf8_lossy(&text).into_owned());
    };
    std::thread::spawn(read);
    let text = receive.recv_timeout(TIMEOUT).unwrap_or_default();
    drop(group);
    let numbered = text.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()));
    Ok(plain_line(numbered.unwrap_or(&text)))
}
