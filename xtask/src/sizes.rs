//! `xtask sizes`: what each grammar adds to the binary, and whether its compressed tables match its C source.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::bench::Scratch;
use crate::report::{self, Findings};
use crate::workspace;
use anyhow::{Context, Result};
use clap::Args;
use orient_grammars::Origin;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The compressed tables, in order.
const TABLES: [&str; 3] = ["ts_small_parse_table_map", "ts_parse_table", "ts_small_parse_table"];

/// Options of `xtask sizes`.
#[derive(Args)]
pub(crate) struct Sizes {
    /// Compiles the original parsers instead, and fails if a table differs
    #[arg(long)]
    check: bool,
    /// Only this grammar
    #[arg(long, value_name = "GRAMMAR")]
    only: Option<String>,
}

pub(crate) fn run(options: &Sizes) -> Result<()> {
    let is_asked = |origin: &Origin| options.only.as_deref().is_none_or(|only| only == origin.name);
    let origins: Vec<Origin> = orient_grammars::origins().filter(is_asked).collect();
    anyhow::ensure!(!origins.is_empty(), "no grammar of that name");
    if options.check { check(&origins) } else { print(origins) }
}

/// Checks the tables of all grammars.
pub(crate) fn check_all() -> Result<()> {
    check(&orient_grammars::origins().collect::<Vec<_>>())
}

/// Prints a row per grammar, the largest first.
fn print(mut origins: Vec<Origin>) -> Result<()> {
    origins.sort_by_key(|origin| (std::cmp::Reverse(origin.unpacked), origin.name));
    let mut rows = Vec::new();
    let mut sum = (0, 0, 0, Duration::ZERO);
    for origin in &origins {
        let packed = orient_grammars::packed_tables(origin.name).context("a grammar has tables")?.len();
        let start = Instant::now();
        orient_grammars::grammar(origin.name).context("a grammar that is listed is there")?;
        let time = start.elapsed();
        rows.push(row(origin.name, origin.unpacked, packed, origin.objects, time));
        sum = (sum.0 + origin.unpacked, sum.1 + packed, sum.2 + origin.objects, sum.3 + time);
    }
    rows.push(row("all", sum.0, sum.1, sum.2, sum.3));
    report::table(&["grammar", "tables", "compressed", "objects", "unpacking"], &rows);
    println!(
        "\nin bytes; objects are the files of the C compiler for all but the tables, with what a linker needs"
    );
    Ok(())
}

fn row(name: &str, unpacked: usize, packed: usize, objects: usize, time: Duration) -> Vec<String> {
    let sizes = [unpacked, packed, objects].map(|size| report::count(size as u64));
    let time = format!("{:.1} ms", time.as_secs_f64() * 1e3);
    [&[name.to_owned()][..], &sizes, &[time]].concat()
}

/// Compares the tables of each grammar with those that the local C compiler produces from its source.
fn check(origins: &[Origin]) -> Result<()> {
    let metadata = workspace::metadata_of_all()?;
    let directories: BTreeMap<&str, &Path> = (metadata.packages.iter())
        .filter_map(|package| Some((package.name.as_str(), package.manifest_path.parent()?)))
        .collect();
    let mut findings = Findings::default();
    for origin in origins {
        let package =
            directories.get(origin.package).with_context(|| format!("no package {}", origin.package))?;
        let compiled = compiled_tables(&package.join(origin.directory))
            .with_context(|| format!("compiling the grammar {}", origin.name))?;
        let ours = orient_grammars::tables(origin.name).context("a grammar has tables")?;
        if let Some(difference) = difference(&ours, &compiled) {
            findings.fail("crates/grammars", 0, format!("the tables of {}: {difference}", origin.name));
        }
        println!("{}: {} bytes", origin.name, report::count(compiled.len() as u64));
    }
    findings.conclude("tables")
}

/// The first difference, if any.
fn difference(ours: &[u8], compiled: &[u8]) -> Option<String> {
    if ours.len() != compiled.len() {
        return Some(format!("{} bytes, compiled {}", ours.len(), compiled.len()));
    }
    let at = ours.iter().zip(compiled).position(|(ours, compiled)| ours != compiled)?;
    Some(format!("byte {at} is {}, compiled {}", ours[at], compiled[at]))
}

/// Compiles and runs a program that includes the parser and writes its tables.
fn compiled_tables(directory: &Path) -> Result<Vec<u8>> {
    let scratch = Scratch::new("sizes")?;
    let parser = fs::read_to_string(directory.join("parser.c"))?;
    let mut writes = String::new();
    for table in TABLES.iter().filter(|table| parser.contains(&format!(" {table}["))) {
        writeln!(writes, "  fwrite({table}, 1, sizeof({table}), file);")?;
    }
    let source = scratch.path().join("write.c");
    let program = scratch.path().join("write");
    let out = scratch.path().join("tables");
    let text = format!(
        "#include \"parser.c\"\n#include <stdio.h>\n\nint main(int count, char **arguments) {{\n  \
         FILE *file = fopen(arguments[1], \"wb\");\n{writes}  return fclose(file);\n}}\n"
    );
    fs::write(&source, text)?;
    let scanner: Option<PathBuf> = Some(directory.join("scanner.c")).filter(|path| path.exists());
    // As for make and Cargo, `CC` may name a wrapper and then the compiler: `ccache cc`.
    let compiler = std::env::var("CC").unwrap_or_default();
    let mut words = compiler.split_whitespace();
    let mut compile = Command::new(words.next().unwrap_or("cc"));
    compile.args(words);
    compile.args(["-w", "-O0"]).arg("-I").arg(directory).arg(&source).args(scanner).arg("-o").arg(&program);
    workspace::output(&mut compile)?;
    workspace::output(Command::new(&program).arg(&out))?;
    fs::read(&out).context("reading what the program wrote")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_is_a_difference() {
        assert_eq!(difference(&[1, 2], &[1, 2]), None);
        assert_eq!(difference(&[1, 2], &[1, 3]).as_deref(), Some("byte 1 is 2, compiled 3"));
        assert_eq!(difference(&[1, 2], &[1]).as_deref(), Some("2 bytes, compiled 1"));
    }
}
