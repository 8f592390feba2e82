//! `bench graph`: callers to depth three, compared with a symbol lookup.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::process::Scratch;
use crate::report::{count, table};
use anyhow::{Context, Result};
use orient_engine::{
    Cancel, DefinitionQuery, Direction, Engine, EngineError, NodeId, OpenOptions, Phase, Progress,
    ReachOptions, RefreshOptions, Snapshot, WithDispatch, reach,
};
use orient_model::{Confidence, EdgeKind, SymbolKind};
use orient_settings::Settings;
use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};

/// Repetitions of each query; the best counts, because other processes interfere.
const AGAIN: usize = 5;

/// Indexes a directory and queries symbols spread evenly over it.
pub(super) fn run(directory: &Path, symbols: usize) -> Result<()> {
    let scratch = Scratch::new("graph")?;
    let options = OpenOptions { force: u8::MAX, store: Some(scratch.path().join("store")) };
    let engine = Engine::open(directory, Settings::default(), &options)?;
    let refresh = RefreshOptions { cancel: Cancel::default(), ..RefreshOptions::default() };
    let watch = Watch::default();
    engine.refresh(&refresh, &watch)?;
    watch.print();
    let snapshot = engine.snapshot()?;
    let kinds = vec![SymbolKind::Function, SymbolKind::Method];
    let query = DefinitionQuery { kinds, ..DefinitionQuery::default() };
    let total = snapshot.symbols(&query, 0, 0)?.total;
    let step = (total / symbols.max(1)).max(1);
    let mut asked = Vec::new();
    for place in (0..total).step_by(step) {
        let found = snapshot.symbols(&query, place, 1)?.rows.into_iter().next();
        let definition = found.context("a symbol of the list")?;
        asked.push((definition.handle.to_string(), NodeId::from(definition.id)));
    }
    let (mut lookups, mut first, mut again) = (Vec::new(), Vec::new(), Vec::new());
    let (mut reached, mut most) = (0, 0);
    let fresh = engine.snapshot()?;
    for (handle, node) in &asked {
        let start = Instant::now();
        fresh.symbol(handle)?;
        lookups.push(start.elapsed());
        let (found, time) = callers(&fresh, *node)?;
        first.push(time);
        let mut best = Duration::MAX;
        for _ in 0..AGAIN {
            best = best.min(callers(&fresh, *node)?.1);
        }
        again.push(best);
        reached += found;
        most = most.max(found);
    }
    let sizes = snapshot.status()?.sizes;
    println!(
        "{}: {} symbols; {} asked, {} callers on average, {} at most",
        directory.display(),
        count(sizes.symbols),
        count(asked.len() as u64),
        count((reached / asked.len().max(1)) as u64),
        count(most as u64)
    );
    let rows = [
        row("look-up of a handle", &mut lookups),
        row("callers to depth 3, first time", &mut first),
        row("callers to depth 3, best of five", &mut again),
    ];
    table(&["", "median", "95 of 100", "worst"], &rows);
    Ok(())
}

/// When each indexing phase began, in wall time and processor time.
#[derive(Default)]
struct Watch(RefCell<Vec<(&'static str, Instant, Duration)>>);

impl Watch {
    fn note(&self, what: &'static str) {
        self.0.borrow_mut().push((what, Instant::now(), super::process::cpu_time(std::process::id())));
    }

    /// The duration of each phase, and the share of resolution.
    fn print(&self) {
        let moments = self.0.borrow();
        let (mut rows, mut resolving, mut others) = (Vec::new(), 0.0, 0.0);
        for pair in moments.windows(2) {
            let (clock, worked) = (pair[1].1 - pair[0].1, pair[1].2.saturating_sub(pair[0].2));
            let is_resolving = pair[0].0 == Phase::Resolving.as_str();
            *(if is_resolving { &mut resolving } else { &mut others }) += worked.as_secs_f64();
            let shown = |time: Duration| format!("{:.2} s", time.as_secs_f64());
            rows.push(vec![pair[0].0.to_owned(), shown(clock), shown(worked)]);
        }
        table(&["phase", "clock", "processor"], &rows);
        println!("resolving adds {:.0} % to the processor time of the rest\n", 100.0 * resolving / others);
    }
}

impl Progress for Watch {
    fn phase(&self, phase: Phase, _: u64, _: u64) {
        self.note(phase.as_str());
    }
    fn tick(&self, _: u64, _: u64) {}
    fn waiting(&self, _: Option<u32>, _: Duration) {}
    fn done(&self) {
        self.note("done");
    }
}

/// The traversal with all nodes formatted, as the operation does it.
fn callers(snapshot: &Snapshot, node: NodeId) -> Result<(usize, Duration), EngineError> {
    let start = Instant::now();
    let view = snapshot.graph();
    let options = ReachOptions {
        direction: Direction::In,
        depth: 3,
        per_level: 50,
        total: 200,
        follow: &|edge| {
            matches!(edge.kind, EdgeKind::Calls | EdgeKind::Constructs | EdgeKind::Dispatches)
                && edge.confidence <= Confidence::Probable
        },
        enter: &|_| Ok(true),
    };
    let reached = reach(&WithDispatch(&view), &[node], &options)?;
    for step in &reached.steps {
        view.describe(step.node)?;
    }
    Ok((reached.steps.len() - 1, start.elapsed()))
}

pub(super) fn row(name: &str, times: &mut [Duration]) -> Vec<String> {
    times.sort_unstable();
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1)));
    let shown = |time: Option<&Duration>| {
        time.map_or_else(|| "-".to_owned(), |time| format!("{:.3} ms", time.as_secs_f64() * 1000.0))
    };
    vec![name.to_owned(), shown(at(50)), shown(at(95)), shown(at(100))]
}
