//! A string interner for the names of a repository during a bulk load: one buffer, no allocation per name.

/// Numbers names from 1 in the order of arrival.
pub(crate) struct Interner {
    text: String,
    ends: Vec<usize>,
    /// An open-addressing hash table; 0 is a free slot. Some bits of the hash beside the number avoid most comparisons of
    /// texts.
    slots: Vec<(u32, u32)>,
}

const FIRST_SIZE: usize = 1 << 12;

impl Interner {
    pub(crate) fn new() -> Self {
        Self { text: String::new(), ends: Vec::new(), slots: vec![(0, 0); FIRST_SIZE] }
    }

    /// The number of a name, and whether it is new.
    pub(crate) fn intern(&mut self, name: &str) -> (i64, bool) {
        let hash = hash(name.as_bytes());
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        let high = (hash >> 32) as u32;
        loop {
            match self.slots[slot] {
                (0, _) => break,
                (number, seen) if seen == high && self.get(number) == name => {
                    return (i64::from(number), false);
                }
                _ => slot = (slot + 1) & mask,
            }
        }
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let number = u32::try_from(self.ends.len())
            .expect("four thousand million distinct names do not fit a machine");
        self.slots[slot] = (number, high);
        if self.ends.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        (i64::from(number), true)
    }

    /// The number of a known name.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let hash = hash(name.as_bytes());
        let (mask, high) = (self.slots.len() - 1, (hash >> 32) as u32);
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                (0, _) => return None,
                (number, seen) if seen == high && self.get(number) == name => return Some(number),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// The number of names.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number that the next new name gets.
    pub(crate) fn next(&self) -> i64 {
        i64::from(self.ends.len() as u32) + 1
    }

    fn get(&self, number: u32) -> &str {
        let index = number as usize - 1;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![(0, 0); mask + 1];
        for number in 1..=self.ends.len() as u32 {
            let hash = hash(self.get(number).as_bytes());
            let mut slot = hash as usize & mask;
            while slots[slot].0 != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = (number, (hash >> 32) as u32);
        }
        self.slots = slots;
    }
}

/// Hashes eight bytes at a time. Names come from our own tables, so collisions only cost speed. The same on every machine.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| {
        let wide = u128::from(state ^ word) * u128::from(FACTOR);
        wide as u64 ^ (wide >> 64) as u64
    };
    let mut chunks = bytes.chunks_exact(8);
    let mut state = (bytes.len() as u64).wrapping_mul(FACTOR) ^ 0x517c_c1b7_2722_0a95;
    for chunk in &mut chunks {
        state = mix(state, u64::from_le_bytes(chunk.try_into().expect("chunks of eight")));
    }
    let mut last = [0; 8];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    mix(mix(state, u64::from_le_bytes(last)), FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number_while_others_are_added() {
        let mut names = Interner::new();
        let all: Vec<String> = (0..20_000).map(|i| format!("name_{i}")).chain([String::new()]).collect();
        for new in [true, false] {
            for (number, name) in (1..).zip(&all) {
                assert_eq!(names.intern(name), (number, new));
            }
        }
        assert_eq!(names.next(), 20_002);
        assert_eq!((names.find("name_7"), names.find("name_x")), (Some(8), None));
    }
}
