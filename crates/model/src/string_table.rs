//! The string table of one file. Facts refer to its strings by small numbers.

/// A string of a [`Strings`] table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(pub u32);

/// An append-only table of strings: one buffer and the end of each string in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    /// Appends `text` without checking for duplicates, which is up to the writer.
    pub fn push(&mut self, text: &str) -> Atom {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        Atom(self.ends.len() as u32 - 1)
    }

    /// A table from one text and the end of each string in it; `None` if the ends are not ascending character
    /// boundaries, the last of them the end of the text.
    pub fn from_parts(text: String, ends: Vec<u32>) -> Option<Self> {
        let last = ends.last().map_or(0, |&end| end as usize);
        let fits = last == text.len()
            && ends.is_sorted()
            && ends.iter().all(|&end| text.is_char_boundary(end as usize));
        fits.then_some(Self { text, ends })
    }

    /// The text of an atom; empty for an atom of another table.
    pub fn get(&self, atom: Atom) -> &str {
        let index = atom.0 as usize;
        let Some(&end) = self.ends.get(index) else { return "" };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All strings in order of their atoms.
    pub fn iter(&self) -> impl Iterator<Item = (Atom, &str)> {
        (0..self.ends.len() as u32).map(|i| (Atom(i), self.get(Atom(i))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_come_back_as_they_went_in() {
        let mut strings = Strings::default();
        let (a, b, c) = (strings.push("alpha"), strings.push(""), strings.push("größe"));
        assert_eq!((strings.get(a), strings.get(b), strings.get(c)), ("alpha", "", "größe"));
        assert_eq!(strings.get(Atom(9)), "", "an atom of another table is empty, not a panic");
    }

    #[test]
    fn parts_make_strings_only_where_they_fit() {
        let parts = |text: &str, ends: &[u32]| Strings::from_parts(text.to_owned(), ends.to_vec());
        let strings = parts("alphagröße", &[5, 5, 12]).expect("three strings, one of them empty");
        assert_eq!(["alpha", "", "größe"], [0, 1, 2].map(|at| strings.get(Atom(at))));
        assert_eq!(parts("", &[]), Some(Strings::default()));
        for ends in [&[5, 4, 12][..], &[5, 8, 12], &[5], &[13], &[]] {
            assert_eq!(parts("alphagröße", ends), None, "{ends:?}");
        }
    }
}
