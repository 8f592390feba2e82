//! What clients ask, and what an index built from nothing answers in each state of the tree.

use super::states::Steps;
use crate::bench::floor::index_command;
use crate::bench::fresh::copy;
use crate::bench::process;
use crate::corpus::default_threads;
use crate::serving::{Serving, Web};
use anyhow::{Context, Result};
use orient_engine::{DefinitionQuery, Engine, OpenOptions};
use orient_model::SymbolKind;
use orient_settings::Settings;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What is offered to the clients.
pub(super) const TOOLS: [&str; 2] = ["--tools", "symbols,graph,search"];

/// The kinds of questions.
pub(super) const KINDS: [&str; 3] = ["a symbol by name", "callers of a symbol", "a ranked search"];

/// A question.
#[derive(Clone)]
pub(super) struct Question {
    pub(super) kind: usize,
    call: Value,
}

/// An answer, as far as it must be the same for the same files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: String,
    total: Option<u64>,
    failed: bool,
    /// Whether the server said that it is behind the files.
    pub(super) behind: bool,
}

impl Question {
    /// The questions about a symbol.
    fn about(name: &str, handle: &str) -> [Self; 3] {
        let call = |tool: &str, arguments: Value| json!({ "name": tool, "arguments": arguments });
        [
            Self { kind: 0, call: call("symbols", json!({ "name": name, "again": true })) },
            Self {
                kind: 1,
                call: call("graph", json!({ "relation": "callers", "symbol": handle, "again": true })),
            },
            Self { kind: 2, call: call("search", json!({ "query": name, "again": true })) },
        ]
    }

    /// Asks; an answer that says why there is none is an answer.
    pub(super) fn ask(&self, web: &mut Web) -> Result<Answer> {
        let result = web.request("tools/call", &self.call)?;
        let said = result["content"][0]["text"].as_str().context("an answer has a text")?;
        let (text, status) = said.rsplit_once("\n[").unwrap_or((said, ""));
        // The generation differs between an index that was kept up to date and a new one.
        let total = status.split("; ").find_map(|part| part.strip_prefix("total "));
        Ok(Answer {
            text: text.to_owned(),
            total: total.and_then(|total| total.trim_end_matches(']').replace(',', "").parse().ok()),
            failed: result["isError"] == true,
            behind: status.contains("files pending") || status.contains("not checked"),
        })
    }

    /// The question in words.
    pub(super) fn words(&self) -> String {
        self.call.to_string()
    }
}

/// What to ask, and what is right in each state.
pub(super) struct Truth {
    pub(super) questions: Vec<Question>,
    pub(super) steps: Steps,
    /// For each state the answers to the questions, in their order.
    pub(super) right: Vec<Vec<Answer>>,
}

impl Truth {
    /// Copies a folder, and asks an index built from nothing in every state of the copy.
    pub(super) fn new(product: &Path, folder: &Path, symbols: usize, scratch: &Path) -> Result<Self> {
        let root = scratch.join("truth");
        copy(folder, &root)?;
        let root = root.canonicalize()?;
        let store = scratch.join("truth-store");
        let (questions, files) = questions(product, &root, &store, symbols)?;
        let steps = Steps::new(&root, &files)?;
        let mut right = Vec::new();
        for state in 0..steps.states() {
            process::cost(&mut index_command(product, &root, &store, default_threads()), false)?;
            let server = Serving::start(product, &root, &store, &TOOLS)?;
            let mut web = server.session()?;
            let answers: Result<Vec<Answer>> =
                questions.iter().map(|question| question.ask(&mut web)).collect();
            right.push(answers?);
            drop(server);
            std::fs::remove_dir_all(&store)?;
            if state + 1 < steps.states() {
                steps.go_on(&root, state, &scratch.join("aside"))?;
            }
        }
        std::fs::remove_dir_all(&root)?;
        Ok(Self { questions, steps, right })
    }

    /// How many questions have not the same answer in all states.
    pub(super) fn moving(&self) -> usize {
        let differs = |at: &usize| self.right.iter().any(|answers| answers[*at] != self.right[0][*at]);
        (0..self.questions.len()).filter(differs).count()
    }
}

/// Questions about functions spread evenly over the tree, and the files some of them are in, to be changed.
fn questions(
    product: &Path,
    root: &Path,
    store: &Path,
    symbols: usize,
) -> Result<(Vec<Question>, Vec<PathBuf>)> {
    process::cost(&mut index_command(product, root, store, default_threads()), false)?;
    let options = OpenOptions { force: u8::MAX, store: Some(store.to_owned()) };
    let snapshot = Engine::open(root, Settings::default(), &options)?.snapshot()?;
    let kinds = vec![SymbolKind::Function, SymbolKind::Method];
    let query = DefinitionQuery { kinds, ..DefinitionQuery::default() };
    let total = snapshot.symbols(&query, 0, 0)?.total;
    let step = (total / symbols.max(1)).max(1);
    let mut all = Vec::new();
    let (mut seen, mut files) = (BTreeSet::new(), Vec::new());
    for place in (0..total).step_by(step) {
        let found = snapshot.symbols(&query, place, 1)?.rows.into_iter().next();
        let definition = found.context("a symbol of the list")?;
        all.extend(Question::about(&definition.name, &definition.handle.to_string()));
        if seen.insert(definition.path.clone()) {
            files.extend(orient_walk::to_native(&definition.path));
        }
    }
    Ok((all, files))
}
