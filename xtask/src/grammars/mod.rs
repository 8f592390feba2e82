//! `xtask grammars`: makes the stored grammars from the sources of their packages, and says what each adds to the program.
//!
//! A package of a grammar has a parser that its generator wrote as C, tables and lexers, and often a scanner that a person wrote.
//! The first becomes data, which the parser runtime reads as it is; the second is stored as it is. So a build neither
//! downloads nor compiles generated parsers.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

mod content;
mod sources;

use crate::bench::Scratch;
use crate::report::{self, Findings};
use crate::workspace;
use anyhow::{Context, Result, ensure};
use clap::Args;
use orient_grammars::{GRAMMARS, Grammar};
use sources::Sources;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where the product keeps its grammars.
const HOME: &str = "crates/grammars";
/// The file that names the packages, their licences, and the hash of each file made from them.
const RECORD: &str = "crates/grammars/UPSTREAM.md";
/// Compression level: the slowest. It runs once for each release of a grammar.
const LEVEL: i32 = 22;

/// Options of `xtask grammars`.
#[derive(Args)]
pub(crate) struct Grammars {
    /// Makes the stored grammars again from their packages
    #[arg(long)]
    write: bool,
    /// Fails if a stored grammar is not what its package has (needs a C compiler, and downloads the packages)
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Only this grammar
    #[arg(long, value_name = "GRAMMAR", conflicts_with = "write")]
    only: Option<String>,
}

/// The files that come from the packages: content by path below [`HOME`]. Grammars are not compressed yet.
type Files = BTreeMap<PathBuf, Vec<u8>>;

pub(crate) fn run(options: &Grammars) -> Result<()> {
    let is_asked = |grammar: &&Grammar| options.only.as_deref().is_none_or(|only| only == grammar.name);
    let grammars: Vec<&Grammar> = GRAMMARS.iter().filter(is_asked).collect();
    ensure!(!grammars.is_empty(), "no grammar of that name");
    match (options.write, options.check) {
        (true, _) => write(&grammars),
        (_, true) => check(&grammars),
        _ => print(&grammars),
    }
}

/// Prints a row per grammar, the largest first.
fn print(grammars: &[&Grammar]) -> Result<()> {
    let mut rows = Vec::new();
    let mut sum = (0, 0, Duration::ZERO);
    for grammar in grammars {
        let (packed, whole) =
            orient_grammars::sizes(grammar.name).context("a grammar that is listed is there")?;
        let start = Instant::now();
        orient_grammars::grammar(grammar.name).context("a grammar that is listed is there")?;
        let time = start.elapsed();
        rows.push((whole, row(grammar.name, packed, whole, time)));
        sum = (sum.0 + packed, sum.1 + whole, sum.2 + time);
    }
    rows.sort_by(|one, other| other.cmp(one));
    let mut rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    rows.push(row("all", sum.0, sum.1, sum.2));
    report::table(&["grammar", "in the program", "in memory", "loading"], &rows);
    println!("\nin bytes; in memory from the first use of a language on");
    Ok(())
}

fn row(name: &str, packed: usize, whole: usize, time: Duration) -> Vec<String> {
    let sizes = [packed, whole].map(|size| report::count(size as u64));
    let time = format!("{:.1} ms", time.as_secs_f64() * 1e3);
    [&[name.to_owned()][..], &sizes, &[time]].concat()
}

/// Makes all stored grammars, and removes files that no package has any more.
fn write(grammars: &[&Grammar]) -> Result<()> {
    let sources = Sources::locked()?;
    let home = workspace::root().join(HOME);
    let files = from_packages(grammars, &sources)?;
    for directory in ["packed", "scanners"] {
        let path = home.join(directory);
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
    }
    for (path, content) in &files {
        let whole = home.join(path);
        fs::create_dir_all(whole.parent().context("a file is in a directory")?)?;
        fs::write(
            &whole,
            if is_packed(path) { zstd::bulk::compress(content, LEVEL)? } else { content.clone() },
        )?;
    }
    fs::write(workspace::root().join(RECORD), record(grammars, &sources, &files)?)?;
    println!("{} files of {} grammars", files.len(), grammars.len());
    Ok(())
}

/// Compares the stored grammars with what their packages have.
fn check(grammars: &[&Grammar]) -> Result<()> {
    let mut findings = Findings::default();
    for (path, content) in from_packages(grammars, &Sources::locked()?)? {
        if stored(&path).ok().as_ref() != Some(&content) {
            findings.fail(HOME, 0, format!("{} is not what its package has", path.display()));
        }
    }
    findings.conclude("grammars")
}

/// Checks quickly that nobody changed a stored file, or a version without making the grammars again.
pub(crate) fn check_record() -> Result<()> {
    let record = workspace::text(RECORD)?;
    let mut findings = Findings::default();
    let mut recorded = BTreeSet::new();
    for line in record.lines() {
        let Some((hash, path)) = line.split_once("  ").filter(|(hash, _)| hash.len() == 64) else { continue };
        recorded.insert(PathBuf::from(path));
        match stored(Path::new(path)) {
            Ok(content) if blake3::hash(&content).to_hex().as_str() == hash => {}
            _ => findings.fail(HOME, 0, format!("{path} is not what {RECORD} says")),
        }
    }
    for directory in ["packed", "scanners"] {
        for path in files_below(&workspace::root().join(HOME).join(directory))? {
            let path = path.strip_prefix(workspace::root().join(HOME))?.to_owned();
            if !recorded.contains(&path) {
                findings.fail(HOME, 0, format!("{} is not in {RECORD}", path.display()));
            }
        }
    }
    for (package, version) in sources::locked_versions()? {
        if !record.contains(&format!("| {package} | {version} |")) {
            findings.fail(HOME, 0, format!("{package} {version} is locked: `cargo xtask grammars --write`"));
        }
    }
    findings.conclude("grammars")
}

fn files_below(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files_below(&path)?) } else { found.push(path) }
    }
    Ok(found)
}

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// The content of a stored file, decompressed.
fn stored(path: &Path) -> Result<Vec<u8>> {
    let bytes = fs::read(workspace::root().join(HOME).join(path))?;
    Ok(if is_packed(path) { zstd::decode_all(&*bytes)? } else { bytes })
}

/// The files of the grammars, made from their packages.
fn from_packages(grammars: &[&Grammar], sources: &Sources) -> Result<Files> {
    let scratch = Scratch::new("grammars")?;
    let mut files = Files::new();
    for grammar in grammars {
        let directory = sources.directory(grammar.package)?.join(grammar.directory);
        let content = content::of_parser(grammar, &directory, scratch.path())
            .with_context(|| format!("the grammar {}", grammar.name))?;
        println!("{}: {} bytes", grammar.name, report::count(content.len() as u64));
        files.insert(Path::new("packed").join(format!("{}.zst", grammar.name)), content);
        if grammar.scanner.is_some() {
            files.extend(sources.scanner(grammar)?);
        }
    }
    Ok(files)
}

/// The text of the record.
fn record(grammars: &[&Grammar], sources: &Sources, files: &Files) -> Result<String> {
    let mut text = "# Where the grammars come from\n\n\
        Written by `cargo xtask grammars --write`. The files in `packed` and `scanners` are made from these packages, which \
        `upstream/Cargo.lock` locks; `cargo xtask grammars --check` makes them again and compares.\n\n\
        | package | version | licence | grammars |\n|---|---|---|---|\n"
        .to_owned();
    let mut packages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for grammar in grammars {
        packages.entry(grammar.package).or_default().push(grammar.name);
    }
    let mut licences: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (package, names) in &packages {
        let about = sources.about(package)?;
        writeln!(text, "| {package} | {} | {} | {} |", about.version, about.license, names.join(", "))?;
        if let Some(licence) = sources.licence_text(package)? {
            licences.entry(licence).or_default().push(package);
        }
    }
    text.push_str("\n## Hashes (BLAKE3, of the decompressed content)\n\n```\n");
    for (path, content) in files {
        writeln!(text, "{}  {}", blake3::hash(content).to_hex(), path.display())?;
    }
    text.push_str(
        "```\n\n## Licences\n\nPackages that are not named here have no licence text of their own.\n",
    );
    for (licence, packages) in &licences {
        writeln!(text, "\n### {}\n\n```\n{}\n```", packages.join(", "), licence.trim_end())?;
    }
    Ok(text)
}
