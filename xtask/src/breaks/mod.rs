//! `xtask breaks DIR`: breaks a clone at random (renames, removals, other signatures, less visibility), and compares the uses that
//! `orient impact --diff HEAD` tells with every place where the name stands in code.
//!
//! The truth does not depend on resolution: only names that one definition has, and that no variable has, are drawn, so that whatever
//! spells the name in code is a use. With `--check`, the lines that a compiler objects to must be told as well.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

mod answer;
mod breaking_edits;
mod compiler;

use crate::bench::Scratch;
use crate::mutate::Sources;
use crate::random::Random;
use crate::workspace::{passes, product};
use answer::Told;
use anyhow::{Context, Result};
use breaking_edits::{BreakingEdit, Definitions, KINDS, Syntax};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Options of `xtask breaks`.
#[derive(clap::Args)]
pub(crate) struct Breaks {
    /// A clone; it is cloned again, and not changed
    directory: PathBuf,
    /// Number of edits per language
    #[arg(long, default_value_t = 60)]
    count: usize,
    /// Only definitions in this language
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A command that compiles the clone and prints `path:line` for each error, such as `go vet ./...`
    #[arg(long, value_name = "COMMAND")]
    check: Option<String>,
    /// The program to ask, instead of the one that is built
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Also prints the uses that are told and not spelled in code, and those that are said to be external
    #[arg(long)]
    extra: bool,
}

/// A line of a file.
type Place = (String, u32);

/// How often uses were told.
#[derive(Default)]
struct Tally {
    edits: usize,
    uses: usize,
    named: usize,
    candidates: usize,
    mentioned: usize,
    external: usize,
    silent: usize,
    extra: usize,
    errors: usize,
    silent_errors: usize,
    times: Vec<Duration>,
}

/// Breaks a clone, and prints what was told and what was not.
pub(crate) fn run(options: &Breaks) -> Result<()> {
    let syntaxes: BTreeMap<String, Syntax> =
        toml::from_str(include_str!("../../breaks.toml")).context("xtask/breaks.toml")?;
    let orient = match &options.program {
        Some(program) => program.clone(),
        None => product()?,
    };
    let scratch = Scratch::new("breaks")?;
    let clone =
        Clone { orient, root: scratch.path().join("repository"), store: scratch.path().join("store") };
    let from = options.directory.canonicalize()?;
    passes(Command::new("git").args(["clone", "-q", "--shared"]).arg(&from).arg(&clone.root))?;
    passes(&mut clone.orient(&["index", "--quiet"]))?;
    let sources = Sources::read(&clone.root)?;
    let baseline = match &options.check {
        Some(command) => compiler::errors(&clone.root, command)?,
        None => BTreeSet::new(),
    };
    for (language, syntax) in &syntaxes {
        if options.lang.as_ref().is_some_and(|lang| lang != language) {
            continue;
        }
        let definitions = Definitions::of(&sources, language, syntax);
        let mut random = Random(options.seed);
        let mut tally = Tally::default();
        for number in 0..options.count * 20 {
            if tally.edits == options.count {
                break;
            }
            let kind = KINDS[number % KINDS.len()];
            let Some(edit) = definitions.draw(kind, &mut random) else { continue };
            clone.ask_about(&edit, &sources, syntax, (options, &baseline), &mut tally)?;
        }
        if tally.edits > 0 {
            tally.print(language);
        }
    }
    Ok(())
}

/// The clone that is broken.
struct Clone {
    orient: PathBuf,
    root: PathBuf,
    store: PathBuf,
}

impl Clone {
    fn orient(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.orient);
        command.arg("--root").arg(&self.root).arg("--store").arg(&self.store);
        command.args(["--set", "watch.min_files=0"]).args(arguments);
        command
    }

    /// Makes an edit, compares what is told with what is written, and takes the edit back.
    fn ask_about(
        &self,
        edit: &BreakingEdit,
        sources: &Sources,
        syntax: &Syntax,
        (options, baseline): (&Breaks, &BTreeSet<Place>),
        tally: &mut Tally,
    ) -> Result<()> {
        let uses = edit.uses(sources, syntax);
        if uses.is_empty() {
            return Ok(());
        }
        for (path, text) in &edit.texts {
            std::fs::write(self.root.join(path), text)?;
        }
        let begun = Instant::now();
        let output =
            self.orient(&["impact", "--diff", "HEAD", "--limit", "0", "--json", "--quiet"]).output()?;
        tally.times.push(begun.elapsed());
        let told = Told::parse(&output.stdout)
            .with_context(|| format!("{}: {}", edit.shown, String::from_utf8_lossy(&output.stderr)))?;
        let errors = match &options.check {
            Some(command) => compiler::errors(&self.root, command)?,
            None => BTreeSet::new(),
        };
        for path in edit.texts.keys() {
            std::fs::write(self.root.join(path), &sources.texts[path])?;
        }
        tally.edits += 1;
        tally.uses += uses.len();
        let mut untold = Vec::new();
        for place in &uses {
            if told.named.contains(place) {
                tally.named += 1;
            } else if told.candidates.contains(place) {
                tally.candidates += 1;
            } else if told.mentioned.contains(place) {
                tally.mentioned += 1;
            } else {
                untold.push(place);
            }
        }
        // How many there are is told of these, not where.
        let external = untold.len().min(told.external);
        tally.external += external;
        tally.silent += untold.len() - external;
        for place in untold.iter().filter(|_| untold.len() > external || options.extra) {
            let word = if untold.len() > external { "silent" } else { "external" };
            println!("  {word}: {} at {}:{}", edit.shown, place.0, place.1);
        }
        for place in told.named.difference(&uses) {
            tally.extra += 1;
            if options.extra {
                println!("  extra: {} at {}:{}", edit.shown, place.0, place.1);
            }
        }
        for place in errors.difference(baseline).filter(|place| !edit.is_own(place)) {
            tally.errors += 1;
            let all = [&told.named, &told.candidates, &told.mentioned];
            if !all.iter().any(|places| places.contains(place)) {
                tally.silent_errors += 1;
                println!("  compiler: {} at {}:{}", edit.shown, place.0, place.1);
            }
        }
        Ok(())
    }
}

impl Tally {
    fn print(&mut self, language: &str) {
        let Self {
            edits,
            uses,
            named,
            candidates,
            mentioned,
            external,
            silent,
            extra,
            errors,
            silent_errors,
            times,
        } = self;
        times.sort_unstable();
        println!(
            "{language:11} {edits:3} edits, {uses:5} uses: named {named:5}  candidates {candidates:4}  mentioned \
             {mentioned:4}  external {external:3}  silent {silent:4}  not spelled {extra:4}  median {:.1} s",
            times[times.len() / 2].as_secs_f64()
        );
        if *errors > 0 {
            println!("{:11} {errors} lines with errors of the compiler, {silent_errors} not told", "");
        }
    }
}
