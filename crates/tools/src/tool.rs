//! What an operation is, and the form in which the table holds it.

use crate::answer::Answer;
use crate::error::{Code, Exit, ToolError};
use crate::json::write_json;
use crate::page::Page;
use crate::session::Session;
use clap::{ArgMatches, Args, Command, FromArgMatches};
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
pub(crate) trait Operation: 'static {
    /// Its name: the subcommand, the tool.
    const NAME: &'static str;
    /// What it does, in one line.
    const ABOUT: &'static str;
    /// What else one should know; may be empty.
    const DETAILS: &'static str;
    /// How it is used; the first is the commonest.
    const EXAMPLES: &'static [Example];
    /// What it takes.
    type Args: Args + DeserializeOwned + JsonSchema;
    /// What it gives; the only shape any surface may print.
    type Out: Serialize + JsonSchema + 'static;
    /// Answers.
    fn run(session: &Session<'_>, args: Self::Args) -> Result<Answer<Self::Out>, ToolError>;
    /// Writes the compact text form.
    fn text(out: &Self::Out, page: &mut Page<'_>) -> io::Result<()>;
    /// Writes the answer as JSON: the answer as it is, unless the form was agreed with other programs.
    fn json(answer: &Answer<Self::Out>, out: &mut dyn io::Write) -> io::Result<()> {
        write_json(answer, out)
    }
    /// Writes what came up while the data was written, for an operation that works until then.
    fn remarks(_out: &Self::Out, _page: &mut Page<'_>) -> io::Result<()> {
        Ok(())
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
pub type Replies = Result<Box<dyn Reply>, ToolError>;

/// An answer of any operation, ready to be shown in any form.
pub trait Reply {
    /// Writes the answer as JSON.
    fn json(&self, out: &mut dyn io::Write) -> io::Result<()>;
    /// Writes the data alone as JSON lines, if that is its form for programs that read it as it comes.
    fn lines(&self, out: &mut dyn io::Write) -> Option<io::Result<()>>;
    /// Writes the data as text.
    fn text(&self, page: &mut Page<'_>) -> io::Result<()>;
    /// Writes what surrounds the data as text; nothing for a complete and fresh answer.
    fn remarks(&self, page: &mut Page<'_>) -> io::Result<()>;
    /// How the command ends.
    fn exit(&self) -> Exit;
}

struct Replied<O: Operation>(Answer<O::Out>);

impl<O: Operation> Reply for Replied<O> {
    fn json(&self, out: &mut dyn io::Write) -> io::Result<()> {
        O::json(&self.0, out)
    }

    fn lines(&self, out: &mut dyn io::Write) -> Option<io::Result<()>> {
        O::lines(&self.0.data, out)
    }

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        O::text(&self.0.data, page)
    }

    fn remarks(&self, page: &mut Page<'_>) -> io::Result<()> {
        O::remarks(&self.0.data, page)?;
        self.0.remarks(page)
    }

    fn exit(&self) -> Exit {
        O::exit(&self.0.data)
    }
}

/// An entry of the table: an operation without its types.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// What else one should know.
    pub details: &'static str,
    /// How it is used.
    pub examples: &'static [Example],
    command: fn() -> Command,
    input: fn() -> Value,
    output: fn() -> Value,
    run: fn(&Session<'_>, &ArgMatches) -> Replies,
    call: fn(&Session<'_>, Value) -> Replies,
}

impl Tool {
    /// The entry of an operation.
    pub(crate) const fn of<O: Operation>() -> Self {
        Self {
            name: O::NAME,
            about: O::ABOUT,
            details: O::DETAILS,
            examples: O::EXAMPLES,
            command: || O::Args::augment_args(Command::new(O::NAME)),
            input: || schema_for!(O::Args).to_value(),
            output: || schema_for!(Answer<O::Out>).to_value(),
            run: |session, matches| {
                let args = O::Args::from_arg_matches(matches)
                    .map_err(|error| ToolError::new(Code::BadArgument, error.to_string()))?;
                Ok(Box::new(Replied::<O>(O::run(session, args)?)))
            },
            call: |session, value| {
                let args = serde_json::from_value(value)
                    .map_err(|error| ToolError::new(Code::BadArgument, error.to_string()))?;
                Ok(Box::new(Replied::<O>(O::run(session, args)?)))
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
    pub fn run(&self, session: &Session<'_>, matches: &ArgMatches) -> Replies {
        (self.run)(session, matches)
    }

    /// Answers arguments given as a JSON object. An unknown one is named with the nearest known.
    pub fn call(&self, session: &Session<'_>, arguments: Value) -> Replies {
        self.check_names(&arguments)?;
        (self.call)(session, arguments)
    }

    fn check_names(&self, arguments: &Value) -> Result<(), ToolError> {
        let schema = self.input_schema();
        let known: Vec<&str> = schema
            .get("properties")
            .and_then(Value::as_object)
            .map(|properties| properties.keys().map(String::as_str).collect())
            .unwrap_or_default();
        let Some(given) = arguments.as_object() else {
            return Err(ToolError::new(Code::BadArgument, "the arguments must be an object"));
        };
        let Some(unknown) = given.keys().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
        let hint = match orient_model::nearest(unknown, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it takes: {}", known.join(", ")),
        };
        Err(ToolError::new(Code::BadArgument, format!("`{}` has no argument `{unknown}`", self.name))
            .hint(hint))
    }
}
