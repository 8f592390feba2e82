//! Key paths: select values of a project file by their keys, `exports > .* > **`.

use super::value::Value;

/// A glob with at most one `*`, which matches anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    start: String,
    /// The text after the star.
    end: Option<String>,
}

impl Glob {
    pub(crate) fn new(pattern: &str) -> Self {
        match pattern.split_once('*') {
            Some((start, end)) => Self { start: start.to_owned(), end: Some(end.to_owned()) },
            None => Self { start: pattern.to_owned(), end: None },
        }
    }

    /// The number of bytes that it fixes.
    pub(crate) fn fixed_length(&self) -> usize {
        self.start.len() + self.end.as_deref().map_or(0, str::len)
    }

    pub(crate) fn matches(&self, word: &[u8]) -> bool {
        let start = self.start.as_bytes();
        match &self.end {
            None => word == start,
            Some(end) => {
                word.len() >= start.len() + end.len()
                    && word.starts_with(start)
                    && word.ends_with(end.as_bytes())
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// The values of keys that match or, with `except`, of all others. A key matched by a star is captured.
    Key { glob: Glob, except: bool },
    /// Every item of a list; any other value counts as a list of one.
    Items,
    /// The value itself and everything in it.
    Inside,
}

/// A path of keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyPath(Vec<Step>);

impl KeyPath {
    /// Parses steps separated by `>`: a key, `*` or `a*b` for keys by pattern, `!a*` for keys that do not match, `[]` for
    /// the items of a list, `**` for everything inside. Without steps it selects the value itself.
    pub(crate) fn new(text: &str) -> Self {
        let steps = text.split('>').map(str::trim).filter(|step| !step.is_empty());
        Self(steps.map(step).collect())
    }

    /// Whether it may select several values that belong together.
    pub(crate) fn is_list(&self) -> bool {
        self.0.iter().any(|step| matches!(step, Step::Items))
    }

    /// Every selected value, in the order of the source, with the keys that its stars matched.
    pub(crate) fn select<'v>(&self, value: &'v Value) -> Vec<(&'v Value, Vec<&'v str>)> {
        let mut found = Vec::new();
        follow(&self.0, value, &mut Vec::new(), &mut found);
        found
    }
}

fn step(text: &str) -> Step {
    match text {
        "[]" => Step::Items,
        "**" => Step::Inside,
        _ => {
            let except = text.strip_prefix('!');
            Step::Key { glob: Glob::new(except.unwrap_or(text)), except: except.is_some() }
        }
    }
}

type Selection<'v> = Vec<(&'v Value, Vec<&'v str>)>;

fn follow<'v>(steps: &[Step], value: &'v Value, keys: &mut Vec<&'v str>, found: &mut Selection<'v>) {
    let Some((step, rest)) = steps.split_first() else {
        found.push((value, keys.clone()));
        return;
    };
    match (step, value) {
        (Step::Key { glob, except }, Value::Map(entries)) => {
            for (key, inner) in entries.iter().filter(|(key, _)| glob.matches(key.as_bytes()) != *except) {
                let asked = glob.end.is_some();
                keys.extend(asked.then_some(key.as_str()));
                follow(rest, inner, keys, found);
                keys.truncate(keys.len() - usize::from(asked));
            }
        }
        (Step::Key { .. }, _) => {}
        (Step::Items, Value::List(items)) => items.iter().for_each(|item| follow(rest, item, keys, found)),
        (Step::Items, value) => follow(rest, value, keys, found),
        (Step::Inside, value) => {
            follow(rest, value, keys, found);
            match value {
                Value::List(items) => items.iter().for_each(|item| follow(steps, item, keys, found)),
                Value::Map(entries) => {
                    for (_, inner) in entries {
                        follow(steps, inner, keys, found);
                    }
                }
                Value::Text(_) | Value::Other => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn map(entries: &[(&str, Value)]) -> Value {
        Value::Map(entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    fn found(path: &str, value: &Value) -> Vec<String> {
        let show = |(value, keys): &(&Value, Vec<&str>)| {
            value.text().map(|text| format!("{}={text}", keys.join(",")))
        };
        KeyPath::new(path).select(value).iter().filter_map(show).collect()
    }

    #[test]
    fn steps_lead_to_values() {
        let conditions = map(&[("types", text("d")), ("node", Value::List(vec![text("n"), text("m")]))]);
        let value = map(&[(".", conditions), ("./a", text("a")), ("x", text("y")), ("x", text("z"))]);
        assert_eq!(found("x", &value), ["=y", "=z"]);
        assert_eq!(found(".* > **", &value), [".=d", ".=n", ".=m", "./a=a"]);
        assert_eq!(found("!.*", &value), ["x=y", "x=z"]);
        assert_eq!(found(". > node > []", &value), ["=n", "=m"]);
        assert_eq!(found("x > []", &value), ["=y", "=z"], "a lone value is a list of one");
        assert_eq!(found("x > y", &value), Vec::<String>::new());
    }

    #[test]
    fn the_two_ends_of_a_glob_do_not_overlap() {
        assert!(Glob::new("a*a").matches(b"aa") && !Glob::new("a*a").matches(b"a"));
        assert!(
            Glob::new("tsconfig*.x").matches(b"tsconfig.base.x") && !Glob::new("go.mod").matches(b"go.modx")
        );
    }
}
