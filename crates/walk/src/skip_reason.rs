//! Why an existing file is not indexed.

use orient_model::RepoPath;
use std::fmt;

/// A file, directory or link that was found but not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// Its path.
    pub path: RepoPath,
    /// The reason.
    pub reason: SkipReason,
}

/// Why a file was not read. The numbers of [`SkipReason::number`] are stored: never reuse one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// Larger than the size limit.
    TooLarge {
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Not text.
    Binary,
    /// A symbolic link. Its target is indexed under its own path if it is inside the tree.
    Link,
    /// A pipe, socket or device.
    Special,
    /// The system refused to read it, with its message.
    Unreadable(String),
    /// Removed between listing and reading.
    Vanished,
    /// A git working tree inside another one that does not register it as a submodule: a clone or a worktree.
    NestedRepository,
    /// Not read yet: the index is a part of the one that is being built.
    Pending,
}

impl SkipReason {
    /// The stored number; zero means "not skipped".
    pub fn number(&self) -> u8 {
        match self {
            Self::TooLarge { .. } => 1,
            Self::Binary => 2,
            Self::Link => 3,
            Self::Special => 4,
            Self::Unreadable(_) => 5,
            Self::Vanished => 6,
            Self::NestedRepository => 7,
            Self::Pending => 8,
        }
    }

    /// The stored detail: what the number does not say.
    pub fn detail(&self) -> String {
        match self {
            Self::TooLarge { size, limit } => format!("{size}/{limit}"),
            Self::Unreadable(why) => why.clone(),
            Self::Binary
            | Self::Link
            | Self::Special
            | Self::Vanished
            | Self::NestedRepository
            | Self::Pending => String::new(),
        }
    }

    /// The reason for a stored number and detail; `None` for an unknown number.
    pub fn from_parts(number: u8, detail: &str) -> Option<Self> {
        Some(match number {
            1 => {
                let (size, limit) = detail.split_once('/').unwrap_or_default();
                Self::TooLarge { size: size.parse().unwrap_or(0), limit: limit.parse().unwrap_or(0) }
            }
            2 => Self::Binary,
            3 => Self::Link,
            4 => Self::Special,
            5 => Self::Unreadable(detail.to_owned()),
            6 => Self::Vanished,
            7 => Self::NestedRepository,
            8 => Self::Pending,
            _ => return None,
        })
    }

    /// The kind of reason as one word, for statistics and JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "too_large",
            Self::Binary => "binary",
            Self::Link => "link",
            Self::Special => "special",
            Self::Unreadable(_) => "unreadable",
            Self::Vanished => "vanished",
            Self::NestedRepository => "nested_repository",
            Self::Pending => "pending",
        }
    }

    /// The reason for a failed system call on a file.
    pub(crate) fn from_io(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Self::Vanished,
            std::io::ErrorKind::PermissionDenied => Self::Unreadable("permission denied".to_owned()),
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { size, limit } => {
                write!(f, "too large ({}, limit {})", Size(*size), Size(*limit))
            }
            Self::Binary => f.write_str("binary"),
            Self::Link => f.write_str("symbolic link"),
            Self::Special => f.write_str("pipe, socket or device"),
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Vanished => f.write_str("gone before it was read"),
            Self::NestedRepository => f.write_str("nested repository"),
            Self::Pending => f.write_str("not read yet"),
        }
    }
}

/// A number of bytes in a readable unit.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
        if self.0 < 1024 {
            return write!(f, "{} B", self.0);
        }
        let (mut tenths, mut unit) = (u128::from(self.0) * 10 / 1024, 0);
        while tenths >= 10_240 && unit + 1 < UNITS.len() {
            tenths /= 1024;
            unit += 1;
        }
        write!(f, "{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_survives_the_store() {
        for reason in [
            SkipReason::TooLarge { size: 3_000_000, limit: 2_097_152 },
            SkipReason::Binary,
            SkipReason::Link,
            SkipReason::Special,
            SkipReason::Unreadable("permission denied".to_owned()),
            SkipReason::Vanished,
            SkipReason::NestedRepository,
        ] {
            assert_eq!(SkipReason::from_parts(reason.number(), &reason.detail()), Some(reason));
        }
        assert_eq!(SkipReason::from_parts(0, ""), None);
    }

    #[test]
    fn people_can_read_them() {
        let reason = SkipReason::TooLarge { size: 3_500_000, limit: 2 * 1024 * 1024 };
        assert_eq!(reason.to_string(), "too large (3.3 MiB, limit 2.0 MiB)");
        assert_eq!(
            SkipReason::TooLarge { size: 200, limit: 100 }.to_string(),
            "too large (200 B, limit 100 B)"
        );
    }

    #[test]
    fn system_errors_map_to_what_the_user_can_do() {
        let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
        assert_eq!(SkipReason::from_io(&denied), SkipReason::Unreadable("permission denied".to_owned()));
        let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
        assert_eq!(SkipReason::from_io(&gone), SkipReason::Vanished);
    }
}
