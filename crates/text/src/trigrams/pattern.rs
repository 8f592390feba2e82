//! From patterns as users give them to what a matching text must have.

use super::required_trigrams;
use super::trigram_query::Query;
use regex_syntax::ParserBuilder;

/// How patterns are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Whether they are plain strings rather than regular expressions.
    pub literal: bool,
    /// Whether upper and lower case may be taken for the same.
    pub ignore_case: bool,
    /// Whether characters are those of Unicode.
    pub unicode: bool,
}

/// What a text must have that matches one of the patterns. A pattern that cannot be read asks for nothing.
pub fn required<'p>(patterns: impl IntoIterator<Item = &'p str>, dialect: Dialect) -> Query {
    Query::or(patterns.into_iter().map(|pattern| of_one(pattern, dialect)))
}

fn of_one(pattern: &str, dialect: Dialect) -> Query {
    if dialect.literal && (!dialect.ignore_case || pattern.is_ascii()) {
        return required_trigrams::of_literal(pattern.as_bytes());
    }
    let escaped;
    let pattern = if dialect.literal {
        escaped = regex_syntax::escape(pattern);
        &escaped
    } else {
        pattern
    };
    let parsed = ParserBuilder::new()
        .case_insensitive(dialect.ignore_case)
        .unicode(dialect.unicode)
        .utf8(false)
        .multi_line(true)
        .build()
        .parse(pattern);
    parsed.map_or(Query::All, |hir| required_trigrams::of(&hir))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Dialect = Dialect { literal: false, ignore_case: false, unicode: true };

    /// The query in a form to read: `abc bcd` for both, `(a|b)` for either.
    fn shown(query: &Query) -> String {
        let list = |parts: &[Query], between: &str| parts.iter().map(shown).collect::<Vec<_>>().join(between);
        match query {
            Query::All => "*".to_owned(),
            Query::Nothing => "-".to_owned(),
            Query::Gram(gram) => String::from_utf8_lossy(&gram.to_be_bytes()[1..]).into_owned(),
            Query::And(parts) => list(parts, " "),
            Query::Or(parts) => format!("({})", list(parts, "|")),
        }
    }

    fn asks(pattern: &str) -> String {
        shown(&required([pattern], PLAIN))
    }

    #[test]
    fn a_literal_asks_for_all_its_trigrams() {
        assert_eq!(asks("Parse"), "ars par rse");
        assert_eq!(asks("ab"), "*");
        assert_eq!(shown(&required(["a.b"], Dialect { literal: true, ..PLAIN })), "a.b");
    }

    #[test]
    fn what_stands_between_does_not_hide_what_stands_around() {
        assert_eq!(asks(r"fn\s+parse_\w+\("), "ars par rse se_");
        assert_eq!(asks("foo.*bar"), "bar foo");
        assert_eq!(asks("abc?d"), "(abd|abc bcd)");
    }

    #[test]
    fn alternatives_ask_for_one_of_them() {
        assert_eq!(asks("kmalloc|kfree"), "(all kma llo loc mal|fre kfr ree)");
        assert_eq!(asks("get|x"), "*");
        assert_eq!(asks("(read|write)_lock"), "_lo loc ock (ad_ d_l ead rea|e_l ite rit te_ wri)");
        assert_eq!(shown(&required(["one", "two"], PLAIN)), "(one|two)");
    }

    #[test]
    fn small_classes_are_written_out_and_large_ones_are_not() {
        assert_eq!(asks("v[123]x"), "(v1x|v2x|v3x)");
        assert_eq!(asks(r"abc\ddef"), "abc def");
        assert_eq!(asks("[a-z]+"), "*");
        assert_eq!(asks("(abc){2,}"), "abc bca cab");
    }

    #[test]
    fn case_and_script_make_no_difference() {
        for pattern in ["(?i)kernelSpace", "kernelspace", "KERNELSPACE"] {
            assert_eq!(asks(pattern), "ace els ern ker lsp nel pac rne spa", "{pattern}");
        }
        assert_eq!(asks("(?i)größe"), asks("GRÖSSE".replace("SS", "ß").as_str()));
        assert_ne!(asks("(?i)größe"), "*");
    }

    #[test]
    fn half_a_character_asks_for_nothing() {
        assert_eq!(asks(r"(?-u)abc\xe2\x84def"), "abc def");
        assert_eq!(asks(r"(?-u)\xff\xfe\xfd\xfc"), "*");
    }

    #[test]
    fn what_cannot_be_read_asks_for_nothing() {
        assert_eq!(asks("(abc"), "*");
    }
}
