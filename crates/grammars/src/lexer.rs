//! Lexers as tables: what the generator of tree-sitter writes as a C function over a switch.
//!
//! The characters are divided into classes that a lexer never tells apart. For each state, the table has the token that is
//! accepted in it, and the state that each class leads to.
#![expect(unsafe_code, reason = "the runtime shows the text to a lexer through raw pointers")]

use std::ffi::c_char;

/// Where a lexer goes, as stored: 0 for nowhere, else twice the state and one, and one more if it skips the character.
type Step = u16;

/// The state of a lexer of the parser runtime; the rest of its functions is for external scanners.
#[repr(C)]
pub(crate) struct TSLexer {
    lookahead: i32,
    result_symbol: u16,
    advance: unsafe extern "C" fn(*mut TSLexer, bool),
    mark_end: unsafe extern "C" fn(*mut TSLexer),
    get_column: unsafe extern "C" fn(*mut TSLexer) -> u32,
    is_at_included_range_start: unsafe extern "C" fn(*const TSLexer) -> bool,
    eof: unsafe extern "C" fn(*const TSLexer) -> bool,
    log: unsafe extern "C" fn(*const TSLexer, *const c_char, ...),
}

/// A lexer.
#[derive(Debug, PartialEq, Eq)]
pub struct Lexer {
    class_count: usize,
    /// The classes of the characters of ASCII.
    ascii: [u16; 128],
    /// The first character of each interval of one class, in order.
    starts: Box<[i32]>,
    /// The class of each interval.
    classes: Box<[u16]>,
    /// By state: the accepted token and one, or 0.
    accepted: Box<[u16]>,
    /// By state: the step at the end of the file.
    at_end: Box<[Step]>,
    /// By state and class.
    steps: Box<[Step]>,
}

/// What a lexer does in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexerState {
    /// The accepted token and one, or 0.
    pub accepted: u16,
    /// The step at the end of the file: 0 for none, else twice the state and one, and one more if the character is skipped.
    pub at_end: u16,
    /// The step by each of the characters.
    pub steps: Vec<u16>,
}

impl Lexer {
    /// A lexer from its steps by characters. Between one character and the next it does the same as by the first of them.
    ///
    /// # Panics
    ///
    /// If there are more classes of characters than two bytes can tell apart.
    #[must_use]
    pub fn new(characters: &[i32], states: &[LexerState]) -> Self {
        let column = |at: usize| states.iter().map(|state| state.steps[at]).collect::<Vec<Step>>();
        let mut columns: Vec<Vec<Step>> = Vec::new();
        let (mut starts, mut classes) = (Vec::new(), Vec::new());
        for (at, &character) in characters.iter().enumerate() {
            let column = column(at);
            let class = columns.iter().position(|known| *known == column).unwrap_or_else(|| {
                columns.push(column);
                columns.len() - 1
            });
            let class = u16::try_from(class).expect("a lexer has a few hundred classes");
            if classes.last() != Some(&class) {
                starts.push(character);
                classes.push(class);
            }
        }
        let steps = (0..states.len()).flat_map(|state| columns.iter().map(move |column| column[state]));
        Self::from_parts(
            starts.into(),
            classes.into(),
            states.iter().map(|state| state.accepted).collect(),
            states.iter().map(|state| state.at_end).collect(),
            steps.collect(),
        )
    }

    fn from_parts(
        starts: Box<[i32]>,
        classes: Box<[u16]>,
        accepted: Box<[u16]>,
        at_end: Box<[Step]>,
        steps: Box<[Step]>,
    ) -> Self {
        let class_count = steps.len() / accepted.len().max(1);
        let mut lexer = Self { class_count, ascii: [0; 128], starts, classes, accepted, at_end, steps };
        for character in 0..128 {
            lexer.ascii[character] = lexer.find_class(i32::try_from(character).unwrap_or_default());
        }
        lexer
    }

    /// The stored form: the numbers of states, classes and intervals, and the tables.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let counts = [self.accepted.len(), self.class_count, self.starts.len()];
        let counts = counts.map(|count| count as u32);
        let starts = self.starts.iter().flat_map(|start| start.to_le_bytes());
        let tables = [&self.classes, &self.accepted, &self.at_end, &self.steps];
        let tables = tables.into_iter().flatten().flat_map(|number| number.to_le_bytes());
        counts.iter().flat_map(|count| count.to_le_bytes()).chain(starts).chain(tables).collect()
    }

    /// A lexer from its stored form; none from an empty one.
    pub(crate) fn read(words: &[u32]) -> Option<Self> {
        let (&[states, classes, intervals], rest) = words.split_first_chunk::<3>()?;
        let [states, classes, intervals] = [states, classes, intervals].map(|count| count as usize);
        let (starts, rest) = rest.split_at(intervals);
        let halves: Vec<u16> = rest.iter().flat_map(|word| [*word as u16, (*word >> 16) as u16]).collect();
        let mut halves = halves.as_slice();
        let mut table = |length: usize| {
            let (table, rest) = halves.split_at(length);
            halves = rest;
            Box::<[u16]>::from(table)
        };
        let starts = starts.iter().map(|start| start.cast_signed()).collect();
        Some(Self::from_parts(
            starts,
            table(intervals),
            table(states),
            table(states),
            table(states * classes),
        ))
    }

    fn find_class(&self, character: i32) -> u16 {
        let at = self.starts.partition_point(|start| *start <= character);
        self.classes.get(at.saturating_sub(1)).copied().unwrap_or_default()
    }

    #[inline]
    fn class(&self, character: i32) -> usize {
        let ascii = usize::try_from(character).ok().and_then(|at| self.ascii.get(at));
        usize::from(ascii.copied().unwrap_or_else(|| self.find_class(character)))
    }

    /// Reads a token from a state on. Returns whether there is one.
    ///
    /// # Safety
    ///
    /// The runtime calls it with a lexer of its own.
    pub(crate) unsafe fn run(&self, lexer: *mut TSLexer, state: u16) -> bool {
        let mut state = usize::from(state);
        let mut is_accepted = false;
        loop {
            // A parser state without a state of the lexer has a number that no table has.
            let Some(&accepted) = self.accepted.get(state) else { return is_accepted };
            // SAFETY: the caller promises that the lexer is valid. The runtime fills in all functions.
            unsafe {
                if accepted != 0 {
                    is_accepted = true;
                    (*lexer).result_symbol = accepted - 1;
                    ((*lexer).mark_end)(lexer);
                }
                let character = (*lexer).lookahead;
                // At the end of the file the runtime shows a zero. A file may have one in the middle, too.
                let step = if character == 0 && ((*lexer).eof)(lexer) {
                    self.at_end[state]
                } else {
                    self.steps[state * self.class_count + self.class(character)]
                };
                let Some(next) = step.checked_sub(1) else { return is_accepted };
                ((*lexer).advance)(lexer, next & 1 == 1);
                state = usize::from(next >> 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_a_lexer_never_tells_apart_are_one_class() {
        // State 0 goes to 1 by a letter from `b` to `d`, state 1 stays by the same letters and skips `é`.
        let characters = [-1, 0, 'b' as i32, 'e' as i32, 'é' as i32, 'é' as i32 + 1];
        let states = [
            LexerState { accepted: 0, at_end: 0, steps: vec![0, 0, 3, 0, 0, 0] },
            LexerState { accepted: 8, at_end: 1, steps: vec![0, 0, 3, 0, 2, 0] },
        ];
        let lexer = Lexer::new(&characters, &states);
        assert_eq!(lexer.class_count, 3);
        let step = |state: usize, character: char| {
            lexer.steps[state * lexer.class_count + lexer.class(character as i32)]
        };
        assert_eq!([step(0, 'a'), step(0, 'b'), step(0, 'd'), step(0, 'e')], [0, 3, 3, 0]);
        assert_eq!([step(1, 'é'), step(1, 'ê'), step(1, '中')], [2, 0, 0]);
        let words: Vec<u32> = lexer
            .to_bytes()
            .chunks(4)
            .map(|bytes| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
            .collect();
        assert_eq!(Lexer::read(&words), Some(lexer));
        assert_eq!(Lexer::read(&[]), None);
    }
}
