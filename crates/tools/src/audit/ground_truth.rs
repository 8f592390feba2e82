//! Ground truth of the call graph: caller–callee pairs from JSON lines or a SCIP index.

use super::scip_index;
use crate::error::{Code, ToolError};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The location of a symbol's name: path and line; line 0 for top-level code.
pub(crate) type Location = (String, u32);

/// A caller and its callee.
pub(crate) type Pair = (Location, Location);

/// The pairs, and the files they were collected from.
#[derive(Debug, Default)]
pub(crate) struct GroundTruth {
    /// The files whose callers are evaluated.
    pub(crate) files: BTreeSet<String>,
    /// The pairs that must be found, each once.
    pub(crate) required: BTreeSet<Pair>,
    /// Every pair that is correct, and the required pairs it counts as; `None` for a correct pair that is not required.
    pub(crate) accepted: BTreeMap<Pair, BTreeSet<Option<Pair>>>,
    /// Whether uses other than calls count as found, because the source does not distinguish them.
    pub(crate) any_use: bool,
}

#[derive(Deserialize)]
struct Line {
    caller: Caller,
    callee: Point,
    /// Other locations of the same symbol, such as its declaration.
    #[serde(default)]
    also: Vec<Point>,
    /// `call` or `construct`; other kinds are correct, but not required.
    #[serde(default)]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Caller {
    path: String,
    #[serde(default)]
    line: u32,
    /// Other lines of the same caller.
    #[serde(default)]
    also: Vec<u32>,
}

#[derive(Deserialize)]
struct Point {
    path: String,
    #[serde(default)]
    line: u32,
}

#[derive(Deserialize)]
struct Scope {
    files: Vec<String>,
}

impl GroundTruth {
    /// Parses a ground-truth file in either format.
    pub(crate) fn parse(bytes: &[u8], name: &str) -> Result<Self, ToolError> {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        match first {
            None => Err(invalid(name, "it is empty")),
            Some(b'{') => Self::from_lines(bytes, name),
            Some(_) => scip_index::read(bytes)
                .ok_or_else(|| invalid(name, "it is neither JSON lines nor a SCIP index")),
        }
    }

    fn from_lines(bytes: &[u8], name: &str) -> Result<Self, ToolError> {
        let text = std::str::from_utf8(bytes).map_err(|_| invalid(name, "it is not UTF-8"))?;
        let mut truth = Self::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let line: Line = serde_json::from_str(line)
                .map_err(|error| invalid(name, &format!("line {}: {error}", number + 1)))?;
            truth.files.insert(line.caller.path.clone());
            let is_required = matches!(line.kind.as_deref(), None | Some("call" | "construct"));
            let callers = std::iter::once(line.caller.line).chain(line.caller.also);
            let callers: Vec<Location> = callers.map(|at| (line.caller.path.clone(), at)).collect();
            let callees: Vec<Location> =
                std::iter::once(line.callee).chain(line.also).map(|point| (point.path, point.line)).collect();
            truth.add(&callers, &callees, is_required);
        }
        Ok(truth)
    }

    /// Adds a pair. The first location of each list identifies the symbol; the others count as the same symbol.
    pub(crate) fn add(&mut self, callers: &[Location], callees: &[Location], is_required: bool) {
        let (Some(caller), Some(callee)) = (callers.first(), callees.first()) else { return };
        let key = (caller.clone(), callee.clone());
        for caller in callers {
            for callee in callees {
                let as_one = is_required.then(|| key.clone());
                self.accepted.entry((caller.clone(), callee.clone())).or_default().insert(as_one);
            }
        }
        if is_required {
            self.required.insert(key);
        }
    }

    /// Restricts the evaluation to callers in these files, given as JSON (`{"files": […]}`) or one path per line.
    pub(crate) fn narrow(&mut self, bytes: &[u8], name: &str) -> Result<(), ToolError> {
        let text = std::str::from_utf8(bytes).map_err(|_| invalid(name, "it is not UTF-8"))?;
        let files: Vec<String> = if text.trim_start().starts_with('{') {
            let scope: Scope =
                serde_json::from_str(text).map_err(|error| invalid(name, &error.to_string()))?;
            scope.files
        } else {
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
        };
        self.files = files.into_iter().collect();
        let files = &self.files;
        self.required.retain(|(caller, _)| files.contains(&caller.0));
        Ok(())
    }
}

fn invalid(name: &str, problem: &str) -> ToolError {
    ToolError::new(Code::BadArgument, format!("{name} cannot be used: {problem}")).hint(
        "give JSON lines of {\"caller\": {\"path\", \"line\"}, \"callee\": {\"path\", \"line\"}}, or a SCIP index",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_lines_give_pairs_with_alternatives_and_kinds() {
        let text = r#"
{"caller":{"path":"a.c","line":3,"also":[2]},"callee":{"path":"b.c","line":7},"also":[{"path":"b.h","line":1}]}
{"caller":{"path":"a.c","line":3},"callee":{"path":"a.c","line":9},"kind":"reference"}
"#;
        let truth = GroundTruth::parse(text.as_bytes(), "t").expect("it is well formed");
        let place = |path: &str, line| (path.to_owned(), line);
        assert_eq!(truth.required.len(), 1);
        assert!(truth.accepted.contains_key(&(place("a.c", 2), place("b.h", 1))));
        assert_eq!(truth.accepted[&(place("a.c", 3), place("a.c", 9))].first(), Some(&None));
        let error = GroundTruth::parse(b"{\"caller\":1}", "t").expect_err("it is not");
        assert!(error.message().starts_with("t cannot be used: line 1:"), "{error}");
        assert!(GroundTruth::parse(b"  ", "t").is_err());
    }
}
