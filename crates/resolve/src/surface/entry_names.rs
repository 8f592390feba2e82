//! Names of surface entries: how they follow from texts and from the names of symbols.

use orient_model::NameStyle;

/// The name that a text says: the key of a placeholder, or the first word.
///
/// `${server.port:8080}` is `server.port`; `serve [flags]` is `serve` if only the first word counts.
pub(super) fn from_text(text: &str, first_word: bool) -> String {
    let inside = text.strip_prefix("${").or_else(|| text.strip_prefix("#{"));
    let text = match inside.and_then(|inside| inside.strip_suffix('}')) {
        Some(inside) => inside.split(':').next().unwrap_or(inside),
        None => text,
    };
    let text = text.trim();
    match text.split_whitespace().next() {
        Some(word) if first_word => word.to_owned(),
        _ => text.to_owned(),
    }
}

/// The name that follows from that of a symbol in a file; none if the style says so.
pub(super) fn derived(style: NameStyle, symbol: &str, path: &str) -> Option<String> {
    let name = match style {
        NameStyle::None => return None,
        NameStyle::Same => symbol.to_owned(),
        NameStyle::Kebab => words(symbol).join("-"),
        NameStyle::Snake => words(symbol).join("_"),
        NameStyle::PluralSnake => plural(&words(symbol).join("_")),
        NameStyle::File => {
            let file = path.rsplit('/').next().unwrap_or(path);
            file.split('.').next().unwrap_or(file).to_owned()
        }
    };
    (!name.is_empty()).then_some(name)
}

/// The words of a name, in lower case: `HTTPServer_id` has `http`, `server` and `id`.
fn words(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let letters: Vec<char> = name.chars().collect();
    let mut starts = true;
    for (at, &letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            starts = true;
            continue;
        }
        let after_small = at > 0 && (letters[at - 1].is_lowercase() || letters[at - 1].is_numeric());
        let before_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let after_large = at > 0 && letters[at - 1].is_uppercase();
        starts |= letter.is_uppercase() && (after_small || after_large && before_small);
        if starts {
            found.push(String::new());
            starts = false;
        }
        if let Some(word) = found.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    found
}

/// The singular of an English noun, as routers form it.
pub(super) fn singular(name: &str) -> String {
    const SAME: &[&str] = &["news", "series", "species", "information", "equipment", "sms", "media", "data"];
    const ODD: &[(&str, &str)] =
        &[("people", "person"), ("children", "child"), ("men", "man"), ("feet", "foot")];
    let last = name.rsplit(['_', '-']).next().unwrap_or(name);
    if SAME.contains(&last) {
        return name.to_owned();
    }
    if let Some((plural, one)) = ODD.iter().find(|(plural, _)| *plural == last) {
        return format!("{}{one}", name.strip_suffix(plural).unwrap_or_default());
    }
    if let Some(stem) = name.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    let hisses = ["sses", "shes", "ches", "xes", "zzes", "uses"].iter().any(|end| name.ends_with(end));
    if let Some(stem) = name.strip_suffix("es").filter(|_| hisses) {
        return stem.to_owned();
    }
    let is_plural = name.ends_with('s') && !["ss", "us", "is"].iter().any(|end| name.ends_with(end));
    if is_plural { name[..name.len() - 1].to_owned() } else { name.to_owned() }
}

/// The plural of an English noun, as object mappers form it.
pub(super) fn plural(name: &str) -> String {
    let before_y = name.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    if let Some(stem) = before_y {
        return format!("{stem}ies");
    }
    let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|end| name.ends_with(end));
    format!("{name}{}", if hisses { "es" } else { "s" })
}

/// A name as languages spell it: as it is, with a small or large first letter, in words with underscores.
pub(super) fn spellings(name: &str) -> impl Iterator<Item = String> + use<> {
    let mut letters = name.chars();
    let first = letters.next();
    let rest = letters.as_str();
    let small = first.map(|first| format!("{}{rest}", first.to_ascii_lowercase()));
    let large = first.map(|first| format!("{}{rest}", first.to_ascii_uppercase()));
    let mut all = vec![name.to_owned(), words(name).join("_")];
    all.extend(small);
    all.extend(large);
    all.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_from_that_of_a_symbol() {
        let of = |style| derived(style, "HTTPUserCategory", "a/commands/send_mail.py");
        assert_eq!(of(NameStyle::Kebab).as_deref(), Some("http-user-category"));
        assert_eq!(of(NameStyle::PluralSnake).as_deref(), Some("http_user_categories"));
        assert_eq!(of(NameStyle::File).as_deref(), Some("send_mail"));
        assert_eq!(of(NameStyle::None), None);
        assert_eq!(derived(NameStyle::PluralSnake, "Box", "").as_deref(), Some("boxes"));
        assert_eq!(derived(NameStyle::PluralSnake, "Day", "").as_deref(), Some("days"));
    }

    #[test]
    fn the_singular_of_a_noun_is_the_name_of_a_member() {
        let pairs = [
            ("posts", "post"),
            ("categories", "category"),
            ("addresses", "address"),
            ("statuses", "status"),
            ("boxes", "box"),
            ("cases", "case"),
            ("news", "news"),
            ("sales_people", "sales_person"),
            ("status", "status"),
        ];
        for (many, one) in pairs {
            assert_eq!(singular(many), one);
        }
    }

    #[test]
    fn a_text_says_a_key_or_a_word() {
        assert_eq!(from_text("${server.port:8080}", false), "server.port");
        assert_eq!(from_text("serve [flags]", true), "serve");
        assert_eq!(from_text("orders.created", false), "orders.created");
    }

    #[test]
    fn a_name_is_spelled_as_languages_do() {
        let found: Vec<String> = spellings("SayHello").collect();
        assert_eq!(found, ["SayHello", "say_hello", "sayHello", "SayHello"]);
    }
}
