//! Occurrences of definition names in the text of the tree that may be uses.
//!
//! Resolution does not see strings, templates, configuration, macro bodies and other languages. Text search does: any
//! occurrence of a name counts as a possible use, unless it is a definition, inside the definition, or in a comment.

use super::file_patterns::FilePatterns;
use super::liveness_reasons::extensions;
use orient_engine::{EngineError, FullGraph, Snapshot, TokenClass, highlight};
use orient_model::{Role, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What the text says about one definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// Number of occurrences that may be uses.
    pub(crate) places: u64,
    /// A pattern of paths in the source that its file fits.
    pub(crate) loaded_by: Option<String>,
    /// A piece of its name from which strings are built.
    pub(crate) built_from: Option<String>,
    /// Whether it is used as a value where it is defined.
    pub(crate) value: bool,
    /// Whether its initialiser may run code.
    pub(crate) runs_code: bool,
    /// Whether its name has no letters to search for.
    pub(crate) unsearchable: bool,
}

/// What the text of the tree says about some definitions.
pub(crate) struct NameOccurrences {
    found: BTreeMap<u32, Occurrence>,
    none: Occurrence,
    /// Number of files read.
    pub(crate) files: u64,
}

/// The part of a name that is one word in text: `save` of `save!`, `x` of `@x`.
fn word_of(name: &str) -> &str {
    let words = name.split(|c: char| !is_word(c));
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

/// The name of a rendered file without what markup and texts spell differently: case, hyphens and underscores.
fn plain_spelling(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The state of the search over all files.
struct Search<'w> {
    whole: &'w FullGraph,
    nodes: &'w [u32],
    /// The definitions by the word to search for.
    words: BTreeMap<&'w str, Vec<u32>>,
    /// The functions by that word in lower case, where case does not matter.
    caseless: BTreeMap<String, Vec<u32>>,
    /// The files that are rendered, by their names as markup and texts may spell them.
    rendered: BTreeMap<String, Vec<u32>>,
    /// The positions of definition names: file and byte.
    defined: BTreeSet<(u32, u32)>,
    pieces: Pieces,
    patterns: FilePatterns,
    found: BTreeMap<u32, Occurrence>,
    files: u64,
}

impl NameOccurrences {
    /// Searches all files for the names of some definitions.
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
        search.match_pieces();
        Ok(Self { found: search.found, none: Occurrence::default(), files: search.files })
    }

    /// The occurrences of a definition.
    pub(crate) fn of(&self, number: u32) -> &Occurrence {
        self.found.get(&number).unwrap_or(&self.none)
    }
}

impl<'w> Search<'w> {
    fn new(whole: &'w FullGraph, nodes: &'w [u32]) -> Self {
        let mut words: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        let mut caseless: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut found: BTreeMap<u32, Occurrence> = BTreeMap::new();
        let mut rendered: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for &node in nodes {
            let word = word_of(whole.name(node));
            if whole.nodes[node as usize].kind.is_some_and(SymbolKind::is_rendered) {
                rendered.entry(plain_spelling(whole.name(node))).or_default().push(node);
            }
            for inner in extensions(whole, node) {
                words.entry(word_of(whole.name(inner))).or_default().push(node);
            }
            if is_caseless(whole, node) {
                caseless.entry(word.to_ascii_lowercase()).or_default().push(node);
            }
            if word.is_empty() {
                found.entry(node).or_default().unsearchable = true;
            } else {
                words.entry(word).or_default().push(node);
            }
        }
        let mut defined = BTreeSet::new();
        for (number, node) in whole.nodes.iter().enumerate() {
            // Keys of configuration files and headings may name something else.
            let of_code = node.kind.is_some_and(|kind| kind < SymbolKind::Table);
            if of_code && words.contains_key(word_of(whole.name(number as u32))) {
                defined.insert((node.file, node.name_start));
            }
        }
        let (pieces, patterns) = (Pieces::default(), FilePatterns::default());
        Self { whole, nodes, words, caseless, rendered, defined, pieces, patterns, found, files: 0 }
    }

    fn read(&mut self, file: u32, path: &str, text: &str) {
        self.files += 1;
        if self.whole.files[file as usize].role == Role::Source {
            self.patterns.read(text);
        }
        self.read_rendered(file, text);
        let mut comments: Option<Vec<Range<usize>>> = None;
        let (mut line, mut counted) = (1, 0);
        for (start, word) in words(text) {
            self.pieces.see(text, start, word);
            let nodes = self.named(word);
            if nodes.is_empty() {
                continue;
            }
            line += text[counted..start].matches('\n').count() as u32;
            counted = start;
            if self.is_defined(file, text, start) {
                continue;
            }
            let comments = comments.get_or_insert_with(|| comments_of(path, text));
            let in_comment = comments.iter().find(|comment| comment.contains(&start));
            // Some frameworks read annotations in comments.
            if in_comment.is_some_and(|comment| !text[comment.clone()].contains('@')) {
                continue;
            }
            for number in nodes {
                if !self.is_inside(number, file, line) {
                    self.found.entry(number).or_default().places += 1;
                }
            }
        }
        for &number in self.nodes.iter().filter(|&&number| self.whole.nodes[number as usize].file == file) {
            self.inspect_definition(number, text);
        }
    }

    /// Counts the texts and elements that may name a rendered file: `'shared/links'` and `<nav-bar>` for `_links` and `NavBar`.
    fn read_rendered(&mut self, file: u32, text: &str) {
        if self.rendered.is_empty() {
            return;
        }
        let is_part = |c: char| is_word(c) || c == '-';
        let starts = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
        for word in text.split(|c: char| !is_part(c)).filter(|word| word.len() > 1) {
            if !text[..starts(word)].ends_with(['\'', '"', '`', '/', '<', ':', '.']) {
                continue;
            }
            let Some(nodes) = self.rendered.get(&plain_spelling(word)) else { continue };
            for &number in nodes.iter().filter(|&&number| self.whole.nodes[number as usize].file != file) {
                self.found.entry(number).or_default().places += 1;
            }
        }
    }

    /// The definitions that a word may name.
    fn named(&self, word: &str) -> Vec<u32> {
        let mut nodes = self.words.get(word).cloned().unwrap_or_default();
        if !self.caseless.is_empty() {
            let alike = self.caseless.get(&word.to_ascii_lowercase()).into_iter().flatten();
            let others: Vec<u32> = alike.copied().filter(|number| !nodes.contains(number)).collect();
            nodes.extend(others);
        }
        nodes
    }

    /// Whether this is the name of a definition; sigils before it belong to it.
    fn is_defined(&self, file: u32, text: &str, start: usize) -> bool {
        let sigils = text[..start].bytes().rev().take_while(|byte| b"@$#~`".contains(byte)).count();
        (start - sigils..=start).any(|at| self.defined.contains(&(file, at as u32)))
    }

    /// Whether a line is inside a definition, where its own name is not a use. On one line, a definition and its use cannot be
    /// distinguished. A use that is proven to mean another definition still counts, since a program may choose between
    /// several definitions of one name: by platform, by assignment, through an interface.
    fn is_inside(&self, number: u32, file: u32, line: u32) -> bool {
        let node = &self.whole.nodes[number as usize];
        let inside = file == node.file && (node.first_line..=node.last_line).contains(&line);
        inside && node.first_line < node.last_line
    }

    fn inspect_definition(&mut self, number: u32, text: &str) {
        use SymbolKind::{Class, Constant, Function, Variable};
        let node = &self.whole.nodes[number as usize];
        let before = text.get(..node.start as usize).unwrap_or_default().trim_end();
        let own = text.lines().skip(node.first_line as usize - 1);
        let own = own.take((node.last_line + 1 - node.first_line) as usize);
        let found = self.found.entry(number).or_default();
        match node.kind {
            Some(Function | Class) => found.value = takes_value(before),
            Some(Constant | Variable) => found.runs_code = runs_code(&own.collect::<Vec<_>>().join("\n")),
            _ => {}
        }
    }

    fn match_pieces(&mut self) {
        for &number in self.nodes {
            let node = &self.whole.nodes[number as usize];
            if self.whole.nodes[node.parent as usize].kind.is_none()
                && let Some(pattern) = self.patterns.of(&self.whole.file(number).path.display())
            {
                self.found.entry(number).or_default().loaded_by = Some(pattern.to_owned());
            }
            let word = word_of(self.whole.name(number));
            if let Some(piece) = self.pieces.of(word) {
                self.found.entry(number).or_default().built_from = Some(piece.to_owned());
            }
        }
    }
}

/// Whether a definition is a function whose name is compared without case.
fn is_caseless(whole: &FullGraph, number: u32) -> bool {
    let is_function = whole.nodes[number as usize].kind.is_some_and(SymbolKind::is_callable);
    is_function && whole.rules(number).is_some_and(|rules| rules.caseless_functions)
}

/// Whether the text before a definition uses it as a value.
pub(crate) fn takes_value(before: &str) -> bool {
    let last_word = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
    before.ends_with(['(', ',', '=', '[', '?', '|', '&', '!', '+'])
        || before.ends_with("=>")
        || ["return", "yield", "await", "default", "new", "export"].contains(&last_word)
}

/// Whether the initialiser of a definition may run code, or the declaration itself does.
fn runs_code(definition: &str) -> bool {
    definition.contains('(') || !definition.contains('=')
}

/// The words of a text with their positions.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let starts = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).map(move |word| (starts(word), word))
}

fn comments_of(path: &str, text: &str) -> Vec<Range<usize>> {
    let highlighted = highlight(path, text).into_iter();
    highlighted.filter(|(_, class)| *class == TokenClass::Comment).map(|(range, _)| range).collect()
}

/// Pieces of names in strings that are built at run time: `"visit_" + kind`, `"#{kind}_path"`. A complete string that is
/// clearly a piece counts too: `name.startswith("visit_")`.
#[derive(Default)]
struct Pieces {
    starts: BTreeSet<String>,
    ends: BTreeSet<String>,
    /// Pieces that macros paste before or after others: `my##name`.
    pasted: BTreeSet<String>,
    pasted_behind: BTreeSet<String>,
}

const QUOTES: [char; 3] = ['"', '\'', '`'];
/// Minimum length of a piece.
const MIN_PIECE: usize = 3;

impl Pieces {
    fn see(&mut self, text: &str, start: usize, word: &str) {
        let (before, behind) = (&text[..start], &text[start + word.len()..]);
        if pastes(behind) || before.ends_with("[<") && behind.trim_start().starts_with('$') {
            self.pasted.insert(word.to_owned());
        }
        if pasted(before) || behind.starts_with(">]") {
            self.pasted_behind.insert(word.to_owned());
        }
        if word.len() < MIN_PIECE {
            return;
        }
        let quoted = before.ends_with(QUOTES) && behind.starts_with(QUOTES);
        let in_text = before.ends_with(QUOTES) || word.ends_with('_') && behind.starts_with(QUOTES);
        let starts = in_text && continues_computed(behind) || quoted && word.ends_with('_');
        let in_text = behind.starts_with(QUOTES) || word.starts_with('_') && before.ends_with(QUOTES);
        let ends = in_text && begins_computed(before) || quoted && word.starts_with('_');
        if starts && !self.starts.contains(word) {
            self.starts.insert(word.to_owned());
        }
        if ends && !self.ends.contains(word) {
            self.ends.insert(word.to_owned());
        }
    }

    /// A piece that a name starts or ends with, at a word boundary.
    fn of(&self, name: &str) -> Option<&str> {
        let is_boundary = |at: usize| {
            let (left, right) = (&name[..at], &name[at..]);
            left.ends_with('_') || right.starts_with('_') || right.starts_with(char::is_uppercase)
        };
        let cuts = || name.char_indices().skip(1).map(|(at, _)| at).filter(|&at| is_boundary(at));
        let any = || name.char_indices().skip(1).map(|(at, _)| at);
        let found = cuts()
            .find_map(|at| self.starts.get(&name[..at]))
            .or_else(|| cuts().find_map(|at| self.ends.get(&name[at..])))
            .or_else(|| any().find_map(|at| self.pasted.get(&name[..at])))
            .or_else(|| any().find_map(|at| self.pasted_behind.get(&name[at..])));
        found.map(String::as_str)
    }
}

/// Whether a macro pastes something after the word.
fn pastes(behind: &str) -> bool {
    behind.trim_start_matches(' ').starts_with("##")
}

/// Whether a macro pastes the word to something. A Markdown heading is not a paste.
fn pasted(before: &str) -> bool {
    let first = before.trim_end_matches(' ').strip_suffix("##").map(|rest| rest.trim_end_matches(' '));
    first.is_some_and(|first| first.ends_with(is_word))
}

/// Whether a string continues with a computed part: an interpolation, or a concatenation.
fn continues_computed(behind: &str) -> bool {
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

/// Whether a string begins with a computed part.
fn begins_computed(before: &str) -> bool {
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
    fn the_longest_word_of_a_name_is_searched_for() {
        assert_eq!(
            (word_of("save!"), word_of("@count"), word_of("#p"), word_of("<=>")),
            ("save", "count", "p", "")
        );
    }

    #[test]
    fn names_built_from_string_pieces_are_found() {
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
        assert_eq!(pieces("'get' + name").of("gets"), None, "not a word boundary");
        assert_eq!(pieces("map['visit_x'] = 1").of("visit_x_y"), None, "nothing is joined to it");
    }

    #[test]
    fn a_function_in_an_expression_is_a_value() {
        for before in ["on('x',", "return", "const f =", "run(", "() =>"] {
            assert!(takes_value(before), "{before}");
        }
        for before in ["", "}", ";", "{", "private:", "returned"] {
            assert!(!takes_value(before), "{before}");
        }
    }
}
