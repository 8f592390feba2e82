//! Links from the names in a file to their definitions. An edge of the graph has a line but no column, so the name of its target is
//! looked for in that line.

use super::source_text::{LinkSpan, SourceText, occurrences};
use crate::urls;
use orient_engine::TokenClass;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// An edge that starts in the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct EdgeData {
    pub(crate) callee: EdgeEnd,
    pub(crate) line: u32,
    pub(crate) kind: String,
    pub(crate) confidence: String,
}

/// The target of an edge; without a name, a file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct EdgeEnd {
    pub(crate) path: String,
    pub(crate) line: u32,
    pub(crate) name: String,
}

/// A definition in the file.
pub(crate) struct DefinedName<'d> {
    pub(crate) name: &'d str,
    pub(crate) handle: &'d str,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
}

/// How many lines after the beginning of a definition its name may stand: below its attributes.
const MAX_LINES_TO_NAME: u32 = 12;

/// The links of a file, in order and without overlap. Definitions lead to their uses, other names to their definitions. If a line uses
/// two targets of the same name, the surest comes first, then the first by path and line.
pub(crate) fn name_links(
    source: &SourceText<'_>,
    path: &str,
    revision: &str,
    definitions: &[DefinedName<'_>],
    edges: &[EdgeData],
) -> Vec<LinkSpan> {
    let mut links: BTreeMap<usize, LinkSpan> = BTreeMap::new();
    let mut add = |link: LinkSpan| {
        let before = links.range(..link.range.end).next_back();
        if before.is_none_or(|(_, known)| known.range.end <= link.range.start) {
            links.insert(link.range.start, link);
        }
    };
    for definition in definitions {
        if let Some((line, range)) = declared_name(source, definition) {
            let href = urls::symbol(path, definition.handle, line, revision);
            let card = urls::card(definition.handle, revision);
            add(LinkSpan { range, href, card, class: "def" });
        }
    }
    let mut edges: Vec<&EdgeData> =
        edges.iter().filter(|edge| !matches!(edge.kind.as_str(), "dispatches" | "overrides")).collect();
    edges.sort_by_key(|edge| (edge.line, sureness(&edge.confidence), &edge.callee.path, edge.callee.line));
    for edge in edges {
        let index = (edge.line as usize).saturating_sub(1);
        let href = urls::line(&edge.callee.path, edge.callee.line, revision);
        let class = ["sure", "likely", "maybe"][sureness(&edge.confidence)];
        let card = if edge.callee.name.is_empty() {
            String::new()
        } else {
            let place = format!("{}:{}", edge.callee.path, edge.callee.line);
            urls::with_parameters(
                "/card",
                &[("symbol", place.as_str()), ("name", &edge.callee.name), ("at", revision)],
            )
        };
        for range in used_names(source, index, edge) {
            add(LinkSpan { range, href: href.clone(), card: card.clone(), class });
        }
    }
    links.into_values().collect()
}

fn sureness(confidence: &str) -> usize {
    match confidence {
        "exact" => 0,
        "probable" => 1,
        _ => 2,
    }
}

/// Where a definition has its name: the first occurrence outside of comments and strings. Lines count from 1.
fn declared_name(source: &SourceText<'_>, definition: &DefinedName<'_>) -> Option<(u32, Range<usize>)> {
    let last = definition.last_line.min(definition.first_line.saturating_add(MAX_LINES_TO_NAME));
    (definition.first_line..=last).find_map(|line| {
        let index = (line as usize).saturating_sub(1);
        let range = in_line(source, index, definition.name).find(|range| is_code(source, range))?;
        Some((line, range))
    })
}

/// The places in a line that use the target of an edge.
fn used_names(source: &SourceText<'_>, index: usize, edge: &EdgeData) -> Vec<Range<usize>> {
    if edge.callee.name.is_empty() {
        return imported_file(source, index, &edge.callee.path).into_iter().collect();
    }
    let all: Vec<Range<usize>> = in_line(source, index, &edge.callee.name).collect();
    let code: Vec<Range<usize>> = all.iter().filter(|range| is_code(source, range)).cloned().collect();
    // Interpolated code stands inside of a string.
    let found: Vec<Range<usize>> = if code.is_empty() {
        all.into_iter().filter(|range| !is_comment(source, range)).collect()
    } else {
        code
    };
    // Of `c.args = args`, only the first is certainly the member: the other may be a local variable.
    let members: Vec<Range<usize>> = found.iter().filter(|range| is_member(source, range)).cloned().collect();
    if members.is_empty() { found } else { members }
}

/// Whether a name follows an operator that selects a member.
fn is_member(source: &SourceText<'_>, range: &Range<usize>) -> bool {
    let before = source.text[..range.start].trim_end();
    [".", "->", "::"].iter().any(|operator| before.ends_with(operator))
}

/// The place in a line that names a file: the string that contains its stem, or the stem itself.
fn imported_file(source: &SourceText<'_>, index: usize, path: &str) -> Option<Range<usize>> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().filter(|stem| !stem.is_empty())?;
    let mut strings = source.strings_in(index);
    let named = strings.find(|range| source.text[range.clone()].contains(stem));
    named.or_else(|| in_line(source, index, stem).filter(|range| is_code(source, range)).last())
}

fn in_line<'s>(
    source: &'s SourceText<'_>,
    index: usize,
    name: &'s str,
) -> impl Iterator<Item = Range<usize>> + 's {
    let line = source.line(index);
    let start = line.start;
    occurrences(&source.text[line], name).map(move |range| start + range.start..start + range.end)
}

fn is_comment(source: &SourceText<'_>, range: &Range<usize>) -> bool {
    source.class_at(range.start) == Some(TokenClass::Comment)
}

fn is_code(source: &SourceText<'_>, range: &Range<usize>) -> bool {
    !matches!(source.class_at(range.start), Some(TokenClass::Comment | TokenClass::Text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(line: u32, name: &str, path: &str, confidence: &str) -> EdgeData {
        EdgeData {
            callee: EdgeEnd { path: path.to_owned(), line: 3, name: name.to_owned() },
            line,
            kind: "calls".to_owned(),
            confidence: confidence.to_owned(),
        }
    }

    fn links(text: &str, definitions: &[DefinedName<'_>], edges: &[EdgeData]) -> Vec<String> {
        let source = SourceText::new("a.rs", text);
        let found = name_links(&source, "a.rs", "", definitions, edges);
        found
            .iter()
            .map(|link| format!("{} {} {}", &text[link.range.clone()], link.class, link.href))
            .collect()
    }

    #[test]
    fn names_lead_to_definitions_and_definitions_to_uses() {
        let text = "/// run\n#[test]\nfn start() {\n    run(\"run\"); // run\n}\n";
        let defined = [DefinedName { name: "start", handle: "a.rs#start", first_line: 1, last_line: 5 }];
        assert_eq!(
            links(text, &defined, &[edge(4, "run", "b.rs", "exact")]),
            ["start def /code/a.rs?symbol=a.rs%23start#L3", "run sure /code/b.rs#L3"]
        );
    }

    #[test]
    fn the_surest_target_wins_and_an_absent_name_is_no_link() {
        let edges = [
            edge(1, "run", "x.rs", "approximate"),
            edge(1, "run", "y.rs", "exact"),
            edge(1, "gone", "z.rs", "exact"),
        ];
        assert_eq!(links("run(); run();", &[], &edges), ["run sure /code/y.rs#L3", "run sure /code/y.rs#L3"]);
    }

    #[test]
    fn a_member_is_told_from_a_variable_of_the_same_name() {
        let text = "self.run = run;";
        assert_eq!(links(text, &[], &[edge(1, "run", "b.rs", "exact")]), ["run sure /code/b.rs#L3"]);
        let source = SourceText::new("a.rs", text);
        let found = name_links(&source, "a.rs", "", &[], &[edge(1, "run", "b.rs", "exact")]);
        assert_eq!(found[0].range, 5..8);
    }

    #[test]
    fn a_name_inside_a_string_is_a_link_if_it_occurs_nowhere_else() {
        assert_eq!(links("f(\"{run}\");", &[], &[edge(1, "run", "b.rs", "exact")]).len(), 1);
    }

    #[test]
    fn an_imported_file_is_its_string_or_its_stem() {
        let file = |line| EdgeData {
            callee: EdgeEnd { path: "src/tax.rs".to_owned(), ..EdgeEnd::default() },
            line,
            ..edge(1, "", "", "exact")
        };
        assert_eq!(
            links("include!(\"tax.rs\");\nmod tax;", &[], &[file(1), file(2)]),
            ["\"tax.rs\" sure /code/src/tax.rs", "tax sure /code/src/tax.rs"]
        );
    }
}
