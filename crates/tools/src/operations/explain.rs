//! `explain`: how a repository, a directory, or what answers a question is built, with a location for every statement; in words, if the
//! user has a model that may be asked.

use crate::answer::Answer;
use crate::arguments::program_arguments::Word;
use crate::error::{Code, Exit, ToolError};
use crate::graph::architecture::{Architecture, Scope};
use crate::graph::node_line::NodeLine;
use crate::narrative::Narrative;
use crate::narrative::evidence::Evidence;
use crate::operation::{Example, TypedOperation};
use crate::session::Session;
use crate::session::query_embedding::QueryEmbedding;
use crate::text::diagram::{Diagram, DiagramFormat, DiagramNode, EdgeLine};
use crate::text::number_format::{count, count_of, plural};
use crate::text::writer::{Style, TextWriter};
use clap::Args;
use orient_engine::{EngineError, FullGraph, GraphView, NodeId, SearchQuery, Snapshot};
use orient_providers::{ChatPlan, Purpose, allow, forget};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

pub(crate) struct Explain;

/// Number of search hits that a question is explained by.
const HITS: usize = 24;
/// Maximum number of other components that a component is shown to use.
const MAX_USES: usize = 4;

/// Arguments of `explain`.
#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// A directory, or a question in words; default: the whole repository
    #[arg(value_name = "DIRECTORY|QUESTION")]
    about: Vec<Word>,
    /// Maximum number of tokens
    #[arg(long, value_name = "N", default_value_t = 2000)]
    tokens: usize,
    /// Print a diagram of the components instead: mermaid or dot
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Ask no model
    #[arg(long)]
    no_model: bool,
    /// Allow sending what it finds in this project to the model of the settings
    #[arg(long, conflicts_with = "forget")]
    allow: bool,
    /// Revoke that consent
    #[arg(long)]
    forget: bool,
}

/// The explanation. Every list has the most important first.
#[derive(Serialize)]
pub(crate) struct ExplainOut {
    /// What it is about.
    about: String,
    /// Number of source files.
    files: u64,
    /// Their lines.
    lines: u64,
    /// What the program exposes here, by kind.
    exposes: BTreeMap<&'static str, u64>,
    /// Components, those of the highest layer first.
    layers: Vec<ComponentLine>,
    /// Entry points.
    entries: Vec<NodeLine>,
    /// Central types and functions.
    abstractions: Vec<AbstractionLine>,
    /// Calls from an entry point to a central symbol.
    flows: Vec<Vec<NodeLine>>,
    /// The same in words, if a model was asked; every claim cites the places that prove it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    narrative: Vec<String>,
    /// A diagram of the components, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagram: Option<String>,
    /// What `--allow` or `--forget` did.
    #[serde(skip_serializing_if = "Option::is_none")]
    consent: Option<String>,
}

/// A component.
#[derive(Serialize)]
struct ComponentLine {
    /// Its directory.
    path: String,
    /// Its layer; what is in layer 0 uses no other component.
    layer: u32,
    /// Number of files.
    files: u64,
    /// The components that it uses, with an example: `store (12, Server.run src/server.rs:3 -> Store.get)`.
    uses: Vec<String>,
}

/// A central type or function.
#[derive(Serialize)]
struct AbstractionLine {
    /// The symbol.
    #[serde(flatten)]
    node: NodeLine,
    /// Number of symbols that use it.
    used_by: u32,
    /// Other central symbols that it uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uses: Vec<String>,
}

impl ComponentLine {
    fn text(&self) -> String {
        let uses =
            if self.uses.is_empty() { String::new() } else { format!(" uses {}", self.uses.join("; ")) };
        format!("  {} {} ({}){uses}", self.layer, self.path, plural(self.files, "file", "files"))
    }
}

impl AbstractionLine {
    fn text(&self) -> String {
        let uses =
            if self.uses.is_empty() { String::new() } else { format!("; uses {}", self.uses.join(", ")) };
        let used = count(u64::from(self.used_by));
        format!("  {}  {} {}  used by {used}{uses}", self.node.anchor(), self.node.kind, self.node.name)
    }
}

fn entry_text(node: &NodeLine) -> String {
    format!("  {}  {}", node.anchor(), node.called())
}

fn flow_text(flow: &[NodeLine]) -> String {
    let steps: Vec<String> = flow.iter().map(|node| format!("{} {}", node.called(), node.anchor())).collect();
    format!("  {}", steps.join(" -> "))
}

/// Describes the nodes of the full graph.
struct Describer<'d> {
    view: GraphView<'d>,
    whole: &'d FullGraph,
    /// What it has described.
    evidence: RefCell<Evidence>,
}

impl Describer<'_> {
    fn line(&self, node: u32) -> Result<NodeLine, EngineError> {
        let node = self.view.describe(self.whole.nodes[node as usize].id)?;
        self.evidence.borrow_mut().add(&node);
        Ok(NodeLine::of(&node))
    }
}

impl ExplainOut {
    fn new(
        snapshot: &Snapshot,
        whole: &FullGraph,
        about: String,
        found: &Architecture,
        scope: &Scope<'_>,
    ) -> Result<(Self, Evidence), EngineError> {
        let describer = Describer { view: snapshot.graph(), whole, evidence: RefCell::default() };
        let mut layers: Vec<ComponentLine> = Vec::new();
        for (at, component) in found.components.iter().enumerate() {
            let mut uses = Vec::new();
            for link in found.links.iter().filter(|link| link.from == at).take(MAX_USES) {
                let (source, target) = (describer.line(link.example.0)?, describer.line(link.example.1)?);
                let example = format!("{} {} -> {}", source.called(), source.anchor(), target.called());
                uses.push(format!("{} ({}, {example})", found.components[link.to].path, link.count));
            }
            let (path, layer, files) = (component.path.clone(), component.layer, component.files);
            layers.push(ComponentLine { path, layer, files, uses });
        }
        layers.sort_by(|a, b| b.layer.cmp(&a.layer).then_with(|| a.path.cmp(&b.path)));
        let mut abstractions = Vec::new();
        for &(node, used_by) in found.central.iter().take(20) {
            let partners = found.partners(whole, node);
            let uses = partners.iter().map(|&other| whole.name(other).to_owned()).collect();
            abstractions.push(AbstractionLine { node: describer.line(node)?, used_by, uses });
        }
        let lines =
            |nodes: &[u32]| nodes.iter().map(|&node| describer.line(node)).collect::<Result<Vec<_>, _>>();
        let out = Self {
            exposes: exposes(snapshot, whole, scope)?,
            about,
            files: found.files,
            lines: found.lines,
            layers,
            entries: lines(&found.entries)?,
            abstractions,
            flows: found.flows.iter().take(8).map(|flow| lines(flow)).collect::<Result<_, _>>()?,
            narrative: Vec::new(),
            diagram: None,
            consent: None,
        };
        Ok((out, describer.evidence.into_inner()))
    }

    /// The answer of `--allow` and `--forget`.
    fn of_consent(consent: String) -> Self {
        Self {
            about: String::new(),
            files: 0,
            lines: 0,
            exposes: BTreeMap::new(),
            layers: Vec::new(),
            entries: Vec::new(),
            abstractions: Vec::new(),
            flows: Vec::new(),
            narrative: Vec::new(),
            diagram: None,
            consent: Some(consent),
        }
    }

    /// How the parts are connected, as lines.
    fn connections(&self) -> Vec<String> {
        let layers = self.layers.iter().map(ComponentLine::text);
        layers.chain(self.flows.iter().map(|flow| flow_text(flow))).collect()
    }

    /// Shortens the lists so that the text has at most this many bytes. Layers and flows are what no other answer has, so
    /// they get the larger parts.
    fn fit(&mut self, bytes: usize) {
        let mut left = bytes.saturating_sub(self.head().len() + 160);
        let mut part = |share: usize, of: usize, sizes: Vec<usize>| {
            let room = left * share / of;
            let mut used = 0;
            let fits = sizes.iter().take_while(|&&size| {
                used += size + 1;
                used <= room
            });
            let kept = fits.count();
            left -= sizes.iter().take(kept).map(|size| size + 1).sum::<usize>();
            kept
        };
        let sizes = |lines: &[String]| lines.iter().map(String::len).collect::<Vec<usize>>();
        let texts: Vec<String> = self.layers.iter().map(ComponentLine::text).collect();
        let kept = part(2, 5, sizes(&texts));
        self.layers.truncate(kept);
        let texts: Vec<String> = self.flows.iter().map(|flow| flow_text(flow)).collect();
        let kept = part(1, 3, sizes(&texts));
        self.flows.truncate(kept);
        let texts: Vec<String> = self.entries.iter().map(entry_text).collect();
        let kept = part(1, 3, sizes(&texts));
        self.entries.truncate(kept);
        let texts: Vec<String> = self.abstractions.iter().map(AbstractionLine::text).collect();
        let kept = part(1, 1, sizes(&texts));
        self.abstractions.truncate(kept);
    }

    fn head(&self) -> String {
        let (files, lines) =
            (plural(self.files, "source file", "source files"), plural(self.lines, "line", "lines"));
        let counts: Vec<String> = self.exposes.iter().map(|(kind, count)| count_of(*count, kind)).collect();
        let exposes =
            if counts.is_empty() { String::new() } else { format!("; exposes {}", counts.join(", ")) };
        format!("{}: {files}, {lines}{exposes}", self.about)
    }
}

/// Gives or revokes the consent to ask the model of the settings; says what was done.
fn change_consent(session: &Session<'_>, is_given: bool) -> Result<String, ToolError> {
    let directory = session.private_directory(is_given)?;
    if !is_given {
        let had_consent = forget(&directory, Purpose::Narrative)?;
        let done = if had_consent {
            "consent revoked: nothing will be sent"
        } else {
            "there was no consent to revoke"
        };
        return Ok(done.to_owned());
    }
    let Some(plan) = ChatPlan::from_settings(&session.loaded().settings.explain)? else {
        let error =
            ToolError::new(Code::BadArgument, "nothing to allow: the settings name no model for `explain`");
        return Err(error.hint("choose one first: `provider` and `model` under [explain] in the settings"));
    };
    allow(&directory, Purpose::Narrative, &plan.terms())?;
    Ok(format!(
        "allowed for this project: what `explain` finds (paths, names, signatures, first lines of documentation) may be sent to {}",
        plan.terms()
    ))
}

/// The number of surface entries of each kind in a scope.
fn exposes(
    snapshot: &Snapshot,
    whole: &FullGraph,
    scope: &Scope<'_>,
) -> Result<BTreeMap<&'static str, u64>, EngineError> {
    let inside = |node: NodeId| {
        let Some(node) = whole.number(node).filter(|&node| !whole.is_test(node)) else { return false };
        let path = whole.file(node).path.display();
        match scope {
            Scope::Directory("") => true,
            Scope::Directory(root) => path.strip_prefix(*root).is_some_and(|rest| rest.starts_with('/')),
            Scope::Symbols(nodes) => nodes.contains(&node),
        }
    };
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for entry in snapshot.surface()? {
        if inside(entry.symbol.unwrap_or(entry.from)) {
            *counts.entry(entry.kind.as_str()).or_default() += 1;
        }
    }
    Ok(counts)
}

/// The symbols that answer a question, best first.
fn matching(
    session: &Session<'_>,
    snapshot: &Snapshot,
    whole: &FullGraph,
    text: &str,
) -> Result<Vec<u32>, ToolError> {
    let embedding = QueryEmbedding::of(session, snapshot, text)?;
    let query = SearchQuery {
        text: text.to_owned(),
        limit: HITS,
        remote: embedding.question.clone(),
        ..SearchQuery::default()
    };
    let mut nodes = Vec::new();
    for hit in snapshot.search(&query)?.hits {
        let node = hit.symbol.and_then(|symbol| whole.number(symbol.into()));
        if let Some(node) = node.filter(|node| !nodes.contains(node)) {
            nodes.push(node);
        }
    }
    Ok(nodes)
}

impl TypedOperation for Explain {
    const NAME: &'static str = "explain";
    const ABOUT: &'static str = "Explain how a repository, a directory or the answer to a question is built";
    const DETAILS: &'static str = "\
Components in layers and what they use of each other, entry points, central types and functions, and the calls that lead from \
entry points to them, each with its location. Computed from the graph, without a model. A component is above those that it uses \
more than they use it. For a question, the symbols that answer it best take the place of the directory. If the settings name a model \
(explain.provider, explain.model), it puts the answer into words, at most 2,000 tokens: it is sent the answer with the signatures of \
the symbols and the first lines of their documentation, and claims that cite none of these places are dropped. Nothing is sent before \
`orient explain --allow`, which is valid for exactly this provider, URL and model; a provider on this machine needs no consent. The model of \
an MCP client that offers one is asked in the same way.";
    const EXAMPLES: &'static [Example] = &[
        Example { command: "explain", about: "the whole repository" },
        Example { command: "explain src/server", about: "one directory" },
        Example { command: "explain \"how are requests authenticated\"", about: "what answers a question" },
        Example { command: "explain --format mermaid", about: "a diagram of the components" },
        Example { command: "explain --allow", about: "let the model of the settings put it into words" },
    ];
    const HEAVY: bool = true;
    const GROUPED_ONLY: bool = true;
    const OWN_ENVIRONMENT: bool = true;
    // Only a person gives or revokes a consent.
    const TERMINAL_ONLY: &'static [&'static str] = &["no_model", "allow", "forget"];
    type Args = ExplainArgs;
    type Out = ExplainOut;

    fn run(session: &Session<'_>, args: ExplainArgs) -> Result<Answer<ExplainOut>, ToolError> {
        if args.allow || args.forget {
            return Ok(Answer::new(ExplainOut::of_consent(change_consent(session, args.allow)?)));
        }
        let format = args.format.as_deref().map(DiagramFormat::parse).transpose()?;
        let text = args.about.join(" ").trim().to_owned();
        let snapshot = session.snapshot()?;
        let whole = FullGraph::read(&snapshot)?;
        let directory = text.trim_start_matches("./").trim_end_matches('/');
        let directory = if directory == "." { "" } else { directory };
        let is_directory = directory.is_empty()
            || whole.files.iter().any(|file| {
                let path = file.path.display();
                path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
            });
        let (scope, about) = if is_directory {
            let about = if directory.is_empty() { "repository" } else { directory };
            (Scope::Directory(directory), about.to_owned())
        } else {
            let nodes = matching(session, &snapshot, &whole, &text)?;
            if nodes.is_empty() {
                return Err(ToolError::new(Code::NotFound, "no code answers this question")
                    .hint("name a directory, or ask in other words"));
            }
            (Scope::Symbols(nodes), text.clone())
        };
        let found = Architecture::of(&snapshot, &whole, &scope)?;
        let (mut out, evidence) = ExplainOut::new(&snapshot, &whole, about, &found, &scope)?;
        out.fit(args.tokens.saturating_mul(3));
        if let Some(format) = format {
            let mut diagram = Diagram::layered();
            for component in &found.components {
                let label = format!("{} ({})", component.path, component.files);
                diagram.node(&component.path, DiagramNode { label, ..DiagramNode::default() });
            }
            for link in &found.links {
                let (from, to) = (&found.components[link.from].path, &found.components[link.to].path);
                diagram.edge(from, to, &link.count.to_string(), EdgeLine::Solid);
            }
            out.diagram = Some(diagram.render(format));
            return Ok(session.answer(&snapshot, out));
        }
        let mut note = None;
        if !args.no_model {
            let written = Narrative::of(session, &evidence, &out.about, &out.connections());
            (out.narrative, note) = (written.claims, written.note);
        }
        let mut answer = session.answer(&snapshot, out);
        answer.add_notes(note);
        Ok(answer)
    }

    fn text(out: &ExplainOut, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(diagram) = &out.diagram {
            return diagram.lines().try_for_each(|line| writer.line(Style::Plain, line));
        }
        if let Some(consent) = &out.consent {
            return writer.line(Style::Head, consent);
        }
        writer.line(Style::Head, &out.head())?;
        out.narrative.iter().try_for_each(|claim| writer.line(Style::Plain, claim))?;
        let mut section = |title: &str, lines: Vec<String>| {
            if lines.is_empty() {
                return Ok(());
            }
            writer.line(Style::Head, title)?;
            lines.iter().try_for_each(|line| writer.line(Style::Plain, line))
        };
        section("layers, the highest first", out.layers.iter().map(ComponentLine::text).collect())?;
        section("entry points", out.entries.iter().map(entry_text).collect())?;
        section("calls from entry points", out.flows.iter().map(|flow| flow_text(flow)).collect())?;
        section("central", out.abstractions.iter().map(AbstractionLine::text).collect())
    }

    fn exit(out: &ExplainOut) -> Exit {
        if out.files == 0 && out.consent.is_none() { Exit::Nothing } else { Exit::Ok }
    }
}
