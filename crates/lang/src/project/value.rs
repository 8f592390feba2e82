//! The value of a project file in any format: texts in lists and maps.

/// A value of a project file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    List(Vec<Value>),
    /// In the order of the source; a key may occur several times.
    Map(Vec<(String, Value)>),
    /// A number, boolean or null: no project file names a module by them.
    Other,
}

impl Value {
    /// Its text. The text of a map is under the empty key: an element with attributes may also contain text.
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

    /// Inserts a value under a path of keys, creating maps on the way. `item` appends it to a list there.
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

    /// Its entries as a map. A list has those of its last item; anything else becomes an empty map.
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
