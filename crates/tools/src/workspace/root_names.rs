//! The names of the roots of a workspace.

use crate::error::{Code, ToolError};
use crate::session::Session;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The names of all roots, and which of them a session is for.
#[derive(Clone, Debug)]
pub(crate) struct RootName {
    names: Rc<[String]>,
    own: usize,
}

impl RootName {
    /// The name of the session's root.
    pub(crate) fn own(&self) -> &str {
        &self.names[self.own]
    }

    /// A path or handle as it is in this root, if it does not name another one: `lib/src/a.rs` is `src/a.rs` in `lib`.
    pub(crate) fn strip<'t>(&self, typed: &'t str) -> Option<&'t str> {
        let below = |name: &String| match typed.strip_prefix(name.as_str())? {
            "" | "/" => Some("."),
            rest => rest.strip_prefix('/'),
        };
        // A name may begin with another one: `acme` and `acme/shop`.
        let named = self.names.iter().enumerate().filter_map(|(at, name)| Some((at, below(name)?)));
        let named = named.max_by_key(|(at, _)| self.names[*at].len());
        match named {
            None => Some(typed),
            Some((at, rest)) if at == self.own => Some(rest),
            Some(_) => None,
        }
    }
}

impl Session<'_> {
    /// Makes this session that of a workspace: it is asked first, then the others in their order. A directory that is given twice, or
    /// is inside of another one, is an error.
    pub fn join(mut self, mut others: Vec<Self>) -> Result<Self, ToolError> {
        if others.is_empty() {
            return Ok(self);
        }
        let roots: Vec<PathBuf> =
            std::iter::once(&self).chain(&others).map(|one| one.root().to_owned()).collect();
        for (at, root) in roots.iter().enumerate() {
            if let Some(other) =
                roots[..at].iter().find(|other| root.starts_with(other) || other.starts_with(root))
            {
                return Err(overlapping(root, other));
            }
        }
        self.name_roots(&mut others, names(&roots));
        self.peers = others;
        Ok(self)
    }

    /// Makes this session that of a workspace whose roots have names of their own. Paths are shown below them, even if there is only
    /// one. With `only_own_symbols`, a name means a symbol of the first root; the others may use it.
    #[must_use]
    pub fn join_named(mut self, name: String, others: Vec<(String, Self)>, only_own_symbols: bool) -> Self {
        let (mut names, mut sessions) = (vec![name], Vec::new());
        for (name, session) in others {
            names.push(name);
            sessions.push(session);
        }
        self.name_roots(&mut sessions, names);
        self.only_own_symbols = only_own_symbols;
        self.peers = sessions;
        self
    }

    fn name_roots(&mut self, others: &mut [Self], names: Vec<String>) {
        let names: Rc<[String]> = names.into();
        for (own, session) in std::iter::once(self).chain(others).enumerate() {
            session.root_name = Some(RootName { names: Rc::clone(&names), own });
        }
    }
}

fn overlapping(root: &Path, other: &Path) -> ToolError {
    let message = if root == other {
        format!("{} is given twice as a root", root.display())
    } else {
        let (inner, outer) = if root.starts_with(other) { (root, other) } else { (other, root) };
        format!("the root {} is inside of the root {}", inner.display(), outer.display())
    };
    ToolError::new(Code::BadArgument, message)
        .hint("give each directory once; directories of one repository are one root")
}

/// The roots of a list that a client gave, without those that repeat or contain earlier ones or are inside of them.
pub fn distinct_roots(roots: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut kept: Vec<(PathBuf, PathBuf)> = Vec::new();
    for root in roots {
        let Ok(repository) = orient_engine::Repo::find(&root) else { continue };
        let top = repository.root;
        if !kept.iter().any(|(_, other)| top.starts_with(other) || other.starts_with(&top)) {
            kept.push((root, top));
        }
    }
    kept.into_iter().map(|(root, _)| root).collect()
}

/// A short name for each root: that of its directory, with directories above it as far as they tell roots apart.
fn names(roots: &[PathBuf]) -> Vec<String> {
    let ending = |root: &Path, parts: usize| {
        let mut names: Vec<_> =
            root.iter().rev().take(parts).map(|part| part.to_string_lossy().replace('/', "")).collect();
        names.retain(|name| !name.is_empty());
        names.reverse();
        if names.is_empty() { "root".to_owned() } else { names.join("-") }
    };
    let name = |root: &PathBuf| {
        let depth = root.iter().count();
        let is_unique = |parts: &usize| {
            let own = ending(root, *parts);
            roots.iter().filter(|other| ending(other, *parts) == own).count() == 1
        };
        ending(root, (1..=depth).find(is_unique).unwrap_or(depth))
    };
    roots.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(roots: &[&str]) -> Vec<String> {
        names(&roots.iter().map(PathBuf::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_root_is_named_after_its_directory() {
        assert_eq!(named(&["/w/lib", "/w/app"]), ["lib", "app"]);
        assert_eq!(named(&["/a/lib", "/b/lib", "/b/app"]), ["a-lib", "b-lib", "app"]);
    }

    #[test]
    fn the_longest_name_counts() {
        let names: Rc<[String]> = vec!["acme".to_owned(), "acme/shop".to_owned()].into();
        let (acme, shop) = (RootName { names: Rc::clone(&names), own: 0 }, RootName { names, own: 1 });
        assert_eq!((acme.strip("acme/shop/a.rs"), shop.strip("acme/shop/a.rs")), (None, Some("a.rs")));
        assert_eq!((acme.strip("acme/src/a.rs"), shop.strip("acme/src/a.rs")), (Some("src/a.rs"), None));
    }

    #[test]
    fn a_path_belongs_to_the_root_that_it_names() {
        let names: Rc<[String]> = vec!["lib".to_owned(), "app".to_owned()].into();
        let lib = RootName { names, own: 0 };
        assert_eq!(lib.strip("lib/src/a.rs#f"), Some("src/a.rs#f"));
        assert_eq!(lib.strip("lib"), Some("."));
        assert_eq!(lib.strip("app/src"), None);
        assert_eq!(lib.strip("library/a.rs"), Some("library/a.rs"));
        assert_eq!(lib.strip("src/a.rs"), Some("src/a.rs"));
    }
}
