//! `impact`: the symbols and tests affected by a change.

use crate::answer::{Answer, Note, limit_or_all};
use crate::arguments::enum_values;
use crate::arguments::symbol_lookup::SymbolAnswer;
use crate::error::{Code, Exit, ToolError};
use crate::graph::affected_symbols::{AffectedTests, affected, tests};
use crate::graph::call_path::CallPath;
use crate::graph::changed_symbols::{self, ChangeSource, ChangedSymbols};
use crate::graph::name_candidates::NameCandidates;
use crate::graph::node_line::{NodeLine, UseLine};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{Direction, EdgeRow, EngineError, GraphView, Reach, ReachOptions, WithDispatch, reach};
use orient_model::EdgeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;

pub(crate) struct Impact;

/// Maximum number of changed names searched for among unresolved uses.
const MAX_NAMES: usize = 50;

/// Arguments of `impact`.
#[derive(Args, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImpactArgs {
    /// Changed symbols or files: handles, names or paths
    #[arg(value_name = "SYMBOL|FILE")]
    #[serde(default)]
    changed: Vec<String>,
    /// Changes since a revision (`HEAD~3`, `main...`), or of a unified diff: a file, or `-` for the standard input
    #[arg(long, value_name = "REVISION|DIFF")]
    #[serde(default)]
    diff: Option<ChangeSource>,
    /// Maximum distance in steps
    #[arg(long, short, value_name = "N", default_value_t = 5)]
    #[serde(default = "five")]
    depth: u32,
    /// Maximum number of symbols; 0 means all
    #[arg(long, value_name = "N", default_value_t = 200)]
    #[serde(default = "limit")]
    limit: usize,
    /// Only the tests that reach the changed symbols
    #[arg(long)]
    #[serde(default)]
    tests_only: bool,
    /// Follow only edges of these kinds: calls, passes, references, `type_of`, inherits, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    #[serde(default)]
    via: Vec<String>,
    /// Minimum confidence: exact, probable or approximate
    #[arg(long, value_name = "LEVEL", default_value = "probable")]
    #[serde(default)]
    confidence: Option<String>,
}

fn five() -> u32 {
    5
}

fn limit() -> usize {
    200
}

/// The impact of a change.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ImpactOut {
    /// The changed symbols and files.
    changed: Vec<NodeLine>,
    /// Affected symbols, nearest first, each once with the use that affects it.
    affected: Vec<AffectedLine>,
    /// Total number of affected symbols.
    symbols: u64,
    /// Number of their files.
    files: u64,
    /// Affected tests with their paths, nearest first. Test helpers are among the symbols.
    tests: Vec<CallPath>,
    /// Total number of affected tests.
    tests_total: u64,
    /// Number of unresolved uses of the changed names: each may be affected too.
    name_only: u64,
    /// Number of these in test code.
    name_only_in_tests: u64,
    /// Changes that could not be followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_followed: Vec<String>,
    /// Whether only the tests were asked for.
    #[serde(skip)]
    #[schemars(skip)]
    tests_only: bool,
}

/// An affected symbol.
#[derive(Serialize, JsonSchema)]
struct AffectedLine {
    /// Distance in steps.
    distance: u32,
    /// The symbol.
    #[serde(flatten)]
    node: NodeLine,
    /// The handle of the changed or affected symbol it uses.
    uses: String,
    /// The use.
    by: UseLine,
}

impl TypedOperation for Impact {
    const NAME: &'static str = "impact";
    const ABOUT: &'static str = "Show the symbols and tests affected by a change";
    const DETAILS: &'static str = "\
Every symbol that uses a changed one, directly or transitively, by distance: calls, types, inheritance, and callers through \
an interface. Affected tests are listed with their path to the change. For a diff or a revision, the changed symbols are \
those whose lines changed, numbered as in the new version.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "impact Server.Run", about: "a changed symbol" },
        Example { command: "impact src/server.go src/client.go", about: "changed files" },
        Example { command: "impact --diff main...", about: "changes since the branch point from main" },
        Example { command: "impact Server.Run --tests-only", about: "the tests that reach a symbol" },
        Example { command: "impact --diff -", about: "a diff from a pipe: git diff | …" },
        Example {
            command: "impact Server.Run --depth 2 --json",
            about: "at most two steps away, for a script",
        },
    ];
    const HEAVY: bool = true;
    type Args = ImpactArgs;
    type Out = SymbolAnswer<ImpactOut>;

    fn run(session: &Session<'_>, args: ImpactArgs) -> Result<Answer<Self::Out>, ToolError> {
        let least = enum_values::confidence(args.confidence.as_deref())?;
        let via = enum_values::edge_kinds(&args.via)?;
        if args.changed.is_empty() == args.diff.is_none() {
            let error =
                ToolError::new(Code::BadArgument, "name the changed symbols or files, a revision, or a diff");
            return Err(error
                .hint("`orient impact Server.Run`, or `orient impact --diff HEAD` for uncommitted changes"));
        }
        let snapshot = session.snapshot()?;
        let view = snapshot.graph();
        let subjects = match &args.diff {
            Some(diff) => changed_symbols::changed_since(session, &view, diff)?,
            None => match changed_symbols::named(session, &view, &args.changed)? {
                Ok(subjects) => subjects,
                Err(unclear) => return unclear.answer(session, &snapshot),
            },
        };
        let unresolved = subjects.unresolved.clone();
        let starts: BTreeSet<_> = subjects.nodes.iter().copied().collect();
        // Follow imports of the changed symbols only: other edges cover the rest of the importing file.
        let follow = |edge: &EdgeRow| {
            edge.confidence <= least
                && (via.is_empty() || via.contains(&edge.kind))
                && (edge.kind != EdgeKind::Imports || starts.contains(&edge.target))
        };
        let max = limit_or_all(args.limit);
        let options = ReachOptions {
            direction: Direction::In,
            depth: args.depth.clamp(1, 100),
            per_level: usize::MAX,
            total: usize::MAX,
            follow: &follow,
            enter: &|_| Ok(true),
        };
        let reached = reach(&WithDispatch(&view), &subjects.nodes, &options)?;
        let tests = tests(&view, &reached, max)?;
        let found_tests = tests.total;
        let top_levels = tests.top_levels;
        let shown_max = if args.tests_only { 0 } else { max };
        let mut out = ImpactOut::of(&view, subjects, &reached, tests, shown_max)?;
        out.tests_only = args.tests_only;
        let unproven = out.name_only_in_tests;
        let (shown, total) = if args.tests_only {
            (out.tests.len(), usize::try_from(found_tests).unwrap_or(usize::MAX))
        } else {
            (out.affected.len(), affected(&reached).count())
        };
        let mut answer = session.answer(&snapshot, SymbolAnswer::one(out));
        answer.total = Some(total as u64);
        answer.add_reasons(unresolved);
        if shown < total {
            let (shown, total) = (count(shown as u64), count(total as u64));
            answer = answer.partial(Note::from(format!("{shown} of {total} shown")).see("limit"));
        }
        if reached.unexplored > 0 {
            answer = answer.partial(Note::from("larger distances were not searched").see("depth"));
        }
        if unproven > 0 {
            let uses = plural(unproven, "unresolved use", "unresolved uses");
            answer = answer.partial(format!("{uses} of the name in test code: more tests may be affected"));
        }
        if top_levels > 0 {
            let files = plural(top_levels, "file", "files");
            answer = answer.partial(format!(
                "top-level code of {files} with tests uses it: the tests there are not counted"
            ));
        }
        Ok(answer)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, ImpactOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}

impl ImpactOut {
    fn of(
        view: &GraphView<'_>,
        subjects: ChangedSymbols,
        reached: &Reach,
        tests: AffectedTests,
        max: usize,
    ) -> Result<Self, EngineError> {
        let mut lines = Vec::new();
        let mut files = BTreeSet::new();
        for (index, (_, step)) in affected(reached).enumerate() {
            files.insert(view.file_of(step.node)?.id);
            let (Some(edge), true) = (step.edges.first(), index < max) else { continue };
            lines.push(AffectedLine {
                distance: step.level,
                node: NodeLine::of(&view.describe(step.node)?),
                uses: NodeLine::of(&view.describe(edge.target)?).handle,
                by: UseLine::of(edge),
            });
        }
        let (mut name_only, mut name_only_in_tests) = (0, 0);
        let names: BTreeSet<String> = subjects.names.into_iter().take(MAX_NAMES).collect();
        for name in names {
            name_only += NameCandidates::of(view, &name, |_, _| Ok(true), 0)?.total;
            name_only_in_tests += NameCandidates::of(view, &name, |source, _| view.is_test(source), 0)?.total;
        }
        Ok(Self {
            changed: subjects.named,
            symbols: affected(reached).count() as u64,
            affected: lines,
            files: files.len() as u64,
            tests: tests.paths,
            tests_total: tests.total,
            name_only,
            name_only_in_tests,
            not_followed: subjects.unknown,
            tests_only: false,
        })
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for node in &self.changed {
            writer.put(Style::Head, "changed: ")?;
            node.write(writer)?;
            writer.end_line()?;
        }
        for one in &self.not_followed {
            writer.put(Style::Warn, "not followed: ")?;
            writer.line(Style::Plain, one)?;
        }
        if self.tests_only {
            let tests = plural(self.tests_total, "test reaches it", "tests reach it");
            let unproven = plural(self.name_only_in_tests, "name-only candidate", "name-only candidates");
            writer.line(Style::Plain, &format!("{tests}, {unproven} in test code"))?;
            return self.write_tests(writer);
        }
        writer.line(
            Style::Plain,
            &format!(
                "{} in {} affected, {}, {}",
                plural(self.symbols, "symbol", "symbols"),
                plural(self.files, "file", "files"),
                plural(self.tests_total, "test affected", "tests affected"),
                plural(self.name_only, "name-only candidate", "name-only candidates"),
            ),
        )?;
        let mut last = 0;
        for line in &self.affected {
            if line.distance != last {
                last = line.distance;
                writer.line(Style::Head, &plural(last.into(), "step away", "steps away"))?;
            }
            writer.plain("  ")?;
            writer.put(Style::Path, &format!("{}:{}", line.node.path, line.by.line))?;
            writer.plain("  ")?;
            line.node.write_name(writer)?;
            let used = line.uses.rsplit_once('#').map_or(line.uses.as_str(), |(_, name)| name);
            writer.put(Style::Dim, &format!("  {} {used}", line.by.kind))?;
            if line.by.confidence != "exact" {
                writer.put(Style::Dim, &format!("  {}: {}", line.by.confidence, line.by.rule))?;
            }
            writer.end_line()?;
        }
        if !self.tests.is_empty() {
            writer.line(Style::Head, "tests")?;
        }
        self.write_tests(writer)
    }

    fn write_tests(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        for test in &self.tests {
            let Some(first) = test.steps.first() else { continue };
            writer.plain("  ")?;
            writer.put(Style::Path, &first.node.anchor())?;
            writer.line(Style::Plain, &format!("  {}", test.chain()))?;
        }
        Ok(())
    }
}
