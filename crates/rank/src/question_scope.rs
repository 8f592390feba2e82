//! How much of the repository a question is about: one place, several that belong together, an overview, or every place of a kind.

use orient_text::plain_words;

/// How much of the repository a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One place.
    Targeted,
    /// Several places that belong together.
    CrossCutting,
    /// An overview.
    Exploratory,
    /// Every place of a kind, in all parts of the repository: `all places where errors are handled across packages`.
    EveryPart,
}

/// Words of cross-cutting queries.
const ACROSS: &[&str] = &[
    "across",
    "everywhere",
    "every",
    "all",
    "throughout",
    "usages",
    "places",
    "overall",
    "flow",
    "pipeline",
    "lifecycle",
    "interact",
    "together",
];
/// Words of exploratory queries.
const OVERVIEW: &[&str] =
    &["overview", "architecture", "structure", "structured", "organized", "organised", "design", "layout"];

/// Words for every one of a kind.
const EVERY: &[&str] = &["all", "every", "each"];
/// Words between these and the noun.
const BETWEEN: &[&str] =
    &["the", "of", "our", "other", "different", "those", "these", "whole", "entire", "its", "single"];
/// Places in code.
const PLACES: &[&str] = &[
    "place",
    "places",
    "location",
    "locations",
    "spot",
    "spots",
    "occurrence",
    "occurrences",
    "point",
    "points",
];
/// Parts of a repository.
const PART: &[&str] = &[
    "package",
    "module",
    "crate",
    "service",
    "component",
    "app",
    "application",
    "subproject",
    "library",
    "directory",
    "plugin",
    "layer",
];
/// Several of them, or the repository as a whole.
const PARTS: &[&str] = &[
    "packages",
    "modules",
    "crates",
    "services",
    "components",
    "apps",
    "applications",
    "subprojects",
    "projects",
    "libraries",
    "directories",
    "plugins",
    "layers",
    "codebase",
    "repository",
    "repo",
    "monorepo",
    "workspace",
    "project",
];
/// Words that begin what holds for each of them.
const RELATIVE: &[&str] = &["where", "that", "which", "in", "with", "we"];
/// Maximum number of words between a noun and what holds for it: `every place in the code that …`.
const MAX_BETWEEN: usize = 3;

/// The scope of a query. In a translated one, function words are missing.
pub(crate) fn scope(query: &str, is_translated: bool) -> Scope {
    let words = plain_words(query);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if asks_for_every_part(&words, is_translated) {
        Scope::EveryPart
    } else if has(OVERVIEW) {
        Scope::Exploratory
    } else if has(ACROSS) {
        Scope::CrossCutting
    } else {
        Scope::Targeted
    }
}

fn asks_for_every_part(words: &[String], is_translated: bool) -> bool {
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| list.contains(&word.as_str()));
    // The noun after words like `the`.
    let noun =
        |at: usize| (at..words.len()).find(|&at| !is(at, BETWEEN) && !is(at, EVERY)).unwrap_or(words.len());
    let is_followed = |at: usize| (at + 1..=at + MAX_BETWEEN).any(|at| is(at, RELATIVE));
    (0..words.len()).any(|at| {
        let behind = noun(at + 1);
        match words[at].as_str() {
            // `across packages`, `throughout the codebase`
            "across" | "throughout" => is(behind, PARTS),
            // `in all modules`
            "in" => is(at + 1, EVERY) && (is(behind, PARTS) || is(behind, PART)),
            "everywhere" => is(at + 1, &["that", "where", "we"]),
            // `all places where`, `every module that`
            word if EVERY.contains(&word) => {
                is(behind, PLACES) && (is_followed(behind) || is_translated)
                    || (is(behind, PARTS) || is(behind, PART)) && is(behind + 1, &["that", "which", "where"])
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_every_place_are_recognised_by_their_form() {
        for question in [
            "all places where errors are handled across packages",
            "every place that reads the configuration",
            "where are retries implemented throughout the codebase",
            "how is logging set up in all services",
            "everywhere that we open a database connection",
            "list all the places in the code where a timeout is set",
            "which error types exist across the crates",
            "every module which registers a route",
        ] {
            assert_eq!(scope(question, false), Scope::EveryPart, "{question}");
        }
        assert_eq!(scope("all places error handle", true), Scope::EveryPart);
    }

    #[test]
    fn other_questions_with_the_same_words_are_not() {
        for question in [
            "where are all plugins loaded",
            "all locations of a user are sorted by distance",
            "how does it wait for all tasks to finish",
            "every request gets an id",
            "remove all listeners of an event",
            "what happens in each iteration of the loop",
            "is the lock held across await points",
            "functions used across the package",
            "flow of a request through all middleware",
        ] {
            assert_ne!(scope(question, false), Scope::EveryPart, "{question}");
        }
    }
}
