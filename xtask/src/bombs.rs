//! `xtask bombs`: indexes generated files that are expensive to parse, language by language.
//!
//! Each generated file is indexed next to an ordinary one, in a tree of its own, under a hard memory limit. Then the
//! most expensive files of a language are indexed together on several threads, and the ordinary file must still be
//! found.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::bench::{Cost, Scratch, index_command, mebibytes, process_cost, product};
use crate::corpus::default_threads;
use crate::report::table;
use anyhow::{Context, Result, bail};
use orient_lang::{Pack, Registry};
use orient_testkit::{Bomb, bomb};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Limits on the cost of one file.
const MOST_MEMORY: u64 = 300_000_000;
const MOST_SECONDS: f64 = 3.0;
/// The memory limit of a process, and the address space that the stack of each thread needs in addition.
const CAP: u64 = 512 << 20;
const STACK: u64 = 64 << 20;
/// Number of the most expensive files of a language that are indexed together, and of threads.
const TOGETHER: usize = 12;
const TOGETHER_THREADS: usize = 4;
/// The name that the ordinary file defines.
const ORDINARY: &str = "ordinary_answer";

/// Options of `xtask bombs`.
#[derive(clap::Args)]
pub(crate) struct Bombs {
    /// Only this language
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of files per language
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: usize,
    /// Only the file with this number; it is kept and its path printed
    #[arg(long, value_name = "N")]
    only: Option<usize>,
    /// Number of files that are indexed at a time
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// The cost of a file, or why indexing failed.
struct Measured {
    index: usize,
    name: String,
    seconds: f64,
    memory: u64,
    failure: Option<String>,
}

/// Measures all languages with a grammar or a scanner. Fails if a file exceeds a limit.
pub(crate) fn run(options: &Bombs) -> Result<()> {
    let product = product()?;
    let named = |pack: &&Pack| options.lang.as_deref().is_none_or(|name| name == pack.name());
    let packs: Vec<&Pack> = Registry::builtin().packs().iter().filter(named).collect();
    if packs.is_empty() {
        bail!("there is no such language; `cargo xtask packs check` lists them");
    }
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for pack in packs {
        let mut measured = measure(options, &product, pack)?;
        measured.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(a.index.cmp(&b.index)));
        let mut failed: Vec<String> = measured.iter().filter_map(|it| describe(pack, it)).collect();
        let slowest: Vec<usize> = measured.iter().take(TOGETHER).map(|it| it.index).collect();
        let together = together(options, &product, pack, &slowest);
        let peak = together.as_ref().map_or_else(|_| "failed".to_owned(), |cost| mebibytes(cost.memory));
        failed.extend(together.err().map(|error| format!("{}: together: {error:#}", pack.name())));
        let largest = measured.iter().max_by_key(|it| (it.memory, it.index));
        let row = row(pack, &measured, largest, peak, failed.len());
        println!("{}", row.join("  "));
        rows.push(row);
        failures.extend(failed);
    }
    println!();
    table(
        &["language", "files", "most time", "most memory", "together", "failed", "slowest", "largest"],
        &rows,
    );
    for failure in &failures {
        println!("{failure}");
    }
    if failures.is_empty() { Ok(()) } else { bail!("{} files cost too much", failures.len()) }
}

fn row(
    pack: &Pack,
    measured: &[Measured],
    largest: Option<&Measured>,
    together: String,
    failed: usize,
) -> Vec<String> {
    let slowest = measured.first();
    vec![
        pack.name().to_owned(),
        measured.len().to_string(),
        format!("{:.2} s", slowest.map_or(0.0, |it| it.seconds)),
        mebibytes(largest.map_or(0, |it| it.memory)),
        together,
        failed.to_string(),
        slowest.map_or_else(String::new, |it| format!("#{}", it.index)),
        largest.map_or_else(String::new, |it| format!("#{}", it.index)),
    ]
}

/// Which limit a file exceeds, if any.
fn describe(pack: &Pack, measured: &Measured) -> Option<String> {
    let Measured { index, name, seconds, memory, failure } = measured;
    let what = match failure {
        Some(failure) => failure.clone(),
        None if *memory > MOST_MEMORY || *seconds > MOST_SECONDS => {
            format!("{seconds:.2} s, {}", mebibytes(*memory))
        }
        None => return None,
    };
    Some(format!("{} #{index}, {name}: {what}", pack.name()))
}

/// Indexes the files of a language one by one, several at a time.
fn measure(options: &Bombs, product: &Path, pack: &Pack) -> Result<Vec<Measured>> {
    let tokens = pack.tokens();
    let numbers = options.only.map_or(0..options.count, |only| only..only + 1);
    let next = AtomicUsize::new(numbers.start);
    let done = Mutex::new(Vec::new());
    let work = || -> Result<()> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= numbers.end {
                return Ok(());
            }
            let bomb = bomb(&tokens, options.seed, index);
            let scratch = Scratch::new(&format!("bomb-{}-{index}", pack.name()))?;
            let path = plant(&scratch.path().join("tree"), pack, &[&bomb])?;
            let measured = one(product, &scratch, index, &bomb);
            if options.only.is_some() {
                println!("{}: {}", path.display(), bomb.name);
                std::mem::forget(scratch);
            }
            done.lock().map_err(|_| anyhow::anyhow!("another thread failed"))?.push(measured);
        }
    };
    std::thread::scope(|scope| {
        let jobs = options.jobs.unwrap_or_else(default_threads).max(1);
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        let ended = workers
            .into_iter()
            .map(|worker| worker.join().map_err(|_| anyhow::anyhow!("a worker failed"))?);
        ended.collect::<Result<()>>()
    })?;
    done.into_inner().map_err(|_| anyhow::anyhow!("a worker failed"))
}

fn one(product: &Path, scratch: &Scratch, index: usize, bomb: &Bomb) -> Measured {
    let cost =
        capped(&index_command(product, &scratch.path().join("tree"), &scratch.path().join("store"), 1), 1);
    let (seconds, memory, failure) = match cost {
        Ok(cost) => (cost.cpu.as_secs_f64(), cost.memory, None),
        Err(error) => (0.0, 0, Some(format!("{error:#}"))),
    };
    Measured { index, name: bomb.name.clone(), seconds, memory, failure }
}

/// Indexes several files together, and searches for the ordinary one.
fn together(options: &Bombs, product: &Path, pack: &Pack, indexes: &[usize]) -> Result<Cost> {
    let tokens = pack.tokens();
    let bombs: Vec<Bomb> = indexes.iter().map(|&index| bomb(&tokens, options.seed, index)).collect();
    let scratch = Scratch::new(&format!("bombs-{}", pack.name()))?;
    let (tree, store) = (scratch.path().join("tree"), scratch.path().join("store"));
    plant(&tree, pack, &bombs.iter().collect::<Vec<_>>())?;
    let cost = capped(&index_command(product, &tree, &store, TOGETHER_THREADS), TOGETHER_THREADS)?;
    if cost.memory > CAP {
        bail!("{} held, which is more than the default of `limits.memory`", mebibytes(cost.memory));
    }
    let mut question = Command::new(product);
    question.args(["symbols", ORDINARY, "--quiet"]).arg("--root").arg(&tree).arg("--store").arg(&store);
    let answer = process_cost(&mut question, false)?.printed;
    if !answer.contains(ORDINARY) {
        bail!("the ordinary file beside them was not found: {answer}");
    }
    Ok(cost)
}

/// Writes files of a language and an ordinary one. Returns the path of the last.
fn plant(tree: &Path, pack: &Pack, bombs: &[&Bomb]) -> Result<PathBuf> {
    std::fs::create_dir_all(tree)?;
    std::fs::write(tree.join("ordinary.py"), format!("def {ORDINARY}():\n    return 42\n"))?;
    let pattern = pack.files().first().with_context(|| format!("{} has no files", pack.name()))?;
    let mut path = tree.to_path_buf();
    for (number, bomb) in bombs.iter().enumerate() {
        // Some languages have only one file name.
        let directory = tree.join(number.to_string());
        std::fs::create_dir_all(&directory)?;
        path = directory.join(pattern.replace('*', "bomb"));
        std::fs::write(&path, &bomb.bytes)?;
    }
    Ok(path)
}

/// Runs a command under a memory limit of the system.
fn capped(command: &Command, threads: usize) -> Result<Cost> {
    // The limit counts private memory and thread stacks, but not the program itself.
    let kibibytes = (CAP + STACK * (threads as u64 + 1)) >> 10;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -d {kibibytes}; exec \"$@\"")).arg("sh");
    shell.arg(command.get_program()).args(command.get_args());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    process_cost(&mut shell, true)
}
