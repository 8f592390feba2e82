//! `xtask eval`: search quality on questions with known answers.
//!
//! Our own questions are the default; any set in the same format works. The searcher is behind a small trait, and the
//! product's operation is looked up in the operation table by name.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]
#![expect(clippy::print_stderr, reason = "a subcommand prints to the terminal")]

mod confidence_interval;
mod floor;
mod localisation;
mod measure;
mod packages;
mod question_check;
mod question_set;
mod reading_cost;
mod score;
mod searcher;
mod summary;
mod tables;
mod translated;
mod word_search;

use crate::bench::Scratch;
use crate::workspace;
use anyhow::{Context, Result, bail};
use measure::Run;
use packages::Package;
use question_set::{Repository, Set};
use searcher::{Product, Provider};
use std::path::PathBuf;
use summary::Summary;
use word_search::WordSearch;

/// The directory of our own questions.
const OWN_QUESTIONS: &str = "evals/questions";

/// The page with the results.
const RESULTS: &str = "evals/RESULTS.md";

/// Options of `xtask eval`.
#[derive(Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Eval {
    /// The questions: JSON lines, in a file or a directory of files [default: our own]
    #[arg(long, value_name = "FILE", requires_all = ["repositories", "directory"])]
    questions: Option<PathBuf>,
    /// The repositories of the questions, as JSON [default: our packages]
    #[arg(long, value_name = "FILE", requires = "questions")]
    repositories: Option<PathBuf>,
    /// The directory of the repositories, each under its name [default: in the user's cache]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Only questions about these repositories
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Downloads the missing packages of our own questions
    #[arg(long, conflicts_with = "questions")]
    fetch: bool,
    /// Only checks that every expected location of our own questions exists
    #[arg(long, conflicts_with = "questions")]
    check: bool,
    /// Runs again with each channel and each rule disabled
    #[arg(long)]
    ablate: bool,
    /// Disables a channel or a rule
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    without: Vec<String>,
    /// Runs a plain word search instead of the product
    #[arg(long)]
    baseline: bool,
    /// Prints JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Prints every question with its scores
    #[arg(long)]
    each: bool,
    /// Writes the hits as JSON lines for other scorers
    #[arg(long, value_name = "FILE")]
    run_file: Option<PathBuf>,
    /// Writes evals/RESULTS.md
    #[arg(long, conflicts_with_all = ["questions", "only", "baseline", "without"])]
    write: bool,
    /// Runs the localisation set that `evals/history/mine.py` laid out in this directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["questions", "ablate", "baseline", "write", "floor", "check", "fetch"])]
    localise: Option<PathBuf>,
    /// With `--localise`: only this half of the repositories, `tune` or `held`
    #[arg(long, value_name = "NAME", requires = "localise")]
    split: Option<String>,
    /// With `--localise`: also measures what `context` collects
    #[arg(long, requires = "localise")]
    context: bool,
    /// Runs the translated questions, and compares every language with English
    #[arg(long, conflicts_with_all = ["questions", "ablate", "baseline", "write", "floor", "check", "fetch", "localise"])]
    translated: bool,
    /// Runs on a few small packages, and fails below the minimum values in evals/floors.toml
    #[arg(long, conflicts_with_all = ["questions", "only", "write"])]
    floor: bool,
}

/// Runs on a few small packages. Fails below the minimum values.
pub(crate) fn floor() -> Result<()> {
    run(&Eval { floor: true, ..Eval::default() })
}

/// Runs the evaluation.
pub(crate) fn run(eval: &Eval) -> Result<()> {
    if let Some(directory) = &eval.localise {
        return localisation::run(directory, eval);
    }
    let floors = eval.floor.then(floor::floors).transpose()?;
    let mut only = eval.only.clone();
    only.extend(floors.iter().flat_map(|floors| floors.packages.clone()));
    let set = match (&eval.questions, &eval.repositories, &eval.directory) {
        (Some(questions), Some(repositories), Some(directory)) => {
            let mut set = Set {
                questions: question_set::questions(questions)?,
                repositories: question_set::repositories(repositories)?,
                directory: directory.clone(),
            };
            set.keep(&only)?;
            set
        }
        _ => match own(eval, &only)? {
            Some(set) => set,
            None => return Ok(()),
        },
    };
    let provider: Box<dyn Provider> =
        if eval.baseline { Box::new(WordSearch) } else { Box::new(Product::find()?) };
    if eval.ablate && provider.parts().is_empty() {
        bail!("`{}` lists nothing that can be left out with `without`", provider.name());
    }
    let (runs, summary) = ask(&set, &*provider, eval, eval.ablate)?;
    if let Some(file) = &eval.run_file {
        measure::write_run_file(&runs[0], file)?;
    }
    if eval.translated {
        if eval.each {
            each(&runs[0]);
        }
        print!("{}", translated::table(&runs[0].asked));
    } else if eval.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        if eval.each {
            each(&runs[0]);
        }
        tables::print(&summary);
    }
    if eval.write {
        let (_, baseline) = ask(&set, &WordSearch, eval, false)?;
        std::fs::write(workspace::root().join(RESULTS), tables::page(&summary, &baseline))
            .with_context(|| format!("writing {RESULTS}"))?;
    }
    floors.map_or(Ok(()), |floors| floors.hold(&summary))
}

/// Downloads packages of our own questions if necessary. Returns their indexed directories.
pub(crate) fn package_sources<'n>(names: &[&'n str]) -> Result<Vec<(&'n str, PathBuf)>> {
    let directory = packages::directory()?;
    let mut sources = Vec::new();
    for &name in names {
        let package = packages::list()?.into_iter().find(|package| package.name == name);
        let package = package.with_context(|| format!("{} has no package `{name}`", packages::LIST))?;
        packages::fetch(std::slice::from_ref(&package), &directory)?;
        sources.push((name, directory.join(name).join(&package.directory)));
    }
    Ok(sources)
}

/// Our own questions; `None` if they were only to be fetched or checked.
fn own(eval: &Eval, only: &[String]) -> Result<Option<Set>> {
    let directory = eval.directory.clone().map_or_else(packages::directory, Ok)?;
    let all = packages::list()?;
    let mut set = Set {
        questions: if eval.translated {
            translated::questions()?
        } else {
            question_set::questions(&workspace::root().join(OWN_QUESTIONS))?
        },
        repositories: all.iter().map(Repository::from).collect(),
        directory,
    };
    set.keep(only)?;
    let wanted: Vec<Package> =
        all.iter().filter(|package| only.is_empty() || only.contains(&package.name)).cloned().collect();
    if eval.fetch || eval.floor {
        packages::fetch(&wanted, &set.directory)?;
    }
    if eval.fetch && !(eval.check || eval.floor || eval.write) {
        return Ok(None);
    }
    packages::demand(&wanted, &set.directory)?;
    if eval.check {
        question_check::check(&set, &wanted)?;
        return Ok(None);
    }
    Ok(Some(set))
}

fn ask(set: &Set, provider: &dyn Provider, eval: &Eval, ablate: bool) -> Result<(Vec<Run>, Summary)> {
    let scratch = Scratch::new("eval")?;
    let tell = |name: &str| eprintln!("{}: {name}", provider.name());
    let runs = measure::measure(set, provider, &eval.without, ablate, scratch.path(), tell)?;
    let summary = Summary::new(provider.name(), &runs);
    Ok((runs, summary))
}

/// Prints the result of each question, the worst first.
fn each(run: &Run) {
    let mut asked: Vec<_> = run.asked.iter().collect();
    asked.sort_by(|one, other| one.score.ndcg.total_cmp(&other.score.ndcg));
    for asked in asked {
        let declined = if asked.confident { "" } else { "  declined" };
        let question = &asked.question;
        println!(
            "{:.3}  {}  {}  {}{declined}",
            asked.score.ndcg, question.repo, question.category, question.query
        );
        for hit in asked.hits.iter().take(3) {
            println!("         {}:{}", hit.path, hit.start_line.unwrap_or(1));
        }
    }
}
