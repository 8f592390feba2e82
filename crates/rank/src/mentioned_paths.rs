//! Paths and lines that a query mentions: `src/net/server.go:42`, frames of a stack trace, links to a file.

/// A text with this marker lists the frames of its traces from the outermost call to the innermost.
const INNERMOST_LAST: &str = "most recent call last";
/// Maximum number of mentions that are looked at.
const MAX_MENTIONS: usize = 64;

/// A path that a query mentions, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathMention {
    /// The path, or the end of one.
    pub path: String,
    /// The line.
    pub line: Option<u32>,
    /// Mentions with a line in the same block are frames of one trace.
    pub block: usize,
}

/// The paths in some lines, each with the number of its block. The frames of a trace are in the order of depth, innermost first.
pub(crate) fn mentions<'q>(lines: impl Iterator<Item = (&'q str, usize)>) -> Vec<PathMention> {
    let mut found: Vec<PathMention> = Vec::new();
    let mut is_reversed = false;
    for (line, block) in lines {
        is_reversed |= line.contains(INNERMOST_LAST);
        for mention in in_line(line, block) {
            let is_same = |known: &PathMention| known.path == mention.path && known.line.is_none();
            if let Some(known) = found.iter_mut().find(|known| is_same(known)) {
                known.line = mention.line;
            } else if !found.contains(&mention) && found.len() < MAX_MENTIONS {
                found.push(mention);
            }
        }
    }
    if is_reversed {
        found.reverse();
    }
    found
}

fn in_line(line: &str, block: usize) -> Vec<PathMention> {
    let is_separator = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\''
                    | '`'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '<'
                    | '>'
                    | ','
                    | ';'
                    | '{'
                    | '}'
                    | '='
                    | '|'
                    | '*'
            )
    };
    let tokens: Vec<&str> = line.split(is_separator).filter(|token| !token.is_empty()).collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some((path, line)) = path_and_line(token) else { continue };
        let number = |at: usize| tokens.get(at).and_then(|token| token.trim_matches(':').parse::<u32>().ok());
        // `"server.py", line 42`, `server.cs:line 42`, `server.php(42)`
        let follows = match tokens.get(at + 1) {
            Some(&"line") => number(at + 2),
            Some(_) if token.ends_with(":line") => number(at + 1),
            Some(next) if line_in_parentheses(&tokens, at) => next.parse().ok(),
            _ => None,
        };
        found.push(PathMention { path, line: line.or(follows), block });
    }
    found
}

/// Whether the next token is a number, which stood in parentheses if the path ends a token.
fn line_in_parentheses(tokens: &[&str], at: usize) -> bool {
    let is_number = |token: &&str| token.len() <= 6 && token.bytes().all(|byte| byte.is_ascii_digit());
    tokens.get(at + 1).is_some_and(is_number) && tokens[at].contains(['/', '\\'])
}

/// The path and the line in a token: `a/b.c`, `b.c:3`, `b.c:3:7`, `…/blob/main/a/b.c#L3`.
fn path_and_line(token: &str) -> Option<(String, Option<u32>)> {
    let mut token = token.trim_end_matches(['.', ':', '?', '!']);
    let mut line = None;
    if let Some((before, after)) = token.split_once("#L") {
        (token, line) = (before, leading_number(after));
    }
    if let Some((_, after)) = token.split_once("/blob/") {
        token = after.split_once('/')?.1;
    } else if token.contains("://") && !token.starts_with("file://") {
        return None;
    }
    let token = token.trim_start_matches("file://").trim_end_matches(":line");
    let mut parts = token.split(':');
    let mut path = parts.next()?;
    // A drive letter.
    if path.len() == 1 {
        path = parts.next()?;
    }
    line = line.or_else(|| parts.next().and_then(leading_number));
    let path = path.replace('\\', "/");
    is_path(&path).then_some((path, line))
}

fn leading_number(text: &str) -> Option<u32> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..digits].parse().ok().filter(|line| *line > 0)
}

/// Whether a token may be the path of a file: its last part has an extension.
fn is_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@' | '~' | '$');
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=6).contains(&extension.len())
            && extension.starts_with(|c: char| c.is_ascii_lowercase())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && stem.contains(char::is_alphabetic)
            && path.chars().all(is_plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, Option<u32>)> {
        let mentions = mentions(text.lines().map(|line| (line, 0)));
        mentions.into_iter().map(|mention| (mention.path, mention.line)).collect()
    }

    fn one(path: &str, line: u32) -> Vec<(String, Option<u32>)> {
        vec![(path.to_owned(), (line > 0).then_some(line))]
    }

    #[test]
    fn lines_are_recognised_in_every_common_form() {
        assert_eq!(found("see src/net/server.x:42:7."), one("src/net/server.x", 42));
        assert_eq!(
            found("  File \"/home/me/app/server.x\", line 42, in run"),
            one("/home/me/app/server.x", 42)
        );
        // What only looks like a path is looked up in vain.
        assert!(found("    at com.example.Server.run(Server.x:42)").contains(&one("Server.x", 42)[0]));
        assert_eq!(found("#3 /srv/app/src/Server.x(42): run()"), one("/srv/app/src/Server.x", 42));
        assert_eq!(found("   at App.Server.Run() in C:\\app\\Server.x:line 42"), one("/app/Server.x", 42));
        assert_eq!(found("https://example.org/o/r/blob/main/src/a.x#L42-L50"), one("src/a.x", 42));
        assert_eq!(found("in `lib/a.x`"), one("lib/a.x", 0));
        assert_eq!(found("https://example.org/page.html, version 1.2.3, v1.x"), one("v1.x", 0));
    }

    #[test]
    fn the_innermost_frame_comes_first() {
        let trace = "Trace (most recent call last):\n File \"a.x\", line 1\n File \"b.x\", line 2";
        assert_eq!(found(trace), [("b.x".to_owned(), Some(2)), ("a.x".to_owned(), Some(1))]);
        assert_eq!(found("at a.x:1\nat b.x:2"), [("a.x".to_owned(), Some(1)), ("b.x".to_owned(), Some(2))]);
    }
}
