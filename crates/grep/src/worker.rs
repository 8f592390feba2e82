//! One thread's matcher, searcher and printer.

use crate::layout::Printer;
use crate::sink::{Sink, VeiledPath};
use grep_printer::Stats;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher};
use orient_walk::{Haystack, SkipReason, Tree};
use std::io;

/// What came of one file.
pub(crate) struct Found {
    pub(crate) matched: bool,
    pub(crate) stats: Option<Stats>,
}

/// Searches one file after another.
pub(crate) struct Worker<'s> {
    pub(crate) tree: &'s Tree,
    pub(crate) matcher: RegexMatcher,
    pub(crate) searcher: Searcher,
    pub(crate) printer: Printer<Sink<'s>>,
    /// What to do with a file that is not text: one found in a folder, and one that was named.
    pub(crate) detection: [BinaryDetection; 2],
    pub(crate) veiled: VeiledPath,
}

impl Worker<'_> {
    pub(crate) fn search(&mut self, haystack: &Haystack) -> io::Result<Found> {
        self.veiled.set(&haystack.shown);
        self.printer.get_mut().start_file(&self.veiled);
        let file = match self.tree.open_file(&haystack.path) {
            Ok(file) => file,
            // Whatever it held, it holds nothing now.
            Err(SkipReason::Vanished) => return Ok(Found { matched: false, stats: None }),
            Err(reason) => return Err(io::Error::other(reason.to_string())),
        };
        self.searcher.set_binary_detection(self.detection[usize::from(haystack.explicit)].clone());
        let Self { matcher, searcher, printer, veiled, .. } = self;
        let path = veiled.as_path();
        match printer {
            Printer::Lines(printer) => {
                let mut sink = printer.sink_with_path(&*matcher, path);
                searcher.search_file(&*matcher, &file, &mut sink)?;
                Ok(Found { matched: sink.has_match(), stats: None })
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(&*matcher, path);
                searcher.search_file(&*matcher, &file, &mut sink)?;
                Ok(Found { matched: sink.has_match(), stats: None })
            }
            Printer::Json(printer) => {
                let mut sink = printer.sink_with_path(&*matcher, &haystack.shown);
                searcher.search_file(&*matcher, &file, &mut sink)?;
                Ok(Found { matched: sink.has_match(), stats: Some(sink.stats().clone()) })
            }
        }
    }
}
