//! Compiles the parsers of the enabled languages, and compresses their parse tables separately.
//!
//! Cargo locks and downloads the packages of the grammars but does not build them: compiled as they are, their tables would
//! be two thirds of the program. A grammar is built again only if its source or the compiler changes.
#![expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]

mod compile;
mod grammars;
mod packages;
mod parse_tables;

use compile::{Built, Compiler};
use grammars::{GRAMMARS, Grammar};
use packages::Packages;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error={}", error.replace('\n', " "));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("Cargo.toml");
    let out = PathBuf::from(variable("OUT_DIR")?);
    let packages = Packages::locked(&manifest)?;
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={}", packages.lock.display());
    let enabled = |grammar: &&Grammar| {
        std::env::var_os(format!("CARGO_FEATURE_{}", grammar.feature.to_uppercase())).is_some()
    };
    let mut works = Vec::new();
    for grammar in GRAMMARS.iter().filter(enabled) {
        let directory = packages.directory(grammar.package)?.join(grammar.directory);
        println!("cargo::rerun-if-changed={}", directory.display());
        works.push((grammar, directory));
    }
    let compiler = Compiler::new(&out)?;
    let built = build_all(&compiler, &works)?;
    compiler.archive(&built)?;
    write(&out.join("grammars.rs"), table(&works, &built).as_bytes())
}

/// Builds all grammars on as many threads as cargo grants; returns them in the order of the list.
fn build_all(compiler: &Compiler, works: &[(&Grammar, PathBuf)]) -> Result<Vec<Built>, String> {
    let threads = variable("NUM_JOBS")?.parse().unwrap_or(1);
    // The largest grammars first, so that all threads finish at about the same time.
    let size = |at: &usize| works[*at].1.join("parser.c").metadata().map_or(0, |it| it.len());
    let mut order: Vec<usize> = (0..works.len()).collect();
    order.sort_by_key(size);
    let queue = Mutex::new(order);
    let built: Mutex<Vec<(usize, Result<Built, String>)>> = Mutex::default();
    let next = || queue.lock().ok()?.pop();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(at) = next() {
                    let (grammar, directory) = &works[at];
                    let result = compiler
                        .build(grammar, directory)
                        .map_err(|error| format!("the grammar {}: {error}", grammar.name));
                    if let Ok(mut built) = built.lock() {
                        built.push((at, result));
                    }
                }
            });
        }
    });
    let mut built = built.into_inner().map_err(|_| "a thread ended early")?;
    built.sort_by_key(|(at, _)| *at);
    built.into_iter().map(|(_, result)| result).collect()
}

/// The Rust source that `src/load.rs` includes: the functions of the parsers, and a row for each grammar.
fn table(works: &[(&Grammar, PathBuf)], built: &[Built]) -> String {
    let mut functions = String::new();
    let mut rows = String::new();
    let mut names = String::new();
    for ((grammar, _), built) in works.iter().zip(built) {
        let Grammar { name, package, directory, .. } = grammar;
        let Built { language, taker, unpacked, objects } = built;
        let size: u64 = objects.iter().filter_map(|object| object.metadata().ok()).map(|it| it.len()).sum();
        let (unpacked, size) = (literal(*unpacked as u64), literal(size));
        let packed = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}/tables\"))");
        // Writing to a `String` does not fail.
        let _ = writeln!(functions, "    fn {language}() -> *const TSLanguage;");
        let _ = writeln!(functions, "    fn {taker}(tables: *const u8);");
        let _ = writeln!(names, "    {name:?},");
        let _ = writeln!(
            rows,
            "    Grammar {{\n        origin: Origin {{ name: {name:?}, package: {package:?}, directory: {directory:?}, \
             unpacked: {unpacked}, objects: {size} }},\n        language: {language},\n        take: {taker},\n        \
             packed: {packed},\n        tables: OnceLock::new(),\n    }},"
        );
    }
    format!(
        "unsafe extern \"C\" {{\n{functions}}}\n\nstatic GRAMMARS: [Grammar; {}] = [\n{rows}];\n\n\
         static NAMES: &[&str] = &[\n{names}];\n",
        built.len()
    )
}

/// A number as Rust source, with thousands separators.
fn literal(number: u64) -> String {
    if number < 1000 {
        number.to_string()
    } else {
        format!("{}_{:03}", literal(number / 1000), number % 1000)
    }
}

/// A variable that cargo sets for every build script.
fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|error| format!("{name}: {error}"))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
