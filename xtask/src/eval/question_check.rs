//! Validates a set of questions: every expected location exists, and the set has the stated composition.

use super::packages::Package;
use super::question_set::{Grade, NEGATIVE, Question, Set, Spot};
use crate::report::Findings;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// The categories of our own questions.
pub(super) const CATEGORIES: [&str; 6] =
    ["exact", "behavioural", "impact", "cross-module", "vague", NEGATIVE];

/// Checks our own set. Fails with every error found.
pub(super) fn check(set: &Set, packages: &[Package]) -> Result<()> {
    let mut findings = Findings::default();
    form(&set.questions, packages, &mut findings);
    let mut texts: BTreeMap<String, Option<Vec<String>>> = BTreeMap::new();
    for question in &set.questions {
        for spot in &question.relevant {
            let path = format!("{}/{}", question.repo, spot.path);
            let lines = texts.entry(path.clone()).or_insert_with(|| {
                let text = std::fs::read(set.directory.join(&path)).ok()?;
                Some(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
            });
            if let Err(fault) = place(spot, lines.as_deref()) {
                findings.fail(&path, spot.start_line.unwrap_or(0) as usize, fault);
            }
        }
    }
    findings.conclude("questions")
}

/// The errors that can be found without the packages.
fn form(questions: &[Question], packages: &[Package], findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for question in questions {
        let mut fail = |what: &str| findings.fail(&question.repo, 0, format!("{what}: {}", question.query));
        if question.query.trim() != question.query || question.query.is_empty() {
            fail("the question is empty or has space around it");
        }
        if !seen.insert((&question.repo, &question.query)) {
            fail("asked twice");
        }
        if !CATEGORIES.contains(&question.category.as_str()) {
            fail("no such category");
        }
        if (question.category == NEGATIVE) != question.relevant.is_empty() {
            fail("a negative question has no spots, and every other has some");
        }
        let has_primary = question.relevant.iter().any(|spot| spot.grade == Grade::Primary);
        if !question.relevant.is_empty() && !has_primary {
            fail("no spot is primary");
        }
        match packages.iter().find(|package| package.name == question.repo) {
            None => fail("about a package that is not in the list"),
            Some(package) if package.language != question.language => {
                fail("another language than its package");
            }
            Some(package) => {
                let inside = |spot: &Spot| spot.path.starts_with(package.directory.as_str());
                if !question.relevant.iter().all(inside) {
                    fail("a spot is not in the directory that is indexed");
                }
            }
        }
    }
    for package in packages {
        if !questions.iter().any(|question| question.repo == package.name) {
            findings.warn(&package.name, 0, "no question is about this package");
        }
    }
}

/// Whether an expected location exists in a file with these lines.
fn place(spot: &Spot, lines: Option<&[String]>) -> Result<(), &'static str> {
    let lines = lines.ok_or("there is no such file")?;
    let (Some(start), Some(end)) = (spot.start_line, spot.end_line) else {
        return Err("the spot names no lines");
    };
    if start == 0 || start > end {
        return Err("the lines are no range");
    }
    let at = |line: u32| lines.get(line as usize - 1).map(|text| text.trim());
    match (at(start), at(end)) {
        (Some(first), Some(last)) if first.is_empty() || last.is_empty() => {
            Err("the spot begins or ends blank")
        }
        (Some(_), Some(_)) => Ok(()),
        _ => Err("the file has fewer lines"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{OWN_QUESTIONS, packages, question_set};
    use super::*;
    use crate::workspace;

    fn own() -> Vec<Question> {
        question_set::questions(&workspace::root().join(OWN_QUESTIONS)).expect("the questions")
    }

    #[test]
    fn our_questions_are_well_formed() {
        let mut findings = Findings::default();
        form(&own(), &packages::list().expect("the list"), &mut findings);
        assert_eq!(findings.texts(), [] as [&str; 0]);
    }

    #[test]
    fn our_questions_are_as_many_and_as_varied_as_we_say() {
        let questions = own();
        assert!(questions.len() >= 120, "{}", questions.len());
        let languages: BTreeSet<&str> = questions.iter().map(|it| it.language.as_str()).collect();
        assert!(languages.len() >= 12, "{languages:?}");
        for category in CATEGORIES {
            let many = questions.iter().filter(|question| question.category == category).count();
            assert!(many >= 10, "{category}: {many}");
        }
    }

    #[test]
    fn a_spot_must_be_there() {
        let lines: Vec<String> = ["one", "", "three"].map(str::to_owned).into();
        let at = |start, end| {
            let spot = Spot { path: String::new(), start_line: start, end_line: end, grade: Grade::Primary };
            place(&spot, Some(&lines))
        };
        assert_eq!(at(Some(1), Some(3)), Ok(()));
        for bad in
            [(Some(1), Some(2)), (Some(1), Some(4)), (Some(3), Some(1)), (Some(0), Some(1)), (None, None)]
        {
            assert!(at(bad.0, bad.1).is_err(), "{bad:?}");
        }
    }
}
