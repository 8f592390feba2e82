//! A set of subtrees: paths, each with everything below it.

use orient_model::RepoPath;

/// Paths with everything below them; none of them is below another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subtrees {
    roots: Vec<RepoPath>,
}

impl Subtrees {
    /// The subtrees of these paths. The empty path is the root and contains the whole tree.
    pub fn new(paths: impl IntoIterator<Item = RepoPath>) -> Self {
        let mut paths: Vec<RepoPath> = paths.into_iter().collect();
        paths.sort_unstable();
        paths.dedup();
        let mut subtrees = Self { roots: Vec::with_capacity(paths.len()) };
        for path in paths {
            // A path sorts after its ancestors, so those are already present.
            if !subtrees.contains(&path) {
                subtrees.roots.push(path);
            }
        }
        subtrees
    }

    /// The roots of the subtrees, sorted.
    pub fn roots(&self) -> &[RepoPath] {
        &self.roots
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.roots.is_empty()
    }

    /// Whether a path is one of the roots or below one.
    pub fn contains(&self, path: &RepoPath) -> bool {
        let bytes = path.as_bytes();
        let is_top = |part: &[u8]| self.roots.binary_search_by(|top| top.as_bytes().cmp(part)).is_ok();
        is_top(&[]) || is_top(bytes) || slashes(bytes).any(|at| is_top(&bytes[..at]))
    }

    /// Whether a directory must be entered to reach all subtrees.
    pub fn passes_through(&self, directory: &RepoPath) -> bool {
        let bytes = directory.as_bytes();
        let beneath = [bytes, b"/"].concat();
        let next = self.roots.partition_point(|top| top.as_bytes() < beneath.as_slice());
        bytes.is_empty()
            || self.roots.get(next).is_some_and(|top| top.as_bytes().starts_with(&beneath))
            || self.contains(directory)
    }
}

fn slashes(path: &[u8]) -> impl Iterator<Item = usize> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subtrees(roots: &[&str]) -> Subtrees {
        Subtrees::new(roots.iter().map(|&top| RepoPath::from(top)))
    }

    #[test]
    fn a_path_stands_for_itself_and_all_beneath_it() {
        let some = subtrees(&["src/net", "a.py"]);
        for inside in ["src/net", "src/net/deep/x.rs", "a.py", "a.py/was a file"] {
            assert!(some.contains(&inside.into()), "{inside}");
        }
        for outside in ["src", "src/network", "src/net.rs", "a", "b/a.py", ""] {
            assert!(!some.contains(&outside.into()), "{outside}");
        }
    }

    #[test]
    fn the_way_to_a_region_leads_through_the_directories_around_it() {
        let some = subtrees(&["src/net/http", "x-y/z"]);
        for through in ["", "src", "src/net", "src/net/http", "src/net/http/v2", "x-y"] {
            assert!(some.passes_through(&through.into()), "{through}");
        }
        for past in ["src/net/https", "src/ne", "lib", "x"] {
            assert!(!some.passes_through(&past.into()), "{past}");
        }
    }

    #[test]
    fn what_lies_beneath_another_is_no_top() {
        assert_eq!(subtrees(&["a/b", "a", "a-b", "a/c/d", "a"]).roots(), ["a".into(), "a-b".into()]);
        assert_eq!(subtrees(&["a", "", "b/c"]).roots(), ["".into()]);
        assert!(subtrees(&[""]).contains(&"any/thing".into()));
        assert!(subtrees(&[]).is_empty() && !subtrees(&[]).contains(&"x".into()));
    }
}
