//! Hits of all modes in one form: asks the operation of a mode and reads its answer.

use super::query_syntax::ParsedQuery;
use crate::ask::{Asked, Asker, SymbolData};
use orient_tools::{AnswerMetadata, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::Range;

/// Tokens of source text to ask for: enough for every hit to have its lines.
const SOURCE_TOKENS: u32 = 12_000;
/// Maximum number of matching lines of one file, so that one file does not hide all others.
const MAX_LINES_PER_FILE: u32 = 20;

/// A hit.
#[derive(Debug, Default)]
pub(crate) struct Hit {
    pub(crate) path: String,
    pub(crate) line: u32,
    /// The symbol that it is or belongs to.
    pub(crate) symbol: String,
    /// The handle, if the hit is a symbol.
    pub(crate) handle: String,
    pub(crate) kind: String,
    pub(crate) language: Option<String>,
    pub(crate) role: String,
    pub(crate) exact: bool,
    /// Lines to show: the number of the first, and the text.
    pub(crate) source: Vec<(u32, String)>,
    /// Bytes to mark in the first text.
    pub(crate) marks: Vec<Range<usize>>,
    /// What each rule of the ranking added to the score.
    pub(crate) explanation: Vec<(String, f64)>,
    pub(crate) score: f64,
    /// Other good places in the same file: line, name.
    pub(crate) also: Vec<(u32, String)>,
}

/// The hits of a search.
#[derive(Debug, Default)]
pub(crate) struct HitList {
    pub(crate) hits: Vec<Hit>,
    /// Paths that match the query.
    pub(crate) files: Vec<String>,
    pub(crate) total: Option<u64>,
    pub(crate) has_more: bool,
    /// Whether the hits match well; otherwise they are only the nearest.
    pub(crate) confident: bool,
    pub(crate) metadata: AnswerMetadata,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SearchData {
    confident: bool,
    hits: Vec<SearchHitData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SearchHitData {
    path: String,
    start_line: u32,
    symbol: Option<String>,
    kind: String,
    score: f64,
    exact: bool,
    language: Option<String>,
    role: String,
    source: Vec<LinesData>,
    also: Vec<AlsoData>,
    explanation: Vec<RuleData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LinesData {
    line: u32,
    text: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AlsoData {
    start_line: u32,
    symbol: Option<String>,
    kind: String,
    text: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RuleData {
    rule: String,
    added: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SymbolsData {
    symbols: Vec<SymbolData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FindData {
    matches: Vec<MatchData>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct MatchData {
    path: String,
    line: u32,
    text: String,
}

/// Searches in a mode.
pub(crate) fn search(
    asker: &Asker<'_>,
    query: &ParsedQuery,
    mode: &str,
    limit: u32,
) -> Result<HitList, ToolError> {
    match mode {
        "names" => names(asker, query, limit),
        "regex" => regex(asker, query, limit),
        "structural" => structural(asker, query, limit),
        _ => ranked(asker, query, limit),
    }
}

fn one_path(query: &ParsedQuery) -> Value {
    query.values("path").first().map_or(Value::Null, |path| json!(path))
}

fn ranked(asker: &Asker<'_>, query: &ParsedQuery, limit: u32) -> Result<HitList, ToolError> {
    let arguments = json!({
        "query": query.text,
        "lang": query.values("lang"),
        "kind": query.values("kind"),
        "path": one_path(query),
        "limit": limit,
        "max_tokens": SOURCE_TOKENS,
        "explain": true,
    });
    let found = asker.ask::<SearchData>(Asked::Search, arguments)?;
    let hits = found.data.hits.into_iter().map(ranked_hit).collect();
    let is_one_word = !query.text.contains(char::is_whitespace);
    let files = if is_one_word { files(asker, &query.text) } else { Vec::new() };
    let confident = found.data.confident;
    Ok(HitList { hits, files, total: None, has_more: false, confident, metadata: found.metadata })
}

fn ranked_hit(hit: SearchHitData) -> Hit {
    let is_symbol = hit.symbol.is_some() && !matches!(hit.kind.as_str(), "gap" | "window");
    let symbol = hit.symbol.unwrap_or_default();
    let handle = if is_symbol { format!("{}#{symbol}", hit.path) } else { String::new() };
    let also = hit.also.into_iter().map(|one| (one.start_line, one.symbol.or(one.text).unwrap_or(one.kind)));
    Hit {
        line: hit.start_line,
        symbol,
        handle,
        kind: if is_symbol { hit.kind } else { String::new() },
        language: hit.language,
        role: hit.role,
        exact: hit.exact,
        source: hit.source.into_iter().map(|lines| (lines.line, lines.text)).collect(),
        explanation: hit.explanation.into_iter().map(|one| (one.rule, one.added)).collect(),
        score: hit.score,
        also: also.collect(),
        path: hit.path,
        marks: Vec::new(),
    }
}

/// Paths that contain a word, ignoring case. Paths that merely contain its letters in order are not hits: they would be listed before
/// the symbols. A search for files that fails is no reason to show no symbols.
fn files(asker: &Asker<'_>, word: &str) -> Vec<String> {
    const MAX_FILES: u32 = 6;
    let found =
        asker.ask::<crate::code::FilesData>(Asked::Files, json!({ "glob": word, "limit": MAX_FILES }));
    let word = word.to_lowercase();
    let paths = found.map_or_else(|_| Vec::new(), |found| found.data.files);
    paths.into_iter().map(|file| file.path).filter(|path| path.to_lowercase().contains(&word)).collect()
}

fn names(asker: &Asker<'_>, query: &ParsedQuery, limit: u32) -> Result<HitList, ToolError> {
    let ask = |matching: Option<&str>| {
        let arguments = json!({
            "name": query.text,
            "lang": query.values("lang"),
            "kind": query.values("kind"),
            "in": one_path(query),
            "limit": limit,
            "match": matching,
        });
        asker.ask::<SymbolsData>(Asked::Symbols, arguments)
    };
    let mut found = ask(None)?;
    // An exact name hides the longer ones; somebody who is still typing wants them.
    if (found.data.symbols.len() as u32) < limit {
        let known: Vec<String> = found.data.symbols.iter().map(|symbol| symbol.handle.clone()).collect();
        let longer = ask(Some("prefix"))?.data.symbols.into_iter();
        let room = limit as usize - known.len();
        found.data.symbols.extend(longer.filter(|symbol| !known.contains(&symbol.handle)).take(room));
    }
    let hits = found.data.symbols.into_iter().map(|symbol| Hit {
        path: symbol.path,
        line: symbol.line,
        symbol: symbol.qualified,
        handle: symbol.handle,
        kind: symbol.kind,
        language: symbol.language,
        source: if symbol.signature.is_empty() { Vec::new() } else { vec![(symbol.line, symbol.signature)] },
        ..Hit::default()
    });
    let (hits, total) = (hits.collect(), found.metadata.total);
    Ok(HitList { hits, total, confident: true, metadata: found.metadata, ..HitList::default() })
}

fn regex(asker: &Asker<'_>, query: &ParsedQuery, limit: u32) -> Result<HitList, ToolError> {
    let globs: Vec<String> = query.values("path").iter().flat_map(|path| path_globs(path)).collect();
    let arguments = json!({
        "regexp": [query.text],
        "smart_case": true,
        "glob": globs,
        "type": query.values("lang"),
        "max_count": MAX_LINES_PER_FILE,
    });
    let (hits, has_more) =
        asker.stream(Asked::Grep, arguments, limit as usize, |line| matched_line(&line))?;
    Ok(HitList { hits, has_more, confident: true, ..HitList::default() })
}

/// The globs of a path qualifier: a directory means everything below it.
fn path_globs(path: &str) -> Vec<String> {
    let path = path.trim_matches('/');
    if path.contains(['*', '?', '[']) {
        vec![path.to_owned()]
    } else {
        vec![format!("/{path}"), format!("/{path}/**")]
    }
}

/// A match in ripgrep's JSON.
fn matched_line(line: &Value) -> Option<Hit> {
    let data = line.get("data").filter(|_| line["type"] == "match")?;
    let text = data["lines"]["text"].as_str()?.trim_end_matches(['\n', '\r']).to_owned();
    let number = u32::try_from(data["line_number"].as_u64()?).ok()?;
    let marks = data["submatches"].as_array()?.iter().filter_map(|found| {
        let bound = |name: &str| usize::try_from(found[name].as_u64()?).ok();
        Some(bound("start")?.min(text.len())..bound("end")?.min(text.len()))
    });
    let marks = marks.collect();
    let path = data["path"]["text"].as_str()?.trim_start_matches("./").to_owned();
    Some(Hit { path, line: number, source: vec![(number, text)], marks, ..Hit::default() })
}

fn structural(asker: &Asker<'_>, query: &ParsedQuery, limit: u32) -> Result<HitList, ToolError> {
    let arguments = json!({
        "pattern": query.text,
        "lang": query.values("lang"),
        "paths": query.values("path"),
        "limit": limit,
    });
    let found = asker.ask::<FindData>(Asked::Find, arguments)?;
    let hits = found.data.matches.into_iter().map(|one| Hit {
        path: one.path,
        line: one.line,
        source: vec![(one.line, one.text)],
        ..Hit::default()
    });
    let (hits, total) = (hits.collect(), found.metadata.total);
    Ok(HitList { hits, total, confident: true, metadata: found.metadata, ..HitList::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_of_ripgrep_become_hits() {
        let line = json!({ "type": "match", "data": { "path": { "text": "./a/b.rs" }, "lines": { "text": "let run = 1;\n" },
            "line_number": 7, "submatches": [{ "match": { "text": "run" }, "start": 4, "end": 7 }] } });
        let hit = matched_line(&line).expect("a match");
        assert_eq!((hit.path.as_str(), hit.line), ("a/b.rs", 7));
        assert_eq!(hit.marks.first(), Some(&(4..7)));
        assert!(matched_line(&json!({ "type": "begin", "data": {} })).is_none());
    }

    #[test]
    fn a_path_qualifier_means_a_file_or_everything_below_a_directory() {
        assert_eq!(path_globs("src/"), ["/src", "/src/**"]);
        assert_eq!(path_globs("*.rs"), ["*.rs"]);
    }
}
