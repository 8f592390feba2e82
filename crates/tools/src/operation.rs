//! What an operation is, and the form in which the table holds it.

use crate::answer::Answer;
use crate::answer::escaped_json::write_json;
use crate::arguments::correction::{CorrectedArguments, correct_arguments};
use crate::error::{Code, Exit, ToolError};
use crate::session::Session;
use crate::text::writer::TextWriter;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use orient_engine::RefreshDepth;
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io;

/// A command as one would type it, without the `orient` in front.
pub struct Example {
    /// The command.
    pub command: &'static str,
    /// What it is good for.
    pub about: &'static str,
}

/// An operation: one file in `ops`, one line in the table. Every surface gets all it needs from here.
pub(crate) trait TypedOperation: 'static {
    /// Its name: the subcommand, the tool.
    const NAME: &'static str;
    /// What it does, in one line.
    const ABOUT: &'static str;
    /// What else one should know; may be empty.
    const DETAILS: &'static str;
    /// How it is used; the first is the commonest.
    const EXAMPLES: &'static [Example];
    /// Whether it answers a question about the code. What tends the index, or reads files of the machine, does not:
    /// it is for the one at the terminal, and no program is offered it.
    const ASKS: bool = true;
    /// How much of the index it looks at. What is in the files is known before what uses mean, where much changed.
    const DEPTH: RefreshDepth = RefreshDepth::Graph;
    /// Whether it looks at much of the index or at many files: many such questions must not keep the others waiting.
    const HEAVY: bool = false;
    /// Arguments for the one at the terminal alone: they name files of the machine, or steer the terminal.
    const LOCAL: &'static [&'static str] = &[];
    /// What it takes.
    type Args: Args + DeserializeOwned + JsonSchema;
    /// What it gives; the only shape any surface may print.
    type Out: Serialize + JsonSchema + 'static;
    /// Answers.
    fn run(session: &Session<'_>, args: Self::Args) -> Result<Answer<Self::Out>, ToolError>;
    /// Writes the compact text form.
    fn text(out: &Self::Out, writer: &mut TextWriter<'_>) -> io::Result<()>;
    /// Writes the answer as JSON: the answer as it is, unless the form was agreed with other programs.
    fn json(answer: &Answer<Self::Out>, out: &mut dyn io::Write) -> io::Result<()> {
        write_json(answer, out)
    }
    /// Writes what came up while the data was written, for an operation that works until then.
    fn remarks(_out: &Self::Out, _page: &mut TextWriter<'_>) -> io::Result<()> {
        Ok(())
    }
    /// What went wrong while the data was written, for an operation that works until then.
    fn late_errors(_out: &Self::Out) -> Vec<String> {
        Vec::new()
    }
    /// How a command with this outcome ends.
    fn exit(_out: &Self::Out) -> Exit {
        Exit::Ok
    }
    /// Writes the data as JSON lines, for data that is one long list and is read as it comes; nothing for other data.
    fn lines(_out: &Self::Out, _to: &mut dyn io::Write) -> Option<io::Result<()>> {
        None
    }
}

/// What came of asking any operation.
pub type ReplyResult = Result<Box<dyn Reply>, ToolError>;

/// An answer of any operation, ready to be shown in any form.
pub trait Reply {
    /// Writes the answer as JSON.
    fn json(&self, out: &mut dyn io::Write) -> io::Result<()>;
    /// Writes the data alone as JSON lines, if that is its form for programs that read it as it comes.
    fn lines(&self, out: &mut dyn io::Write) -> Option<io::Result<()>>;
    /// Writes the data as text.
    fn text(&self, writer: &mut TextWriter<'_>) -> io::Result<()>;
    /// Writes what surrounds the data as text; nothing for a complete and fresh answer.
    fn remarks(&self, writer: &mut TextWriter<'_>) -> io::Result<()>;
    /// How the command ends.
    fn exit(&self) -> Exit;
    /// What surrounds the data, for a surface that says it in its own way. Asked for after the text was written.
    fn metadata(&self) -> AnswerMetadata;
}

/// What surrounds the data of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerMetadata {
    /// Why something is missing; empty for a complete answer.
    pub reasons: Vec<String>,
    /// For a list: how many there are in all.
    pub total: Option<u64>,
    /// For a list that goes on: where.
    pub next: Option<String>,
    /// The generation of the index; absent where none was asked.
    pub generation: Option<u64>,
    /// Whether the files were looked at before.
    pub checked: bool,
    /// How many changed files the index has not caught up with.
    pub pending: u64,
    /// The first of them.
    pub pending_files: Vec<String>,
    /// What else is good to know.
    pub notes: Vec<String>,
    /// Whether the name that was asked for stands for nothing, or for several things: what is listed is no answer.
    pub unresolved_name: bool,
    /// The answer as its schema says it.
    pub value: Value,
}

struct TypedReply<O: TypedOperation>(Answer<O::Out>);

impl<O: TypedOperation> Reply for TypedReply<O> {
    fn json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        O::json(&self.0, out)
    }

    fn lines(&self, out: &mut dyn io::Write) -> Option<io::Result<()>> {
        O::lines(&self.0.data, out)
    }

    fn text(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        O::text(&self.0.data, writer)
    }

    fn remarks(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        O::remarks(&self.0.data, writer)?;
        self.0.remarks(writer)
    }

    fn exit(&self) -> Exit {
        O::exit(&self.0.data)
    }

    fn metadata(&self) -> AnswerMetadata {
        let answer = &self.0;
        let value = serde_json::to_value(answer).unwrap_or_default();
        let freshness = answer.freshness.as_ref();
        let mut reasons = answer.reasons.clone();
        reasons.extend(O::late_errors(&answer.data));
        AnswerMetadata {
            reasons,
            total: answer.total,
            next: answer.next.clone(),
            generation: freshness.map(|freshness| freshness.generation),
            checked: freshness.is_none_or(|freshness| freshness.checked),
            pending: freshness.map_or(0, |freshness| freshness.pending),
            pending_files: freshness.map_or_else(Vec::new, |freshness| freshness.pending_files.clone()),
            notes: answer.notes.clone(),
            unresolved_name: matches!(value["data"]["found"].as_str(), Some("none" | "several")),
            value,
        }
    }
}

/// Answers a question. Where the index turns out to be damaged on the way, it is made anew and the question answered once
/// more; the answer says so. What is to be said of the settings it was given under is said, too.
fn run_with_repair<O: TypedOperation>(
    session: &Session<'_>,
    args: impl Fn() -> Result<O::Args, ToolError>,
) -> Result<Answer<O::Out>, ToolError> {
    let span = tracing::debug_span!("query", tool = O::NAME, generation = tracing::field::Empty).entered();
    session.set_depth(O::DEPTH);
    let first = O::run(session, args()?);
    let mut answer = match session.rebuild_if_damaged() {
        Ok(false) => first?,
        Ok(true) => O::run(session, args()?)?,
        // What can be told without the index is told.
        Err(error) => return first.map_err(|_| error),
    };
    if let Some(note) = session.damage_note().filter(|note| !answer.notes.contains(note)) {
        answer.notes.push(note);
    }
    answer.notes.extend(session.loaded().notes.iter().cloned());
    span.record("generation", answer.freshness.as_ref().map(|freshness| freshness.generation));
    Ok(answer)
}

/// An entry of the table: an operation without its types.
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// What else one should know.
    pub details: &'static str,
    /// How it is used.
    pub examples: &'static [Example],
    /// Whether it answers a question about the code, and programs may be offered it.
    pub asks: bool,
    /// How much of the index it looks at.
    pub depth: RefreshDepth,
    /// Whether it takes long enough for others not to wait behind it.
    pub heavy: bool,
    /// Arguments for the one at the terminal alone.
    pub local: &'static [&'static str],
    command: fn() -> Command,
    input: fn() -> Value,
    output: fn() -> Value,
    run: fn(&Session<'_>, &ArgMatches) -> ReplyResult,
    call: fn(&Session<'_>, Value, Vec<String>) -> ReplyResult,
}

impl Operation {
    /// The entry of an operation.
    pub(crate) const fn of<O: TypedOperation>() -> Self {
        Self {
            name: O::NAME,
            about: O::ABOUT,
            details: O::DETAILS,
            examples: O::EXAMPLES,
            asks: O::ASKS,
            depth: O::DEPTH,
            heavy: O::HEAVY,
            local: O::LOCAL,
            command: || O::Args::augment_args(Command::new(O::NAME)),
            input: || schema_for!(O::Args).to_value(),
            output: || schema_for!(Answer<O::Out>).to_value(),
            run: |session, matches| {
                let answer = run_with_repair::<O>(session, || {
                    O::Args::from_arg_matches(matches)
                        .map_err(|error| ToolError::new(Code::BadArgument, error.to_string()))
                })?;
                Ok(Box::new(TypedReply::<O>(answer)))
            },
            call: |session, value, notes| {
                let mut answer = run_with_repair::<O>(session, || {
                    serde_json::from_value(value.clone())
                        .map_err(|error| ToolError::new(Code::BadArgument, error.to_string()))
                })?;
                answer.notes.extend(notes);
                Ok(Box::new(TypedReply::<O>(answer)))
            },
        }
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
        (self.input)()
    }

    /// The JSON schema of its answer.
    pub fn output_schema(&self) -> Value {
        (self.output)()
    }

    /// Answers a command.
    pub fn run(&self, session: &Session<'_>, matches: &ArgMatches) -> ReplyResult {
        (self.run)(session, matches)
    }

    /// Answers arguments given as a JSON object. What is meant without doubt is understood and noted in the answer; an
    /// unknown argument is named with the nearest known, and so is one that is for the terminal alone.
    pub fn call(&self, session: &Session<'_>, arguments: Value) -> ReplyResult {
        let CorrectedArguments { arguments, notes } =
            correct_arguments(self.name, &self.input_schema(), arguments)?;
        if let Some(name) = self.local.iter().find(|name| arguments.contains_key(**name)) {
            let message = format!("`{name}` of `{}` is for the command line alone", self.name);
            return Err(ToolError::new(Code::BadArgument, message).hint("leave it out"));
        }
        (self.call)(session, Value::Object(arguments), notes)
    }
}
