//! Patterns of paths in source texts, by which a program loads files of its own: `glob(__DIR__ . '/Rules/*Rule.php')`,
//! `import.meta.glob('./pages/*.vue')`, `entities: ['dist/**/*.entity{.ts,.js}']`.

use std::collections::BTreeSet;

/// The patterns that were found.
#[derive(Default)]
pub(super) struct FilePatterns {
    patterns: BTreeSet<String>,
}

/// Maximum length of a pattern.
const MAX_LENGTH: usize = 200;
/// Minimum number of letters that a pattern states about the names of files, besides their extension.
const MIN_LITERAL: usize = 4;
const QUOTES: [char; 3] = ['"', '\'', '`'];

impl FilePatterns {
    /// Collects the patterns in a text. A pattern is a whole string literal, or the rest of one after a computed part.
    pub(super) fn read(&mut self, text: &str) {
        for (at, _) in text.match_indices('*') {
            let ends = |c: char| c.is_whitespace() || QUOTES.contains(&c) || "()[]<>;,".contains(c);
            let start = text[..at].rfind(ends).map_or(0, |start| start + 1);
            let end = text[at..]
                .find(|c: char| c.is_whitespace() || QUOTES.contains(&c))
                .map_or(text.len(), |end| at + end);
            let is_quoted = text[..start].ends_with(QUOTES) && text[end..].starts_with(QUOTES);
            let pattern = &text[start..end];
            if is_quoted && pattern.len() <= MAX_LENGTH && says_enough(pattern) {
                self.patterns.insert(pattern.to_owned());
            }
        }
    }

    /// A pattern that a path fits.
    pub(super) fn of(&self, path: &str) -> Option<&str> {
        self.patterns.iter().map(String::as_str).find(|pattern| fits(pattern, path))
    }
}

/// The part of a pattern about the name of the file, and that about its directory.
fn last_parts(pattern: &str) -> (&str, Option<&str>) {
    let mut parts = pattern.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let directory = parts.next().filter(|part| !part.is_empty() && !part.starts_with(['.', '$']));
    (name.split(['{', '(']).next().unwrap_or(name), directory)
}

/// Whether a pattern says more about files than their extension.
fn says_enough(pattern: &str) -> bool {
    let (name, directory) = last_parts(pattern);
    let letters = |part: &str| part.chars().filter(|c| c.is_alphabetic()).count();
    // Alternatives at the end are extensions: `*.entity{.ts,.js}`.
    let has_extension = pattern.ends_with(name);
    let stem = name.rsplit_once('.').filter(|_| has_extension).map_or(name, |(stem, _)| stem);
    let in_directory = directory.is_some_and(|part| !part.contains('*') && letters(part) >= MIN_LITERAL);
    name.contains('*') && (letters(stem) >= MIN_LITERAL || in_directory) && pattern.contains(['/', '.'])
}

fn fits(pattern: &str, path: &str) -> bool {
    let (name, directory) = last_parts(pattern);
    let mut parts = path.rsplit('/');
    let is_named = parts.next().is_some_and(|part| in_order(name, part));
    let around = parts.next().unwrap_or_default();
    is_named && directory.is_none_or(|wanted| wanted.contains('*') || wanted == around)
}

/// Whether the literal parts of a pattern are in a name, in order. What follows the pattern is free: an extension may be computed.
fn in_order(pattern: &str, name: &str) -> bool {
    let mut rest = name;
    pattern.split('*').all(|literal| match rest.find(literal) {
        Some(at) => {
            rest = &rest[at + literal.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(text: &str, path: &str) -> bool {
        let mut patterns = FilePatterns::default();
        patterns.read(text);
        patterns.of(path).is_some()
    }

    #[test]
    fn a_file_that_a_pattern_in_the_source_loads_is_found() {
        assert!(loads("glob(__DIR__ . '/Rules/*Rule.php')", "app/Rules/AgeRule.php"));
        assert!(loads("import.meta.glob('./pages/*.vue')", "src/pages/Home.vue"));
        assert!(loads("entities: [__dirname + '/../**/*.entity{.ts,.js}']", "src/users/user.entity.ts"));
        assert!(!loads("glob('/Rules/*Rule.php')", "app/Rules/Other.php"));
        assert!(!loads("import.meta.glob('./pages/*.vue')", "src/components/Home.vue"));
    }

    #[test]
    fn a_pattern_that_only_names_an_extension_says_nothing() {
        assert!(!loads("walk('**/*.py')", "shop/models.py"));
        assert!(!loads("files = '*'", "shop/models.py"));
        assert!(!loads("a = b * 'entity'", "shop/entity.py"));
    }
}
