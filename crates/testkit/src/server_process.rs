//! Starts a server and waits until it listens.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// Starts a server that says `serving on http://ADDRESS/mcp`, or the same with `https`. Returns its process and the address.
///
/// # Panics
///
/// If the server does not start or says something else.
pub fn start_server(command: &mut Command) -> (Child, String) {
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the server starts");
    let mut said = String::new();
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped"));
    lines.read_line(&mut said).expect("it says where it is");
    let address = said.trim().strip_prefix("serving on ").and_then(|rest| rest.strip_suffix("/mcp"));
    let address = address.and_then(|address| address.split_once("://")).map(|(_, address)| address);
    let address = address.unwrap_or_else(|| panic!("no address: {said}")).to_owned();
    // Drain the pipe so that it does not fill up.
    std::thread::spawn(move || lines.read_to_string(&mut String::new()));
    (child, address)
}
