//! Names as people and other tools write them, read as the name of a symbol here.
//!
//! A name that is found as typed is never read otherwise. If it is not found, these readings are tried in this order, and only one
//! that is proven counts:
//!
//! | typed | read as | proof |
//! |---|---|---|
//! | `app.py:640:5`, `app.py#L640` | the innermost symbol around the line | the file is indexed |
//! | `Str->slug`, `\A\B\Str`, `(*Server).Run`, `List<T>.add` | `Str.slug`, `A.B.Str`, `Server.Run`, `List.add` | the symbol exists |
//! | `Owner#getPet(String)`, `run()` | the overload with these parameter types | the types agree |
//! | `gin.Context.ClientIP`, `org.x.Owner` | `Context.ClientIP`, `Owner` | the rest names its directory, file or the tree |
//! | `Flask.route` | the member of a base type | the inheritance edges |

use super::location::parse_location;
use crate::error::ToolError;
use orient_engine::{Definition, Edges, FileQuery, FileRow, Lookup, NodeId, Parameter, Snapshot};
use orient_model::{Confidence, EdgeKind, Handle, RepoPath};
use std::collections::BTreeSet;

/// What a name was read as.
pub(crate) struct Reading {
    pub(crate) lookup: Lookup,
    /// The remark about the reading.
    pub(crate) note: String,
}

/// Maximum number of supertypes searched for an inherited member.
const MAX_SUPERTYPES: usize = 200;

/// Reads a name that no symbol has as typed.
pub(crate) fn read_name(snapshot: &Snapshot, typed: &str) -> Result<Option<Reading>, ToolError> {
    if let Some(found) = at_location(snapshot, typed)? {
        return Ok(Some(found));
    }
    let (name, parameters) = plain_name(typed);
    let names = Handle::split(&name);
    if names.is_empty() {
        return Ok(None);
    }
    if name != typed {
        let lookup = snapshot.symbol(&name)?;
        if let Some(lookup) = with_parameters(lookup, parameters.as_deref()) {
            return Ok(Some(Reading { lookup, note: format!("`{typed}` was read as `{name}`") }));
        }
    }
    // A file often has the name of its type, so that `Cart.total` could be `total` of `cart.py` too.
    if let Some(found) = inherited(snapshot, typed, &names)? {
        return Ok(Some(found));
    }
    without_package(snapshot, typed, &names, parameters.as_deref())
}

/// The only indexed file of this path, or whose path ends with it.
pub(crate) fn file_by_end(snapshot: &Snapshot, typed: &str) -> Result<Option<FileRow>, ToolError> {
    let typed = typed.trim_start_matches("./");
    if let Some(file) = snapshot.file(&RepoPath::from(typed))? {
        return Ok(Some(file));
    }
    if typed.is_empty() || typed.contains(['*', '?', '#', ' ']) || !typed.contains('.') {
        return Ok(None);
    }
    let end = format!("/{typed}");
    let query = FileQuery { indexed: Some(true), ..FileQuery::default() };
    let mut rows = snapshot.files(&query, 0, usize::MAX)?.rows;
    rows.retain(|row| row.path.display().ends_with(&end));
    Ok(if rows.len() == 1 { rows.pop() } else { None })
}

/// The innermost symbol around a line, if it has more than one line.
pub(crate) fn innermost(
    snapshot: &Snapshot,
    file: &FileRow,
    line: u32,
) -> Result<Option<Definition>, ToolError> {
    let holds = |one: &Definition| one.span.first_line <= line && line <= one.span.last_line;
    let inner =
        snapshot.outline(file.clone())?.definitions().filter(holds).min_by_key(|one| {
            (one.span.last_line - one.span.first_line, std::cmp::Reverse(one.span.first_line))
        });
    Ok(inner)
}

fn at_location(snapshot: &Snapshot, typed: &str) -> Result<Option<Reading>, ToolError> {
    let Some((path, lines)) = parse_location(typed) else { return Ok(None) };
    let Some(file) = file_by_end(snapshot, path)? else { return Ok(None) };
    let Some(definition) = innermost(snapshot, &file, lines.first)? else { return Ok(None) };
    let note = format!("`{typed}` is in {}", definition.handle);
    Ok(Some(Reading { lookup: Lookup::One(Box::new(definition)), note }))
}

/// A name with dots between its parts, without type arguments, pointers and call parentheses; and the parameter types.
fn plain_name(typed: &str) -> (String, Option<Vec<String>>) {
    let mut text = typed.trim().trim_matches('`').to_owned();
    // A method of a pointer: `(*Server).Run`.
    if let Some((receiver, rest)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        text = format!("{}{rest}", receiver.trim_start_matches('*').trim());
    }
    let mut parameters = None;
    if let Some(open) = text.find('(')
        && text.ends_with(')')
    {
        let inside = &text[open + 1..text.len() - 1];
        parameters = Some(split_types(inside));
        text.truncate(open);
    }
    let text = without_brackets(&text).replace("->", ".").replace("::", ".").replace(['\\', '#'], ".");
    (text.trim_start_matches(['.', '&', '*', '@']).to_owned(), parameters)
}

/// The text outside of `<…>`.
fn without_brackets(text: &str) -> String {
    let (mut depth, mut before) = (0_usize, ' ');
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' if before == '-' && depth == 0 => plain.push(c),
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
        before = c;
    }
    plain
}

/// The types of a parameter list, separated by commas outside of brackets.
fn split_types(inside: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = inside.split(|c: char| {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The candidates whose parameters have these types; `None` if nothing is left.
fn with_parameters(lookup: Lookup, types: Option<&[String]>) -> Option<Lookup> {
    let (candidates, total) = match lookup {
        Lookup::Nothing { .. } => return None,
        Lookup::One(one) => return Some(Lookup::One(one)),
        Lookup::Many { candidates, total } => (candidates, total),
    };
    let Some(types) = types else { return Some(Lookup::Many { candidates, total }) };
    let mut fitting: Vec<Definition> =
        candidates.iter().filter(|one| takes(&one.params, types)).cloned().collect();
    Some(match fitting.len() {
        1 => Lookup::One(Box::new(fitting.remove(0))),
        0 => Lookup::Many { candidates, total },
        several => Lookup::Many { candidates: fitting, total: several },
    })
}

/// Whether parameters have these types: the words of a type occur in the type as written, or are the name.
fn takes(params: &[Parameter], types: &[String]) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    params.len() == types.len()
        && params.iter().zip(types).all(|(param, wanted)| {
            let written = words(&format!("{} {}", param.ty.as_deref().unwrap_or_default(), param.name));
            words(wanted).last().is_some_and(|wanted| written.contains(wanted))
        })
}

/// Reads leading names as a package: they must name the directory or file of the symbol, or the tree.
fn without_package(
    snapshot: &Snapshot,
    typed: &str,
    names: &[String],
    parameters: Option<&[String]>,
) -> Result<Option<Reading>, ToolError> {
    for first in 1..names.len() {
        let rest = Handle::join(names[first..].iter().map(String::as_str));
        let found = match with_parameters(snapshot.symbol(&rest)?, parameters) {
            Some(Lookup::One(one)) => vec![*one],
            Some(Lookup::Many { candidates, .. }) => candidates,
            None | Some(Lookup::Nothing { .. }) => continue,
        };
        let package = &names[..first];
        let mut found: Vec<Definition> =
            found.into_iter().filter(|one| is_in_package(snapshot, one, package)).collect();
        let total = found.len();
        let lookup = match total {
            0 => continue,
            1 => Lookup::One(Box::new(found.remove(0))),
            _ => Lookup::Many { candidates: found, total },
        };
        return Ok(Some(Reading { lookup, note: format!("`{typed}` was read as `{rest}`") }));
    }
    Ok(None)
}

/// Whether the innermost name of a package is a directory or file that the symbol is in, or the directory of the tree.
fn is_in_package(snapshot: &Snapshot, definition: &Definition, package: &[String]) -> bool {
    let Some(own) = package.last() else { return false };
    let plain = |text: &str| text.to_lowercase().replace(['-', '_'], "");
    let own = plain(own);
    let path = definition.path.display();
    let mut parts = path.split('/').map(|part| plain(part.split('.').next().unwrap_or(part)));
    let root = snapshot.root().file_name().and_then(|name| name.to_str());
    parts.any(|part| part == own) || root.is_some_and(|root| plain(root) == own)
}

/// The member that a type inherits: the nearest with a body, else the nearest declaration.
fn inherited(snapshot: &Snapshot, typed: &str, names: &[String]) -> Result<Option<Reading>, ToolError> {
    let [around @ .., member] = names else { return Ok(None) };
    let container = Handle::join(around.iter().map(String::as_str));
    if around.is_empty() {
        return Ok(None);
    }
    let Lookup::One(container) = snapshot.symbol(&container)? else { return Ok(None) };
    let view = snapshot.graph();
    let mut queue = std::collections::VecDeque::from([NodeId::from(container.id)]);
    let mut seen: BTreeSet<NodeId> = queue.iter().copied().collect();
    let mut declared = None;
    while let Some(node) = queue.pop_front() {
        for edge in view.outgoing(node)? {
            let is_base = matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements);
            if !is_base || edge.confidence == Confidence::Approximate || seen.len() >= MAX_SUPERTYPES {
                continue;
            }
            if seen.insert(edge.target) {
                queue.push_back(edge.target);
            }
        }
        let Some(depth) = view.describe(node)?.definition.map(|one| one.depth) else { continue };
        let mut found = Vec::new();
        for inner in view.members(node)?.into_iter().skip(1) {
            found.extend(
                view.describe(inner)?.definition.filter(|one| one.name == *member && one.depth == depth + 1),
            );
        }
        let total = found.len();
        let Some(first) = found.first() else { continue };
        let note = format!("`{typed}` is inherited: {}", first.handle);
        let is_declaration = found.iter().all(|one| one.kind.is_callable() && one.body.is_none());
        let lookup = if total == 1 {
            Lookup::One(Box::new(found.remove(0)))
        } else {
            Lookup::Many { candidates: found, total }
        };
        let reading = Reading { lookup, note };
        if !is_declaration {
            return Ok(Some(reading));
        }
        declared = declared.or(Some(reading));
    }
    Ok(declared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_type_arguments_and_parentheses_are_dropped() {
        let name = |typed| plain_name(typed).0;
        assert_eq!(name("Str->slug"), "Str.slug");
        assert_eq!(name("\\Illuminate\\Support\\Str"), "Illuminate.Support.Str");
        assert_eq!(name("(*Server).Run"), "Server.Run");
        assert_eq!(name("List<Map<K, V>>.add"), "List.add");
        assert_eq!(name("`Owner#getPet(String)`"), "Owner.getPet");
        assert_eq!(name("run()"), "run");
    }

    #[test]
    fn parameter_types_are_separated_outside_of_brackets() {
        assert_eq!(plain_name("put(Map<K, V>, int)").1, Some(vec!["Map<K, V>".to_owned(), "int".to_owned()]));
        assert_eq!(plain_name("run()").1, Some(Vec::new()));
        assert_eq!(plain_name("run").1, None);
    }
}
