//! What a caller may read, and which of it a question is about. Every statement joins `readable` with the caller's token, so a
//! repository that the caller may not read is not counted, compared or named.

use crate::contents::{Hash, name_hash, trigram_key};
use crate::database::Database;
use crate::error::TeamError;
use crate::word_postings::WordPostings;
use orient_engine::{TrigramQuery, analyse, is_stop_word};
use orient_serve::{Caller, RepositoryLine};
use orient_tools::RootFilter;
use postgres::Row;
use postgres::types::ToSql;

/// A published branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishedBranch {
    pub(crate) id: i64,
    pub(crate) repository: i64,
    /// The name of the repository; for another than the default branch, followed by `@` and the branch.
    pub(crate) label: String,
    pub(crate) name: String,
    pub(crate) tree: Hash,
    pub(crate) artefact: Option<i64>,
}

/// Which branches a question is about.
pub(crate) struct SelectedBranches {
    /// The best first.
    pub(crate) branches: Vec<PublishedBranch>,
    /// The names of the next that may have an answer: at most [`MAX_NAMED`], and one more if there are more.
    pub(crate) others: Vec<String>,
}

/// Maximum number of repositories that an answer names as not asked.
pub(crate) const MAX_NAMED: usize = 5;

impl SelectedBranches {
    /// The first of several branches, best first.
    pub(crate) fn first_of(mut branches: Vec<PublishedBranch>, most: usize) -> Self {
        let others = branches.split_off(most.min(branches.len()));
        let others = others.into_iter().take(MAX_NAMED + 1).map(|branch| branch.label).collect();
        Self { branches, others }
    }
}

/// The columns of a branch, and the tables of everything that a caller may read.
macro_rules! readable {
    ($rest:literal) => {
        concat!(
            "SELECT b.id, r.id, r.name, CASE WHEN b.is_default THEN '' ELSE b.name END, b.tree, b.artefact \
             FROM readable a JOIN repository r ON r.id = a.repository \
             JOIN branch b ON b.repository = r.id AND b.generation > 0 WHERE a.token = $1 ",
            $rest
        )
    };
}

/// The default branches of it, at most `$2`, without the repositories `$3`.
macro_rules! candidates {
    ($rest:literal) => {
        concat!(readable!("AND b.is_default AND r.id <> ALL($3) "), $rest)
    };
}

/// Those of them that require a package of one of the branches `$4`.
macro_rules! requiring {
    ($rest:literal) => {
        concat!(
            candidates!(
                "AND b.id <> ALL($4) AND EXISTS (SELECT FROM package p JOIN package q \
                 ON q.ecosystem = p.ecosystem AND q.name = p.name AND NOT q.is_provided AND q.branch = b.id \
                 WHERE p.branch = ANY($4) AND p.is_provided) "
            ),
            $rest
        )
    };
}

/// The first parameter of a statement about candidates that is its own.
const FIRST_PARAMETER: usize = 4;

const BY_NAME: &str = readable!("AND r.name = $2 AND (b.name = $3 OR $3 = '' AND b.is_default)");
const ALL: &str = candidates!("ORDER BY r.name LIMIT $2");
const LIST: &str = "SELECT r.name, b.name, b.commit_id, b.files FROM readable a JOIN repository r ON r.id = a.repository \
     JOIN branch b ON b.repository = r.id AND b.generation > 0 WHERE a.token = $1 ORDER BY r.name, NOT b.is_default, b.name";
const DEFINING: &str = candidates!(
    "AND EXISTS (SELECT FROM content c JOIN entry e ON e.content = c.id \
     WHERE e.branch = b.id AND c.names @> ARRAY[$4::int]) ORDER BY r.name LIMIT $2"
);
const REQUIRING: &str = requiring!("ORDER BY r.name LIMIT $2");
const IDENTIFIED: &str = "SELECT DISTINCT r.id FROM readable a JOIN repository r ON r.id = a.repository WHERE a.token = $1 \
     AND (r.address_key = ANY($2) OR EXISTS (SELECT FROM branch b WHERE b.repository = r.id AND b.commit_id = ANY($3))) ORDER BY r.id";

/// The branch that is most like a clone: the one at its commit, else one at a commit that it knows, else the default one.
const NEAREST: &str = readable!(
    "AND (r.address_key = ANY($2) OR b.commit_id = ANY($3)) \
     ORDER BY b.commit_id = $4 DESC, b.commit_id = ANY($3) DESC, b.is_default DESC, r.name, b.name LIMIT 1"
);

/// The addresses and the commits among the keys of a repository.
fn split_keys(keys: &[String]) -> (Vec<&str>, Vec<&str>) {
    let with = |prefix: &str| keys.iter().filter_map(|key| key.strip_prefix(prefix)).collect();
    (with("address:"), with("commit:"))
}

impl Database {
    /// The published branch that is most like a clone with these keys, at a commit.
    pub(crate) fn nearest_branch(
        &self,
        caller: &Caller,
        keys: &[String],
        head: &str,
    ) -> Result<Option<PublishedBranch>, TeamError> {
        let (addresses, commits) = split_keys(keys);
        let row =
            self.with(|client| Ok(client.query_opt(NEAREST, &[&caller.id, &addresses, &commits, &head])?))?;
        Ok(row.as_ref().and_then(PublishedBranch::of))
    }

    /// The repositories that a caller may read and that one of these keys identifies: `address:` and a hash, `commit:` and an id.
    pub(crate) fn identified(&self, caller: &Caller, keys: &[String]) -> Result<Vec<i64>, TeamError> {
        let (addresses, commits) = split_keys(keys);
        if addresses.is_empty() && commits.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self.with(|client| Ok(client.query(IDENTIFIED, &[&caller.id, &addresses, &commits])?))?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    /// A repository by its name, if the caller may read it.
    pub(crate) fn readable_branch(&self, caller: &Caller, typed: &str) -> Result<PublishedBranch, TeamError> {
        let (name, branch) = typed.split_once('@').unwrap_or((typed, ""));
        let row = self.with(|client| Ok(client.query_opt(BY_NAME, &[&caller.id, &name, &branch])?))?;
        row.as_ref()
            .and_then(PublishedBranch::of)
            .ok_or_else(|| TeamError::UnknownRepository(typed.to_owned()))
    }

    /// All repositories that a caller may read.
    pub(crate) fn readable_repositories(&self, caller: &Caller) -> Result<Vec<RepositoryLine>, TeamError> {
        let rows = self.with(|client| Ok(client.query(LIST, &[&caller.id])?))?;
        let line = |row: &Row| RepositoryLine {
            name: row.get(0),
            branch: row.get(1),
            commit: row.get::<_, Option<String>>(2).unwrap_or_default(),
            files: row.get::<_, i64>(3).cast_unsigned(),
        };
        Ok(rows.iter().map(line).collect())
    }

    /// The repositories that require a package of one of these branches, but those in `without`. Those with a file that contains the name
    /// come first: others can use what it names under another name only.
    pub(crate) fn requiring(
        &self,
        caller: &Caller,
        branches: &[PublishedBranch],
        name: &str,
        without: &[i64],
        most: usize,
    ) -> Result<SelectedBranches, TeamError> {
        let ids: Vec<i64> = branches.iter().map(|branch| branch.id).collect();
        let all = self.select(caller, without, most, REQUIRING, &[&ids])?;
        if all.others.is_empty() {
            return Ok(all);
        }
        let mut arrays = Vec::new();
        let trigrams = known_trigrams(&name_trigrams(name));
        let condition = trigram_condition(&trigrams, FIRST_PARAMETER + 1, &mut arrays);
        let named = "WITH named AS MATERIALIZED (SELECT DISTINCT e.branch FROM content c JOIN entry e ON e.content = c.id";
        let required = requiring!("");
        let statement = format!(
            "{named} WHERE c.trigrams IS NULL OR {condition}) {required} \
             ORDER BY EXISTS (SELECT FROM named WHERE named.branch = b.id) DESC, r.name LIMIT $2"
        );
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&ids];
        values.extend(arrays.iter().map(|array| array as &(dyn ToSql + Sync)));
        self.select(caller, without, most, &statement, &values)
    }

    /// The repositories that may have an answer, at most `most`, but those in `without`.
    pub(crate) fn candidates(
        &self,
        caller: &Caller,
        words: &WordPostings,
        filter: &RootFilter,
        without: &[i64],
        most: usize,
    ) -> Result<SelectedBranches, TeamError> {
        let all = self.select(caller, without, most, ALL, &[])?;
        if all.others.is_empty() {
            return Ok(all);
        }
        let found = match filter {
            RootFilter::Any => return Ok(all),
            RootFilter::Defines(name) | RootFilter::DefinesOrUses(name) => {
                let exact = self.select(caller, without, most, DEFINING, &[&name_hash(name)])?;
                if exact.branches.is_empty() {
                    self.containing_name(caller, name, without, most)?
                } else {
                    exact
                }
            }
            RootFilter::Contains(query) => self.containing(caller, query, without, most)?,
            RootFilter::Words(text) => words.select(self, caller, &words_of_question(text), without, most)?,
        };
        Ok(if found.branches.is_empty() { all } else { found })
    }

    /// The repositories that contain a name as text, in any case: it may be a part of the names that they define.
    fn containing_name(
        &self,
        caller: &Caller,
        name: &str,
        without: &[i64],
        most: usize,
    ) -> Result<SelectedBranches, TeamError> {
        self.containing(caller, &name_trigrams(name), without, most)
    }

    /// The repositories with a file that has the required trigrams, those with the most such files first. Files whose trigrams are not known may
    /// have them.
    fn containing(
        &self,
        caller: &Caller,
        query: &TrigramQuery,
        without: &[i64],
        most: usize,
    ) -> Result<SelectedBranches, TeamError> {
        let mut arrays = Vec::new();
        let condition = trigram_condition(&known_trigrams(query), FIRST_PARAMETER, &mut arrays);
        let found = "WITH found AS MATERIALIZED (SELECT e.branch, count(c.trigrams) AS files \
             FROM content c JOIN entry e ON e.content = c.id";
        let readable = candidates!("AND b.id = found.branch").replacen(" WHERE ", ", found WHERE ", 1);
        let statement = format!(
            "{found} WHERE c.trigrams IS NULL OR {condition} GROUP BY e.branch) \
             {readable} ORDER BY found.files DESC, r.name LIMIT $2"
        );
        let values: Vec<&(dyn ToSql + Sync)> = arrays.iter().map(|array| array as _).collect();
        self.select(caller, without, most, &statement, &values)
    }

    fn select(
        &self,
        caller: &Caller,
        without: &[i64],
        most: usize,
        statement: &str,
        rest: &[&(dyn ToSql + Sync)],
    ) -> Result<SelectedBranches, TeamError> {
        let limit = ((most + MAX_NAMED + 1) as u64).cast_signed();
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&caller.id, &limit, &without];
        values.extend(rest);
        let rows = self.with(|client| Ok(client.query(statement, &values)?))?;
        Ok(SelectedBranches::first_of(rows.iter().filter_map(PublishedBranch::of).collect(), most))
    }
}

impl PublishedBranch {
    /// The branch of a row with its id, the repository's id and name, the name of the branch if it is not the default one, the tree
    /// and the artefact.
    pub(crate) fn of(row: &Row) -> Option<Self> {
        let (name, branch): (String, &str) = (row.get(2), row.get(3));
        let label = if branch.is_empty() { name.clone() } else { format!("{name}@{branch}") };
        let tree = Hash::try_from(row.get::<_, Option<&[u8]>>(4)?).ok()?;
        Some(Self { id: row.get(0), repository: row.get(1), label, name, tree, artefact: row.get(5) })
    }
}

/// The trigrams of a text that contains a name, in any case.
fn name_trigrams(name: &str) -> TrigramQuery {
    let syntax = orient_text::PatternSyntax { literal: true, ignore_case: true, unicode: true };
    orient_text::required_trigrams([name], syntax)
}

/// The words of a question that say what it is about, in English.
fn words_of_question(text: &str) -> String {
    if let Some(translation) = analyse(text).translation {
        return format!("{text} {}", translation.english);
    }
    let words: Vec<&str> =
        text.split_whitespace().filter(|word| !is_stop_word(&word.to_lowercase())).collect();
    if words.is_empty() { text.to_owned() } else { words.join(" ") }
}

/// A query without the trigrams that the database does not have: they are no condition.
fn known_trigrams(query: &TrigramQuery) -> TrigramQuery {
    match query {
        TrigramQuery::Trigram(trigram) if trigram_key(*trigram).is_none() => TrigramQuery::All,
        TrigramQuery::And(parts) => TrigramQuery::and(parts.iter().map(known_trigrams)),
        TrigramQuery::Or(parts) => TrigramQuery::or(parts.iter().map(known_trigrams)),
        query => query.clone(),
    }
}

/// A condition on the column `trigrams`; appends the arrays that its parameters, from `first` on, stand for.
fn trigram_condition(query: &TrigramQuery, first: usize, arrays: &mut Vec<Vec<i16>>) -> String {
    let mut all_of = |trigrams: Vec<i16>| {
        arrays.push(trigrams);
        format!("c.trigrams @> ${}::smallint[]", first + arrays.len() - 1)
    };
    let single = |part: &TrigramQuery| match part {
        TrigramQuery::Trigram(trigram) => trigram_key(*trigram),
        _ => None,
    };
    match query {
        TrigramQuery::All => "true".to_owned(),
        TrigramQuery::Nothing => "false".to_owned(),
        TrigramQuery::Trigram(_) => single(query).map_or_else(|| "true".to_owned(), |key| all_of(vec![key])),
        TrigramQuery::And(parts) => {
            let together: Vec<i16> = parts.iter().filter_map(single).collect();
            let mut conditions = if together.is_empty() { Vec::new() } else { vec![all_of(together)] };
            for part in parts.iter().filter(|part| single(part).is_none()) {
                conditions.push(trigram_condition(part, first, arrays));
            }
            format!("({})", conditions.join(" AND "))
        }
        TrigramQuery::Or(parts) => {
            let conditions: Vec<String> =
                parts.iter().map(|part| trigram_condition(part, first, arrays)).collect();
            format!("({})", conditions.join(" OR "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trigram(text: &str) -> TrigramQuery {
        TrigramQuery::Trigram(text.bytes().fold(0, |number, byte| number << 8 | u32::from(byte)))
    }

    #[test]
    fn required_trigrams_become_a_condition_with_parameters() {
        let query = TrigramQuery::And(vec![
            trigram("aaa"),
            trigram("aab"),
            TrigramQuery::Or(vec![trigram("aac"), trigram("aad")]),
        ]);
        let mut arrays = Vec::new();
        let condition = trigram_condition(&known_trigrams(&query), FIRST_PARAMETER, &mut arrays);
        assert_eq!(
            condition,
            "(c.trigrams @> $4::smallint[] AND (c.trigrams @> $5::smallint[] OR c.trigrams @> $6::smallint[]))"
        );
        assert_eq!(arrays, [vec![0, 1], vec![2], vec![3]]);
        assert_eq!(trigram_condition(&TrigramQuery::All, FIRST_PARAMETER, &mut arrays), "true");
    }

    #[test]
    fn trigrams_that_are_not_stored_exclude_nothing() {
        let with_space = TrigramQuery::And(vec![trigram("abc"), trigram("c d")]);
        assert_eq!(known_trigrams(&with_space), trigram("abc"));
        let either = TrigramQuery::Or(vec![trigram("abc"), trigram("c d")]);
        assert_eq!(known_trigrams(&either), TrigramQuery::All);
    }

    #[test]
    fn words_that_say_nothing_are_left_out() {
        assert_eq!(words_of_question("how is the cache flushed"), "cache flushed");
        assert_eq!(words_of_question("is it"), "is it");
    }
}
