//! Minimum search quality on a few small packages, so that a change that harms ranking fails the build.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::summary::Summary;
use crate::report;
use crate::workspace;
use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The file with the minimum values.
const FILE: &str = "evals/floors.toml";

/// The packages, and the minimum values there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Floors {
    pub(super) packages: Vec<String>,
    at_least: AtLeast,
    at_most: AtMost,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AtLeast {
    ndcg: f64,
    mrr: f64,
    recall: f64,
    recall_with_also: f64,
    success: f64,
    recall_in_500_tokens: f64,
    declined: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AtMost {
    tokens_to_first: f64,
    declined_wrongly: f64,
}

/// Reads the minimum values.
pub(super) fn floors() -> Result<Floors> {
    toml::from_str(&workspace::text(FILE)?).with_context(|| format!("reading {FILE}"))
}

impl Floors {
    /// Compares a summary and prints the comparison. Fails if a value is too low.
    pub(super) fn hold(&self, summary: &Summary) -> Result<()> {
        let (least, most) = (&self.at_least, &self.at_most);
        let (overall, negatives) = (&summary.overall, &summary.negatives);
        let tokens = summary.tokens_to_first.value;
        let bars = [
            ("NDCG@10", overall.ndcg.value, Bar::AtLeast(least.ndcg)),
            ("MRR", overall.mrr.value, Bar::AtLeast(least.mrr)),
            ("recall@10", overall.recall.value, Bar::AtLeast(least.recall)),
            (
                "recall@10 with the places beside hits",
                overall.recall_named.value,
                Bar::AtLeast(least.recall_with_also),
            ),
            ("success@1", overall.success.value, Bar::AtLeast(least.success)),
            (
                "recall within 500 tokens",
                summary.recall_in_500_tokens.value,
                Bar::AtLeast(least.recall_in_500_tokens),
            ),
            ("declined, where nothing is there", negatives.declined, Bar::AtLeast(least.declined)),
            ("tokens to the first relevant hit", tokens, Bar::AtMost(most.tokens_to_first)),
            ("declined wrongly", negatives.declined_wrongly, Bar::AtMost(most.declined_wrongly)),
        ];
        let rows: Vec<Vec<String>> = bars.iter().map(|(name, value, bar)| bar.row(name, *value)).collect();
        println!();
        report::table(&["", "found", "bar", "outcome"], &rows);
        let missed: Vec<&str> =
            bars.iter().filter(|(_, value, bar)| !bar.holds(*value)).map(|(name, ..)| *name).collect();
        if !missed.is_empty() {
            bail!("missed: {}; {FILE} has the bars", missed.join(", "));
        }
        Ok(())
    }
}

enum Bar {
    AtLeast(f64),
    AtMost(f64),
}

impl Bar {
    fn holds(&self, value: f64) -> bool {
        match self {
            Self::AtLeast(bar) => value >= *bar,
            Self::AtMost(bar) => value <= *bar,
        }
    }

    fn row(&self, name: &str, value: f64) -> Vec<String> {
        let bar = match self {
            Self::AtLeast(bar) => format!("at least {bar:.3}"),
            Self::AtMost(bar) => format!("at most {bar:.3}"),
        };
        let outcome = if self.holds(value) { "ok" } else { "MISSED" };
        vec![name.to_owned(), format!("{value:.3}"), bar, outcome.to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::packages;
    use super::super::summary::tests::summary;
    use super::*;

    fn floors_with(ndcg: f64, tokens: f64) -> Floors {
        let least = AtLeast {
            ndcg,
            mrr: 0.0,
            recall: 0.0,
            recall_with_also: 0.0,
            success: 0.0,
            recall_in_500_tokens: 0.0,
            declined: 0.0,
        };
        let most = AtMost { tokens_to_first: tokens, declined_wrongly: 1.0 };
        Floors { packages: Vec::new(), at_least: least, at_most: most }
    }

    #[test]
    fn what_is_missed_is_named() {
        floors_with(0.75, 300.0).hold(&summary()).expect("just reached");
        let error = floors_with(0.76, 299.0).hold(&summary()).expect_err("both are missed");
        assert!(error.to_string().starts_with("missed: NDCG@10, tokens to the first"), "{error}");
    }

    #[test]
    fn the_floors_are_about_packages_of_the_list() {
        let known: Vec<String> = packages::list().expect("the list").into_iter().map(|it| it.name).collect();
        let floors = floors().expect("the floors");
        assert!(!floors.packages.is_empty());
        assert!(floors.packages.iter().all(|name| known.contains(name)), "{:?}", floors.packages);
    }
}
