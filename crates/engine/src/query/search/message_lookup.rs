//! Finds the places that contain a message which a query quotes, by trigrams and then in the text of the files.
//!
//! A message is looked up whole, then by windows of its words: a value that looks like a word is not in the literal.

use super::channels::role_factor;
use super::corpus::Corpus;
use crate::{EngineError, Snapshot};
use orient_store::FileId;
use orient_text::{PatternSyntax, required_trigrams};

/// Maximum number of lookups for one query.
const MAX_LOOKUPS: usize = 24;
/// A text that more files may contain, or more places contain, says little.
const MAX_FILES: usize = 24;
const MAX_PLACES: usize = 8;
/// Number of words of a window.
const WINDOW: usize = 4;
/// Confidence in each word of a message that is found, and in a window relative to the whole message.
const PER_WORD: f32 = 0.2;
const PARTIAL: f32 = 0.7;

impl Snapshot {
    /// The chunks that contain one of the messages, with a confidence each.
    pub(super) fn message_places(
        &self,
        corpus: &Corpus,
        messages: &[String],
    ) -> Result<Vec<(u32, f32)>, EngineError> {
        let mut places = Vec::new();
        let mut lookups = 0;
        for message in messages {
            let words: Vec<&str> = message.split(' ').collect();
            let windows = words.windows(WINDOW).filter(|window| window.len() < words.len());
            let parts =
                std::iter::once((words.as_slice(), 1.0)).chain(windows.map(|window| (window, PARTIAL)));
            for (part, factor) in parts {
                if lookups == MAX_LOOKUPS {
                    return Ok(places);
                }
                lookups += 1;
                let found = self.places_of_text(corpus, &part.join(" "))?;
                let certain = (PER_WORD * f32::from(u8::try_from(part.len()).unwrap_or(u8::MAX))).min(1.0);
                let share = f32::from(u8::try_from(found.len()).unwrap_or(u8::MAX)).sqrt().recip();
                places.extend(found.iter().map(|(chunk, role)| (*chunk, certain * factor * share * role)));
                if factor >= 1.0 && !found.is_empty() {
                    break;
                }
            }
        }
        Ok(places)
    }

    /// The chunks that contain a text, in any case, and the factor of each file's role; none if there are too many.
    fn places_of_text(&self, corpus: &Corpus, text: &str) -> Result<Vec<(u32, f32)>, EngineError> {
        let syntax = PatternSyntax { literal: true, ignore_case: true, unicode: false };
        let excluded = self.left_out(&required_trigrams([text], syntax))?;
        let may_contain =
            corpus.catalogue.files().map(|file| file.file).filter(|file| !excluded.contains(*file));
        let files: Vec<FileId> = may_contain.take(MAX_FILES + 1).collect();
        if files.len() > MAX_FILES {
            return Ok(Vec::new());
        }
        let text = text.to_ascii_lowercase();
        let mut rows = Vec::with_capacity(files.len());
        for file in files {
            rows.extend(self.cached_file(corpus, file)?);
        }
        let mut lines: Vec<(FileId, u32, f32)> = Vec::new();
        self.each_text(rows.iter().map(|row| &***row), |row, content| {
            let content = content.to_ascii_lowercase();
            let found = content.match_indices(&text).map(|(at, _)| at).take(MAX_PLACES + 1);
            let line = |at: usize| content[..at].bytes().filter(|byte| *byte == b'\n').count();
            let place = |at| (row.id, u32::try_from(line(at)).unwrap_or(u32::MAX) + 1, role_factor(row.role));
            lines.extend(found.map(place));
        })?;
        let mut places = Vec::new();
        for (file, line, factor) in lines {
            let chunk = self.chunk_at(corpus, file, line)?;
            places.extend(chunk.map(|chunk| (chunk, factor)).filter(|place| !places.contains(place)));
        }
        if places.len() > MAX_PLACES {
            places.clear();
        }
        Ok(places)
    }
}
