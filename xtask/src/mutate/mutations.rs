//! The mutations: where they apply, and their expected effect on the graph.

use super::Ways;
use super::sources::{Changed, Given, Line, Sources, Spot};
use orient_model::{EdgeKind, Rule, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a mutation.
pub(super) enum Outcome {
    Right,
    /// The differences from the expected graph.
    Wrong(Vec<String>),
    /// The mutation does not apply here.
    Unfit,
}

/// Where a mutation applies.
pub(super) struct Place {
    /// The function.
    at: Spot,
    name: String,
    /// The callee that is called by its bare name, for shadowing.
    callee: Option<Spot>,
    shown: String,
}

impl Place {
    pub(super) fn describe(&self) -> String {
        format!("{} ({})", self.shown, self.name)
    }
}

type Graph = BTreeMap<String, Given>;

/// Functions and methods with incoming edges and a unique name.
pub(super) fn functions(sources: &Sources, before: &Graph, language: &str) -> Vec<Place> {
    let used: BTreeSet<&Spot> = edges(before).map(|edge| &edge.to).collect();
    let mut places = Vec::new();
    for spot in used {
        let Some(facts) = sources.facts.get(&spot.0).filter(|facts| facts.language == language) else {
            continue;
        };
        let Some(symbol) = spot.1.and_then(|at| facts.outline.symbols.get(at as usize)) else { continue };
        let name = sources.name(spot);
        let is_function = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
        if is_function && is_plain(name) && !sources.reserved.contains(name) {
            let shown = sources.shown(spot);
            places.push(Place { at: spot.clone(), name: name.to_owned(), callee: None, shown });
        }
    }
    places
}

/// Functions that call another by its bare name.
pub(super) fn bare_calls(sources: &Sources, before: &Graph, language: &str, ways: &Ways) -> Vec<Place> {
    let mut places = BTreeMap::new();
    for edge in edges(before).filter(|edge| edge.kind == EdgeKind::Calls) {
        let Some(facts) = sources.facts.get(&edge.from.0).filter(|facts| facts.language == language) else {
            continue;
        };
        let Some(symbol) = edge.from.1.and_then(|at| facts.outline.symbols.get(at as usize)) else {
            continue;
        };
        let name = sources.name(&edge.to);
        let text = &sources.texts[&edge.from.0];
        let called = sources.facts.get(&edge.to.0).is_some_and(|home| {
            let target = edge.to.1.and_then(|at| home.outline.symbols.get(at as usize));
            target.is_some_and(|target| target.kind == SymbolKind::Function)
        });
        let in_block = symbol.body.is_some_and(|body| {
            let begins = text.as_bytes().get(body.start as usize) == Some(&b'{');
            // On the line of the brace, the call may precede it.
            let braced = begins && edge.row > body.first_line;
            if ways.braced { braced } else { body.first_line > symbol.name_span.first_line }
        });
        let bare = text.lines().nth(edge.row as usize - 1).is_some_and(|line| is_called_bare(line, name));
        if called && in_block && bare && is_plain(name) && edge.from != edge.to {
            let shown = format!("{} in {}", sources.shown(&edge.to), sources.shown(&edge.from));
            let callee = Some(edge.to.clone());
            let place = Place { at: edge.from.clone(), name: name.to_owned(), callee, shown };
            places.insert((edge.from.clone(), edge.to.clone()), place);
        }
    }
    places.into_values().collect()
}

/// Renames a symbol at its definition and at every use in the graph: no edge may change.
pub(super) fn rename(sources: &Sources, before: &Graph, place: &Place) -> Outcome {
    let family = family(before, &place.at);
    let bearers = sources.facts.iter().flat_map(|(path, facts)| {
        (0..facts.outline.symbols.len() as u32).map(move |at| (path.clone(), Some(at)))
    });
    let mut lines: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for spot in bearers.filter(|spot| sources.name(spot) == place.name) {
        // Unresolved uses may refer to another symbol of the name.
        let Some(own) = family.get(&spot) else { return Outcome::Unfit };
        let facts = &sources.facts[&own.0];
        let Some(symbol) = own.1.and_then(|at| facts.outline.symbols.get(at as usize)) else { continue };
        lines.entry(&own.0).or_default().insert(symbol.name_span.first_line);
    }
    for (path, given) in before {
        let leading = given.edges.iter().filter(|edge| family.contains(&edge.to));
        lines.entry(path).or_default().extend(leading.map(|edge| edge.row));
    }
    let fresh = format!("{}Zz", place.name);
    let mut changed = Changed::new();
    for (path, lines) in lines.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        // Two uses of the name on one line may mean different symbols.
        let mut touched =
            sources.texts[path].lines().enumerate().filter(|(at, _)| lines.contains(&(*at as u32 + 1)));
        if touched.any(|(_, line)| words(line, &place.name).count() > 1) {
            return Outcome::Unfit;
        }
        let text = sources.texts[path].split_inclusive('\n').enumerate();
        let new = text.map(|(at, line)| {
            if lines.contains(&(at as u32 + 1)) {
                replaced(line, &place.name, &fresh)
            } else {
                line.to_owned()
            }
        });
        changed.insert(path.to_owned(), new.collect());
    }
    let concerned = concerned(before, &changed, &[&place.name, &fresh]);
    let after = sources.graph(Some((&changed, &concerned)));
    compare(sources, before, &after, |_| true, |_| true)
}

/// Adds a function of the same name in a file that nothing imports: no edge may change, and none may lead to it.
pub(super) fn twin(sources: &Sources, before: &Graph, place: &Place, ways: &Ways) -> Outcome {
    let changed = Changed::from([(ways.file.clone(), ways.twin.replace("{name}", &place.name))]);
    let concerned = concerned(before, &changed, &[&place.name]);
    let mut after = sources.graph(Some((&changed, &concerned)));
    after.remove(&ways.file);
    compare(sources, before, &after, |_| true, |_| true)
}

/// Adds a local variable of the same name: if it shadows the callee, exactly those edges disappear.
pub(super) fn hide(sources: &Sources, before: &Graph, place: &Place, ways: &Ways) -> Outcome {
    let facts = &sources.facts[&place.at.0];
    let symbol = place.at.1.and_then(|at| facts.outline.symbols.get(at as usize));
    let (Some(body), Some(callee)) = (symbol.and_then(|symbol| symbol.body), &place.callee) else {
        return Outcome::Unfit;
    };
    let text = &sources.texts[&place.at.0];
    // A function that binds the name itself already calls that binding, or bypasses it.
    let inside = &text[body.start as usize..body.end as usize];
    let blocked = ways.not_before.iter().any(|word| inside.starts_with(word.as_str()));
    if blocked || binds(facts, body.start, body.end, &place.name) {
        return Outcome::Unfit;
    }
    let at = body.start as usize + usize::from(ways.braced);
    let bind = ways.bind.replace("{name}", &place.name);
    let changed = Changed::from([(place.at.0.clone(), format!("{}{bind}{}", &text[..at], &text[at..]))]);
    let first = body.first_line;
    let last = first + inside.matches('\n').count() as u32;
    let after = sources.graph(Some((&changed, &BTreeSet::new())));
    let within = |edge: &Line| edge.from.0 == place.at.0 && (first..=last).contains(&edge.row);
    let meant = |edge: &Line| {
        within(edge) && edge.to == *callee && {
            let line = text.lines().nth(edge.row as usize - 1).unwrap_or_default();
            is_called_bare(line, &place.name)
        }
    };
    if !ways.hides {
        return compare(sources, before, &after, |_| true, |_| true);
    }
    let mut kept: Vec<String> = edges(&after)
        .filter(|edge| edge.kind == EdgeKind::Calls && meant(edge))
        .map(|edge| format!("still there: {}", written(sources, edge)))
        .collect();
    // Edges that follow from the result of the call disappear, too.
    let follows =
        |edge: &Line| within(edge) || matches!(edge.rule, Rule::Inferred | Rule::Value | Rule::Argument);
    match compare(sources, before, &after, |edge| !follows(edge), |edge| !within(edge)) {
        Outcome::Wrong(more) => kept.extend(more),
        Outcome::Right | Outcome::Unfit => {}
    }
    if kept.is_empty() { Outcome::Right } else { Outcome::Wrong(kept) }
}

/// The differences among the edges that must stay and those that must not appear.
fn compare(
    sources: &Sources,
    before: &Graph,
    after: &Graph,
    stays: impl Fn(&Line) -> bool,
    comes: impl Fn(&Line) -> bool,
) -> Outcome {
    let mut differences = Vec::new();
    for (path, new) in after {
        let none = Vec::new();
        let old = before.get(path).map_or(&none, |given| &given.edges);
        let (was, is): (BTreeSet<_>, BTreeSet<_>) =
            (old.iter().map(Line::key).collect(), new.edges.iter().map(Line::key).collect());
        let gone = old.iter().filter(|edge| !is.contains(&edge.key()) && stays(edge));
        differences.extend(gone.map(|edge| format!("gone: {}", written(sources, edge))));
        let more = new.edges.iter().filter(|edge| !was.contains(&edge.key()) && comes(edge));
        differences.extend(more.map(|edge| format!("new: {}", written(sources, edge))));
    }
    if differences.is_empty() { Outcome::Right } else { Outcome::Wrong(differences) }
}

fn written(sources: &Sources, edge: &Line) -> String {
    let (from, to) = (sources.shown(&edge.from), sources.shown(&edge.to));
    format!("{}: {from} {} {to} by {}", edge.row, edge.kind.as_str(), edge.rule.as_str())
}

fn edges(graph: &Graph) -> impl Iterator<Item = &Line> {
    graph.values().flat_map(|given| &given.edges)
}

/// A symbol and everything that must keep its name: what it overrides, what overrides it, its declarations.
fn family(before: &Graph, at: &Spot) -> BTreeSet<Spot> {
    let mut kin: BTreeMap<&Spot, Vec<&Spot>> = BTreeMap::new();
    for edge in edges(before) {
        let bound =
            matches!(edge.kind, EdgeKind::Overrides | EdgeKind::Dispatches) || edge.rule == Rule::Linked;
        if bound {
            kin.entry(&edge.from).or_default().push(&edge.to);
            kin.entry(&edge.to).or_default().push(&edge.from);
        }
    }
    let mut family = BTreeSet::from([at.clone()]);
    let mut waiting = vec![at];
    while let Some(spot) = waiting.pop() {
        for other in kin.get(spot).into_iter().flatten() {
            if family.insert((*other).clone()) {
                waiting.push(other);
            }
        }
    }
    family
}

/// Files whose edges may depend on these names.
fn concerned(before: &Graph, changed: &Changed, names: &[&str]) -> BTreeSet<String> {
    let asks = |given: &Given| names.iter().any(|name| given.names.contains(*name));
    let dependents = before.iter().filter(|(path, given)| changed.contains_key(*path) || asks(given));
    dependents.map(|(path, _)| path.clone()).collect()
}

/// Whether the name is bound between two positions.
fn binds(facts: &orient_resolve::FileFacts, start: u32, end: u32, name: &str) -> bool {
    let flow = &facts.flow;
    let inside = |scope: u32| {
        flow.scopes
            .get(scope as usize)
            .is_some_and(|scope| start <= scope.end && scope.start < end && scope.start > 0)
    };
    flow.bindings.iter().any(|binding| inside(binding.scope) && flow.strings.get(binding.name) == name)
}

/// A name that is no keyword of a language.
fn is_plain(name: &str) -> bool {
    name.len() > 3
        && !name.starts_with("__")
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The occurrences of a whole word in a line.
fn words<'l>(line: &'l str, name: &'l str) -> impl Iterator<Item = usize> + 'l {
    let bytes = line.as_bytes();
    line.match_indices(name).map(|(at, _)| at).filter(move |&at| {
        let end = at + name.len();
        (at == 0 || !is_part(bytes[at - 1])) && bytes.get(end).is_none_or(|&byte| !is_part(byte))
    })
}

/// Whether a name is called without a qualifier and occurs only once on the line.
fn is_called_bare(line: &str, name: &str) -> bool {
    let all: Vec<usize> = words(line, name).collect();
    let bare = |at: usize| {
        let (front, behind) = (line[..at].trim_end(), line[at + name.len()..].trim_start());
        behind.starts_with('(') && !front.ends_with(['.', ':', '>', '&', '@', '!', '?'])
    };
    all.len() == 1 && all.iter().all(|&at| bare(at))
}

fn replaced(line: &str, name: &str, fresh: &str) -> String {
    let (mut out, mut done) = (String::new(), 0);
    for at in words(line, name) {
        out.push_str(&line[done..at]);
        out.push_str(fresh);
        done = at + name.len();
    }
    out + &line[done..]
}
