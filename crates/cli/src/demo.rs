//! `orient demo`: writes a small application with a git history, on which the examples of the documentation run.
//!
//! `demo/parcel` is the application, and `demo/history` has the commits after the first one as patches. The first commit is what is
//! left when they are reverted, so the last one is the application itself. Dates and authors are fixed: ids are the same everywhere.

use crate::config::{Config, OutputFormat};
use crate::render;
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use orient_tools::{Code, Exit, ToolError, count, write_json};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

include!(concat!(env!("OUT_DIR"), "/demo.rs"));

/// Message and date of the first commit.
const FIRST_COMMIT: (&str, &str) = ("Book, price, route and track parcels", "2025-03-04T09:12:00+0100");
/// Who made it, and who applies the patches.
const AUTHOR: (&str, &str) = ("Ada Brandt", "ada@example.org");
/// What to ask first.
const QUESTIONS: &[(&str, &str)] = &[
    ("orient search \"what happens when an upload fails\"", "where is it?"),
    ("orient callers SmsNotifier.send --depth 2", "who calls it?"),
    ("orient impact surcharge", "what may break if it changes?"),
    ("orient log surcharge", "when did it change?"),
];

/// The definition of the subcommand.
pub(crate) fn command() -> Command {
    Command::new("demo")
        .about("Write a small application to try the examples of the documentation on")
        .long_about(
            "Write a small parcel-delivery application in Python, Go and TypeScript, with its git history, into a new directory. The \
             examples of README and of the tour run in it.",
        )
        .arg(
            Arg::new("directory")
                .value_name("DIR")
                .value_hint(ValueHint::DirPath)
                .value_parser(value_parser!(PathBuf))
                .help("The directory to create [default: one in the system's directory for temporary files]"),
        )
        .after_help("Examples:\n  orient demo parcel && cd parcel  write it, and ask from there")
}

/// Writes the application and says what to ask.
#[expect(clippy::needless_pass_by_value, reason = "the signature of all subcommands")]
pub(crate) fn run(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let directory = match matches.get_one::<PathBuf>("directory") {
        Some(directory) => directory.clone(),
        None => std::env::temp_dir().join(format!("orient-demo-{}", std::process::id())).join("parcel"),
    };
    write_application(&directory)?;
    // Without git there are files, and no history to ask about.
    let history = commit_history(&directory);
    let directory = directory.canonicalize().unwrap_or(directory);
    let report = Report { directory: &directory, missing_history: history.err() };
    render::written(render::raw(|out| match config.format {
        OutputFormat::Text => report.write(out),
        OutputFormat::Json => write_json(&report.json(), out),
    }))
}

fn write_application(directory: &Path) -> Result<(), ToolError> {
    let shown = directory.display();
    let is_empty = directory.read_dir().is_ok_and(|mut entries| entries.next().is_none());
    if directory.symlink_metadata().is_ok() && !is_empty {
        let error = ToolError::new(Code::BadArgument, format!("{shown} exists, and is no empty directory"));
        return Err(error.hint("name a directory that does not exist yet: `orient demo DIR`"));
    }
    for (path, text) in FILES {
        let path = directory.join(path);
        let parent = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        parent
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| ToolError::new(Code::Io, format!("cannot write {}: {error}", path.display())))?;
    }
    Ok(())
}

/// Makes the directory a git repository with a commit for each patch. Nothing of the user's configuration applies: no template with
/// hooks, no signature.
fn commit_history(directory: &Path) -> Result<(), String> {
    git(directory, &["init", "--quiet", "--template=", "--initial-branch", "main"], "")?;
    for (_, patch) in PATCHES.iter().rev() {
        git(directory, &["apply", "--reverse", "-"], patch)?;
    }
    git(directory, &["add", "--all"], "")?;
    git(directory, &["commit", "--quiet", "--message", FIRST_COMMIT.0], "")?;
    for (_, patch) in PATCHES {
        git(directory, &["am", "--quiet", "--committer-date-is-author-date"], patch)?;
    }
    Ok(())
}

fn git(directory: &Path, arguments: &[&str], input: &str) -> Result<(), String> {
    let (name, email) = AUTHOR;
    let mut process = Process::new("git")
        .args(["-c", "core.autocrlf=false"])
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .envs(["PATH", "SystemRoot"].iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
        .envs([("GIT_AUTHOR_NAME", name), ("GIT_AUTHOR_EMAIL", email), ("GIT_AUTHOR_DATE", FIRST_COMMIT.1)])
        .envs([("GIT_COMMITTER_NAME", name), ("GIT_COMMITTER_EMAIL", email)])
        .env("GIT_COMMITTER_DATE", FIRST_COMMIT.1)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("git cannot be started: {error}"))?;
    if let Some(mut stdin) = process.stdin.take() {
        // A program that ends before it has read everything says why on standard error.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = process.wait_with_output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(format!("git {} failed: {}", arguments.join(" "), message.trim()))
}

/// What was written.
struct Report<'r> {
    directory: &'r Path,
    /// Why there is no history.
    missing_history: Option<String>,
}

impl Report<'_> {
    fn commits(&self) -> usize {
        if self.missing_history.is_some() { 0 } else { PATCHES.len() + 1 }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let directory = self.directory.display();
        let (files, commits) = (count(FILES.len() as u64), count(self.commits() as u64));
        writeln!(out, "{directory}: a parcel-delivery application, {files} files, {commits} commits")?;
        if let Some(why) = &self.missing_history {
            writeln!(out, "it has no history: {why}")?;
        }
        writeln!(out, "\n  cd {directory}")?;
        let width = QUESTIONS.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
        for (command, question) in QUESTIONS {
            writeln!(out, "  {command:width$}  # {question}")?;
        }
        Ok(())
    }

    fn json(&self) -> ReportJson<'_> {
        ReportJson {
            directory: self.directory.to_string_lossy().into_owned(),
            files: FILES.len(),
            commits: self.commits(),
            missing_history: self.missing_history.as_deref(),
            questions: QUESTIONS.iter().map(|(command, _)| *command).collect(),
        }
    }
}

#[derive(Serialize)]
struct ReportJson<'r> {
    directory: String,
    files: usize,
    commits: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_history: Option<&'r str>,
    questions: Vec<&'static str>,
}
