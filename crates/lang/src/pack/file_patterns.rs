//! Patterns of file names: `package.json`, `*.erb`, `requirements*.txt`, `config/routes`.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::collections::BTreeSet;

/// A set of patterns. Names and endings are looked up; only other patterns are compared one by one.
#[derive(Default)]
pub struct FilePatterns {
    names: BTreeSet<String>,
    /// Endings from a dot on, in lower case.
    endings: BTreeSet<String>,
    others: GlobSet,
}

impl FilePatterns {
    /// Compiles patterns. Without a slash, a pattern is about the name of the file.
    pub fn new(patterns: &[String]) -> Result<Self, String> {
        let mut found = Self::default();
        let mut others = GlobSetBuilder::new();
        for pattern in patterns {
            let ending =
                pattern.strip_prefix('*').filter(|rest| rest.starts_with('.') && !rest.contains('*'));
            if let Some(ending) = ending {
                found.endings.insert(ending.to_ascii_lowercase());
            } else if !pattern.contains(['*', '/']) {
                found.names.insert(pattern.clone());
            } else {
                let glob = GlobBuilder::new(&format!("**/{pattern}")).literal_separator(true).build();
                others.add(glob.map_err(|error| error.to_string())?);
            }
        }
        found.others = others.build().map_err(|error| error.to_string())?;
        Ok(found)
    }

    /// Whether one of the patterns fits a path.
    pub fn matches(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.names.contains(name)
            || endings(name).any(|ending| self.endings.contains(&ending))
            || (!self.others.is_empty() && self.others.is_match(path))
    }

    /// The length of the longest ending, or of the whole name, that fits a path; `None` if nothing does.
    pub(crate) fn length_of_match(&self, path: &str) -> Option<usize> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if self.names.contains(name) || (!self.others.is_empty() && self.others.is_match(path)) {
            return Some(name.len());
        }
        endings(name).find(|ending| self.endings.contains(ending)).map(|ending| ending.len())
    }
}

/// The parts of a name from each dot on, longest first, in lower case.
fn endings(name: &str) -> impl Iterator<Item = String> {
    name.match_indices('.').map(|(at, _)| name[at..].to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_endings_and_paths_fit() {
        let patterns = ["package.json", "*.erb", "requirements*.txt", "conf/routes"].map(str::to_owned);
        let patterns = FilePatterns::new(&patterns).expect("valid");
        for fits in
            ["package.json", "web/package.json", "a/b.html.ERB", "requirements-dev.txt", "x/conf/routes"]
        {
            assert!(patterns.matches(fits), "{fits}");
        }
        for other in ["my-package.json", "erb", "routes", "docs/notes.txt"] {
            assert!(!patterns.matches(other), "{other}");
        }
        assert_eq!(patterns.length_of_match("a/b.html.erb"), Some(4));
    }
}
