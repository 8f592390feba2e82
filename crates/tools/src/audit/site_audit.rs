//! The audit of call sites as an answer.

use super::share;
use crate::text::number_format::count;
use crate::text::writer::{Cell, Style, TextWriter};
use orient_engine::{CallSiteAudit, CallSiteCounts, SilentSite};
use serde::Serialize;
use std::io;

/// The call sites by language, and the silent ones.
#[derive(Serialize)]
pub(crate) struct SiteAudit {
    /// By language.
    languages: Vec<LanguageSites>,
    /// The first silent sites.
    silent: Vec<SiteLine>,
    /// The first sites without a name.
    unnamed: Vec<SiteLine>,
    /// Number of files that could not be read.
    unread: u64,
    /// Whether more is silent in some language than allowed.
    pub(crate) exceeds: bool,
}

/// The call sites of a language.
#[derive(Serialize)]
struct LanguageSites {
    /// The language.
    language: &'static str,
    /// Number of sites.
    sites: u64,
    /// Number of sites with an edge.
    edges: u64,
    /// Number of sites that call something outside the repository.
    external: u64,
    /// Number of sites that are candidates, with a reason.
    candidates: u64,
    /// Number of calls of an anonymous function inside the symbol that contains it.
    local: u64,
    /// Number of sites without a name.
    unnamed: u64,
    /// Number of sites that are none of these.
    silent: u64,
    /// The silent percentage.
    silent_percent: f64,
}

/// A call site.
#[derive(Serialize)]
struct SiteLine {
    /// The file.
    path: String,
    /// The line.
    line: u32,
    /// The callee as written.
    callee: String,
    /// The step that lost it: `extraction` or `resolution`.
    lost_in: &'static str,
}

impl SiteAudit {
    pub(crate) fn of(audit: &CallSiteAudit, show: usize, max_silent: f64) -> Self {
        let lines = |sites: &[SilentSite]| sites.iter().take(show).map(SiteLine::of).collect();
        let languages: Vec<LanguageSites> =
            audit.languages.iter().map(|(language, counts)| LanguageSites::of(language, counts)).collect();
        Self {
            exceeds: languages.iter().any(|line| line.silent_percent > max_silent),
            languages,
            silent: lines(&audit.silent),
            unnamed: lines(&audit.unnamed),
            unread: audit.unread,
        }
    }

    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        let head = ["sites", "edges", "external", "candidates", "local", "unnamed", "silent", "silent %"];
        let mut rows = vec![vec![Cell::new(Style::Head, "language")]];
        rows[0].extend(head.map(|name| Cell::number(Style::Dim, name)));
        for line in &self.languages {
            let counts = [
                line.sites,
                line.edges,
                line.external,
                line.candidates,
                line.local,
                line.unnamed,
                line.silent,
            ];
            let mut row = vec![Cell::new(Style::Plain, line.language)];
            row.extend(counts.map(|number| Cell::number(Style::Plain, count(number))));
            row.push(Cell::number(Style::Plain, format!("{:.2}", line.silent_percent)));
            rows.push(row);
        }
        writer.table(0, &rows)?;
        for (head, sites) in [("silent", &self.silent), ("unnamed", &self.unnamed)] {
            if !sites.is_empty() {
                writer.line(Style::Head, head)?;
            }
            for site in sites {
                writer.put(Style::Path, &format!("  {}:{}", site.path, site.line))?;
                writer.plain("  ")?;
                writer.put(Style::Name, &site.callee)?;
                writer.line(Style::Dim, &format!("  lost in {}", site.lost_in))?;
            }
        }
        if self.unread > 0 {
            writer.line(Style::Warn, &format!("{} files could not be read", count(self.unread)))?;
        }
        Ok(())
    }
}

impl LanguageSites {
    fn of(language: &'static str, counts: &CallSiteCounts) -> Self {
        Self {
            language,
            sites: counts.sites,
            edges: counts.edges,
            external: counts.external,
            candidates: counts.candidates,
            local: counts.local,
            unnamed: counts.unnamed,
            silent: counts.silent,
            silent_percent: share(counts.silent, counts.sites).unwrap_or_default() * 100.0,
        }
    }
}

impl SiteLine {
    fn of(site: &SilentSite) -> Self {
        Self {
            path: site.path.display().into_owned(),
            line: site.line,
            callee: site.callee.split_whitespace().collect::<Vec<_>>().join(" "),
            lost_in: if site.is_extracted { "resolution" } else { "extraction" },
        }
    }
}
