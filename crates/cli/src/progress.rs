//! Progress of indexing, on the standard error: a bar on a terminal, a line now and then elsewhere.

use crate::interrupt::Interrupt;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use orient_engine::{Phase, Progress};
use orient_tools::{bytes, count, duration};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Not at all.
    None,
    /// As a bar that is drawn again and again.
    Bar,
    /// As a line every few seconds.
    Lines,
}

/// Catching up with a few files is over before anyone would read a bar.
const QUIET_START: Duration = Duration::from_millis(300);
/// How often a line is written where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows the progress of indexing.
pub(crate) struct Meter {
    style: Style,
    interrupt: Interrupt,
    state: RefCell<State>,
}

struct State {
    begun: Instant,
    phase: Option<Phase>,
    phase_begun: Instant,
    files: u64,
    bytes: u64,
    total: u64,
    total_bytes: u64,
    last_line: Instant,
    told_waiting: bool,
    bar: Option<ProgressBar>,
}

impl Meter {
    pub(crate) fn new(style: Style, interrupt: Interrupt) -> Self {
        let now = Instant::now();
        let state = State {
            begun: now,
            phase: None,
            phase_begun: now,
            files: 0,
            bytes: 0,
            total: 0,
            total_bytes: 0,
            last_line: now,
            told_waiting: false,
            bar: None,
        };
        Self { style, interrupt, state: RefCell::new(state) }
    }
}

impl Progress for Meter {
    fn phase(&self, phase: Phase, files: u64, bytes: u64) {
        self.interrupt.indexing(true);
        let state = &mut *self.state.borrow_mut();
        (state.phase, state.phase_begun) = (Some(phase), Instant::now());
        (state.files, state.bytes, state.total, state.total_bytes) = (0, 0, files, bytes);
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
        state.show(self.style);
    }

    fn tick(&self, files: u64, bytes: u64) {
        let state = &mut *self.state.borrow_mut();
        state.files += files;
        state.bytes += bytes;
        state.show(self.style);
    }

    fn waiting(&self, holder: Option<u32>, waited: Duration) {
        self.interrupt.indexing(true);
        let state = &mut *self.state.borrow_mut();
        if self.style == Style::None || state.told_waiting || waited < QUIET_START {
            return;
        }
        state.told_waiting = true;
        let who = holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
        state.say(&format!("waiting for {who}, which is indexing this folder"));
    }

    fn done(&self) {
        self.interrupt.indexing(false);
        let state = &mut *self.state.borrow_mut();
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl State {
    fn show(&mut self, style: Style) {
        let Some(phase) = self.phase else { return };
        match style {
            Style::None => {}
            Style::Bar if self.begun.elapsed() < QUIET_START => {}
            Style::Bar => {
                let total = self.total;
                let bar = self.bar.get_or_insert_with(|| bar(phase, total));
                bar.set_position(self.files);
                bar.set_message(rates(phase.unit(), self.files, self.bytes, self.phase_begun.elapsed()));
            }
            Style::Lines if self.last_line.elapsed() < LINE_EVERY => {}
            Style::Lines => {
                self.last_line = Instant::now();
                let line = self.line(phase);
                self.say(&line);
            }
        }
    }

    fn line(&self, phase: Phase) -> String {
        let mut line = format!("{}: {}", phase.as_str(), count(self.files));
        if self.total > 0 {
            line = format!("{line} of {} {}", count(self.total), phase.unit());
        } else {
            line = format!("{line} {}", phase.unit());
        }
        let elapsed = self.phase_begun.elapsed();
        line = format!("{line}, {}", rates(phase.unit(), self.files, self.bytes, elapsed));
        match self.remaining(elapsed) {
            Some(left) => format!("{line}, {} left", duration(left)),
            None => line,
        }
    }

    /// By bytes, since files differ so much in size.
    fn remaining(&self, elapsed: Duration) -> Option<Duration> {
        let (done, total) =
            if self.total_bytes > 0 { (self.bytes, self.total_bytes) } else { (self.files, self.total) };
        if done == 0 || total <= done {
            return None;
        }
        let left = elapsed.as_millis() * u128::from(total - done) / u128::from(done);
        u64::try_from(left).ok().map(Duration::from_millis)
    }

    #[expect(clippy::print_stderr, reason = "progress is for whoever watches the standard error")]
    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("orient: {line}")),
            None => eprintln!("orient: {line}"),
        }
    }
}

fn bar(phase: Phase, total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target((total > 0).then_some(total), ProgressDrawTarget::stderr());
    let unit = phase.unit();
    let template = if total > 0 {
        format!("{{prefix:9}} {{wide_bar}} {{human_pos}}/{{human_len}} {unit}  {{msg}}  {{eta}} left")
    } else {
        format!("{{prefix:9}} {{spinner}} {{human_pos}} {unit}  {{msg}}")
    };
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸ "));
    bar.set_prefix(phase.as_str());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn rates(unit: &str, done: u64, size: u64, elapsed: Duration) -> String {
    let millis = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let per_second = |number: u64| number.saturating_mul(1000) / millis;
    let rate = format!("{} {unit}/s", count(per_second(done)));
    if size == 0 { rate } else { format!("{rate}, {}/s", bytes(per_second(size))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_phase_files_rate_and_remaining() {
        let meter = Meter::new(Style::None, Interrupt::default());
        meter.phase(Phase::Reading, 4000, 8_000_000);
        meter.tick(1000, 2_000_000);
        let mut state = meter.state.borrow_mut();
        state.phase_begun = Instant::now().checked_sub(Duration::from_secs(2)).expect("up for two seconds");
        let line = state.line(Phase::Reading);
        assert!(line.starts_with("indexing: 1,000 of 4,000 files, "), "{line}");
        assert!(state.line(Phase::Embedding).starts_with("embedding: 1,000 of 4,000 chunks, "));
        assert!(line.contains("files/s") && line.contains("KiB/s") && line.ends_with(" s left"), "{line}");
    }
}
