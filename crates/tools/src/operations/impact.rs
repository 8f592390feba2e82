//! `impact`: the symbols and tests affected by a change.

use crate::answer::completeness::{Question, UsesOf};
use crate::answer::{Answer, Cause, Doubt, Note, limit_or_all};
use crate::arguments::enum_values;
use crate::arguments::symbol_lookup::SymbolAnswer;
use crate::error::{Code, Exit, ToolError};
use crate::graph::affected_symbols::{AffectedTests, affected};
use crate::graph::call_path::CallPath;
use crate::graph::changed_symbols::{self, ChangeSource, ChangedSymbols};
use crate::graph::name_candidates::NameCandidates;
use crate::graph::node_line::{NodeLine, UseLine};
use crate::history::broken_uses::BrokenUse;
use crate::history::contract_changes::{ContractChange, SymbolPlace};
use crate::history::contract_users::{ContractUsers, FEW, UseLeftBehind};
use crate::history::diff_breakage::DiffBreakage;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{
    Definition, Direction, EdgeRow, EngineError, GraphView, NodeId, Reach, ReachOptions, WithDispatch, reach,
};
use orient_model::{EdgeKind, Rule};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

pub(crate) struct Impact;

/// Maximum number of changed names searched for among unresolved uses.
const MAX_NAMES: usize = 50;
/// Maximum number of changed symbols whose mentions are searched for.
const MAX_MENTIONED: usize = 5;

/// Arguments of `impact`.
#[derive(Args)]
pub(crate) struct ImpactArgs {
    /// Changed symbols or files: handles, names or paths
    #[arg(value_name = "SYMBOL|FILE")]
    changed: Vec<String>,
    /// Changes since a revision (`HEAD~3`, `main...`), or of a unified diff: a file, or `-` for the standard input
    #[arg(long, value_name = "REVISION|DIFF")]
    diff: Option<ChangeSource>,
    /// Maximum distance in steps
    #[arg(long, short, value_name = "N", default_value_t = 5)]
    depth: u32,
    /// Maximum number of symbols; 0 means all
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: usize,
    /// Only the tests that reach the changed symbols
    #[arg(long)]
    tests_only: bool,
    /// Follow only edges of these kinds: calls, passes, references, `type_of`, inherits, …
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    via: Vec<String>,
    /// Minimum confidence: exact, probable or approximate
    #[arg(long, value_name = "LEVEL", default_value = "probable")]
    confidence: Option<String>,
}

/// The impact of a change.
#[derive(Serialize)]
pub(crate) struct ImpactOut {
    /// The changed symbols and files.
    changed: Vec<NodeLine>,
    /// Uses of symbols that were removed, renamed, moved, made less visible or got another signature, and that are not changed
    /// with them. Only for a diff or a revision.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<BrokenLine>,
    /// Total number of such uses.
    broken_total: u64,
    /// Other lines with the name of what was removed, renamed or moved, by symbol.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken_by_name: Vec<NamesakeLines>,
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
    tests_only: bool,
}

/// A use that is not changed with what it uses.
#[derive(Serialize)]
struct BrokenLine {
    /// The handle of the changed symbol before the change.
    symbol: String,
    /// What happened to it: removed, renamed, moved, signature, visibility.
    change: String,
    /// Its handle after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    became: Option<String>,
    /// The use.
    #[serde(flatten)]
    site: UseLeftBehind,
}

/// What may be a use of a changed symbol.
#[derive(Serialize)]
struct NamesakeLines {
    /// The handle of the changed symbol before the change.
    symbol: String,
    /// The unresolved uses and other lines.
    #[serde(flatten)]
    users: ContractUsers,
}

/// An affected symbol.
#[derive(Serialize)]
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
those whose lines changed, numbered as in the new version. Uses that the change breaks come first.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "impact --diff HEAD", about: "what uncommitted changes break, and their tests" },
        Example { command: "impact Server.Run", about: "a changed symbol" },
        Example { command: "impact src/server.go src/client.go", about: "changed files" },
        Example {
            command: "impact --diff main... --tests-only",
            about: "the tests to run since the branch point",
        },
        Example { command: "impact Server.Run --tests-only", about: "the tests that reach a symbol" },
        Example { command: "impact --diff -", about: "a diff from a pipe: git diff | …" },
        Example {
            command: "impact Server.Run --depth 2 --json",
            about: "at most two steps away, for a script",
        },
    ];
    const PROVISIONAL: bool = true;
    const HEAVY: bool = true;
    const IS_NEGATIVE: fn(&Self::Out) -> bool =
        |out| out.is_negative(|out| out.symbols == 0 && out.tests_total == 0);
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
        let mut broken = DiffBreakage::default();
        let subjects = match &args.diff {
            Some(diff) => {
                let changed = diff.files(session, &snapshot, true)?;
                broken = DiffBreakage::of(
                    session,
                    &snapshot,
                    &changed,
                    if args.limit == 0 { usize::MAX } else { FEW },
                )?;
                changed_symbols::changed_since(&view, &changed.files, &broken.followed)?
            }
            None => match changed_symbols::named(session, &view, &args.changed)? {
                Ok(subjects) => subjects,
                Err(unclear) => return unclear.answer(session, &snapshot),
            },
        };
        let unresolved = subjects.unresolved.clone();
        let users = BrokenUsers::of(&broken);
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
        let graph = WithDispatch(&view);
        let reached = reach(&graph, &subjects.nodes, &options)?;
        // Those who use what was removed are one step away from it.
        let depth = options.depth - 1;
        let beyond = reach(&graph, &users.nodes(), &ReachOptions { depth, ..options })?;
        let tests = AffectedTests::of(&view, &[(&reached, false), (&beyond, true)], max)?;
        let found_tests = tests.total;
        let top_levels = tests.top_levels;
        let shown_max = if args.tests_only { 0 } else { max };
        let mut out = ImpactOut::of(&view, subjects, &reached, tests, shown_max)?;
        out.add_users(&view, &users, (&reached, &beyond), shown_max)?;
        out.add_broken(&view, &mut broken, shown_max)?;
        out.tests_only = args.tests_only;
        let open = OpenEnds {
            unproven: out.name_only_in_tests,
            unresolved: out.name_only.saturating_sub(out.name_only_in_tests),
            top_levels,
            unexplored: (reached.unexplored + beyond.unexplored) as u64,
        };
        let (definitions, affected_symbols) = (definitions_of(&view, &starts)?, out.symbols);
        let (shown, total) = if args.tests_only {
            (out.tests.len() as u64, found_tests)
        } else {
            ((out.affected.len() + out.broken.len()) as u64, out.symbols + out.broken_total)
        };
        let uses: Vec<UsesOf<'_>> = definitions
            .iter()
            .map(|definition| UsesOf { definition, found: affected_symbols, candidates: None, by_name: true })
            .collect();
        let mut answer = session.answer_about(&snapshot, &Question::Uses(&uses), SymbolAnswer::one(out))?;
        answer.metadata.total = Some(total);
        answer.add_doubts(unresolved.into_iter().filter(|_| uses.is_empty()));
        answer.add_doubts(std::mem::take(&mut broken.breakage.doubts));
        if shown < total {
            let (cut, note) = (total - shown, format!("{} of {} shown", count(shown), count(total)));
            answer = answer.partial(Doubt::limit(cut, Note::from(note).see("limit")));
        }
        answer.add_doubts(open.doubts());
        Ok(answer)
    }

    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer, ImpactOut::write)
    }

    fn exit(out: &Self::Out) -> Exit {
        out.exit()
    }
}

/// What the search for affected symbols left open.
struct OpenEnds {
    /// Unresolved uses of the changed names in test code, and elsewhere.
    unproven: u64,
    unresolved: u64,
    /// Files with tests whose top-level code is affected.
    top_levels: u64,
    /// Symbols at the largest distance that was searched.
    unexplored: u64,
}

impl OpenEnds {
    fn doubts(&self) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        if self.unresolved > 0 {
            let uses = plural(self.unresolved, "use of the name is", "uses of the name are");
            let text = format!("{uses} not resolved: more may be affected");
            doubts.push(Doubt::new(Cause::UnresolvedUses, self.unresolved, text));
        }
        if self.unexplored > 0 {
            let note = Note::from("larger distances were not searched").see("depth");
            doubts.push(Doubt::limit(self.unexplored, note));
        }
        if self.unproven > 0 {
            let uses = plural(self.unproven, "unresolved use", "unresolved uses");
            let text = format!("{uses} of the name in test code: more tests may be affected");
            doubts.push(Doubt::new(Cause::UnresolvedUses, self.unproven, text));
        }
        if self.top_levels > 0 {
            let files = plural(self.top_levels, "file", "files");
            let text =
                format!("top-level code of {files} with tests uses it: the tests there are not counted");
            doubts.push(Doubt::new(Cause::Unsearched, self.top_levels, text));
        }
        doubts
    }
}

/// The definitions of the first changed symbols, which templates and texts may mention.
fn definitions_of(view: &GraphView<'_>, changed: &BTreeSet<NodeId>) -> Result<Vec<Definition>, EngineError> {
    let mut found = Vec::new();
    for &node in changed.iter().take(MAX_MENTIONED) {
        found.extend(view.describe(node)?.definition);
    }
    Ok(found)
}

/// The first broken use in each symbol.
struct BrokenUsers<'b>(BTreeMap<NodeId, (&'b ContractChange, &'b BrokenUse)>);

impl<'b> BrokenUsers<'b> {
    fn of(found: &'b DiffBreakage) -> Self {
        let mut users = BTreeMap::new();
        for one in &found.breakage.contracts {
            let change = &found.contracts[one.at];
            for site in &one.found.uses {
                users.entry(site.within).or_insert((change, site));
            }
        }
        Self(users)
    }

    fn nodes(&self) -> Vec<NodeId> {
        self.0.keys().copied().collect()
    }
}

impl ImpactOut {
    /// Adds the users of what was removed, and what they affect, as far as it is not affected otherwise.
    fn add_users(
        &mut self,
        view: &GraphView<'_>,
        users: &BrokenUsers<'_>,
        (reached, beyond): (&Reach, &Reach),
        max: usize,
    ) -> Result<(), EngineError> {
        let known: BTreeSet<NodeId> = reached.steps.iter().map(|step| step.node).collect();
        let mut files = BTreeSet::new();
        for (_, step) in affected(reached) {
            files.insert(view.file_of(step.node)?.path.display().into_owned());
        }
        let mut more = Vec::new();
        for (&node, (change, site)) in users.0.iter().filter(|(node, _)| !known.contains(node)) {
            let by = UseLine {
                line: site.line,
                kind: site.kind,
                confidence: site.confidence.as_str(),
                rule: site.rule.unwrap_or(Rule::Name).as_str(),
            };
            more.push(AffectedLine {
                distance: 1,
                node: NodeLine::of(&view.describe(node)?),
                uses: change.old.handle(),
                by,
            });
        }
        for (_, step) in affected(beyond).filter(|(_, step)| !known.contains(&step.node)) {
            let Some(edge) = step.edges.first() else { continue };
            let uses = NodeLine::of(&view.describe(edge.target)?).handle;
            let (distance, node) = (step.level + 1, NodeLine::of(&view.describe(step.node)?));
            more.push(AffectedLine { distance, node, uses, by: UseLine::of(edge) });
        }
        self.symbols += more.len() as u64;
        self.files += more.iter().filter(|line| files.insert(line.node.path.clone())).count() as u64;
        self.affected.extend(more);
        self.affected.sort_by_key(|line| line.distance);
        self.affected.truncate(max);
        Ok(())
    }

    /// Adds what the change breaks, as one list.
    fn add_broken(
        &mut self,
        view: &GraphView<'_>,
        found: &mut DiffBreakage,
        max: usize,
    ) -> Result<(), EngineError> {
        for one in &mut found.breakage.contracts {
            let change = &found.contracts[one.at];
            let users = std::mem::take(&mut one.users);
            self.broken_total += users.uses_total;
            for site in users.uses.iter().take(max.saturating_sub(self.broken.len())) {
                self.broken.push(BrokenLine {
                    symbol: change.old.handle(),
                    change: change.change.join("+"),
                    became: change.new.as_ref().map(SymbolPlace::handle),
                    site: site.clone(),
                });
            }
            // Those of a name that stays are counted with the changed symbols.
            if change.name_is_gone() {
                self.name_only += users.candidates_total;
                for site in &one.found.candidates {
                    self.name_only_in_tests += u64::from(view.is_test(site.within)?);
                }
            }
            if users.candidates_total + users.external + users.mentions_total > 0 && max > 0 {
                let users = ContractUsers { uses: Vec::new(), ..users };
                self.broken_by_name.push(NamesakeLines { symbol: change.old.handle(), users });
            }
        }
        Ok(())
    }

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
            broken: Vec::new(),
            broken_total: 0,
            broken_by_name: Vec::new(),
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
        self.write_broken(writer)?;
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

    fn write_broken(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if self.broken_total > 0 {
            let uses = plural(
                self.broken_total,
                "use is not changed with what it uses",
                "uses are not changed with what they use",
            );
            writer.line(Style::Warn, &uses)?;
        }
        let mut last = "";
        for line in &self.broken {
            if line.symbol != last {
                last = &line.symbol;
                writer.put(Style::Head, &format!("  {} ", line.change))?;
                writer.put(Style::Name, &line.symbol)?;
                if let Some(now) = line.became.as_ref().filter(|now| **now != line.symbol) {
                    writer.put(Style::Dim, &format!(", now {now}"))?;
                }
                writer.end_line()?;
            }
            line.site.write(writer, "    ")?;
        }
        for one in &self.broken_by_name {
            writer.put(Style::Head, "  by name only ")?;
            writer.line(Style::Name, &one.symbol)?;
            one.users.write_possible(writer)?;
        }
        Ok(())
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
