//! Templates of statements: text with placeholders that are filled from a selected value.

use super::key_path::KeyPath;
use super::value::Value;

/// A selected value, which fills the placeholders of a template.
pub(crate) struct SelectedValue<'v, 'm> {
    /// The value that the rule selected.
    pub(crate) value: &'v Value,
    /// The keys that the stars of its path matched.
    pub(crate) keys: &'m [&'v str],
    /// The groups of its pattern; the first is the whole match.
    pub(crate) groups: &'m [Option<&'m str>],
}

/// Text with placeholders: `{path|package}`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template(Vec<TemplatePart>);

#[derive(Clone, Debug)]
enum TemplatePart {
    Text(String),
    /// The first of these that is present.
    Placeholder(Vec<PlaceholderSource>),
}

#[derive(Clone, Debug)]
enum PlaceholderSource {
    /// `*`, `*2`: the key that a star matched.
    Key(usize),
    /// `$1`: a group of the pattern.
    Group(usize),
    /// `'text'`.
    Literal(String),
    /// The text that keys lead to from the value; without keys, the value's own text. With `[]` all of them, one for each
    /// line.
    KeyPath(KeyPath),
}

impl Template {
    /// Parses a template.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (place, after) =
                after.split_once('}').ok_or_else(|| format!("`{text}`: a `{{` without `}}`"))?;
            parts.push(TemplatePart::Text(before.to_owned()));
            parts.push(TemplatePart::Placeholder(
                place.split('|').map(|source| self::source(source.trim())).collect(),
            ));
            rest = after;
        }
        parts.push(TemplatePart::Text(rest.to_owned()));
        parts.retain(|part| !matches!(part, TemplatePart::Text(text) if text.is_empty()));
        Ok(Self(parts))
    }

    /// The text; none if a placeholder has no value.
    pub(crate) fn fill(&self, found: &SelectedValue<'_, '_>) -> Option<String> {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                TemplatePart::Text(text) => out.push_str(text),
                TemplatePart::Placeholder(sources) => {
                    out.push_str(&sources.iter().find_map(|source| source.get(found))?);
                }
            }
        }
        Some(out)
    }
}

fn source(text: &str) -> PlaceholderSource {
    let number = |digits: &str, otherwise| digits.parse().unwrap_or(otherwise);
    if let Some(digits) = text.strip_prefix('$') {
        return PlaceholderSource::Group(number(digits, 0));
    }
    if let Some(digits) = text.strip_prefix('*')
        && digits.chars().all(|digit| digit.is_ascii_digit())
    {
        return PlaceholderSource::Key(number(digits, 1).saturating_sub(1));
    }
    match text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some(literal) => PlaceholderSource::Literal(literal.to_owned()),
        None => PlaceholderSource::KeyPath(KeyPath::new(text)),
    }
}

impl PlaceholderSource {
    fn get(&self, found: &SelectedValue<'_, '_>) -> Option<String> {
        match self {
            Self::Key(index) => found.keys.get(*index).map(|&key| key.to_owned()),
            Self::Group(index) => found.groups.get(*index).copied().flatten().map(str::to_owned),
            Self::Literal(text) => Some(text.clone()),
            Self::KeyPath(path) => {
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
    fn a_template_with_an_empty_placeholder_gives_nothing() {
        let value = Value::Map(vec![
            ("a".to_owned(), Value::Text("x".to_owned())),
            ("l".to_owned(), Value::List(vec![Value::Text("1".to_owned()), Value::Text("2".to_owned())])),
        ]);
        let found = SelectedValue { value: &value, keys: &["k"], groups: &[Some("g"), None] };
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
