//! Answers to the requests of a server. It gets its settings; it may not edit, open or show anything.

use crate::location::uri_of;
use crate::server_table::Server;
use serde_json::{Value, json};
use std::path::Path;

const METHOD_NOT_FOUND: i64 = -32601;

/// The result of a request, or the error's code and message.
pub(crate) fn reply(
    server: &Server,
    root: &Path,
    method: &str,
    params: &Value,
) -> Result<Value, (i64, &'static str)> {
    match method {
        "workspace/configuration" => {
            let items = params.get("items").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let section = |item: &Value| item.get("section").and_then(Value::as_str).map(str::to_owned);
            Ok(items.iter().map(|item| server.section(&section(item).unwrap_or_default())).collect())
        }
        "workspace/workspaceFolders" => Ok(workspace(root)),
        "workspace/applyEdit" => {
            Ok(json!({ "applied": false, "failureReason": "this client does not edit files" }))
        }
        "window/showDocument" => Ok(json!({ "success": false })),
        "client/registerCapability"
        | "client/unregisterCapability"
        | "window/workDoneProgress/create"
        | "window/showMessageRequest" => Ok(Value::Null),
        method if method.starts_with("workspace/") && method.ends_with("/refresh") => Ok(Value::Null),
        _ => Err((METHOD_NOT_FOUND, "not supported")),
    }
}

/// The directories of the workspace: the repository alone.
pub(crate) fn workspace(root: &Path) -> Value {
    let name = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    json!([{ "uri": uri_of(root), "name": name }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn servers_get_their_settings_and_may_change_nothing() {
        let servers = crate::servers(&BTreeMap::new()).expect("the table is well formed");
        let server = servers.iter().find(|server| server.name == "rust-analyzer").expect("known");
        let ask = |method: &str, params: Value| reply(server, Path::new("/repo"), method, &params);
        let items =
            json!({ "items": [{ "section": "rust-analyzer.procMacro" }, {}, { "section": "editor" }] });
        let told = ask("workspace/configuration", items).expect("answered");
        assert_eq!(told[0]["enable"], false);
        assert_eq!(told[1]["rust-analyzer"]["procMacro"]["enable"], false, "all of them");
        assert_eq!(told[2], Value::Null);
        assert_eq!(ask("workspace/applyEdit", Value::Null).expect("answered")["applied"], false);
        assert_eq!(ask("client/registerCapability", Value::Null), Ok(Value::Null));
        assert_eq!(ask("window/workDoneProgress/create", json!({ "token": 1 })), Ok(Value::Null));
        assert!(ask("workspace/executeCommand", Value::Null).is_err());
        assert_eq!(ask("workspace/configuration", json!({ "items": 3 })), Ok(json!([])));
    }
}
