//! The questions of the clients.

use super::Client;
use crate::random::Random;
use crate::workspace;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// Maximum number of names of a repository that questions are about.
const NAMES: usize = 400;

/// Patterns that many files match.
const BROAD: &[&str] = &[
    r"func\w* (get|set)\w+",
    r"TODO|FIXME",
    r"return (null|nil|None)",
    r"(public|private) \w+ \w+\(",
    r#"throw new \w+\(""#,
    r"assert\w*\(",
    r"for \(int \w+ = 0",
    r"(error|err) != nil",
    r"import .*config",
    r"https?://[a-z.]+",
];

/// A kind of question.
pub(super) struct Kind {
    pub(super) label: &'static str,
    pub(super) operation: &'static str,
    /// The repository, unless it is about all, and the arguments.
    pub(super) ask: for<'q> fn(&'q Questions, &mut Random) -> (Option<&'q str>, Value),
}

pub(super) const KINDS: [Kind; 9] = [
    Kind {
        label: "symbol in one",
        operation: "symbols",
        ask: |questions, random| {
            let (repository, name) = questions.name(random);
            (Some(repository), json!({ "name": name }))
        },
    },
    Kind {
        label: "symbol in all",
        operation: "symbols",
        ask: |questions, random| (None, json!({ "name": questions.name(random).1 })),
    },
    Kind {
        label: "callers in one",
        operation: "callers",
        ask: |questions, random| {
            let (repository, name) = questions.name(random);
            (Some(repository), json!({ "symbol": name }))
        },
    },
    Kind {
        label: "callers in all",
        operation: "callers",
        ask: |questions, random| (None, json!({ "symbol": questions.name(random).1 })),
    },
    Kind {
        label: "search in one",
        operation: "search",
        ask: |questions, random| (Some(questions.repository(random)), questions.search(random)),
    },
    Kind {
        label: "search in all",
        operation: "search",
        ask: |questions, random| (None, questions.search(random)),
    },
    Kind {
        label: "regex in one",
        operation: "grep",
        ask: |questions, random| {
            let (repository, name) = questions.name(random);
            (Some(repository), grep(&name_pattern(name, random)))
        },
    },
    Kind {
        label: "regex in all",
        operation: "grep",
        ask: |questions, random| {
            let pattern = name_pattern(questions.name(random).1, random);
            (None, grep(&pattern))
        },
    },
    Kind {
        label: "broad regex in all",
        operation: "grep",
        ask: |_, random| (None, grep(BROAD[random.below(BROAD.len())])),
    },
];

fn grep(pattern: &str) -> Value {
    json!({ "pattern": pattern, "limit": 100 })
}

/// A typical search pattern for a name.
fn name_pattern(name: &str, random: &mut Random) -> String {
    let half = name.len() / 2;
    match random.below(4) {
        0 => format!(r"\b{name}\b"),
        1 => format!(r"{name}\s*\("),
        2 if name.len() >= 8 && name.is_char_boundary(half) => format!(r"{}\w+", &name[..half]),
        _ => format!(r"(new |\.|::){name}"),
    }
}

/// What questions are made of.
pub(super) struct Questions {
    /// The repositories, each with names of its functions and types.
    pub(super) repositories: Vec<(String, Vec<String>)>,
    searches: Vec<String>,
}

impl Questions {
    /// Asks the server for names, and reads the questions of the evaluation, which are about other repositories as a rule.
    pub(super) fn new(client: &mut Client, repositories: Vec<String>) -> Result<Self> {
        let mut named = Vec::new();
        for repository in repositories {
            let arguments = json!({ "kind": ["function", "method", "class"], "limit": 20_000 });
            let (status, body) = client.ask("symbols", Some(&repository), &arguments, false)?;
            ensure!(status == 200, "{repository}: {}", String::from_utf8_lossy(&body));
            let answer: Value = serde_json::from_slice(&body)?;
            let symbols =
                answer["answer"]["data"]["symbols"].as_array().context("an answer has symbols")?.iter();
            let is_plain = |name: &&str| {
                name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            };
            let mut names: Vec<String> = symbols
                .filter_map(|symbol| symbol["name"].as_str().filter(is_plain).map(str::to_owned))
                .collect();
            names.sort_unstable();
            names.dedup();
            let step = names.len().div_ceil(NAMES).max(1);
            let names: Vec<String> = names.into_iter().step_by(step).collect();
            if !names.is_empty() {
                named.push((repository, names));
            }
        }
        ensure!(!named.is_empty(), "no repository defines a function");
        Ok(Self { repositories: named, searches: searches()? })
    }

    /// The number of names.
    pub(super) fn names(&self) -> usize {
        self.repositories.iter().map(|(_, names)| names.len()).sum()
    }

    fn repository(&self, random: &mut Random) -> &str {
        &self.repositories[random.below(self.repositories.len())].0
    }

    /// A repository and a name that it defines.
    fn name(&self, random: &mut Random) -> (&str, &str) {
        let (repository, names) = &self.repositories[random.below(self.repositories.len())];
        (repository, &names[random.below(names.len())])
    }

    fn search(&self, random: &mut Random) -> Value {
        json!({ "query": [self.searches[random.below(self.searches.len())]], "limit": 10 })
    }
}

/// The queries of the evaluation.
fn searches() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(workspace::root().join("evals/questions"))? {
        for line in std::fs::read_to_string(entry?.path())?.lines() {
            let question: Value = serde_json::from_str(line)?;
            found.extend(question["query"].as_str().map(str::to_owned));
        }
    }
    found.sort_unstable();
    ensure!(!found.is_empty(), "there are no questions");
    Ok(found)
}
