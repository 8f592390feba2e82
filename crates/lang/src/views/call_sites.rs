//! Call sites as the grammar shows them, independent of the node table: what a call graph must account for.
//!
//! A site is a node whose kind is named after a call (`call_expression`, `method_invocation`, `new_expression`), or a name before
//! parentheses among tokens that the grammar did not parse. Its callee is the text before its arguments, without the calls
//! inside it: in `a.b(x).c(y)` the sites are `a.b` and `.c`.

use crate::extract;
use crate::pack::{Extractor, Pack};
use orient_grammars::{Node, Tree, TreeCursor};

/// Maximum number of characters of a callee that are shown.
const SHOWN: usize = 60;

/// A call site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The first byte of its callee, after any call inside it.
    pub start: u32,
    /// One past the last byte of its callee.
    pub end: u32,
    /// Its line, counted from 1.
    pub line: u32,
    /// The callee as written.
    pub callee: String,
    /// Whether the callee ends with a name. `f()()`, `(a || b)()` and `table[key]()` call a value that has none.
    pub is_named: bool,
}

/// A node that looks like a call.
struct CallNode {
    start: usize,
    end: usize,
    /// Where its arguments begin.
    arguments: usize,
}

/// The call sites of a file in the order of the source; `None` if its language has no node table.
pub fn call_sites(pack: &Pack, bytes: &[u8]) -> Option<Vec<CallSite>> {
    let Extractor::Deep(table) = pack.extractor() else { return None };
    let tree = extract::tree(pack, bytes)?;
    let nodes = call_nodes(&tree, bytes);
    let breaks: Vec<usize> = memchr::memchr_iter(b'\n', bytes).collect();
    let is_keyword = |name: &str| table.calls.get(name).is_some_and(|call| call.keyword);
    let mut sites = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        let mut start = node.start;
        // The calls inside the callee: outermost first, each followed by those inside it.
        for inner in nodes[at + 1..].iter().take_while(|inner| inner.start < node.arguments) {
            if inner.end <= node.arguments {
                start = start.max(inner.end);
            }
        }
        let text = String::from_utf8_lossy(bytes.get(start..node.arguments).unwrap_or_default()).into_owned();
        let callee = text.trim().trim_end_matches(['?', '!', '.', ':']).trim();
        let is_same_call = callee.is_empty() && bytes.get(node.arguments).is_some_and(|byte| *byte == b'{');
        if is_same_call || is_keyword(name_before_types(callee)) {
            continue;
        }
        let is_named =
            callee.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '`' | '>' | '!' | '?'));
        let whole = String::from_utf8_lossy(bytes.get(node.start..node.end).unwrap_or_default());
        let shown = if is_named { callee } else { whole.as_ref() };
        let written = start + (text.len() - text.trim_start().len());
        let line = breaks.partition_point(|&at| at < written);
        sites.push(CallSite {
            start: start as u32,
            end: node.arguments as u32,
            line: line as u32 + 1,
            callee: shown.lines().next().unwrap_or_default().chars().take(SHOWN).collect(),
            is_named,
        });
    }
    Some(sites)
}

/// The name of a callee without type arguments: `static_cast` in `static_cast<int>`.
fn name_before_types(callee: &str) -> &str {
    callee.split('<').next().unwrap_or(callee).trim()
}

fn call_nodes(tree: &Tree, bytes: &[u8]) -> Vec<CallNode> {
    let mut nodes = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_site = node.is_named() && (is_call(node.kind()) || is_call_in_tokens(node, bytes));
        if is_site && !is_assigned(&cursor) {
            let arguments = arguments_start(node);
            nodes.push(CallNode { start: node.start_byte(), end: node.end_byte().max(arguments), arguments });
        }
        // What is in the brackets of an attribute is data: `#![cfg(all(unix))]`, `__attribute__((aligned(8)))`.
        let is_data = node.kind() == "attribute_specifier"
            || node.kind().contains("attribute")
                && node.named_child_count() > 0
                && bytes.get(node.start_byte()) == Some(&b'#');
        if !is_data && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return nodes;
            }
        }
    }
}

/// Whether a node kind is named after a call or a construction.
fn is_call(kind: &str) -> bool {
    let calls = ["call", "invocation", "object_creation", "new_expression"];
    let others =
        ["calling", "callable", "signature", "modifier", "preproc", "anonymous", "suffix", "operator"];
    calls.iter().any(|word| kind.contains(word)) && !others.iter().any(|word| kind.contains(word))
}

/// Whether the node is assigned to: `a.b = c` writes a member, even where a grammar calls it a call.
fn is_assigned(cursor: &TreeCursor<'_>) -> bool {
    let is_assignment = |node: Node<'_>| node.kind().contains("assign");
    matches!(cursor.field_name(), Some("left")) && cursor.node().parent().is_some_and(is_assignment)
        || cursor.node().parent().is_some_and(|parent| parent.kind().contains("left_assignment"))
}

/// Whether a node is a name before parentheses among unparsed tokens, and not that of a function which is defined there.
fn is_call_in_tokens(node: Node<'_>, bytes: &[u8]) -> bool {
    let is_tokens = |node: Node<'_>| node.kind() == "token_tree";
    node.kind() == "identifier"
        && node.parent().is_some_and(is_tokens)
        && node.prev_sibling().is_none_or(|before| before.kind() != "fn")
        && node
            .next_sibling()
            .is_some_and(|next| is_tokens(next) && bytes.get(next.start_byte()) == Some(&b'('))
}

/// Where the arguments of a call begin; its end if it has none.
fn arguments_start(node: Node<'_>) -> usize {
    if let Some(arguments) = node.child_by_field_name("arguments") {
        return arguments.start_byte();
    }
    let words = [
        "argument",
        "token_tree",
        "template_string",
        "class_body",
        "block",
        "lambda",
        "initializer",
        "declaration_list",
    ];
    let is_argument = |child: &Node<'_>| {
        words.iter().any(|word| child.kind().contains(word)) && !child.kind().contains("type_arg")
    };
    let mut cursor = node.walk();
    let first = node.children(&mut cursor).skip(1).find(is_argument);
    first.map_or(node.end_byte(), |child| child.start_byte())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    fn callees(path: &str, text: &str) -> Vec<String> {
        let pack = Registry::builtin().detect(path.as_bytes(), text.as_bytes()).expect("a language");
        let show = |site: CallSite| format!("{}{}", site.callee, if site.is_named { "" } else { " unnamed" });
        call_sites(pack, text.as_bytes()).expect("a deep language").into_iter().map(show).collect()
    }

    #[test]
    fn every_call_of_a_chain_is_a_site() {
        assert_eq!(callees("a.py", "a.b(x).c(y)(z)\n"), ["a.b(x).c(y)(z) unnamed", ".c", "a.b"]);
        assert_eq!(callees("a.ts", "new Foo<Bar>(f(1))\n"), ["new Foo<Bar>", "f"]);
        assert_eq!(callees("a.py", "sum(f(x) for x in xs)\n"), ["sum", "f"]);
    }

    #[test]
    fn tokens_of_macros_have_sites_and_those_of_attributes_have_none() {
        let text = "#[arg(conflicts_with(a))]\nfn f() { vec![g(1), h.i(2)] }\n";
        assert_eq!(callees("a.rs", text), ["vec", "g", "i"]);
        assert_eq!(callees("a.rs", "#![cfg(all(unix, not(miri)))]\nfn f() { g() }\n"), ["g"]);
        assert_eq!(callees("a.c", "__attribute__((aligned(8))) int x(void) { return f(); }\n"), ["f"]);
    }

    #[test]
    fn a_member_that_is_assigned_to_is_no_call() {
        assert_eq!(callees("a.rb", "a.b = c.d\n"), ["c.d"]);
    }
}
