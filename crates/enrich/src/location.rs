//! Places in answers: `Location`, `Location[]` or `LocationLink[]`.

use orient_model::ServicePlace;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Maximum number of places of one answer; an interface of the standard library may have thousands of implementations.
const MAX_PLACES: usize = 256;

/// The places of the result of a request for definitions or implementations. What is no place in a file is left out.
pub fn places(result: &Value, in_bytes: bool) -> Vec<ServicePlace> {
    match result {
        Value::Array(items) => {
            items.iter().take(MAX_PLACES).filter_map(|item| place(item, in_bytes)).collect()
        }
        one => place(one, in_bytes).into_iter().collect(),
    }
}

fn place(item: &Value, in_bytes: bool) -> Option<ServicePlace> {
    let (uri, range) = match item.get("targetUri") {
        Some(uri) => (uri, item.get("targetSelectionRange").or_else(|| item.get("targetRange"))?),
        None => (item.get("uri")?, item.get("range")?),
    };
    let start = range.get("start")?;
    let number = |name: &str| u32::try_from(start.get(name)?.as_u64()?).ok();
    let (line, character) = (number("line")?, number("character")?);
    Some(ServicePlace { file: path_of(uri.as_str()?)?, line, character, in_bytes })
}

/// The path of a file's URI.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    if !bytes.starts_with(b"/") || bytes.contains(&0) {
        return None;
    }
    let path = PathBuf::from(native(bytes)?);
    let is_plain = path.components().all(|part| part != std::path::Component::ParentDir);
    is_plain.then_some(path)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a path may not be text")]
fn native(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn native(bytes: Vec<u8>) -> Option<OsString> {
    // `/C:/x` is `C:/x`.
    String::from_utf8(bytes).ok().map(|path| path.trim_start_matches('/').into())
}

/// The URI of a file.
pub(crate) fn uri_of(path: &Path) -> String {
    let shown = path.as_os_str().as_encoded_bytes();
    let mut uri = String::from("file://");
    if !shown.starts_with(b"/") {
        uri.push('/');
    }
    for &byte in shown {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn all_three_forms_of_answers_are_read() {
        let range = json!({ "start": { "line": 3, "character": 7 }, "end": { "line": 3, "character": 9 } });
        let whole = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 9, "character": 0 } });
        let expected = ServicePlace { file: "/a b/c.x".into(), line: 3, character: 7, in_bytes: false };
        let location = json!({ "uri": "file:///a%20b/c.x", "range": range });
        let link =
            json!({ "targetUri": "file:///a%20b/c.x", "targetRange": whole, "targetSelectionRange": range });
        assert_eq!(places(&location, false), std::slice::from_ref(&expected));
        assert_eq!(places(&json!([location, link]), false), [expected.clone(), expected]);
        for nothing in [json!(null), json!([]), json!({}), json!("x"), json!([{ "uri": 3 }])] {
            assert!(places(&nothing, false).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn other_schemes_and_crooked_paths_are_no_files() {
        for uri in [
            "http://x/a",
            "jdt://contents/a",
            "file:///a/../b",
            "file://host/a",
            "file:///a%00b",
            "file:a",
            "",
        ] {
            assert_eq!(path_of(uri), None, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn a_path_survives_its_uri(path in "(/[a-zé %#?+:&@]{1,6}){1,4}") {
            prop_assume!(!path.split('/').any(|part| part == ".."));
            let path = Path::new(&path);
            prop_assert_eq!(path_of(&uri_of(path)), Some(path.to_owned()));
        }
    }
}
