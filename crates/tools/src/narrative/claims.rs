//! Checks what a model wrote against the evidence it was given: every claim must cite a place of the evidence.

use crate::text::token_estimate::tokens;
use std::collections::BTreeSet;

/// The places that may be cited: path and line.
#[derive(Clone, Debug, Default)]
pub(crate) struct CitedPlaces {
    places: BTreeSet<(String, u32)>,
    /// The paths, longest first: a path may be the end of another.
    paths: Vec<String>,
}

impl CitedPlaces {
    /// Places by path and line.
    pub(crate) fn new(places: BTreeSet<(String, u32)>) -> Self {
        let mut paths: Vec<String> =
            places.iter().map(|(path, _)| path.clone()).collect::<BTreeSet<_>>().into_iter().collect();
        paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
        Self { places, paths }
    }

    /// The citation that ends with the number at `colon + 1`: where it begins, and whether the evidence has it. `None` if it is no
    /// citation but a time, a ratio or the like.
    fn at(&self, text: &str, colon: usize, line: u32) -> Option<(usize, bool)> {
        let before = &text[..colon];
        let is_start = |at: usize| {
            !before[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'))
        };
        let known = self
            .paths
            .iter()
            .find(|path| before.strip_suffix(path.as_str()).is_some_and(|rest| is_start(rest.len())));
        if let Some(path) = known {
            return Some((colon - path.len(), self.places.contains(&(path.clone(), line))));
        }
        let start = before.rfind(|c: char| c.is_whitespace() || "[](){}<>\"'`,;".contains(c));
        let start = start.map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        before[start..].contains(['/', '.']).then_some((start, false))
    }
}

/// What remains of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CheckedClaims {
    /// The claims, one line each.
    pub(crate) claims: Vec<String>,
    /// Number of claims without evidence.
    pub(crate) unproven: usize,
    /// Whether claims beyond the maximum length were dropped.
    pub(crate) is_cut: bool,
}

/// The claims of a text that cite the evidence, within a number of tokens. Citations that the evidence does not have are removed, and so
/// is a claim that has no other. Headings and code are no claims.
pub(crate) fn check_claims(text: &str, cited: &CitedPlaces, max_tokens: usize) -> CheckedClaims {
    let mut checked = CheckedClaims::default();
    let (mut room, mut is_code) = (max_tokens, false);
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") {
            is_code = !is_code;
            continue;
        }
        if is_code || line.is_empty() || line.starts_with('#') {
            continue;
        }
        for sentence in sentences(without_marker(line)) {
            let Some(claim) = with_evidence(sentence, cited) else {
                checked.unproven += 1;
                continue;
            };
            let cost = tokens(&claim) + 1;
            if cost > room {
                checked.is_cut = true;
                return checked;
            }
            room -= cost;
            checked.claims.push(claim);
        }
    }
    checked
}

/// A line without the mark of a list item.
fn without_marker(line: &str) -> &str {
    let bullet = line.strip_prefix(['-', '*', '•']).filter(|rest| rest.starts_with(' '));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.strip_prefix(['.', ')']).filter(|rest| rest.starts_with(' ') && !line.starts_with(['.', ')']))
    };
    bullet.or_else(numbered).map_or(line, str::trim_start)
}

/// The sentences of a line. Citations in brackets after the full stop belong to the sentence before it.
fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in line.char_indices() {
        if !matches!(c, '.' | '!' | '?') {
            continue;
        }
        let mut end = at + 1;
        // Brackets that follow the stop, and their spaces.
        loop {
            let rest = &line[end..];
            let open = rest.len() - rest.trim_start().len();
            match rest.trim_start().starts_with(['[', '(']).then(|| rest.find([']', ')'])).flatten() {
                Some(close) if close >= open => end += close + 1,
                _ => break,
            }
        }
        let rest = &line[end..];
        let next = rest.trim_start().chars().next();
        let is_end = match next {
            None => true,
            Some(next) => rest.starts_with(' ') && (next.is_uppercase() || matches!(next, '`' | '"' | '*')),
        };
        if is_end && end > start {
            found.push(line[start..end].trim());
            start = end;
        }
    }
    found.push(line[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// The sentence without citations that the evidence lacks; `None` if no citation is left.
fn with_evidence(sentence: &str, cited: &CitedPlaces) -> Option<String> {
    // What is before `from` is written, what is before `after` belongs to an earlier citation.
    let (mut claim, mut proven, mut from, mut after) = (String::new(), 0, 0, 0);
    for (colon, _) in sentence.match_indices(':') {
        let digits = &sentence[colon + 1..];
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(line) = digits[..length].parse::<u32>() else { continue };
        let Some((start, exists)) = cited.at(sentence, colon, line) else { continue };
        if colon < after {
            continue;
        }
        let start = start.max(after);
        let mut end = colon + 1 + length;
        // A range cites its first line.
        let range =
            sentence[end..].strip_prefix('-').map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count());
        if let Some(more) = range.filter(|&more| more > 0) {
            end += 1 + more;
        }
        after = end;
        if exists {
            proven += 1;
        } else {
            claim.push_str(&sentence[from..start]);
            from = end;
        }
    }
    claim.push_str(&sentence[from..]);
    (proven > 0).then(|| tidied(&claim))
}

/// The text without what removed citations leave behind: empty brackets and stray separators.
fn tidied(claim: &str) -> String {
    let mut text = claim.split_whitespace().collect::<Vec<_>>().join(" ");
    loop {
        let before = text.len();
        for (left, right) in [
            ("[, ", "["),
            ("[; ", "["),
            (", ]", "]"),
            ("; ]", "]"),
            (",]", "]"),
            (";]", "]"),
            ("[]", ""),
            ("[ ]", ""),
            ("(, ", "("),
            (", )", ")"),
            ("()", ""),
            ("( )", ""),
            ("``", ""),
            (", ,", ","),
            ("; ;", ";"),
            ("  ", " "),
            (" .", "."),
        ] {
            text = text.replace(left, right);
        }
        if text.len() == before {
            return text.trim().to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited() -> CitedPlaces {
        let places =
            [("cmd/main.go", 5), ("api/server.go", 5), ("app/[slug]/my page.tsx", 7), ("server.go", 9)];
        CitedPlaces::new(places.iter().map(|&(path, line)| (path.to_owned(), line)).collect())
    }

    fn claims(text: &str) -> Vec<String> {
        check_claims(text, &cited(), 2000).claims
    }

    #[test]
    fn a_claim_without_a_place_of_the_evidence_is_dropped() {
        let text =
            "The program starts in `main` [cmd/main.go:5]. It is fast. It uses Redis [cache/redis.go:3].";
        assert_eq!(claims(text), ["The program starts in `main` [cmd/main.go:5]."]);
        assert_eq!(check_claims(text, &cited(), 2000).unproven, 2);
    }

    #[test]
    fn a_citation_that_does_not_exist_is_removed_from_a_claim_with_another() {
        assert_eq!(
            claims("`main` calls Serve [cmd/main.go:5, nowhere.go:1; api/server.go:6]."),
            ["`main` calls Serve [cmd/main.go:5]."]
        );
        assert_eq!(
            claims("At 12:30 it runs main (cmd/main.go:5) (x/y.go:2)."),
            ["At 12:30 it runs main (cmd/main.go:5)."]
        );
    }

    #[test]
    fn a_path_is_cited_as_a_whole() {
        assert_eq!(claims("It is in my/cmd/main.go:5."), [""; 0], "the end of another path");
        assert_eq!(
            claims("A page renders [app/[slug]/my page.tsx:7]."),
            ["A page renders [app/[slug]/my page.tsx:7]."]
        );
        assert_eq!(claims("Serve is in api/server.go:5-9."), ["Serve is in api/server.go:5-9."]);
        assert_eq!(claims("Lines 1:5 are odd."), [""; 0]);
    }

    #[test]
    fn citations_after_the_full_stop_belong_to_the_sentence_before_it() {
        let text = "# Layers\n\n- The entry is main. [cmd/main.go:5] Then it serves. (api/server.go:5)\n```\ncode cmd/main.go:5\n```";
        assert_eq!(claims(text), ["The entry is main. [cmd/main.go:5]", "Then it serves. (api/server.go:5)"]);
    }

    #[test]
    fn a_text_keeps_to_its_length() {
        let text = "It starts in main [cmd/main.go:5]. ".repeat(500);
        let checked = check_claims(&text, &cited(), 2000);
        assert!(checked.is_cut && tokens(&checked.claims.join("\n")) <= 2000, "{}", checked.claims.len());
    }

    proptest::proptest! {
        #[test]
        fn every_claim_of_any_text_cites_the_evidence(text in "([a-zA-Z ./:\\[\\](),;0-9\\n`#-]|cmd/main\\.go:5|é){0,120}") {
            for claim in claims(&text) {
                proptest::prop_assert!(cited().places.iter().any(|(path, line)| claim.contains(&format!("{path}:{line}"))), "{claim}");
                proptest::prop_assert!(!claim.contains('\n'));
            }
        }
    }
}
