//! The searcher under evaluation: the product through its operation table, like every interface, or a baseline.

use super::reading_cost;
use super::score::Hit;
use anyhow::{Context, Result, bail};
use orient_engine::{Cancel, FullScan, NoProgress, RefreshOptions};
use orient_settings::Override;
use orient_tools::{OPERATIONS, OpenTree, Operation, Session, SessionOptions, TextWriter};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The operation.
const OPERATION: &str = "search";
/// The operation that collects what a task needs.
const COLLECTION: &str = "context";

/// A searcher.
pub(super) trait Provider {
    /// Its name in tables.
    fn name(&self) -> &'static str;
    /// The parts that can be disabled one by one: channels, rules.
    fn parts(&self) -> Vec<String>;
    /// Prepares a tree. Its data is kept in `store`.
    fn open(&self, tree: &Path, store: &Path) -> Result<Box<dyn Searcher>>;
}

/// A tree that can be searched.
pub(super) trait Searcher {
    /// Answers one question with at most this many hits, some parts disabled.
    fn search(&self, query: &str, limit: usize, without: &[String]) -> Result<SearchAnswer>;

    /// The passages collected for a task within a token budget; none if the searcher does not collect any.
    fn collect(&self, _task: &str, _tokens: usize) -> Result<Vec<Hit>> {
        Ok(Vec::new())
    }
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchAnswer {
    pub(super) hits: Vec<Hit>,
    /// Whether the answer reports a good match.
    pub(super) confident: bool,
    /// For each hit, the bytes of the printed answer up to its end.
    pub(super) read: Vec<usize>,
    pub(super) time: Duration,
}

/// The product.
pub(super) struct Product(&'static Operation);

impl Product {
    /// Looks up the operation in the table.
    pub(super) fn find() -> Result<Self> {
        let tool = OPERATIONS.iter().find(|tool| tool.name == OPERATION);
        tool.map(Self).with_context(|| {
            format!("there is no operation `{OPERATION}` yet; `--baseline` asks a plain word search instead")
        })
    }
}

impl Provider for Product {
    fn name(&self) -> &'static str {
        "orient"
    }

    fn parts(&self) -> Vec<String> {
        words(&self.0.input_schema(), "without")
    }

    fn open(&self, tree: &Path, store: &Path) -> Result<Box<dyn Searcher>> {
        let tree =
            tree.canonicalize().with_context(|| format!("there is no directory {}", tree.display()))?;
        let store = store.display().to_string();
        let setup = SessionOptions {
            start: tree.clone(),
            directory: tree.clone(),
            overrides: vec![Override { key: "store.dir".into(), value: store, flag: "--store".into() }],
            force: u8::MAX,
            refresh: false,
        };
        let host = OpenTree::open(setup, |_, _| Arc::new(FullScan))?;
        if host.root().canonicalize()? != tree {
            let (tree, root) = (tree.display(), host.root().display());
            bail!("{tree} belongs to the repository {root}: lay the directories out outside of it");
        }
        host.engine().refresh(&RefreshOptions::default(), &NoProgress)?;
        Ok(Box::new(Tree { tool: self.0, host }))
    }
}

/// A tree that the product has indexed.
struct Tree {
    tool: &'static Operation,
    host: OpenTree,
}

/// The fields of the answer that are used.
#[derive(Deserialize)]
struct Answer {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    hits: Vec<Shown>,
    /// Whether anything matches well; if missing, the answer counts as a match.
    #[serde(default = "sure")]
    confident: bool,
}

fn sure() -> bool {
    true
}

#[derive(Deserialize)]
struct Shown {
    path: String,
    start_line: u32,
    end_line: u32,
    #[serde(default)]
    also: Vec<Lines>,
}

#[derive(Deserialize)]
struct Lines {
    start_line: u32,
    end_line: u32,
}

impl Searcher for Tree {
    fn search(&self, query: &str, limit: usize, without: &[String]) -> Result<SearchAnswer> {
        let mut arguments = json!({ "query": query, "limit": limit });
        if !without.is_empty() {
            arguments["without"] = json!(without);
        }
        let cancel = Cancel::default();
        let session = Session::for_tree(&self.host, &NoProgress, &cancel);
        let start = Instant::now();
        let reply = self.tool.call(&session, arguments)?;
        let time = start.elapsed();
        let (mut text, mut bytes) = (String::new(), Vec::new());
        reply.text(&mut TextWriter::new(&mut text))?;
        reply.json(&mut bytes)?;
        let answer: Answer = serde_json::from_slice(&bytes).context("the answer has no hits as agreed")?;
        let hit = |shown: Shown| Hit {
            path: shown.path,
            start_line: Some(shown.start_line),
            end_line: Some(shown.end_line),
            also: shown.also.iter().map(|lines| (lines.start_line, lines.end_line)).collect(),
        };
        let hits: Vec<Hit> = answer.data.hits.into_iter().map(hit).collect();
        let read = reading_cost::read(&text, &hits);
        Ok(SearchAnswer { confident: answer.data.confident && !hits.is_empty(), hits, read, time })
    }

    fn collect(&self, task: &str, tokens: usize) -> Result<Vec<Hit>> {
        let tool = OPERATIONS.iter().find(|tool| tool.name == COLLECTION);
        let tool = tool.with_context(|| format!("there is no operation `{COLLECTION}`"))?;
        let cancel = Cancel::default();
        let session = Session::for_tree(&self.host, &NoProgress, &cancel);
        let reply = tool.call(&session, json!({ "task": task, "max_tokens": tokens }))?;
        let mut bytes = Vec::new();
        reply.json(&mut bytes)?;
        let answer: Collected =
            serde_json::from_slice(&bytes).context("the answer has no chunks as agreed")?;
        let mut hits = Vec::new();
        for chunk in answer.data.chunks {
            for lines in chunk.source {
                let last = lines.line + lines.text.lines().count().saturating_sub(1) as u32;
                let (start_line, end_line) = (Some(lines.line), Some(last));
                hits.push(Hit { path: chunk.path.clone(), start_line, end_line, also: Vec::new() });
            }
        }
        Ok(hits)
    }
}

/// The fields of a collection that are used.
#[derive(Deserialize)]
struct Collected {
    data: CollectedChunks,
}

#[derive(Deserialize)]
struct CollectedChunks {
    chunks: Vec<CollectedChunk>,
}

#[derive(Deserialize)]
struct CollectedChunk {
    path: String,
    #[serde(default)]
    source: Vec<CollectedLines>,
}

#[derive(Deserialize)]
struct CollectedLines {
    line: u32,
    text: String,
}

/// The values of an enumerated argument in its schema: `enum`, or `oneOf` with `const`, of the argument itself or of
/// its list items, inline or by reference.
fn words(schema: &Value, argument: &str) -> Vec<String> {
    let mut at = &schema["properties"][argument];
    if !at["items"].is_null() {
        at = &at["items"];
    }
    if let Some(name) = at["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        at = &schema["$defs"][name];
    }
    let plain = at["enum"].as_array().into_iter().flatten();
    let described = at["oneOf"].as_array().into_iter().flatten().flat_map(|one| {
        let single = std::iter::once(&one["const"]);
        single.chain(one["enum"].as_array().into_iter().flatten())
    });
    plain.chain(described).filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_come_from_the_schema_of_the_argument() {
        let plain = json!({ "properties": { "without": { "items": { "enum": ["names", "text"] } } } });
        assert_eq!(words(&plain, "without"), ["names", "text"]);
        let referred = json!({
            "properties": { "without": { "type": "array", "items": { "$ref": "#/$defs/Part" } } },
            "$defs": { "Part": { "oneOf": [
                { "const": "names", "description": "by name" },
                { "enum": ["text", "vectors"] },
            ] } },
        });
        assert_eq!(words(&referred, "without"), ["names", "text", "vectors"]);
        assert!(words(&json!({}), "without").is_empty());
    }
}
