//! `orient watch`: shows what changes, and how fast the index follows.

#[cfg(target_os = "linux")]
use crate::close_on_exec;
use crate::config::{Config, Form};
use crate::interrupt::Interrupt;
use crate::render;
use clap::{Arg, ArgAction, ArgMatches, Command};
use orient_engine::RefreshReport;
use orient_live::{BackgroundRefresh, RefreshListener, WatchOptions, Watcher};
use orient_settings::Override;
use orient_tools::{
    BackgroundEmbedding, Code, Exit, OpenTree, SessionOptions, Style, TextWriter, ToolError, count, duration,
    write_json_line,
};
use serde::Serialize;
use std::io;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often we look whether to end.
const LOOK_UP: Duration = Duration::from_millis(50);
/// So many paths are named on a terminal.
const MOST_PATHS: usize = 3;
/// How often one in the background looks whether to end.
const LOOK_UP_SELDOM: Duration = Duration::from_secs(1);
/// The argument that lets a watcher end by itself.
const UNTIL_IDLE: &str = "until-idle";

/// The subcommand.
pub(crate) fn command() -> Command {
    let until_idle = Arg::new(UNTIL_IDLE)
        .long(UNTIL_IDLE)
        .action(ArgAction::SetTrue)
        .help("End once no command has asked for as long as the setting watch.idle says");
    Command::new("watch")
        .about("Show live what changes and how fast the index follows")
        .long_about(
            "Show live what changes and how fast the index follows. Ctrl-C ends it.\n\n\
             Each line says where something changed, what that meant for the index, and how long after the change the \
             index was right again. With --json, each is an object on a line of its own. Servers watch by themselves. \
             Commands beside either ask it whether the index is right; others compare the files with it. In a tree \
             with as many files as the setting watch.from says, a command that had to compare them leaves a watcher \
             in the background, which ends by itself: `orient doctor` names its process.",
        )
        .arg(until_idle)
}

/// One line of what happened.
#[derive(Serialize)]
struct Line {
    /// `ready` once all is watched, then `change`; `unwatched` where files cannot be watched, `failed` where the index could
    /// not be brought up to date.
    event: &'static str,
    /// Since the start.
    at_ms: u64,
    /// Where something changed; `.` for everywhere.
    paths: Vec<String>,
    generation: u64,
    added: usize,
    changed: usize,
    removed: usize,
    renamed: usize,
    resolved: usize,
    /// From the first notice of a change until the index was right.
    behind_ms: Option<f64>,
    /// Of that, the work.
    took_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// Watches until Ctrl-C, or until nobody asks any more.
pub(crate) fn run(config: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let interrupt = Interrupt::install();
    interrupt.indexing(true);
    let begun = Instant::now();
    let (sender, lines) = channel();
    let sender = Mutex::new(sender);
    let listener = move |report: &BackgroundRefresh| {
        // Nobody reads any more once we are about to end.
        let _ = sender.lock().unwrap_or_else(PoisonError::into_inner).send(Line::of(report, begun));
    };
    let (form, colour) = (config.form, config.colour);
    let long_running = !matches.get_flag(UNTIL_IDLE);
    let mut live = None;
    let host = OpenTree::open(config.setup, |engine, loaded| {
        orient_logging::open(&engine.store_paths().store);
        tracing::info!(version = env!("CARGO_PKG_VERSION"), until_idle = !long_running, "watcher started");
        // One that a question left behind does no more than that question would have done.
        let branches = if long_running { loaded.settings.watch.branches } else { 0 };
        let listener: RefreshListener = Arc::new(listener);
        let options = WatchOptions {
            startup_delay: Duration::ZERO,
            prefetch_branches: branches,
            on_refresh: Some(listener),
            ..WatchOptions::default()
        };
        live.insert(Arc::new(Watcher::start(engine, options))).clone()
    })?;
    if form == Form::Text && !config.quiet {
        show(colour, |page| {
            page.line(Style::Dim, &format!("watching {}; Ctrl-C ends", host.root().display()))
        })?;
    }
    let idle = Duration::from_secs(host.loaded().settings.watch.idle as u64);
    let embedding = long_running.then(|| BackgroundEmbedding::start(&host));
    let wanted = || {
        let asked = || live.as_ref().and_then(|live| live.idle_time()).is_some_and(|unasked| unasked < idle);
        !interrupt.cancel.is_cancelled() && (long_running || asked())
    };
    let shown = follow(&lines, form, colour, if long_running { LOOK_UP } else { LOOK_UP_SELDOM }, &wanted);
    drop(embedding);
    drop((host, live));
    match shown {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(&error)),
        _ => Ok(Exit::Ok),
    }
}

/// Starts a watcher of the same tree that outlives us. Where that fails, the next question takes longer and nothing else.
pub(crate) fn spawn_daemon(setup: &SessionOptions) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut watcher = std::process::Command::new(program);
    watcher.args(["watch", "--quiet", &format!("--{UNTIL_IDLE}")]);
    watcher.arg("--root").arg(&setup.start);
    for Override { key, value, .. } in &setup.overrides {
        watcher.arg("--set").arg(format!("{key}={value}"));
    }
    watcher.args((0..setup.force).map(|_| "--force"));
    watcher.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(target_os = "linux")]
    close_on_exec::mark_inherited_files();
    // What is typed in the terminal is not meant for it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut watcher, 0);
    let _ = watcher.spawn();
}

fn cannot_write(error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("cannot write: {error}"))
}

fn show(colour: bool, write: impl FnOnce(&mut TextWriter<'_>) -> io::Result<()>) -> Result<(), ToolError> {
    render::page(colour, write).map_err(|error| cannot_write(&error))
}

fn follow(
    lines: &Receiver<Line>,
    form: Form,
    colour: bool,
    look_up: Duration,
    wanted: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut ready = false;
    while wanted() {
        let mut line = match lines.recv_timeout(look_up) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        if !ready && line.event == "change" {
            line.event = "ready";
            ready = true;
        } else if line.is_nothing() {
            continue;
        }
        match form {
            Form::Json => render::raw(|out| write_json_line(&line, out))?,
            Form::Text => render::page(colour, |page| line.text(page))?,
        }
    }
    Ok(())
}

impl Line {
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

    /// Whether there is nothing to tell: all files were compared, and nothing differed.
    fn is_nothing(&self) -> bool {
        let differs = self.added + self.changed + self.removed + self.renamed > 0;
        self.event == "change" && !differs && self.paths.is_empty()
    }

    fn text(&self, page: &mut TextWriter<'_>) -> io::Result<()> {
        page.put(Style::Dim, &format!("{:>9}  ", duration(Duration::from_millis(self.at_ms))))?;
        if self.event == "ready" {
            page.put(Style::Plain, "every folder is watched; ")?;
        }
        if let Some(message) = &self.message {
            page.put(Style::Warn, message)?;
            page.plain("; ")?;
        }
        for (number, path) in self.paths.iter().take(MOST_PATHS).enumerate() {
            page.plain(if number > 0 { ", " } else { "" })?;
            page.put(Style::Path, path)?;
        }
        if let Some(more) = self.paths.len().checked_sub(MOST_PATHS).filter(|more| *more > 0) {
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
