//! The types of settings: how each is parsed from TOML or plain text, and formatted.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// A value before its type is known. The environment and the command line provide only text, which every type can
/// parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RawValue {
    Text(String),
    Integer(i64),
    Flag(bool),
    List(Vec<RawValue>),
    Table(Vec<(String, RawValue)>),
    /// A value that no setting accepts, described in words.
    Other(&'static str),
}

impl RawValue {
    pub(crate) fn from_toml(value: &DeValue<'_>) -> Self {
        match value {
            DeValue::String(text) => Self::Text(text.to_string()),
            DeValue::Integer(number) => {
                let digits = number.as_str().replace('_', "");
                i64::from_str_radix(&digits, number.radix())
                    .map_or(Self::Other("a number out of range"), Self::Integer)
            }
            DeValue::Array(items) => {
                Self::List(items.iter().map(|item| Self::from_toml(item.get_ref())).collect())
            }
            DeValue::Table(table) => Self::Table(Self::entries(table)),
            DeValue::Float(_) => Self::Other("a floating-point number"),
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

    /// Parses text that has the syntax of a TOML list or table.
    fn structured(&self) -> Self {
        if let Self::Text(text) = self
            && text.trim_start().starts_with(['[', '{'])
            && let Ok(value) = DeValue::parse(text.trim())
        {
            return Self::from_toml(value.get_ref());
        }
        self.clone()
    }

    /// Whether a list contains an entry that begins with `!` and so removes others.
    pub(crate) fn has_negation(&self) -> bool {
        match self.structured() {
            Self::Text(text) => split(&text).iter().any(|item| item.starts_with('!')),
            Self::List(items) => items
                .iter()
                .any(|item| matches!(item, Self::Text(text) if text.trim_start().starts_with('!'))),
            Self::Table(entries) => entries.iter().any(|(glob, _)| glob.trim_start().starts_with('!')),
            Self::Integer(_) | Self::Flag(_) | Self::Other(_) => false,
        }
    }

    fn describe(&self) -> String {
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

/// The type of a setting. Errors say what is wrong; the loader adds the location and an example.
pub(crate) trait Setting: Sized {
    /// The type, in words.
    const KIND: &'static str;
    /// Parses a value; a relative path is resolved against `base`.
    fn parse(raw: &RawValue, base: &Path) -> Result<Self, String>;
    /// The value in TOML syntax.
    fn format(&self) -> String;

    /// Merges the value of a source with precedence into this one; only lists can be merged.
    fn merge(self, _stronger: &Self) -> Self {
        self
    }

    /// Whether it is at most `other`; only sizes can be compared.
    fn is_at_most(&self, _other: &Self) -> bool {
        false
    }
}

/// A number of bytes, written as `2MiB`, `512KB` or a plain number.
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
    /// A size in mebibytes.
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

    fn parse(raw: &RawValue, _base: &Path) -> Result<Self, String> {
        match raw {
            RawValue::Text(text) => text.parse(),
            RawValue::Integer(number) => {
                u64::try_from(*number).map(Self).map_err(|_| format!("{number} is negative"))
            }
            other => Err(format!("expected a size, not {}", other.describe())),
        }
    }

    fn format(&self) -> String {
        if self.0.is_multiple_of(1024) && self.0 > 0 { format!("\"{self}\"") } else { self.0.to_string() }
    }

    fn is_at_most(&self, other: &Self) -> bool {
        self <= other
    }
}

impl Setting for usize {
    const KIND: &'static str = "number";

    fn parse(raw: &RawValue, _base: &Path) -> Result<Self, String> {
        match raw {
            RawValue::Text(text) => text.trim().parse().map_err(|_| format!("{text:?} is not an integer")),
            RawValue::Integer(number) => Self::try_from(*number).map_err(|_| format!("{number} is negative")),
            other => Err(format!("expected an integer, not {}", other.describe())),
        }
    }

    fn format(&self) -> String {
        self.to_string()
    }
}

impl Setting for bool {
    const KIND: &'static str = "true or false";

    fn parse(raw: &RawValue, _base: &Path) -> Result<Self, String> {
        match raw {
            RawValue::Flag(flag) => Ok(*flag),
            RawValue::Text(text) => {
                text.trim().parse().map_err(|_| format!("{text:?} is neither true nor false"))
            }
            other => Err(format!("expected true or false, not {}", other.describe())),
        }
    }

    fn format(&self) -> String {
        self.to_string()
    }
}

/// Unset means that the program decides.
impl Setting for Option<bool> {
    const KIND: &'static str = "true or false";

    fn parse(raw: &RawValue, base: &Path) -> Result<Self, String> {
        bool::parse(raw, base).map(Some)
    }

    fn format(&self) -> String {
        self.map_or_else(String::new, |flag| flag.to_string())
    }
}

impl Setting for Vec<String> {
    const KIND: &'static str = "list of globs";

    fn parse(raw: &RawValue, _base: &Path) -> Result<Self, String> {
        let items = match raw.structured() {
            RawValue::Text(text) => split(&text),
            RawValue::List(items) => items.iter().map(glob_text).collect::<Result<_, _>>()?,
            other => return Err(format!("expected a list of globs, not {}", other.describe())),
        };
        for item in &items {
            check_glob(item)?;
        }
        Ok(items)
    }

    fn format(&self) -> String {
        format!("[{}]", self.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", "))
    }

    /// The last matching glob decides, so those with precedence come last.
    fn merge(mut self, stronger: &Self) -> Self {
        self.extend(stronger.iter().cloned());
        self
    }
}

/// Command lines by language. A command is split at white space; there is no quoting, and no shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands(pub BTreeMap<String, String>);

impl Setting for Commands {
    const KIND: &'static str = "table from language to command";

    fn parse(raw: &RawValue, _base: &Path) -> Result<Self, String> {
        let entries: Vec<(String, String)> = match raw.structured() {
            RawValue::Text(text) => split(&text)
                .iter()
                .map(|entry| {
                    let (language, command) =
                        entry.split_once('=').ok_or_else(|| format!("{entry:?} has no `=`"))?;
                    Ok((language.trim().to_owned(), command.trim().to_owned()))
                })
                .collect::<Result<_, String>>()?,
            RawValue::Table(entries) => entries
                .into_iter()
                .map(|(language, value)| match value {
                    RawValue::Text(command) => Ok((language, command)),
                    other => Err(format!("expected a command for {language:?}, not {}", other.describe())),
                })
                .collect::<Result<_, _>>()?,
            other => {
                return Err(format!("expected a table from language to command, not {}", other.describe()));
            }
        };
        if let Some((language, _)) = entries.iter().find(|(_, command)| command.trim().is_empty()) {
            return Err(format!("the command for {language:?} is empty"));
        }
        Ok(Self(entries.into_iter().collect()))
    }

    fn format(&self) -> String {
        self.0.format()
    }
}

impl Setting for BTreeMap<String, String> {
    const KIND: &'static str = "table from glob to language";

    fn parse(raw: &RawValue, _base: &Path) -> Result<Self, String> {
        let entries: Vec<(String, String)> = match raw.structured() {
            RawValue::Text(text) => split(&text)
                .iter()
                .map(|entry| {
                    let (glob, language) =
                        entry.rsplit_once('=').ok_or_else(|| format!("{entry:?} has no `=`"))?;
                    Ok((glob.trim().to_owned(), language.trim().to_owned()))
                })
                .collect::<Result<_, String>>()?,
            RawValue::Table(entries) => entries
                .into_iter()
                .map(|(glob, value)| match value {
                    RawValue::Text(language) => Ok((glob, language)),
                    other => {
                        Err(format!("expected the name of a language for {glob:?}, not {}", other.describe()))
                    }
                })
                .collect::<Result<_, _>>()?,
            other => {
                return Err(format!("expected a table from glob to language, not {}", other.describe()));
            }
        };
        for (glob, _) in &entries {
            check_glob(glob)?;
        }
        Ok(entries.into_iter().collect())
    }

    fn format(&self) -> String {
        if self.is_empty() {
            return "{}".to_owned();
        }
        let entries: Vec<_> =
            self.iter().map(|(glob, language)| format!("{} = {}", quoted(glob), quoted(language))).collect();
        format!("{{ {} }}", entries.join(", "))
    }

    fn merge(mut self, stronger: &Self) -> Self {
        self.extend(stronger.iter().map(|(glob, language)| (glob.clone(), language.clone())));
        self
    }
}

impl Setting for BTreeMap<String, Vec<String>> {
    const KIND: &'static str = "table from role to conditions";

    fn parse(raw: &RawValue, _base: &Path) -> Result<Self, String> {
        let RawValue::Table(entries) = raw.structured() else {
            return Err(format!("expected a table from role to conditions, not {}", raw.describe()));
        };
        let text = |role: &str, value: RawValue| match value {
            RawValue::Text(text) if !text.trim().is_empty() => Ok(text),
            other => {
                Err(format!("expected each condition of {role:?} to be a text, not {}", other.describe()))
            }
        };
        let conditions = |(role, value): (String, RawValue)| {
            if !(1..=40).contains(&role.len())
                || !role.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
            {
                return Err(format!(
                    "{role:?} is no name of a role: at most 40 letters, digits, `_` and `-`"
                ));
            }
            let texts = match value {
                RawValue::List(items) => items.into_iter().map(|item| text(&role, item)).collect(),
                one => text(&role, one).map(|text| vec![text]),
            };
            texts.map(|texts: Vec<String>| (role, texts))
        };
        entries.into_iter().map(conditions).collect()
    }

    fn format(&self) -> String {
        if self.is_empty() {
            return "{}".to_owned();
        }
        let list = |texts: &Vec<String>| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
        let entries: Vec<_> =
            self.iter().map(|(role, texts)| format!("{role} = [{}]", list(texts))).collect();
        format!("{{ {} }}", entries.join(", "))
    }

    fn merge(mut self, stronger: &Self) -> Self {
        self.extend(stronger.iter().map(|(role, texts)| (role.clone(), texts.clone())));
        self
    }
}

impl Setting for Vec<PathBuf> {
    const KIND: &'static str = "list of directories";

    fn parse(raw: &RawValue, base: &Path) -> Result<Self, String> {
        let items = match raw.structured() {
            RawValue::Text(text) => split(&text),
            RawValue::List(items) => items
                .iter()
                .map(|item| match item {
                    RawValue::Text(text) => Ok(text.clone()),
                    other => Err(format!("expected each directory to be a string, not {}", other.describe())),
                })
                .collect::<Result<_, _>>()?,
            other => return Err(format!("expected a list of directories, not {}", other.describe())),
        };
        if items.iter().any(String::is_empty) {
            return Err("expected a directory, not an empty string".to_owned());
        }
        items.iter().map(|item| crate::paths::absolute(item, base)).collect()
    }

    fn format(&self) -> String {
        let items: Vec<String> = self.iter().map(|path| quoted(&path.to_string_lossy())).collect();
        format!("[{}]", items.join(", "))
    }
}

impl Setting for Option<PathBuf> {
    const KIND: &'static str = "path";

    fn parse(raw: &RawValue, base: &Path) -> Result<Self, String> {
        match raw {
            RawValue::Text(text) if text.is_empty() => Err("expected a path, not an empty string".to_owned()),
            RawValue::Text(text) => Ok(Some(crate::paths::absolute(text, base)?)),
            other => Err(format!("expected a path, not {}", other.describe())),
        }
    }

    fn format(&self) -> String {
        self.as_ref().map_or_else(String::new, |path| quoted(&path.to_string_lossy()))
    }
}

/// Maximum length of a name or URL, in bytes.
const MAX_TEXT: usize = 1000;

impl Setting for Option<String> {
    const KIND: &'static str = "string";

    fn parse(raw: &RawValue, _base: &Path) -> Result<Self, String> {
        match raw {
            RawValue::Text(text) if text.trim().is_empty() => {
                Err("expected a name, not an empty string".to_owned())
            }
            RawValue::Text(text) if text.len() > MAX_TEXT || text.chars().any(char::is_control) => {
                Err("expected a name on one line, of at most 1000 bytes".to_owned())
            }
            RawValue::Text(text) => Ok(Some(text.trim().to_owned())),
            other => Err(format!("expected a name, not {}", other.describe())),
        }
    }

    fn format(&self) -> String {
        self.as_ref().map_or_else(String::new, |text| quoted(text))
    }
}

/// A TOML string with as few escapes as possible, so that globs stay readable.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn glob_text(raw: &RawValue) -> Result<String, String> {
    match raw {
        RawValue::Text(text) => Ok(text.clone()),
        other => Err(format!("expected each glob to be a string, not {}", other.describe())),
    }
}

/// Splits at commas, except inside braces, where a comma is part of the glob.
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
    fn sizes_parse_with_and_without_units() {
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
    fn sizes_format_with_the_largest_exact_unit() {
        assert_eq!(Size::mebibytes(2).to_string(), "2MiB");
        assert_eq!(Size::mebibytes(2048).to_string(), "2GiB");
        assert_eq!(Size(1500).to_string(), "1500");
    }

    #[test]
    fn comma_inside_braces_does_not_split() {
        assert_eq!(split("a/*.{js,ts}, b ,,"), ["a/*.{js,ts}", "b"]);
    }
}
