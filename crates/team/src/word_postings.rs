//! Selects repositories by the words of a question. The files that have a word are read from the database once for each state of the
//! branches: frequent words are those that questions share, and reading their files takes longer than the answer.

use crate::access::{PublishedBranch, SelectedBranches};
use crate::connection::Connection;
use crate::contents::question_keys;
use crate::database::Database;
use crate::error::TeamError;
use orient_serve::Caller;
use postgres::Row;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of files that are kept, for all words together: 48 MB.
const MAX_KEPT: usize = 4_000_000;
/// The number of words of a file on average.
const MEAN_WORDS: f64 = 140.0;
/// Maximum number of words that are compared: the rarest of a question. The others are in many files of every repository.
const MAX_WORDS: usize = 8;
/// Number of files of a repository that count.
const FILES_PER_REPOSITORY: usize = 8;

/// The default branches that a caller may read, but the repositories `$2`, and a number for the state of all branches.
const READABLE: &str = "SELECT b.id, r.id, r.name, '', b.tree, b.artefact FROM readable a JOIN repository r ON r.id = a.repository \
     JOIN branch b ON b.repository = r.id AND b.generation > 0 AND b.is_default WHERE a.token = $1 AND r.id <> ALL($2)";
const STATE: &str = "SELECT coalesce(sum(hashtextextended(encode(tree, 'hex'), id))::text, '') FROM branch WHERE is_default AND generation > 0";
const WITH_WORD: &str = "SELECT e.branch, e.content, cardinality(c.terms) FROM content c JOIN entry e ON e.content = c.id \
     JOIN branch b ON b.id = e.branch AND b.is_default WHERE c.terms @> ARRAY[$1::int]";
const WITH_NAME: &str = "SELECT e.branch, e.content, cardinality(c.terms) FROM content c JOIN entry e ON e.content = c.id \
     JOIN branch b ON b.id = e.branch AND b.is_default WHERE c.names @> ARRAY[$1::int]";

/// A file that has a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Posting {
    branch: u32,
    content: u32,
    /// The number of its words.
    words: u32,
}

impl Posting {
    fn of(row: &Row) -> Option<Self> {
        let number = |at: usize| u32::try_from(row.get::<_, i64>(at)).ok();
        Some(Self { branch: number(0)?, content: number(1)?, words: row.get::<_, i32>(2).cast_unsigned() })
    }
}

/// What a file has: the word itself, or a symbol of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Word(i32),
    Name(i32),
}

/// The files of words that were asked for.
#[derive(Default)]
pub(crate) struct WordPostings(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// The state of the branches that the files are those of.
    state: String,
    postings: HashMap<Key, Arc<[Posting]>>,
    count: usize,
}

impl WordPostings {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The repositories with the best files for a question, at most `most`, but those in `without`.
    pub(crate) fn select(
        &self,
        database: &Database,
        caller: &Caller,
        question: &str,
        without: &[i64],
        most: usize,
    ) -> Result<SelectedBranches, TeamError> {
        let (words, names) = question_keys(question.as_bytes());
        let keys: Vec<Key> =
            words.into_iter().map(Key::Word).chain(names.into_iter().map(Key::Name)).collect();
        let (branches, found) = database.with(|connection| {
            let rows = connection.query(READABLE, &[&caller.id, &without])?;
            let state: String = connection.query_one(STATE, &[])?.get(0);
            let mut found: Vec<Arc<[Posting]>> =
                keys.iter().map(|key| self.postings(connection, &state, *key)).collect::<Result<_, _>>()?;
            found.retain(|postings| !postings.is_empty());
            found.sort_by_key(|postings| postings.len());
            found.truncate(MAX_WORDS);
            let branches: Vec<PublishedBranch> = rows.iter().filter_map(PublishedBranch::of).collect();
            Ok((branches, found))
        })?;
        let readable: HashSet<u32> =
            branches.iter().filter_map(|branch| u32::try_from(branch.id).ok()).collect();
        let values = branch_values(&found, &readable);
        let value = |branch: &PublishedBranch| {
            u32::try_from(branch.id).ok().and_then(|id| values.get(&id)).copied().unwrap_or_default()
        };
        let mut branches: Vec<PublishedBranch> =
            branches.into_iter().filter(|branch| value(branch) > 0.0).collect();
        branches.sort_by(|a, b| value(b).total_cmp(&value(a)).then_with(|| a.name.cmp(&b.name)));
        Ok(SelectedBranches::first_of(branches, most))
    }

    /// The files of a word in a state of the branches.
    fn postings(
        &self,
        connection: &mut Connection,
        state: &str,
        key: Key,
    ) -> Result<Arc<[Posting]>, TeamError> {
        let known = {
            let kept = self.lock();
            if kept.state == state { kept.postings.get(&key).cloned() } else { None }
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let rows = match key {
            Key::Word(word) => connection.query(WITH_WORD, &[&word])?,
            Key::Name(name) => connection.query(WITH_NAME, &[&name])?,
        };
        let mut postings: Vec<Posting> = rows.iter().filter_map(Posting::of).collect();
        postings.sort_unstable();
        // A content may be at several paths of a branch.
        postings.dedup();
        let postings: Arc<[Posting]> = postings.into();
        let mut kept = self.lock();
        if kept.state != state || kept.count + postings.len() > MAX_KEPT {
            *kept = Kept { state: state.to_owned(), ..Kept::default() };
        }
        if kept.postings.insert(key, Arc::clone(&postings)).is_none() {
            kept.count += postings.len();
        }
        Ok(postings)
    }
}

/// The value of each branch: that of its best files, each of which counts less than the one before. The value of a file is the sum of the
/// weights of the words that it has and the symbols that it defines: rare ones weigh more, and so do those of files with few words, since
/// a long file has any word. Only files of `readable` branches count, also for how rare a word is.
fn branch_values(found: &[Arc<[Posting]>], readable: &HashSet<u32>) -> HashMap<u32, f64> {
    let mut weighted: Vec<(Posting, f64)> = Vec::new();
    for postings in found {
        let own = postings.iter().filter(|posting| readable.contains(&posting.branch));
        let before = weighted.len();
        weighted.extend(own.map(|posting| (*posting, 0.0)));
        let weight = 1.0 / (1.0 + f64::from((weighted.len() - before) as u32)).ln();
        weighted[before..].iter_mut().for_each(|(_, own)| *own = weight);
    }
    // The postings of each word are sorted, which this sort makes use of.
    weighted.sort_by_key(|(posting, _)| *posting);
    let mut of_branches: HashMap<u32, Vec<f64>> = HashMap::new();
    for file in weighted.chunk_by(|a, b| a.0 == b.0) {
        let sum: f64 = file.iter().map(|(_, weight)| weight).sum();
        let value = sum / (1.0 + f64::from(file[0].0.words) / MEAN_WORDS).sqrt();
        of_branches.entry(file[0].0.branch).or_default().push(value);
    }
    let total = |mut values: Vec<f64>| {
        values.sort_by(|a, b| b.total_cmp(a));
        let best = values.iter().take(FILES_PER_REPOSITORY).zip(1_u32..);
        best.map(|(value, place)| value / f64::from(place)).sum()
    };
    of_branches.into_iter().map(|(branch, values)| (branch, total(values))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(u32, u32)]) -> Arc<[Posting]> {
        all.iter().map(|&(branch, content)| Posting { branch, content, words: 140 }).collect()
    }

    fn order(found: &[Arc<[Posting]>], readable: &[u32]) -> Vec<u32> {
        let values = branch_values(found, &readable.iter().copied().collect());
        let mut branches: Vec<u32> = values.keys().copied().collect();
        branches.sort_by(|a, b| values[b].total_cmp(&values[a]));
        branches
    }

    #[test]
    fn a_file_with_all_words_counts_more_than_many_with_one() {
        let frequent = files(&[(1, 10), (1, 11), (1, 12), (1, 13), (2, 20)]);
        let rare = files(&[(2, 20)]);
        assert_eq!(order(&[frequent, rare], &[1, 2]), [2, 1]);
    }

    #[test]
    fn a_short_file_counts_more_than_a_long_one() {
        let word = |branch, words| Posting { branch, content: branch, words };
        assert_eq!(order(&[Arc::from([word(1, 5000), word(2, 50)])], &[1, 2]), [2, 1]);
    }

    #[test]
    fn what_a_caller_may_not_read_has_no_effect() {
        let (rare, frequent) = (files(&[(1, 10)]), files(&[(2, 20), (2, 21), (3, 30), (3, 31), (3, 32)]));
        let found = [rare, frequent];
        let with_hidden = branch_values(&found, &HashSet::from([1, 2]));
        let without = [files(&[(1, 10)]), files(&[(2, 20), (2, 21)])];
        assert_eq!(with_hidden, branch_values(&without, &HashSet::from([1, 2])));
    }
}
