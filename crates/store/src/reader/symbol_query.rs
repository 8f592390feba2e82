//! Symbol queries by name, kind, language, path, attribute and base: a page of results and the exact total.

use crate::error::{AtPath, StoreError};
use crate::names::name_match::{Matcher, NameMatch};
use crate::reader::snapshot::Snapshot;
use crate::rows::{Page, SymbolId, SymbolRow};
use crate::sql::files::Brief;
use crate::sql::symbols::Hit;
use crate::sql::{files, meta, names, symbols, tags};
use crate::writer::prepared_file::TagKind;
use orient_model::{RepoPath, Role, SymbolKind};
use std::collections::{BTreeSet, HashMap};

/// Reading one file by its id costs as much as reading this many in order.
const ONE_BY_ONE: usize = 6;
/// The maximum number of hits in memory before the worst are dropped.
const MANY_HITS: usize = 1 << 16;

/// A query for symbols. All conditions that are set must hold.
#[derive(Clone, Default)]
pub struct SymbolQuery<'q> {
    /// With a matching name.
    pub name: NameMatch,
    /// Of one of these kinds; empty for any.
    pub kinds: &'q [SymbolKind],
    /// In a file of one of these languages; empty for any.
    pub languages: &'q [&'q str],
    /// In a file with one of these roles; empty for any.
    pub roles: &'q [Role],
    /// In a file with a path for which this returns true.
    pub path: Option<&'q dyn Fn(&RepoPath) -> bool>,
    /// With this attribute: as written up to its arguments, or its last component.
    pub attribute: Option<&'q str>,
    /// With this base: as written up to its arguments, or its last component.
    pub base: Option<&'q str>,
    /// One of these; `None` for any.
    pub among: Option<&'q BTreeSet<SymbolId>>,
}

/// A symbol that matches a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolHit {
    /// The symbol.
    pub symbol: SymbolRow,
    /// The distance of its name from the query, 0 is best: the edit distance of a fuzzy match, or 1 if only part of the name
    /// matches.
    pub grade: u32,
}

impl Snapshot {
    /// Symbols by distance, then by path and position: `limit` of them after the first `offset`, and their total number.
    pub fn symbols(
        &self,
        query: &SymbolQuery<'_>,
        offset: usize,
        limit: usize,
    ) -> Result<Page<SymbolHit>, StoreError> {
        let mut search = Search::new(self, query, offset.saturating_add(limit)).at(&self.path)?;
        search.run(query).at(&self.path)?;
        let (total, hits) = search.finish().at(&self.path)?;
        let mut rows = Vec::new();
        for (grade, hit, path) in hits.into_iter().skip(offset) {
            let stored = symbols::by_id(&self.db, SymbolId(hit.id)).at(&self.path)?;
            let stored = stored.ok_or_else(|| self.damaged("an index names a symbol that is not there"))?;
            rows.push(SymbolHit { symbol: self.symbol_row(&stored, path)?, grade });
        }
        Ok(Page { rows, total })
    }
}

/// A hit with its grade and the path of its file.
type Placed = (u32, Hit, RepoPath);

/// A hit with its sort key.
#[derive(Clone, Copy)]
struct Graded {
    grade: u32,
    hit: Hit,
}

/// One execution of a query.
struct Search<'s, 'q> {
    snapshot: &'s Snapshot,
    kinds: &'q [SymbolKind],
    roles: &'q [Role],
    path: Option<&'q dyn Fn(&RepoPath) -> bool>,
    /// The ids of the languages; `None` for any.
    languages: Option<Vec<i64>>,
    /// The symbols that are asked for, with the attribute and base, sorted; `None` for any.
    tagged: Option<Vec<i64>>,
    files: Files,
    total: usize,
    /// The best hits so far. At most `wanted` of them matter.
    hits: Vec<Graded>,
    wanted: usize,
}

impl<'s, 'q> Search<'s, 'q> {
    fn new(snapshot: &'s Snapshot, query: &SymbolQuery<'q>, wanted: usize) -> rusqlite::Result<Self> {
        let db = &snapshot.db;
        let languages = if query.languages.is_empty() {
            None
        } else {
            let known = meta::langs(db)?;
            let asked = |name: &str| query.languages.contains(&name);
            Some(known.iter().filter(|(_, name)| asked(name)).map(|&(id, _)| id).collect())
        };
        let mut tagged: Option<Vec<i64>> = query.among.map(|among| among.iter().map(|id| id.0).collect());
        let asked = [(query.attribute, TagKind::Attribute), (query.base, TagKind::Base)];
        for (text, what) in asked.into_iter().filter_map(|(text, what)| Some((text?, what))) {
            let with = match names::by_text(db, text)? {
                Some(name) => tags::symbols(db, name, what)?,
                None => Vec::new(),
            };
            tagged = Some(match tagged {
                None => with,
                Some(before) => before.into_iter().filter(|id| with.binary_search(id).is_ok()).collect(),
            });
        }
        Ok(Self {
            snapshot,
            kinds: query.kinds,
            roles: query.roles,
            path: query.path,
            languages,
            tagged,
            files: Files::default(),
            total: 0,
            hits: Vec::new(),
            wanted,
        })
    }

    fn run(&mut self, query: &SymbolQuery<'_>) -> rusqlite::Result<()> {
        let db = &self.snapshot.db;
        match &query.name {
            NameMatch::Any => match self.tagged.take() {
                None => symbols::hits(db, |hit| self.see(0, hit)),
                Some(tagged) => tagged.into_iter().try_for_each(|id| match symbols::hit(db, id)? {
                    Some(hit) => self.see(0, hit),
                    None => Ok(()),
                }),
            },
            NameMatch::Exact(text) => match names::by_text(db, text)? {
                Some(name) => symbols::hits_by_name(db, name, |hit| self.see(0, hit)),
                None => Ok(()),
            },
            question => {
                let Some(mut matcher) = Matcher::new(question) else { return Ok(()) };
                let mut answers = Vec::new();
                let mut see = |id, name: &str| answers.extend(matcher.grade(name).map(|grade| (grade, id)));
                let seen = match question {
                    NameMatch::Folded(text) | NameMatch::Prefix(text) => {
                        names::scan_prefix(db, &text.to_lowercase(), &mut see)?
                    }
                    _ => false,
                };
                if !seen {
                    names::scan(db, see)?;
                }
                for (grade, name) in answers {
                    symbols::hits_by_name(db, name, |hit| self.see(grade, hit))?;
                }
                Ok(())
            }
        }
    }

    fn see(&mut self, grade: u32, hit: Hit) -> rusqlite::Result<()> {
        if !self.kinds.is_empty() && !hit.kind.is_among(hit.modifiers, self.kinds) {
            return Ok(());
        }
        if self.tagged.as_ref().is_some_and(|tagged| tagged.binary_search(&hit.id).is_err()) {
            return Ok(());
        }
        if self.languages.is_some() || !self.roles.is_empty() || self.path.is_some() {
            let number = self.files.number(self.snapshot, hit.file)?;
            if !self.allows(number) {
                return Ok(());
            }
        }
        self.total += 1;
        if self.wanted == 0 {
            return Ok(());
        }
        self.hits.push(Graded { grade, hit });
        if self.hits.len() >= MANY_HITS.max(self.wanted.saturating_mul(2)) {
            self.keep_best()?;
        }
        Ok(())
    }

    fn allows(&mut self, number: usize) -> bool {
        if let Some(known) = self.files.allowed[number] {
            return known;
        }
        let file = &self.files.list[number];
        let allowed =
            self.languages.as_ref().is_none_or(|ids| file.lang.is_some_and(|lang| ids.contains(&lang)))
                && (self.roles.is_empty() || self.roles.contains(&file.role))
                && self.path.is_none_or(|allows| allows(&file.path));
        self.files.allowed[number] = Some(allowed);
        allowed
    }

    /// Sorts the hits and drops those beyond the page.
    fn keep_best(&mut self) -> rusqlite::Result<()> {
        let mut keyed = Vec::with_capacity(self.hits.len());
        for &graded in &self.hits {
            keyed.push((self.files.number(self.snapshot, graded.hit.file)?, graded));
        }
        let list = &self.files.list;
        keyed.sort_unstable_by(|(a_file, a), (b_file, b)| {
            let by_path = || {
                if a_file == b_file {
                    std::cmp::Ordering::Equal
                } else {
                    list[*a_file].path.cmp(&list[*b_file].path)
                }
            };
            a.grade.cmp(&b.grade).then_with(by_path).then(a.hit.at.cmp(&b.hit.at))
        });
        keyed.truncate(self.wanted);
        self.hits.clear();
        self.hits.extend(keyed.into_iter().map(|(_, graded)| graded));
        Ok(())
    }

    fn finish(mut self) -> rusqlite::Result<(usize, Vec<Placed>)> {
        self.keep_best()?;
        let mut found = Vec::with_capacity(self.hits.len());
        for graded in &self.hits {
            let number = self.files.number(self.snapshot, graded.hit.file)?;
            found.push((graded.grade, graded.hit, self.files.list[number].path.clone()));
        }
        Ok((self.total, found))
    }
}

/// The files of the hits so far.
#[derive(Default)]
struct Files {
    list: Vec<Brief>,
    /// Whether a file passes the filters, once known.
    allowed: Vec<Option<bool>>,
    numbers: HashMap<i64, usize>,
    all: bool,
}

impl Files {
    /// The index of a file in the list; reads the file if necessary.
    fn number(&mut self, snapshot: &Snapshot, id: i64) -> rusqlite::Result<usize> {
        if let Some(&number) = self.numbers.get(&id) {
            return Ok(number);
        }
        if self.list.len() > snapshot.most_files() / ONE_BY_ONE && !self.all {
            self.all = true;
            let mut rest = Vec::new();
            files::briefs(&snapshot.db, |file| rest.push(file))?;
            for file in rest {
                self.add(file);
            }
        } else if let Some(file) = files::brief(&snapshot.db, id)? {
            self.add(file);
        }
        self.numbers.get(&id).copied().ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    fn add(&mut self, file: Brief) {
        if !self.numbers.contains_key(&file.id) {
            self.numbers.insert(file.id, self.list.len());
            self.list.push(file);
            self.allowed.push(None);
        }
    }
}
