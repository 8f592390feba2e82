//! Lists the files of the sample application, so that `orient demo` can write it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("demo");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut code = String::new();
    for (name, directory) in [("FILES", "parcel"), ("PATCHES", "history")] {
        let directory = root.join(directory);
        let mut files = Vec::new();
        collect(&directory, &mut files)?;
        files.sort();
        let _ = writeln!(code, "const {name}: &[(&str, &str)] = &[");
        for file in files {
            let path = file.strip_prefix(&directory).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            let _ = writeln!(code, "    ({path:?}, include_str!({:?})),", file.display().to_string());
        }
        code.push_str("];\n");
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("demo.rs"), code)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
