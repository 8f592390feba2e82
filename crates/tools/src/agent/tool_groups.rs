//! The default tools for agents: groups of operations by purpose (search, context, read, graph, overview, history, task, grep).
//!
//! Agents pay for every word here at every start, so the descriptions are short; a test limits their size.

use crate::operation::Operation;
use crate::operations::OPERATIONS;
use serde_json::{Map, Value, json};

/// A tool that stands for several operations.
pub(crate) struct Group {
    /// The name of the tool.
    pub(crate) name: &'static str,
    /// When to use it and what it returns, for the model that chooses a tool.
    pub(crate) about: &'static str,
    /// Example arguments.
    pub(crate) example: &'static str,
    /// The parameter whose value selects the operation; without one, the first available operation is used.
    pub(crate) selector: Option<&'static str>,
    /// The operations.
    pub(crate) members: &'static [Member],
    /// The parameters.
    pub(crate) params: &'static [Param],
}

/// An operation of a group.
pub(crate) struct Member {
    /// The value of the selector.
    pub(crate) choice: &'static str,
    /// Other values that agents use for it.
    pub(crate) aliases: &'static [&'static str],
    /// The operation.
    pub(crate) operation: &'static str,
    /// Pairs of a parameter of the group and the argument of the operation it sets.
    pub(crate) arguments: &'static [(&'static str, &'static str)],
    /// Arguments that are set unless the call sets them.
    pub(crate) fixed: &'static [(&'static str, FixedValue)],
    /// Arguments that select it if the selector is missing.
    pub(crate) implied_by: &'static [&'static str],
    /// The choice that follows the same edges in the other direction.
    pub(crate) opposite: Option<&'static str>,
}

/// The value of an argument that is always set.
#[derive(Clone, Copy)]
pub(crate) enum FixedValue {
    Flag(bool),
    Number(u64),
}

/// A parameter of a group.
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) value_type: ParamType,
    /// Description; empty if the name is enough.
    pub(crate) about: &'static str,
    pub(crate) required: bool,
}

/// The type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamType {
    Text,
    Texts,
    Number,
    Flag,
    /// The selector: one of the choices of the members.
    Choice,
}

const fn required(name: &'static str, value_type: ParamType, about: &'static str) -> Param {
    Param { name, value_type, about, required: true }
}

const fn optional(name: &'static str, value_type: ParamType, about: &'static str) -> Param {
    Param { name, value_type, about, required: false }
}

/// Practically no limit: the token budget cuts the text, and a cursor continues it.
const AGENT_LIMIT: FixedValue = FixedValue::Number(2_000);

impl Member {
    /// The same member with fixed arguments.
    const fn with(mut self, fixed: &'static [(&'static str, FixedValue)]) -> Self {
        self.fixed = fixed;
        self
    }

    /// The same member, selected by these arguments if the selector is missing.
    const fn implied_by(mut self, arguments: &'static [&'static str]) -> Self {
        self.implied_by = arguments;
        self
    }

    /// The same member with the choice of the other direction.
    const fn opposite_of(mut self, choice: &'static str) -> Self {
        self.opposite = Some(choice);
        self
    }
}

const fn member(
    choice: &'static str,
    aliases: &'static [&'static str],
    operation: &'static str,
    arguments: &'static [(&'static str, &'static str)],
) -> Member {
    Member { choice, aliases, operation, arguments, fixed: &[], implied_by: &[], opposite: None }
}

/// The groups, in the order agents see them.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        name: "search",
        about: "Find code when you do not know where it is. Start here. Query: a symbol name (exact comes first), \
                keywords, or a question. Returns ranked path:line with signatures; a name of one symbol, that symbol.",
        example: "{\"query\": \"retry backoff\"}",
        selector: None,
        members: &[
            member(
                "search",
                &[],
                "search",
                &[("query", "query"), ("path", "path"), ("kind", "kind"), ("max_tokens", "max_tokens")],
            )
            .with(&[("single", FixedValue::Flag(true))]),
            member("symbols", &[], "symbols", &[("query", "name"), ("path", "in"), ("kind", "kind")]),
        ],
        params: &[
            required("query", ParamType::Text, ""),
            optional("path", ParamType::Text, "directory, file or glob"),
            optional("kind", ParamType::Texts, "function, class, …"),
        ],
    },
    Group {
        name: "context",
        about: "Collect what a task needs in one answer: the code it touches, callers, tests.",
        example: "{\"task\": \"add a timeout to uploads\"}",
        selector: None,
        members: &[member("context", &[], "context", &[("task", "task"), ("max_tokens", "max_tokens")])],
        params: &[required("task", ParamType::Text, "")],
    },
    Group {
        name: "read",
        about: "Read source by symbol or place: current lines with numbers. view=outline lists what a file, \
                directory or class defines; collapsed omits bodies; card counts callers, tests.",
        example: "{\"target\": \"Server.Run\"}",
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
                &["symbols", "structure", "skeleton", "summary", "members"],
                "outline",
                &[("target", "path")],
            ),
            member(
                "collapsed",
                &["signatures", "folded", "brief", "short"],
                "show",
                &[("target", "symbol"), ("lines", "lines")],
            )
            .with(&[("collapsed", FixedValue::Flag(true))]),
            member("card", &["info", "details", "hover"], "symbol", &[("target", "symbol")]),
        ],
        params: &[
            required("target", ParamType::Text, "name, handle path#Name, path or path:10-40"),
            optional("lines", ParamType::Text, "10-40"),
            optional("view", ParamType::Choice, ""),
        ],
    },
    Group {
        name: "graph",
        about: "Follow proven relations of a symbol, each with path:line and confidence: callers and uses, callees, \
                implementations, paths to another symbol (trace, to), what a change breaks (impact of a symbol, diff or \
                revision), tests that reach it, file dependencies (deps, rdeps). Says what it could not resolve.",
        example: "{\"symbol\": \"Server.Run\", \"relation\": \"callers\"}",
        selector: Some("relation"),
        members: &[
            member(
                "callers",
                &[
                    "caller",
                    "called_by",
                    "incoming",
                    "inbound",
                    "in",
                    "up",
                    "upstream",
                    "who_calls",
                    "incoming_calls",
                ],
                "callers",
                &[("symbol", "symbol"), ("depth", "depth"), ("no_tests", "no_tests")],
            )
            .with(&[("per_level", AGENT_LIMIT), ("limit", AGENT_LIMIT)])
            .opposite_of("callees"),
            member(
                "callees",
                &[
                    "callee",
                    "calls",
                    "call",
                    "outgoing",
                    "outbound",
                    "out",
                    "down",
                    "downstream",
                    "outgoing_calls",
                ],
                "callees",
                &[("symbol", "symbol"), ("depth", "depth"), ("no_tests", "no_tests")],
            )
            .with(&[("per_level", AGENT_LIMIT), ("limit", AGENT_LIMIT)])
            .opposite_of("callers"),
            member(
                "references",
                &["reference", "refs", "usages", "uses", "used_by", "find_references"],
                "references",
                &[("symbol", "symbol"), ("no_tests", "no_tests")],
            )
            .with(&[("limit", AGENT_LIMIT)]),
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
            )
            .implied_by(&["to"]),
            member(
                "impact",
                &["blast_radius", "affected", "breaks", "change"],
                "impact",
                &[("symbol", "changed"), ("depth", "depth")],
            )
            .with(&[("limit", AGENT_LIMIT)])
            .implied_by(&["diff"]),
            member(
                "tests",
                &["test", "tested_by", "covering_tests", "coverage", "affected_tests"],
                "impact",
                &[("symbol", "changed"), ("depth", "depth")],
            )
            .with(&[("limit", AGENT_LIMIT), ("tests_only", FixedValue::Flag(true))]),
            member(
                "deps",
                &["dependencies", "imports", "depends_on"],
                "deps",
                &[("symbol", "path"), ("depth", "depth"), ("no_tests", "no_tests")],
            )
            .with(&[("limit", AGENT_LIMIT)])
            .opposite_of("rdeps"),
            member(
                "rdeps",
                &["dependents", "imported_by", "reverse_dependencies"],
                "rdeps",
                &[("symbol", "path"), ("depth", "depth"), ("no_tests", "no_tests")],
            )
            .with(&[("limit", AGENT_LIMIT)])
            .opposite_of("deps"),
            member("similar", &["alike", "duplicates", "clones"], "similar", &[("symbol", "symbol")]),
        ],
        params: &[
            required("relation", ParamType::Choice, ""),
            optional("symbol", ParamType::Text, "name, handle path#Name, or path"),
            optional("to", ParamType::Text, ""),
            optional("diff", ParamType::Text, ""),
            optional("depth", ParamType::Number, ""),
            optional("no_tests", ParamType::Flag, ""),
        ],
    },
    Group {
        name: "overview",
        about: "See the whole: map (entry points), files by path, HTTP endpoints, surface \
                (commands, topics, env), explain (layers), unused code, status.",
        example: "{\"about\": \"map\"}",
        selector: Some("about"),
        members: &[
            member(
                "map",
                &["overview", "architecture", "structure", "summary"],
                "map",
                &[("max_tokens", "tokens")],
            ),
            member("files", &["list", "ls", "tree", "find"], "files", &[("path", "glob")])
                .implied_by(&["path", "glob", "role", "lang"]),
            member("endpoints", &["routes", "api", "urls"], "endpoints", &[("path", "path")]),
            member(
                "surface",
                &["exposes", "commands", "env", "topics", "tables"],
                "surface",
                &[("path", "name")],
            ),
            member("explain", &["layers", "how", "design"], "explain", &[("path", "about")]),
            member("unused", &["dead", "dead_code"], "unused", &[("path", "path")]),
            member("status", &["health", "index", "info"], "status", &[("path", "path")]),
        ],
        params: &[
            optional("about", ParamType::Choice, ""),
            optional("path", ParamType::Text, "directory, glob, URL or question"),
        ],
    },
    Group {
        name: "history",
        about: "Ask git history: commits that changed a symbol or path (log), who wrote it (blame), which commit added a \
                text (introduced), commits that answer a question (commits), symbols changed in a range v1..v2 (changes), what \
                changes most (hotspots).",
        example: "{\"relation\": \"log\", \"target\": \"Server.Run\"}",
        selector: Some("relation"),
        members: &[
            member(
                "log",
                &["history", "evolution"],
                "log",
                &[("target", "target"), ("since", "since"), ("author", "author")],
            ),
            member("blame", &["authors", "who", "owners"], "blame", &[("target", "target")]),
            member(
                "introduced",
                &["pickaxe", "origin", "first"],
                "introduced",
                &[("target", "text"), ("since", "since"), ("author", "author")],
            ),
            member(
                "commits",
                &["search", "question"],
                "commits",
                &[("target", "question"), ("since", "since"), ("author", "author")],
            ),
            member("changes", &["diff", "compare"], "changes", &[("target", "range")]),
            member("hotspots", &["churn", "activity"], "hotspots", &[("target", "path"), ("since", "since")]),
        ],
        params: &[
            required("relation", ParamType::Choice, ""),
            required("target", ParamType::Text, "symbol, path, text, range or question"),
            optional("since", ParamType::Text, "2026-03-31 or 30d"),
            optional("author", ParamType::Text, ""),
        ],
    },
    Group {
        name: "task",
        about: "Guided change; what you submit must have been shown to you: start (text, intent), frame, plan, submit, check \
                (a file before writing), finish. Answers name the next call.",
        example: "{\"action\": \"start\", \"intent\": \"modify\", \"text\": \"the request\"}",
        selector: None,
        members: &[member(
            "task",
            &[],
            "task",
            &[
                ("action", "action"),
                ("text", "text"),
                ("intent", "intent"),
                ("slots", "slots"),
                ("symbols", "symbols"),
                ("files", "files"),
            ],
        )],
        params: &[
            required("action", ParamType::Text, ""),
            optional("text", ParamType::Text, ""),
            optional("intent", ParamType::Text, ""),
            optional("slots", ParamType::Texts, "slot: value | quote"),
            optional("symbols", ParamType::Texts, ""),
            optional("files", ParamType::Texts, ""),
        ],
    },
    Group {
        name: "grep",
        about: "Search text in all files, as ripgrep does: literals, messages, config, comments. For symbols use \
                search or graph.",
        example: "{\"pattern\": \"TODO|FIXME\", \"glob\": [\"*.py\"]}",
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
            implied_by: &[],
            opposite: None,
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

/// The choices that follow edges towards the symbol.
const INCOMING_CHOICES: &[&str] = &["callers", "rdeps"];

/// An exposed operation by its name.
pub(crate) fn operation(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name && operation.exposed)
}

impl Group {
    /// Its members whose operations exist.
    pub(crate) fn available(&self) -> impl Iterator<Item = (&'static Member, &'static Operation)> {
        self.members.iter().filter_map(|member| Some((member, operation(member.operation)?)))
    }

    /// The member that a word selects: a choice or an alias of one, however it is spelled.
    pub(crate) fn choice(&self, word: &str) -> Option<(&'static Member, &'static Operation)> {
        let normalised = word.trim().to_ascii_lowercase().replace([' ', '-'], "_");
        let exact = self.available().find(|(member, _)| member.choice == word);
        exact.or_else(|| {
            self.available().find(|(member, _)| {
                member.choice == normalised || member.aliases.contains(&normalised.as_str())
            })
        })
    }

    /// The one of two opposite choices that a direction means.
    pub(crate) fn direction(
        &self,
        word: &str,
        choices: [&str; 2],
    ) -> Option<(&'static Member, &'static Operation)> {
        const INCOMING: &[&str] =
            &["in", "incoming", "inbound", "up", "upstream", "reverse", "callers", "dependents"];
        const OUTGOING: &[&str] =
            &["out", "outgoing", "outbound", "down", "downstream", "forward", "callees", "dependencies"];
        let word = word.trim().to_ascii_lowercase();
        let names = [INCOMING, OUTGOING].into_iter().find(|names| names.contains(&word.as_str()))?;
        let is_incoming = std::ptr::eq(names, INCOMING);
        self.available().find(|(member, _)| {
            choices.contains(&member.choice) && INCOMING_CHOICES.contains(&member.choice) == is_incoming
        })
    }

    /// Whether a parameter is required.
    pub(crate) fn is_required(&self, name: Option<&str>) -> bool {
        self.params.iter().any(|param| param.required && Some(param.name) == name)
    }

    /// The schema of its parameters, as short as possible.
    pub(crate) fn input_schema(&self) -> Value {
        let mut properties = Map::new();
        for param in self.params {
            let mut schema = match param.value_type {
                ParamType::Text => json!({ "type": "string" }),
                ParamType::Texts => json!({ "type": "array", "items": { "type": "string" } }),
                ParamType::Number => json!({ "type": "integer" }),
                ParamType::Flag => json!({ "type": "boolean" }),
                ParamType::Choice => {
                    let choices: Vec<&str> = self.available().map(|(member, _)| member.choice).collect();
                    json!({ "type": "string", "enum": choices })
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
    fn every_parameter_sets_an_existing_argument() {
        for group in GROUPS {
            let params: BTreeSet<&str> =
                group.params.iter().map(|param| param.name).chain(["max_tokens", "cursor"]).collect();
            for (member, operation) in group.available() {
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
    fn every_choice_selects_one_operation() {
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
                group.params.iter().any(|param| param.value_type == ParamType::Choice)
            );
        }
    }

    #[test]
    fn there_are_at_most_eight_groups_with_valid_examples() {
        assert!(GROUPS.len() <= 8);
        for group in GROUPS {
            assert!(serde_json::from_str::<Map<String, Value>>(group.example).is_ok(), "{}", group.name);
        }
    }
}
