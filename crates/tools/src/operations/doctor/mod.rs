//! `doctor`: whether all is well, and what to type where it is not.

mod log_report;

use crate::answer::Answer;
use crate::error::{Exit, ToolError};
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::text::number_format::{bytes, count, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use log_report::LogReport;
use orient_engine::{EngineError, why_unusable};
use orient_live::{Unwatchable, WatchLimits, probe, unresponsive_watcher, watcher_process};
use orient_safefs::Directory;
use orient_setup::{CLIENTS, Client, ConfigDirs, NAME, Scope, registered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

pub(crate) struct Doctor;

/// With less room than that on its disk, an index is likely not to fit.
const LITTLE: u64 = 64 << 20;
const MAKE_ROOM: &str = "make room there (`orient gc` gives back what nobody needs), or choose another folder with --store or ORIENT_STORE";

/// How thorough to be.
#[derive(Args, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DoctorArgs {
    /// Do not read the whole index
    #[arg(long)]
    quick: bool,
    /// Show where the log is and its last warnings and errors, and check nothing else
    #[arg(long)]
    log: bool,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DoctorOut {
    /// Whether nothing needs to be done.
    healthy: bool,
    /// What was looked at, in the order it was.
    checks: Vec<Check>,
    /// The log, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<LogReport>,
}

/// One thing that was looked at.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Check {
    /// What.
    about: String,
    /// How it is.
    state: Health,
    /// That in words.
    says: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

/// How something is.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Health {
    /// As it should be.
    Well,
    /// Good to know.
    Note,
    /// Works, but not as well as it could.
    Warning,
    /// Does not work.
    Failure,
}

impl Check {
    fn new(about: impl Into<String>, state: Health, says: impl Into<String>) -> Self {
        Self { about: about.into(), state, says: says.into(), fix: None }
    }

    fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }
}

impl TypedOperation for Doctor {
    const NAME: &'static str = "doctor";
    const ABOUT: &'static str = "Check the store, the index, the watcher and the clients, and say what to do";
    const DETAILS: &'static str = "\
Looks whether the store can be written, whether the index is whole, whether files can be watched, and whether the clients \
that are set up can start us. Every page of the index and of the cache is read and compared with its checksum; what is \
damaged is rebuilt. Ends with code 5 where something does not work. Servers and background processes log to \
`log/orient.log` in the store: `--log` shows the last warnings and errors there.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "doctor", about: "is all well?" },
        Example { command: "doctor --quick", about: "the same without reading the whole index" },
        Example { command: "doctor --log", about: "where the log is, and its last warnings and errors" },
    ];
    const ASKS: bool = false;
    type Args = DoctorArgs;
    type Out = DoctorOut;

    fn run(session: &Session<'_>, args: DoctorArgs) -> Result<Answer<DoctorOut>, ToolError> {
        if args.log {
            return log(session).map(Answer::new);
        }
        let mut checks = vec![Check::new("version", Health::Well, env!("CARGO_PKG_VERSION"))];
        checks.extend(settings(session));
        checks.push(store(session));
        checks.extend(index(session, args.quick));
        checks.extend(watching(session));
        if let Some(dirs) = ConfigDirs::detect(session.root()) {
            checks.extend(CLIENTS.iter().flat_map(|client| client_checks(client, &dirs)));
        }
        let healthy = checks.iter().all(|check| matches!(check.state, Health::Well | Health::Note));
        Ok(Answer::new(DoctorOut { healthy, checks, log: None }))
    }

    fn text(out: &DoctorOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let width = out.checks.iter().map(|check| check.about.chars().count()).max().unwrap_or(0);
        for check in &out.checks {
            let (tone, mark) = match check.state {
                Health::Well => (Style::Number, "ok     "),
                Health::Note => (Style::Dim, "note   "),
                Health::Warning => (Style::Warn, "warning"),
                Health::Failure => (Style::Warn, "failure"),
            };
            writer.put(tone, mark)?;
            writer.put(Style::Head, &format!("  {:width$}  ", check.about))?;
            writer.line(Style::Plain, &check.says)?;
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

/// Where the log is, and what went wrong lately.
fn log(session: &Session<'_>) -> Result<DoctorOut, ToolError> {
    let store = &session.engine()?.store_paths().store;
    let (check, log) = match LogReport::of(store) {
        Ok(log) if log.bytes == 0 => {
            let says = format!("{}: not written yet; servers and watchers write it", log.file);
            (Check::new("log", Health::Note, says), Some(log))
        }
        Ok(log) => {
            let lately = match log.last.len() {
                0 => "no warnings or errors".to_owned(),
                _ => format!(
                    "the last {}:",
                    plural(log.last.len() as u64, "warning or error", "warnings and errors")
                ),
            };
            let says = format!("{}, {}, {lately}", log.file, bytes(log.bytes));
            (Check::new("log", Health::Well, says), Some(log))
        }
        Err(error) => {
            let file = orient_logging::path(store);
            let says =
                format!("{} cannot be read ({}), so nothing is logged", file.display(), why_unusable(&error));
            (Check::new("log", Health::Warning, says), None)
        }
    };
    let healthy = check.state != Health::Warning;
    Ok(DoctorOut { healthy, checks: vec![check], log })
}

/// What of the repository's settings is ignored.
fn settings(session: &Session<'_>) -> Vec<Check> {
    let ignored = session.loaded().ignored.iter();
    ignored
        .map(|one| {
            Check::new("settings", Health::Note, format!("{} is ignored: {}", one.location, one.reason))
        })
        .collect()
}

/// Whether indexes can be kept: a file is written, and waited for.
fn store(session: &Session<'_>) -> Check {
    let folder = match session.engine() {
        Ok(engine) => engine.store_paths().tree.clone(),
        Err(error) => return failed("store", error),
    };
    // A folder that is not there yet is made where the nearest one is.
    let tried = match Directory::open(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(&folder);
            Directory::existing(there)
        }
        opened => opened,
    };
    let free = tried.as_ref().ok().and_then(Directory::free_space);
    let room = free.map_or_else(String::new, |free| format!(", {} free on its disk", bytes(free)));
    match tried.and_then(|folder| folder.probe()) {
        Ok(()) if free.is_some_and(|free| free < LITTLE) => {
            let says = format!("{} can be written{room}: an index may not fit", folder.display());
            Check::new("store", Health::Warning, says).fix(MAKE_ROOM)
        }
        Ok(()) => Check::new("store", Health::Well, format!("{} can be written{room}", folder.display())),
        Err(error) => {
            let says = format!(
                "{} cannot be written ({}{room}): what changed is indexed anew, in memory, by every command",
                folder.display(),
                why_unusable(&error)
            );
            Check::new("store", Health::Warning, says).fix(MAKE_ROOM)
        }
    }
}

/// Whether the index is whole.
fn index(session: &Session<'_>, quick: bool) -> Vec<Check> {
    let snapshot = match session.engine().and_then(orient_engine::Engine::snapshot) {
        Ok(snapshot) => snapshot,
        Err(EngineError::NotIndexed) => {
            let none = Check::new("index", Health::Note, "there is none yet; the first question makes it");
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
            let read = if quick { "not read" } else { "read and whole" };
            Check::new("index", Health::Well, format!("{size}, {read}"))
        }
        Ok(faults) => Check::new("index", Health::Failure, format!("{size}: {}", faults.join("; ")))
            .fix("orient index --rebuild"),
        Err(error) => failed("index", error).fix("orient index --rebuild"),
    });
    if !quick && let Ok(Some(wrong)) = session.engine().map(orient_engine::Engine::check_cache) {
        let says = format!("it was damaged ({wrong}) and has been emptied; it fills again as files are read");
        checks.push(Check::new("cache", Health::Note, says));
    }
    let unreadable = status.skipped.iter().find(|(word, _)| *word == "unreadable").map_or(0, |(_, n)| *n);
    if unreadable > 0 {
        let files = plural(unreadable, "file or folder", "files and folders");
        let says = format!("{files} cannot be read and are missing from every answer");
        checks.push(Check::new("permissions", Health::Warning, says).fix("orient status names them"));
    }
    checks
}

/// Whether files can be watched, and how near the limits are.
fn watching(session: &Session<'_>) -> Vec<Check> {
    let Ok(engine) = session.engine() else { return Vec::new() };
    let check = match probe(engine.root()) {
        None => {
            let folders = engine.watch_scope(None).map_or(0, |survey| survey.folders.len() as u64);
            let WatchLimits { watches, .. } = WatchLimits::read();
            match watches {
                // Other programs watch too, and the limit is for all of a user's.
                Some(most) if folders > most / 2 => Check::new(
                    "watcher",
                    Health::Warning,
                    format!(
                        "{} folders here, and all programs together may watch {}",
                        count(folders),
                        count(most)
                    ),
                )
                .fix(format!(
                    "sudo sysctl fs.inotify.max_user_watches={}",
                    (folders * 4).next_power_of_two()
                )),
                _ => {
                    Check::new("watcher", Health::Well, format!("{} folders can be watched", count(folders)))
                }
            }
        }
        Some(why @ Unwatchable::System) => Check::new(
            "watcher",
            Health::Note,
            format!("{why}; servers compare all files for each question, which is slower but as right"),
        ),
        Some(why) => Check::new(
            "watcher",
            Health::Warning,
            format!("{why}; servers compare all files for each question, which is slower but as right"),
        ),
    };
    let asked = watcher_process(engine).map(|process| {
        let says = format!("process {process} watches this tree, and commands ask it");
        Check::new("watched", Health::Well, says)
    });
    let silent = unresponsive_watcher(engine).map(|process| {
        let says =
            format!("process {process} watches this tree but does not respond; commands look for themselves");
        let fix = format!("kill -CONT {process} to continue it, or kill -KILL {process} to end it");
        Check::new("watched", Health::Warning, says).fix(fix)
    });
    [check].into_iter().chain(asked).chain(silent).collect()
}

/// Whether a client can start us, in every scope in which it is told to.
fn client_checks(client: &Client, dirs: &ConfigDirs) -> Vec<Check> {
    let mut checks = Vec::new();
    let here = client.is_installed(dirs, Path::exists);
    let mut set_up = false;
    for scope in client.scopes() {
        let Some(file) = client.config_file(scope, dirs, Path::exists) else { continue };
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let about = format!("{} ({})", client.name, scope.as_str());
        let again = format!(
            "orient setup {}{}",
            client.id,
            if scope == Scope::Project { " --scope project" } else { "" }
        );
        match registered(client, &text) {
            Ok(Some(entry)) => {
                set_up = true;
                checks.push(match program(&entry.command) {
                    Some(path) => Check::new(about, Health::Well, format!("starts {}", path.display())),
                    None => Check::new(
                        about,
                        Health::Failure,
                        format!("is told to start {}, which is not there", entry.command),
                    )
                    .fix(again),
                });
            }
            Err(refusal) if here => {
                set_up = true;
                let says = format!("{}: {refusal}", file.display());
                checks.push(Check::new(about, Health::Warning, says));
            }
            Ok(None) | Err(_) => {}
        }
    }
    if here && !set_up {
        let says = format!("has no entry `{NAME}`");
        checks.push(Check::new(client.name, Health::Note, says).fix(format!("orient setup {}", client.id)));
    }
    checks
}

/// The program behind a command, as a client would find it.
fn program(command: &str) -> Option<PathBuf> {
    let named = Path::new(command);
    if named.components().count() > 1 {
        return named.is_file().then(|| named.to_owned());
    }
    let file = format!("{command}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&file))
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
