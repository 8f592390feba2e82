//! Path patterns as users write them: a glob, a directory or a file.

use crate::file_classifier::glob;
use globset::GlobMatcher;
use orient_model::RepoPath;

/// A set of paths: `src/**/*.c`, `*.md`, `src/net`, `src/main.c`.
#[derive(Clone, Debug)]
pub struct PathPattern {
    matcher: Matcher,
}

#[derive(Clone, Debug)]
enum Matcher {
    All,
    Glob(GlobMatcher),
    /// A file, or everything in a directory.
    Under(Vec<u8>),
}

/// An invalid glob.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a valid path pattern: {problem}")]
pub struct PatternError {
    /// The text as written.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl PathPattern {
    /// The file or directory with this path from the root, taken literally even if it contains glob characters.
    pub fn under(path: &str) -> Self {
        Self { matcher: Matcher::Under(path.as_bytes().to_vec()) }
    }

    /// Whether the pattern matches a path.
    pub fn matches(&self, path: &RepoPath) -> bool {
        match &self.matcher {
            Matcher::All => true,
            Matcher::Glob(glob) => glob.is_match(path.display().as_ref()),
            Matcher::Under(directory) => {
                let rest = path.as_bytes().strip_prefix(directory.as_slice());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
            }
        }
    }
}

impl PathPattern {
    /// Whether an unreadable directory may contain something that the pattern matches.
    pub fn may_reach_into(&self, directory: &RepoPath) -> bool {
        match &self.matcher {
            // What the glob would match in there is unknown.
            Matcher::All | Matcher::Glob(_) => true,
            Matcher::Under(named) => {
                let inside =
                    named.strip_prefix(directory.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"));
                inside || self.matches(directory)
            }
        }
    }
}

impl std::str::FromStr for PathPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let plain = text.trim_start_matches("./").trim_end_matches('/');
        let matcher = if plain.is_empty() || plain == "." {
            Matcher::All
        } else if plain.contains(['*', '?', '[', '{']) {
            let problem =
                |error: globset::Error| PatternError { text: text.to_owned(), problem: error.to_string() };
            Matcher::Glob(glob(plain).map_err(problem)?.compile_matcher())
        } else {
            Matcher::Under(plain.trim_start_matches('/').as_bytes().to_vec())
        };
        Ok(Self { matcher })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_files_directories_and_globs() {
        let cases = [
            ("src", "src/a.c", true),
            ("src/", "src/a.c", true),
            ("./src", "src/a.c", true),
            ("src", "srcs/a.c", false),
            ("src/a.c", "src/a.c", true),
            ("*.c", "deep/er/a.c", true),
            ("src/*.c", "src/x/a.c", false),
            ("src/**/*.c", "src/x/a.c", true),
            (".", "anything", true),
            ("", "anything", true),
        ];
        for (pattern, path, expected) in cases {
            let parsed: PathPattern = pattern.parse().expect(pattern);
            assert_eq!(parsed.matches(&path.into()), expected, "{pattern} {path}");
        }
        assert!(PathPattern::under("app/[id]").matches(&"app/[id]/page.tsx".into()), "a name is no glob");
        assert!("a{".parse::<PathPattern>().is_err());
    }
}
