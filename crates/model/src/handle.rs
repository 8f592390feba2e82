//! Symbol handles: `src/server.go#Server.Run`. Where one file has several symbols of that name, overloads have their parameter
//! types, `Cart.java#Cart.add(Item,int)`, and others a number, `twice.py#again~2`.

use std::fmt;

/// The readable, stable address of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    /// The file's path as shown, relative to the root.
    pub path: String,
    /// Names from the outermost container to the symbol itself.
    pub names: Vec<String>,
    /// Its place among the symbols of the file with the same qualified name, from 0.
    pub ordinal: u32,
    /// The parameter types, separated by commas, if they tell it from other functions of the name. They do not change when
    /// another overload is inserted before it, as the ordinal does.
    pub overload: Option<String>,
}

/// Why a text is not a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleError {
    /// There is no `#`.
    NoHash,
    /// The part before or after the `#` is empty.
    Empty,
}

impl Handle {
    /// Joins names to a qualified name; a dot inside a name is kept apart by a backslash.
    pub fn join<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
        let mut joined = String::new();
        for (index, name) in names.into_iter().enumerate() {
            if index > 0 {
                joined.push('.');
            }
            for c in name.chars() {
                if matches!(c, '.' | '~' | '\\') {
                    joined.push('\\');
                }
                joined.push(if c.is_control() { ' ' } else { c });
            }
        }
        joined
    }

    /// Splits a qualified name as users write it (`A.b`, `A::b`, `A#b`) into its names.
    pub fn split(qualified: &str) -> Vec<String> {
        let (mut names, mut name) = (Vec::new(), String::new());
        let mut chars = qualified.chars().peekable();
        while let Some(c) = chars.next() {
            let next = chars.peek().copied();
            match c {
                '\\' if matches!(next, Some('.' | '~' | '\\')) => name.extend(chars.next()),
                '.' | '#' => names.push(std::mem::take(&mut name)),
                ':' if next == Some(':') => {
                    chars.next();
                    names.push(std::mem::take(&mut name));
                }
                c => name.push(c),
            }
        }
        names.push(name);
        names.retain(|name| !name.is_empty());
        names
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.path, Self::join(self.names.iter().map(String::as_str)))?;
        match &self.overload {
            Some(types) => write!(f, "({types})"),
            None if self.ordinal > 0 => write!(f, "~{}", self.ordinal + 1),
            None => Ok(()),
        }
    }
}

impl std::str::FromStr for Handle {
    type Err = HandleError;

    fn from_str(text: &str) -> Result<Self, HandleError> {
        let (path, rest) = text.split_once('#').ok_or(HandleError::NoHash)?;
        let (rest, overload) = split_overload(rest);
        let (qualified, ordinal) = match rest.rsplit_once('~') {
            Some((before, digits)) if !before.ends_with('\\') => match digits.parse::<u32>() {
                Ok(n) if n > 0 => (before, n - 1),
                _ => (rest, 0),
            },
            _ => (rest, 0),
        };
        let names = Self::split(qualified);
        if path.is_empty() || names.is_empty() {
            return Err(HandleError::Empty);
        }
        Ok(Self { path: path.to_owned(), names, ordinal, overload: overload.map(str::to_owned) })
    }
}

/// A qualified name and the types in parentheses directly after it. A space before the parenthesis makes it part of a name, as in a
/// heading.
fn split_overload(rest: &str) -> (&str, Option<&str>) {
    let parts = rest.strip_suffix(')').and_then(|rest| rest.split_once('('));
    let is_call =
        |name: &str| name.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '?' | '!'));
    match parts {
        Some((name, types)) if is_call(name) => (name, Some(types)),
        _ => (rest, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_read_back_as_written() {
        for text in [
            "a.go#Server.Run",
            "a.go#Server.Run~2",
            "docs/x.md#1\\. Intro",
            "docs/x.md#Usage (advanced)",
            "a#b\\~2",
            "A.java#A.add(Item,int)",
            "A.java#A.add()",
        ] {
            assert_eq!(text.parse::<Handle>().expect(text).to_string(), text);
        }
        assert_eq!("a.go".parse::<Handle>(), Err(HandleError::NoHash));
        assert_eq!("#x".parse::<Handle>(), Err(HandleError::Empty));
        assert_eq!(Handle::split("std::io::Read"), ["std", "io", "Read"]);
    }
}
