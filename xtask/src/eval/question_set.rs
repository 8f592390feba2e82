//! A set of questions and their repositories, in formats that other programs read, too.

use super::packages::Package;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The category of questions about something that does not exist.
pub(super) const NEGATIVE: &str = "negative";

/// A question with the locations that answer it. A negative one has none.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Question {
    pub(super) repo: String,
    pub(super) language: String,
    pub(super) query: String,
    pub(super) category: String,
    pub(super) relevant: Vec<Spot>,
    /// The first line of a long query, if it is a title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) title: String,
    /// The half of a mined set that it belongs to: `tune` or `held`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) split: String,
}

/// A location that answers a question: some lines of a file, or a whole file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Spot {
    pub(super) path: String,
    pub(super) start_line: Option<u32>,
    pub(super) end_line: Option<u32>,
    pub(super) grade: Grade,
}

/// The grade of a location. Both count equally; the grade tells a reader which one matters first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Grade {
    Primary,
    Secondary,
}

/// A repository: its name, which is that of its directory, and the part of it to index.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Repository {
    pub(super) repo: String,
    #[serde(default)]
    pub(super) root: String,
}

/// Questions by repository, and the directory of the repositories.
pub(super) struct Set {
    pub(super) questions: Vec<Question>,
    pub(super) repositories: Vec<Repository>,
    pub(super) directory: PathBuf,
}

impl Set {
    /// The repositories that have questions, with their questions, by name.
    pub(super) fn by_repository(&self) -> Result<Vec<(&Repository, Vec<&Question>)>> {
        let mut asked: BTreeMap<&str, Vec<&Question>> = BTreeMap::new();
        for question in &self.questions {
            asked.entry(&question.repo).or_default().push(question);
        }
        let mut found = Vec::new();
        for (name, questions) in asked {
            let repository = self.repositories.iter().find(|repository| repository.repo == name);
            let repository = repository.with_context(|| {
                format!("a question is about `{name}`, which is not in the list of repositories")
            })?;
            found.push((repository, questions));
        }
        Ok(found)
    }

    /// Keeps only these repositories; an empty list keeps all.
    pub(super) fn keep(&mut self, only: &[String]) -> Result<()> {
        if only.is_empty() {
            return Ok(());
        }
        for name in only {
            if !self.repositories.iter().any(|repository| repository.repo == *name) {
                bail!("there is no repository `{name}` in the list");
            }
        }
        self.questions.retain(|question| only.contains(&question.repo));
        Ok(())
    }
}

/// Reads questions from a file of JSON lines, or from all such files of a directory, by name.
pub(super) fn questions(path: &Path) -> Result<Vec<Question>> {
    let mut files = Vec::new();
    if path.is_dir() {
        for entry in std::fs::read_dir(path).with_context(|| format!("reading {}", path.display()))? {
            files.push(entry?.path());
        }
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
    } else {
        files.push(path.to_owned());
    }
    let mut questions = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        for (line, row) in text.lines().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
            let question = serde_json::from_str(row)
                .with_context(|| format!("{}:{}: not a question", file.display(), line + 1))?;
            questions.push(question);
        }
    }
    if questions.is_empty() {
        bail!("there are no questions in {}", path.display());
    }
    Ok(questions)
}

/// Reads a list of repositories.
pub(super) fn repositories(path: &Path) -> Result<Vec<Repository>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{}: not a list of repositories", path.display()))
}

impl From<&Package> for Repository {
    fn from(package: &Package) -> Self {
        Self { repo: package.name.clone(), root: package.directory.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> Set {
        let question = |repo: &&str| Question {
            repo: (*repo).to_owned(),
            language: "any".to_owned(),
            query: "what".to_owned(),
            category: "vague".to_owned(),
            relevant: Vec::new(),
            title: String::new(),
            split: String::new(),
        };
        let repositories = vec![Repository { repo: "a".to_owned(), root: String::new() }];
        Set { questions: names.iter().map(question).collect(), repositories, directory: PathBuf::new() }
    }

    #[test]
    fn questions_are_asked_by_repository() {
        let set = set(&["a", "a"]);
        let found = set.by_repository().expect("a is in the list");
        assert_eq!(found.iter().map(|(_, questions)| questions.len()).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn an_unknown_repository_is_named() {
        let error = set(&["b"]).by_repository().expect_err("b is not in the list");
        assert!(error.to_string().contains("`b`"), "{error}");
        let error = set(&["a"]).keep(&["c".to_owned()]).expect_err("c is not in the list");
        assert!(error.to_string().contains("`c`"), "{error}");
    }

    #[test]
    fn the_format_is_that_of_other_sets() {
        let row = r#"{"repo": "r", "language": "l", "query": "q", "category": "c", "relevant":
            [{"path": "p", "start_line": null, "end_line": null, "grade": "secondary"}]}"#;
        let question: Question = serde_json::from_str(row).expect("a question");
        assert_eq!(question.relevant[0].grade, Grade::Secondary);
        let list = r#"[{"repo": "r", "github": "o/r", "language": "l", "commit": "0", "root": "src"}]"#;
        let list: Vec<Repository> = serde_json::from_str(list).expect("a list");
        assert_eq!((list[0].repo.as_str(), list[0].root.as_str()), ("r", "src"));
    }
}
