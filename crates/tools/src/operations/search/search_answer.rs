//! The answer of `search`: hits with snippets, fitted into a token budget.

use super::args::{Group, SearchArgs};
use super::named_symbol::NamedSymbol;
use crate::error::ToolError;
use crate::graph::symbol_roles::{RoleLabels, bracketed};
use crate::operations::source_lines::SourceLines;
use crate::text::token_estimate::tokens;
use crate::text::writer::{Style, TextWriter};
use orient_engine::{SameFileHit, SearchHit, SearchResults, Snapshot};
use orient_model::Handle;
use serde::Serialize;
use std::io;

/// Number of source lines of the first, the second and all further hits.
const LINES: [usize; 3] = [10, 6, 4];

/// Maximum number of characters shown for a chunk without a name.
const MAX_TEXT: usize = 40;

/// The hits of a search.
#[derive(Serialize)]
pub(crate) struct SearchOut {
    /// The query.
    query: String,
    /// Whether anything matches well. If not, the hits are only the nearest chunks.
    confident: bool,
    /// The symbol that the query names, if it was asked for alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    single: Option<NamedSymbol>,
    /// The hits, best first.
    hits: Vec<HitOut>,
    /// Spell-corrected words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaced: Vec<SpellingCorrection>,
    #[serde(skip)]
    layout: Layout,
}

/// A hit, the snapshot that has it, and the name of its root in a workspace.
pub(crate) struct RootHit<'h> {
    pub(crate) snapshot: &'h Snapshot,
    pub(crate) root: Option<&'h str>,
    pub(crate) hit: &'h SearchHit,
}

/// The layout of the text.
#[derive(Clone, Copy)]
struct Layout {
    group: Group,
}

impl Default for Layout {
    fn default() -> Self {
        Self { group: Group::None }
    }
}

/// A word that does not occur, and the names searched for instead.
#[derive(Serialize)]
struct SpellingCorrection {
    /// The word as typed.
    word: String,
    /// Similar names.
    names: Vec<String>,
}

/// A hit.
#[derive(Serialize)]
struct HitOut {
    /// Its file.
    path: String,
    /// Its first line.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// The qualified name of the symbol that it is or belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    /// The kind of the symbol; `gap` or `window` outside symbols.
    kind: String,
    /// The score, comparable within one answer.
    score: f32,
    /// The likelihood that the query is about it, between 0 and 1.
    likelihood: f32,
    /// Whether the query names it exactly.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    exact: bool,
    /// The language of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// The role of the file.
    role: &'static str,
    /// The roles of the symbol: `handler`, `model`, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    roles: Vec<String>,
    /// The most relevant lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    source: Vec<SourceLines>,
    /// Other good chunks of the same file, best first. They are not hits themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<OtherChunk>,
    /// The package or directory that it represents, if the question is about every part of the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<String>,
    /// The contribution of each rule to the score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explanation: Vec<RuleScore>,
    /// What the likelihood is estimated from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<EvidenceOut>,
}

/// A feature of a hit that its likelihood depends on.
#[derive(Serialize)]
struct EvidenceOut {
    /// Its name.
    feature: &'static str,
    /// Its value.
    value: f32,
}

/// Another chunk of a hit's file.
#[derive(Serialize)]
struct OtherChunk {
    /// Its first line.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// The qualified name of the symbol that it is or belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    /// The kind of the symbol; `gap` or `window` outside symbols.
    kind: String,
    /// The beginning of its text, if it has no symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The contribution of a rule to a score.
#[derive(Serialize)]
struct RuleScore {
    /// The rule.
    rule: &'static str,
    /// What it added to the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<f32>,
    /// By what it multiplied the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<f32>,
}

impl SearchOut {
    pub(crate) fn new(
        snapshot: &Snapshot,
        query: &str,
        found: &SearchResults,
        group: Group,
        args: &SearchArgs,
    ) -> Result<Self, ToolError> {
        let hits: Vec<RootHit<'_>> =
            found.hits.iter().map(|hit| RootHit { snapshot, root: None, hit }).collect();
        Self::of(&hits, query, found, group, args)
    }

    /// The same for hits of several roots; `found` is without hits.
    pub(crate) fn of(
        found_hits: &[RootHit<'_>],
        query: &str,
        found: &SearchResults,
        group: Group,
        args: &SearchArgs,
    ) -> Result<Self, ToolError> {
        let mut left = args.tokens();
        let mut hits = Vec::with_capacity(found_hits.len());
        // Every hit gets its heading before any gets source.
        for RootHit { root, hit, snapshot } in found_hits {
            let roles = match hit.symbol {
                Some(symbol) => RoleLabels::new(snapshot)?.of_node(symbol.into())?,
                None => Vec::new(),
            };
            let mut hit = HitOut::new(hit, roles, args.explain);
            if let Some(root) = root {
                hit.path = format!("{root}/{}", hit.path);
            }
            if group == Group::Part {
                left = left.saturating_sub(tokens(hit.part.as_deref().unwrap_or_default()) + 1);
            }
            left = left.saturating_sub(tokens(&hit.heading()) + 2);
            hits.push(hit);
        }
        for (at, (out, RootHit { snapshot, hit, .. })) in hits.iter_mut().zip(found_hits).enumerate() {
            let lines = LINES.get(at).copied().unwrap_or(LINES[LINES.len() - 1]);
            if left == 0 {
                break;
            }
            let shown = snapshot.hit_text(hit, &found.analysis, lines)?;
            let source: Vec<SourceLines> = shown.snippets.into_iter().map(SourceLines::from).collect();
            let cost: usize =
                source.iter().map(|lines| tokens(&lines.text) + 2 * lines.text.lines().count()).sum();
            if cost <= left {
                left -= cost;
                out.source = source;
            }
            for (place, text) in hit.also.iter().zip(shown.also.into_iter().chain(std::iter::repeat(None))) {
                let place = OtherChunk::new(place, text);
                let cost = tokens(&place.brief()) + 3;
                if cost <= left {
                    left -= cost;
                    out.also.push(place);
                }
            }
        }
        let replaced = found
            .replaced
            .iter()
            .map(|(word, names)| SpellingCorrection { word: word.clone(), names: names.clone() });
        Ok(Self {
            query: query.to_owned(),
            confident: found.confident,
            single: None,
            hits,
            replaced: replaced.collect(),
            layout: Layout { group },
        })
    }

    /// The answer that is one symbol.
    pub(crate) fn single(query: &str, symbol: NamedSymbol) -> Self {
        Self {
            query: query.to_owned(),
            confident: true,
            single: Some(symbol),
            hits: Vec::new(),
            replaced: Vec::new(),
            layout: Layout::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hits.is_empty() && self.single.is_none()
    }

    pub(crate) fn shown(&self) -> usize {
        self.hits.len()
    }

    /// Number of hits without source, because the budget is used up.
    pub(crate) fn left_out(&self) -> usize {
        self.hits.iter().filter(|hit| hit.source.is_empty()).count()
    }

    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(symbol) = &self.single {
            return symbol.write(writer);
        }
        if self.hits.is_empty() {
            return writer.line(Style::Warn, &format!("nothing matches `{}`", self.query));
        }
        if self.layout.group == Group::None {
            return self.hits.iter().try_for_each(|hit| hit.write(writer));
        }
        let key = |hit: &HitOut| match self.layout.group {
            Group::Directory => hit.path.rsplit_once('/').map_or(".", |(directory, _)| directory).to_owned(),
            Group::Part => match hit.part.as_deref() {
                None | Some("") => ".".to_owned(),
                Some(part) => part.to_owned(),
            },
            _ => hit.path.clone(),
        };
        let mut groups: Vec<(String, Vec<&HitOut>)> = Vec::new();
        for hit in &self.hits {
            let key = key(hit);
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, hits)) => hits.push(hit),
                None => groups.push((key, vec![hit])),
            }
        }
        for (key, hits) in groups {
            if hits.len() > 1 || matches!(self.layout.group, Group::Directory | Group::Part) {
                writer.line(Style::Head, &key)?;
            }
            hits.iter().try_for_each(|hit| hit.write(writer))?;
        }
        Ok(())
    }
}

impl HitOut {
    fn new(hit: &SearchHit, roles: Vec<String>, explain: bool) -> Self {
        let part = |part: &orient_engine::ScorePart| RuleScore {
            rule: part.rule.as_str(),
            added: (!part.factor).then_some(part.value),
            times: part.factor.then_some(part.value),
        };
        let feature = |(feature, value)| EvidenceOut { feature, value };
        Self {
            path: hit.path.display().into_owned(),
            start_line: hit.first_line,
            end_line: hit.last_line,
            symbol: (!hit.name.is_empty()).then(|| Handle::join(hit.name.iter().map(String::as_str))),
            kind: hit.symbol_kind.map_or(hit.kind.as_str(), orient_model::SymbolKind::as_str).to_owned(),
            score: hit.score,
            likelihood: (hit.evidence.likelihood() * 1000.0).round() / 1000.0,
            exact: hit.exact,
            language: hit.language.clone(),
            role: hit.role.as_str(),
            roles,
            source: Vec::new(),
            also: Vec::new(),
            part: hit.part.clone(),
            explanation: if explain { hit.parts.iter().map(part).collect() } else { Vec::new() },
            evidence: if explain { hit.evidence.features().map(feature).collect() } else { Vec::new() },
        }
    }

    fn heading(&self) -> String {
        let symbol = self.symbol.as_deref().unwrap_or_default();
        let roles = bracketed(&self.roles, &self.kind);
        format!("{}:{}-{}  {} {symbol}{roles}", self.path, self.start_line, self.end_line, self.kind)
    }

    fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Path, &format!("{}:{}-{}", self.path, self.start_line, self.end_line))?;
        if let Some(symbol) = &self.symbol {
            writer.plain("  ")?;
            writer.put(Style::Kind, &self.kind)?;
            writer.plain(" ")?;
            writer.put(Style::Name, symbol)?;
            writer.put(Style::Dim, &bracketed(&self.roles, &self.kind))?;
        }
        writer.end_line()?;
        if !self.explanation.is_empty() {
            let parts = self.explanation.iter().map(|part| match part.times {
                Some(times) => format!("{} ×{times:.2}", part.rule),
                None => format!("{} {:.2}", part.rule, part.added.unwrap_or_default()),
            });
            let parts: Vec<String> = parts.collect();
            writer.line(Style::Dim, &format!("  {:.3} = {}", self.score, parts.join(", ")))?;
            let evidence: Vec<String> =
                self.evidence.iter().map(|one| format!("{} {:.2}", one.feature, one.value)).collect();
            writer.line(
                Style::Dim,
                &format!("  likelihood {:.2} from {}", self.likelihood, evidence.join(", ")),
            )?;
        }
        for (at, lines) in self.source.iter().enumerate() {
            if at > 0 {
                writer.line(Style::Dim, "  …")?;
            }
            let excerpt =
                crate::text::writer::Excerpt { path: &self.path, first_line: lines.line, text: &lines.text };
            if writer.delegate_excerpt(&excerpt)? {
                continue;
            }
            for (number, line) in (lines.line..).zip(lines.text.lines()) {
                writer.put(Style::Number, &format!("{number}"))?;
                writer.plain(" ")?;
                writer.plain(line)?;
                writer.end_line()?;
            }
        }
        if !self.also.is_empty() {
            let also: Vec<String> = self.also.iter().map(OtherChunk::brief).collect();
            writer.line(Style::Dim, &format!("  also {}", also.join(", ")))?;
        }
        Ok(())
    }
}

impl OtherChunk {
    fn new(place: &SameFileHit, text: Option<String>) -> Self {
        Self {
            start_line: place.first_line,
            end_line: place.last_line,
            symbol: (!place.name.is_empty()).then(|| Handle::join(place.name.iter().map(String::as_str))),
            kind: place.symbol_kind.map_or(place.kind.as_str(), orient_model::SymbolKind::as_str).to_owned(),
            text: text.filter(|_| place.name.is_empty()).map(|text| text.chars().take(MAX_TEXT).collect()),
        }
    }

    /// The lines and the name, or the beginning of the text.
    fn brief(&self) -> String {
        let name = self.symbol.as_deref().and_then(|name| Handle::split(name).pop());
        let what = name.or_else(|| self.text.as_ref().map(|text| format!("`{text}`"))).unwrap_or_default();
        format!("{}-{} {what}", self.start_line, self.end_line).trim_end().to_owned()
    }
}
