//! What markup refers to: components, templates, style selectors, and members of the type beside it. All lookups are by the name of a
//! symbol or file, and record it as a dependency; so a file with markup is resolved again when such a name appears or disappears.
//!
//! References in markup are resolved like all others first: an imported component and a handler in the same file need no rule of
//! their own. What is here applies to the rest.

mod components;
mod members;
mod selectors;
mod templates;

pub(crate) use selectors::styled_kind;

use crate::file::FileRef;
use orient_model::{Node, SymbolKind};

/// The node that stands for a file when it is rendered: its component or template, or the file itself.
pub(crate) fn rendered(unit: &FileRef) -> Node {
    let is_rendered = unit.kind(0).is_some_and(SymbolKind::is_rendered);
    Node { file: unit.file, symbol: is_rendered.then_some(0) }
}

/// A name in words joined without separators, each with a capital: `MyCard` for `my-card` and `my_card`.
pub(crate) fn pascal(name: &str) -> String {
    let words = name.split(['-', '_', '.', ':']).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_uppercase().chain(letters).collect::<String>())
                .unwrap_or_default()
        })
        .collect()
}

/// The number of directories that two paths share.
pub(crate) fn shared_directories(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_name_get_capitals() {
        assert_eq!(pascal("my-card"), "MyCard");
        assert_eq!(pascal("blog_posts"), "BlogPosts");
        assert_eq!((pascal("MyCard"), pascal("")), ("MyCard".to_owned(), String::new()));
    }
}
