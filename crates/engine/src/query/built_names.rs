//! Names that a program builds, at run time or in macros, or chooses by how they begin or end: `'hook_' . $place`, `"get" + property`,
//! `class ## _type`, `name.startsWith("updateMethod")`.

use super::mentions::MAX_FILES_OF_STRINGS;
use crate::{EngineError, Snapshot};
use orient_model::RepoPath;
use orient_text::{PatternSyntax, required_trigrams};

/// Beginnings and endings shorter than this are in too many strings.
const MIN_PART: usize = 3;

/// Functions that test how a text begins, and how it ends, without regard to case and underscores.
const BEGIN_TESTS: &[&str] = &["startswith", "startwith", "hasprefix"];
const END_TESTS: &[&str] = &["endswith", "endwith", "hassuffix"];

impl Snapshot {
    /// Where the program joins a text to something that begins like a name or ends like it, or asks which names do: `'hook_' . $name` for
    /// `hook_footer`, `'produce' . ucfirst($format)` for `producePdf`. The first place.
    pub fn joined_name(&self, name: &str) -> Result<Option<(RepoPath, u32)>, EngineError> {
        let parts = NameParts::of(name);
        if parts.starts.is_empty() && parts.ends.is_empty() {
            return Ok(None);
        }
        let quotes = ['"', '\'', '`'];
        let starts = quotes.iter().flat_map(|q| parts.starts.iter().map(move |start| format!("{q}{start}")));
        let ends = quotes.iter().flat_map(|q| parts.ends.iter().map(move |end| format!("{end}{q}")));
        let pasted = parts.starts.iter().flat_map(|part| [format!("{part}##"), format!("{part} ##")]);
        let pasted =
            pasted.chain(parts.ends.iter().flat_map(|part| [format!("##{part}"), format!("## {part}")]));
        let quoted: Vec<String> = starts.chain(ends).chain(pasted).collect();
        let syntax = PatternSyntax { literal: true, ignore_case: false, unicode: false };
        let excluded = self.left_out(&required_trigrams(quoted.iter().map(String::as_str), syntax))?;
        let mut rows = Vec::new();
        for (_, id) in self.unresolved_files()?.program.iter().filter(|(_, id)| !excluded.contains(*id)) {
            rows.extend(self.store.file_by_id(*id)?);
            if rows.len() == MAX_FILES_OF_STRINGS {
                break;
            }
        }
        let mut place = None;
        self.each_text(&rows, |row, text| {
            for (line, number) in text.lines().zip(1..) {
                if place.is_none() && parts.are_built_in(line) {
                    place = Some((row.path.clone(), number));
                }
            }
        })?;
        Ok(place)
    }
}

/// The beginnings and endings of a name at the borders of its words.
struct NameParts<'n> {
    starts: Vec<&'n str>,
    ends: Vec<&'n str>,
}

impl<'n> NameParts<'n> {
    fn of(name: &'n str) -> Self {
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        let letters = || name.char_indices().zip(name.char_indices().skip(1));
        for ((at, letter), (next, after)) in letters() {
            if letter == '_' && at > 0 {
                // An underscore belongs to the text on either side: `hook_` and `_footer`.
                starts.push(&name[..next]);
                ends.push(&name[at..]);
            } else if letter.is_lowercase() && after.is_uppercase() {
                starts.push(&name[..next]);
                ends.push(&name[next..]);
            }
        }
        starts.retain(|part| part.len() >= MIN_PART);
        ends.retain(|part| part.len() > MIN_PART);
        Self { starts, ends }
    }

    /// Whether a line joins a string with one of the parts to something else, or tests a name for one.
    fn are_built_in(&self, line: &str) -> bool {
        let tests = |words: &[&str]| {
            let plain = line.to_lowercase().replace('_', "");
            (plain.contains("name") || plain.contains("method"))
                && words.iter().any(|word| plain.contains(word))
        };
        let is_start =
            |start: &&str| line.match_indices(*start).any(|(at, part)| starts_join(line, at, part));
        let is_end = |end: &&str| line.match_indices(*end).any(|(at, part)| ends_join(line, at, part));
        let is_quoted =
            |part: &&str| line.match_indices(*part).any(|(at, part)| is_in_quotes(line, at, part));
        self.starts.iter().any(is_start)
            || self.ends.iter().any(is_end)
            || line.contains("##") && self.are_pasted_in(line)
            || self.starts.iter().any(is_quoted) && tests(BEGIN_TESTS)
            || self.ends.iter().any(is_quoted) && tests(END_TESTS)
    }
}

impl NameParts<'_> {
    /// Whether a macro pastes a part to its argument: `&(class ## _type)`.
    fn are_pasted_in(&self, line: &str) -> bool {
        let before = |(at, _): (usize, &str)| line[..at].trim_end().ends_with("##");
        let after = |(at, part): (usize, &str)| line[at + part.len()..].trim_start().starts_with("##");
        self.ends.iter().any(|end| line.match_indices(*end).any(before))
            || self.starts.iter().any(|start| line.match_indices(*start).any(after))
    }
}

const QUOTES: [char; 3] = ['"', '\'', '`'];
const JOINS: [char; 2] = ['.', '+'];

/// Whether a string begins with this part and goes on with a value.
fn starts_join(line: &str, at: usize, part: &str) -> bool {
    let after = &line[at + part.len()..];
    let is_followed = after.starts_with(['{', '$']) || after.starts_with("#{") || after.starts_with("%s");
    line[..at].ends_with(QUOTES)
        && (is_followed || after.starts_with(QUOTES) && after[1..].trim_start().starts_with(JOINS))
}

/// Whether a string ends with this part after a value.
fn ends_join(line: &str, at: usize, part: &str) -> bool {
    let before = &line[..at];
    line[at + part.len()..].starts_with(QUOTES)
        && (before.ends_with('}') || before.ends_with(QUOTES) && before[..at - 1].trim_end().ends_with(JOINS))
}

/// Whether a part is the whole of a string.
fn is_in_quotes(line: &str, at: usize, part: &str) -> bool {
    line[..at].ends_with(QUOTES) && line[at + part.len()..].starts_with(QUOTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn builds(name: &str, line: &str) -> bool {
        NameParts::of(name).are_built_in(line)
    }

    #[test]
    fn strings_that_are_joined_to_names() {
        let joined = [
            "$f = 'hook_' . $plugin;",
            "f = \"hook_\" + name",
            "f'hook_{name}'",
            "`hook_${name}`",
            "$f = $plugin . '_init';",
        ];
        for line in joined {
            assert!(builds("hook_init", line), "{line}");
        }
        for line in ["hook_footer();", "$f = 'hook_';", "$f = 'hook_footer' . $x;", "x = '_init'", "'a_init'"]
        {
            assert!(!builds("hook_init", line), "{line}");
        }
    }

    #[test]
    fn the_words_of_a_name_may_be_joined_without_a_separator() {
        assert!(builds("producePdf", "$name = 'produce' . ucfirst($format);"));
        assert!(builds("onClickHandler", "const f = this[`${kind}Handler`];"));
        assert!(!builds("producePdf", "$name = 'product' . ucfirst($format);"));
        assert!(!builds("produce", "$name = 'produce' . ucfirst($format);"), "nothing is left to join");
    }

    #[test]
    fn macros_paste_parts_of_names() {
        assert!(builds(
            "ListItem_class",
            "#define Class(class_) ((const ObjectClass*)(&(class_ ## _class)))"
        ));
        assert!(builds("cmd_list", "#define COMMAND(name) { #name, cmd_##name },"));
        assert!(!builds("ListItem_class", "#define Class(class_) (&(class_))"));
    }

    #[test]
    fn names_may_be_chosen_by_how_they_begin() {
        assert!(builds("updateMethodA", "if (method.getName().startsWith(\"updateMethod\")) {"));
        assert!(builds("on_save", "names = [n for n in dir(self) if n.startswith('on_')]  # method names"));
        assert!(!builds("updateRowA", "if (path.startsWith(\"updateRow\")) {"));
    }
}
