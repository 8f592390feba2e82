//! The evidence of an explanation as text for a model: places with what is defined there, and how they are connected.

use super::claims::CitedPlaces;
use crate::graph::node_line::NodeLine;
use crate::text::escape::escape_invisible;
use crate::text::redaction::Redactor;
use orient_engine::DescribedNode;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum length of what is said about a place, in characters.
const MAX_DETAIL: usize = 200;
/// Maximum length of the evidence in bytes.
const MAX_EVIDENCE: usize = 24_000;

/// The evidence of an explanation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// What is defined at each place.
    places: BTreeMap<(String, u32), String>,
}

impl Evidence {
    /// Adds a symbol as a place that may be cited.
    pub(crate) fn add(&mut self, node: &DescribedNode) {
        let line = NodeLine::of(node);
        if line.line == 0 {
            return;
        }
        let definition = node.definition.as_ref();
        let signature = definition.map_or("", |one| one.signature.as_str());
        let doc = definition
            .and_then(|one| one.doc.as_deref())
            .and_then(|doc| doc.lines().next())
            .unwrap_or_default();
        let detail =
            [signature, doc].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" // ");
        let detail: String = escape_invisible(&detail).chars().take(MAX_DETAIL).collect();
        self.places
            .entry((line.path.clone(), line.line))
            .or_insert_with(|| format!("{} {}: {detail}", line.kind, line.called()));
    }

    /// The material for a model, without credentials, and the places that it contains. `connections` are the lines of the
    /// explanation itself.
    pub(crate) fn material(&self, about: &str, connections: &[String]) -> (String, CitedPlaces) {
        let mut lines =
            vec![format!("about: {}", escape_invisible(about)), "how the parts are connected:".to_owned()];
        lines.extend(connections.iter().map(|line| escape_invisible(line).into_owned()));
        lines.push("places:".to_owned());
        let mut size: usize = lines.iter().map(|line| line.len() + 1).sum();
        let mut cited = BTreeSet::new();
        for ((path, line), detail) in &self.places {
            let shown = format!("  {path}:{line} {detail}");
            size += shown.len() + 1;
            if size > MAX_EVIDENCE {
                break;
            }
            cited.insert((path.clone(), *line));
            lines.push(shown);
        }
        let mut redactor = Redactor::default();
        (redactor.text(&lines.join("\n")), CitedPlaces::new(cited))
    }
}
