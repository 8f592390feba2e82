//! Renders a summary as tables: on the terminal, and as a Markdown page.
#![expect(clippy::print_stdout, reason = "a subcommand prints to the terminal")]

use super::confidence_interval::Mean;
use super::summary::{Group, Summary};
use crate::report;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The table header for the scores of a group.
const HEADING: [&str; 10] = [
    "",
    "questions",
    "NDCG@10",
    "95 of 100",
    "MRR",
    "recall@10",
    "success@1",
    "files@10",
    "NDCG+also",
    "recall+also",
];

/// Prints everything.
pub(super) fn print(summary: &Summary) {
    println!("\n{}", summary.searcher);
    let mut rows = vec![row("all", &summary.overall)];
    for groups in [&summary.categories, &summary.languages] {
        rows.push(Vec::new());
        rows.extend(groups.iter().map(|(name, group)| row(name, group)));
    }
    report::table(&HEADING, &rows);
    println!("\n{}", reading(summary));
    println!("{}", declining(summary));
    let build = if summary.latency.debug_build { " (a debug build, which measures nothing)" } else { "" };
    println!("latency: p50 {:.2} ms, p95 {:.2} ms{build}", summary.latency.p50, summary.latency.p95);
    if !summary.ablation.is_empty() {
        println!();
        report::table(&ABLATION, &ablation(summary));
    }
}

const ABLATION: [&str; 7] =
    ["without", "NDCG@10", "change", "95 of 100", "recall@10", "success@1", "recall+also"];

/// The results page: the product and the baseline. Latencies are left out, so that the page is the same on every
/// machine.
pub(super) fn page(summary: &Summary, baseline: &Summary) -> String {
    let mut page = String::new();
    let _ = write!(
        page,
        "# Results\n\n\
         Written by `cargo xtask eval --write`. {} questions with an answer and {} without one, on {} packages in {} \
         languages; [README.md](README.md) says how they are counted. `{}` is a plain word search: BM25 over windows of \
         forty lines.\n\n",
        summary.overall.questions,
        summary.negatives.questions,
        summary.repositories.len(),
        summary.languages.len(),
        baseline.searcher,
    );
    let mut rows = Vec::new();
    for one in [summary, baseline] {
        let mut cells = row(one.searcher, &one.overall);
        cells.remove(1);
        cells.push(format!("{:.0}", one.tokens_to_first.value));
        cells.push(share(one.recall_in_500_tokens.value));
        cells.push(share(one.recall_named_in_500_tokens.value));
        cells.push(share(one.negatives.declined));
        rows.push(cells);
    }
    let more = ["tokens to first", "recall in 500", "recall+also in 500", "declined"];
    let heading = [&HEADING[..1], &HEADING[2..], &more].concat();
    markdown(&mut page, &heading, &rows);
    for (title, ours, theirs) in [
        ("By category", &summary.categories, &baseline.categories),
        ("By language", &summary.languages, &baseline.languages),
    ] {
        let _ = write!(page, "\n## {title}\n\n");
        markdown(&mut page, &heading_beside(baseline.searcher), &beside(ours, theirs));
    }
    let _ = write!(page, "\n## What is not there\n\n{}\n", declining(summary));
    if !summary.ablation.is_empty() {
        let _ = write!(page, "\n## What the parts are worth\n\n");
        markdown(&mut page, &ABLATION, &ablation(summary));
    }
    page
}

fn heading_beside(baseline: &str) -> Vec<&str> {
    HEADING.into_iter().chain([baseline]).collect()
}

fn beside(ours: &BTreeMap<String, Group>, theirs: &BTreeMap<String, Group>) -> Vec<Vec<String>> {
    let with = |(name, group): (&String, &Group)| {
        let mut cells = row(name, group);
        cells.push(theirs.get(name).map_or_else(|| "-".to_owned(), |group| share(group.ndcg.value)));
        cells
    };
    ours.iter().map(with).collect()
}

fn row(name: &str, group: &Group) -> Vec<String> {
    vec![
        name.to_owned(),
        group.questions.to_string(),
        share(group.ndcg.value),
        range(&group.ndcg),
        share(group.mrr.value),
        share(group.recall.value),
        share(group.success.value),
        share(group.files.value),
        share(group.ndcg_named.value),
        share(group.recall_named.value),
    ]
}

fn ablation(summary: &Summary) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = summary
        .ablation
        .iter()
        .map(|ablated| {
            vec![
                ablated.without.clone(),
                share(ablated.overall.ndcg.value),
                format!("{:+.3}", ablated.change.value),
                format!("{:+.3} to {:+.3}", ablated.change.low, ablated.change.high),
                share(ablated.overall.recall.value),
                share(ablated.overall.success.value),
                share(ablated.overall.recall_named.value),
            ]
        })
        .collect();
    let overall = &summary.overall;
    rows.insert(
        0,
        vec![
            "nothing".to_owned(),
            share(overall.ndcg.value),
            String::new(),
            String::new(),
            share(overall.recall.value),
            share(overall.success.value),
            share(overall.recall_named.value),
        ],
    );
    rows
}

fn reading(summary: &Summary) -> String {
    let tokens = &summary.tokens_to_first;
    format!(
        "tokens to the first relevant hit: {:.0} ({:.0} to {:.0}), {:.0} where there is one; \
         recall within 500 tokens: {}, {} with the places beside hits",
        tokens.value,
        tokens.low,
        tokens.high,
        summary.tokens_to_first_found.value,
        share(summary.recall_in_500_tokens.value),
        share(summary.recall_named_in_500_tokens.value)
    )
}

fn declining(summary: &Summary) -> String {
    let negatives = &summary.negatives;
    format!(
        "Of {} questions about what is not there, {} are declined; of those with an answer, {} are declined wrongly.",
        negatives.questions,
        share(negatives.declined),
        share(negatives.declined_wrongly)
    )
}

fn share(value: f64) -> String {
    format!("{value:.3}")
}

fn range(value: &Mean) -> String {
    format!("{:.3} to {:.3}", value.low, value.high)
}

fn markdown(page: &mut String, heading: &[&str], rows: &[Vec<String>]) {
    let _ = writeln!(page, "| {} |", heading.join(" | "));
    let _ = writeln!(page, "|---|{}", "---:|".repeat(heading.len().saturating_sub(1)));
    for row in rows {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::summary;
    use super::*;

    #[test]
    fn the_page_sets_both_beside_each_other_and_names_no_time() {
        let page = page(&summary(), &summary());
        assert!(
            page.contains("| exact | 1 | 1.000 | 1.000 to 1.000 | 1.000 | 1.000 | 0.000 | 1.000 | 1.000 | 1.000 | 1.000 |"),
            "{page}"
        );
        assert!(page.contains("| names | 0.500 | -0.250 |"), "{page}");
        assert!(page.contains("Of 2 questions about what is not there, 0.500 are declined"), "{page}");
        assert!(!page.contains(" ms"), "{page}");
    }
}
