//! The text of a string literal that a program is controlled by: a name, a path, a route, a usage line, a schedule, a
//! database statement. Prose has none.

use std::borrow::Cow;

/// The verbs that database statements begin with.
const VERBS: &[&str] = &["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "WITH"];
/// The words that a table follows.
const BEFORE_TABLE: &[&str] = &["FROM", "JOIN", "INTO", "UPDATE"];
/// Words that may stand between these and the table.
const MODIFIERS: &[&str] = &["ONLY", "LATERAL", "IGNORE", "LOW_PRIORITY"];
/// Maximum number of tables of a statement.
const MAX_TABLES: usize = 8;
/// Maximum length of a statement that is read.
const STATEMENT_CAP: usize = 4096;

/// The text that a string literal keeps, if it is no prose and not longer than `cap`. A database statement keeps its verb and
/// its tables: `SELECT users orders`.
pub(crate) fn meaning(content: &str, cap: usize) -> Option<Cow<'_, str>> {
    if !content.contains(char::is_whitespace) {
        return (content.len() <= cap).then_some(Cow::Borrowed(content));
    }
    if let Some(statement) = statement(content) {
        return (statement.len() <= cap).then_some(Cow::Owned(statement));
    }
    (content.len() <= cap && (is_route(content) || is_usage(content) || is_schedule(content)))
        .then_some(Cow::Borrowed(content))
}

/// `GET /users`.
fn is_route(content: &str) -> bool {
    content
        .split_once(' ')
        .is_some_and(|(_, path)| path.starts_with('/') && !path.contains(char::is_whitespace))
}

/// A command and its arguments: `serve [flags]`, `push <remote>`, `get NAME`, `mail:send {user}`.
fn is_usage(content: &str) -> bool {
    let mut words = content.split(' ');
    // Braces after a plain word are those of a message: `found {}`.
    if words.clone().nth(1).is_some_and(|word| word.starts_with('{')) && !content.contains(':') {
        return false;
    }
    let is_command = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
    };
    let is_argument = |word: &str| {
        word.starts_with(['[', '<', '{', '-'])
            || !word.is_empty()
                && word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '_' | '-' | '.'))
    };
    words.next().is_some_and(is_command) && words.next().is_some_and(is_argument)
}

/// A schedule as cron writes it: `*/5 * * * *`, `@every 1h`.
fn is_schedule(content: &str) -> bool {
    let mut fields = 0;
    let is_field = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '*' | '?'))
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '*' | '/' | ',' | '-' | '?' | '#'))
    };
    let all = content.split(' ').all(|word| {
        fields += 1;
        // The later fields may be names: `MON-FRI`.
        is_field(word) || fields > 3 && word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '-' | ','))
    });
    content.starts_with("@every ") || all && (5..=7).contains(&fields)
}

/// The verb and the tables of a database statement.
fn statement(content: &str) -> Option<String> {
    let content = content.trim_start();
    let first = content.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    let verb = *VERBS.iter().find(|verb| verb.eq_ignore_ascii_case(first))?;
    if content.len() > STATEMENT_CAP {
        return None;
    }
    let words = content.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';'));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    let mut tables: Vec<&str> = Vec::new();
    let is_one_of = |word: &str, list: &[&str]| list.iter().any(|one| one.eq_ignore_ascii_case(word));
    while let Some(word) = words.next() {
        if !is_one_of(word, BEFORE_TABLE) {
            continue;
        }
        while words.peek().is_some_and(|next| is_one_of(next, MODIFIERS)) {
            words.next();
        }
        let Some(table) = words.peek().and_then(|next| table_name(next)) else { continue };
        if !tables.contains(&table) && tables.len() < MAX_TABLES {
            tables.push(table);
        }
    }
    // `with` names its own tables first, and other prose begins with these words too.
    let is_statement = match verb {
        "SELECT" | "DELETE" | "WITH" => content.to_ascii_uppercase().contains("FROM"),
        "INSERT" | "REPLACE" | "MERGE" => content.to_ascii_uppercase().contains("INTO"),
        _ => {
            content.to_ascii_uppercase().contains(" SET ") || content.to_ascii_uppercase().contains("\nSET ")
        }
    };
    (is_statement && !tables.is_empty()).then(|| format!("{verb} {}", tables.join(" ")))
}

/// A table as it is named: without schema and quotes.
fn table_name(word: &str) -> Option<&str> {
    let last = word.rsplit('.').next()?;
    let bare = last.trim_matches(['"', '`', '[', ']', '\\']);
    let is_name = bare.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(bare))).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_routes_usage_lines_and_schedules_keep_their_text() {
        for text in [
            "name",
            "/users/{id}",
            "GET /users",
            "serve [flags]",
            "push <remote>",
            "get NAME",
            "mail:send {user}",
            "*/5 * * * *",
            "0 9 * * MON-FRI",
        ] {
            assert_eq!(meaning(text, 80).as_deref(), Some(text));
        }
        for prose in [
            "Hello world",
            "an error in the parser",
            "select the best",
            "1 2 3",
            "Update the settings",
            "a b [c]",
            "found {}",
        ] {
            assert_eq!(meaning(prose, 80), None, "{prose}");
        }
        assert_eq!(meaning(&"x".repeat(81), 80), None);
    }

    #[test]
    fn a_statement_keeps_its_verb_and_tables() {
        let of = |text| meaning(text, 80).map(Cow::into_owned);
        let tables = |text: &str| Some(text.to_owned());
        assert_eq!(of("select * from users where id = ?"), tables("SELECT users"));
        assert_eq!(
            of("SELECT u.id FROM public.users u\n LEFT JOIN \"orders\" o ON o.user = u.id"),
            tables("SELECT users orders")
        );
        assert_eq!(of("INSERT INTO users (id) VALUES ($1)"), tables("INSERT users"));
        assert_eq!(of("UPDATE users SET name = ?"), tables("UPDATE users"));
        assert_eq!(of("DELETE FROM `users`"), tables("DELETE users"));
        assert_eq!(of("SELECT x FROM (SELECT y FROM b)"), tables("SELECT b"));
    }
}
