//! `xtask crosscheck DIR --lang L`: compares our symbols with those of Universal Ctags.
//!
//! A tag is found if a symbol has its name, in its file, on its line or an adjacent one. Missing tags are printed in
//! groups; those that `crosscheck-exceptions.toml` excuses are counted with their reason.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

mod exceptions;
mod issues;
mod sample;
mod tags;

use crate::corpus::{Corpus, default_threads};
use crate::report::{count, table};
use crate::workspace;
use anyhow::{Context, Result, bail};
use exceptions::Exceptions;
use orient_lang::{Pack, Registry};
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use tags::Tag;

/// Maximum number of missing tags printed per group.
const SHOWN: usize = 12;

/// `crosscheck.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Languages {
    language: Vec<Language>,
}

/// A language, as both sides name it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    pack: String,
    ctags: String,
    kinds: Vec<String>,
}

/// The symbols of a file: the lines on which each name is declared or its symbol begins.
type Symbols = BTreeMap<String, Vec<u32>>;

/// The result for a tag.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Found,
    Excused,
    /// The name exists on another line.
    Elsewhere,
    Absent,
}

/// Prints a sample of symbols with their source.
pub(crate) fn sample(directory: &Path, lang: &str, number: usize, seed: Option<u64>) -> Result<()> {
    sample::print(directory, pack(lang)?.name(), number, seed)
}

/// Prints where files could not be parsed.
pub(crate) fn issues(directory: &Path, lang: &str) -> Result<()> {
    issues::print(directory, pack(lang)?.name())
}

fn pack(lang: &str) -> Result<&'static Pack> {
    Registry::builtin().by_name(lang).with_context(|| format!("no pack is called `{lang}`"))
}

/// Compares, and fails if a tag is missing.
pub(crate) fn run(directory: &Path, lang: &str, all: bool) -> Result<()> {
    let pack = pack(lang)?;
    let known: Languages =
        toml::from_str(&workspace::text("xtask/crosscheck.toml")?).context("xtask/crosscheck.toml")?;
    let language = known.language.iter().find(|language| language.pack == pack.name());
    let language = language.with_context(|| format!("`{lang}` is not in xtask/crosscheck.toml"))?;

    let ours = symbols(directory, pack.name())?;
    let files: Vec<&str> = ours.keys().map(String::as_str).collect();
    let tags: Vec<Tag> = tags::of(directory, &files, &language.ctags)?
        .into_iter()
        .filter(|tag| language.kinds.contains(&tag.kind))
        .collect();
    let mut exceptions = Exceptions::load(&language.pack)?;
    let sources = Sources::default();
    let judged: Vec<(Outcome, &Tag)> =
        tags.iter().map(|tag| (judge(directory, tag, &ours, &mut exceptions, &sources), tag)).collect();

    println!("{} in {}: {} files", pack.title(), directory.display(), count(files.len() as u64));
    by_kind(&judged);
    exceptions.print();
    misses(directory, &judged, &sources, if all { usize::MAX } else { SHOWN });
    match judged.iter().filter(|(outcome, _)| *outcome >= Outcome::Elsewhere).count() {
        0 => Ok(()),
        missing => bail!("{missing} tags are missing"),
    }
}

/// The symbols of every file of the language.
fn symbols(directory: &Path, pack: &str) -> Result<BTreeMap<String, Symbols>> {
    let threads = default_threads();
    let corpus = Corpus::list(directory, threads)?;
    let parts = corpus.read(threads, Vec::new, |found, text| {
        let Some(language) = text.pack.filter(|language| language.name() == pack) else { return };
        let Ok(path) = std::str::from_utf8(text.path.as_bytes()) else { return };
        let outline = orient_lang::extract(Some(language), &text.bytes).outline;
        let mut symbols = Symbols::new();
        for symbol in &outline.symbols {
            let lines = symbols.entry(plain(outline.strings.get(symbol.name))).or_default();
            lines.extend([symbol.name_span.first_line, symbol.header.first_line]);
        }
        found.push((path.to_owned(), symbols));
    });
    Ok(parts.into_iter().flatten().collect())
}

/// A name without white space and quotes, which the two sides may write differently.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '`' | '\'' | '"' | '#')).collect()
}

fn judge(
    directory: &Path,
    tag: &Tag,
    ours: &BTreeMap<String, Symbols>,
    exceptions: &mut Exceptions,
    sources: &Sources,
) -> Outcome {
    let symbols = ours.get(&tag.path);
    let lines = symbols.and_then(|symbols| symbols.get(&plain(&tag.name)));
    let here = |lines: &Vec<u32>| lines.iter().any(|line| line.abs_diff(tag.line) <= 1);
    // Our names exclude their qualifier.
    let last = tag.name.rsplit('.').next().filter(|last| !last.is_empty() && *last != tag.name);
    let unqualified = last.and_then(|last| symbols.and_then(|symbols| symbols.get(&plain(last))));
    if lines.is_some_and(here) || unqualified.is_some_and(here) {
        return Outcome::Found;
    }
    let around = || sources.around(directory, tag);
    if exceptions.excuse(tag, &sources.line(directory, tag), &around) {
        return Outcome::Excused;
    }
    if lines.is_some() { Outcome::Elsewhere } else { Outcome::Absent }
}

fn by_kind(judged: &[(Outcome, &Tag)]) {
    let mut kinds: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    for (outcome, tag) in judged {
        for name in [tag.kind.as_str(), "total"] {
            kinds.entry(name).or_default()[*outcome as usize] += 1;
        }
    }
    let total = kinds.remove("total").unwrap_or_default();
    let row = |name: &str, counts: [u64; 4]| {
        let [found, excused, elsewhere, absent] = counts;
        let all = found + elsewhere + absent;
        #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
        let share = if all == 0 { 100.0 } else { found as f64 * 100.0 / all as f64 };
        let mut cells = vec![name.to_owned()];
        cells.extend([found, excused, elsewhere, absent].map(count));
        cells.push(format!("{share:.3} %"));
        cells
    };
    let mut rows: Vec<Vec<String>> = kinds.iter().map(|(name, counts)| row(name, *counts)).collect();
    rows.push(row("total", total));
    table(&["kind", "found", "excused", "other line", "absent", "coverage"], &rows);
}

fn misses(directory: &Path, judged: &[(Outcome, &Tag)], sources: &Sources, shown: usize) {
    let mut groups: BTreeMap<(Outcome, &str), Vec<&Tag>> = BTreeMap::new();
    for (outcome, tag) in judged.iter().filter(|(outcome, _)| *outcome >= Outcome::Elsewhere) {
        groups.entry((*outcome, &tag.kind)).or_default().push(tag);
    }
    for ((outcome, kind), tags) in groups {
        let what = if outcome == Outcome::Elsewhere { "on another line" } else { "absent" };
        println!("\n{kind} {what}: {}", tags.len());
        // Spread evenly, so that one unusual file does not hide the others.
        let step = tags.len().div_ceil(shown).max(1);
        for tag in tags.iter().step_by(step) {
            let line = sources.line(directory, tag);
            let line: String = line.trim().chars().take(110).collect();
            println!("  {}:{}: {} | {line}", tag.path, tag.line, tag.name);
        }
    }
}

/// The sources, read again one file at a time to show excerpts.
#[derive(Default)]
struct Sources(RefCell<Source>);

/// The current file.
#[derive(Default)]
struct Source {
    path: String,
    lines: Vec<String>,
    /// Nodes of several lines: kind, first and last line; computed on demand.
    nodes: Option<Vec<(String, u32, u32)>>,
}

impl Sources {
    fn line(&self, directory: &Path, tag: &Tag) -> String {
        self.open(directory, tag);
        self.0.borrow().lines.get(tag.line.saturating_sub(1) as usize).cloned().unwrap_or_default()
    }

    /// The kinds of the nodes that contain the line of a tag.
    fn around(&self, directory: &Path, tag: &Tag) -> Vec<String> {
        self.open(directory, tag);
        let mut held = self.0.borrow_mut();
        let bytes = held.lines.join("\n").into_bytes();
        let nodes = held.nodes.get_or_insert_with(|| nodes(&tag.path, &bytes));
        let inside = nodes.iter().filter(|(_, first, last)| *first < tag.line && tag.line <= *last);
        inside.map(|(kind, ..)| kind.clone()).collect()
    }

    fn open(&self, directory: &Path, tag: &Tag) {
        let mut held = self.0.borrow_mut();
        if held.path != tag.path {
            let bytes = std::fs::read(directory.join(&tag.path)).unwrap_or_default();
            let lines = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
            *held = Source { path: tag.path.clone(), lines, nodes: None };
        }
    }
}

/// The nodes of a file that span several lines.
fn nodes(path: &str, bytes: &[u8]) -> Vec<(String, u32, u32)> {
    let pack = Registry::builtin().detect(path.as_bytes(), bytes);
    let tree = pack.and_then(|pack| orient_lang::syntax(pack, bytes)).unwrap_or_default();
    let read = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| word.ends_with(':'));
        let (kind, lines) = (words.next()?, words.next()?);
        let (first, last) = lines.split_once('-')?;
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first < last).then(|| (kind.to_owned(), first, last))
    };
    tree.lines().filter_map(read).collect()
}
