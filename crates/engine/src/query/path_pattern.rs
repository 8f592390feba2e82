//! Which paths a user means: a glob, a folder, or a file.

use crate::file_classifier::glob;
use globset::GlobMatcher;
use orient_model::RepoPath;

/// A set of paths as a user names it: `src/**/*.c`, `*.md`, `src/net`, `src/main.c`.
#[derive(Clone, Debug)]
pub struct PathPattern {
    matcher: Matcher,
}

#[derive(Clone, Debug)]
enum Matcher {
    All,
    Glob(GlobMatcher),
    /// A file, or all that lies in a folder.
    Under(Vec<u8>),
}

/// A text that looks like a glob and is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no pattern for paths: {problem}")]
pub struct PatternError {
    /// What was written.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl PathPattern {
    /// The file or folder of this name from the root, which is no glob whatever characters it has.
    pub fn under(path: &str) -> Self {
        Self { matcher: Matcher::Under(path.as_bytes().to_vec()) }
    }

    /// Whether the pattern means this path.
    pub fn matches(&self, path: &RepoPath) -> bool {
        match &self.matcher {
            Matcher::All => true,
            Matcher::Glob(glob) => glob.is_match(path.display().as_ref()),
            Matcher::Under(folder) => {
                let rest = path.as_bytes().strip_prefix(folder.as_slice());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
            }
        }
    }
}

impl PathPattern {
    /// Whether a folder that could not be read may hold something the pattern means.
    pub fn may_reach_into(&self, folder: &RepoPath) -> bool {
        match &self.matcher {
            // What a glob would match in there is anybody's guess.
            Matcher::All | Matcher::Glob(_) => true,
            Matcher::Under(named) => {
                let inside = named.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"));
                inside || self.matches(folder)
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
    fn files_folders_and_globs_are_understood() {
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
