//! `xtask eval`: how well the search answers questions whose answers are known.
//!
//! Our own questions are the default; any set in the same format can be asked. The searcher is behind a small trait, and
//! the product is found in its table of operations by name.
#![expect(clippy::print_stdout, reason = "a chore talks to the terminal")]
#![expect(clippy::print_stderr, reason = "a chore talks to the terminal")]

mod check;
mod floor;
mod measure;
mod packages;
mod printed;
mod score;
mod searcher;
mod set;
mod spread;
mod summary;
mod tables;
mod words;

use crate::bench::Scratch;
use crate::workspace;
use anyhow::{Context, Result, bail};
use measure::Run;
use packages::Package;
use searcher::{Product, Provider};
use set::{Repository, Set};
use std::path::PathBuf;
use summary::Summary;
use words::Words;

/// Where our own questions are.
const OWN_QUESTIONS: &str = "evals/questions";

/// Where the results on them are kept.
const RESULTS: &str = "evals/RESULTS.md";

/// What to ask, whom, and what to do with the answers.
#[derive(Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Eval {
    /// The questions: JSON lines, in a file or a directory of files [default: our own]
    #[arg(long, value_name = "FILE", requires_all = ["repositories", "directory"])]
    questions: Option<PathBuf>,
    /// The repositories they are about, as JSON [default: our packages]
    #[arg(long, value_name = "FILE", requires = "questions")]
    repositories: Option<PathBuf>,
    /// The directory with the repositories, each under its name [default: in the user's cache]
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Only questions about these repositories
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Downloads the packages of our own questions, those that are not there yet
    #[arg(long, conflicts_with = "questions")]
    fetch: bool,
    /// Asks nothing, but checks that every spot of our own questions exists
    #[arg(long, conflicts_with = "questions")]
    check: bool,
    /// Asks again with each channel and each rule left out
    #[arg(long)]
    ablate: bool,
    /// Leaves a channel or a rule out
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    without: Vec<String>,
    /// Asks a plain word search in place of the product
    #[arg(long)]
    baseline: bool,
    /// Prints JSON in place of tables
    #[arg(long)]
    json: bool,
    /// Prints every question with its measures
    #[arg(long)]
    each: bool,
    /// Writes the hits as JSON lines, as other scorers read them
    #[arg(long, value_name = "FILE")]
    run_file: Option<PathBuf>,
    /// Writes evals/RESULTS.md
    #[arg(long, conflicts_with_all = ["questions", "only", "baseline", "without"])]
    write: bool,
    /// Asks about a few small packages, and fails below the floors in evals/floors.toml
    #[arg(long, conflicts_with_all = ["questions", "only", "write"])]
    floor: bool,
}

/// Asks about a few small packages, and fails below the floors.
pub(crate) fn floor() -> Result<()> {
    run(&Eval { floor: true, ..Eval::default() })
}

/// Asks.
pub(crate) fn run(eval: &Eval) -> Result<()> {
    let floors = eval.floor.then(floor::floors).transpose()?;
    let mut only = eval.only.clone();
    only.extend(floors.iter().flat_map(|floors| floors.packages.clone()));
    let set = match (&eval.questions, &eval.repositories, &eval.directory) {
        (Some(questions), Some(repositories), Some(directory)) => {
            let mut set = Set {
                questions: set::questions(questions)?,
                repositories: set::repositories(repositories)?,
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
        if eval.baseline { Box::new(Words) } else { Box::new(Product::find()?) };
    if eval.ablate && provider.parts().is_empty() {
        bail!("`{}` lists nothing that can be left out with `without`", provider.name());
    }
    let (runs, summary) = ask(&set, &*provider, eval, eval.ablate)?;
    if let Some(file) = &eval.run_file {
        measure::write_run_file(&runs[0], file)?;
    }
    if eval.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        if eval.each {
            each(&runs[0]);
        }
        tables::print(&summary);
    }
    if eval.write {
        let (_, baseline) = ask(&set, &Words, eval, false)?;
        std::fs::write(workspace::root().join(RESULTS), tables::page(&summary, &baseline))
            .with_context(|| format!("writing {RESULTS}"))?;
    }
    floors.map_or(Ok(()), |floors| floors.hold(&summary))
}

/// Our own questions; none where they were only to be fetched or checked.
fn own(eval: &Eval, only: &[String]) -> Result<Option<Set>> {
    let directory = eval.directory.clone().map_or_else(packages::directory, Ok)?;
    let all = packages::list()?;
    let mut set = Set {
        questions: set::questions(&workspace::root().join(OWN_QUESTIONS))?,
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
        check::check(&set, &wanted)?;
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

/// Prints what came of each question, the worst first.
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
