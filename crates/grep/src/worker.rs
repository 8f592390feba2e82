//! A worker: the matcher, searcher and printer of one thread.

use crate::batch_sink::{BatchSink, MarkedPath};
use crate::output_options::Printer;
use grep_printer::Stats;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, Sink};
use orient_walk::{FileSource, SearchFile, SkipReason, TreeReader};
use std::io;

/// The result of one file.
pub(crate) struct FileResult {
    pub(crate) matched: bool,
    pub(crate) stats: Option<Stats>,
}

/// Searches files one after another.
pub(crate) struct Worker<'s> {
    pub(crate) tree: &'s dyn TreeReader,
    pub(crate) matcher: RegexMatcher,
    pub(crate) searcher: Searcher,
    pub(crate) printer: Printer<BatchSink<'s>>,
    /// Binary detection for files found in a directory, and for files named explicitly.
    pub(crate) detection: [BinaryDetection; 2],
    pub(crate) marked_path: MarkedPath,
}

impl Worker<'_> {
    pub(crate) fn search(&mut self, haystack: &SearchFile) -> io::Result<FileResult> {
        self.marked_path.set(&haystack.shown);
        self.printer.get_mut().start_file(&self.marked_path);
        let source = match self.tree.source(&haystack.path) {
            Ok(source) => source,
            // Deleted since it was listed.
            Err(SkipReason::Vanished) => return Ok(FileResult { matched: false, stats: None }),
            Err(reason) => return Err(io::Error::other(reason.to_string())),
        };
        self.searcher.set_binary_detection(self.detection[usize::from(haystack.explicit)].clone());
        let Self { matcher, searcher, printer, marked_path, .. } = self;
        let path = marked_path.as_path();
        match printer {
            Printer::Lines(printer) => {
                let mut sink = printer.sink_with_path(&*matcher, path);
                search_source(searcher, matcher, &source, &mut sink)?;
                Ok(FileResult { matched: sink.has_match(), stats: None })
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(&*matcher, path);
                search_source(searcher, matcher, &source, &mut sink)?;
                Ok(FileResult { matched: sink.has_match(), stats: None })
            }
            Printer::Json(printer) => {
                let mut sink = printer.sink_with_path(&*matcher, &haystack.shown);
                search_source(searcher, matcher, &source, &mut sink)?;
                Ok(FileResult { matched: sink.has_match(), stats: Some(sink.stats().clone()) })
            }
        }
    }
}

/// Searches a file on disk or in memory.
fn search_source<S: Sink>(
    searcher: &mut Searcher,
    matcher: &RegexMatcher,
    source: &FileSource,
    sink: S,
) -> Result<(), S::Error> {
    match source {
        FileSource::File(file) => searcher.search_file(matcher, file, sink),
        FileSource::Bytes(bytes) => searcher.search_slice(matcher, bytes, sink),
    }
}
