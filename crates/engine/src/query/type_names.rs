//! The named types in a type as written, looking through pointers, lists, optional types and wrappers.

/// Types whose argument is what a reader means: a promise of a value, a value or an error, a value or nothing.
const WRAPPERS: &[&str] = &[
    "Annotated",
    "Arc",
    "Async",
    "Awaitable",
    "Box",
    "CompletableFuture",
    "Coroutine",
    "Cow",
    "Deferred",
    "Future",
    "Maybe",
    "Nullable",
    "Option",
    "Optional",
    "Pin",
    "Promise",
    "PromiseLike",
    "Rc",
    "Result",
    "StatusOr",
    "Task",
    "ValueTask",
    "optional",
    "shared_ptr",
    "unique_ptr",
];

/// Words before a type that do not change which type it is.
const PREFIX_WORDS: &[&str] = &[
    "const", "mut", "readonly", "final", "dyn", "impl", "in", "out", "ref", "struct", "enum", "class",
    "chan", "volatile", "static", "params", "typename",
];

/// The names of the types that a type as written stands for, outermost first, without packages and arguments.
///
/// Example: `Task<IEnumerable<Order>>` is `Task` and `IEnumerable`; `[]*http.Request` is `Request`; `(User, error)` is `User`
/// and `error`; `str | None` is `str` and `None`. The elements of a collection are not what it is: `List<Order>` is `List`.
pub(crate) fn named_types(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    collect(text, &mut names, 0);
    names
}

fn collect<'t>(text: &'t str, names: &mut Vec<&'t str>, depth: u32) {
    /// Deeper types are written by nobody.
    const MAX_DEPTH: u32 = 16;
    if depth > MAX_DEPTH {
        return;
    }
    for part in split(text, &['|', ',']) {
        let part = stripped(part);
        if let Some(inner) = part.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            collect(inner, names, depth + 1);
            continue;
        }
        let end = part.find(|c: char| !(c.is_alphanumeric() || "_.:\\$".contains(c))).unwrap_or(part.len());
        let path = part[..end].trim_end_matches(':');
        let name = path.rsplit(['.', ':', '\\']).next().unwrap_or(path);
        if name.is_empty() {
            continue;
        }
        names.push(name);
        let arguments = part[end..].trim_start();
        if WRAPPERS.contains(&name)
            && let Some(inner) =
                arguments.strip_prefix(['<', '[']).and_then(|rest| rest.strip_suffix(['>', ']']))
            && let Some(first) = split(inner, &[',']).first()
        {
            collect(first, names, depth + 1);
        }
    }
}

/// The parts of a text between separators outside of brackets.
fn split<'t>(text: &'t str, separators: &[char]) -> Vec<&'t str> {
    let (mut parts, mut open, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' | '{' => open += 1,
            '>' if text[..at].ends_with(['-', '=']) => {}
            '>' | ']' | ')' | '}' => open -= 1,
            c if open == 0 && separators.contains(&c) => {
                parts.push(text[start..at].trim());
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// A type without pointers, references, list brackets, lifetimes and words that do not change which type it is.
fn stripped(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let before = text;
        text = text.trim_start_matches(['*', '&', '?', '!', '~']).trim_start();
        text = text.strip_prefix("->").or_else(|| text.strip_prefix("...")).unwrap_or(text).trim_start();
        if let Some(rest) = text.strip_prefix('[')
            && let Some(end) = rest.find(']')
            && !rest[end + 1..].is_empty()
        {
            text = rest[end + 1..].trim_start();
        }
        if text.starts_with(['\'', '@'])
            && let Some(end) = text.find(char::is_whitespace)
        {
            text = text[end..].trim_start();
        }
        if let Some((word, rest)) = text.split_once(char::is_whitespace)
            && PREFIX_WORDS.contains(&word)
        {
            text = rest.trim_start();
        }
        text = text.trim_end_matches(['*', '&', '?', '!']).trim_end();
        text = text.strip_suffix("[]").or_else(|| text.strip_suffix(" const")).unwrap_or(text).trim_end();
        if text == before {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_are_looked_through_and_collections_are_not() {
        let cases: &[(&str, &[&str])] = &[
            ("IEnumerable<Order>", &["IEnumerable"]),
            ("Task<IEnumerable<Order>>", &["Task", "IEnumerable"]),
            ("async_trait::Result<Option<&'a User>, Error>", &["Result", "Option", "User"]),
            ("Promise<User[]>", &["Promise", "User"]),
            ("[]*http.Request", &["Request"]),
            ("map[string]User", &["map"]),
            ("(User, error)", &["User", "error"]),
            ("str | None", &["str", "None"]),
            ("Optional[List[str]]", &["Optional", "List"]),
            ("const std::vector<int> &", &["vector"]),
            ("std::shared_ptr<Node>", &["shared_ptr", "Node"]),
            ("?\\App\\Models\\User", &["User"]),
            ("Box<dyn Fn(u32) -> bool>", &["Box", "Fn"]),
            ("&'static mut Buffer", &["Buffer"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(named_types(text), *expected, "{text}");
        }
    }
}
