//! Lists the framework files of all packs, so that adding one changes no code.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let packs = root.join("packs");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", packs.display());
    let mut files = Vec::new();
    for pack in fs::read_dir(&packs)?.flatten() {
        let directory = pack.path().join("frameworks");
        let name = pack.file_name().to_string_lossy().into_owned();
        for file in fs::read_dir(&directory).into_iter().flatten().flatten() {
            // The documents of cases are beside the files.
            if file.path().extension().is_some_and(|extension| extension != "md") {
                files.push((name.clone(), file.path()));
            }
        }
    }
    files.sort();
    let mut code = "const FILES: &[(&str, &str)] = &[\n".to_owned();
    for (pack, path) in &files {
        let _ = writeln!(code, "    ({pack:?}, include_str!({:?})),", path.display().to_string());
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(Path::new(&out).join("frameworks.rs"), code)
}
