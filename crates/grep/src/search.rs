//! A whole search: files in, bytes out in their order, and what came of it.

use crate::error::GrepError;
use crate::layout::{Layout, Mode};
use crate::ordered::{Next, Ordered};
use crate::pattern::Pattern;
use crate::sink::{Sink, VeiledPath};
use crate::worker::{Found, Worker};
use grep_printer::Stats;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use orient_walk::{Haystack, Tree};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Fewer files than this are searched before another thread would have started.
const FEW: usize = 8;
/// Taking a batch has its price, and so has waiting for a large one.
const LARGEST_BATCH: usize = 32;

/// A search that is ready to run: its pattern and layout make sense.
pub struct Search {
    pattern: Pattern,
    matcher: RegexMatcher,
    layout: Layout,
}

/// What came of a search.
#[derive(Debug, Default)]
pub struct Totals {
    /// Whether there is anything of what was asked for.
    pub matched: bool,
    /// Files that could not be searched, and why, in the order of the files.
    pub errors: Vec<String>,
    stats: Stats,
}

impl Search {
    /// Makes ready.
    pub fn new(pattern: Pattern, layout: Layout) -> Result<Self, GrepError> {
        layout.searcher(&pattern)?;
        Ok(Self { matcher: pattern.matcher()?, pattern, layout })
    }

    /// How results are shown.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The same search, shown in another way.
    pub fn layout_mut(&mut self) -> &mut Layout {
        &mut self.layout
    }

    /// Searches the files and gives what is to be shown to `out`, in their order. A failure of `out` ends the search.
    pub fn run(
        &self,
        tree: &Tree,
        files: &[Haystack],
        threads: usize,
        out: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<Totals> {
        let started = Instant::now();
        let ordered = Ordered::default();
        let searcher = self.layout.searcher(&self.pattern).map_err(io::Error::other)?;
        let shared = Shared {
            tree,
            files,
            searcher: &searcher,
            ordered: &ordered,
            next: AtomicUsize::new(0),
            done: Mutex::default(),
        };
        let threads = if files.len() < FEW { 1 } else { threads.max(1) };
        let size = (files.len() / (threads * 16)).clamp(1, LARGEST_BATCH);
        let batches = files.len().div_ceil(size);
        let mut shown = Shown { separator: self.layout.file_separator(), any: false, out };
        let written = std::thread::scope(|scope| {
            for _ in 0..threads.min(batches) {
                scope.spawn(|| self.serve(&shared, size));
            }
            let written = shown.write(&ordered, batches);
            if written.is_err() {
                ordered.stop();
            }
            written
        });
        written?;
        let done = shared.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let totals = done.into_totals();
        if self.layout.mode == Mode::Json {
            (shown.out)(summary(&totals.stats, started.elapsed()).as_bytes())?;
        }
        Ok(totals)
    }

    /// What to do with a file that is not text: one found in a folder, and one that was named.
    fn detection(&self) -> [BinaryDetection; 2] {
        match (self.pattern.text || self.pattern.null_data, self.layout.binary) {
            (true, _) => [BinaryDetection::none(), BinaryDetection::none()],
            (false, true) => [BinaryDetection::convert(0), BinaryDetection::convert(0)],
            (false, false) => [BinaryDetection::quit(0), BinaryDetection::convert(0)],
        }
    }

    /// One thread: takes batches until there are none.
    fn serve(&self, shared: &Shared<'_>, size: usize) {
        let sink = Sink::new(shared.ordered, self.layout.colours, self.layout.file_separator());
        let mut worker = Worker {
            tree: shared.tree,
            matcher: self.matcher.clone(),
            searcher: shared.searcher.build(),
            printer: self.layout.printer(sink),
            detection: self.detection(),
            veiled: VeiledPath::default(),
        };
        let mut done = Done::default();
        loop {
            let batch = shared.next.fetch_add(1, Ordering::Relaxed);
            let from = batch * size;
            if from >= shared.files.len() {
                break;
            }
            worker.printer.get_mut().start_batch(batch);
            for (at, file) in (from..).zip(&shared.files[from..shared.files.len().min(from + size)]) {
                done.note(at, file, worker.search(file));
            }
            worker.printer.get_mut().hand_on();
            shared.ordered.finish(batch);
            if shared.ordered.is_stopped() {
                break;
            }
        }
        shared.done.lock().unwrap_or_else(PoisonError::into_inner).add(done);
    }
}

/// What all threads use.
struct Shared<'s> {
    tree: &'s Tree,
    files: &'s [Haystack],
    searcher: &'s SearcherBuilder,
    ordered: &'s Ordered,
    next: AtomicUsize,
    done: Mutex<Done>,
}

/// What came of some files.
#[derive(Default)]
struct Done {
    matched: bool,
    errors: Vec<(usize, String)>,
    stats: Stats,
}

impl Done {
    fn note(&mut self, at: usize, file: &Haystack, found: io::Result<Found>) {
        match found {
            Ok(found) => {
                self.matched |= found.matched;
                if let Some(stats) = found.stats {
                    self.stats += stats;
                }
            }
            Err(error) => self.errors.push((at, format!("{}: {error}", file.shown.display()))),
        }
    }

    fn add(&mut self, other: Self) {
        self.matched |= other.matched;
        self.errors.extend(other.errors);
        self.stats += other.stats;
    }

    fn into_totals(mut self) -> Totals {
        self.errors.sort_unstable();
        let errors = self.errors.into_iter().map(|(_, error)| error).collect();
        Totals { matched: self.matched, errors, stats: self.stats }
    }
}

/// What was handed out.
struct Shown<'o> {
    separator: Option<Vec<u8>>,
    any: bool,
    out: &'o mut dyn FnMut(&[u8]) -> io::Result<()>,
}

impl Shown<'_> {
    fn write(&mut self, ordered: &Ordered, batches: usize) -> io::Result<()> {
        for _ in 0..batches {
            let mut begun = false;
            while let Next::Part(part) = ordered.next() {
                if !std::mem::replace(&mut begun, true)
                    && std::mem::replace(&mut self.any, true)
                    && let Some(separator) = &self.separator
                {
                    (self.out)(separator)?;
                    (self.out)(b"\n")?;
                }
                (self.out)(&part)?;
            }
        }
        Ok(())
    }
}

/// The last message of a search in JSON, in ripgrep's form.
fn summary(stats: &Stats, elapsed: Duration) -> String {
    let time = |time: Duration| {
        format!(
            r#"{{"human":"{:0.6}s","nanos":{},"secs":{}}}"#,
            time.as_secs_f64(),
            time.subsec_nanos(),
            time.as_secs()
        )
    };
    format!(
        concat!(
            r#"{{"data":{{"elapsed_total":{},"stats":{{"bytes_printed":{},"bytes_searched":{},"elapsed":{},"#,
            r#""matched_lines":{},"matches":{},"searches":{},"searches_with_match":{}}}}},"type":"summary"}}"#,
            "\n"
        ),
        time(elapsed),
        stats.bytes_printed(),
        stats.bytes_searched(),
        time(stats.elapsed()),
        stats.matched_lines(),
        stats.matches(),
        stats.searches(),
        stats.searches_with_match(),
    )
}
