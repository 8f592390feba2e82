//! Search for files by part of their path: a substring or, failing that, a subsequence, both ignoring case.

/// How well a path matches; a smaller one is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathMatch {
    /// The file name without its extensions is the text.
    Stem,
    /// The file name starts with the text.
    NamePrefix,
    /// The text is in the file name.
    NameSubstring,
    /// The text is in the path.
    PathSubstring,
    /// The characters of the text are in the path, in this order; the number of gaps between them, fewest first.
    Subsequence(usize),
}

impl PathMatch {
    /// How a path matches a text, both in lower case.
    fn of(path: &str, text: &str) -> Option<Self> {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        if stem == text || name == text {
            Some(Self::Stem)
        } else if name.starts_with(text) {
            Some(Self::NamePrefix)
        } else if name.contains(text) {
            Some(Self::NameSubstring)
        } else if path.contains(text) {
            Some(Self::PathSubstring)
        } else {
            gaps(path, text).map(Self::Subsequence)
        }
    }

    /// Whether the text is in the path as it is.
    pub fn is_substring(self) -> bool {
        !matches!(self, Self::Subsequence(_))
    }
}

/// The smallest number of gaps between the characters of a text where they occur in a path, in order.
fn gaps(path: &str, text: &str) -> Option<usize> {
    let text: Vec<char> = text.chars().collect();
    // For the first `n + 1` characters of the text: the fewest gaps if the last one is at the current place of the path, and
    // if it is anywhere up to there.
    let (mut here, mut so_far) = (vec![None; text.len()], vec![None::<usize>; text.len()]);
    for one in path.chars() {
        for n in (0..text.len()).rev() {
            let adjacent = if n == 0 { Some(0) } else { here[n - 1] };
            let apart = if n == 0 { None } else { so_far[n - 1].map(|gaps| gaps + 1) };
            let best = if one == text[n] { fewest(adjacent, apart) } else { None };
            here[n] = best;
            so_far[n] = fewest(so_far[n], best);
        }
    }
    so_far.last().copied().flatten()
}

fn fewest(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    one.into_iter().chain(other).min()
}

/// Characters of a text for each gap that is allowed: with fewer, any long path would match.
const CHARACTERS_PER_GAP: usize = 3;

/// The places of the paths that match a text, best first. Subsequences count only if no path contains the text.
pub(super) fn search<'a>(paths: impl Iterator<Item = &'a str>, text: &str) -> Vec<(PathMatch, usize)> {
    let text = text.to_lowercase();
    if text.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (place, path) in paths.enumerate() {
        if let Some(kind) = PathMatch::of(&path.to_lowercase(), &text) {
            found.push((kind, path.len(), path, place));
        }
    }
    if found.iter().any(|(kind, ..)| kind.is_substring()) {
        found.retain(|(kind, ..)| kind.is_substring());
    } else {
        let most = text.chars().count() / CHARACTERS_PER_GAP;
        found.retain(|(kind, ..)| matches!(kind, PathMatch::Subsequence(gaps) if *gaps <= most));
    }
    found.sort_unstable();
    found.into_iter().map(|(kind, _, _, place)| (kind, place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 6] = [
        "src/Orders/Totals.cs",
        "src/Order.cs",
        "src/OrderLine.cs",
        "tests/PlaceOrder.cs",
        "README.md",
        "src/basket_item.rb",
    ];

    fn found(text: &str) -> Vec<&'static str> {
        search(PATHS.into_iter(), text).into_iter().map(|(_, place)| PATHS[place]).collect()
    }

    #[test]
    fn a_substring_is_found_in_any_case_and_file_names_come_before_directories() {
        assert_eq!(
            found("order"),
            ["src/Order.cs", "src/OrderLine.cs", "tests/PlaceOrder.cs", "src/Orders/Totals.cs"]
        );
        assert_eq!(found("ORDERLINE"), ["src/OrderLine.cs"]);
        assert_eq!(found("orders/to"), ["src/Orders/Totals.cs"]);
    }

    #[test]
    fn letters_in_order_are_found_if_nothing_contains_the_text() {
        assert_eq!(found("ordline"), ["src/OrderLine.cs"]);
        assert_eq!(found("basketitem"), ["src/basket_item.rb"]);
        assert_eq!(found("rdm"), ["README.md"]);
    }

    #[test]
    fn scattered_letters_are_no_match() {
        assert!(found("stos").is_empty());
        assert!(found("zebra").is_empty());
        assert!(found("").is_empty());
    }
}
