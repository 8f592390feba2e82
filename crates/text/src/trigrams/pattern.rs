//! Parses patterns and computes the trigrams that matching texts contain.

use super::required_trigrams as analysis;
use super::trigram_query::TrigramQuery;
use regex_syntax::ParserBuilder;

/// How patterns are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternSyntax {
    /// Literal strings instead of regular expressions.
    pub literal: bool,
    /// Case-insensitive.
    pub ignore_case: bool,
    /// Unicode mode: character classes and case folding follow Unicode.
    pub unicode: bool,
}

/// The trigrams that a text contains if it matches one of the patterns. An invalid pattern requires nothing.
pub fn required_trigrams<'p>(
    patterns: impl IntoIterator<Item = &'p str>,
    syntax: PatternSyntax,
) -> TrigramQuery {
    TrigramQuery::or(patterns.into_iter().map(|pattern| of_pattern(pattern, syntax)))
}

fn of_pattern(pattern: &str, syntax: PatternSyntax) -> TrigramQuery {
    if syntax.literal && (!syntax.ignore_case || pattern.is_ascii()) {
        return analysis::of_literal(pattern.as_bytes());
    }
    let escaped;
    let pattern = if syntax.literal {
        escaped = regex_syntax::escape(pattern);
        &escaped
    } else {
        pattern
    };
    let parsed = ParserBuilder::new()
        .case_insensitive(syntax.ignore_case)
        .unicode(syntax.unicode)
        .utf8(false)
        .multi_line(true)
        .build()
        .parse(pattern);
    parsed.map_or(TrigramQuery::All, |hir| analysis::of(&hir))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: PatternSyntax = PatternSyntax { literal: false, ignore_case: false, unicode: true };

    /// The query as text: `abc bcd` for both, `(a|b)` for either.
    fn shown(query: &TrigramQuery) -> String {
        let list =
            |parts: &[TrigramQuery], between: &str| parts.iter().map(shown).collect::<Vec<_>>().join(between);
        match query {
            TrigramQuery::All => "*".to_owned(),
            TrigramQuery::Nothing => "-".to_owned(),
            TrigramQuery::Trigram(trigram) => {
                String::from_utf8_lossy(&trigram.to_be_bytes()[1..]).into_owned()
            }
            TrigramQuery::And(parts) => list(parts, " "),
            TrigramQuery::Or(parts) => format!("({})", list(parts, "|")),
        }
    }

    fn trigrams_of(pattern: &str) -> String {
        shown(&required_trigrams([pattern], PLAIN))
    }

    #[test]
    fn a_literal_requires_all_its_trigrams() {
        assert_eq!(trigrams_of("Parse"), "ars par rse");
        assert_eq!(trigrams_of("ab"), "*");
        assert_eq!(shown(&required_trigrams(["a.b"], PatternSyntax { literal: true, ..PLAIN })), "a.b");
    }

    #[test]
    fn wildcards_do_not_hide_the_literals_around_them() {
        assert_eq!(trigrams_of(r"fn\s+parse_\w+\("), "ars par rse se_");
        assert_eq!(trigrams_of("foo.*bar"), "bar foo");
        assert_eq!(trigrams_of("abc?d"), "(abd|abc bcd)");
    }

    #[test]
    fn alternatives_require_one_of_them() {
        assert_eq!(trigrams_of("kmalloc|kfree"), "(all kma llo loc mal|fre kfr ree)");
        assert_eq!(trigrams_of("get|x"), "*");
        assert_eq!(trigrams_of("(read|write)_lock"), "_lo loc ock (ad_ d_l ead rea|e_l ite rit te_ wri)");
        assert_eq!(shown(&required_trigrams(["one", "two"], PLAIN)), "(one|two)");
    }

    #[test]
    fn small_character_classes_are_expanded_and_large_ones_are_not() {
        assert_eq!(trigrams_of("v[123]x"), "(v1x|v2x|v3x)");
        assert_eq!(trigrams_of(r"abc\ddef"), "abc def");
        assert_eq!(trigrams_of("[a-z]+"), "*");
        assert_eq!(trigrams_of("(abc){2,}"), "abc bca cab");
    }

    #[test]
    fn case_makes_no_difference_in_any_script() {
        for pattern in ["(?i)kernelSpace", "kernelspace", "KERNELSPACE"] {
            assert_eq!(trigrams_of(pattern), "ace els ern ker lsp nel pac rne spa", "{pattern}");
        }
        assert_eq!(trigrams_of("(?i)größe"), trigrams_of("GRÖSSE".replace("SS", "ß").as_str()));
        assert_ne!(trigrams_of("(?i)größe"), "*");
    }

    #[test]
    fn incomplete_utf8_requires_nothing() {
        assert_eq!(trigrams_of(r"(?-u)abc\xe2\x84def"), "abc def");
        assert_eq!(trigrams_of(r"(?-u)\xff\xfe\xfd\xfc"), "*");
    }

    #[test]
    fn an_invalid_pattern_requires_nothing() {
        assert_eq!(trigrams_of("(abc"), "*");
    }
}
