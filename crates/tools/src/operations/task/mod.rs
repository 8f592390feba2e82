//! `task`: a guided task, from the request to the review of the diff.

mod answer;
mod args;
pub(super) mod plan;

use crate::answer::Answer;
use crate::arguments::path_argument;
use crate::arguments::program_arguments::Word;
use crate::arguments::symbol_lookup::resolve_symbol;
use crate::error::{Code, Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::task::{dependents, finish_review, guard, record, symbol_relevance};
use crate::text::writer::TextWriter;
use answer::{FindingLine, Needed, TaskOut, TaskState, needed};
use args::{Action, TaskArgs};
use orient_engine::{Direction, GraphView, ReachOptions, Snapshot, TaskRow, TaskStore, reach};
use orient_model::Confidence;
use orient_task::{
    Agreement, FrameSlot, FrameSymbol, Impact, Outcome, Problem, Record, SemanticReason, Status, Task, Tier,
    Understanding, review,
};
use plan::PlanOut;
use std::io;

pub(crate) struct GuidedTask;

/// Maximum distance from an entry point to a symbol that it leads to.
const LINK_DEPTH: u32 = 8;
/// Maximum number of symbols searched for a link.
const LINK_STEPS: usize = 4_000;
/// Maximum number of tasks in a list.
const MAX_LISTED: usize = 50;
/// Maximum length of a request in characters.
const MAX_REQUEST: usize = 8_000;

impl TypedOperation for GuidedTask {
    const NAME: &'static str = "task";
    const ABOUT: &'static str = "Guide a change: understand the code before writing it";
    const DETAILS: &'static str = "\
A task records what was shown to the client and allows writing when enough of the code was read: `start` with the request, \
`frame` what it says with quotations, `plan` what to read, read it, `submit` what was understood, `check` a file before \
writing it, `finish` with a review of the diff. What is submitted is compared with what was actually shown; claims are not \
evidence. Every answer names what is missing and the command that supplies it. Tasks are kept in the store, one active per \
client. The reasons for going on without enough reading are no_definition_found, no_reference_found, \
no_similar_implementation, context_fragmented and architecture_unknown.";
    const EXAMPLES: &'static [Example] = &[
        Example {
            command: "task start --intent modify 'uploads of empty files crash'",
            about: "start a task",
        },
        Example {
            command: "task frame --slots 'observed_issue: crash | files crash'",
            about: "say what the request says, with a quotation",
        },
        Example { command: "task plan", about: "what to read" },
        Example {
            command: "task submit --symbols src/upload.py#send --files src/upload.py",
            about: "say what was understood",
        },
        Example {
            command: "task check src/upload.py",
            about: "whether the file may be written; exit code 1 if not",
        },
        Example { command: "task finish --outcome success", about: "review the diff and end the task" },
    ];
    const HEAVY: bool = true;
    const PER_CLIENT: bool = true;
    const ANY_REVISION: bool = false;
    type Args = TaskArgs;
    type Out = TaskOut;

    fn run(session: &Session<'_>, args: TaskArgs) -> Result<Answer<TaskOut>, ToolError> {
        let action = args.action()?;
        match action {
            Action::Start => start(session, &args),
            Action::List => list(session),
            Action::Check => check(session, &args),
            Action::Resume => resume(session, &args),
            Action::Export => export(session, &args),
            Action::Agreements => Ok(agreements(session)),
            Action::Forget => Ok(forget(session, &args)),
            _ => act(session, action, &args),
        }
    }

    fn text(out: &TaskOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        out.write(writer)
    }

    fn exit(out: &TaskOut) -> Exit {
        if out.accepted { Exit::Ok } else { Exit::Nothing }
    }
}

/// The store of tasks, which must exist.
fn existing_store(session: &Session<'_>) -> Result<TaskStore, ToolError> {
    session.engine()?.tasks(false)?.ok_or_else(no_task)
}

fn no_task() -> ToolError {
    ToolError::new(Code::NotFound, "there is no active task")
        .hint("`orient task start --intent modify \"REQUEST\"` starts one; `orient task list` lists them")
}

fn start(session: &Session<'_>, args: &TaskArgs) -> Result<Answer<TaskOut>, ToolError> {
    let (intent, request) = (args.intent()?, args.joined());
    if request.is_empty() || request.chars().count() > MAX_REQUEST {
        return Err(ToolError::new(Code::BadArgument, "a request of 1 to 8000 characters is required")
            .hint("`orient task start --intent modify \"uploads of empty files crash\"`"));
    }
    let snapshot = session.snapshot()?;
    let Some(store) = session.engine()?.tasks(true)? else { return Err(no_task()) };
    let before = store.active(session.client())?;
    let failed = reverted_earlier(session, &store)?;
    let task = Task::start(intent, &request);
    let id = store.insert(session.client(), &record::head(session), &task.to_text(), record::now())?;
    let gaps = task.gaps(&Record::default());
    let mut needed = needed(&task, &gaps);
    needed.insert(
        0,
        Needed::new(
            "say what the request says (unknown slots raise the risk)",
            "task frame --slots \"observed_issue: VALUE | QUOTE\"",
        ),
    );
    needed.insert(1, Needed::new("list what is worth reading", "task plan"));
    let state = TaskState::new(id, session.client(), &task);
    let out = TaskOut { task: Some(state), accepted: true, needed, ..TaskOut::default() };
    let mut answer = session.answer(&snapshot, out);
    if let Some(before) = before {
        answer = answer.note(format!(
            "task {} is set aside; `orient task resume {}` returns to it",
            before.id, before.id
        ));
    }
    answer.add_notes(failed);
    Ok(answer)
}

/// Marks tasks that had succeeded and whose change was reverted in git since; returns notes about them.
fn reverted_earlier(session: &Session<'_>, store: &TaskStore) -> Result<Vec<String>, ToolError> {
    const MAX_COMMITS: usize = 50;
    let mut notes = Vec::new();
    let Ok(mut history) = orient_history::History::open(session.root()) else { return Ok(notes) };
    let Ok(head) = history.revision("HEAD") else { return Ok(notes) };
    let mut reverted: Vec<(String, String)> = Vec::new();
    let mut next = Some(head);
    for _ in 0..MAX_COMMITS {
        let Some(id) = next else { break };
        let Ok(commit) = history.commit(&id) else { break };
        for line in commit.message.lines() {
            let id = line.trim().strip_prefix("This reverts commit ").map(|rest| rest.trim_end_matches('.'));
            reverted.extend(id.map(|id| (id.to_owned(), commit.short_id())));
        }
        next = history.parents(&id).ok().and_then(|parents| parents.first().copied());
    }
    if reverted.is_empty() {
        return Ok(notes);
    }
    for row in store.newest(MAX_LISTED)? {
        let mut task = guard::read_task(&row)?;
        let ended = matches!(task.status, Status::Ended(Outcome::Success | Outcome::Partial));
        let Some(commit) =
            task.decisions.iter().find_map(|one| (one.event == "commit").then(|| one.text.clone()))
        else {
            continue;
        };
        let by = reverted.iter().find(|(id, _)| ended && !commit.is_empty() && id.starts_with(&commit));
        if let Some((_, by)) = by {
            task.mark_reverted(by);
            store.update(row.id, &task.to_text(), false, record::now())?;
            notes.push(format!("the change of task {} was reverted by {by}", row.id));
        }
    }
    Ok(notes)
}

fn list(session: &Session<'_>) -> Result<Answer<TaskOut>, ToolError> {
    let mut out = TaskOut { accepted: true, ..TaskOut::default() };
    if let Some(store) = session.engine()?.tasks(false)? {
        for row in store.newest(MAX_LISTED)? {
            out.tasks.push(TaskState::new(row.id, &row.client, &guard::read_task(&row)?));
        }
    }
    if out.tasks.is_empty() {
        "there are no tasks".clone_into(&mut out.decision);
    }
    Ok(Answer::new(out))
}

/// The task with the number of an argument; it must belong to this client.
fn numbered(session: &Session<'_>, store: &TaskStore, args: &TaskArgs) -> Result<TaskRow, ToolError> {
    let text = args.joined();
    let id: u64 = text.trim_start_matches('#').parse().map_err(|_| {
        ToolError::new(Code::BadArgument, format!("`{text}` is not the number of a task"))
            .hint("`orient task list` lists them")
    })?;
    let row = store.task(id)?.ok_or_else(|| {
        ToolError::new(Code::NotFound, format!("there is no task {id}")).hint("`orient task list` lists them")
    })?;
    if row.client == session.client() {
        return Ok(row);
    }
    let message = format!("task {id} belongs to the client {}", row.client);
    Err(ToolError::new(Code::BadArgument, message).hint("start a task of your own"))
}

fn resume(session: &Session<'_>, args: &TaskArgs) -> Result<Answer<TaskOut>, ToolError> {
    let store = existing_store(session)?;
    let row = numbered(session, &store, args)?;
    let task = guard::read_task(&row)?;
    if let Status::Ended(outcome) = task.status {
        let problem = Needed::of_problem(&Problem::Ended(outcome), &task);
        let out = TaskOut { decision: problem.what.clone(), needed: vec![problem], ..TaskOut::default() };
        return Ok(Answer::new(out));
    }
    store.activate(row.id, session.client())?;
    act(session, Action::Status, args)
}

fn export(session: &Session<'_>, args: &TaskArgs) -> Result<Answer<TaskOut>, ToolError> {
    let store = existing_store(session)?;
    let row = if args.text.is_empty() {
        store.active(session.client())?.ok_or_else(no_task)?
    } else {
        numbered(session, &store, args)?
    };
    let task = guard::read_task(&row)?;
    let rows = store.served(row.id)?;
    let mut served: Vec<String> = rows
        .calls
        .iter()
        .map(|call| format!("{} {} (generation {})", call.operation, call.subject, call.generation))
        .collect();
    let range = |range: &orient_engine::ServedRange| {
        (!range.mentioned).then(|| format!("read {}:{}-{}", range.path, range.first, range.last))
    };
    served.extend(rows.ranges.iter().filter_map(range));
    served.extend(rows.symbols.iter().map(|symbol| format!("shown {}", symbol.handle)));
    served.extend(rows.written.iter().map(|file| format!("written {}", file.path)));
    let state = TaskState::new(row.id, &row.client, &task).with_decisions(&task);
    Ok(Answer::new(TaskOut { task: Some(state), accepted: true, served, ..TaskOut::default() }))
}

/// The path of a file to write: relative to where the call starts if that is inside the tree, else to the root.
fn written_path(session: &Session<'_>, typed: &str) -> std::path::PathBuf {
    let inside = session.directories().into_iter().filter(|directory| directory.starts_with(session.root()));
    let mut places: Vec<_> = inside.map(|directory| directory.join(typed)).collect();
    places.push(session.root().join(typed));
    let there = places.iter().position(|place| place.symlink_metadata().is_ok()).unwrap_or(0);
    places.swap_remove(there)
}

fn check(session: &Session<'_>, args: &TaskArgs) -> Result<Answer<TaskOut>, ToolError> {
    if args.text.is_empty() {
        return Err(
            ToolError::new(Code::BadArgument, "a path is required").hint("`orient task check src/server.go`")
        );
    }
    let mut out = TaskOut { accepted: true, ..TaskOut::default() };
    let mut decisions = Vec::new();
    for typed in args.text.iter().map(Word::as_str) {
        let path = written_path(session, typed);
        let found = guard::check_write_target(session, &[session.client()], &path, true);
        out.accepted &= found.allowed;
        let said = match (found.allowed, found.task) {
            (true, None) if found.reason.is_empty() => {
                format!("{} may be written: there is no active task", found.path)
            }
            (true, _) if found.reason.is_empty() => format!("{} may be written", found.path),
            _ => found.reason.clone(),
        };
        if !found.allowed {
            out.needed.push(Needed::new("clear it", found.clears.trim_start_matches("orient ")));
        }
        decisions.push(said);
        out.must.extend(found.dependents.must);
        out.should.extend(found.dependents.should);
        out.tests.extend(found.dependents.tests);
    }
    out.decision = decisions.join("; ");
    Ok(Answer::new(out))
}

fn agreements(session: &Session<'_>) -> Answer<TaskOut> {
    let (all, notes) = crate::task::agreements::list(session);
    let line = |(_, one): &(String, Agreement)| format!("{}: {}  {}", one.words, one.symbol, one.evidence);
    let served: Vec<String> = all.iter().map(line).collect();
    let decision = if served.is_empty() { "there are no agreements".to_owned() } else { String::new() };
    let mut answer = Answer::new(TaskOut { accepted: true, decision, served, ..TaskOut::default() });
    answer.add_notes(notes);
    answer
}

fn forget(session: &Session<'_>, args: &TaskArgs) -> Answer<TaskOut> {
    let words = args.joined();
    let count = crate::task::agreements::forget(session, &words);
    let decision = match count {
        0 => format!("there is no agreement about \"{words}\""),
        _ => format!(
            "{} forgotten",
            crate::text::number_format::plural(count as u64, "agreement", "agreements")
        ),
    };
    Answer::new(TaskOut { accepted: count > 0, decision, ..TaskOut::default() })
}

/// Everything that an action on the current task needs.
struct ActionContext<'a> {
    session: &'a Session<'a>,
    snapshot: &'a Snapshot,
    args: &'a TaskArgs,
    row: TaskRow,
    task: Task,
    record: Record,
    out: TaskOut,
}

fn act(session: &Session<'_>, action: Action, args: &TaskArgs) -> Result<Answer<TaskOut>, ToolError> {
    let store = existing_store(session)?;
    let row = store.active(session.client())?.ok_or_else(no_task)?;
    let snapshot = session.snapshot()?;
    let record = record::of_snapshot(store.served(row.id)?, &snapshot);
    let task = guard::read_task(&row)?;
    let out = TaskOut { accepted: true, ..TaskOut::default() };
    let mut context = ActionContext { session, snapshot: &snapshot, args, row, task, record, out };
    let done = match action {
        Action::Frame => context.frame()?,
        Action::Plan => context.plan()?,
        Action::Submit => context.submit()?,
        Action::Add => context.add()?,
        Action::Revert => context.task.revert(!args.forget),
        Action::Finish => context.finish()?,
        _ => Ok(()),
    };
    let ActionContext { row, task, record, mut out, .. } = context;
    let gaps = task.gaps(&record);
    match done {
        Ok(()) => {
            let open = task.status == Status::Open;
            store.update(row.id, &task.to_text(), open, record::now())?;
            if out.needed.is_empty() && out.plan.is_none() {
                out.needed = needed(&task, &gaps);
            }
        }
        Err(problems) => {
            out.accepted = false;
            if out.decision.is_empty() {
                out.decision = format!("{action:?} is not accepted").to_lowercase();
            }
            out.needed = problems.iter().map(|problem| Needed::of_problem(problem, &task)).collect();
        }
    }
    out.task = Some(TaskState::new(row.id, &row.client, &task));
    Ok(session.answer(&snapshot, out))
}

type Done = Result<(), Vec<Problem>>;

impl ActionContext<'_> {
    /// The handle of a symbol argument; the text itself if it is none, so that it is refused as never shown.
    fn handle(&self, typed: &str) -> Result<String, ToolError> {
        Ok(match resolve_symbol(self.snapshot, typed)? {
            Ok(found) => found.definition.handle.to_string(),
            Err(_) => typed.to_owned(),
        })
    }

    fn handles(&self, typed: &[String]) -> Result<Vec<String>, ToolError> {
        typed.iter().map(|one| self.handle(one)).collect()
    }

    fn paths(&self, typed: &[String]) -> Result<Vec<String>, ToolError> {
        let path = |one: &String| {
            let file = path_argument::file(self.session, self.snapshot, one)?;
            Ok(file.map_or_else(|| one.clone(), |file| file.path.display().into_owned()))
        };
        typed.iter().map(path).collect()
    }

    /// A handle, or a location with the path from the root.
    fn places(&self, typed: &[String]) -> Result<Vec<String>, ToolError> {
        let place = |one: &String| {
            let at = orient_task::Location::parse(one);
            if path_argument::file(self.session, self.snapshot, &at.path)?.is_some() {
                Ok(one.clone())
            } else {
                self.handle(one)
            }
        };
        typed.iter().map(place).collect()
    }

    fn frame(&mut self) -> Result<Done, ToolError> {
        let slots = self.args.slots()?;
        let target = slots
            .iter()
            .find(|(slot, _)| *slot == FrameSlot::TargetFeature)
            .map(|(_, value)| value.value.clone())
            .or_else(|| self.task.frame.get(&FrameSlot::TargetFeature).map(|value| value.value.clone()));
        let target = target.unwrap_or_else(|| self.task.request.clone());
        let (mut tiers, mut nodes, mut said) = (Vec::new(), Vec::new(), Vec::new());
        let view = self.snapshot.graph();
        for typed in &self.args.symbols {
            let tier = match resolve_symbol(self.snapshot, typed)? {
                Ok(found) => {
                    nodes.extend(view.members(found.definition.id.into())?);
                    let score = symbol_relevance::of_symbol(&target, &found.definition);
                    let (handle, tier) = (found.definition.handle.to_string(), Tier::of(score));
                    said.push(format!("{handle} {} (relevance {score:.2})", tier.as_str()));
                    FrameSymbol { handle, tier }
                }
                Err(_) => FrameSymbol { handle: typed.clone(), tier: Tier::Refused },
            };
            tiers.push(tier);
        }
        let dependents = dependents::of_nodes(&view, &nodes, true)?;
        let impact = if nodes.is_empty() { Impact::default() } else { dependents.impact };
        let done = self.task.set_frame(slots, tiers, impact, &self.record, &symbol_relevance::similarity);
        self.out.decision = said.join("; ");
        (self.out.must, self.out.tests) = (dependents.must, dependents.tests);
        Ok(done)
    }

    fn plan(&mut self) -> Result<Done, ToolError> {
        if let Status::Ended(outcome) = self.task.status {
            return Ok(Err(vec![Problem::Ended(outcome)]));
        }
        let plan = PlanOut::of(self.session, self.snapshot, &self.task, &self.record)?;
        for step in &plan.steps {
            if !self.task.tools_planned.iter().any(|known| known == step.tool) {
                self.task.tools_planned.push(step.tool.to_owned());
            }
        }
        self.task.files_planned.clone_from(&plan.files);
        let calls: Vec<&str> = plan.steps.iter().map(|step| step.call.as_str()).collect();
        self.task.log("plan", calls.join("; "));
        self.out.plan = Some(plan);
        Ok(Ok(()))
    }

    fn submit(&mut self) -> Result<Done, ToolError> {
        let args = self.args;
        if !args.verdicts.is_empty() {
            let mut verdicts = args.verdicts()?;
            for verdict in &mut verdicts {
                if verdict.2.contains('#') {
                    verdict.2 = self.handle(&verdict.2)?;
                }
            }
            return Ok(self.task.submit_verdicts(verdicts, &self.record));
        }
        if let Some(reason) = &args.reason {
            let reason: SemanticReason =
                reason.parse().map_err(|error: String| ToolError::new(Code::BadArgument, error))?;
            return Ok(self.task.submit_hypotheses(reason, args.hypotheses.clone(), &self.record));
        }
        let understood = Understanding {
            symbols: self.handles(&args.symbols)?,
            entry_points: self.handles(&args.entry_points)?,
            files: self.paths(&args.files)?,
            patterns: self.places(&args.patterns)?,
        };
        let view = self.snapshot.graph();
        let linked = |entry: &str, symbols: &[&str]| is_linked(&view, entry, symbols).unwrap_or(false);
        Ok(self.task.submit_understanding(understood, &self.record, &linked).map(drop))
    }

    fn add(&mut self) -> Result<Done, ToolError> {
        let words = self.args.text.iter().map(|word| word.as_str().to_owned());
        let typed: Vec<String> = words.chain(self.args.files.iter().cloned()).collect();
        let files = self.paths(&typed)?;
        Ok(self.task.add_files(files, &self.record))
    }

    fn finish(&mut self) -> Result<Done, ToolError> {
        let cause = self.args.joined();
        let outcome = self.args.outcome.as_deref().unwrap_or("success");
        if outcome == "retry" {
            let cause = if cause.is_empty() { "an attempt failed".to_owned() } else { cause };
            return Ok(self.task.fail(&cause).map(drop));
        }
        let outcome: Outcome =
            outcome.parse().map_err(|error: String| ToolError::new(Code::BadArgument, error))?;
        if matches!(outcome, Outcome::Reverted) {
            return Err(ToolError::new(Code::BadArgument, "git says whether a change was reverted")
                .hint("success, partial, failure, abandoned, or retry"));
        }
        if !self.task.intent.writes() || matches!(outcome, Outcome::Failure | Outcome::Abandoned) {
            return Ok(self.task.end(outcome, &cause));
        }
        let found = finish_review::of_tree(self.session, self.snapshot, &self.task, &self.row.base)?;
        let findings = review(&found.input, &self.record);
        self.out.test_command = finish_review::test_command(self.snapshot, &found.tests)?;
        self.out.tests = found.tests;
        if let Some(unknown) = found.unknown {
            self.out.decision = format!("the diff could not be reviewed: {unknown}");
        }
        let required = findings.iter().filter(|one| one.kind.is_required()).count();
        self.out.findings = findings
            .into_iter()
            .map(|one| FindingLine {
                kind: one.kind.as_str(),
                required: one.kind.is_required(),
                path: one.path,
                line: one.line,
                text: one.text,
            })
            .collect();
        if required > 0 && outcome == Outcome::Success {
            let failed = self.task.fail("the review of the diff");
            self.out.accepted = false;
            self.out.decision = format!("{required} findings must be dealt with before the task can succeed");
            self.out.needed = vec![Needed::new(
                "deal with them, or end it as it is",
                "task finish --outcome partial CAUSE",
            )];
            return Ok(failed.map(drop));
        }
        let head = record::head(self.session);
        if head != self.row.base && !head.is_empty() {
            self.task.log("commit", head);
        }
        let written: Vec<String> = found.input.files.iter().map(|file| file.path.clone()).collect();
        self.task.log("changed", written.join(", "));
        self.agree();
        Ok(self.task.end(outcome, &cause))
    }

    /// Proposes an agreement if the target turned out to be one symbol.
    fn agree(&mut self) {
        let approved: Vec<&FrameSymbol> =
            self.task.symbols.iter().filter(|symbol| symbol.tier == Tier::Approved).collect();
        let target = self.task.frame.get(&FrameSlot::TargetFeature);
        if let ([only], Some(target)) = (&approved[..], target) {
            let evidence = self.record.symbols.get(&only.handle);
            let agreement = Agreement {
                words: target.value.clone(),
                symbol: only.handle.clone(),
                evidence: evidence.map(|view| format!("{}:{}", view.path, view.line)).unwrap_or_default(),
                task: Some(self.row.id),
            };
            crate::task::agreements::write(self.session, &agreement);
        }
    }
}

/// Whether edges lead from an entry point to one of the symbols.
fn is_linked(view: &GraphView<'_>, entry: &str, symbols: &[&str]) -> Result<bool, ToolError> {
    let node = |handle: &str| {
        Ok::<_, ToolError>(resolve_symbol(view.snapshot(), handle)?.ok().map(|found| found.definition.id))
    };
    let Some(start) = node(entry)? else { return Ok(false) };
    let starts = view.members(start.into())?;
    let mut targets = std::collections::BTreeSet::new();
    for symbol in symbols {
        if let Some(id) = node(symbol)? {
            targets.extend(view.members(id.into())?);
        }
    }
    let options = ReachOptions {
        direction: Direction::Out,
        depth: LINK_DEPTH,
        per_level: LINK_STEPS,
        total: LINK_STEPS,
        follow: &|edge: &orient_engine::EdgeRow| edge.confidence <= Confidence::Probable,
        enter: &|_| Ok(true),
    };
    let reached = reach(&orient_engine::WithDispatch(view), &starts, &options)?;
    Ok(reached.steps.iter().any(|step| step.parent.is_some() && targets.contains(&step.node)))
}
