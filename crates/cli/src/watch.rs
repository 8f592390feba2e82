//! `orient watch`: shows what changes, and how fast the index follows.

use crate::config::{Config, Form};
use crate::interrupt::Interrupt;
use crate::render;
use clap::{ArgMatches, Command};
use orient_engine::Refresh;
use orient_live::{Live, LiveOptions, Seen};
use orient_tools::{Background, Code, Exit, Host, Page, Tone, ToolError, count, duration, write_json_line};
use serde::Serialize;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often we look whether to end.
const LOOK_UP: Duration = Duration::from_millis(50);
/// So many paths are named on a terminal.
const MOST_PATHS: usize = 3;

/// The subcommand.
pub(crate) fn command() -> Command {
    Command::new("watch").about("Show live what changes and how fast the index follows").long_about(
        "Show live what changes and how fast the index follows. Ctrl-C ends it.\n\n\
         Each line says where something changed, what that meant for the index, and how long after the change the \
         index was right again. With --json, each is an object on a line of its own. Servers watch by themselves. \
         Commands beside either ask it whether the index is right; others compare the files with it.",
    )
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

/// Watches until Ctrl-C.
pub(crate) fn run(config: Config, _matches: &ArgMatches) -> Result<Exit, ToolError> {
    let interrupt = Interrupt::install();
    interrupt.indexing(true);
    let begun = Instant::now();
    let (sender, lines) = channel();
    let sender = Mutex::new(sender);
    let seen = move |seen: &Seen| {
        // Nobody reads any more once we are about to end.
        let _ = sender.lock().unwrap_or_else(PoisonError::into_inner).send(Line::of(seen, begun));
    };
    let (form, colour) = (config.form, config.colour);
    let options = LiveOptions { start: Duration::ZERO, seen: Some(Arc::new(seen)), ..LiveOptions::default() };
    let host = Host::open(config.setup, |engine, _| Arc::new(Live::start(engine, options)))?;
    if form == Form::Text && !config.quiet {
        show(colour, |page| {
            page.line(Tone::Dim, &format!("watching {}; Ctrl-C ends", host.root().display()))
        })?;
    }
    let embedding = Background::start(&host);
    let shown = follow(&lines, form, colour, &interrupt);
    drop(embedding);
    drop(host);
    match shown {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(cannot_write(&error)),
        _ => Ok(Exit::Ok),
    }
}

fn cannot_write(error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("cannot write: {error}"))
}

fn show(colour: bool, write: impl FnOnce(&mut Page<'_>) -> io::Result<()>) -> Result<(), ToolError> {
    render::page(colour, write).map_err(|error| cannot_write(&error))
}

fn follow(lines: &Receiver<Line>, form: Form, colour: bool, interrupt: &Interrupt) -> io::Result<()> {
    let mut ready = false;
    while !interrupt.cancel.is_cancelled() {
        let mut line = match lines.recv_timeout(LOOK_UP) {
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
    fn of(seen: &Seen, begun: Instant) -> Self {
        let nothing = Refresh::default();
        let (refresh, failure) = match &seen.refresh {
            Ok(refresh) => (refresh, None),
            Err(error) => (&nothing, Some(error.to_string())),
        };
        let millis = |time: Duration| (time.as_secs_f64() * 10_000.0).round() / 10.0;
        let unwatched = seen.unwatched.as_ref().map(ToString::to_string);
        let event = match (&failure, &unwatched) {
            (Some(_), _) => "failed",
            (None, Some(_)) => "unwatched",
            (None, None) => "change",
        };
        Self {
            event,
            at_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            paths: seen.paths.iter().map(|path| path.display().into_owned()).collect(),
            generation: refresh.generation,
            added: refresh.added,
            changed: refresh.changed,
            removed: refresh.removed,
            renamed: refresh.renamed,
            resolved: refresh.resolved,
            behind_ms: seen.behind.map(millis),
            took_ms: millis(refresh.elapsed),
            message: failure.or(unwatched),
        }
    }

    /// Whether there is nothing to tell: all files were compared, and nothing differed.
    fn is_nothing(&self) -> bool {
        let differs = self.added + self.changed + self.removed + self.renamed > 0;
        self.event == "change" && !differs && self.paths.is_empty()
    }

    fn text(&self, page: &mut Page<'_>) -> io::Result<()> {
        page.put(Tone::Dim, &format!("{:>9}  ", duration(Duration::from_millis(self.at_ms))))?;
        if self.event == "ready" {
            page.put(Tone::Plain, "every folder is watched; ")?;
        }
        if let Some(message) = &self.message {
            page.put(Tone::Warn, message)?;
            page.plain("; ")?;
        }
        for (number, path) in self.paths.iter().take(MOST_PATHS).enumerate() {
            page.plain(if number > 0 { ", " } else { "" })?;
            page.put(Tone::Path, path)?;
        }
        if let Some(more) = self.paths.len().checked_sub(MOST_PATHS).filter(|more| *more > 0) {
            page.put(Tone::Dim, &format!(" and {} more", count(more as u64)))?;
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
            page.put(Tone::Number, &format!("  {behind:.0} ms"))?;
        }
        page.end()
    }
}
