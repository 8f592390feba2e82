//! `xtask bench build`: what installing the product costs on a machine that has nothing but Rust and a C compiler.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::process::{Scratch, children_cpu_time, mebibytes, size_of};
use crate::report;
use crate::workspace;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

/// Number of units that are listed.
const SLOWEST: usize = 15;

/// A unit of a build, as Cargo reports it.
#[derive(Deserialize)]
struct Unit {
    name: String,
    target: String,
    duration: f64,
}

/// Installs the product from an empty registry into an empty directory. Fails above a number of CPU seconds.
pub(super) fn run(at_most: Option<u64>) -> Result<()> {
    let scratch = Scratch::new("build")?;
    let home = scratch.path().join("cargo-home");
    std::fs::create_dir_all(&home)?;
    // It names the registry of the machine, if that is not the public one.
    for name in ["config.toml", "config"] {
        let own = cargo_home().join(name);
        if own.is_file() {
            std::fs::copy(&own, home.join(name)).with_context(|| format!("copying {}", own.display()))?;
        }
    }
    let (target, installed) = (scratch.path().join("target"), scratch.path().join("installed"));
    let before = children_cpu_time();
    let start = Instant::now();
    let status = workspace::cargo()
        .args(["install", "--quiet", "--locked", "--timings", "--path", "crates/cli", "--root"])
        .arg(&installed)
        .env("CARGO_HOME", &home)
        .env("CARGO_TARGET_DIR", &target)
        .stdin(Stdio::null())
        .status()
        .context("cannot start cargo")?;
    let (wall, cpu) = (start.elapsed(), children_cpu_time().saturating_sub(before));
    if !status.success() {
        bail!("the product does not install");
    }
    let program = installed.join("bin").join(format!("orient{}", std::env::consts::EXE_SUFFIX));
    let binary = std::fs::metadata(&program).with_context(|| format!("{} is missing", program.display()))?;
    let downloaded =
        size_of(&home.join("registry/cache"), &|_| true) + size_of(&home.join("registry/index"), &|_| true);
    let mut units = units(&target.join("cargo-timings/cargo-timing.html"))?;
    let figures = [
        ("processor time", format!("{:.0} s", cpu.as_secs_f64())),
        ("wall time", format!("{:.0} s", wall.as_secs_f64())),
        ("units", units.len().to_string()),
        ("downloaded", mebibytes(downloaded)),
        ("binary", mebibytes(binary.len())),
    ];
    let rows: Vec<Vec<String>> =
        figures.into_iter().map(|(name, figure)| vec![name.to_owned(), figure]).collect();
    report::table(&["install", ""], &rows);
    println!();
    units.sort_by(|a, b| b.duration.total_cmp(&a.duration).then_with(|| a.name.cmp(&b.name)));
    let rows: Vec<Vec<String>> = units
        .iter()
        .take(SLOWEST)
        .map(|unit| vec![format!("{}{}", unit.name, unit.target), format!("{:.1} s", unit.duration)])
        .collect();
    report::table(&["slowest units", "wall time"], &rows);
    match at_most {
        Some(most) if cpu.as_secs() > most => bail!("more than {most} s of processor time"),
        _ => Ok(()),
    }
}

fn cargo_home() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cargo");
    std::env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}

/// The units in a timing report, whose script holds them as JSON.
fn units(report: &Path) -> Result<Vec<Unit>> {
    let text = std::fs::read_to_string(report).with_context(|| format!("reading {}", report.display()))?;
    let data = text
        .split_once("const UNIT_DATA = ")
        .and_then(|(_, rest)| rest.split_once(";\n"))
        .context("the timing report has no units")?;
    serde_json::from_str(data.0).context("the units of the timing report")
}
