//! What a reader pays for a hit: the part of the printed answer that belongs to it.

use super::score::Hit;

/// How many bytes are taken as one token. The product's own budgets take as many; it is on the safe side.
const BYTES_PER_TOKEN: usize = 3;

/// How many tokens some bytes are taken for.
pub(super) fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// How many bytes of `text` belong to each hit. A hit begins where a line begins with its `path:line` and ends where the
/// next one begins; what stands before the first belongs to the first, since it is read as well. Where a hit cannot be
/// found, the rest is shared out evenly: nothing that is printed is free.
pub(super) fn bytes(text: &str, hits: &[Hit]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut from = 0;
    for hit in hits {
        let Some(at) = anchor(text, from, hit) else { break };
        starts.push(if starts.is_empty() { 0 } else { at });
        from = at + 1;
    }
    if starts.len() < hits.len() {
        let each = text.len().div_ceil(hits.len());
        return vec![each; hits.len()];
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| end - start).collect()
}

/// Where the line of a hit begins, at or after `from`.
fn anchor(text: &str, from: usize, hit: &Hit) -> Option<usize> {
    let wanted = match hit.start_line {
        Some(line) => format!("{}:{line}", hit.path),
        None => hit.path.clone(),
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start().strip_prefix(wanted.as_str());
        let is_whole = rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()));
        if at >= from && is_whole {
            return Some(at);
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(path: &str, line: u32) -> Hit {
        Hit { path: path.to_owned(), start_line: Some(line), end_line: Some(line) }
    }

    #[test]
    fn a_hit_goes_from_its_anchor_to_the_next() {
        let text = "two places\na.py:12  one\n    a.py:1 in a text\na.py:1  two\nb.py:3  three\n";
        let hits = [hit("a.py", 12), hit("a.py", 1), hit("b.py", 3)];
        let found = bytes(text, &hits);
        assert_eq!(found.iter().sum::<usize>(), text.len(), "all of it is paid for");
        assert_eq!(found[2], "b.py:3  three\n".len());
    }

    #[test]
    fn a_longer_number_is_another_line() {
        assert_eq!(bytes("a:12 x\na:1 yy\n", &[hit("a", 1)]), [14]);
    }

    #[test]
    fn hits_without_an_anchor_share_what_is_printed() {
        assert_eq!(bytes("nothing like it", &[hit("a", 1), hit("b", 2)]), [8, 8]);
        assert_eq!(bytes("", &[]), [] as [usize; 0]);
    }

    #[test]
    fn three_bytes_are_a_token() {
        assert_eq!([0, 1, 3, 4].map(tokens), [0, 1, 1, 2]);
    }
}
