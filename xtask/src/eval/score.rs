//! Scores one answer: how well its hits cover the expected locations. Uses the metrics of other scorers, so that
//! figures are comparable.

use super::question_set::Spot;
use serde::Serialize;

/// The number of hits that count.
pub(super) const PLACES: usize = 10;

/// A hit: some lines of a file, or a whole file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Hit {
    pub(super) path: String,
    pub(super) start_line: Option<u32>,
    pub(super) end_line: Option<u32>,
    /// Other locations in the same file that are listed beside it: first and last line of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) also: Vec<(u32, u32)>,
}

/// The scores of one question, each between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Score {
    /// NDCG: discounted gain of the covered locations, relative to the ideal ranking.
    pub(super) ndcg: f64,
    /// Reciprocal rank of the first relevant hit.
    pub(super) mrr: f64,
    /// Recall: the share of the expected locations that are covered.
    pub(super) recall: f64,
    /// Whether the first hit is relevant.
    pub(super) success: f64,
}

/// For each expected location, the rank of the first hit that covers it, from one. Hits are not collapsed by file:
/// three hits of one file take three ranks.
pub(super) fn places(hits: &[Hit], spots: &[Spot]) -> Vec<Option<usize>> {
    places_within(hits, spots, PLACES)
}

/// The same with another number of hits that count.
pub(super) fn places_within(hits: &[Hit], spots: &[Spot], count: usize) -> Vec<Option<usize>> {
    let hits = &hits[..hits.len().min(count)];
    spots.iter().map(|spot| hits.iter().position(|hit| covers(hit, spot)).map(|place| place + 1)).collect()
}

/// The same if a hit also covers the places listed beside it.
pub(super) fn places_named(hits: &[Hit], spots: &[Spot]) -> Vec<Option<usize>> {
    let hits = &hits[..hits.len().min(PLACES)];
    let names = |hit: &Hit, spot: &Spot| {
        let place = |&(start, end): &(u32, u32)| Hit {
            path: hit.path.clone(),
            start_line: Some(start),
            end_line: Some(end),
            also: Vec::new(),
        };
        covers(hit, spot) || hit.also.iter().map(place).any(|place| covers(&place, spot))
    };
    spots.iter().map(|spot| hits.iter().position(|hit| names(hit, spot)).map(|place| place + 1)).collect()
}

/// Whether a hit covers an expected location: the same file, and a common line if both have lines.
pub(super) fn covers(hit: &Hit, spot: &Spot) -> bool {
    if hit.path != spot.path {
        return false;
    }
    match (hit.start_line.zip(hit.end_line), spot.start_line.zip(spot.end_line)) {
        (Some((start, end)), Some((first, last))) => start <= last && end >= first,
        _ => true,
    }
}

/// The scores for these ranks. A hit that covers two locations counts once.
#[expect(clippy::cast_precision_loss, reason = "places and spots are few")]
pub(super) fn score(places: &[Option<usize>]) -> Score {
    if places.is_empty() {
        return Score::default();
    }
    let mut found: Vec<usize> = places.iter().flatten().copied().collect();
    let covered = found.len();
    found.sort_unstable();
    found.dedup();
    let gain = |place: usize| 1.0 / (place as f64 + 1.0).log2();
    let ideal: f64 = (1..=places.len().min(PLACES)).map(gain).sum();
    let first = found.first().copied();
    Score {
        ndcg: found.iter().copied().map(gain).fold(0.0, |sum, gain| sum + gain) / ideal,
        mrr: first.map_or(0.0, |place| 1.0 / place as f64),
        recall: covered as f64 / places.len() as f64,
        success: if first == Some(1) { 1.0 } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::super::question_set::Grade;
    use super::*;

    fn hit(path: &str, lines: Option<(u32, u32)>) -> Hit {
        let path = path.to_owned();
        Hit { path, start_line: lines.map(|it| it.0), end_line: lines.map(|it| it.1), also: Vec::new() }
    }

    fn spot(path: &str, lines: Option<(u32, u32)>) -> Spot {
        let hit = hit(path, lines);
        Spot { path: hit.path, start_line: hit.start_line, end_line: hit.end_line, grade: Grade::Primary }
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn lines_must_meet_where_both_are_named() {
        let spot = spot("a", Some((10, 20)));
        let meets: Vec<bool> = [(1, 9), (1, 10), (15, 16), (20, 30), (21, 30)]
            .map(|lines| covers(&hit("a", Some(lines)), &spot))
            .into();
        assert_eq!(meets, [false, true, true, true, false]);
        assert!(covers(&hit("a", None), &spot), "a whole file shows all of its lines");
        assert!(!covers(&hit("b", Some((10, 20))), &spot));
    }

    #[test]
    fn places_beside_a_hit_are_counted_apart() {
        let mut first = hit("a", Some((1, 9)));
        first.also = vec![(30, 40), (50, 60)];
        let hits = [first, hit("b", Some((1, 9)))];
        let spots = [spot("a", Some((55, 70))), spot("a", Some((41, 49))), spot("b", Some((2, 3)))];
        assert_eq!(places(&hits, &spots), [None, None, Some(2)]);
        assert_eq!(places_named(&hits, &spots), [Some(1), None, Some(2)]);
    }

    #[test]
    fn all_spots_on_top_are_the_best_there_is() {
        let score = score(&[Some(1), Some(2), Some(3)]);
        assert!(close(score.ndcg, 1.0) && close(score.mrr, 1.0), "{score:?}");
        assert!(close(score.recall, 1.0) && close(score.success, 1.0), "{score:?}");
    }

    #[test]
    fn a_hit_that_covers_two_spots_gains_once() {
        let hits = [hit("a", None), hit("b", None)];
        let spots = [spot("a", Some((1, 2))), spot("a", Some((5, 6)))];
        let score = score(&places(&hits, &spots));
        assert!(close(score.recall, 1.0), "{score:?}");
        assert!(close(score.ndcg, 1.0 / (1.0 + 1.0 / 3_f64.log2())), "{score:?}");
    }

    /// The same answers have these scores in another program's scorer.
    #[test]
    fn figures_are_those_of_the_common_scorer() {
        let none =
            (0..10).map(|_| hit("a", Some((1, 35)))).chain([hit("q", Some((1, 2)))]).collect::<Vec<_>>();
        let one = [("c", 1, 5), ("b", 7, 9), ("b", 10, 12), ("a", 20, 25)];
        let one = one.map(|(path, start, end)| hit(path, Some((start, end))));
        let scores = [
            score(&places(&one, &[spot("a", Some((10, 20))), spot("b", None), spot("z", Some((1, 2)))])),
            score(&places(&none[..1], &[spot("a", Some((1, 2))), spot("a", Some((30, 40)))])),
            score(&places(&none, &[spot("q", None)])),
        ];
        let mean = |value: fn(&Score) -> f64| scores.iter().map(value).sum::<f64>() / 3.0;
        assert!(close(scores[0].ndcg, 0.498_189_257_466_412_85), "{scores:?}");
        assert!(close(mean(|it| it.ndcg), 0.370_445_483_410_623_7), "{scores:?}");
        assert!(close(mean(|it| it.mrr), 0.5), "{scores:?}");
        assert!(close(mean(|it| it.recall), 5.0 / 9.0), "{scores:?}");
        assert!(close(mean(|it| it.success), 1.0 / 3.0), "{scores:?}");
    }

    #[test]
    fn the_gain_falls_with_the_place_and_ends_after_ten() {
        let mut hits: Vec<Hit> = (0..10).map(|_| hit("other", None)).collect();
        hits.push(hit("a", None));
        assert_eq!(places(&hits, &[spot("a", None)]), [None], "the eleventh is not looked at");
        hits.swap(2, 10);
        let score = score(&places(&hits, &[spot("a", None)]));
        assert!(
            close(score.ndcg, 0.5) && close(score.mrr, 1.0 / 3.0) && close(score.success, 0.0),
            "{score:?}"
        );
    }
}
