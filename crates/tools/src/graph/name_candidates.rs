//! Name-only candidates: unresolved uses of the same name, listed separately from proven uses.

use crate::text::number_format::{count, plural};
use crate::text::writer::{Style, TextWriter};
use orient_engine::{EngineError, GraphView, NodeId, UnresolvedUse};
use orient_model::RefKind;
use serde::Serialize;
use std::io;

/// Unresolved uses of the same name: each may mean the symbol or another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct NameCandidates {
    /// Total number.
    pub(crate) total: u64,
    /// Number of uses of the name that apparently mean something outside the repository.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) external: u64,
    /// The first candidates, by path and line.
    pub(crate) shown: Vec<CandidateLine>,
    /// Number of files with the name that were not searched.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) files_unread: u64,
}

/// An unresolved use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CandidateLine {
    /// Its file.
    pub(crate) path: String,
    /// Its line.
    pub(crate) line: u32,
    /// The enclosing symbol; empty at the top level.
    pub(crate) within: String,
    /// The kind of use.
    pub(crate) kind: &'static str,
    /// Why it was not resolved.
    pub(crate) reason: &'static str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Whether a reference is a call.
pub(crate) fn is_call(kind: RefKind) -> bool {
    matches!(kind, RefKind::Call | RefKind::Construct | RefKind::Decorate | RefKind::Expand)
}

impl NameCandidates {
    /// The unresolved uses of a name that `keep` accepts; the first `max` are listed.
    pub(crate) fn of(
        view: &GraphView<'_>,
        name: &str,
        keep: impl Fn(NodeId, RefKind) -> Result<bool, EngineError>,
        max: usize,
    ) -> Result<Self, EngineError> {
        let found = view.unresolved_uses(name)?;
        let mut uses: Vec<UnresolvedUse> = Vec::new();
        for one in found.uses {
            if keep(one.miss.source, one.miss.kind)? {
                uses.push(one);
            }
        }
        let mut external = 0;
        for (source, kind) in found.external {
            external += u64::from(keep(source, kind)?);
        }
        let mut shown = Vec::new();
        for UnresolvedUse { path, miss } in uses.iter().take(max) {
            shown.push(CandidateLine {
                path: path.display().into_owned(),
                line: miss.line,
                within: view.describe(miss.source)?.qualified(),
                kind: miss.kind.as_str(),
                reason: miss.reason.as_str(),
            });
        }
        Ok(Self { total: uses.len() as u64, external, shown, files_unread: found.unread as u64 })
    }

    /// Puts the paths below the name of their root.
    pub(crate) fn label(&mut self, root: &str) {
        for one in &mut self.shown {
            one.path = format!("{root}/{}", one.path);
        }
    }

    /// `20 name-only candidates, 3 apparently external uses of the name`.
    pub(crate) fn counted(&self) -> String {
        let more = if self.files_unread > 0 { "at least " } else { "" };
        let candidates = plural(self.total, "name-only candidate", "name-only candidates");
        if self.external == 0 {
            return format!("{more}{candidates}");
        }
        let (one, many) = ("apparently external use of the name", "apparently external uses of the name");
        format!("{more}{candidates}, {}", plural(self.external, one, many))
    }

    /// Writes the list under a heading.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if self.shown.is_empty() {
            return Ok(());
        }
        writer.line(Style::Head, "name only, not verified:")?;
        for one in &self.shown {
            writer.plain("  ")?;
            writer.put(Style::Path, &format!("{}:{}", one.path, one.line))?;
            if !one.within.is_empty() {
                writer.plain("  in ")?;
                writer.put(Style::Name, &one.within)?;
            }
            writer.line(Style::Dim, &format!("  {}", one.reason))?;
        }
        let left = self.total.saturating_sub(self.shown.len() as u64);
        if left > 0 {
            let hint = if writer.mode().quoted { " (see candidates)" } else { " (see --candidates)" };
            writer.line(Style::Dim, &format!("  and {} more{hint}", count(left)))?;
        }
        Ok(())
    }
}
