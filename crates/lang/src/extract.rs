//! The door: from bytes to facts.

use crate::chunks;
use crate::lower;
use crate::pack::{Body, Pack};
use crate::parse;
use crate::role;
use crate::tree::Tree;
use orient_model::{Facts, Issue, IssueKind, Outline, Span};

/// The facts of a file. Without a pack it is taken as plain text.
pub fn extract(pack: Option<&Pack>, bytes: &[u8]) -> Facts {
    let mut facts = match pack.map(Pack::body) {
        Some(Body::Deep(table)) => match parse::parse(&table.language, bytes) {
            Some(raw) => {
                let tree = Tree::new(bytes, &raw, &table.keep);
                drop(raw);
                lower::lower(pack.expect("a body belongs to a pack"), table, &tree)
            }
            None => over_budget(bytes),
        },
        Some(Body::Shallow(tags)) => match parse::parse(tags.language(), bytes) {
            Some(raw) => tags.extract(&raw, bytes),
            None => over_budget(bytes),
        },
        Some(Body::Scanner(scanner)) => scanner(bytes),
        Some(Body::Text) | None => plain(bytes),
    };
    if std::str::from_utf8(bytes).is_err() {
        facts.outline.issues.push(Issue { kind: IssueKind::Encoding, span: Span::default() });
    }
    facts.outline.generated = role::says_generated(bytes);
    facts
}

/// Parses and throws the tree away: the floor that indexing is measured against. False where nothing parses the file.
pub fn parse_only(pack: &Pack, bytes: &[u8]) -> bool {
    match pack.body() {
        Body::Deep(table) => parse::parse(&table.language, bytes).is_some(),
        Body::Shallow(tags) => parse::parse(tags.language(), bytes).is_some(),
        Body::Scanner(_) | Body::Text => false,
    }
}

/// A file without structure: windows.
pub(crate) fn plain(bytes: &[u8]) -> Facts {
    let mut outline = Outline { lines: chunks::count_lines(bytes), ..Outline::default() };
    outline.chunks = chunks::cut(bytes, &outline);
    Facts { outline, flow: orient_model::Flow::default() }
}

fn over_budget(bytes: &[u8]) -> Facts {
    let mut facts = plain(bytes);
    facts.outline.issues.push(Issue { kind: IssueKind::Budget, span: Span::default() });
    facts
}
