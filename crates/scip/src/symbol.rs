//! Symbol strings: `<scheme> <manager> <package> <version> <descriptors>`, or `local <id>`.

/// Whether a symbol has a meaning in one document only.
pub fn is_local(symbol: &str) -> bool {
    symbol.is_empty() || symbol.starts_with("local ")
}

/// Whether the last descriptor of a symbol is a function, method or macro: `name().`, `name(+1).`, `name!`.
pub fn is_function(symbol: &str) -> bool {
    !is_local(symbol) && (symbol.ends_with(").") || symbol.ends_with('!'))
}

/// The package of a global symbol; empty if it names none.
pub fn package(symbol: &str) -> &str {
    match symbol.split(' ').nth(2) {
        Some(".") | None => "",
        Some(package) => package,
    }
}

/// The name in the last descriptor of a global symbol: `run` of `… Server#run().`. Empty if there is none.
pub fn descriptor_name(symbol: &str) -> &str {
    let mut rest = symbol.trim_end_matches(['.', '#', '/', '!', ':']);
    if rest.ends_with(')') && rest != symbol {
        // A method: its disambiguator is in parentheses. A parameter has its name there, and no suffix.
        rest = rest.rfind('(').map_or(rest, |open| &rest[..open]);
    }
    let rest = rest.trim_end_matches([')', ']']);
    if let Some(escaped) = rest.strip_suffix('`') {
        return escaped.rfind('`').map_or("", |open| &escaped[open + 1..]);
    }
    let start = rest.rfind(['/', '#', '.', ' ', '(', ')', '[', ']', '`', ':', '!']).map_or(0, |at| at + 1);
    &rest[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_packages_of_symbols() {
        let symbol = "scip-typescript npm ky 1.0.0 source/core/`Ky.ts`/Ky#create().";
        assert_eq!((descriptor_name(symbol), package(symbol)), ("create", "ky"));
        assert_eq!(descriptor_name("scip-python python click 8 `click.core`/Context#invoke()."), "invoke");
        assert_eq!(descriptor_name("a b c d Ky#`<constructor>`()."), "<constructor>");
        assert_eq!(descriptor_name("a b c d `mod.ts`/Options#"), "Options");
        assert_eq!(descriptor_name("a b c d `mod.ts`/f().(x)"), "x");
        assert_eq!(descriptor_name("rust-analyzer cargo fd 1.0 walk/impl#[Scan]run()."), "run");
        assert_eq!(package("scip-go gomod . . x/"), "");
        assert!(is_function(symbol) && !is_function("a b c d Ky#") && is_local("local 3"));
    }
}
