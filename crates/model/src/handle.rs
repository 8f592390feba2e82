//! Symbol handles: `src/server.go#Server.Run`, with `~2` where one file has several of that name.

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
        if self.ordinal > 0 { write!(f, "~{}", self.ordinal + 1) } else { Ok(()) }
    }
}

impl std::str::FromStr for Handle {
    type Err = HandleError;

    fn from_str(text: &str) -> Result<Self, HandleError> {
        let (path, rest) = text.split_once('#').ok_or(HandleError::NoHash)?;
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
        Ok(Self { path: path.to_owned(), names, ordinal })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_read_back_as_written() {
        for text in ["a.go#Server.Run", "a.go#Server.Run~2", "docs/x.md#1\\. Intro", "a#b\\~2"] {
            assert_eq!(text.parse::<Handle>().expect(text).to_string(), text);
        }
        assert_eq!("a.go".parse::<Handle>(), Err(HandleError::NoHash));
        assert_eq!("#x".parse::<Handle>(), Err(HandleError::Empty));
        assert_eq!(Handle::split("std::io::Read"), ["std", "io", "Read"]);
    }
}
