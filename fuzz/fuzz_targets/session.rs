//! Any bytes as a session of the protocol: the server ends with its input, and not by a signal. `ORIENT_PROGRAM` is the program to test.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Write;
use std::process::{Command, Stdio};

fuzz_target!(|bytes: &[u8]| {
    let program = std::env::var_os("ORIENT_PROGRAM").expect("ORIENT_PROGRAM names the program");
    let directory = std::env::temp_dir().join(format!("orient-fuzz-session-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("made");
    let mut server = Command::new(program)
        .args(["mcp", "--root"])
        .arg(&directory)
        .env("ORIENT_STORE", directory.join("store"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    // It may end before it has read everything.
    let _ = server.stdin.take().expect("a pipe").write_all(bytes);
    let status = server.wait().expect("it ends");
    assert!(status.code().is_some_and(|code| code < 100), "{status}");
});
