//! The formats of fields in the dump.

use orient_model::{Complexity, Modifiers, Span};
use std::fmt;

/// A searchable tag of a symbol.
pub(super) struct Tag<'t>(pub(super) bool, pub(super) &'t str);

impl fmt::Display for Tag<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}\t{}", if self.0 { "base" } else { "attribute" }, Escaped(self.1))
    }
}

/// Text escaped to one line and one field.
pub(super) struct Escaped<'t>(pub(super) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\\' => f.write_str("\\\\")?,
                c if c.is_control() => write!(f, "{}", c.escape_default())?,
                c => fmt::Write::write_char(f, c)?,
            }
        }
        Ok(())
    }
}

/// A value, or `-`.
pub(super) struct Maybe<T>(pub(super) Option<T>);

impl<T: fmt::Display> fmt::Display for Maybe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("-"),
        }
    }
}

/// A span as `start-end@first-last`.
pub(super) struct Range(pub(super) Span);

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { start, end, first_line, last_line } = self.0;
        write!(f, "{start}-{end}@{first_line}-{last_line}")
    }
}

/// The measures of a function: cyclomatic, cognitive, nesting.
pub(super) struct Measures(pub(super) Complexity);

impl fmt::Display for Measures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Complexity { cyclomatic, cognitive, nesting } = self.0;
        write!(f, "{cyclomatic}/{cognitive}/{nesting}")
    }
}

/// A range of lines.
pub(super) struct Lines(pub(super) u32, pub(super) u32);

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0, self.1)
    }
}

/// Modifiers, separated by commas.
pub(super) struct Words(pub(super) Modifiers);

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.0.iter().map(orient_model::Modifier::as_str);
        f.write_str(words.next().unwrap_or("-"))?;
        words.try_for_each(|word| write!(f, ",{word}"))
    }
}
