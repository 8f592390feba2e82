//! `audit`: call sites that the graph does not account for, and the call edges against a compiler's ground truth.

use crate::answer::unread_files::AnswerScope;
use crate::answer::{Answer, Note};
use crate::arguments::path_argument::pattern_from_root;
use crate::audit::{
    EdgeCounts, Evaluation, FoundEdge, GroundTruth, LayerChanges, Location, Pair, SiteAudit, evaluate, share,
};
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::count;
use crate::text::writer::{Cell, Style, TextWriter};
use clap::Args;
use orient_engine::{EdgeRow, EngineError, FullGraph, Snapshot};
use orient_model::{Confidence, EdgeKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;

pub(crate) struct Audit;

/// Arguments of `audit`.
#[derive(Args)]
pub(crate) struct AuditArgs {
    /// The ground truth: JSON lines of {"caller": {"path", "line"}, "callee": {"path", "line"}}, or a SCIP index
    #[arg(long, value_name = "FILE", required_unless_present_any = ["sites", "layer"])]
    against: Option<String>,
    /// Count the nodes that look like calls and are neither an edge nor external nor a candidate
    #[arg(long, conflicts_with = "against")]
    sites: bool,
    /// Show what compilers change (`scip import`, `enrich`): resolve the files that they describe with and without them
    #[arg(long, conflicts_with_all = ["against", "sites"])]
    layer: bool,
    /// With --sites: only files that match this path or pattern
    #[arg(long, value_name = "PATH", requires = "sites")]
    path: Option<String>,
    /// With --sites: the exit code is 1 if a larger percentage is silent in any language
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
    max_silent: f64,
    /// Evaluate only callers in these files: {"files": […]} or one path per line. Default: the files of the ground truth
    #[arg(long, value_name = "FILE")]
    scope: Option<String>,
    /// Maximum number of wrong and missing edges, or of silent sites, to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    show: usize,
}

/// The result of an audit.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum AuditOut {
    /// Of the call edges.
    Edges(EdgeAudit),
    /// Of the call sites.
    Sites(SiteAudit),
    /// Of the compiler layer.
    Layer(LayerChanges),
}

/// The evaluation of the call edges.
#[derive(Serialize)]
pub(crate) struct EdgeAudit {
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
#[derive(Serialize)]
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
#[derive(Serialize)]
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
    const ABOUT: &'static str =
        "Count call sites that the graph misses, or compare its edges with a compiler's";
    const DETAILS: &'static str = "\
--sites reads the syntax trees of all files in deep languages. A call site is a node that the grammar names after a call, or a name \
before parentheses in macro arguments. It is silent if it has a name and is neither an edge nor an external reference nor a candidate with a \
reason. Calls without a name (`f()()`, `table[key]()`) are counted separately.

--against compares edges. \
An edge is a pair of symbols, identified by the lines of their names (0 for top-level code), and counts once. It is \
evaluated if its caller is in a file of the ground truth or of --scope. `also` beside a callee lists other locations of the \
same symbol, such as its declaration. A SCIP index does not distinguish calls from other uses of a function: both count as \
found.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "audit --sites", about: "silent call sites by language" },
        Example { command: "audit --layer", about: "what compilers change" },
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
        if args.sites {
            return run_sites(session, &args);
        }
        if args.layer {
            return run_layer(session, args.show);
        }
        let Some(against) = &args.against else {
            return Err(ToolError::new(Code::BadArgument, "give a ground truth, --sites or --layer"));
        };
        let read = |name: &str| {
            let bytes = std::fs::read(session.directories()[0].join(name));
            bytes.map_err(|error| ToolError::new(Code::Io, format!("cannot read {name}: {error}")))
        };
        let mut truth = GroundTruth::parse(&read(against)?, against)?;
        if let Some(scope) = &args.scope {
            truth.narrow(&read(scope)?, scope)?;
        }
        let snapshot = session.snapshot()?;
        let evaluation = evaluate(&truth, &ours(&snapshot, &truth)?);
        let mut answer = session.answer_within(
            &snapshot,
            AnswerScope::FilesRead,
            AuditOut::Edges(EdgeAudit::of(&evaluation, args.show)),
        );
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
        match out {
            AuditOut::Edges(edges) => edges.write(writer),
            AuditOut::Sites(sites) => sites.write(writer),
            AuditOut::Layer(layer) => layer.write(writer),
        }
    }

    fn exit(out: &AuditOut) -> Exit {
        match out {
            AuditOut::Sites(sites) if sites.exceeds => Exit::Nothing,
            _ => Exit::Ok,
        }
    }
}

/// Audits the compiler layer.
fn run_layer(session: &Session<'_>, show: usize) -> Result<Answer<AuditOut>, ToolError> {
    let snapshot = session.snapshot()?;
    let Some(audit) = snapshot.audit_layer(session.threads()?, session.cancel())? else {
        let error = ToolError::new(Code::NotFound, "there is no compiler layer");
        return Err(error.hint("`orient scip import index.scip` imports a compiler's index, `orient enrich` asks language servers"));
    };
    let out = AuditOut::Layer(LayerChanges::of(&audit, snapshot.compilers(), show));
    let mut answer = session.answer_within(&snapshot, AnswerScope::FilesRead, out);
    if audit.added.len().max(audit.dropped.len()) > show {
        answer = answer.note(Note::from("not all added and dropped edges are shown").see("show"));
    }
    Ok(answer)
}

/// Audits the call sites.
fn run_sites(session: &Session<'_>, args: &AuditArgs) -> Result<Answer<AuditOut>, ToolError> {
    let within = args.path.as_deref().map(|path| pattern_from_root(session, path)).transpose()?;
    let snapshot = session.snapshot()?;
    let audit = snapshot.audit_call_sites(within.as_ref(), session.threads()?, session.cancel())?;
    let out = SiteAudit::of(&audit, args.show, args.max_silent);
    let mut answer = session.answer_within(&snapshot, AnswerScope::FilesRead, AuditOut::Sites(out));
    if audit.silent.len() > args.show {
        answer = answer.note(Note::from("not all silent sites are shown").see("show"));
    }
    Ok(answer)
}

impl EdgeAudit {
    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let out = self;
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
            let wanted =
                calls || (truth.any_use && matches!(edge.kind, EdgeKind::References | EdgeKind::Passes));
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

impl EdgeAudit {
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
