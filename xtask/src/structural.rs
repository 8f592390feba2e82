//! `orient find` against ast-grep on the same tree: the same matches of patterns drawn from its own code, and how much sooner.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use crate::bench::Scratch;
use crate::random::Random;
use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use orient_grammars::Node;
use orient_lang::{Registry, parse_unmodified};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Sizes of the pieces of code that become patterns, in bytes.
const SIZES: std::ops::RangeInclusive<usize> = 8..=120;

/// Compares structural searches.
#[derive(clap::Args)]
pub(crate) struct Structural {
    /// The directory of sources
    directory: PathBuf,
    /// The language of the patterns
    #[arg(long)]
    lang: String,
    /// How many patterns
    #[arg(long, value_name = "N", default_value_t = 60)]
    count: usize,
    /// The seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The ast-grep program (npm: @ast-grep/cli)
    #[arg(long, value_name = "PATH", default_value = "ast-grep")]
    ast_grep: PathBuf,
    /// Prints every pattern
    #[arg(long)]
    each: bool,
}

/// A pattern, and the kind of a node around it.
struct Drawn {
    pattern: String,
    inside: Option<String>,
}

/// A match: file, lines and code.
type Match = (String, u64, u64, String);

/// Runs the comparison; fails if a match differs.
pub(crate) fn run(options: &Structural) -> Result<()> {
    let scratch = Scratch::new("structural")?;
    let sides = Sides { options, product: workspace::product()?, store: scratch.path().join("store") };
    let files = sides.files()?;
    ensure!(!files.is_empty(), "no file of this language is known to both");
    let mut random = Random(options.seed);
    let (mut same, mut matches, mut rejected) = (0, 0, 0);
    let (mut ours_took, mut theirs_took) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..options.count {
        let drawn = loop {
            let file = files.iter().nth(random.below(files.len())).context("a file")?;
            if let Some(drawn) = drawn(options, &options.directory.join(file), &mut random) {
                break drawn;
            }
        };
        let started = Instant::now();
        let ours = sides.ours(&drawn)?;
        ours_took += started.elapsed();
        let started = Instant::now();
        let theirs = sides.theirs(&drawn)?;
        theirs_took += started.elapsed();
        // A pattern that one of them rejects matches nothing.
        let kept = |found: Option<Vec<Match>>| {
            let found = found.unwrap_or_default().into_iter();
            let mut kept: Vec<Match> = found.filter(|one| files.contains(&one.0)).collect();
            kept.sort();
            kept
        };
        let is_rejected = theirs.is_none();
        let (ours, theirs) = (kept(ours), kept(theirs));
        if options.each || ours != theirs {
            let inside = drawn.inside.as_deref().unwrap_or("");
            println!("{:>6} {:>6}  {}  {inside}", ours.len(), theirs.len(), drawn.pattern);
        }
        same += usize::from(ours == theirs);
        matches += theirs.len();
        rejected += usize::from(is_rejected);
    }
    println!(
        "{}: {same} of {} patterns give the same, {matches} matches, {rejected} rejected by ast-grep; {:.1} s against {:.1} s",
        options.lang,
        options.count,
        ours_took.as_secs_f64(),
        theirs_took.as_secs_f64(),
    );
    if same < options.count {
        bail!("{} patterns differ", options.count - same);
    }
    Ok(())
}

/// A piece of code of a file with one or two parts replaced by metavariables; `None` if the choice is of no use.
fn drawn(options: &Structural, path: &Path, random: &mut Random) -> Option<Drawn> {
    let pack = Registry::builtin().by_name(&options.lang)?;
    let text = std::fs::read_to_string(path).ok()?;
    let tree = parse_unmodified(pack, text.as_bytes())?;
    let mut nodes = Vec::new();
    collect(tree.root_node(), &mut nodes);
    let node = *nodes.get(random.below(nodes.len()))?;
    let code = &text[node.byte_range()];
    if !SIZES.contains(&code.len()) || code.contains(['\n', '$', 'µ']) || node.has_error() {
        return None;
    }
    let mut parts = Vec::new();
    collect(node, &mut parts);
    parts.retain(|part| part.byte_range() != node.byte_range());
    let mut chosen: Vec<(std::ops::Range<usize>, &str)> = Vec::new();
    for name in ["$A", "$B"] {
        let Some(part) = parts.get(random.below(parts.len().max(1))) else { continue };
        let apart =
            chosen.iter().all(|(range, _)| range.end <= part.start_byte() || part.end_byte() <= range.start);
        if apart && random.below(4) > 0 {
            // The content of a list becomes one metavariable for many.
            let (first, last) =
                (part.named_child(0), part.named_child(part.named_child_count().saturating_sub(1) as u32));
            match (first, last) {
                (Some(first), Some(last)) if random.below(2) == 0 && part.named_child_count() > 1 => {
                    chosen.push((first.start_byte()..last.end_byte(), "$$$LIST"));
                }
                _ => chosen.push((part.byte_range(), name)),
            }
        }
    }
    chosen.sort_by_key(|(range, _)| range.start);
    let mut pattern = String::new();
    let mut at = node.start_byte();
    for (range, name) in chosen {
        pattern.push_str(&text[at..range.start]);
        pattern.push_str(name);
        at = range.end;
    }
    pattern.push_str(&text[at..node.end_byte()]);
    let around = std::iter::successors(node.parent(), Node::parent).filter(Node::is_named);
    let around: Vec<String> = around.map(|node| node.kind().to_owned()).collect();
    let inside = if random.below(4) == 0 { around.get(random.below(around.len())).cloned() } else { None };
    (!pattern.trim().starts_with('-')).then_some(Drawn { pattern, inside })
}

fn collect<'t>(node: Node<'t>, into: &mut Vec<Node<'t>>) {
    if node.is_named() {
        into.push(node);
    }
    for at in 0..node.child_count() {
        if let Some(child) = node.child(at) {
            collect(child, into);
        }
    }
}

/// The two programs.
struct Sides<'o> {
    options: &'o Structural,
    product: PathBuf,
    store: PathBuf,
}

impl Sides<'_> {
    fn product(&self) -> Command {
        let mut command = Command::new(&self.product);
        command.current_dir(&self.options.directory).arg("--root").arg(".").env("ORIENT_STORE", &self.store);
        command
    }

    /// The files that both take for files of the language.
    fn files(&self) -> Result<BTreeSet<String>> {
        let lines = |command: &mut Command| -> Result<BTreeSet<String>> {
            let output = command.output()?;
            Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
        };
        let ours = lines(self.product().args(["files", "--lang", &self.options.lang]))?;
        let mut theirs = Command::new(&self.options.ast_grep);
        theirs.current_dir(&self.options.directory);
        let any = ["run", "--pattern", "$_", "--files-with-matches", "--lang", &self.options.lang];
        let theirs = lines(theirs.args(any))?;
        Ok(theirs
            .iter()
            .map(|path| path.trim_start_matches("./").to_owned())
            .filter(|path| ours.contains(path))
            .collect())
    }

    /// Our matches; `None` if the pattern is rejected.
    fn ours(&self, drawn: &Drawn) -> Result<Option<Vec<Match>>> {
        let mut command = self.product();
        command.args(["find", "--json", "--limit", "0", "--lang", &self.options.lang]);
        if let Some(kind) = &drawn.inside {
            command.args(["--inside", &format!("({kind})")]);
        }
        let output = command.arg("--").arg(&drawn.pattern).output()?;
        if output.status.code().is_none_or(|code| code > 1) {
            return Ok(None);
        }
        let answer: Value = serde_json::from_slice(&output.stdout).context("our answer is JSON")?;
        let matches = answer["data"]["matches"].as_array().context("our answer has matches")?;
        let one = |one: &Value| {
            Some((
                one["path"].as_str()?.to_owned(),
                one["line"].as_u64()?,
                one["end_line"].as_u64()?,
                one["text"].as_str()?.to_owned(),
            ))
        };
        Ok(matches.iter().map(one).collect())
    }

    /// The matches of ast-grep; `None` if it rejects the pattern.
    fn theirs(&self, drawn: &Drawn) -> Result<Option<Vec<Match>>> {
        let mut command = Command::new(&self.options.ast_grep);
        command.current_dir(&self.options.directory);
        if let Some(kind) = &drawn.inside {
            let inside = json!({ "kind": kind, "stopBy": "end" });
            let rule = json!({ "pattern": drawn.pattern, "inside": inside });
            let rule = json!({ "id": "drawn", "language": self.options.lang, "rule": rule });
            command.args(["scan", "--inline-rules", &rule.to_string(), "--json=stream"]);
        } else {
            command.args(["run", "--lang", &self.options.lang, "--json=stream", "--pattern", &drawn.pattern]);
        }
        let output = command.output().context("ast-grep does not start")?;
        if output.status.code().is_none_or(|code| code > 1) {
            return Ok(None);
        }
        let mut found = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let one: Value = serde_json::from_str(line).context("a line of ast-grep is JSON")?;
            let line = |end: &str| one["range"][end]["line"].as_u64().map(|line| line + 1);
            found.push((
                one["file"].as_str().unwrap_or_default().trim_start_matches("./").to_owned(),
                line("start").unwrap_or_default(),
                line("end").unwrap_or_default(),
                one["text"].as_str().unwrap_or_default().to_owned(),
            ));
        }
        Ok(Some(found))
    }
}
