//! A whole search: files in, bytes out in their order, and what came of it.

use crate::error::GrepError;
use crate::layout::{Layout, Mode};
use crate::ordered::{Next, Ordered};
use crate::pattern::Pattern;
use crate::queue::{Files, Queue};
use crate::sink::{Sink, VeiledPath};
use crate::worker::{Found, Worker};
use grep_printer::Stats;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use orient_walk::{Haystack, Tree};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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

    /// Searches files while they are found, and gives what is to be shown to `out`, in their order. A failure of `out` ends
    /// the search.
    pub fn run<'f>(
        &self,
        tree: &Tree,
        mut files: impl Iterator<Item = Files<'f>>,
        threads: usize,
        out: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<Totals> {
        let started = Instant::now();
        let (ordered, queue) = (Ordered::default(), Queue::default());
        let searcher = self.layout.searcher(&self.pattern).map_err(io::Error::other)?;
        let shared =
            Shared { tree, queue: &queue, searcher: &searcher, ordered: &ordered, done: Mutex::default() };
        let mut shown = Shown::new(self.layout.file_separator(&self.pattern), out);
        std::thread::scope(|scope| {
            let mut started = 0;
            let written = files.try_for_each(|files| {
                if queue.put(files) > started && started < threads.max(1) {
                    scope.spawn(|| self.serve(&shared));
                    started += 1;
                }
                shown.write_ready(&ordered)
            });
            queue.close();
            let written = written.and_then(|()| shown.write_all(&ordered, queue.batches()));
            if written.is_err() {
                ordered.stop();
            }
            written
        })?;
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
    fn serve(&self, shared: &Shared<'_, '_>) {
        let sink = Sink::new(shared.ordered, &self.layout, self.layout.file_separator(&self.pattern));
        let mut worker = Worker {
            tree: shared.tree,
            matcher: self.matcher.clone(),
            searcher: shared.searcher.build(),
            printer: self.layout.printer(sink),
            detection: self.detection(),
            veiled: VeiledPath::default(),
        };
        let mut done = Done::default();
        while let Some(batch) = shared.queue.take() {
            worker.printer.get_mut().start_batch(batch.number);
            for (at, file) in (batch.before..).zip(batch.files.iter()) {
                done.note(at, file, worker.search(file));
            }
            worker.printer.get_mut().finish_batch();
            if shared.ordered.is_stopped() {
                break;
            }
        }
        shared.done.lock().unwrap_or_else(PoisonError::into_inner).add(done);
    }
}

/// What all threads use.
struct Shared<'s, 'f> {
    tree: &'s Tree,
    queue: &'s Queue<'f>,
    searcher: &'s SearcherBuilder,
    ordered: &'s Ordered,
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
    /// How many batches were handed out whole.
    whole: usize,
    /// Whether anything was.
    any: bool,
    /// Whether anything of the batch whose turn it is was.
    begun: bool,
    out: &'o mut dyn FnMut(&[u8]) -> io::Result<()>,
}

impl<'o> Shown<'o> {
    fn new(separator: Option<Vec<u8>>, out: &'o mut dyn FnMut(&[u8]) -> io::Result<()>) -> Self {
        Self { separator, whole: 0, any: false, begun: false, out }
    }

    /// Hands out what is there.
    fn write_ready(&mut self, ordered: &Ordered) -> io::Result<()> {
        while let Some(next) = ordered.ready() {
            self.write(next)?;
        }
        Ok(())
    }

    /// Hands out everything, waiting for it.
    fn write_all(&mut self, ordered: &Ordered, batches: usize) -> io::Result<()> {
        while self.whole < batches {
            self.write(ordered.next())?;
        }
        Ok(())
    }

    fn write(&mut self, Next { part, ended }: Next) -> io::Result<()> {
        if !part.is_empty() {
            if !std::mem::replace(&mut self.begun, true)
                && std::mem::replace(&mut self.any, true)
                && let Some(separator) = &self.separator
            {
                (self.out)(separator)?;
            }
            (self.out)(&part)?;
        }
        if ended {
            (self.whole, self.begun) = (self.whole + 1, false);
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
