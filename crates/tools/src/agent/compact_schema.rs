//! Schemas of arguments without what no model needs: number formats, null as an alternative, defaults that mean "not set".

use serde_json::{Map, Value, json};

/// The schema of an operation's arguments, compacted. References are replaced by what they refer to: the definitions are small
/// and each is used once.
pub(crate) fn compact(mut schema: Value) -> Value {
    let definitions = schema.as_object_mut().and_then(|schema| schema.remove("$defs")).unwrap_or_default();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, property) in properties {
            *property = compact_property(property.take(), &definitions);
            // These names say it all.
            if let Some(property) = property.as_object_mut().filter(|_| is_limit(name)) {
                property.remove("description");
            }
        }
    }
    if let Some(schema) = schema.as_object_mut() {
        for name in ["$schema", "title", "description", "additionalProperties"] {
            schema.remove(name);
        }
    }
    schema
}

/// Whether an argument limits a number: `min_lines`, `max_callers`.
fn is_limit(name: &str) -> bool {
    name.starts_with("min_") || name.starts_with("max_")
}

fn compact_property(property: Value, definitions: &Value) -> Value {
    let Value::Object(property) = property else { return property };
    let mut property = without_reference(without_null(property), definitions);
    for name in ["format", "minimum", "maximum", "title"] {
        property.remove(name);
    }
    if property.get("default").is_some_and(says_nothing) {
        property.remove("default");
    }
    if let Some(items) = property.get_mut("items") {
        *items = compact_property(items.take(), definitions);
        if let Some(items) = items.as_object_mut() {
            items.remove("description");
        }
    }
    // The description of each value of an enumeration: the values are enough.
    if let Some(values) = property.remove("oneOf") {
        let words: Vec<Value> =
            values.as_array().into_iter().flatten().filter_map(|value| value.get("const").cloned()).collect();
        property.insert("enum".to_owned(), json!(words));
    }
    Value::Object(property)
}

/// The schema without the alternative `null`.
fn without_null(mut property: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Array(types)) = property.get("type")
        && let [one] = types.iter().filter(|one| *one != "null").collect::<Vec<_>>()[..]
    {
        let one = one.clone();
        property.insert("type".to_owned(), one);
    }
    let alternatives = property.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let real: Vec<Value> = alternatives.filter(|one| one["type"] != "null").cloned().collect();
    if let [Value::Object(only)] = &real[..] {
        property.remove("anyOf");
        property.extend(only.clone());
    }
    property
}

/// The schema with its reference replaced; its own description is more specific than that of the definition.
fn without_reference(mut property: Map<String, Value>, definitions: &Value) -> Map<String, Value> {
    let Some(Value::String(reference)) = property.remove("$ref") else { return property };
    let name = reference.rsplit('/').next().unwrap_or_default();
    if let Some(Value::Object(definition)) = definitions.get(name) {
        for (key, value) in definition {
            property.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    property
}

fn says_nothing(default: &Value) -> bool {
    [json!(null), json!(false), json!([]), json!("")].contains(default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compact_schema_keeps_types_and_descriptions() {
        let schema = json!({
            "$schema": "x", "title": "Args", "type": "object",
            "properties": {
                "limit": { "type": ["integer", "null"], "format": "uint64", "minimum": 0, "default": null, "description": "d" },
                "depth": { "type": "integer", "format": "uint32", "default": 3 },
                "lines": { "anyOf": [{ "$ref": "#/$defs/Lines" }, { "type": "null" }], "description": "10-40" },
                "part": { "type": "array", "items": { "$ref": "#/$defs/Part" } },
            },
            "$defs": {
                "Lines": { "type": "string", "description": "a range" },
                "Part": { "oneOf": [{ "const": "a", "description": "x" }, { "const": "b" }] },
            },
        });
        let expected = json!({ "type": "object", "properties": {
            "limit": { "type": "integer", "description": "d" },
            "depth": { "type": "integer", "default": 3 },
            "lines": { "type": "string", "description": "10-40" },
            "part": { "type": "array", "items": { "enum": ["a", "b"] } },
        } });
        assert_eq!(compact(schema), expected);
    }
}
