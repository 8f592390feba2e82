//! The queries of the clients, and the answers of an index built from scratch in each state of the tree.

use super::states::Steps;
use crate::bench::floor::index_command;
use crate::bench::fresh::copy;
use crate::bench::process;
use crate::corpus::default_threads;
use crate::serve_process::{HttpSession, ServeProcess};
use anyhow::{Context, Result};
use orient_engine::{DefinitionQuery, Engine, OpenOptions};
use orient_model::SymbolKind;
use orient_settings::Settings;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The tools that the clients may call.
pub(super) const TOOLS: [&str; 2] = ["--tools", "symbols,graph,search"];

/// The kinds of queries.
pub(super) const KINDS: [&str; 3] = ["a symbol by name", "callers of a symbol", "a ranked search"];

/// A query.
#[derive(Clone)]
pub(super) struct Question {
    pub(super) kind: usize,
    call: Value,
}

/// The part of an answer that depends only on the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: String,
    total: Option<u64>,
    failed: bool,
    /// Whether the server reported that the index is stale.
    pub(super) behind: bool,
}

impl Question {
    /// The queries about a symbol.
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

    /// Sends the query. An error that the tool reports is an answer.
    pub(super) fn ask(&self, web: &mut HttpSession) -> Result<Answer> {
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

    /// A description of the query.
    pub(super) fn words(&self) -> String {
        self.call.to_string()
    }
}

/// The queries, and the correct answers in each state.
pub(super) struct Truth {
    pub(super) questions: Vec<Question>,
    pub(super) steps: Steps,
    /// For each state, the answers in the order of the queries.
    pub(super) right: Vec<Vec<Answer>>,
}

impl Truth {
    /// Copies a directory and computes the answers in every state of the copy, each from a new index.
    pub(super) fn new(product: &Path, directory: &Path, symbols: usize, scratch: &Path) -> Result<Self> {
        let root = scratch.join("truth");
        copy(directory, &root)?;
        let root = root.canonicalize()?;
        let store = scratch.join("truth-store");
        let (questions, files) = questions(product, &root, &store, symbols)?;
        let steps = Steps::new(&root, &files)?;
        let mut right = Vec::new();
        for state in 0..steps.states() {
            process::cost(&mut index_command(product, &root, &store, default_threads()), false)?;
            let server = ServeProcess::start(product, &root, &store, &TOOLS)?;
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

    /// Number of queries whose answer differs between states.
    pub(super) fn moving(&self) -> usize {
        let differs = |at: &usize| self.right.iter().any(|answers| answers[*at] != self.right[0][*at]);
        (0..self.questions.len()).filter(differs).count()
    }
}

/// Queries about functions spread evenly over the tree, and some of their files, to be changed.
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
