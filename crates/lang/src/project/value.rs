//! The content of a project file, whatever it is written in: texts in lists and in maps.

/// A value of a project file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    List(Vec<Value>),
    /// In the order of the source; a key may stand several times.
    Map(Vec<(String, Value)>),
    /// Numbers, truth values, nothing: no project file names a module by them.
    Other,
}

impl Value {
    /// Its text. The text of a map is what stands under the empty key: an element with attributes may also hold text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Map(entries) => entries.iter().find(|(key, _)| key.is_empty()).and_then(|(_, v)| match v {
                Self::Text(text) => Some(text.as_str()),
                _ => None,
            }),
            Self::List(_) | Self::Other => None,
        }
    }

    /// Puts a value where these keys lead, making maps on the way. `item`: as one more of a list there.
    pub(crate) fn put(&mut self, keys: &[String], value: Self, item: bool) {
        let Some((key, rest)) = keys.split_first() else { return self.merge(value, item) };
        let entries = self.entries();
        let at = entries.iter().rposition(|(known, _)| known == key).unwrap_or_else(|| {
            entries.push((key.clone(), Self::Other));
            entries.len() - 1
        });
        entries[at].1.put(rest, value, item);
    }

    fn merge(&mut self, value: Self, item: bool) {
        match (self, value) {
            (Self::List(items), value) if item => items.push(value),
            (place, value) if item => *place = Self::List(vec![value]),
            (Self::Map(entries), Self::Map(more)) => entries.extend(more),
            (place, value) => *place = value,
        }
    }

    /// Its entries, as a map: of a list those of the last item; anything else becomes an empty map.
    fn entries(&mut self) -> &mut Vec<(String, Self)> {
        if let Self::List(items) = self {
            if items.is_empty() {
                items.push(Self::Other);
            }
            let last = items.len() - 1;
            return items[last].entries();
        }
        if !matches!(self, Self::Map(_)) {
            *self = Self::Map(Vec::new());
        }
        match self {
            Self::Map(entries) => entries,
            _ => unreachable!("it was made a map just above"),
        }
    }
}
