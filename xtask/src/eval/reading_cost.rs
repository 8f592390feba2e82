//! The cost of a hit for the reader: the printed answer up to the end of that hit.

use super::score::Hit;

/// Bytes per token: the usual rule of thumb.
const BYTES_PER_TOKEN: usize = 4;

/// The estimated tokens of some bytes.
pub(super) fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// How many bytes of `text` have been read after each hit, from top to bottom. Hits of one file may be printed
/// together, so a later hit can be read earlier. A hit begins where a line starts with its `path:line` and ends where
/// another begins. If one cannot be found, the text is divided evenly, so that no hit is free.
pub(super) fn read(text: &str, hits: &[Hit]) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::new();
    for hit in hits {
        let Some(start) = anchors(text, hit).find(|start| !starts.contains(start)) else {
            let each = text.len().div_ceil(hits.len());
            return (1..=hits.len()).map(|place| place * each).collect();
        };
        starts.push(start);
    }
    let end = |start: &usize| starts.iter().copied().filter(|other| other > start).min();
    starts.iter().map(|start| end(start).unwrap_or(text.len())).collect()
}

/// The offsets of lines that start with the location of a hit.
fn anchors<'t>(text: &'t str, hit: &Hit) -> impl Iterator<Item = usize> + 't {
    let wanted = match hit.start_line {
        Some(line) => format!("{}:{line}", hit.path),
        None => hit.path.clone(),
    };
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let rest = line.trim_start().strip_prefix(wanted.as_str())?;
        (!rest.starts_with(|next: char| next.is_ascii_digit())).then_some(start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(path: &str, line: u32) -> Hit {
        Hit { path: path.to_owned(), start_line: Some(line), end_line: Some(line), also: Vec::new() }
    }

    #[test]
    fn a_hit_is_read_when_the_next_begins() {
        let text = "three places\na.py:12-14  one\n12 a.py:1 in a text\na.py:1  two\nb.py:3  three\n";
        let read = read(text, &[hit("a.py", 12), hit("a.py", 1), hit("b.py", 3)]);
        let at = |line: &str| text.find(line).expect("it occurs");
        assert_eq!(read, [at("a.py:1  two"), at("b.py:3"), text.len()]);
    }

    #[test]
    fn hits_of_one_file_may_be_printed_together() {
        let text = "a:1 x\na:9 x\nb:1 x\n";
        assert_eq!(read(text, &[hit("a", 1), hit("b", 1), hit("a", 9)]), [6, 18, 12]);
    }

    #[test]
    fn a_longer_number_is_another_line() {
        assert_eq!(read("a:12 x\na:1 yy\n", &[hit("a", 1)]), [14]);
    }

    #[test]
    fn hits_without_a_place_of_their_own_share_what_is_printed() {
        assert_eq!(read("nothing like it", &[hit("a", 1), hit("b", 2)]), [8, 16]);
        assert_eq!(read("a:1 twice", &[hit("a", 1), hit("a", 1)]), [5, 10]);
        assert_eq!(read("", &[]), [] as [usize; 0]);
    }

    #[test]
    fn four_bytes_are_a_token() {
        assert_eq!([0, 1, 4, 5].map(tokens), [0, 1, 1, 2]);
    }
}
