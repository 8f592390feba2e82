//! Shows the progress of indexing on standard error: a bar on a terminal, a line every few seconds elsewhere.

use crate::interrupt::Interrupt;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use orient_engine::{Phase, Progress};
use orient_tools::{bytes, count, duration};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// How to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgressStyle {
    /// Not at all.
    None,
    /// A bar.
    Bar,
    /// A line every few seconds.
    Lines,
}

/// Delay before anything is shown: refreshing a few files takes less.
const SHOW_DELAY: Duration = Duration::from_millis(300);
/// Time between two lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Shows the progress of indexing.
pub(crate) struct ProgressMeter {
    style: ProgressStyle,
    interrupt: Interrupt,
    state: RefCell<MeterState>,
}

struct MeterState {
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

impl ProgressMeter {
    pub(crate) fn new(style: ProgressStyle, interrupt: Interrupt) -> Self {
        let now = Instant::now();
        let state = MeterState {
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

impl Progress for ProgressMeter {
    fn phase(&self, phase: Phase, files: u64, bytes: u64) {
        self.interrupt.set_indexing(true);
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
        self.interrupt.set_indexing(true);
        let state = &mut *self.state.borrow_mut();
        if self.style == ProgressStyle::None || state.told_waiting || waited < SHOW_DELAY {
            return;
        }
        state.told_waiting = true;
        let who = holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
        state.print_line(&format!("waiting for {who}, which is indexing this directory"));
    }

    fn done(&self) {
        self.interrupt.set_indexing(false);
        let state = &mut *self.state.borrow_mut();
        if let Some(bar) = state.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl MeterState {
    fn show(&mut self, style: ProgressStyle) {
        let Some(phase) = self.phase else { return };
        match style {
            ProgressStyle::None => {}
            ProgressStyle::Bar if self.begun.elapsed() < SHOW_DELAY => {}
            ProgressStyle::Bar => {
                let total = self.total;
                let bar = self.bar.get_or_insert_with(|| bar(phase, total));
                bar.set_position(self.files);
                bar.set_message(rates(phase.unit(), self.files, self.bytes, self.phase_begun.elapsed()));
            }
            ProgressStyle::Lines if self.last_line.elapsed() < LINE_INTERVAL => {}
            ProgressStyle::Lines => {
                self.last_line = Instant::now();
                let line = self.line(phase);
                self.print_line(&line);
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

    /// Estimates the remaining time by bytes, since file sizes differ widely.
    fn remaining(&self, elapsed: Duration) -> Option<Duration> {
        let (done, total) =
            if self.total_bytes > 0 { (self.bytes, self.total_bytes) } else { (self.files, self.total) };
        if done == 0 || total <= done {
            return None;
        }
        let left = elapsed.as_millis() * u128::from(total - done) / u128::from(done);
        u64::try_from(left).ok().map(Duration::from_millis)
    }

    #[expect(clippy::print_stderr, reason = "progress goes to standard error")]
    fn print_line(&self, line: &str) {
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
    let style = BarStyle::with_template(&template).unwrap_or_else(|_| BarStyle::default_bar());
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
    fn a_line_shows_phase_files_rate_and_remaining_time() {
        let meter = ProgressMeter::new(ProgressStyle::None, Interrupt::default());
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
