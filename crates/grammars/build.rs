//! Compiles the external scanners of the enabled grammars, and lists the grammars for the crate.

#[expect(unreachable_pub, reason = "the crate exports the list")]
#[path = "src/list.rs"]
mod list;

use list::{GRAMMARS, Grammar};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The functions of an external scanner, in the order in which the runtime lists them.
const FUNCTIONS: [(&str, &str); 5] = [
    ("create", "() -> *mut c_void"),
    ("destroy", "(scanner: *mut c_void)"),
    ("scan", "(scanner: *mut c_void, lexer: *mut TSLexer, valid: *const bool) -> bool"),
    ("serialize", "(scanner: *mut c_void, buffer: *mut c_char) -> c_uint"),
    ("deserialize", "(scanner: *mut c_void, buffer: *const c_char, length: c_uint)"),
];

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
    let home = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(variable("OUT_DIR")?);
    for watched in ["build.rs", "src/list.rs", "packed", "scanners"] {
        println!("cargo::rerun-if-changed={watched}");
    }
    let (mut functions, mut rows, mut count) = (String::new(), String::new(), 0);
    let mut objects = Vec::new();
    for grammar in GRAMMARS.iter().filter(|grammar| is_enabled(grammar)) {
        let packed = home.join("packed").join(format!("{}.zst", grammar.name));
        if !packed.exists() {
            println!("cargo::warning={} is not packed: `cargo xtask grammars` does it", grammar.name);
            continue;
        }
        let mut scanner = "Scanner::NONE".to_owned();
        if let Some(symbols) = grammar.scanner {
            objects.extend(compile(
                grammar,
                &home.join("scanners").join(grammar.package).join(grammar.directory),
                &out,
            )?);
            let names = FUNCTIONS.map(|(name, _)| format!("{name}: Some({symbols}_external_scanner_{name})"));
            scanner = format!("Scanner {{ {} }}", names.join(", "));
            for (name, signature) in FUNCTIONS {
                // Writing to a `String` does not fail.
                let _ = writeln!(functions, "    fn {symbols}_external_scanner_{name}{signature};");
            }
        }
        let packed = packed.display().to_string();
        let _ = writeln!(
            rows,
            "    Compiled {{\n        grammar: {grammar:?},\n        packed: include_bytes!({packed:?}),\n        \
             scanner: {scanner},\n        lex: lex::<{count}>,\n        lex_keywords: lex_keywords::<{count}>,\n        \
             loaded: OnceLock::new(),\n    }},"
        );
        count += 1;
    }
    if !objects.is_empty() {
        let mut library = cc::Build::new();
        library.objects(objects).try_compile("orient-scanners").map_err(|error| error.to_string())?;
    }
    let table = format!(
        "unsafe extern \"C\" {{\n{functions}}}\n\nstatic COMPILED: [Compiled; {count}] = [\n{rows}];\n"
    );
    let path = out.join("compiled.rs");
    std::fs::write(&path, table).map_err(|error| format!("{}: {error}", path.display()))
}

fn is_enabled(grammar: &Grammar) -> bool {
    std::env::var_os(format!("CARGO_FEATURE_{}", grammar.feature.to_uppercase())).is_some()
}

/// Compiles a scanner. Returns its object file.
fn compile(grammar: &Grammar, directory: &Path, out: &Path) -> Result<Vec<PathBuf>, String> {
    let mut build = cc::Build::new();
    build.cargo_metadata(false).warnings(false).out_dir(out.join(grammar.name));
    build.include(directory).file(directory.join("scanner.c"));
    if grammar.is_iso {
        build.std("c11");
    }
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|it| it == "msvc") {
        build.flag("-utf-8");
    }
    build.try_compile_intermediates().map_err(|error| format!("the scanner of {}: {error}", grammar.name))
}

/// A variable that cargo sets for every build script.
fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|error| format!("{name}: {error}"))
}
