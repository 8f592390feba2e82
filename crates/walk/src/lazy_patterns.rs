//! An ignore file with very many patterns, each compiled only when a path could match it.
//!
//! The `ignore` crate compiles all patterns of a file into one automaton, which takes seconds for tens of thousands
//! of patterns. Here every pattern is indexed by a literal that each of its matches contains. One pass over a path
//! finds its literals, and only their patterns are tried, the last one first. Each is matched by `ignore` itself, so
//! that the result is the same.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Larger ignore files are read as a pattern set.
pub(crate) const LARGE: u64 = 16 << 10;
/// Longer lists of patterns are, too.
pub(crate) const LARGE_LIST: usize = 256;
/// Limits on an ignore file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    pub(crate) bytes: usize,
    patterns: usize,
}

impl Most {
    /// At the root of a tree, above it, or global.
    pub(crate) const AT_TOP: Self = Self { bytes: 1 << 20, patterns: 25_000 };
    /// In any other directory, of which there may be many.
    pub(crate) const WITHIN: Self = Self { bytes: 128 << 10, patterns: 5_000 };
}

/// Maximum number of patterns with the same literal: a path that contains it is compared with all of them.
const MOST_ALIKE: usize = 1_000;
/// Maximum number of pattern sets that are kept between walks.
const KEPT: usize = 8;

/// An ignore file whose patterns are not all applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutRules {
    /// The source of the patterns.
    pub source: String,
    /// Number of patterns that are applied; `None` if the source is a link or no regular file, and therefore not read.
    pub applied: Option<usize>,
}

impl fmt::Display for CutRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, applied } = self;
        match applied {
            Some(applied) => write!(f, "{source} has more patterns than are applied ({applied})")?,
            None => write!(f, "{source} is a link or not a regular file, and is not read")?,
        }
        f.write_str(": files it should leave out may be listed")
    }
}

/// A set of many patterns.
pub(crate) struct PatternSet {
    root: PathBuf,
    /// In the order of the file; only the last of equal ones.
    patterns: Vec<Pattern>,
    /// Finds the literals in a path.
    pieces: Option<AhoCorasick>,
    /// The patterns of each literal, as indices.
    filed: Vec<Vec<u32>>,
    /// Patterns without a literal.
    loose: Vec<u32>,
    is_cut: bool,
}

struct Pattern {
    text: Box<str>,
    compiled: OnceLock<Box<Gitignore>>,
}

/// The decision of ignore rules on a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verdict {
    #[default]
    None,
    Ignore,
    Whitelist,
}

impl Verdict {
    /// This decision, or else the given one.
    pub(crate) fn or(self, next: impl FnOnce() -> Self) -> Self {
        if self == Self::None { next() } else { self }
    }
}

impl<T> From<Match<T>> for Verdict {
    fn from(matched: Match<T>) -> Self {
        match matched {
            Match::None => Self::None,
            Match::Ignore(_) => Self::Ignore,
            Match::Whitelist(_) => Self::Whitelist,
        }
    }
}

impl PatternSet {
    /// The patterns of an ignore file that apply to a directory. A text that was seen before is not parsed again.
    pub(crate) fn of_text(root: &Path, text: &str, most: Most, is_cut: bool) -> Arc<Self> {
        static KEPT_SETS: Mutex<Vec<([u8; 32], Arc<PatternSet>)>> = Mutex::new(Vec::new());
        let mut hash = blake3::Hasher::new();
        hash.update(root.as_os_str().as_encoded_bytes())
            .update(&[0, u8::from(is_cut)])
            .update(&most.patterns.to_le_bytes())
            .update(text.as_bytes());
        let key = *hash.finalize().as_bytes();
        let kept = || KEPT_SETS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, set)) = kept().iter().find(|(hash, _)| *hash == key) {
            return set.clone();
        }
        let set = Arc::new(Self::new(root, text.lines(), most, is_cut));
        let mut kept = kept();
        kept.insert(0, (key, set.clone()));
        kept.truncate(KEPT);
        set
    }

    /// A set of patterns, by increasing precedence.
    pub(crate) fn new<'l>(
        root: &Path,
        lines: impl Iterator<Item = &'l str>,
        most: Most,
        mut is_cut: bool,
    ) -> Self {
        let mut texts: Vec<&str> = Vec::new();
        for line in lines.filter(|line| is_pattern(line)) {
            if texts.len() == most.patterns {
                is_cut = true;
                break;
            }
            texts.push(line);
        }
        let last: HashMap<&str, usize> = texts.iter().enumerate().map(|(at, text)| (*text, at)).collect();
        let texts: Vec<&str> =
            texts.iter().enumerate().filter(|(at, text)| last[*text] == *at).map(|(_, text)| *text).collect();
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for text in &texts {
            pieces_of(text).for_each(|piece| *counts.entry(piece).or_default() += 1);
        }
        let (mut numbers, mut known, mut filed) = (HashMap::new(), Vec::new(), Vec::<Vec<u32>>::new());
        let (mut loose, mut patterns) = (Vec::new(), Vec::with_capacity(texts.len()));
        for text in texts {
            // The rarest literal excludes most paths.
            let piece = pieces_of(text).min_by_key(|piece| (counts[piece], usize::MAX - piece.len()));
            let alike = match piece {
                None => &mut loose,
                Some(piece) => {
                    let number = *numbers.entry(piece).or_insert_with(|| {
                        known.push(piece);
                        filed.push(Vec::new());
                        filed.len() - 1
                    });
                    &mut filed[number]
                }
            };
            if alike.len() == MOST_ALIKE {
                is_cut = true;
                continue;
            }
            alike.push(patterns.len() as u32);
            patterns.push(Pattern { text: text.into(), compiled: OnceLock::new() });
        }
        let pieces = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(&known).ok();
        // Without an automaton for the literals, every pattern is tried.
        if pieces.is_none() {
            loose.extend(filed.drain(..).flatten());
            loose.sort_unstable();
        }
        Self { root: root.to_owned(), patterns, pieces, filed, loose, is_cut }
    }

    /// The decision of the patterns on an absolute path.
    pub(crate) fn matched(&self, path: &Path, is_directory: bool) -> Verdict {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        let bytes = inside.as_os_str().as_encoded_bytes();
        let mut near = self.loose.clone();
        if let Some(pieces) = &self.pieces {
            for found in pieces.find_overlapping_iter(bytes) {
                near.extend_from_slice(&self.filed[found.pattern().as_usize()]);
            }
        }
        near.sort_unstable_by(|a, b| b.cmp(a));
        near.dedup();
        let verdicts = near.into_iter().map(|at| self.compiled(at).matched(path, is_directory).into());
        verdicts.into_iter().find(|verdict| *verdict != Verdict::None).unwrap_or_default()
    }

    /// A single pattern. One that is not a valid glob matches nothing, as in git.
    fn compiled(&self, at: u32) -> &Gitignore {
        let Pattern { text, compiled } = &self.patterns[at as usize];
        compiled.get_or_init(|| {
            let mut builder = GitignoreBuilder::new(&self.root);
            let _ = builder.add_line(None, text);
            Box::new(builder.build().unwrap_or_else(|_| Gitignore::empty()))
        })
    }

    /// The remark that not all patterns are applied.
    pub(crate) fn cut(&self, source: &Path) -> Option<CutRules> {
        let source = source.display().to_string();
        self.is_cut.then_some(CutRules { source, applied: Some(self.patterns.len()) })
    }
}

/// The part of a file that `ignore` would read: up to the first line that is not UTF-8. The last line of a truncated
/// file may be half a pattern and is dropped.
pub(crate) fn readable(bytes: &[u8], is_cut: bool) -> &str {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if !is_cut => return text.strip_prefix('\u{feff}').unwrap_or(text),
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    let text = text.rfind('\n').map_or("", |end| &text[..end]);
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn is_pattern(line: &str) -> bool {
    !line.starts_with('#') && !line.trim_end().is_empty()
}

/// Literals that every match of a pattern contains: the text between wildcards and separators. After the first class,
/// alternative or escape, nothing is certain.
fn pieces_of(pattern: &str) -> impl Iterator<Item = &str> {
    let sure = pattern.find(['[', ']', '{', '}', '\\']).map_or(pattern, |end| {
        // A literal that is not complete may continue differently.
        let start = pattern[..end].rfind(['*', '?', '/']).map_or(0, |at| at + 1);
        &pattern[..start]
    });
    let sure = sure.strip_prefix('!').unwrap_or(sure);
    sure.trim_end().split(['*', '?', '/']).filter(|piece| piece.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(root: &Path, lines: &[String]) -> Gitignore {
        let mut builder = GitignoreBuilder::new(root);
        for line in lines {
            let _ = builder.add_line(None, line);
        }
        builder.build().expect("they are globs")
    }

    #[test]
    fn one_by_one_patterns_say_what_they_say_together() {
        let root = Path::new("/r");
        let lines: Vec<String> = [
            "*.log",
            "!keep.log",
            "/build/",
            "target",
            "docs/**/draft*",
            "**/gen_?.rs",
            "!src/gen_1.rs",
            "a[bc]d",
            "te\\*st",
            "{x,yy}/z",
            "# a comment",
            "  ",
            "trailing   ",
            "**/deep/**",
            "!",
            "*.log",
            "?",
            "vendor/*",
        ]
        .map(str::to_owned)
        .to_vec();
        let (set, all) = (
            PatternSet::new(root, lines.iter().map(String::as_str), Most::AT_TOP, false),
            whole(root, &lines),
        );
        let names = [
            "a.log",
            "keep.log",
            "build",
            "src/build",
            "target",
            "src/target",
            "docs/a/draft.md",
            "docs/draft1",
            "src/gen_1.rs",
            "src/gen_2.rs",
            "abd",
            "add",
            "te*st",
            "test",
            "x/z",
            "yy/z",
            "trailing",
            "b/deep",
            "deep/file",
            "b/deep/c/d",
            "!",
            "q",
            "vendor/lib",
            "vendor",
            "src/keep.log",
            "other",
        ];
        for name in names {
            for is_directory in [false, true] {
                let path = root.join(name);
                let expected = Verdict::from(all.matched(&path, is_directory));
                assert_eq!(set.matched(&path, is_directory), expected, "{name} {is_directory}");
            }
        }
        assert_eq!(set.cut(root), None);
    }

    #[test]
    fn many_patterns_are_not_compiled_before_a_path_could_match_them() {
        let lines: Vec<String> = (0..20_000).map(|n| format!("**/vendor/**/gen_{n}_*.go")).collect();
        let set = PatternSet::new(Path::new("/r"), lines.iter().map(String::as_str), Most::AT_TOP, false);
        assert_eq!(set.matched(Path::new("/r/vendor/x/gen_77_a.go"), false), Verdict::Ignore);
        assert_eq!(set.matched(Path::new("/r/vendor/x/other.go"), false), Verdict::None);
        let compiled = set.patterns.iter().filter(|pattern| pattern.compiled.get().is_some()).count();
        assert!((1..10).contains(&compiled), "{compiled}");
    }

    #[test]
    fn what_is_not_applied_is_said() {
        let cut = |lines: Vec<String>| {
            PatternSet::new(Path::new("/r"), lines.iter().map(String::as_str), Most::AT_TOP, false)
                .cut(Path::new("/r/.gitignore"))
        };
        let many = cut((0..=Most::AT_TOP.patterns).map(|n| format!("name{n}")).collect()).expect("too many");
        assert_eq!(many.applied, Some(Most::AT_TOP.patterns));
        assert!(many.to_string().starts_with("/r/.gitignore has more patterns than are applied (25000)"));
        let loose = cut((0..=MOST_ALIKE).map(|n| "?".repeat(n + 1)).collect()).expect("too many alike");
        assert_eq!(loose.applied, Some(MOST_ALIKE));
        assert_eq!(
            cut((0..=Most::AT_TOP.patterns).map(|_| "same".to_owned()).collect()).and_then(|cut| cut.applied),
            Some(1)
        );
    }

    #[test]
    fn a_file_that_is_too_large_ends_with_a_whole_line() {
        assert_eq!(readable(b"whole\nhal", true), "whole");
        assert_eq!(readable(b"whole\nno\xfftext\n", false), "whole");
        assert_eq!(readable("\u{feff}first".as_bytes(), false), "first");
    }
}
