//! `audit`: precision and recall of the call edges against a compiler's ground truth.

use crate::answer::unread_files::AnswerScope;
use crate::answer::{Answer, Note};
use crate::audit::{EdgeCounts, Evaluation, FoundEdge, GroundTruth, Location, Pair, evaluate, share};
use crate::error::{Code, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::count;
use crate::text::writer::{Cell, Style, TextWriter};
use clap::Args;
use orient_engine::{EdgeRow, EngineError, FullGraph, Snapshot};
use orient_model::{Confidence, EdgeKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;

pub(crate) struct Audit;

/// Arguments of `audit`.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditArgs {
    /// The ground truth: JSON lines of {"caller": {"path", "line"}, "callee": {"path", "line"}}, or a SCIP index
    #[arg(long, value_name = "FILE")]
    against: String,
    /// Evaluate only callers in these files: {"files": […]} or one path per line. Default: the files of the ground truth
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    scope: Option<String>,
    /// Maximum number of wrong and missing edges to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[serde(default = "ten")]
    show: usize,
}

fn ten() -> usize {
    10
}

/// The evaluation of the call edges.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AuditOut {
    /// The share of our edges that are correct.
    precision: Option<f64>,
    /// The share of the true edges that were found.
    recall: Option<f64>,
    /// Number of true edges.
    truth: u64,
    /// Number of true edges that were found.
    found: u64,
    /// Number of correct edges.
    right: u64,
    /// Number of wrong edges.
    wrong: u64,
    /// Number of correct edges of kinds that the ground truth does not require.
    other_kinds: u64,
    /// By confidence.
    by_confidence: Vec<GroupLine>,
    /// By resolution rule.
    by_rule: Vec<GroupLine>,
    /// By edge kind.
    by_kind: Vec<GroupLine>,
    /// The first wrong edges.
    wrong_edges: Vec<PairLine>,
    /// The first missing edges.
    missing_edges: Vec<PairLine>,
}

/// Edges of one group.
#[derive(Serialize, JsonSchema)]
struct GroupLine {
    /// The group.
    name: &'static str,
    /// Number of correct edges.
    right: u64,
    /// Number of wrong edges.
    wrong: u64,
    /// The share of correct edges.
    precision: Option<f64>,
}

/// An edge.
#[derive(Serialize, JsonSchema)]
struct PairLine {
    /// Where the caller is declared.
    caller: String,
    /// Where the callee is declared.
    callee: String,
    /// The line of the call; absent for a missing edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Its evidence; absent for a missing edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<String>,
}

impl TypedOperation for Audit {
    const NAME: &'static str = "audit";
    const ABOUT: &'static str = "Evaluate the call edges against a compiler's ground truth";
    const DETAILS: &'static str = "\
An edge is a pair of symbols, identified by the lines of their names (0 for top-level code), and counts once. It is \
evaluated if its caller is in a file of the ground truth or of --scope. `also` beside a callee lists other locations of the \
same symbol, such as its declaration. A SCIP index does not distinguish calls from other uses of a function: both count as \
found.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "audit --against truth.jsonl", about: "precision and recall" },
        Example {
            command: "audit --against index.scip --show 50",
            about: "against a SCIP index, with more wrong and missing edges",
        },
        Example {
            command: "audit --against truth.jsonl --scope files.txt --json",
            about: "some files only, for a script",
        },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    type Args = AuditArgs;
    type Out = AuditOut;

    fn run(session: &Session<'_>, args: AuditArgs) -> Result<Answer<AuditOut>, ToolError> {
        let read = |name: &str| {
            let bytes = std::fs::read(session.directories()[0].join(name));
            bytes.map_err(|error| ToolError::new(Code::Io, format!("cannot read {name}: {error}")))
        };
        let mut truth = GroundTruth::parse(&read(&args.against)?, &args.against)?;
        if let Some(scope) = &args.scope {
            truth.narrow(&read(scope)?, scope)?;
        }
        let snapshot = session.snapshot()?;
        let evaluation = evaluate(&truth, &ours(&snapshot, &truth)?);
        let mut answer =
            session.answer_within(&snapshot, AnswerScope::FilesRead, AuditOut::of(&evaluation, args.show));
        if truth.any_use {
            answer =
                answer.note("a SCIP index does not distinguish calls from other uses: both count as found");
        }
        let left_out = evaluation.wrong.len().max(evaluation.missing.len());
        if left_out > args.show {
            answer = answer.note(Note::from("not all wrong and missing edges are shown").see("show"));
        }
        Ok(answer)
    }

    fn text(out: &AuditOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let head = format!("precision {}  recall {}", percent(out.precision), percent(out.recall));
        writer.line(Style::Head, &head)?;
        writer.line(
            Style::Plain,
            &format!(
                "{} correct, {} wrong, {} of other kinds; {} of {} true edges found",
                count(out.right),
                count(out.wrong),
                count(out.other_kinds),
                count(out.found),
                count(out.truth)
            ),
        )?;
        let groups = [("confidence", &out.by_confidence), ("rule", &out.by_rule), ("kind", &out.by_kind)];
        for (name, lines) in groups {
            write_groups(name, lines, writer)?;
        }
        for (head, edges) in [("wrong", &out.wrong_edges), ("missing", &out.missing_edges)] {
            if !edges.is_empty() {
                writer.line(Style::Head, head)?;
            }
            for edge in edges {
                writer.put(Style::Path, &format!("  {}", edge.caller))?;
                writer.plain(" → ")?;
                writer.put(Style::Path, &edge.callee)?;
                let line = edge.line.map_or_else(String::new, |line| format!("  at line {line}"));
                let proof = edge.proof.as_ref().map_or_else(String::new, |proof| format!("  {proof}"));
                writer.line(Style::Dim, &format!("{line}{proof}"))?;
            }
        }
        Ok(())
    }
}

/// Our pairs in the scope, each with its most confident edge; calls take precedence over other uses.
fn ours(snapshot: &Snapshot, truth: &GroundTruth) -> Result<BTreeMap<Pair, FoundEdge>, EngineError> {
    let whole = FullGraph::read(snapshot)?;
    let mut best: BTreeMap<Pair, (bool, Confidence, u32, EdgeRow)> = BTreeMap::new();
    for file in &whole.files {
        if !truth.files.contains(file.path.display().as_ref()) {
            continue;
        }
        let graph = snapshot.file_graph(file.id)?;
        for edge in &graph.edges[..graph.own] {
            let calls = matches!(edge.kind, EdgeKind::Calls | EdgeKind::Constructs);
            let wanted = calls || (truth.any_use && edge.kind == EdgeKind::References);
            if !wanted {
                continue;
            }
            let Some((source, target)) = whole.ends(edge) else { continue };
            let place = |number: u32| {
                let path = whole.file(number).path.display().into_owned();
                (path, whole.nodes[number as usize].line)
            };
            let rank = (!calls, edge.confidence, edge.line, *edge);
            let pair = (place(source), place(target));
            match best.get(&pair) {
                Some(known) if known <= &rank => {}
                _ => {
                    best.insert(pair, rank);
                }
            }
        }
    }
    let in_words = |(no_call, confidence, line, edge): (bool, Confidence, u32, EdgeRow)| FoundEdge {
        confidence: confidence.as_str(),
        rule: edge.rule.as_str(),
        kind: edge.kind.as_str(),
        calls: !no_call,
        line,
    };
    Ok(best.into_iter().map(|(pair, rank)| (pair, in_words(rank))).collect())
}

impl AuditOut {
    fn of(evaluation: &Evaluation, show: usize) -> Self {
        let shown = |(path, line): &Location| format!("{path}:{line}");
        let groups = |rows: &BTreeMap<&'static str, EdgeCounts>| {
            let mut lines: Vec<GroupLine> =
                rows.iter().map(|(name, tally)| GroupLine::of(name, *tally)).collect();
            lines.sort_by_key(|line| std::cmp::Reverse(line.right + line.wrong));
            lines
        };
        let wrong = evaluation.wrong.iter().take(show).map(|((caller, callee), edge)| PairLine {
            caller: shown(caller),
            callee: shown(callee),
            line: Some(edge.line),
            proof: Some(format!("{}: {}", edge.confidence, edge.rule)),
        });
        let missing = evaluation.missing.iter().take(show).map(|(caller, callee)| PairLine {
            caller: shown(caller),
            callee: shown(callee),
            line: None,
            proof: None,
        });
        Self {
            precision: evaluation.all.precision(),
            recall: share(evaluation.found, evaluation.required),
            truth: evaluation.required,
            found: evaluation.found,
            right: evaluation.all.right,
            wrong: evaluation.all.wrong,
            other_kinds: evaluation.other_kinds,
            by_confidence: groups(&evaluation.by_confidence),
            by_rule: groups(&evaluation.by_rule),
            by_kind: groups(&evaluation.by_kind),
            wrong_edges: wrong.collect(),
            missing_edges: missing.collect(),
        }
    }
}

impl GroupLine {
    fn of(name: &'static str, tally: EdgeCounts) -> Self {
        Self { name, right: tally.right, wrong: tally.wrong, precision: tally.precision() }
    }
}

fn write_groups(name: &str, lines: &[GroupLine], writer: &mut TextWriter<'_>) -> io::Result<()> {
    let cell = |text: &str| Cell::number(Style::Dim, text);
    let mut rows =
        vec![vec![Cell::new(Style::Head, name), cell("correct"), cell("wrong"), cell("precision")]];
    for line in lines {
        rows.push(vec![
            Cell::new(Style::Plain, line.name),
            Cell::number(Style::Plain, count(line.right)),
            Cell::number(Style::Plain, count(line.wrong)),
            Cell::number(Style::Plain, percent(line.precision)),
        ]);
    }
    writer.table(0, &rows)
}

/// A ratio with three decimals; a dash if undefined.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}
