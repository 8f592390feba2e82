//! The wire format: encodes requests and decodes and validates responses in each provider's JSON.

use crate::provider_table::{Fixed, ProviderKind, ResponseFormat};
use orient_embed::Role;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Maximum dimension of a vector.
pub(crate) const MAX_DIMENSION: usize = 16_384;

/// The body of a request.
pub(crate) fn request(
    kind: &ProviderKind,
    model: &str,
    texts: &[String],
    role: Role,
    dimensions: Option<usize>,
) -> Vec<u8> {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert(kind.request.texts.to_owned(), texts.into());
    if let Some(field) = &kind.request.role {
        let value = match role {
            Role::Query => field.query,
            Role::Passage => field.passage,
        };
        body.insert(field.field.to_owned(), value.into());
    }
    if let (Some(field), Some(dimensions)) = (kind.request.dimensions, dimensions) {
        body.insert(field.to_owned(), dimensions.into());
    }
    for (field, value) in kind.request.fixed {
        let value = match value {
            Fixed::True => Value::Bool(true),
            Fixed::Word(word) => (*word).into(),
            Fixed::Words(words) => words.to_vec().into(),
        };
        body.insert((*field).to_owned(), value);
    }
    Value::Object(body).to_string().into_bytes()
}

/// Maximum size of a response, in bytes.
pub(crate) fn max_response_size(texts: usize, dimension: Option<usize>) -> u64 {
    // A value takes about twenty characters; the rest of the response is small.
    let values = texts * dimension.unwrap_or(MAX_DIMENSION);
    (64 << 10) + 32 * values as u64
}

#[derive(Deserialize)]
struct Items {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct Lists {
    embeddings: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct Typed {
    embeddings: Floats,
}

#[derive(Deserialize)]
struct Floats {
    float: Vec<Vec<f32>>,
}

/// Parses a response: one vector per text, in order.
pub(crate) fn parse_response(
    format: ResponseFormat,
    body: &[u8],
    texts: usize,
    dimension: Option<usize>,
) -> Result<Vec<Vec<f32>>, String> {
    let vectors = match format {
        ResponseFormat::Items => in_order(read::<Items>(body)?.data, texts)?,
        ResponseFormat::Lists => read::<Lists>(body)?.embeddings,
        ResponseFormat::Typed => read::<Typed>(body)?.embeddings.float,
    };
    if vectors.len() != texts {
        return Err(format!("{} vectors for {texts} texts", vectors.len()));
    }
    let wanted = dimension.or_else(|| vectors.first().map(Vec::len)).unwrap_or(0);
    for vector in &vectors {
        if vector.len() != wanted {
            return Err(format!("a vector of {} values instead of {wanted}", vector.len()));
        }
    }
    if wanted == 0 || wanted > MAX_DIMENSION {
        return Err(format!("vectors of {wanted} values"));
    }
    Ok(vectors)
}

fn read<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| format!("unexpected JSON: {error}"))
}

/// Sorts items by index; if the server sends no indexes, they are in order.
fn in_order(items: Vec<Item>, texts: usize) -> Result<Vec<Vec<f32>>, String> {
    if items.iter().all(|item| item.index.is_none()) {
        return Ok(items.into_iter().map(|item| item.embedding).collect());
    }
    let (count, mut vectors) = (items.len(), vec![None; texts]);
    for item in items {
        let slot = item.index.and_then(|index| vectors.get_mut(index));
        match slot {
            Some(slot @ None) => *slot = Some(item.embedding),
            Some(_) => return Err("two vectors for one text".to_owned()),
            None => return Err("a vector for a text that was not sent".to_owned()),
        }
    }
    vectors.into_iter().collect::<Option<_>>().ok_or_else(|| format!("{count} vectors for {texts} texts"))
}

/// The error message of a response, on one line and truncated: the message in its JSON, or the beginning of its text.
pub(crate) fn error_message(body: &[u8]) -> String {
    const MAX_LENGTH: usize = 300;
    let message = serde_json::from_slice(body).ok().and_then(|value: Value| {
        let pointers = ["/error/message", "/error", "/message", "/detail"];
        let found =
            pointers.iter().find_map(|pointer| value.pointer(pointer)?.as_str().map(ToOwned::to_owned));
        found.or_else(|| Some(value.to_string()))
    });
    let message = message.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = line.chars().map(|c| if c.is_control() { '?' } else { c });
    plain.take(MAX_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_table::KINDS;

    #[test]
    fn requests_have_the_format_of_each_provider() {
        let body = |name: &str, role| {
            let kind = KINDS.iter().find(|kind| kind.name == name).expect("in the table");
            String::from_utf8(request(kind, "m", &["a".to_owned()], role, Some(8))).expect("text")
        };
        let bodies = [
            ("ollama", Role::Query, r#"{"dimensions":8,"input":["a"],"model":"m","truncate":true}"#),
            (
                "openai",
                Role::Passage,
                r#"{"dimensions":8,"encoding_format":"float","input":["a"],"model":"m"}"#,
            ),
            (
                "voyage",
                Role::Query,
                r#"{"input":["a"],"input_type":"query","model":"m","output_dimension":8,"truncation":true}"#,
            ),
            (
                "nomic",
                Role::Passage,
                r#"{"dimensionality":8,"model":"m","task_type":"search_document","texts":["a"]}"#,
            ),
            (
                "cohere",
                Role::Passage,
                r#"{"embedding_types":["float"],"input_type":"search_document","model":"m","output_dimension":8,"texts":["a"],"truncate":"END"}"#,
            ),
        ];
        for (name, role, wanted) in bodies {
            assert_eq!(body(name, role), wanted);
        }
    }

    #[test]
    fn items_may_come_in_any_order() {
        let items = |body: &str| parse_response(ResponseFormat::Items, body.as_bytes(), 2, Some(1));
        let turned = r#"{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[0.5]}]}"#;
        assert_eq!(items(turned), Ok(vec![vec![0.5], vec![1.0]]));
        let bare = r#"{"data":[{"embedding":[0.5]},{"embedding":[1]}]}"#;
        assert_eq!(items(bare), Ok(vec![vec![0.5], vec![1.0]]));
        let wrong = [
            r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#,
            r#"{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}"#,
            r#"{"data":[{"index":0,"embedding":[1]},{"embedding":[1]}]}"#,
            r#"{"data":[{"index":1,"embedding":[1]}]}"#,
        ];
        for body in wrong {
            assert!(items(body).is_err(), "{body}");
        }
    }

    #[test]
    fn invalid_vectors_are_rejected() {
        let wrong = [
            r#"{"embeddings":[[1,2],[3]]}"#,
            r#"{"embeddings":[[1,1e39],[3,4]]}"#,
            r#"{"embeddings":[[1,null],[3,4]]}"#,
            r#"{"embeddings":[[1,NaN],[3,4]]}"#,
            r#"{"embeddings":[[],[]]}"#,
            r#"{"embeddings":[[1,2]]}"#,
            r#"{"embeddings":{"float":[[1,2],[3,4]]}}"#,
            "",
        ];
        for body in wrong {
            assert!(parse_response(ResponseFormat::Lists, body.as_bytes(), 2, None).is_err(), "{body}");
        }
        let vectors = parse_response(ResponseFormat::Lists, br#"{"embeddings":[[1,2],[3,4]]}"#, 2, None);
        assert_eq!(vectors, Ok(vec![vec![1.0, 2.0], vec![3.0, 4.0]]));
    }

    #[test]
    fn error_messages_are_truncated_and_sanitised() {
        assert_eq!(error_message(br#"{"error":{"message":"bad\nkey"}}"#), "bad key");
        assert_eq!(error_message(br#"{"error":"no such model"}"#), "no such model");
        assert_eq!(error_message(b"<html>\x1b[2J"), "<html>?[2J");
        assert_eq!(error_message(&[b'a'; 5000]).len(), 300);
    }
}
