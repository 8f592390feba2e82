//! What a rule writes: text with places that are filled from what was found.

use super::key_path::Path;
use super::value::Value;

/// What the places of a template are filled from.
pub(crate) struct Found<'v, 'm> {
    /// The value a rule led to.
    pub(crate) value: &'v Value,
    /// The keys that the stars of its path stood for.
    pub(crate) keys: &'m [&'v str],
    /// The groups of its pattern; the first is all of it.
    pub(crate) groups: &'m [Option<&'m str>],
}

/// Text with places: `{path|package}`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template(Vec<Part>);

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    /// The first of these that is there.
    Place(Vec<Source>),
}

#[derive(Clone, Debug)]
enum Source {
    /// `*`, `*2`: what a star stood for.
    Key(usize),
    /// `$1`: a group of the pattern.
    Group(usize),
    /// `'text'`.
    Literal(String),
    /// The text that keys lead to from the value; none for the value's own. With `[]` all of them, one a line.
    Path(Path),
}

impl Template {
    /// Reads a template; the error says what is wrong.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (place, after) =
                after.split_once('}').ok_or_else(|| format!("`{text}`: a `{{` without `}}`"))?;
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::Place(place.split('|').map(|source| self::source(source.trim())).collect()));
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
        Ok(Self(parts))
    }

    /// The text; none if one of the places stays empty-handed.
    pub(crate) fn fill(&self, found: &Found<'_, '_>) -> Option<String> {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Place(sources) => out.push_str(&sources.iter().find_map(|source| source.get(found))?),
            }
        }
        Some(out)
    }
}

fn source(text: &str) -> Source {
    let number = |digits: &str, otherwise| digits.parse().unwrap_or(otherwise);
    if let Some(digits) = text.strip_prefix('$') {
        return Source::Group(number(digits, 0));
    }
    if let Some(digits) = text.strip_prefix('*')
        && digits.chars().all(|digit| digit.is_ascii_digit())
    {
        return Source::Key(number(digits, 1).saturating_sub(1));
    }
    match text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some(literal) => Source::Literal(literal.to_owned()),
        None => Source::Path(Path::new(text)),
    }
}

impl Source {
    fn get(&self, found: &Found<'_, '_>) -> Option<String> {
        match self {
            Self::Key(index) => found.keys.get(*index).map(|&key| key.to_owned()),
            Self::Group(index) => found.groups.get(*index).copied().flatten().map(str::to_owned),
            Self::Literal(text) => Some(text.clone()),
            Self::Path(path) => {
                let selected = path.select(found.value);
                let mut texts = selected.iter().filter_map(|(value, _)| value.text());
                if !path.is_list() {
                    return texts.next().map(str::to_owned);
                }
                let lines: Vec<&str> = texts.collect();
                (!lines.is_empty()).then(|| lines.join("\n"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_or_the_rule_says_nothing() {
        let value = Value::Map(vec![
            ("a".to_owned(), Value::Text("x".to_owned())),
            ("l".to_owned(), Value::List(vec![Value::Text("1".to_owned()), Value::Text("2".to_owned())])),
        ]);
        let found = Found { value: &value, keys: &["k"], groups: &[Some("g"), None] };
        let fill = |text: &str| Template::new(text).expect("a template").fill(&found);
        assert_eq!(fill("{*}:{a}/{$0}").as_deref(), Some("k:x/g"));
        assert_eq!(fill("{b|$1|'lit'}").as_deref(), Some("lit"));
        assert_eq!(fill("{l > []}").as_deref(), Some("1\n2"));
        assert_eq!(
            (fill("{b}"), fill("{*2}"), fill("{}"), fill("")),
            (None, None, None, Some(String::new()))
        );
        assert!(Template::new("{a").is_err());
    }
}
