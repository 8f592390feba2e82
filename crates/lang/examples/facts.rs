//! Prints the facts of a file: `cargo run --example facts -- FILE [PART…]`.
//!
//! `PACKS=crates/lang/packs` reads the packs from that folder instead of the compiled-in ones, so that whoever writes
//! a pack sees the effect of an edit at once. `tree` as a part prints the syntax tree.

use orient_grammars::tree_sitter;
use orient_lang::{Registry, extract, render};

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("usage: facts FILE [PART…]");
    let parts: Vec<String> = args.collect();
    let bytes = std::fs::read(&file).expect("a readable file");
    let registry = match std::env::var_os("PACKS") {
        Some(folder) => {
            let read = |path: &std::path::Path| std::fs::read_to_string(path).ok();
            let registry = Registry::from_folder(folder.as_ref(), &read).unwrap_or_else(|error| panic!("{error}"));
            for fault in registry.faults() {
                eprintln!("{fault}");
            }
            Box::leak(Box::new(registry))
        }
        None => Registry::builtin(),
    };
    let pack = match std::env::var("LANGUAGE_PACK") {
        Ok(name) => registry.by_name(&name),
        Err(_) => registry.detect(file.as_bytes(), &bytes),
    };
    if parts.iter().any(|part| part == "tree") {
        let grammar = std::env::var("GRAMMAR").ok().or_else(|| pack.map(|pack| pack.name().to_owned()));
        let language = grammar.and_then(|name| orient_grammars::grammar(&name)).expect("set GRAMMAR to a grammar's name");
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(&language).expect("compatible");
        let tree = parser.parse(&bytes, None).expect("parsed");
        print_tree(tree.root_node(), &bytes, 0, None);
    }
    let facts = extract(pack, &bytes);
    for part in orient_lang::PARTS {
        if parts.is_empty() || parts.iter().any(|wanted| wanted == part) {
            println!("--- {part}\n{}", render(&facts, part).expect("known part"));
        }
    }
}

fn print_tree(node: tree_sitter::Node<'_>, source: &[u8], depth: usize, field: Option<&str>) {
    if node.is_named() || field.is_some() || node.kind().starts_with(|c: char| c.is_ascii_alphabetic()) {
        let field = field.map(|field| format!("{field}: ")).unwrap_or_default();
        let text = if node.child_count() == 0 { format!(" {:?}", node.utf8_text(source).unwrap_or("?")) } else { String::new() };
        let kind = if node.is_named() { node.kind().to_owned() } else { format!("'{}'", node.kind()) };
        println!("{}{field}{kind} {}{text}", "  ".repeat(depth), node.start_position().row + 1);
    }
    let mut cursor = node.walk();
    if cursor.goto_first_child() {
        loop {
            print_tree(cursor.node(), source, depth + 1, cursor.field_name());
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
}
