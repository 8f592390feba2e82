//! Paths inside a repository: relative, as bytes, separated by `/` on every platform.

use std::borrow::Cow;
use std::fmt;

/// The path of a file below the root of its repository.
///
/// Bytes, because a file name need not be UTF-8. Ordered by bytes, like every listing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Box<[u8]>);

impl RepoPath {
    /// Whether it is this directory or file, or below it. Everything is below the empty path.
    pub fn is_below(&self, directory: &Self) -> bool {
        let rest = self.0.strip_prefix(&directory.0[..]);
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || directory.0.is_empty())
    }

    /// A path from bytes that are already relative and separated by `/`.
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text; bytes that are not UTF-8 are shown as `\xNN`, so that different paths never look the same.
    pub fn display(&self) -> Cow<'_, str> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            return Cow::Borrowed(text);
        }
        let mut shown = String::with_capacity(self.0.len() + 8);
        for part in self.0.utf8_chunks() {
            shown.push_str(part.valid());
            for byte in part.invalid() {
                use fmt::Write;
                let _ = write!(shown, "\\x{byte:02x}");
            }
        }
        Cow::Owned(shown)
    }

    /// The file name.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|&b| b == b'/').next().unwrap_or_default()
    }

    /// The directory; empty for a file at the root.
    pub fn directory(&self) -> &[u8] {
        self.0.iter().rposition(|&b| b == b'/').map_or(&[], |slash| &self.0[..slash])
    }
}

/// Names of directories of example code.
const EXAMPLES: &[&str] = &[
    "example",
    "examples",
    "demo",
    "demos",
    "sample",
    "samples",
    "tutorial",
    "tutorials",
    "docs_src",
    "playground",
    "sandbox",
    "www",
    "website",
];

/// The outermost directory of examples that contains a file; `None` if it is not an example.
pub fn directory_of_examples(path: &str) -> Option<&str> {
    let mut end = 0;
    while let Some(length) = path[end..].find('/') {
        let part = &path[end..end + length];
        if EXAMPLES.iter().any(|name| part.eq_ignore_ascii_case(name)) {
            return Some(&path[..end + length]);
        }
        end += length + 1;
    }
    None
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.display())
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_text_is_shown_without_loss() {
        let path = RepoPath::new(&b"src/caf\xe9/a.c"[..]);
        assert_eq!(path.display(), "src/caf\\xe9/a.c");
        assert_eq!((path.directory(), path.file_name()), (&b"src/caf\xe9"[..], &b"a.c"[..]));
        assert_eq!(RepoPath::from("a.c").directory(), b"");
    }

    #[test]
    fn examples_are_told_by_the_directories_around_them() {
        assert_eq!(directory_of_examples("web/Examples/chat/main.rs"), Some("web/Examples"));
        assert_eq!(directory_of_examples("src/examples.rs"), None);
    }
}
