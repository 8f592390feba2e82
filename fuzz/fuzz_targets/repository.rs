//! Any bytes in place of a file of a repository: git objects, packs, indexes, refs, ignore files. The first byte selects the file.
#![no_main]

#[path = "../../crates/history/tests/history/planted_bytes.rs"]
mod planted_bytes;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let root = std::env::temp_dir().join(format!("orient-fuzz-{}", std::process::id()));
    planted_bytes::ask_with(&root, bytes);
});
