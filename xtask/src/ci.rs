//! `xtask ci`: every test, lint and check that a change must pass, one after the other.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::package::{self, Package};
use crate::workspace::{self, passes};
use crate::{churn, clients, docgen, eval, grammars, packs, report, tidy, web};
use anyhow::{Result, bail};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The version of actionlint that checks the workflows.
const ACTIONLINT: &str = "v1.7.12";

/// Runs all steps, even after a failure, and prints a summary.
pub(crate) fn run(all: bool) -> Result<()> {
    let mut done = Steps::default();
    done.step("format", || passes(workspace::cargo().args(["fmt", "--all", "--check"])));
    let clippy = ["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    done.step("clippy", || passes(workspace::cargo().args(clippy)));
    done.step("tests", test);
    let doc = ["doc", "--locked", "--workspace", "--no-deps"];
    done.step("documentation", || passes(workspace::cargo().args(doc).env("RUSTDOCFLAGS", "-D warnings")));
    done.step("incremental equals full", churn::sample);
    done.step("tidy", tidy::run);
    done.step("packs", packs::check);
    done.step("generated pages", || docgen::run(true));
    done.step("grammars", grammars::check_record);
    if all || has("python3") && has("npm") {
        done.step("clients", clients::run);
        done.step("packages", || package::run(&Package { out: "target/packages".into(), dev: true }));
    } else {
        println!("\nclients, packages: left out, they need Python and Node");
    }
    if all || has("npm") && web::browser().is_some() {
        done.step("web pages", || web::run(None));
    } else {
        println!("\nweb pages: left out, they need Node and Chromium");
    }
    if all || has_go() {
        let lint = format!("github.com/rhysd/actionlint/cmd/actionlint@{ACTIONLINT}");
        done.step("workflows", || {
            passes(Command::new("go").args(["run", &lint]).current_dir(workspace::root()))
        });
    } else {
        println!("\nworkflows: left out, linting them needs Go");
    }
    if all || has("curl") {
        done.step("search floor", eval::floor);
    } else {
        println!("\nsearch floor: left out, it needs curl");
    }
    if all || has_deny() {
        let deny = ["deny", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"];
        done.step("dependency policy", || passes(workspace::cargo().args(deny)));
    } else {
        println!("\ndependency policy: left out, it needs `cargo install --locked cargo-deny`");
    }
    done.conclude()
}

#[derive(Default)]
struct Steps(Vec<(&'static str, Duration, Result<()>)>);

impl Steps {
    fn step(&mut self, name: &'static str, run: impl FnOnce() -> Result<()>) {
        println!("\n== {name}");
        let _ = std::io::stdout().flush();
        let start = Instant::now();
        let result = run();
        if let Err(error) = &result {
            println!("error: {error:#}");
        }
        self.0.push((name, start.elapsed(), result));
    }

    fn conclude(self) -> Result<()> {
        let row = |(name, time, result): &(&str, Duration, Result<()>)| {
            let outcome = if result.is_ok() { "ok" } else { "FAILED" };
            vec![(*name).to_owned(), format!("{:.1} s", time.as_secs_f64()), outcome.to_owned()]
        };
        println!();
        report::table(&["step", "time", "outcome"], &self.0.iter().map(row).collect::<Vec<_>>());
        match self.0.iter().filter(|(_, _, result)| result.is_err()).count() {
            0 => Ok(()),
            failed => bail!("{failed} of {} steps failed", self.0.len()),
        }
    }
}

/// Runs the tests of all crates. No documentation has tests of its own, so rustdoc need not look for them.
pub(crate) fn test() -> Result<()> {
    passes(workspace::cargo().args(["test", "--locked", "--workspace", "--tests", "--no-fail-fast"]))
}

/// Whether a program is installed.
fn has(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

/// Go has a subcommand instead of a flag for its version.
fn has_go() -> bool {
    let asked = Command::new("go").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

fn has_deny() -> bool {
    let asked =
        workspace::cargo().args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}
