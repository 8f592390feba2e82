//! Edit distance between words, and suggestions for mistyped ones.

/// The optimal string alignment distance: insertions, deletions, replacements and swaps of adjacent letters; `None`
/// if it exceeds `limit`. Case-sensitive.
pub fn distance(one: &str, other: &str, limit: usize) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > limit {
        return None;
    }
    // Three rows of the dynamic programming table: a swap refers two rows back.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (row, &a) in one.iter().enumerate() {
        let mut current = Vec::with_capacity(above.len());
        current.push(row + 1);
        for (column, &b) in other.iter().enumerate() {
            let mut cost =
                (above[column] + usize::from(a != b)).min(above[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && a == other[column - 1] && one[row - 1] == b {
                cost = cost.min(before[column - 1] + 1);
            }
            current.push(cost);
        }
        if current.iter().min().is_none_or(|&least| least > limit) {
            return None;
        }
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied().filter(|&cost| cost <= limit)
}

/// The maximum distance at which a word counts as a typing error: a third of its letters, at most three.
pub fn slip(word: &str) -> usize {
    (word.chars().count() / 3).clamp(1, 3)
}

/// The known word nearest to `word`, if it is near enough. Case-insensitive; the first of equally near ones, so that
/// the result depends only on the order of `known`.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let folded = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let limit = best.map_or(slip(&folded), |(cost, _)| cost);
        if let Some(cost) = distance(&folded, &candidate.to_lowercase(), limit)
            && best.is_none_or(|(least, _)| cost < least)
        {
            best = Some((cost, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_slip_costs_one() {
        for typed in ["serer", "serveer", "sarver", "sevrer"] {
            assert_eq!(distance(typed, "server", 3), Some(1), "{typed}");
        }
        assert_eq!(distance("server", "server", 0), Some(0));
        assert_eq!(distance("", "abc", 3), Some(3));
        assert_eq!(distance("größe", "grösse", 2), Some(2));
    }

    #[test]
    fn what_is_farther_than_the_limit_is_not_measured() {
        assert_eq!(distance("kitten", "sitting", 2), None);
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
        assert_eq!(distance("a", "abcdef", 4), None);
    }

    #[test]
    fn a_mistyped_word_leads_to_the_nearest_known_one() {
        let known = ["exclude", "threads", "max_file_size"];
        assert_eq!(nearest("treads", known), Some("threads"));
        assert_eq!(nearest("Exlcude", known), Some("exclude"));
        assert_eq!(nearest("colour", known), None, "nothing is better than a far guess");
    }
}
