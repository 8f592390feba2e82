//! Aggregates the results of a set of questions: means with confidence intervals, by category, language and
//! repository.

use super::confidence_interval::{Mean, mean, percentile};
use super::measure::{Run, ScoredQuestion};
use serde::Serialize;
use std::collections::BTreeMap;

/// The whole summary; also the output of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) searcher: &'static str,
    pub(super) overall: Group,
    pub(super) categories: BTreeMap<String, Group>,
    pub(super) languages: BTreeMap<String, Group>,
    pub(super) repositories: BTreeMap<String, Group>,
    pub(super) negatives: Negatives,
    /// Including the tokens that were read in vain if no hit is relevant.
    pub(super) tokens_to_first: Mean,
    /// Only questions with a relevant hit.
    pub(super) tokens_to_first_found: Mean,
    pub(super) recall_in_500_tokens: Mean,
    /// If a hit also covers the places listed beside it.
    pub(super) recall_named_in_500_tokens: Mean,
    pub(super) latency: Latency,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) ablation: Vec<Ablated>,
}

/// The scores of a group of questions that have an answer.
#[derive(Debug, Serialize)]
pub(super) struct Group {
    pub(super) questions: usize,
    pub(super) ndcg: Mean,
    pub(super) mrr: Mean,
    pub(super) recall: Mean,
    pub(super) success: Mean,
    /// The share of the expected locations whose file has a hit; the difference to the recall is due to wrong lines.
    pub(super) files: Mean,
    /// NDCG if a hit also covers the places listed beside it, at its rank.
    pub(super) ndcg_named: Mean,
    /// The recall in this sense.
    pub(super) recall_named: Mean,
}

/// How well the search detects that it has no answer. It declines with no hits, or none that match well.
#[derive(Debug, Serialize)]
pub(super) struct Negatives {
    pub(super) questions: usize,
    /// The share of unanswerable questions that are declined; higher is better.
    pub(super) declined: f64,
    /// The share of answerable questions that are declined; lower is better.
    pub(super) declined_wrongly: f64,
}

/// Latencies in a warm process, in milliseconds.
#[derive(Debug, Serialize)]
pub(super) struct Latency {
    pub(super) p50: f64,
    pub(super) p95: f64,
    /// Whether the build is a debug build, whose latencies mean nothing.
    pub(super) debug_build: bool,
}

/// The effect of disabling one part.
#[derive(Debug, Serialize)]
pub(super) struct Ablated {
    pub(super) without: String,
    pub(super) overall: Group,
    /// The change of NDCG, question by question.
    pub(super) change: Mean,
}

impl Summary {
    /// Aggregates runs; the first is the one with nothing disabled.
    pub(super) fn new(searcher: &'static str, runs: &[Run]) -> Self {
        let all = runs.first().map_or(&[] as &[ScoredQuestion], |run| &run.asked);
        let answerable: Vec<&ScoredQuestion> = all.iter().filter(|asked| !asked.is_negative()).collect();
        let by = |key: fn(&ScoredQuestion) -> &str| {
            let mut groups: BTreeMap<String, Vec<&ScoredQuestion>> = BTreeMap::new();
            for asked in &answerable {
                groups.entry(key(asked).to_owned()).or_default().push(asked);
            }
            groups.into_iter().map(|(name, asked)| (name, Group::new(&asked))).collect()
        };
        let found = answerable.iter().filter_map(|asked| asked.tokens);
        let read = answerable.iter().map(|asked| asked.tokens.unwrap_or(asked.in_vain));
        let in_room = |value: fn(&ScoredQuestion) -> f64| {
            mean(&answerable.iter().map(|asked| value(asked)).collect::<Vec<_>>())
        };
        Self {
            searcher,
            overall: Group::new(&answerable),
            categories: by(|asked| &asked.question.category),
            languages: by(|asked| &asked.question.language),
            repositories: by(|asked| &asked.question.repo),
            negatives: Negatives::new(all),
            tokens_to_first: mean_count(read),
            tokens_to_first_found: mean_count(found),
            recall_in_500_tokens: in_room(|asked| asked.recall_in_room),
            recall_named_in_500_tokens: in_room(|asked| asked.named_in_room),
            latency: Latency::new(all),
            ablation: runs.iter().skip(1).map(|run| Ablated::new(all, run)).collect(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens are thousands, not more")]
fn mean_count(values: impl Iterator<Item = usize>) -> Mean {
    mean(&values.map(|value| value as f64).collect::<Vec<_>>())
}

impl Group {
    fn new(asked: &[&ScoredQuestion]) -> Self {
        let of =
            |value: fn(&ScoredQuestion) -> f64| mean(&asked.iter().map(|it| value(it)).collect::<Vec<_>>());
        Self {
            questions: asked.len(),
            ndcg: of(|it| it.score.ndcg),
            mrr: of(|it| it.score.mrr),
            recall: of(|it| it.score.recall),
            success: of(|it| it.score.success),
            files: of(|it| it.files),
            ndcg_named: of(|it| it.named.ndcg),
            recall_named: of(|it| it.named.recall),
        }
    }
}

impl Negatives {
    fn new(all: &[ScoredQuestion]) -> Self {
        let declined = |negative: bool| {
            let asked: Vec<f64> = all
                .iter()
                .filter(|it| it.is_negative() == negative)
                .map(|it| if it.confident { 0.0 } else { 1.0 })
                .collect();
            (asked.len(), mean(&asked).value)
        };
        let (questions, share) = declined(true);
        Self { questions, declined: share, declined_wrongly: declined(false).1 }
    }
}

impl Latency {
    fn new(all: &[ScoredQuestion]) -> Self {
        let times: Vec<_> = all.iter().map(|asked| asked.time).collect();
        let at = |percent| percentile(&times, percent).as_secs_f64() * 1000.0;
        Self { p50: at(50), p95: at(95), debug_build: cfg!(debug_assertions) }
    }
}

impl Ablated {
    fn new(all: &[ScoredQuestion], run: &Run) -> Self {
        let pairs = all.iter().zip(&run.asked).filter(|(whole, _)| !whole.is_negative());
        let changes: Vec<f64> = pairs.map(|(whole, part)| part.score.ndcg - whole.score.ndcg).collect();
        let answerable: Vec<&ScoredQuestion> =
            run.asked.iter().filter(|asked| !asked.is_negative()).collect();
        let without = run.without.clone().unwrap_or_default();
        Self { without, overall: Group::new(&answerable), change: mean(&changes) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::question_set::{NEGATIVE, Question};
    use super::super::score::Score;
    use super::*;
    use std::time::Duration;

    fn asked(category: &str, ndcg: f64, confident: bool) -> ScoredQuestion {
        ScoredQuestion {
            question: Question {
                repo: "r".to_owned(),
                language: "l".to_owned(),
                query: "q".to_owned(),
                category: category.to_owned(),
                relevant: Vec::new(),
                title: String::new(),
                split: String::new(),
            },
            hits: Vec::new(),
            confident,
            score: Score { ndcg, mrr: ndcg, recall: ndcg, success: 0.0 },
            named: Score { ndcg, mrr: ndcg, recall: ndcg, success: 0.0 },
            files: 1.0,
            tokens: Some(300),
            in_vain: 500,
            recall_in_room: 1.0,
            named_in_room: 1.0,
            time: Duration::from_millis(2),
        }
    }

    pub(in super::super) fn summary() -> Summary {
        let run = |without: Option<&str>, first: f64| Run {
            without: without.map(str::to_owned),
            asked: vec![
                asked("exact", first, true),
                asked("vague", 0.5, false),
                asked(NEGATIVE, 0.0, false),
                asked(NEGATIVE, 0.0, true),
            ],
        };
        Summary::new("any", &[run(None, 1.0), run(Some("names"), 0.5)])
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn questions_without_an_answer_are_counted_apart() {
        let summary = summary();
        assert_eq!(summary.overall.questions, 2);
        assert!(close(summary.overall.ndcg.value, 0.75), "{summary:?}");
        assert_eq!(summary.categories.keys().collect::<Vec<_>>(), ["exact", "vague"]);
        let Negatives { questions, declined, declined_wrongly } = summary.negatives;
        assert_eq!(questions, 2);
        assert!(close(declined, 0.5) && close(declined_wrongly, 0.5));
    }

    #[test]
    fn leaving_a_part_out_is_compared_question_by_question() {
        let summary = summary();
        let [ablated] = summary.ablation.as_slice() else { panic!("one part") };
        assert_eq!(ablated.without, "names");
        assert!(close(ablated.overall.ndcg.value, 0.5) && close(ablated.change.value, -0.25), "{ablated:?}");
    }
}
