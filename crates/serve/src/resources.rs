//! Files and symbols by address: `orient://file/src/a.c`, `orient://symbol/src/a.c%23run`.

use crate::server::{Server, refusal};
use orient_tools::{Code, SafeLine, ToolError, file_text, handles_like, paths_like, symbol_text};
use rmcp::RoleServer;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, ListResourcesResult,
    ReadResourceResult, Reference, Resource, ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use std::fmt::Write;
use std::path::PathBuf;

const FILE: &str = "orient://file/";
const SYMBOL: &str = "orient://symbol/";
/// How many files one page of the list has.
const PAGE: usize = 200;

/// The two kinds of address.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{FILE}{{+path}}"), "file")
            .with_description("A file of the repository, as it is now")
            .with_mime_type("text/plain"),
        ResourceTemplate::new(format!("{SYMBOL}{{+handle}}"), "symbol")
            .with_description("The source of a symbol, by its handle (src/server.go#Server.Run) or name")
            .with_mime_type("text/plain"),
    ]
}

/// The files, a page at a time.
pub(crate) async fn list(
    server: &Server,
    cursor: Option<String>,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let skip = match cursor {
        None => 0,
        Some(text) => text
            .parse::<usize>()
            .map_err(|_| ErrorData::invalid_params("this is no cursor of ours; start without one", None))?,
    };
    let end = skip.saturating_add(PAGE);
    let (paths, total) = server
        .ask(context, move |session| paths_like(session, "", end))
        .await
        .map_err(|error| refusal(&error))?;
    let page = paths.into_iter().skip(skip).map(|path| {
        Resource::new(format!("{FILE}{}", encoded(&path)), String::from(SafeLine::new(&path)))
            .with_mime_type("text/plain")
    });
    let mut result = ListResourcesResult::with_all_items(page.collect());
    result.next_cursor = (end < total).then(|| end.to_string());
    Ok(result)
}

/// The text at an address.
pub(crate) async fn read(
    server: &Server,
    uri: String,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let address = uri.clone();
    let text = server.ask(context, move |session| {
        if let Some(path) = address.strip_prefix(FILE) {
            return file_text(session, &checked(path)?);
        }
        if let Some(handle) = address.strip_prefix(SYMBOL) {
            return symbol_text(session, &decoded(handle)?);
        }
        Err(ToolError::new(Code::NotFound, "there is no such resource")
            .hint(format!("addresses begin with {FILE} or {SYMBOL}")))
    });
    let text = text.await.map_err(|error| refusal(&error))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]))
}

/// What completes the beginning of an address.
pub(crate) async fn complete(
    server: &Server,
    request: CompleteRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CompleteResult, ErrorData> {
    let begun = request.argument.value;
    let most = CompletionInfo::MAX_VALUES;
    let found = match (&request.r#ref, request.argument.name.as_str()) {
        (Reference::Resource(_), "path") => {
            server.ask(context, move |session| paths_like(session, &begun, most)).await
        }
        (Reference::Resource(_), "handle") => {
            server.ask(context, move |session| handles_like(session, &begun, most)).await
        }
        _ => Ok((Vec::new(), 0)),
    };
    let (values, total) = found.map_err(|error| refusal(&error))?;
    let more = total > values.len();
    let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), more);
    info.map(CompleteResult::new).map_err(|message| ErrorData::internal_error(message, None))
}

/// A path from an address: from the root, and nowhere else. The index would not know another; this says so sooner.
fn checked(encoded: &str) -> Result<String, ToolError> {
    let path = decoded(encoded)?;
    let leads_out = path.starts_with(['/', '\\'])
        || path.contains('\0')
        || path.split(['/', '\\']).any(|part| part == "..")
        || path.as_bytes().get(1) == Some(&b':');
    if leads_out {
        return Err(ToolError::new(Code::BadArgument, "a path must stay inside of the repository")
            .hint("give it from the top of the repository, such as src/main.c"));
    }
    Ok(path.trim_start_matches("./").to_owned())
}

/// Text with `%41` for `A`.
fn decoded(encoded: &str) -> Result<String, ToolError> {
    let wrong =
        || ToolError::new(Code::BadArgument, "the address is not valid: `%` needs two digits behind it");
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16)).ok_or_else(wrong);
        bytes.push((digit()? * 16 + digit()?) as u8);
    }
    String::from_utf8(bytes).map_err(|_| ToolError::new(Code::BadArgument, "the address is not UTF-8"))
}

/// The other way round, for what an address may not hold.
fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b'@' | b'+' => {
                text.push(char::from(byte));
            }
            byte => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

/// The folder a `file:` address names on this machine.
pub(crate) fn file_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = decoded(path).ok()?;
    // `file:///C:/code` on Windows.
    let path = if cfg!(windows) { path.trim_start_matches('/').to_owned() } else { path };
    let path = PathBuf::from(path);
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_back() {
        for path in ["src/a.c", "größe/a b#c?.md", "100%/x"] {
            assert_eq!(decoded(&encoded(path)).expect("valid"), path);
        }
        assert!(decoded("%zz").is_err() && decoded("%2").is_err() && decoded("%ff").is_err());
    }

    #[test]
    fn no_path_leads_out() {
        for path in
            ["../x", "a/../../x", "/etc/passwd", "%2e%2e/x", "%2Fetc/passwd", "a\\..\\x", "C:/x", "a%00b"]
        {
            assert!(checked(path).is_err(), "{path}");
        }
        assert_eq!(checked("./src/a..b/c.c").expect("inside"), "src/a..b/c.c");
    }

    #[test]
    fn roots_are_folders_of_this_machine() {
        assert_eq!(file_path("file:///home/a%20b"), Some(PathBuf::from("/home/a b")));
        assert_eq!(file_path("file://localhost/x"), Some(PathBuf::from("/x")));
        for other in ["https://x/y", "file://host/x", "file:relative"] {
            assert_eq!(file_path(other), None, "{other}");
        }
    }
}
