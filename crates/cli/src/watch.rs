//! `orient watch`: shows changes as the index follows them; also the daemon that commands start.

#[cfg(target_os = "linux")]
use crate::close_on_exec;
use crate::config::{Config, OutputFormat};
use crate::forwarded_command;
use crate::interrupt::Interrupt;
use crate::render;
use clap::{Arg, ArgAction, ArgMatches, Command};
use orient_engine::RefreshReport;
use orient_live::{BackgroundRefresh, RefreshListener, WatchOptions, Watcher};
use orient_settings::Override;
use orient_tools::{
    BackgroundEmbedding, BackgroundLayers, Code, Exit, OpenTree, SessionOptions, Style, TextWriter,
    ToolError, count, duration, write_json_line,
};
use serde::Serialize;
use std::io;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the loop checks whether to stop.
const STOP_POLL: Duration = Duration::from_millis(50);
/// Maximum number of paths in a line of text.
const MAX_PATHS: usize = 3;
/// The same for a daemon.
const DAEMON_STOP_POLL: Duration = Duration::from_secs(1);
/// The flag of a daemon: it stops by itself.
const UNTIL_IDLE: &str = "until-idle";

/// The definition of the subcommand.
pub(crate) fn command() -> Command {
    let until_idle = Arg::new(UNTIL_IDLE)
        .long(UNTIL_IDLE)
        .action(ArgAction::SetTrue)
        .help("Stop once no command has asked for as long as the setting watch.idle says");
    Command::new("watch")
        .about("Show changes live, and how fast the index follows them")
        .long_about(
            "Show changes live, and how fast the index follows them. Ctrl-C stops it.\n\n\
             Each line shows the changed paths, the effect on the index, and the time from the change until the index \
             was up to date. With --json, each line is an object. Servers watch by themselves. While a watcher runs, \
             commands ask it whether the index is up to date; otherwise they compare all files. In a tree with at \
             least watch.min_files files, a command that had to compare them starts a daemon, which stops by itself; \
             `orient doctor` shows its process.",
        )
        .arg(until_idle)
}

/// One line of output.
#[derive(Serialize)]
struct WatchLine {
    /// `ready` once every directory is watched, then `change`; `unwatched` if files cannot be watched, `failed` if a refresh
    /// failed.
    event: &'static str,
    /// Time since the start.
    at_ms: u64,
    /// The changed paths; `.` is the whole tree.
    paths: Vec<String>,
    generation: u64,
    added: usize,
    changed: usize,
    removed: usize,
    renamed: usize,
    resolved: usize,
    /// Time from the first notification until the index was up to date.
    behind_ms: Option<f64>,
    /// Duration of the refresh.
    took_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Watches until Ctrl-C, or as a daemon until no command asks any more.
pub(crate) fn run(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let interrupt = Interrupt::install();
    interrupt.set_indexing(true);
    let begun = Instant::now();
    let (sender, lines) = channel();
    let sender = Mutex::new(sender);
    let listener = move |report: &BackgroundRefresh| {
        // Fails once we are about to exit.
        let _ = sender.lock().unwrap_or_else(PoisonError::into_inner).send(WatchLine::of(report, begun));
    };
    let (format, colour) = (config.format, config.colour);
    let is_daemon = matches.get_flag(UNTIL_IDLE);
    let mut watcher: Option<Arc<Watcher>> = None;
    let setup = config.setup.clone();
    let host = OpenTree::open(config.setup, |engine, loaded| {
        orient_logging::open(&engine.store_paths().store);
        tracing::info!(version = env!("CARGO_PKG_VERSION"), until_idle = is_daemon, "watcher started");
        // A daemon does no more work than the command that started it.
        let branches = if is_daemon { 0 } else { loaded.settings.watch.branches };
        let listener: RefreshListener = Arc::new(listener);
        let options = WatchOptions {
            startup_delay: Duration::ZERO,
            prefetch_branches: branches,
            history: if is_daemon { None } else { orient_tools::background_history(loaded) },
            on_refresh: Some(listener),
            stops_on_request: is_daemon,
            ..WatchOptions::default()
        };
        let started = Watcher::start(engine, options);
        started.answer_commands(|freshness| forwarded_command::handler(setup, engine, loaded, freshness));
        watcher.insert(Arc::new(started)).clone()
    })?;
    if format == OutputFormat::Text && !config.quiet {
        show(colour, |page| {
            page.line(Style::Dim, &format!("watching {}; Ctrl-C stops", host.root().display()))
        })?;
    }
    let idle = Duration::from_secs(host.loaded().settings.watch.idle as u64);
    let embedding = (!is_daemon).then(|| BackgroundEmbedding::start(&host));
    let layers = BackgroundLayers::start(&host);
    let keeps_running = || {
        let was_asked =
            || watcher.as_ref().and_then(|watcher| watcher.idle_time()).is_some_and(|time| time < idle);
        let is_stopped = || watcher.as_ref().is_some_and(|watcher| watcher.is_asked_to_stop());
        !interrupt.cancel.is_cancelled() && (!is_daemon || was_asked() && !is_stopped())
    };
    let shown =
        follow(&lines, format, colour, if is_daemon { DAEMON_STOP_POLL } else { STOP_POLL }, &keeps_running);
    drop((embedding, layers));
    drop((host, watcher));
    match shown {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(&error)),
        _ => Ok(Exit::Ok),
    }
}

/// Starts a daemon for the same tree. If that fails, the next command takes longer, nothing else.
pub(crate) fn spawn_daemon(setup: &SessionOptions) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut daemon = std::process::Command::new(program);
    daemon.args(["watch", "--quiet", &format!("--{UNTIL_IDLE}")]);
    daemon.arg("--root").arg(&setup.start);
    for Override { key, value, .. } in &setup.overrides {
        daemon.arg("--set").arg(format!("{key}={value}"));
    }
    daemon.args((0..setup.force).map(|_| "--force"));
    daemon.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(target_os = "linux")]
    close_on_exec::mark_inherited_files();
    // Its own process group: Ctrl-C in the terminal must not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut daemon, 0);
    let _ = daemon.spawn();
}

fn cannot_write(error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("cannot write: {error}"))
}

fn show(colour: bool, write: impl FnOnce(&mut TextWriter<'_>) -> io::Result<()>) -> Result<(), ToolError> {
    render::page(colour, write).map_err(|error| cannot_write(&error))
}

fn follow(
    lines: &Receiver<WatchLine>,
    format: OutputFormat,
    colour: bool,
    poll: Duration,
    keeps_running: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut ready = false;
    while keeps_running() {
        let mut line = match lines.recv_timeout(poll) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        if !ready && line.event == "change" {
            line.event = "ready";
            ready = true;
        } else if line.is_empty() {
            continue;
        }
        match format {
            OutputFormat::Json => render::raw(|out| write_json_line(&line, out))?,
            OutputFormat::Text => render::page(colour, |page| line.text(page))?,
        }
    }
    Ok(())
}

impl WatchLine {
    fn of(report: &BackgroundRefresh, begun: Instant) -> Self {
        let nothing = RefreshReport::default();
        let (refresh, failure) = match &report.refresh {
            Ok(refresh) => (refresh, None),
            Err(error) => (&nothing, Some(error.to_string())),
        };
        let millis = |time: Duration| (time.as_secs_f64() * 10_000.0).round() / 10.0;
        let unwatched = report.unwatched.as_ref().map(ToString::to_string);
        let event = match (&failure, &unwatched) {
            (Some(_), _) => "failed",
            (None, Some(_)) => "unwatched",
            (None, None) => "change",
        };
        Self {
            event,
            at_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            paths: report.paths.iter().map(|path| path.display().into_owned()).collect(),
            generation: refresh.generation,
            added: refresh.added,
            changed: refresh.changed,
            removed: refresh.removed,
            renamed: refresh.renamed,
            resolved: refresh.resolved,
            behind_ms: report.lag.map(millis),
            took_ms: millis(refresh.elapsed),
            message: failure.or(unwatched),
        }
    }

    /// Whether a full scan found no difference.
    fn is_empty(&self) -> bool {
        let differs = self.added + self.changed + self.removed + self.renamed > 0;
        self.event == "change" && !differs && self.paths.is_empty()
    }

    fn text(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        page.put(Style::Dim, &format!("{:>9}  ", duration(Duration::from_millis(self.at_ms))))?;
        if self.event == "ready" {
            page.put(Style::Plain, "every directory is watched; ")?;
        }
        if let Some(message) = &self.message {
            page.put(Style::Warn, message)?;
            page.plain("; ")?;
        }
        for (number, path) in self.paths.iter().take(MAX_PATHS).enumerate() {
            page.plain(if number > 0 { ", " } else { "" })?;
            page.put(Style::Path, path)?;
        }
        if let Some(more) = self.paths.len().checked_sub(MAX_PATHS).filter(|more| *more > 0) {
            page.put(Style::Dim, &format!(" and {} more", count(more as u64)))?;
        }
        let counts = [
            ("added", self.added),
            ("changed", self.changed),
            ("removed", self.removed),
            ("renamed", self.renamed),
        ];
        let mut words: Vec<String> = counts
            .iter()
            .filter(|(_, number)| *number > 0)
            .map(|(word, number)| format!("{} {word}", count(*number as u64)))
            .collect();
        if words.is_empty() {
            words.push("nothing changed".to_owned());
        }
        if self.resolved > 0 {
            words.push(format!("{} resolved", count(self.resolved as u64)));
        }
        let gap = if self.paths.is_empty() { "" } else { "  " };
        page.plain(&format!("{gap}{}", words.join(", ")))?;
        if let Some(behind) = self.behind_ms {
            page.put(Style::Number, &format!("  {behind:.0} ms"))?;
        }
        page.end_line()
    }
}
