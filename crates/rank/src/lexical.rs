//! Units by the terms they hold: BM25 over fields, with what the rules need to know beside the sum.

use crate::number::float;
use crate::weights::Weights;
use orient_text::{Field, Mark};

/// What the terms of a question say about a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The sum over all terms.
    pub score: f32,
    /// The weight of the terms that are in names the unit defines.
    pub named: f32,
    /// The weight of whole identifiers among them.
    pub defined: f32,
}

/// What they say about a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FileEvidence {
    /// For each term the best of its units, summed.
    pub score: f32,
    /// The weight of the terms that are in its path.
    pub path: f32,
}

/// What one question leaves to the next: room that is costly to come by.
#[derive(Debug, Default)]
pub struct Room {
    /// For each unit nought.
    units: Vec<Evidence>,
    touched: Vec<u32>,
    /// For the units of a term, with their files.
    pub postings: Vec<(u32, u32, Mark)>,
}

/// Scores units, term by term.
#[derive(Debug)]
pub struct Lexical<'l> {
    lengths: &'l [u16],
    /// For each length up to the usual ones, what a term that stands there once counts.
    shares: Vec<f32>,
    /// The same for any length: what it has without one, and for each term.
    base: f32,
    slope: f32,
    saturation: f32,
    /// For each mark how often the term stands in the text, and what the fields add to that.
    marks: Vec<(f32, f32)>,
    /// By unit.
    pub units: Vec<Evidence>,
    /// By file.
    pub files: Vec<FileEvidence>,
    /// The units that have anything, in no particular order.
    pub touched: Vec<u32>,
    /// The weight of all terms: what a unit that holds every one in its names would have.
    pub total: f32,
    /// The weight of those that stand nowhere.
    pub missing: f32,
}

impl<'l> Lexical<'l> {
    /// For units of these lengths in so many files.
    pub fn new(lengths: &'l [u16], files: usize, room: Room, weights: &Weights) -> Self {
        let Room { mut units, touched, .. } = room;
        units.resize(lengths.len(), Evidence::default());
        let total: usize = lengths.iter().map(|&length| usize::from(length)).sum();
        let mean = (float(total) / float(lengths.len().max(1))).max(1.0);
        let (base, slope) = (1.0 - weights.length, weights.length / mean);
        let share = |length: u16| 1.0 / (base + slope * f32::from(length));
        Self {
            lengths,
            shares: (0..USUAL).map(share).collect(),
            base,
            slope,
            saturation: weights.saturation,
            marks: (0..=u8::MAX)
                .map(|mark| (f32::from(Mark(mark).count()), of_fields(Mark(mark), weights)))
                .collect(),
            units,
            files: vec![FileEvidence::default(); files],
            touched,
            total: 0.0,
            missing: 0.0,
        }
    }

    /// The room it took, for the next question about the same units.
    pub fn into_room(mut self, mut postings: Vec<(u32, u32, Mark)>) -> Room {
        for &unit in &self.touched {
            self.units[unit as usize] = Evidence::default();
        }
        self.touched.clear();
        postings.clear();
        Room { units: self.units, touched: self.touched, postings }
    }

    /// How rare a term is that so many of the units hold.
    pub fn rarity(&self, holders: usize) -> f32 {
        let (all, held) = (float(self.lengths.len()), float(holders));
        (1.0 + (all - held + 0.5) / (held + 0.5)).ln()
    }

    /// Adds a term. Postings come with the file of each unit; those of a file follow each other.
    pub fn add(&mut self, weight: f32, whole: bool, postings: &[(u32, u32, Mark)]) {
        let worth = weight * self.rarity(postings.len());
        self.total += worth;
        self.missing += if postings.is_empty() { worth } else { 0.0 };
        for of_file in postings.chunk_by(|a, b| a.1 == b.1) {
            let (mut best, mut path) = (0.0_f32, false);
            for &(unit, _, mark) in of_file {
                let score = worth * self.saturated(unit, mark);
                best = best.max(score);
                path |= mark.is_in(Field::Path);
                let evidence = &mut self.units[unit as usize];
                if evidence.score == 0.0 {
                    self.touched.push(unit);
                }
                evidence.score += score;
                if mark.is_in(Field::Name) {
                    evidence.named += worth;
                    evidence.defined += if whole { worth } else { 0.0 };
                }
            }
            let file = &mut self.files[of_file[0].1 as usize];
            file.score += best;
            file.path += if path { worth } else { 0.0 };
        }
    }

    #[inline]
    fn saturated(&self, unit: u32, mark: Mark) -> f32 {
        let length = self.lengths[unit as usize];
        let share = match self.shares.get(usize::from(length)) {
            Some(share) => *share,
            None => 1.0 / (self.base + self.slope * f32::from(length)),
        };
        let (count, of_fields) = self.marks[usize::from(mark.0)];
        let frequency = count * share + of_fields;
        frequency * (self.saturation + 1.0) / (frequency + self.saturation)
    }
}

/// Units longer than this many terms are few.
const USUAL: u16 = 1024;

/// What it counts that a term stands in fields other than the text.
fn of_fields(mark: Mark, weights: &Weights) -> f32 {
    let fields = [
        (Field::Name, weights.name),
        (Field::Header, weights.header),
        (Field::Path, weights.path),
        (Field::Doc, weights.doc),
    ];
    fields.iter().filter(|(field, _)| mark.is_in(*field)).map(|(_, weight)| weight).sum()
}
