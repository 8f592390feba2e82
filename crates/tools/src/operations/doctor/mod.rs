//! `doctor`: checks of the installation, with a fix for each problem.

mod log_report;

use crate::answer::Answer;
use crate::error::{Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{bytes, count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use log_report::LogReport;
use orient_engine::{EngineError, unusable_reason};
use orient_live::{Unwatchable, WatchLimits, probe, unresponsive_watcher, watcher_process};
use orient_safefs::{Directory, open_regular};
use orient_setup::{CLIENTS, Client, ConfigDirs, NAME, Scope, registered};
use serde::Serialize;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(crate) struct Doctor;

/// With less free space than this, an index may not fit.
const MIN_FREE: u64 = 64 << 20;
/// What is read of a client's configuration.
const MAX_CLIENT_CONFIG: u64 = 16 << 20;
const FREE_SPACE: &str = "free disk space (`orient gc` removes unused data), or choose another directory with --store or ORIENT_STORE";

/// Arguments of `doctor`.
#[derive(Args)]
pub(crate) struct DoctorArgs {
    /// Skip reading the whole index
    #[arg(long)]
    quick: bool,
    /// Only show the location of the log and its last warnings and errors
    #[arg(long)]
    log: bool,
}

/// The results of the checks.
#[derive(Serialize)]
pub(crate) struct DoctorOut {
    /// Whether there are no warnings or failures.
    healthy: bool,
    /// The checks, in order.
    checks: Vec<Check>,
    /// The log, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogReport>,
}

/// The result of one check.
#[derive(Serialize)]
pub(crate) struct Check {
    /// The subject.
    about: String,
    /// The result.
    state: Health,
    /// The result in detail.
    detail: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

/// The state of a checked subject.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Health {
    /// Works.
    Ok,
    /// Works; for information.
    Note,
    /// Works with restrictions.
    Warning,
    /// Does not work.
    Failure,
}

impl Check {
    fn new(about: impl Into<String>, state: Health, detail: impl Into<String>) -> Self {
        Self { about: about.into(), state, detail: detail.into(), fix: None }
    }

    fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }
}

impl TypedOperation for Doctor {
    const NAME: &'static str = "doctor";
    const ABOUT: &'static str = "Check the store, the index, the watcher and the clients";
    const DETAILS: &'static str = "\
Checks that the store is writable, that the index is intact, that files can be watched, and that the configured clients can \
start the server; prints a fix for each problem. Reads every page of the index and of the cache and verifies its checksum; a \
damaged cache is emptied. Exits with code 5 if something does not work. Servers and background processes log to \
`log/orient.log` in the store: `--log` shows its last warnings and errors.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "doctor", about: "run all checks" },
        Example { command: "doctor --quick", about: "the same without reading the whole index" },
        Example { command: "doctor --log", about: "the last warnings and errors of the log" },
    ];
    const EXPOSED: bool = false;
    const ANY_REVISION: bool = false;
    type Args = DoctorArgs;
    type Out = DoctorOut;

    fn run(session: &Session<'_>, args: DoctorArgs) -> Result<Answer<DoctorOut>, ToolError> {
        if args.log {
            return log(session).map(Answer::new);
        }
        let mut checks = vec![Check::new("version", Health::Ok, env!("CARGO_PKG_VERSION"))];
        checks.extend(settings(session));
        checks.push(store(session));
        checks.extend(index(session, args.quick));
        checks.extend(watching(session));
        if let Some(dirs) = ConfigDirs::detect(session.root()) {
            checks.extend(CLIENTS.iter().flat_map(|client| client_checks(client, &dirs)));
        }
        let healthy = checks.iter().all(|check| matches!(check.state, Health::Ok | Health::Note));
        Ok(Answer::new(DoctorOut { healthy, checks, log: None }))
    }

    fn text(out: &DoctorOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let width = out.checks.iter().map(|check| check.about.chars().count()).max().unwrap_or(0);
        for check in &out.checks {
            let (tone, mark) = match check.state {
                Health::Ok => (Style::Number, "ok     "),
                Health::Note => (Style::Dim, "note   "),
                Health::Warning => (Style::Warn, "warning"),
                Health::Failure => (Style::Warn, "failure"),
            };
            writer.put(tone, mark)?;
            writer.put(Style::Head, &format!("  {:width$}  ", check.about))?;
            writer.line(Style::Plain, &check.detail)?;
            if let Some(fix) = &check.fix {
                writer.put(Style::Dim, &format!("{:indent$}", "", indent = width + 11))?;
                writer.line(Style::Name, fix)?;
            }
        }
        out.log.as_ref().map_or(Ok(()), |log| log.text(writer))
    }

    fn exit(out: &DoctorOut) -> Exit {
        if out.checks.iter().any(|check| check.state == Health::Failure) { Exit::Failed } else { Exit::Ok }
    }
}

/// The location of the log, and its last warnings and errors.
fn log(session: &Session<'_>) -> Result<DoctorOut, ToolError> {
    let store = &session.engine()?.store_paths().store;
    let (check, log) = match LogReport::of(store) {
        Ok(log) if log.bytes == 0 => {
            let detail = format!("{}: empty; servers and watchers write to it", log.file);
            (Check::new("log", Health::Note, detail), Some(log))
        }
        Ok(log) => {
            let recent = match log.last.len() {
                0 => "no warnings or errors".to_owned(),
                _ => format!(
                    "the last {}:",
                    plural(log.last.len() as u64, "warning or error", "warnings and errors")
                ),
            };
            let detail = format!("{}, {}, {recent}", log.file, bytes(log.bytes));
            (Check::new("log", Health::Ok, detail), Some(log))
        }
        Err(error) => {
            let file = orient_logging::path(store);
            let detail = format!(
                "{} cannot be read ({}), so nothing is logged",
                file.display(),
                unusable_reason(&error)
            );
            (Check::new("log", Health::Warning, detail), None)
        }
    };
    let healthy = check.state != Health::Warning;
    Ok(DoctorOut { healthy, checks: vec![check], log })
}

/// Ignored entries of the repository's settings.
fn settings(session: &Session<'_>) -> Vec<Check> {
    let ignored = session.loaded().ignored.iter();
    ignored
        .map(|one| {
            Check::new("settings", Health::Note, format!("{} is ignored: {}", one.location, one.reason))
        })
        .collect()
}

/// Whether indexes can be stored: writes and syncs a file.
fn store(session: &Session<'_>) -> Check {
    let directory = match session.engine() {
        Ok(engine) => engine.store_paths().tree.clone(),
        Err(error) => return failed("store", error),
    };
    // If the directory does not exist yet, check the nearest existing parent.
    let tried = match Directory::open(&directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let there = directory.ancestors().find(|directory| directory.exists()).unwrap_or(&directory);
            Directory::existing(there)
        }
        opened => opened,
    };
    let free = tried.as_ref().ok().and_then(Directory::free_space);
    let room = free.map_or_else(String::new, |free| format!(", {} free on its disk", bytes(free)));
    match tried.and_then(|directory| directory.probe()) {
        Ok(()) if free.is_some_and(|free| free < MIN_FREE) => {
            let detail = format!("{} is writable{room}: an index may not fit", directory.display());
            Check::new("store", Health::Warning, detail).fix(FREE_SPACE)
        }
        Ok(()) => Check::new("store", Health::Ok, format!("{} is writable{room}", directory.display())),
        Err(error) => {
            let detail = format!(
                "{} is not writable ({}{room}): every command indexes the changes again, in memory",
                directory.display(),
                unusable_reason(&error)
            );
            Check::new("store", Health::Warning, detail).fix(FREE_SPACE)
        }
    }
}

/// Whether the index is intact.
fn index(session: &Session<'_>, quick: bool) -> Vec<Check> {
    let snapshot = match session.engine().and_then(orient_engine::Engine::snapshot) {
        Ok(snapshot) => snapshot,
        Err(EngineError::NotIndexed) => {
            let none = Check::new("index", Health::Note, "not built yet; the first query builds it");
            return vec![none.fix("orient index")];
        }
        Err(error) => return vec![failed("index", error).fix("orient index --rebuild")],
    };
    let status = match snapshot.status() {
        Ok(status) => status,
        Err(error) => return vec![failed("index", error).fix("orient index --rebuild")],
    };
    let size = format!("generation {}, {}", status.generation, bytes(status.sizes.bytes));
    let mut checks = Vec::new();
    let faults = if quick { Ok(Vec::new()) } else { snapshot.check() };
    checks.push(match faults {
        Ok(faults) if faults.is_empty() => {
            let state = if quick { "not read" } else { "intact" };
            Check::new("index", Health::Ok, format!("{size}, {state}"))
        }
        Ok(faults) => Check::new("index", Health::Failure, format!("{size}: {}", faults.join("; ")))
            .fix("orient index --rebuild"),
        Err(error) => failed("index", error).fix("orient index --rebuild"),
    });
    if !quick && let Ok(Some(wrong)) = session.engine().map(orient_engine::Engine::check_cache) {
        let detail =
            format!("was damaged ({wrong}) and has been emptied; it fills again as files are parsed");
        checks.push(Check::new("cache", Health::Note, detail));
    }
    let unreadable = status.skipped.iter().find(|(word, _)| *word == "unreadable").map_or(0, |(_, n)| *n);
    if unreadable > 0 {
        let files = plural(unreadable, "file or directory", "files and directories");
        let detail = format!("{files} cannot be read and are missing from all answers");
        checks.push(Check::new("permissions", Health::Warning, detail).fix("orient status lists them"));
    }
    checks
}

/// Whether files can be watched, and whether the limits suffice.
fn watching(session: &Session<'_>) -> Vec<Check> {
    let Ok(engine) = session.engine() else { return Vec::new() };
    let check = match probe(engine.root()) {
        None => {
            let directories = engine.watch_scope(None).map_or(0, |survey| survey.directories.len() as u64);
            let WatchLimits { watches, .. } = WatchLimits::read();
            match watches {
                // The limit is shared by all programs of the user.
                Some(most) if directories > most / 2 => Check::new(
                    "watcher",
                    Health::Warning,
                    format!(
                        "{} directories here; all programs together may watch {}",
                        count(directories),
                        count(most)
                    ),
                )
                .fix(format!(
                    "sudo sysctl fs.inotify.max_user_watches={}",
                    (directories * 4).next_power_of_two()
                )),
                _ => Check::new(
                    "watcher",
                    Health::Ok,
                    format!("{} directories can be watched", count(directories)),
                ),
            }
        }
        Some(why @ Unwatchable::System) => Check::new(
            "watcher",
            Health::Note,
            format!("{why}; servers compare all files for each call, which is slower but equally correct"),
        ),
        Some(why) => Check::new(
            "watcher",
            Health::Warning,
            format!("{why}; servers compare all files for each call, which is slower but equally correct"),
        ),
    };
    let asked = watcher_process(engine).map(|process| {
        let detail = format!("process {process} watches this tree for commands");
        Check::new("watched", Health::Ok, detail)
    });
    let silent = unresponsive_watcher(engine).map(|process| {
        let detail = format!(
            "process {process} watches this tree but does not respond; commands compare all files themselves"
        );
        let fix = format!("kill -CONT {process} to continue it, or kill -KILL {process} to end it");
        Check::new("watched", Health::Warning, detail).fix(fix)
    });
    [check].into_iter().chain(asked).chain(silent).collect()
}

/// Whether a client can start the server, in every scope that configures it.
fn client_checks(client: &Client, dirs: &ConfigDirs) -> Vec<Check> {
    let mut checks = Vec::new();
    let here = client.is_installed(dirs, Path::exists);
    let mut is_configured = false;
    for scope in client.scopes() {
        let Some(file) = client.config_file(scope, dirs, Path::exists) else { continue };
        // A project's configuration is a file of the repository.
        let read = if scope == Scope::Project { open_regular(&file) } else { std::fs::File::open(&file) };
        let mut text = String::new();
        let read = read.and_then(|file| file.take(MAX_CLIENT_CONFIG).read_to_string(&mut text));
        if read.is_err() {
            continue;
        }
        let about = format!("{} ({})", client.name, scope.as_str());
        let setup_command = format!(
            "orient setup {}{}",
            client.id,
            if scope == Scope::Project { " --scope project" } else { "" }
        );
        match registered(client, &text) {
            Ok(Some(entry)) => {
                is_configured = true;
                checks.push(match program(&entry.command) {
                    Some(path) => Check::new(about, Health::Ok, format!("starts {}", path.display())),
                    None => Check::new(
                        about,
                        Health::Failure,
                        format!("is configured to start {}, which does not exist", entry.command),
                    )
                    .fix(setup_command),
                });
            }
            Err(refusal) if here => {
                is_configured = true;
                let detail = format!("{}: {refusal}", file.display());
                checks.push(Check::new(about, Health::Warning, detail));
            }
            Ok(None) | Err(_) => {}
        }
    }
    if here && !is_configured {
        let detail = format!("has no entry `{NAME}`");
        checks.push(Check::new(client.name, Health::Note, detail).fix(format!("orient setup {}", client.id)));
    }
    checks
}

/// The program of a command, as a client would find it.
fn program(command: &str) -> Option<PathBuf> {
    let named = Path::new(command);
    if named.components().count() > 1 {
        return named.is_file().then(|| named.to_owned());
    }
    let file = format!("{command}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|directory| directory.join(&file))
        .find(|path| path.is_file())
}

fn failed(about: &str, error: EngineError) -> Check {
    let error = ToolError::from(error);
    let check = Check::new(about, Health::Failure, error.message());
    if error.help().is_empty() {
        check
    } else {
        let help = error.help().to_owned();
        check.fix(help)
    }
}
