//! MCP resources: files and symbols by URI, such as `orient://file/src/a.c`, `orient://symbol/src/a.c%23run`.

use crate::server::{Server, protocol_error};
use orient_tools::{Code, Redactor, SafeLine, ToolError, file_text, handles_like, paths_like, symbol_text};
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
/// Number of files per page of the list.
const PAGE_SIZE: usize = 200;

/// The two kinds of URI.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{FILE}{{+path}}"), "file")
            .with_description("A file of the repository, as it is now")
            .with_mime_type("text/plain"),
        ResourceTemplate::new(format!("{SYMBOL}{{+handle}}"), "definition")
            .with_description("The source of a symbol, by its handle (src/server.go#Server.Run) or name")
            .with_mime_type("text/plain"),
    ]
}

/// Lists the files page by page.
pub(crate) async fn list(
    server: &Server,
    cursor: Option<String>,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let skip = match cursor {
        None => 0,
        Some(text) => text
            .parse::<usize>()
            .map_err(|_| ErrorData::invalid_params("invalid cursor; start without one", None))?,
    };
    let end = skip.saturating_add(PAGE_SIZE);
    let (paths, total) = server
        .query(context, move |session| paths_like(session, "", end))
        .await
        .map_err(|error| protocol_error(&error))?;
    let page = paths.into_iter().skip(skip).map(|path| {
        Resource::new(format!("{FILE}{}", encoded(&path)), String::from(SafeLine::new(&path)))
            .with_mime_type("text/plain")
    });
    let mut result = ListResourcesResult::with_all_items(page.collect());
    result.next_cursor = (end < total).then(|| end.to_string());
    Ok(result)
}

/// Reads the resource with a URI.
pub(crate) async fn read(
    server: &Server,
    uri: String,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let address = uri.clone();
    let text = server.query(context, move |session| {
        if let Some(path) = address.strip_prefix(FILE) {
            return file_text(session, &path_inside(path)?);
        }
        if let Some(handle) = address.strip_prefix(SYMBOL) {
            return symbol_text(session, &decoded(handle)?);
        }
        Err(ToolError::new(Code::NotFound, "unknown resource")
            .hint(format!("URIs begin with {FILE} or {SYMBOL}")))
    });
    let mut text = text.await.map_err(|error| protocol_error(&error))?;
    if server.redacts().await {
        text = Redactor::default().text(&text);
    }
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri)]))
}

/// Completes a partial path or handle.
pub(crate) async fn complete(
    server: &Server,
    request: CompleteRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CompleteResult, ErrorData> {
    let begun = request.argument.value;
    let most = CompletionInfo::MAX_VALUES;
    let found = match (&request.r#ref, request.argument.name.as_str()) {
        (Reference::Resource(_), "path") => {
            server.query(context, move |session| paths_like(session, &begun, most)).await
        }
        (Reference::Resource(_), "handle") => {
            server.query(context, move |session| handles_like(session, &begun, most)).await
        }
        _ => Ok((Vec::new(), 0)),
    };
    let (values, total) = found.map_err(|error| protocol_error(&error))?;
    let more = total > values.len();
    let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), more);
    info.map(CompleteResult::new).map_err(|message| ErrorData::internal_error(message, None))
}

/// The path in a URI. Rejects paths outside of the repository early; the index does not contain them anyway.
fn path_inside(encoded: &str) -> Result<String, ToolError> {
    let path = decoded(encoded)?;
    let leads_out = path.starts_with(['/', '\\'])
        || path.contains('\0')
        || path.split(['/', '\\']).any(|part| part == "..")
        || path.as_bytes().get(1) == Some(&b':');
    if leads_out {
        return Err(ToolError::new(Code::BadArgument, "the path leads out of the repository")
            .hint("use a path relative to the root of the repository, such as src/main.c"));
    }
    Ok(path.trim_start_matches("./").to_owned())
}

/// Decodes percent escapes: `%41` is `A`.
fn decoded(encoded: &str) -> Result<String, ToolError> {
    let wrong =
        || ToolError::new(Code::BadArgument, "invalid URI: `%` must be followed by two hexadecimal digits");
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
    String::from_utf8(bytes).map_err(|_| ToolError::new(Code::BadArgument, "the URI is not valid UTF-8"))
}

/// Encodes the characters that a URI must not contain.
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

/// The local directory of a `file:` URI.
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
    fn percent_encoding_survives_a_round_trip() {
        for path in ["src/a.c", "größe/a b#c?.md", "100%/x"] {
            assert_eq!(decoded(&encoded(path)).expect("valid"), path);
        }
        assert!(decoded("%zz").is_err() && decoded("%2").is_err() && decoded("%ff").is_err());
    }

    #[test]
    fn paths_outside_of_the_repository_are_rejected() {
        for path in
            ["../x", "a/../../x", "/etc/passwd", "%2e%2e/x", "%2Fetc/passwd", "a\\..\\x", "C:/x", "a%00b"]
        {
            assert!(path_inside(path).is_err(), "{path}");
        }
        assert_eq!(path_inside("./src/a..b/c.c").expect("inside"), "src/a..b/c.c");
    }

    #[test]
    fn file_uris_of_other_machines_are_rejected() {
        assert_eq!(file_path("file:///home/a%20b"), Some(PathBuf::from("/home/a b")));
        assert_eq!(file_path("file://localhost/x"), Some(PathBuf::from("/x")));
        for other in ["https://x/y", "file://host/x", "file:relative"] {
            assert_eq!(file_path(other), None, "{other}");
        }
    }
}
