//! Parses commits: parents, tree, author, committer and message.

use crate::error::HistoryError;
use crate::object_store::Object;
use crate::oid::{self, Oid};

/// Maximum length of a message in bytes. Longer ones are cut: an answer may hold hundreds.
const MAX_MESSAGE: usize = 256 << 10;
/// Maximum length of a name or an address in characters.
const MAX_NAME: usize = 1000;

/// Maximum length of the first line of a message in characters.
const MAX_SUBJECT: usize = 1000;

/// Who made a commit, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The name, after `.mailmap`.
    pub name: String,
    /// The address, after `.mailmap`.
    pub email: String,
    /// Seconds since 1970, negative before.
    pub seconds: i64,
    /// The offset of the local time from UTC, in seconds.
    pub offset: i32,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: Oid,
    /// Its root tree.
    pub tree: Oid,
    /// Its parents that are known: none beyond the boundary of a shallow clone.
    pub parents: Vec<Oid>,
    /// Who wrote the change.
    pub author: Signature,
    /// Who committed it.
    pub committer: Signature,
    /// The message. Invalid UTF-8 is replaced, and one of more than 256 KiB is cut.
    pub message: String,
}

impl Commit {
    /// Parses a commit object.
    pub(crate) fn parse(id: Oid, object: &Object) -> Result<Self, HistoryError> {
        let header = CommitHeader::parse(&id, object)?;
        let (mut author, mut committer) = (Signature::default(), Signature::default());
        for (key, value) in raw_fields(&object.data) {
            match key {
                b"author" => author = Signature::parse(value),
                b"committer" => committer = Signature::parse(value),
                _ => {}
            }
        }
        let body =
            object.data.windows(2).position(|pair| pair == b"\n\n").map_or(object.data.len(), |at| at + 2);
        let end = object.data.len().min(body + MAX_MESSAGE);
        let message = String::from_utf8_lossy(&object.data[body..end]).into_owned();
        Ok(Self { id, tree: header.tree, parents: header.parents, author, committer, message })
    }

    /// The first line of the message, cut after a thousand characters.
    pub fn subject(&self) -> &str {
        let line = self.message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        line.char_indices().nth(MAX_SUBJECT).map_or(line, |(end, _)| &line[..end])
    }

    /// The first ten digits of the id.
    pub fn short_id(&self) -> String {
        short_id(&self.id)
    }

    /// Whether it has several parents.
    pub fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }
}

/// The first ten digits of an id: unique in all but the largest repositories.
pub fn short_id(id: &Oid) -> String {
    id.to_hex_with_len(10).to_string()
}

impl Signature {
    /// Parses `Name <address> seconds zone`; what is malformed stays empty or zero.
    fn parse(value: &[u8]) -> Self {
        let text = String::from_utf8_lossy(value);
        let (name, rest) = text.split_once('<').unwrap_or((&text, ""));
        let (email, rest) = rest.rsplit_once('>').unwrap_or((rest, ""));
        let mut numbers = rest.split_ascii_whitespace();
        let seconds = numbers.next().and_then(|text| text.parse().ok()).unwrap_or(0);
        let zone: i32 = numbers.next().and_then(|text| text.parse().ok()).unwrap_or(0);
        let short = |text: &str| text.trim().chars().take(MAX_NAME).collect();
        Self {
            name: short(name),
            email: short(email),
            seconds,
            // `+0530` is five hours and thirty minutes.
            offset: (zone / 100 % 100) * 3600 + (zone % 100) * 60,
        }
    }
}

/// What a walk needs of a commit.
#[derive(Clone, Debug)]
pub(crate) struct CommitHeader {
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
    /// When it was committed.
    pub(crate) time: i64,
}

impl CommitHeader {
    pub(crate) fn parse(id: &Oid, object: &Object) -> Result<Self, HistoryError> {
        let (mut tree, mut parents, mut time) = (None, Vec::new(), 0);
        for (key, value) in raw_fields(&object.data) {
            match key {
                b"tree" => tree = std::str::from_utf8(value).ok().and_then(oid::parse),
                b"parent" => parents.extend(std::str::from_utf8(value).ok().and_then(oid::parse)),
                b"committer" => time = Signature::parse(value).seconds,
                _ => {}
            }
        }
        let tree = tree.ok_or_else(|| HistoryError::Damaged(format!("{id} has no tree")))?;
        Ok(Self { tree, parents, time })
    }
}

/// The header fields of a commit or tag: a key and a value each.
pub(crate) fn raw_fields(data: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let lines = data.split(|&byte| byte == b'\n').take_while(|line| !line.is_empty());
    lines.filter_map(|line| {
        let space = line.iter().position(|&byte| byte == b' ')?;
        Some((&line[..space], &line[space + 1..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_of_any_age_and_form_are_read() {
        let signature = Signature::parse(b"A U Thor <a@example.com> -86400 -0330");
        assert_eq!(
            (signature.name.as_str(), signature.seconds, signature.offset),
            ("A U Thor", -86400, -12600)
        );
        assert_eq!(Signature::parse(b"x <y> 99999999999 +0100").seconds, 99_999_999_999);
        assert_eq!(Signature::parse(b"no address").name, "no address");
        assert_eq!(Signature::parse(b"\xff <\xfe> z").email, "\u{fffd}");
    }
}
