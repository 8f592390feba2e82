//! Lists the framework files of all packs, so that adding one changes no code, and hashes all pack files: every command needs
//! to know whether an index was built with the same packs, and must not parse all of them to find out.

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
    let (facts, rules) = fingerprints(&packs)?;
    let mut code = "const FILES: &[(&str, &str)] = &[\n".to_owned();
    for (pack, path) in &files {
        let _ = writeln!(code, "    ({pack:?}, include_str!({:?})),", path.display().to_string());
    }
    code.push_str("];\n");
    let [facts, rules] = [facts, rules].map(u64::to_le_bytes);
    let versions = format!(
        "const FACTS_FINGERPRINT: u64 = u64::from_le_bytes({facts:?});\n\
         const RULES_FINGERPRINT: u64 = u64::from_le_bytes({rules:?});\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("fingerprints.rs"), versions)?;
    fs::write(Path::new(&out).join("frameworks.rs"), code)
}

/// The hash of everything in the packs that facts depend on, and that of what only resolution depends on.
fn fingerprints(packs: &Path) -> io::Result<(u64, u64)> {
    let mut files = Vec::new();
    collect(packs, &mut files)?;
    files.sort();
    let (mut facts, mut rules) = (FNV_OFFSET, FNV_OFFSET);
    for file in files {
        let name = file.strip_prefix(packs).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&file)?;
        let text = text.replace("\r\n", "\n");
        // Neither `[resolve]` nor the sections after it affect facts.
        let split = match name.rsplit('/').next() {
            Some("pack.toml") => text.find("\n[resolve").unwrap_or(text.len()),
            _ if name.contains("/frameworks/") => 0,
            _ => text.len(),
        };
        let (for_facts, for_rules) = text.split_at(split);
        for (hash, part) in [(&mut facts, for_facts), (&mut rules, for_rules)] {
            for text in [&name, part, "\0"] {
                *hash = fnv1a(*hash, text.as_bytes());
            }
        }
    }
    Ok((facts, rules))
}

/// All files below a directory but the documents of test cases.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension != "md") {
            files.push(path);
        }
    }
    Ok(())
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: a hash that needs no dependency and never changes.
fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
