//! Where the names of definitions occur in the text of the tree, outside of what is known not to be a use.
//!
//! Resolution does not see strings, templates, configuration, bodies of macros and other languages. Text search does:
//! any occurrence of a name that is not shown to be something else counts as a possible use.

use orient_engine::{Class, EngineError, FullGraph, Snapshot, paint};
use orient_model::SymbolKind;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What the texts say about one definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// How often its name occurs where it may be a use.
    pub(crate) places: u64,
    /// A piece of its name that a text is put together from.
    pub(crate) built_from: Option<String>,
    /// Whether it is a value where it is defined.
    pub(crate) value: bool,
    /// Whether its initialiser may run code.
    pub(crate) runs_code: bool,
    /// Whether its name has nothing to look for.
    pub(crate) unsearchable: bool,
}

/// What the texts of the tree say about some definitions.
pub(crate) struct NameOccurrences {
    found: BTreeMap<u32, Occurrence>,
    none: Occurrence,
    /// How many files were read.
    pub(crate) files: u64,
}

/// The part of a name that stands as one word in texts: `save` of `save!`, `x` of `@x`.
fn word_of(name: &str) -> &str {
    let words = name.split(|c: char| !is_word(c));
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Names and places that are looked at while texts are read.
struct Search<'w> {
    whole: &'w FullGraph,
    nodes: &'w [u32],
    /// The definitions by the word to look for.
    words: BTreeMap<&'w str, Vec<u32>>,
    /// Where names of definitions stand: file and byte.
    defined: BTreeSet<(u32, u32)>,
    pieces: Pieces,
    found: BTreeMap<u32, Occurrence>,
    files: u64,
}

impl NameOccurrences {
    /// Looks for the names of some definitions in all files.
    pub(crate) fn find(snapshot: &Snapshot, whole: &FullGraph, nodes: &[u32]) -> Result<Self, EngineError> {
        let mut search = Search::new(whole, nodes);
        if nodes.is_empty() {
            return Ok(Self { found: search.found, none: Occurrence::default(), files: 0 });
        }
        let numbered: BTreeMap<_, u32> = whole.files.iter().map(|file| file.id).zip(0..).collect();
        snapshot.each_text(&whole.files, |file, text| {
            if let Some(&index) = numbered.get(&file.id) {
                search.read(index, &file.path.display(), text);
            }
        })?;
        search.judge_pieces();
        Ok(Self { found: search.found, none: Occurrence::default(), files: search.files })
    }

    /// What was found about a definition.
    pub(crate) fn of(&self, number: u32) -> &Occurrence {
        self.found.get(&number).unwrap_or(&self.none)
    }
}

impl<'w> Search<'w> {
    fn new(whole: &'w FullGraph, nodes: &'w [u32]) -> Self {
        let mut words: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        let mut found: BTreeMap<u32, Occurrence> = BTreeMap::new();
        for &node in nodes {
            let word = word_of(whole.name(node));
            if word.is_empty() {
                found.entry(node).or_default().unsearchable = true;
            } else {
                words.entry(word).or_default().push(node);
            }
        }
        let mut defined = BTreeSet::new();
        for (number, node) in whole.nodes.iter().enumerate() {
            // A key of a configuration or a heading may well name something else.
            let of_code = node.kind.is_some_and(|kind| kind < SymbolKind::Table);
            if of_code && words.contains_key(word_of(whole.name(number as u32))) {
                defined.insert((node.file, node.name_start));
            }
        }
        let pieces = Pieces::default();
        Self { whole, nodes, words, defined, pieces, found, files: 0 }
    }

    fn read(&mut self, file: u32, path: &str, text: &str) {
        self.files += 1;
        let mut comments: Option<Vec<Range<usize>>> = None;
        let (mut line, mut counted) = (1, 0);
        for (start, word) in words(text) {
            self.pieces.see(text, start, word);
            let Some(nodes) = self.words.get(word) else { continue };
            line += text[counted..start].matches('\n').count() as u32;
            counted = start;
            if self.is_defined(file, text, start) {
                continue;
            }
            let comments = comments.get_or_insert_with(|| comments_of(path, text));
            let in_comment = comments.iter().find(|comment| comment.contains(&start));
            // Some frameworks read annotations from comments.
            if in_comment.is_some_and(|comment| !text[comment.clone()].contains('@')) {
                continue;
            }
            for &number in nodes {
                if !self.is_inside(number, file, line) {
                    self.found.entry(number).or_default().places += 1;
                }
            }
        }
        for &number in self.nodes.iter().filter(|&&number| self.whole.nodes[number as usize].file == file) {
            self.look_at_definition(number, text);
        }
    }

    /// Whether the name of a definition stands here; sigils before it belong to it.
    fn is_defined(&self, file: u32, text: &str, start: usize) -> bool {
        let sigils = text[..start].bytes().rev().take_while(|byte| b"@$#~`".contains(byte)).count();
        (start - sigils..=start).any(|at| self.defined.contains(&(file, at as u32)))
    }

    /// Whether a line stands inside a definition: what it says of its own name is no use. On one line, a definition and its
    /// use cannot be told apart. A use that is proven to mean another definition counts all the same, since a program may
    /// have several of one name and choose between them: for platforms, by assignment, through an interface.
    fn is_inside(&self, number: u32, file: u32, line: u32) -> bool {
        let node = &self.whole.nodes[number as usize];
        let inside = file == node.file && (node.first_line..=node.last_line).contains(&line);
        inside && node.first_line < node.last_line
    }

    fn look_at_definition(&mut self, number: u32, text: &str) {
        use SymbolKind::{Class, Constant, Function, Variable};
        let node = &self.whole.nodes[number as usize];
        let before = text.get(..node.start as usize).unwrap_or_default().trim_end();
        let own = text.lines().skip(node.first_line as usize - 1);
        let own = own.take((node.last_line + 1 - node.first_line) as usize);
        let found = self.found.entry(number).or_default();
        match node.kind {
            Some(Function | Class) => found.value = leads_to_value(before),
            Some(Constant | Variable) => found.runs_code = runs_code(&own.collect::<Vec<_>>().join("\n")),
            _ => {}
        }
    }

    fn judge_pieces(&mut self) {
        for &number in self.nodes {
            let word = word_of(self.whole.name(number));
            if let Some(piece) = self.pieces.of(word) {
                self.found.entry(number).or_default().built_from = Some(piece.to_owned());
            }
        }
    }
}

/// Whether what stands before a definition takes it as a value.
fn leads_to_value(before: &str) -> bool {
    let last_word = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
    before.ends_with(['(', ',', '=', '[', '?', '|', '&', '!', '+'])
        || before.ends_with("=>")
        || ["return", "yield", "await", "default", "new", "export"].contains(&last_word)
}

/// Whether a definition with a value calls something, or is made by its declaration alone.
fn runs_code(definition: &str) -> bool {
    definition.contains('(') || !definition.contains('=')
}

/// The words of a text with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let starts = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).map(move |word| (starts(word), word))
}

fn comments_of(path: &str, text: &str) -> Vec<Range<usize>> {
    let painted = paint(path, text).into_iter();
    painted.filter(|(_, class)| *class == Class::Comment).map(|(range, _)| range).collect()
}

/// Pieces of names in texts that are put together when a program runs: `"visit_" + kind`, `"#{kind}_path"`. A whole text
/// that is plainly a piece counts too: `name.startswith("visit_")`.
#[derive(Default)]
struct Pieces {
    starts: BTreeSet<String>,
    ends: BTreeSet<String>,
    /// Pieces that macros paste to others, before and behind them: `my##name`.
    pasted: BTreeSet<String>,
    pasted_behind: BTreeSet<String>,
}

const QUOTES: [char; 3] = ['"', '\'', '`'];
/// A piece shorter than this says nothing.
const SHORTEST: usize = 3;

impl Pieces {
    fn see(&mut self, text: &str, start: usize, word: &str) {
        let (before, behind) = (&text[..start], &text[start + word.len()..]);
        if pastes(behind) || before.ends_with("[<") && behind.trim_start().starts_with('$') {
            self.pasted.insert(word.to_owned());
        }
        if pasted(before) || behind.starts_with(">]") {
            self.pasted_behind.insert(word.to_owned());
        }
        if word.len() < SHORTEST {
            return;
        }
        let quoted = before.ends_with(QUOTES) && behind.starts_with(QUOTES);
        let in_text = before.ends_with(QUOTES) || word.ends_with('_') && behind.starts_with(QUOTES);
        let starts = in_text && goes_on(behind) || quoted && word.ends_with('_');
        let in_text = behind.starts_with(QUOTES) || word.starts_with('_') && before.ends_with(QUOTES);
        let ends = in_text && went_on(before) || quoted && word.starts_with('_');
        if starts && !self.starts.contains(word) {
            self.starts.insert(word.to_owned());
        }
        if ends && !self.ends.contains(word) {
            self.ends.insert(word.to_owned());
        }
    }

    /// A piece that a name begins or ends with, at a border of its words.
    fn of(&self, name: &str) -> Option<&str> {
        let border = |at: usize| {
            let (left, right) = (&name[..at], &name[at..]);
            left.ends_with('_') || right.starts_with('_') || right.starts_with(char::is_uppercase)
        };
        let cuts = || name.char_indices().skip(1).map(|(at, _)| at).filter(|&at| border(at));
        let any = || name.char_indices().skip(1).map(|(at, _)| at);
        let found = cuts()
            .find_map(|at| self.starts.get(&name[..at]))
            .or_else(|| cuts().find_map(|at| self.ends.get(&name[at..])))
            .or_else(|| any().find_map(|at| self.pasted.get(&name[..at])))
            .or_else(|| any().find_map(|at| self.pasted_behind.get(&name[at..])));
        found.map(String::as_str)
    }
}

/// Whether a macro pastes something to what stands before.
fn pastes(behind: &str) -> bool {
    behind.trim_start_matches(' ').starts_with("##")
}

/// Whether a macro pastes what stands behind to something. A heading of a document is no paste.
fn pasted(before: &str) -> bool {
    let first = before.trim_end_matches(' ').strip_suffix("##").map(|rest| rest.trim_end_matches(' '));
    first.is_some_and(|first| first.ends_with(is_word))
}

/// Whether a text goes on with something computed: an interpolation, or another text that is joined to it.
fn goes_on(behind: &str) -> bool {
    if ["{", "#{", "${", "$", "%s", "%d", "\\("].iter().any(|mark| behind.starts_with(mark)) {
        return true;
    }
    let Some(rest) = behind.strip_prefix(QUOTES).map(|rest| rest.trim_start_matches([' ', '\n', '\t']))
    else {
        return false;
    };
    rest.starts_with(['+', '&', '%'])
        || rest.starts_with("<<")
        || rest.starts_with("..")
        || rest.starts_with(". ")
}

/// Whether a text began with something computed.
fn went_on(before: &str) -> bool {
    if before.ends_with('}') || before.ends_with("%s") {
        return true;
    }
    let Some(rest) = before.strip_suffix(QUOTES).map(|rest| rest.trim_end_matches([' ', '\n', '\t'])) else {
        return false;
    };
    rest.ends_with(['+', '&']) || rest.ends_with("<<") || rest.ends_with("..") || rest.ends_with(" .")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Pieces {
        let mut pieces = Pieces::default();
        words(text).for_each(|(start, word)| pieces.see(text, start, word));
        pieces
    }

    #[test]
    fn the_word_of_a_name_is_what_texts_have() {
        assert_eq!(
            (word_of("save!"), word_of("@count"), word_of("#p"), word_of("<=>")),
            ("save", "count", "p", "")
        );
    }

    #[test]
    fn names_are_built_from_pieces_of_texts() {
        for text in [
            "getattr(self, \"visit_\" + kind)",
            "send(\"visit_#{kind}\")",
            "f'visit_{kind}'",
            "'visit_' . $x",
        ] {
            assert_eq!(pieces(text).of("visit_call"), Some("visit_"), "{text}");
        }
        assert_eq!(pieces("write(\"bind(&impl_\" + kind)").of("impl_run"), Some("impl_"));
        assert_eq!(pieces("send(\"#{kind}_path\")").of("user_path"), Some("_path"));
        assert_eq!(pieces("name.startswith('visit_')").of("visit_call"), Some("visit_"));
        assert_eq!(pieces("'get' + name").of("getName"), Some("get"));
        assert_eq!(pieces("#define WRAP(name) my##name()").of("mySwap"), Some("my"));
        assert_eq!(pieces("#define WRAP(name) name ## Impl()").of("swapImpl"), Some("Impl"));
        assert_eq!(pieces("text\n\n## Impl").of("swapImpl"), None, "a heading");
        assert_eq!(pieces("'get' + name").of("gets"), None, "no border of a word");
        assert_eq!(pieces("map['visit_x'] = 1").of("visit_x_y"), None, "nothing is joined to it");
    }

    #[test]
    fn functions_are_values_behind_what_takes_one() {
        for before in ["on('x',", "return", "const f =", "run(", "() =>"] {
            assert!(leads_to_value(before), "{before}");
        }
        for before in ["", "}", ";", "{", "private:", "returned"] {
            assert!(!leads_to_value(before), "{before}");
        }
    }
}
