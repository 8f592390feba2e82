//! Messages of the protocol (JSON-RPC 2.0).

use serde_json::{Value, json};

/// A message of a server.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// The response to a request of ours.
    Response {
        /// The number of the request.
        id: u64,
        /// The result, or the error's code and message.
        result: Result<Value, (i64, String)>,
    },
    /// A request.
    Request {
        /// Its id, which the response repeats.
        id: Value,
        /// What is asked.
        method: String,
        /// The parameters.
        params: Value,
    },
    /// A notification.
    Notification {
        /// What happened.
        method: String,
        /// The parameters.
        params: Value,
    },
}

impl Incoming {
    /// Parses a message; `None` if it is none.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let Value::Object(mut fields) = serde_json::from_slice(body).ok()? else { return None };
        let mut take = |name: &str| fields.remove(name);
        let (id, method, params) = (take("id"), take("method"), take("params").unwrap_or_default());
        match (method, id) {
            (Some(Value::String(method)), Some(id)) if !id.is_null() => {
                Some(Self::Request { id, method, params })
            }
            (Some(Value::String(method)), _) => Some(Self::Notification { method, params }),
            (None, Some(id)) => {
                let result = match take("error") {
                    None | Some(Value::Null) => Ok(take("result").unwrap_or_default()),
                    Some(error) => {
                        let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
                        let text = error.get("message").and_then(Value::as_str).unwrap_or_default();
                        Err((code, text.to_owned()))
                    }
                };
                Some(Self::Response { id: id.as_u64()?, result })
            }
            _ => None,
        }
    }
}

/// A request.
pub(crate) fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string().into_bytes()
}

/// A notification.
pub(crate) fn notification(method: &str, params: &Value) -> Vec<u8> {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().into_bytes()
}

/// The response to a server's request.
pub(crate) fn response(id: &Value, result: Result<Value, (i64, &str)>) -> Vec<u8> {
    let message = match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    };
    message.to_string().into_bytes()
}

/// One short line of text that a server wrote, without control characters.
pub(crate) fn plain_line(text: &str) -> String {
    const MAX: usize = 200;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut plain: String =
        line.chars().take(MAX).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if line.chars().nth(MAX).is_some() {
        plain.push('…');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_responses_and_notifications_are_told_apart() {
        let parse = |text: &str| Incoming::parse(text.as_bytes());
        assert!(matches!(
            parse(r#"{"id":1,"result":null}"#),
            Some(Incoming::Response { id: 1, result: Ok(Value::Null) })
        ));
        assert!(matches!(
            parse(r#"{"id":2,"error":{"code":-32601,"message":"no"}}"#),
            Some(Incoming::Response { id: 2, result: Err((-32601, _)) })
        ));
        assert!(matches!(parse(r#"{"id":"a","method":"m"}"#), Some(Incoming::Request { .. })));
        assert!(matches!(parse(r#"{"method":"m","params":[]}"#), Some(Incoming::Notification { .. })));
        for text in
            ["", "[]", "{}", "null", r#"{"id":-1,"result":1}"#, r#"{"id":{},"result":1}"#, r#"{"method":3}"#]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(parse(&format!(r#"{{"method":"m","params":{deep}}}"#)), None, "nested too deep");
    }

    #[test]
    fn text_of_servers_is_one_short_plain_line() {
        assert_eq!(plain_line("\n  a\u{1b}[31mb\nc"), "a\u{fffd}[31mb");
        assert_eq!(plain_line(&"x".repeat(500)).chars().count(), 201);
    }
}
