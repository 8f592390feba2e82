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

/// Scores units, term by term.
#[derive(Debug)]
pub struct Lexical<'l> {
    lengths: &'l [u16],
    mean: f32,
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
    pub fn new(lengths: &'l [u16], files: usize) -> Self {
        let total: usize = lengths.iter().map(|&length| usize::from(length)).sum();
        Self {
            lengths,
            mean: (float(total) / float(lengths.len().max(1))).max(1.0),
            units: vec![Evidence::default(); lengths.len()],
            files: vec![FileEvidence::default(); files],
            touched: Vec::new(),
            total: 0.0,
            missing: 0.0,
        }
    }

    /// How rare a term is that so many of the units hold.
    pub fn rarity(&self, holders: usize) -> f32 {
        let (all, held) = (float(self.lengths.len()), float(holders));
        (1.0 + (all - held + 0.5) / (held + 0.5)).ln()
    }

    /// Adds a term. Postings come with the file of each unit; those of a file follow each other.
    pub fn add(&mut self, weight: f32, whole: bool, postings: &[(u32, u32, Mark)], weights: &Weights) {
        let worth = weight * self.rarity(postings.len());
        self.total += worth;
        self.missing += if postings.is_empty() { worth } else { 0.0 };
        for of_file in postings.chunk_by(|a, b| a.1 == b.1) {
            let (mut best, mut path) = (0.0_f32, false);
            for &(unit, _, mark) in of_file {
                let score = worth * self.saturated(unit, mark, weights);
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

    fn saturated(&self, unit: u32, mark: Mark, weights: &Weights) -> f32 {
        let length = f32::from(self.lengths[unit as usize]) / self.mean;
        let mut frequency = f32::from(mark.count()) / (1.0 - weights.length + weights.length * length);
        for (field, weight) in [
            (Field::Name, weights.name),
            (Field::Header, weights.header),
            (Field::Path, weights.path),
            (Field::Doc, weights.doc),
        ] {
            if mark.is_in(field) {
                frequency += weight;
            }
        }
        frequency * (weights.saturation + 1.0) / (frequency + weights.saturation)
    }
}
