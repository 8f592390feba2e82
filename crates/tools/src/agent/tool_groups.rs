//! Operations put together as an agent thinks: find it, read it, follow it, see the whole. One table; an operation that
//! is not in the table of operations is simply not offered.
//!
//! Every word here is paid for by every agent at every start, so there is none too many: a test counts them.

use crate::operation::Operation;
use crate::operations::OPERATIONS;
use serde_json::{Map, Value, json};

/// Several operations behind one name.
pub(crate) struct Group {
    /// What agents call.
    pub(crate) name: &'static str,
    /// When to use it and what it gives, for the model that must choose.
    pub(crate) about: &'static str,
    /// The parameter whose value chooses the operation; without one the first operation there is serves.
    pub(crate) selector: Option<&'static str>,
    /// The operations.
    pub(crate) members: &'static [Member],
    /// What it takes.
    pub(crate) params: &'static [Param],
}

/// An operation of a group.
pub(crate) struct Member {
    /// The value that chooses it.
    pub(crate) choice: &'static str,
    /// Other words for it.
    pub(crate) aliases: &'static [&'static str],
    /// The operation.
    pub(crate) operation: &'static str,
    /// Which parameter is which of its arguments.
    pub(crate) arguments: &'static [(&'static str, &'static str)],
    /// Arguments that are always given.
    pub(crate) fixed: &'static [(&'static str, FixedValue)],
}

/// The value of an argument that is always given.
#[derive(Clone, Copy)]
pub(crate) enum FixedValue {
    Flag(bool),
    Number(u64),
}

/// A parameter of a group.
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) param_type: ParamType,
    /// What to give; empty where the name says it.
    pub(crate) about: &'static str,
    pub(crate) required: bool,
}

/// What a parameter holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamType {
    Text,
    Texts,
    Number,
    Flag,
    /// One of the words of the members.
    Choice,
}

const fn required(name: &'static str, param_type: ParamType, about: &'static str) -> Param {
    Param { name, param_type, about, required: true }
}

const fn optional(name: &'static str, param_type: ParamType, about: &'static str) -> Param {
    Param { name, param_type, about, required: false }
}

/// More than anybody reads: the budget cuts the text, and a cursor goes on.
const AGENT_LIMIT: FixedValue = FixedValue::Number(2_000);

impl Member {
    /// The same with arguments that are always given.
    const fn with(mut self, fixed: &'static [(&'static str, FixedValue)]) -> Self {
        self.fixed = fixed;
        self
    }
}

const fn member(
    choice: &'static str,
    aliases: &'static [&'static str],
    operation: &'static str,
    arguments: &'static [(&'static str, &'static str)],
) -> Member {
    Member { choice, aliases, operation, arguments, fixed: &[] }
}

/// The groups, in the order agents see them.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        name: "search",
        about: "Find code when you do not know where it is. Start here. Query: a symbol name (exact comes first), \
                keywords, or a question. Returns ranked path:line with signatures. \
                Example: {\"query\": \"retry backoff\"}",
        selector: None,
        members: &[
            member(
                "search",
                &[],
                "search",
                &[("query", "query"), ("path", "path"), ("kind", "kind"), ("max_tokens", "max_tokens")],
            ),
            member("symbols", &[], "symbols", &[("query", "name"), ("path", "in"), ("kind", "kind")]),
        ],
        params: &[
            required("query", ParamType::Text, ""),
            optional("path", ParamType::Text, "folder, file or glob"),
            optional("kind", ParamType::Texts, "function, class, …"),
        ],
    },
    Group {
        name: "context",
        about: "Collect what a task needs in one answer: the code it touches, callers, tests. \
                Example: {\"task\": \"add a timeout to uploads\"}",
        selector: None,
        members: &[member("context", &[], "context", &[("task", "task"), ("max_tokens", "max_tokens")])],
        params: &[required("task", ParamType::Text, "")],
    },
    Group {
        name: "read",
        about: "Read source by symbol or place: current lines with numbers. view=outline lists what a file or \
                folder defines. Example: {\"target\": \"Server.Run\"}",
        selector: Some("view"),
        members: &[
            member(
                "source",
                &["code", "show", "full", "body"],
                "show",
                &[("target", "symbol"), ("lines", "lines")],
            ),
            member(
                "outline",
                &["symbols", "structure", "skeleton", "summary"],
                "outline",
                &[("target", "path")],
            ),
        ],
        params: &[
            required("target", ParamType::Text, "name, handle path#Name, path or path:10-40"),
            optional("lines", ParamType::Text, "10-40"),
            optional("view", ParamType::Choice, ""),
        ],
    },
    Group {
        name: "graph",
        about: "Follow proven relations of a symbol, each with path:line and how sure: who calls or uses it, what it \
                calls, who implements it, how one reaches another (trace, to), what a change breaks (impact), which \
                files depend (deps, rdeps of a path). Complete, unlike text search. \
                Example: {\"symbol\": \"Server.Run\", \"relation\": \"callers\"}",
        selector: Some("relation"),
        members: &[
            member(
                "callers",
                &["caller", "called_by", "incoming", "in", "who_calls", "incoming_calls"],
                "callers",
                &[("symbol", "symbol"), ("depth", "depth"), ("no_tests", "no_tests")],
            )
            .with(&[("per_level", AGENT_LIMIT), ("limit", AGENT_LIMIT)]),
            member(
                "callees",
                &["callee", "calls", "outgoing", "out", "outgoing_calls"],
                "callees",
                &[("symbol", "symbol"), ("depth", "depth"), ("no_tests", "no_tests")],
            )
            .with(&[("per_level", AGENT_LIMIT), ("limit", AGENT_LIMIT)]),
            member(
                "references",
                &["reference", "refs", "usages", "uses", "used_by", "find_references"],
                "references",
                &[("symbol", "symbol"), ("no_tests", "no_tests")],
            ),
            member(
                "implementations",
                &["implementation", "implements", "implementors", "implementers", "overrides", "subclasses"],
                "implementations",
                &[("symbol", "symbol")],
            )
            .with(&[("limit", AGENT_LIMIT)]),
            member(
                "hierarchy",
                &["type_hierarchy", "inheritance", "bases", "supertypes", "subtypes"],
                "hierarchy",
                &[("symbol", "symbol"), ("depth", "depth")],
            )
            .with(&[("limit", AGENT_LIMIT)]),
            member(
                "trace",
                &["path", "paths", "route", "flow", "reaches"],
                "trace",
                &[("symbol", "from"), ("to", "to"), ("depth", "depth"), ("no_tests", "no_tests")],
            ),
            member(
                "impact",
                &["blast_radius", "affected", "breaks", "change"],
                "impact",
                &[("symbol", "changed"), ("depth", "depth")],
            )
            .with(&[("limit", AGENT_LIMIT)]),
            member(
                "deps",
                &["dependencies", "imports", "depends_on"],
                "deps",
                &[("symbol", "path"), ("depth", "depth"), ("no_tests", "no_tests")],
            )
            .with(&[("limit", AGENT_LIMIT)]),
            member(
                "rdeps",
                &["dependents", "imported_by", "reverse_dependencies"],
                "rdeps",
                &[("symbol", "path"), ("depth", "depth"), ("no_tests", "no_tests")],
            )
            .with(&[("limit", AGENT_LIMIT)]),
            member("similar", &["alike", "duplicates", "clones"], "similar", &[("symbol", "symbol")]),
        ],
        params: &[
            required("relation", ParamType::Choice, ""),
            required("symbol", ParamType::Text, "name, handle path#Name, or path"),
            optional("to", ParamType::Text, ""),
            optional("depth", ParamType::Number, ""),
            optional("no_tests", ParamType::Flag, ""),
        ],
    },
    Group {
        name: "overview",
        about: "See the whole: map (folders, entry points, central symbols; for an unknown repository), files by \
                path, unused code, status of the index. Example: {\"about\": \"map\"}",
        selector: Some("about"),
        members: &[
            member(
                "map",
                &["overview", "architecture", "structure", "summary"],
                "map",
                &[("max_tokens", "tokens")],
            ),
            member("files", &["list", "ls", "tree", "find"], "files", &[("path", "glob")]),
            member("unused", &["dead", "dead_code"], "unused", &[("path", "path")]),
            member("status", &["health", "index", "info"], "status", &[]),
        ],
        params: &[
            optional("about", ParamType::Choice, ""),
            optional("path", ParamType::Text, "folder or glob"),
        ],
    },
    Group {
        name: "grep",
        about: "Search text in all files, as ripgrep does: literals, messages, config, comments. For symbols use \
                search or graph. Example: {\"pattern\": \"TODO|FIXME\", \"glob\": [\"*.py\"]}",
        selector: None,
        members: &[Member {
            choice: "grep",
            aliases: &[],
            operation: "grep",
            arguments: &[
                ("pattern", "pattern"),
                ("paths", "paths"),
                ("glob", "glob"),
                ("fixed", "fixed_strings"),
                ("ignore_case", "ignore_case"),
                ("context", "context"),
            ],
            fixed: &[
                ("line_number", FixedValue::Flag(true)),
                ("heading", FixedValue::Flag(true)),
                ("max_columns", FixedValue::Number(300)),
                ("max_columns_preview", FixedValue::Flag(true)),
            ],
        }],
        params: &[
            required("pattern", ParamType::Text, "regular expression"),
            optional("paths", ParamType::Texts, ""),
            optional("glob", ParamType::Texts, ""),
            optional("fixed", ParamType::Flag, ""),
            optional("ignore_case", ParamType::Flag, ""),
            optional("context", ParamType::Number, ""),
        ],
    },
];

/// An operation by its name, if it is in the table and answers questions.
pub(crate) fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name && operation.asks)
}

impl Group {
    /// Its operations that there are.
    pub(crate) fn present(&self) -> impl Iterator<Item = (&'static Member, &'static Operation)> {
        self.members.iter().filter_map(|member| Some((member, operation(member.operation)?)))
    }

    /// The schema of what it takes, as short as can be.
    pub(crate) fn input_schema(&self) -> Value {
        let mut properties = Map::new();
        for param in self.params {
            let mut schema = match param.param_type {
                ParamType::Text => json!({ "type": "string" }),
                ParamType::Texts => json!({ "type": "array", "items": { "type": "string" } }),
                ParamType::Number => json!({ "type": "integer" }),
                ParamType::Flag => json!({ "type": "boolean" }),
                ParamType::Choice => {
                    let words: Vec<&str> = self.present().map(|(member, _)| member.choice).collect();
                    json!({ "type": "string", "enum": words })
                }
            };
            if !param.about.is_empty() {
                schema["description"] = json!(param.about);
            }
            properties.insert(param.name.to_owned(), schema);
        }
        let required: Vec<&str> =
            self.params.iter().filter(|param| param.required).map(|param| param.name).collect();
        let mut schema = json!({ "type": "object", "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_parameter_leads_to_an_argument_that_there_is() {
        for group in GROUPS {
            let params: BTreeSet<&str> =
                group.params.iter().map(|param| param.name).chain(["max_tokens", "cursor"]).collect();
            for (member, operation) in group.present() {
                let schema = operation.input_schema();
                for (param, argument) in member.arguments {
                    assert!(params.contains(param), "{} {param}", group.name);
                    assert!(
                        schema["properties"][argument].is_object(),
                        "{} has no {argument}",
                        operation.name
                    );
                }
                for (argument, _) in member.fixed {
                    assert!(
                        schema["properties"][argument].is_object(),
                        "{} has no {argument}",
                        operation.name
                    );
                }
                let required = schema["required"].as_array().cloned().unwrap_or_default();
                for argument in required.iter().filter_map(Value::as_str) {
                    assert!(
                        member.arguments.iter().any(|(_, arguments)| *arguments == argument),
                        "{} {argument}",
                        operation.name
                    );
                }
            }
        }
    }

    #[test]
    fn words_choose_one_operation() {
        for group in GROUPS {
            let words: Vec<&str> = group
                .members
                .iter()
                .flat_map(|member| member.aliases.iter().chain([&member.choice]))
                .copied()
                .collect();
            let unique: BTreeSet<&str> = words.iter().copied().collect();
            assert_eq!(unique.len(), words.len(), "{}", group.name);
            assert_eq!(
                group.selector.is_some(),
                group.params.iter().any(|param| param.param_type == ParamType::Choice)
            );
        }
    }

    #[test]
    fn there_are_six_at_most_and_each_has_an_example() {
        assert!(GROUPS.len() <= 6);
        for group in GROUPS {
            assert!(group.about.contains("Example: {"), "{}", group.name);
        }
    }
}
