//! The types a setting can have: how each is read from a file or from plain text, and shown again.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// A value before its type is known. The environment and the command line only ever give text, which each type
/// also understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Raw {
    Text(String),
    Integer(i64),
    Flag(bool),
    List(Vec<Raw>),
    Table(Vec<(String, Raw)>),
    /// Something no setting takes, by the word for it.
    Other(&'static str),
}

impl Raw {
    pub(crate) fn from_toml(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(number) => {
                let digits = number.as_str().replace('_', "");
                i64::from_str_radix(&digits, number.radix())
                    .map_or(Self::Other("too large a number"), Self::Integer)
            }
            DeValue::Array(items) => {
                Self::List(items.iter().map(|item| Self::from_toml(item.get_ref())).collect())
            }
            DeValue::Table(table) => Self::Table(Self::entries(table)),
            DeValue::Float(_) => Self::Other("a fraction"),
            DeValue::Boolean(flag) => Self::Flag(*flag),
            DeValue::Datetime(_) => Self::Other("a date"),
        }
    }

    fn entries(table: &DeTable<'_>) -> Vec<(String, Self)> {
        table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), Self::from_toml(value.get_ref())))
            .collect()
    }

    /// Text that is written as a list or a table is read as one.
    fn opened(&self) -> Self {
        if let Self::Text(text) = self
            && text.trim_start().starts_with(['[', '{'])
            && let Ok(value) = DeValue::parse(text.trim())
        {
            return Self::from_toml(value.get_ref());
        }
        self.clone()
    }

    /// Whether an entry of a list takes back what another says.
    pub(crate) fn takes_back(&self) -> bool {
        match self.opened() {
            Self::Text(text) => split(&text).iter().any(|item| item.starts_with('!')),
            Self::List(items) => items
                .iter()
                .any(|item| matches!(item, Self::Text(text) if text.trim_start().starts_with('!'))),
            Self::Table(entries) => entries.iter().any(|(glob, _)| glob.trim_start().starts_with('!')),
            Self::Integer(_) | Self::Flag(_) | Self::Other(_) => false,
        }
    }

    fn word(&self) -> String {
        match self {
            Self::Text(text) => format!("{text:?}"),
            Self::Integer(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::List(_) => "a list".to_owned(),
            Self::Table(_) => "a table".to_owned(),
            Self::Other(word) => (*word).to_owned(),
        }
    }
}

/// A type of setting. Errors say what is wrong; the loader adds where and what to write instead.
pub(crate) trait Setting: Sized {
    /// What it takes, in words.
    const KIND: &'static str;
    /// Reads it; a relative path hangs from `base`.
    fn read(raw: &Raw, base: &Path) -> Result<Self, String>;
    /// As one would write it in a file.
    fn shown(&self) -> String;

    /// This value together with that of a source that wins over it; only lists can be combined.
    fn added_to(self, _winning: &Self) -> Self {
        self
    }

    /// Whether it is no larger than another; only amounts can be compared.
    fn is_at_most(&self, _other: &Self) -> bool {
        false
    }
}

/// A number of bytes. Written as `2MiB`, `512KB`, or a plain number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u64);

const UNITS: &[(&str, u64)] = &[
    ("gib", 1 << 30),
    ("mib", 1 << 20),
    ("kib", 1 << 10),
    ("gb", 1_000_000_000),
    ("mb", 1_000_000),
    ("kb", 1000),
    ("g", 1 << 30),
    ("m", 1 << 20),
    ("k", 1 << 10),
    ("b", 1),
];

impl Size {
    /// So many mebibytes.
    pub const fn mebibytes(count: u64) -> Self {
        Self(count << 20)
    }

    /// The number of bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl std::str::FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.trim().to_ascii_lowercase().replace('_', "");
        let (digits, unit) = UNITS
            .iter()
            .find_map(|&(suffix, unit)| lower.strip_suffix(suffix).map(|digits| (digits.trim_end(), unit)))
            .unwrap_or((lower.as_str(), 1));
        let count: u64 = digits.parse().map_err(|_| format!("{text:?} is not a size"))?;
        count.checked_mul(unit).map(Self).ok_or_else(|| format!("{text:?} is too large"))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, unit) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] {
            if self.0 >= unit && self.0.is_multiple_of(unit) {
                return write!(f, "{}{word}", self.0 / unit);
            }
        }
        write!(f, "{}", self.0)
    }
}

impl Setting for Size {
    const KIND: &'static str = "size";

    fn read(raw: &Raw, _base: &Path) -> Result<Self, String> {
        match raw {
            Raw::Text(text) => text.parse(),
            Raw::Integer(number) => {
                u64::try_from(*number).map(Self).map_err(|_| format!("{number} is below zero"))
            }
            other => Err(format!("a size was expected, not {}", other.word())),
        }
    }

    fn shown(&self) -> String {
        if self.0.is_multiple_of(1024) && self.0 > 0 { format!("\"{self}\"") } else { self.0.to_string() }
    }

    fn is_at_most(&self, other: &Self) -> bool {
        self <= other
    }
}

impl Setting for usize {
    const KIND: &'static str = "number";

    fn read(raw: &Raw, _base: &Path) -> Result<Self, String> {
        match raw {
            Raw::Text(text) => text.trim().parse().map_err(|_| format!("{text:?} is not a whole number")),
            Raw::Integer(number) => Self::try_from(*number).map_err(|_| format!("{number} is below zero")),
            other => Err(format!("a whole number was expected, not {}", other.word())),
        }
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Setting for bool {
    const KIND: &'static str = "true or false";

    fn read(raw: &Raw, _base: &Path) -> Result<Self, String> {
        match raw {
            Raw::Flag(flag) => Ok(*flag),
            Raw::Text(text) => text.trim().parse().map_err(|_| format!("{text:?} is neither true nor false")),
            other => Err(format!("true or false was expected, not {}", other.word())),
        }
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Setting for Vec<String> {
    const KIND: &'static str = "list of globs";

    fn read(raw: &Raw, _base: &Path) -> Result<Self, String> {
        let items = match raw.opened() {
            Raw::Text(text) => split(&text),
            Raw::List(items) => items.iter().map(glob_text).collect::<Result<_, _>>()?,
            other => return Err(format!("a list of globs was expected, not {}", other.word())),
        };
        for item in &items {
            check_glob(item)?;
        }
        Ok(items)
    }

    fn shown(&self) -> String {
        format!("[{}]", self.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", "))
    }

    /// Of several globs the last that matches counts, so those that win come last.
    fn added_to(mut self, winning: &Self) -> Self {
        self.extend(winning.iter().cloned());
        self
    }
}

impl Setting for BTreeMap<String, String> {
    const KIND: &'static str = "table of glob to language";

    fn read(raw: &Raw, _base: &Path) -> Result<Self, String> {
        let entries: Vec<(String, String)> = match raw.opened() {
            Raw::Text(text) => split(&text)
                .iter()
                .map(|entry| {
                    let (glob, language) =
                        entry.rsplit_once('=').ok_or_else(|| format!("{entry:?} has no `=`"))?;
                    Ok((glob.trim().to_owned(), language.trim().to_owned()))
                })
                .collect::<Result<_, String>>()?,
            Raw::Table(entries) => entries
                .into_iter()
                .map(|(glob, value)| match value {
                    Raw::Text(language) => Ok((glob, language)),
                    other => Err(format!("{glob:?} needs the name of a language, not {}", other.word())),
                })
                .collect::<Result<_, _>>()?,
            other => {
                return Err(format!("a table of glob to language was expected, not {}", other.word()));
            }
        };
        for (glob, _) in &entries {
            check_glob(glob)?;
        }
        Ok(entries.into_iter().collect())
    }

    fn shown(&self) -> String {
        if self.is_empty() {
            return "{}".to_owned();
        }
        let entries: Vec<_> =
            self.iter().map(|(glob, language)| format!("{} = {}", quoted(glob), quoted(language))).collect();
        format!("{{ {} }}", entries.join(", "))
    }

    fn added_to(mut self, winning: &Self) -> Self {
        self.extend(winning.iter().map(|(glob, language)| (glob.clone(), language.clone())));
        self
    }
}

impl Setting for Option<PathBuf> {
    const KIND: &'static str = "folder";

    fn read(raw: &Raw, base: &Path) -> Result<Self, String> {
        match raw {
            Raw::Text(text) if text.is_empty() => Err("a folder was expected, not an empty text".to_owned()),
            Raw::Text(text) => Ok(Some(crate::places::absolute(text, base)?)),
            other => Err(format!("a folder was expected, not {}", other.word())),
        }
    }

    fn shown(&self) -> String {
        self.as_ref().map_or_else(String::new, |path| quoted(&path.to_string_lossy()))
    }
}

/// The longest name or address that is taken for one.
const LONGEST_TEXT: usize = 1000;

impl Setting for Option<String> {
    const KIND: &'static str = "text";

    fn read(raw: &Raw, _base: &Path) -> Result<Self, String> {
        match raw {
            Raw::Text(text) if text.trim().is_empty() => {
                Err("a name was expected, not an empty text".to_owned())
            }
            Raw::Text(text) if text.len() > LONGEST_TEXT || text.chars().any(char::is_control) => {
                Err("a name was expected, on one line and of at most 1000 bytes".to_owned())
            }
            Raw::Text(text) => Ok(Some(text.trim().to_owned())),
            other => Err(format!("a name was expected, not {}", other.word())),
        }
    }

    fn shown(&self) -> String {
        self.as_ref().map_or_else(String::new, |text| quoted(text))
    }
}

/// A TOML string. Only what must be escaped is, so that globs stay readable.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn glob_text(raw: &Raw) -> Result<String, String> {
    match raw {
        Raw::Text(text) => Ok(text.clone()),
        other => Err(format!("each glob is a text, not {}", other.word())),
    }
}

/// Splits at commas, except inside braces, where a comma belongs to the glob.
fn split(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (c, items.last_mut()) {
            (',', _) if depth == 0 => items.push(String::new()),
            (c, Some(last)) => last.push(c),
            (_, None) => {}
        }
    }
    items.into_iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

fn check_glob(glob: &str) -> Result<(), String> {
    match globset::Glob::new(glob.strip_prefix('!').unwrap_or(glob)) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{glob:?} is not a glob: {}", error.kind())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_units_and_without() {
        let cases = [
            ("2MiB", 2 << 20),
            ("512KB", 512_000),
            ("1 gib", 1 << 30),
            ("4k", 4096),
            ("1_000", 1000),
            ("0", 0),
            ("7b", 7),
        ];
        for (text, bytes) in cases {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in ["", "MiB", "2 parsecs", "-1", "1.5MiB", "99999999999GiB"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_shown_as_one_would_write_them() {
        assert_eq!(Size::mebibytes(2).to_string(), "2MiB");
        assert_eq!(Size::mebibytes(2048).to_string(), "2GiB");
        assert_eq!(Size(1500).to_string(), "1500");
    }

    #[test]
    fn a_comma_inside_braces_belongs_to_the_glob() {
        assert_eq!(split("a/*.{js,ts}, b ,,"), ["a/*.{js,ts}", "b"]);
    }
}
