//! The definition of an operation, and its type-erased entry in the table of operations.

use crate::answer::escaped_json::{to_value, write_json};
use crate::answer::{Answer, AnswerMetadata, Cause, Doubt, Note};
use crate::arguments::correction::{CorrectedArguments, KnownArguments, argument_object, correct_arguments};
use crate::arguments::program_arguments;
use crate::error::{Code, Exit, ToolError};
use crate::session::Session;
use crate::session::provisional_answer::words_of_command;
use crate::text::writer::TextWriter;
use crate::topic::Topic;
use crate::workspace::{RootFilter, first_answer};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use orient_engine::RefreshDepth;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The argument that names the revision whose tree a question is about.
pub(crate) const REVISION: &str = "at";

/// An example command line, without the leading `orient`.
pub struct Example {
    /// The command.
    pub command: &'static str,
    /// What the example shows.
    pub about: &'static str,
}

/// An operation: one module in `operations`, one line in the table there. Every interface is generated from it.
pub(crate) trait TypedOperation: Sized + 'static {
    /// The name of the subcommand and of the tool.
    const NAME: &'static str;
    /// What it does, in one line.
    const ABOUT: &'static str;
    /// Further documentation; may be empty.
    const DETAILS: &'static str;
    /// Examples, the commonest first.
    const EXAMPLES: &'static [Example];
    /// Whether programs may call it. Operations that maintain the index or read arbitrary files of the machine are for
    /// the command line only.
    const EXPOSED: bool = true;
    /// Whether programs reach it through a group only, even where every operation is a tool: its schema would cost more than it
    /// is worth.
    const GROUPED_ONLY: bool = false;
    /// How much of the index it reads. After a large change, facts are available before the graph is.
    const DEPTH: RefreshDepth = RefreshDepth::Graph;
    /// Whether the files that have the words of the question can answer it, as far as they go: a question about names or text, not one about
    /// all files.
    const PROVISIONAL: bool = matches!(Self::DEPTH, RefreshDepth::Facts);
    /// Whether it reads much of the index or many files. Heavy calls have a queue of their own.
    const HEAVY: bool = false;
    /// Whether it is a question about the files of a tree, which the tree of any revision can answer.
    const ANY_REVISION: bool = true;
    /// Whether its answer may be larger than memory and is written while it is computed.
    const STREAMED: bool = false;
    /// Whether its answer is read from the beginning, so that a long one goes to a pager. The end of a report says how it went.
    const PAGED: bool = true;
    /// Whether its answer depends on the program that asks, so that no other process may answer in its place.
    const PER_CLIENT: bool = false;
    /// Whether it reads keys from the environment, so that another process must not answer a command.
    const OWN_ENVIRONMENT: bool = false;
    /// How several roots answer it together. Without this, the roots are asked in turn until one has what the arguments name.
    const ACROSS: Option<AcrossRoots<Self>> = None;
    /// What a root must contain to contribute to an answer, for an operation that several roots answer together.
    const ROOT_FILTER: fn(&Self::Args) -> RootFilter = |_| RootFilter::Any;
    /// Whether an answer says that there is nothing: its first line then names the strongest doubt.
    const IS_NEGATIVE: fn(&Self::Out) -> bool = |out| matches!(Self::exit(out), Exit::Nothing);
    /// Arguments for the command line only: they name files of the machine, or control the terminal.
    const TERMINAL_ONLY: &'static [&'static str] = &[];
    /// The arguments.
    type Args: Args;
    /// The data of the answer; interfaces print nothing else.
    type Out: Serialize + 'static;
    /// Computes the answer.
    fn run(session: &Session<'_>, args: Self::Args) -> Result<Answer<Self::Out>, ToolError>;
    /// Writes the compact text form.
    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()>;
    /// Writes the answer as JSON. Overridden by operations that use the format of another program.
    fn json(answer: &Answer<Self::Out>, out: &mut dyn io::Write) -> io::Result<()> {
        write_json(answer, out)
    }
    /// Writes notes that arose while the data was written, for an operation that computes lazily.
    fn late_notes(_out: &Self::Out, _writer: &mut TextWriter<'_>) -> io::Result<()> {
        Ok(())
    }
    /// Errors that occurred while the data was written, for an operation that computes lazily.
    fn late_errors(_out: &Self::Out) -> Vec<String> {
        Vec::new()
    }
    /// The exit code of a command with this outcome.
    fn exit(_out: &Self::Out) -> Exit {
        Exit::Ok
    }
    /// Writes the data as JSON lines, if it is one long list; `None` for other data.
    fn json_lines(_out: &Self::Out, _to: &mut dyn io::Write) -> Option<io::Result<()>> {
        None
    }
}

/// Parses the arguments of an operation, as often as it is run.
pub(crate) type ParseArgs<'a, O> = dyn Fn() -> Result<<O as TypedOperation>::Args, ToolError> + 'a;

/// Answers for all roots of a session.
pub(crate) type AcrossRoots<O> =
    fn(&Session<'_>, &ParseArgs<'_, O>) -> Result<Answer<<O as TypedOperation>::Out>, ToolError>;

/// The result of running an operation.
pub type ReplyResult = Result<Box<dyn Reply>, ToolError>;

/// The answer of any operation, ready to be written in any form.
pub trait Reply {
    /// Writes the answer as JSON.
    fn json(&self, out: &mut dyn io::Write) -> io::Result<()>;
    /// Writes the data alone as JSON lines; `None` if the data is not one long list.
    fn json_lines(&self, out: &mut dyn io::Write) -> Option<io::Result<()>>;
    /// Writes the data as text.
    fn text(&self, writer: &mut TextWriter<'_>) -> io::Result<()>;
    /// Writes reasons, cursor, pending files and notes as text; nothing for a complete and fresh answer.
    fn notes(&self, writer: &mut TextWriter<'_>) -> io::Result<()>;
    /// The exit code of the command.
    fn exit(&self) -> Exit;
    /// Everything but the data. Call it after the text has been written: lazy operations report errors only then.
    fn metadata(&self) -> AnswerMetadata;
    /// The data alone, in the form of its schema.
    fn data(&self) -> Value;
}

struct TypedReply<O: TypedOperation>(Answer<O::Out>);

impl<O: TypedOperation> Reply for TypedReply<O> {
    fn json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        O::json(&self.0, out)
    }

    fn json_lines(&self, out: &mut dyn io::Write) -> Option<io::Result<()>> {
        O::json_lines(&self.0.data, out)
    }

    fn text(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        match self.0.metadata.strongest_doubt().filter(|_| (O::IS_NEGATIVE)(&self.0.data)) {
            Some(doubt) => writer.with_first_line(&format!(" (not certain: {})", doubt.text), |writer| {
                O::text(&self.0.data, writer)
            }),
            None => O::text(&self.0.data, writer),
        }
    }

    fn notes(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        O::late_notes(&self.0.data, writer)?;
        self.0.metadata.write_notes(writer)
    }

    fn exit(&self) -> Exit {
        O::exit(&self.0.data)
    }

    fn metadata(&self) -> AnswerMetadata {
        let mut metadata = self.0.metadata.clone();
        metadata.reasons.extend(O::late_errors(&self.0.data).into_iter().map(Note::from));
        metadata
    }

    fn data(&self) -> Value {
        to_value(&self.0.data)
    }
}

/// Runs an operation for the root of a session, or for all roots of a workspace, and adds notes to its answer. Everything that does
/// not depend on its types is in functions that are compiled once.
fn reply<O: TypedOperation>(session: &Session<'_>, args: &ParseArgs<'_, O>, notes: &[String]) -> ReplyResult {
    let erased = |root: Option<&Session<'_>>, mut answer: Answer<O::Out>| {
        add_context(&mut answer.metadata, session, root, notes);
        Box::new(TypedReply::<O>(answer)) as Box<dyn Reply>
    };
    let answered = match O::ACROSS.filter(|_| session.is_workspace()) {
        Some(across) => across(session, args).map(|answer| erased(None, answer)),
        None => run_for_roots(session, O::NAME, O::EXPOSED, &|root| {
            run_with_repair::<O>(root, args).map(|answer| erased(Some(root), answer))
        }),
    };
    answered.map_err(|error| with_left_out(session, error))
}

fn run_for_roots(
    session: &Session<'_>,
    name: &str,
    exposed: bool,
    run: &dyn Fn(&Session<'_>) -> ReplyResult,
) -> ReplyResult {
    if !session.is_workspace() {
        run(session)
    } else if exposed {
        first_answer(session, run)
    } else {
        let error = ToolError::new(Code::BadArgument, format!("`{name}` works on one root"));
        Err(error.hint("give one --root"))
    }
}

/// Adds the root of a workspace that answered, what the session leaves out, and the notes of the call.
fn add_context(
    metadata: &mut AnswerMetadata,
    session: &Session<'_>,
    root: Option<&Session<'_>>,
    notes: &[String],
) {
    let root = root.filter(|_| session.is_workspace());
    metadata.notes.extend(root.map(|root| Note::from(format!("root: {}", root.root_name()))));
    let left_out = session.left_out();
    let doubts = left_out.iter().map(|reason| Doubt::new(Cause::LeftOut, 1, reason.as_str()));
    metadata.add_doubts(doubts.chain(session.provisional_doubts()).collect());
    metadata.notes.extend(notes.iter().cloned().map(Note::from));
}

/// An error that something does not exist says what was not searched.
fn with_left_out(session: &Session<'_>, error: ToolError) -> ToolError {
    let provisional = session.provisional_doubts().into_iter().map(|doubt| doubt.note.text);
    let left_out: Vec<String> = session.left_out().iter().cloned().chain(provisional).collect();
    if error.code() != Code::NotFound || left_out.is_empty() {
        return error;
    }
    let message = format!("{} ({})", error.message(), left_out.join("; "));
    error.with_message(message)
}

/// Runs an operation. If the index turns out to be damaged, rebuilds it and runs the operation once more, with a note.
/// Adds the notes about the settings.
pub(crate) fn run_with_repair<O: TypedOperation>(
    session: &Session<'_>,
    args: &ParseArgs<'_, O>,
) -> Result<Answer<O::Out>, ToolError> {
    let span = tracing::debug_span!("query", tool = O::NAME, generation = tracing::field::Empty).entered();
    session.set_depth(O::DEPTH);
    session.set_provisional(O::PROVISIONAL);
    let first = O::run(session, args()?);
    let mut answer = match session.rebuild_if_damaged() {
        Ok(false) => first?,
        Ok(true) => O::run(session, args()?)?,
        // An answer that did not need the index is still valid.
        Err(error) => return first.map_err(|_| error),
    };
    session.complete_metadata(&mut answer.metadata);
    span.record("generation", answer.metadata.generation());
    Ok(answer)
}

/// The error that an argument is not for programs and other machines.
fn for_the_command_line(argument: &str) -> ToolError {
    let message = format!("{argument} is for the command line only");
    ToolError::new(Code::BadArgument, message).hint("leave it out")
}

fn bad_argument(error: &dyn Display) -> ToolError {
    ToolError::new(Code::BadArgument, error.to_string())
}

/// The arguments of an operation, as calls may name them.
struct CallForm {
    /// The command whose arguments they are.
    command: Command,
    /// Their schema without what no program needs, and with the revision.
    schema: Value,
    /// The flags of the command line, each with the argument it sets: (`-A`, `after_context`), (`in`, `in`).
    flags: Vec<(String, String)>,
}

/// An entry of the table of operations: an operation without its types.
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Operation {
    /// The name of the subcommand and of the tool.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Where the help lists it.
    pub topic: Topic,
    /// Whether the help shows it to newcomers.
    pub for_newcomers: bool,
    /// Further documentation; may be empty.
    pub details: &'static str,
    /// Examples, the commonest first.
    pub examples: &'static [Example],
    /// Whether programs may call it.
    pub exposed: bool,
    /// Whether programs reach it through a group only.
    pub grouped_only: bool,
    /// How much of the index it reads.
    pub depth: RefreshDepth,
    /// Whether its calls have a queue of their own.
    pub heavy: bool,
    /// Whether the tree of any revision can answer it.
    pub any_revision: bool,
    /// Whether its answer is written while it is computed.
    pub streamed: bool,
    /// Whether a long answer goes to a pager.
    pub paged: bool,
    /// Whether its answer depends on the program that asks.
    pub per_client: bool,
    /// Whether it reads keys from the environment of the command.
    pub own_environment: bool,
    /// Whether several roots answer it together.
    pub across: bool,
    /// Arguments for the command line only.
    pub terminal_only: &'static [&'static str],
    root_filter: fn(&ArgMatches) -> RootFilter,
    command: fn() -> Command,
    run: fn(&Session<'_>, &ArgMatches, &[String]) -> ReplyResult,
}

impl Operation {
    /// The entry of an operation.
    pub(crate) const fn of<O: TypedOperation>(topic: Topic) -> Self {
        Self {
            name: O::NAME,
            about: O::ABOUT,
            topic,
            for_newcomers: false,
            details: O::DETAILS,
            examples: O::EXAMPLES,
            exposed: O::EXPOSED,
            grouped_only: O::GROUPED_ONLY,
            depth: O::DEPTH,
            heavy: O::HEAVY,
            any_revision: O::ANY_REVISION,
            streamed: O::STREAMED,
            paged: O::PAGED,
            per_client: O::PER_CLIENT,
            own_environment: O::OWN_ENVIRONMENT,
            across: O::ACROSS.is_some(),
            root_filter: |matches| {
                O::Args::from_arg_matches(matches).map_or(RootFilter::Any, |args| (O::ROOT_FILTER)(&args))
            },
            terminal_only: O::TERMINAL_ONLY,
            command: || O::Args::augment_args(Command::new(O::NAME)),
            run: |session, matches, notes| {
                let args = || O::Args::from_arg_matches(matches).map_err(|error| bad_argument(&error));
                reply::<O>(session, &args, notes)
            },
        }
    }

    /// The same operation, shown to newcomers.
    pub(crate) const fn for_newcomers(mut self) -> Self {
        self.for_newcomers = true;
        self
    }

    /// The subcommand, with help and examples.
    pub fn command(&self) -> Command {
        let mut long = self.about.to_owned();
        if !self.details.is_empty() {
            long = format!("{long}\n\n{}", self.details);
        }
        let width = self.examples.iter().map(|example| example.command.len()).max().unwrap_or(0);
        let mut after = "Examples:".to_owned();
        for Example { command, about } in self.examples {
            after = format!("{after}\n  orient {command:width$}  {about}");
        }
        (self.command)().about(self.about).long_about(long).after_help(after)
    }

    /// The JSON schema of its arguments.
    pub fn input_schema(&self) -> Value {
        program_arguments::schema(&(self.command)())
    }

    fn answer(&self, session: &Session<'_>, matches: &ArgMatches, notes: &[String]) -> ReplyResult {
        session.ask_about(&words_of_command(&self.call_form().command, matches));
        (self.run)(session, matches, notes)
    }

    /// Runs the operation with command-line arguments.
    pub fn run(&self, session: &Session<'_>, matches: &ArgMatches) -> ReplyResult {
        self.answer(session, matches, &[])
    }

    /// Runs the operation with command-line arguments, for the tree of a revision.
    pub fn run_at(&self, session: &Session<'_>, revision: &str, matches: &ArgMatches) -> ReplyResult {
        if !self.any_revision {
            let message = format!("`--at` does not apply to `{}`", self.name);
            return Err(ToolError::new(Code::BadArgument, message).hint(
                "it is for questions about the files of a tree, for example `orient show NAME --at HEAD~5`",
            ));
        }
        if session.is_workspace() {
            let error = ToolError::new(Code::BadArgument, "`--at` applies to one root");
            return Err(error.hint("revisions are those of one repository: give one --root"));
        }
        self.answer(&session.at(revision)?, matches, &[])
    }

    /// What a root must contain to contribute to an answer to a call with these arguments.
    pub fn root_filter(&self, arguments: &Value) -> RootFilter {
        let none = Map::new();
        let matches = program_arguments::parse(
            self.call_form().command.clone(),
            arguments.as_object().unwrap_or(&none),
        );
        matches.map_or(RootFilter::Any, |matches| (self.root_filter)(&matches))
    }

    /// What calls are compared with; computed once in a process, which takes longer than most calls.
    fn call_form(&self) -> Arc<CallForm> {
        static FORMS: Mutex<BTreeMap<&'static str, Arc<CallForm>>> = Mutex::new(BTreeMap::new());
        let mut forms = FORMS.lock().unwrap_or_else(PoisonError::into_inner);
        let form = forms.entry(self.name).or_insert_with(|| {
            let command = (self.command)();
            let mut schema = program_arguments::schema(&command);
            if self.any_revision {
                schema["properties"][REVISION] = json!({ "type": "string" });
            }
            let flags = program_arguments::flags(&command);
            Arc::new(CallForm { command, schema, flags })
        });
        Arc::clone(form)
    }

    /// What a command is about: its first positional argument.
    pub fn subject(&self, matches: &ArgMatches) -> String {
        let command = self.command();
        let ids = command.get_positionals().map(|argument| argument.get_id().as_str().to_owned());
        let mut texts = ids.filter_map(|id| {
            let mut values = matches.try_get_raw(&id).ok().flatten()?;
            values.next().map(|value| value.to_string_lossy().into_owned())
        });
        texts.next().unwrap_or_default()
    }

    /// The arguments that programs may send, with compact schemas.
    pub(crate) fn program_arguments(&self) -> Value {
        let form = self.call_form();
        let mut schema = form.schema.clone();
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            let hidden = program_arguments::hidden(&form.command);
            properties
                .retain(|name, _| !self.terminal_only.contains(&name.as_str()) && !hidden.contains(name));
        }
        schema
    }

    /// The flags of the command line, each with the argument it sets.
    pub(crate) fn flags(&self) -> Vec<(String, String)> {
        self.call_form().flags.clone()
    }

    /// Runs the operation with the words of a command line, for another machine. Arguments for the command line only are errors.
    pub fn run_words(&self, session: &Session<'_>, words: &[String]) -> ReplyResult {
        self.answer(session, &self.remote_matches(words)?, &[])
    }

    /// What a root must contain to contribute to an answer to the words of a command line.
    pub fn root_filter_of_words(&self, words: &[String]) -> RootFilter {
        self.remote_matches(words).map_or(RootFilter::Any, |matches| (self.root_filter)(&matches))
    }

    fn remote_matches(&self, words: &[String]) -> Result<ArgMatches, ToolError> {
        let matches = program_arguments::parse_words((self.command)(), words)?;
        let is_given = |id: &&&str| {
            let source = matches.try_contains_id(id).ok().and_then(|_| matches.value_source(id));
            source == Some(clap::parser::ValueSource::CommandLine)
        };
        match self.terminal_only.iter().find(is_given) {
            Some(name) => Err(for_the_command_line(&format!("`{name}` of `{}`", self.name))),
            None => Ok(matches),
        }
    }

    /// Runs the operation with a JSON object of arguments. Unambiguous mistakes in argument names and types are corrected,
    /// with a note; other unknown arguments, and those for the command line only, are errors.
    pub fn call(&self, session: &Session<'_>, arguments: Value) -> ReplyResult {
        if !self.exposed {
            return Err(for_the_command_line(&format!("`{}`", self.name)));
        }
        self.call_except(session, arguments, self.terminal_only)
    }

    /// Runs the operation with arguments that this program chose, not a client: those for the command line are allowed.
    pub fn call_with_any(&self, session: &Session<'_>, arguments: Value) -> ReplyResult {
        self.call_except(session, arguments, &[])
    }

    fn call_except(&self, session: &Session<'_>, arguments: Value, rejected: &[&str]) -> ReplyResult {
        let mut notes = Vec::new();
        let form = self.call_form();
        let none = Map::new();
        let properties = form.schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let sent = argument_object(arguments, |name| properties.contains_key(name), &mut notes)?;
        let known = KnownArguments {
            owner: self.name,
            properties,
            other_names: form.flags.clone(),
            elsewhere: BTreeSet::new(),
        };
        let CorrectedArguments { mut arguments, notes: corrections } = correct_arguments(&known, sent)?;
        notes.extend(corrections);
        if let Some(name) = rejected.iter().find(|name| arguments.contains_key(**name)) {
            return Err(for_the_command_line(&format!("`{name}` of `{}`", self.name)));
        }
        let revision = if self.any_revision { arguments.remove(REVISION) } else { None };
        let matches = program_arguments::parse(form.command.clone(), &arguments)?;
        match revision.as_ref().and_then(Value::as_str).filter(|revision| !revision.is_empty()) {
            None => self.answer(session, &matches, &notes),
            Some(revision) => self.answer(&session.at(revision)?, &matches, &notes),
        }
    }
}
