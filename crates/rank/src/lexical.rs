//! Units by the terms they hold: BM25 over fields, with what the rules need to know beside the sum.

use crate::number::float;
use crate::weights::Weights;
use orient_text::{Field, TermOccurrence};

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

/// A unit that holds a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The unit.
    pub unit: u32,
    /// The number of its file.
    pub file: u32,
    /// How many terms the text of the unit has.
    pub length: u16,
    /// What the term is to it.
    pub occurrence: TermOccurrence,
}

/// How many units there are, and what numbers they and their files may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// How many units.
    pub units: usize,
    /// How many terms their texts have.
    pub terms: u64,
    /// All numbers of units are below this.
    pub unit_bound: usize,
    /// All numbers of files are below this.
    pub file_bound: usize,
}

/// What one question leaves to the next: room that is costly to come by.
#[derive(Debug, Default)]
pub struct Room {
    /// For each unit nought.
    units: Vec<Evidence>,
    touched: Vec<u32>,
    /// For the units of a term, with their files.
    pub postings: Vec<Held>,
}

/// Scores units, term by term.
#[derive(Debug)]
pub struct Lexical {
    /// How many units there are.
    all: usize,
    /// For each length up to the usual ones, what a term that stands there once counts.
    shares: Vec<f32>,
    /// The same for any length: what it has without one, and for each term.
    base: f32,
    slope: f32,
    saturation: f32,
    /// For each occurrence how often the term stands in the text, and what the fields add to that.
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

impl Lexical {
    /// For so many units and files.
    pub fn new(extent: &Extent, room: Room, weights: &Weights) -> Self {
        let Room { mut units, touched, .. } = room;
        units.resize(extent.unit_bound, Evidence::default());
        let total = usize::try_from(extent.terms).unwrap_or(usize::MAX);
        let mean = (float(total) / float(extent.units.max(1))).max(1.0);
        let (base, slope) = (1.0 - weights.length, weights.length / mean);
        let share = |length: u16| 1.0 / (base + slope * f32::from(length));
        Self {
            all: extent.units,
            shares: (0..USUAL).map(share).collect(),
            base,
            slope,
            saturation: weights.saturation,
            marks: (0..=u8::MAX)
                .map(|occurrence| {
                    (
                        f32::from(TermOccurrence(occurrence).frequency()),
                        of_fields(TermOccurrence(occurrence), weights),
                    )
                })
                .collect(),
            units,
            files: vec![FileEvidence::default(); extent.file_bound],
            touched,
            total: 0.0,
            missing: 0.0,
        }
    }

    /// The room it took, for the next question about the same units.
    pub fn into_room(mut self, mut postings: Vec<Held>) -> Room {
        for &unit in &self.touched {
            self.units[unit as usize] = Evidence::default();
        }
        self.touched.clear();
        postings.clear();
        Room { units: self.units, touched: self.touched, postings }
    }

    /// How rare a term is that so many of the units hold.
    pub fn rarity(&self, holders: usize) -> f32 {
        let (all, held) = (float(self.all), float(holders));
        (1.0 + (all - held + 0.5) / (held + 0.5)).ln()
    }

    /// Adds a term. The units of a file follow each other.
    pub fn add(&mut self, weight: f32, whole: bool, postings: &[Held]) {
        let worth = weight * self.rarity(postings.len());
        self.total += worth;
        self.missing += if postings.is_empty() { worth } else { 0.0 };
        for of_file in postings.chunk_by(|a, b| a.file == b.file) {
            let (mut best, mut path) = (0.0_f32, false);
            for &Held { unit, length, occurrence, .. } in of_file {
                let score = worth * self.saturated(length, occurrence);
                best = best.max(score);
                path |= occurrence.is_in(Field::Path);
                let evidence = &mut self.units[unit as usize];
                if evidence.score == 0.0 {
                    self.touched.push(unit);
                }
                evidence.score += score;
                if occurrence.is_in(Field::Name) {
                    evidence.named += worth;
                    evidence.defined += if whole { worth } else { 0.0 };
                }
            }
            let file = &mut self.files[of_file[0].file as usize];
            file.score += best;
            file.path += if path { worth } else { 0.0 };
        }
    }

    #[inline]
    fn saturated(&self, length: u16, occurrence: TermOccurrence) -> f32 {
        let share = match self.shares.get(usize::from(length)) {
            Some(share) => *share,
            None => 1.0 / (self.base + self.slope * f32::from(length)),
        };
        let (count, of_fields) = self.marks[usize::from(occurrence.0)];
        let frequency = count * share + of_fields;
        frequency * (self.saturation + 1.0) / (frequency + self.saturation)
    }
}

/// Units longer than this many terms are few.
const USUAL: u16 = 1024;

/// What it counts that a term stands in fields other than the text.
fn of_fields(occurrence: TermOccurrence, weights: &Weights) -> f32 {
    let fields = [
        (Field::Name, weights.name),
        (Field::Header, weights.header),
        (Field::Path, weights.path),
        (Field::Doc, weights.doc),
    ];
    fields.iter().filter(|(field, _)| occurrence.is_in(*field)).map(|(_, weight)| weight).sum()
}
