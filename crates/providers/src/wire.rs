//! What goes over the wire: requests and answers in each provider's own form, and what an answer must be.

use crate::table::{Fixed, Kind, Shape};
use orient_embed::Role;
use serde::Deserialize;
use serde_json::{Map, Value};

/// No model has vectors of more values.
pub(crate) const LARGEST_DIMENSION: usize = 16_384;

/// The body of a request.
pub(crate) fn request(
    kind: &Kind,
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

/// How long an answer with so many vectors may be.
pub(crate) fn largest_answer(texts: usize, dimension: Option<usize>) -> u64 {
    // A value is written in some twenty characters, and what surrounds the vectors is little.
    let values = texts * dimension.unwrap_or(LARGEST_DIMENSION);
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

/// The vectors in an answer, one for each text and in their order. The error says what is wrong with it.
pub(crate) fn answer(
    shape: Shape,
    body: &[u8],
    texts: usize,
    dimension: Option<usize>,
) -> Result<Vec<Vec<f32>>, String> {
    let vectors = match shape {
        Shape::Items => in_order(read::<Items>(body)?.data, texts)?,
        Shape::Lists => read::<Lists>(body)?.embeddings,
        Shape::Typed => read::<Typed>(body)?.embeddings.float,
    };
    if vectors.len() != texts {
        return Err(format!("{} vectors for {texts} texts", vectors.len()));
    }
    let wanted = dimension.or_else(|| vectors.first().map(Vec::len)).unwrap_or(0);
    for vector in &vectors {
        if vector.len() != wanted {
            return Err(format!("a vector of {} values where {wanted} were expected", vector.len()));
        }
        if !vector.iter().all(|value| value.is_finite()) {
            return Err("a vector with values that are no numbers".to_owned());
        }
    }
    if wanted == 0 || wanted > LARGEST_DIMENSION {
        return Err(format!("vectors of {wanted} values"));
    }
    Ok(vectors)
}

fn read<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| format!("not the JSON it should be: {error}"))
}

/// Items by their index; those of a server that gives none are in order.
fn in_order(items: Vec<Item>, texts: usize) -> Result<Vec<Vec<f32>>, String> {
    if items.iter().all(|item| item.index.is_none()) {
        return Ok(items.into_iter().map(|item| item.embedding).collect());
    }
    let (count, mut vectors) = (items.len(), vec![None; texts]);
    for item in items {
        let place = item.index.and_then(|index| vectors.get_mut(index));
        match place {
            Some(place @ None) => *place = Some(item.embedding),
            Some(_) => return Err("two vectors for one text".to_owned()),
            None => return Err("a vector for a text that was not sent".to_owned()),
        }
    }
    vectors.into_iter().collect::<Option<_>>().ok_or_else(|| format!("{count} vectors for {texts} texts"))
}

/// What a provider says of an error, on one line and not too long: the message in its JSON, or the beginning of its text.
pub(crate) fn complaint(body: &[u8]) -> String {
    const LONGEST: usize = 300;
    let said = serde_json::from_slice(body).ok().and_then(|value: Value| {
        let places = ["/error/message", "/error", "/message", "/detail"];
        let found = places.iter().find_map(|place| value.pointer(place)?.as_str().map(ToOwned::to_owned));
        found.or_else(|| Some(value.to_string()))
    });
    let said = said.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = line.chars().map(|c| if c.is_control() { '?' } else { c });
    plain.take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::KINDS;

    #[test]
    fn each_provider_is_sent_its_own_form() {
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
    fn items_come_in_any_order_each_once() {
        let items = |body: &str| answer(Shape::Items, body.as_bytes(), 2, Some(1));
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
    fn what_is_no_vector_is_refused() {
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
            assert!(answer(Shape::Lists, body.as_bytes(), 2, None).is_err(), "{body}");
        }
        let vectors = answer(Shape::Lists, br#"{"embeddings":[[1,2],[3,4]]}"#, 2, None);
        assert_eq!(vectors, Ok(vec![vec![1.0, 2.0], vec![3.0, 4.0]]));
    }

    #[test]
    fn complaints_are_short_and_harmless() {
        assert_eq!(complaint(br#"{"error":{"message":"bad\nkey"}}"#), "bad key");
        assert_eq!(complaint(br#"{"error":"no such model"}"#), "no such model");
        assert_eq!(complaint(b"<html>\x1b[2J"), "<html>?[2J");
        assert_eq!(complaint(&[b'a'; 5000]).len(), 300);
    }
}
