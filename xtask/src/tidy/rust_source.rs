//! A parsed Rust file: words, functions, traits, paths and comments of its production code.

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use std::ops::RangeInclusive;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// What a word in the source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordKind {
    /// A string literal, its value.
    Text,
    /// An identifier.
    Name,
    /// An identifier that is the variant of an enum.
    Variant,
}

/// A word of the production code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) line: usize,
    pub(crate) kind: WordKind,
    pub(crate) text: String,
}

/// Something with a name and a size: a function and its lines, a trait and its methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sized {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) size: usize,
}

/// A Rust file, read. Everything but `text` leaves out what is only built for tests.
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) text: String,
    /// Whether all of the file is for tests.
    pub(crate) is_test: bool,
    pub(crate) lines: usize,
    pub(crate) words: Vec<Word>,
    pub(crate) functions: Vec<Sized>,
    pub(crate) traits: Vec<Sized>,
    /// Paths used or imported, written out: `std::fs::read`.
    pub(crate) paths: Vec<(usize, String)>,
    /// `allow` attributes, and `expect` attributes without a reason.
    pub(crate) loose_lints: Vec<usize>,
    /// `pub mod` declarations.
    pub(crate) open_modules: Vec<usize>,
    pub(crate) docs: usize,
    pub(crate) comments: usize,
    pub(crate) public: usize,
    pub(crate) restricted: usize,
}

impl Source {
    /// Reads a file. `path` is relative to the root of the repository.
    pub(crate) fn read(path: &str, text: String) -> Result<Self> {
        let file = syn::parse_file(&text).with_context(|| format!("{path} is not Rust"))?;
        let is_test = ["/tests/", "/tests.rs", "/benches/", "/examples/", "fuzz/"]
            .iter()
            .any(|part| path.contains(part));
        let mut tests = Tests(Vec::new());
        tests.visit_file(&file);
        let mut parts = Parts::default();
        parts.visit_file(&file);
        let tokens: TokenStream = text.parse().map_err(|error| anyhow::anyhow!("{path}: {error}"))?;
        let mut words = Vec::new();
        collect_words(tokens, &mut words);

        let tests = tests.0;
        let counts = |line: usize| !is_test && !tests.iter().any(|range| range.contains(&line));
        for word in &mut words {
            if parts.variants.contains(&(word.line, word.text.clone())) && word.kind == WordKind::Name {
                word.kind = WordKind::Variant;
            }
        }
        let numbered =
            || text.lines().enumerate().filter(|(at, _)| counts(at + 1)).map(|(_, line)| line.trim_start());
        let is_doc = |line: &str| line.starts_with("///") || line.starts_with("//!");
        Ok(Self {
            path: path.to_owned(),
            is_test,
            lines: numbered().count(),
            docs: numbered().filter(|line| is_doc(line)).count(),
            comments: numbered().filter(|line| line.starts_with("//") && !is_doc(line)).count(),
            words: words.into_iter().filter(|word| counts(word.line)).collect(),
            functions: parts.functions.into_iter().filter(|it| counts(it.line)).collect(),
            traits: parts.traits.into_iter().filter(|it| counts(it.line)).collect(),
            paths: parts.paths.into_iter().filter(|it| counts(it.0)).collect(),
            loose_lints: parts.loose_lints.into_iter().filter(|&line| counts(line)).collect(),
            open_modules: parts.open_modules,
            public: parts.public.into_iter().filter(|&line| counts(line)).count(),
            restricted: parts.restricted.into_iter().filter(|&line| counts(line)).count(),
            text,
        })
    }
}

/// The lines of everything under `#[cfg(test)]`.
struct Tests(Vec<RangeInclusive<usize>>);

impl<'ast> Visit<'ast> for Tests {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(it) => &it.attrs,
            syn::Item::Fn(it) => &it.attrs,
            syn::Item::Impl(it) => &it.attrs,
            syn::Item::Use(it) => &it.attrs,
            _ => &Vec::new(),
        };
        self.note(attributes, item.span());
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.note(&item.attrs, item.span());
    }
}

impl Tests {
    fn note(&mut self, attributes: &[syn::Attribute], span: proc_macro2::Span) {
        let is_test = |attribute: &syn::Attribute| {
            attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Ident>().is_ok_and(|ident| ident == "test")
        };
        if attributes.iter().any(is_test) {
            self.0.push(span.start().line..=span.end().line);
        }
    }
}

/// What a visit of the syntax tree collects.
#[derive(Default)]
struct Parts {
    functions: Vec<Sized>,
    traits: Vec<Sized>,
    variants: Vec<(usize, String)>,
    paths: Vec<(usize, String)>,
    loose_lints: Vec<usize>,
    open_modules: Vec<usize>,
    public: Vec<usize>,
    restricted: Vec<usize>,
}

impl Parts {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = signature.span().start().line;
        let size = block.span().end().line + 1 - line;
        self.functions.push(Sized { line, name: signature.ident.to_string(), size });
    }

    fn imported(&mut self, tree: &syn::UseTree, before: &str) {
        let mut leaf =
            |ident: &syn::Ident| self.paths.push((ident.span().start().line, format!("{before}{ident}")));
        match tree {
            syn::UseTree::Path(path) => self.imported(&path.tree, &format!("{before}{}::", path.ident)),
            syn::UseTree::Name(name) => leaf(&name.ident),
            syn::UseTree::Rename(rename) => leaf(&rename.ident),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.imported(item, before)),
            syn::UseTree::Glob(_) => {}
        }
    }
}

impl<'ast> Visit<'ast> for Parts {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        let size = item.items.iter().filter(|it| matches!(it, syn::TraitItem::Fn(_))).count();
        self.traits.push(Sized { line: item.ident.span().start().line, name: item.ident.to_string(), size });
        visit::visit_item_trait(self, item);
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.variants.push((variant.ident.span().start().line, variant.ident.to_string()));
        visit::visit_variant(self, variant);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if matches!(item.vis, syn::Visibility::Public(_)) {
            self.open_modules.push(item.span().start().line);
        }
        visit::visit_item_mod(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.imported(&item.tree, "");
        visit::visit_item_use(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let written: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.paths.push((path.span().start().line, written.join("::")));
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, visibility: &'ast syn::Visibility) {
        match visibility {
            syn::Visibility::Public(token) => self.public.push(token.span().start().line),
            syn::Visibility::Restricted(it) => self.restricted.push(it.span().start().line),
            syn::Visibility::Inherited => {}
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        let line = attribute.span().start().line;
        let has_reason = || match &attribute.meta {
            syn::Meta::List(list) => list.tokens.to_string().contains("reason ="),
            _ => false,
        };
        if attribute.path().is_ident("allow") || (attribute.path().is_ident("expect") && !has_reason()) {
            self.loose_lints.push(line);
        }
        visit::visit_attribute(self, attribute);
    }
}

/// Every identifier and string of the tokens, also inside macros; documentation is left out.
fn collect_words(tokens: TokenStream, words: &mut Vec<Word>) {
    let mut before = [String::new(), String::new()];
    for token in tokens {
        let line = token.span().start().line;
        let shown = match &token {
            TokenTree::Group(group) => {
                collect_words(group.stream(), words);
                String::new()
            }
            TokenTree::Ident(ident) => {
                words.push(Word { line, kind: WordKind::Name, text: ident.to_string() });
                ident.to_string()
            }
            TokenTree::Literal(literal) => {
                let is_documentation = before[0] == "doc" && before[1] == "=";
                if !is_documentation && let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    words.push(Word { line, kind: WordKind::Text, text: text.value() });
                }
                String::new()
            }
            TokenTree::Punct(punct) => punct.to_string(),
        };
        before.rotate_left(1);
        before[1] = shown;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"//! What it is for.

use std::{fs, io::Read as _};

/// Documented with "words".
pub enum Tongue {
    Latin,
}

pub(crate) fn speak() -> String {
    // A choice.
    format!("{}", "ave")
}

#[cfg(test)]
mod tests {
    #[test]
    fn long() {}
}
"#;

    fn sample() -> Source {
        Source::read("crates/a/src/lib.rs", SAMPLE.to_owned()).expect("the sample is Rust")
    }

    #[test]
    fn tests_inside_a_file_do_not_count() {
        let source = sample();
        assert_eq!(source.lines, 14);
        assert_eq!(source.functions.len(), 1);
        assert_eq!(source.functions[0].size, 4);
        assert_eq!((source.docs, source.comments), (2, 1));
        assert_eq!((source.public, source.restricted), (1, 1));
    }

    #[test]
    fn words_are_found_in_macros_but_not_in_documentation() {
        let texts: Vec<String> = sample()
            .words
            .into_iter()
            .filter(|word| word.kind != WordKind::Name)
            .map(|word| word.text)
            .collect();
        assert_eq!(texts, ["Latin", "{}", "ave"]);
    }

    #[test]
    fn imports_are_written_out() {
        let paths: Vec<String> = sample().paths.into_iter().map(|(_, path)| path).collect();
        assert!(
            paths.contains(&"std::fs".to_owned()) && paths.contains(&"std::io::Read".to_owned()),
            "{paths:?}"
        );
    }
}
