//! Line scanners: read project files without a grammar line by line.

use super::value::Value;
use crate::schema::vocabulary::UnknownWord;

/// Reads a file into a value.
pub(crate) type Scan = fn(&str) -> Value;

const SCANS: &[(&str, Scan)] = &[("sections", sections), ("verbs", verbs)];

/// The scanner of this name.
pub(crate) fn find(name: &str) -> Result<Scan, UnknownWord> {
    let known = || SCANS.iter().map(|(known, _)| *known).collect();
    let found = SCANS.iter().find(|(known, _)| *known == name);
    found.map(|(_, scan)| *scan).ok_or_else(|| UnknownWord { what: "scanner of values", known: known() })
}

/// Scans `[section]` and `key = value` lines; an indented line continues the value before it.
fn sections(source: &str) -> Value {
    let mut sections: Vec<(String, Value)> = Vec::new();
    let mut keys: Vec<(String, String)> = Vec::new();
    let mut name = String::new();
    for line in source.lines() {
        let text = line.trim();
        if text.is_empty() || text.starts_with(['#', ';']) {
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        if let Some((_, value)) = keys.last_mut().filter(|_| indented) {
            value.push('\n');
            value.push_str(text);
        } else if let Some(section) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            close(&mut sections, &mut name, &mut keys);
            section.trim().clone_into(&mut name);
        } else if let Some((key, value)) = text.split_once(['=', ':']) {
            keys.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }
    close(&mut sections, &mut name, &mut keys);
    Value::Map(sections)
}

/// Ends a section; keys before the first section are top-level keys.
fn close(sections: &mut Vec<(String, Value)>, name: &mut String, keys: &mut Vec<(String, String)>) {
    let text = |(key, value): (String, String)| (key, Value::Text(value.trim().to_owned()));
    let entries = std::mem::take(keys).into_iter().map(text);
    if name.is_empty() {
        sections.extend(entries);
    } else {
        sections.push((std::mem::take(name), Value::Map(entries.collect())));
    }
}

/// Scans `verb argument` lines, and blocks of `verb (`, one argument for each line, and `)`; `//` begins a comment.
fn verbs(source: &str) -> Value {
    let mut said = Vec::new();
    let mut open: Option<&str> = None;
    for line in source.lines() {
        // A comment begins a line or follows white space: `https://` is none.
        let text = line.strip_prefix("//").map_or(line, |_| "");
        let text = text.find(" //").or_else(|| text.find("\t//")).map_or(text, |at| &text[..at]).trim();
        if text.is_empty() {
            continue;
        }
        if let Some(verb) = open {
            if text == ")" {
                open = None;
            } else {
                said.push((verb.to_owned(), Value::Text(text.to_owned())));
            }
            continue;
        }
        let (verb, rest) = text.split_once(|c: char| c.is_whitespace() || c == '(').unwrap_or((text, ""));
        let rest = text[verb.len()..].trim_start().strip_prefix('(').map_or(rest.trim(), str::trim);
        if rest.is_empty() && text.ends_with('(') {
            open = Some(verb);
        } else {
            let rest = rest.strip_suffix(')').filter(|_| text[verb.len()..].contains('(')).unwrap_or(rest);
            said.push((verb.to_owned(), Value::Text(rest.trim().to_owned())));
        }
    }
    Value::Map(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::key_path::KeyPath;

    fn texts(value: &Value, path: &str) -> Vec<String> {
        KeyPath::new(path)
            .select(value)
            .iter()
            .filter_map(|(value, _)| value.text())
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn indented_lines_continue_the_value() {
        let value = sections("top = 1\n# no\n[a]\nx =\n    = src\n    b = lib\ny: z\n[a.b]\n[c\n");
        assert_eq!(texts(&value, "top"), ["1"]);
        assert_eq!(
            (texts(&value, "a > x"), texts(&value, "a > y")),
            (vec!["= src\nb = lib".into()], vec!["z".into()])
        );
    }

    #[test]
    fn a_verb_applies_to_each_line_of_its_block() {
        let value = verbs(
            "module a.b/c // d\nuse (\n\t./x\n\n\t// no\n\t./y //go\n)\nuse ./z\nuse( ./w )\n//x\n)\nuse (",
        );
        assert_eq!(texts(&value, "module"), ["a.b/c"]);
        assert_eq!(texts(&value, "use"), ["./x", "./y", "./z", "./w"]);
    }
}
