//! Runs a search: starts workers, writes their output in order, and sums up.

use crate::batch_queue::{BatchQueue, Files};
use crate::batch_sink::{BatchSink, MarkedPath};
use crate::error::GrepError;
use crate::ordered_output::{OrderedOutput, OutputPart};
use crate::output_options::{Layout, Mode};
use crate::pattern::Pattern;
use crate::worker::{FileResult, Worker};
use grep_printer::Stats;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use orient_walk::{SearchFile, TreeReader};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A search with a valid pattern and layout.
pub struct Search {
    pattern: Pattern,
    matcher: RegexMatcher,
    layout: Layout,
}

/// The result of a search.
#[derive(Debug, Default)]
pub struct Totals {
    /// Whether anything matched.
    pub matched: bool,
    /// Files that could not be searched, and why, in the order of the files.
    pub errors: Vec<String>,
    stats: Stats,
}

impl Search {
    /// Validates the pattern and the layout.
    pub fn new(pattern: Pattern, layout: Layout) -> Result<Self, GrepError> {
        layout.searcher(&pattern)?;
        Ok(Self { matcher: pattern.matcher()?, pattern, layout })
    }

    /// The output options.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The output options, to change them.
    pub fn layout_mut(&mut self) -> &mut Layout {
        &mut self.layout
    }

    /// Searches files while they are listed, and passes the output to `out` in their order. An error of `out` ends the
    /// search.
    pub fn run<'f>(
        &self,
        tree: &dyn TreeReader,
        mut files: impl Iterator<Item = Files<'f>>,
        threads: usize,
        out: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<Totals> {
        let started = Instant::now();
        let (ordered, queue) = (OrderedOutput::default(), BatchQueue::default());
        let searcher = self.layout.searcher(&self.pattern).map_err(io::Error::other)?;
        let shared =
            Shared { tree, queue: &queue, searcher: &searcher, ordered: &ordered, done: Mutex::default() };
        let mut writer = OutputWriter::new(self.layout.file_separator(&self.pattern), out);
        std::thread::scope(|scope| {
            let mut started = 0;
            let written = files.try_for_each(|files| {
                if queue.put(files) > started && started < threads.max(1) {
                    scope.spawn(|| self.work(&shared));
                    started += 1;
                }
                writer.write_ready(&ordered)
            });
            queue.close();
            let written = written.and_then(|()| writer.write_all(&ordered, queue.batches()));
            if written.is_err() {
                ordered.stop();
            }
            written
        })?;
        let done = shared.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let totals = done.into_totals();
        if self.layout.mode == Mode::Json {
            (writer.out)(summary(&totals.stats, started.elapsed()).as_bytes())?;
        }
        Ok(totals)
    }

    /// Binary detection for files found in a directory, and for files named explicitly.
    fn detection(&self) -> [BinaryDetection; 2] {
        match (self.pattern.text || self.pattern.null_data, self.layout.binary) {
            (true, _) => [BinaryDetection::none(), BinaryDetection::none()],
            (false, true) => [BinaryDetection::convert(0), BinaryDetection::convert(0)],
            (false, false) => [BinaryDetection::quit(0), BinaryDetection::convert(0)],
        }
    }

    /// The loop of a worker thread.
    fn work(&self, shared: &Shared<'_, '_>) {
        let sink = BatchSink::new(shared.ordered, &self.layout, self.layout.file_separator(&self.pattern));
        let mut worker = Worker {
            tree: shared.tree,
            matcher: self.matcher.clone(),
            searcher: shared.searcher.build(),
            printer: self.layout.printer(sink),
            detection: self.detection(),
            marked_path: MarkedPath::default(),
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

/// Shared by all threads.
struct Shared<'s, 'f> {
    tree: &'s dyn TreeReader,
    queue: &'s BatchQueue<'f>,
    searcher: &'s SearcherBuilder,
    ordered: &'s OrderedOutput,
    done: Mutex<Done>,
}

/// The results of some files.
#[derive(Default)]
struct Done {
    matched: bool,
    errors: Vec<(usize, String)>,
    stats: Stats,
}

impl Done {
    fn note(&mut self, at: usize, file: &SearchFile, found: io::Result<FileResult>) {
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

/// Writes the output of batches with separators between them.
struct OutputWriter<'o> {
    separator: Option<Vec<u8>>,
    /// Number of complete batches.
    complete: usize,
    /// Whether anything was written.
    any: bool,
    /// Whether anything of the current batch was written.
    begun: bool,
    out: &'o mut dyn FnMut(&[u8]) -> io::Result<()>,
}

impl<'o> OutputWriter<'o> {
    fn new(separator: Option<Vec<u8>>, out: &'o mut dyn FnMut(&[u8]) -> io::Result<()>) -> Self {
        Self { separator, complete: 0, any: false, begun: false, out }
    }

    /// Writes the available output.
    fn write_ready(&mut self, ordered: &OrderedOutput) -> io::Result<()> {
        while let Some(next) = ordered.ready() {
            self.write(next)?;
        }
        Ok(())
    }

    /// Writes all output; blocks until it is complete.
    fn write_all(&mut self, ordered: &OrderedOutput, batches: usize) -> io::Result<()> {
        while self.complete < batches {
            self.write(ordered.next())?;
        }
        Ok(())
    }

    fn write(&mut self, OutputPart { part, ended }: OutputPart) -> io::Result<()> {
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
            (self.complete, self.begun) = (self.complete + 1, false);
        }
        Ok(())
    }
}

/// The summary message of ripgrep's JSON output.
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
