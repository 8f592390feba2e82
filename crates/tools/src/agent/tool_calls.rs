//! The tools that programs may call, and the translation of a call to one operation with its arguments.
//!
//! By default the tools are groups of operations; with `--tools` they can be single operations. The call
//! `graph {"relation": "who calls", "symbol": "run"}` becomes the operation `callers` with `{"symbol": "run", …}`, and a note
//! says that "who calls" was read as "callers".

use crate::agent::tool_groups::{FixedValue, GROUPS, Group, Member};
use crate::answer::Note;
use crate::arguments::correction::{CorrectedArguments, correct_arguments};
use crate::error::{Code, ToolError};
use crate::operation::{Operation, ReplyResult};
use crate::operations::OPERATIONS;
use crate::session::Session;
use orient_engine::RefreshDepth;
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Default token budget of an answer.
pub const DEFAULT_TOKENS: usize = 2_000;
/// Maximum token budget.
pub const MAX_TOKENS: usize = 16_000;
/// Minimum token budget; the closing line needs this much.
const MIN_TOKENS: usize = 150;

/// A tool that a program may call.
pub struct AgentTool {
    /// Its name.
    pub name: &'static str,
    /// When to use it and what it returns.
    pub about: String,
    /// The schema of its arguments.
    pub input: Value,
    /// The schema of its data; `None` if it returns only text.
    pub data: Option<Value>,
    kind: ToolKind,
}

enum ToolKind {
    Group(&'static Group),
    Operation(&'static Operation),
}

/// The tools of a selection: all groups by default, every operation for `all`, or a list of names.
pub fn agent_tools(selection: Option<&str>) -> Result<Vec<AgentTool>, ToolError> {
    let groups =
        || GROUPS.iter().filter(|group| group.available().next().is_some()).map(AgentTool::from_group);
    let operations =
        || OPERATIONS.iter().filter(|operation| operation.exposed).map(AgentTool::from_operation);
    let Some(selection) = selection else { return Ok(groups().collect()) };
    if selection.trim() == "all" {
        return Ok(operations().collect());
    }
    let mut chosen: Vec<AgentTool> = Vec::new();
    for name in selection.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let Some(found) = groups().chain(operations()).find(|tool| tool.name == name) else {
            let known: Vec<&str> = groups().chain(operations()).map(|tool| tool.name).collect();
            let hint = orient_model::nearest(name, known.iter().copied()).map_or_else(
                || format!("available: all, {}", known.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(ToolError::new(Code::BadArgument, format!("there is no tool `{name}`")).hint(hint));
        };
        if chosen.iter().all(|tool| tool.name != found.name) {
            chosen.push(found);
        }
    }
    if chosen.is_empty() {
        return Err(ToolError::new(Code::BadArgument, "the selection names no tool")
            .hint("for example --tools search,graph or --tools all"));
    }
    Ok(chosen)
}

/// The tool to suggest to a program that called an unknown one: the group that contains the operation, or a similar name.
pub fn suggest_tool(tools: &[AgentTool], name: &str) -> Option<String> {
    let holds = |tool: &&AgentTool| match tool.kind {
        ToolKind::Group(group) => {
            group.members.iter().any(|member| member.operation == name || member.aliases.contains(&name))
        }
        ToolKind::Operation(_) => false,
    };
    if let Some(tool) = tools.iter().find(holds) {
        return Some(tool.name.to_owned());
    }
    orient_model::nearest(name, tools.iter().map(|tool| tool.name)).map(str::to_owned)
}

/// A call of one operation, ready to run.
pub struct ToolCall {
    operation: &'static Operation,
    arguments: Value,
    /// The cursor of the previous answer, if the call continues it.
    pub cursor: Option<String>,
    /// Token budget of the answer.
    pub max_tokens: usize,
    /// Whether to send lines that were sent before.
    pub again: bool,
    /// Corrections made to the arguments.
    pub notes: Vec<String>,
    /// A hash of the operation and its arguments.
    pub key: u64,
    /// The keys of the tool, each with the argument of the operation it sets.
    keys: Vec<(String, String)>,
}

impl AgentTool {
    fn from_group(group: &'static Group) -> Self {
        let input = with_common_arguments(group.input_schema());
        Self {
            name: group.name,
            about: format!("{} Example: {}", group.about, group.example),
            input,
            data: None,
            kind: ToolKind::Group(group),
        }
    }

    fn from_operation(operation: &'static Operation) -> Self {
        let mut about = format!("{}.", operation.about);
        if !operation.details.is_empty() {
            about = format!("{about} {}", operation.details);
        }
        let mut input = operation.input_schema();
        if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
            properties.remove("after");
            properties.retain(|name, _| !operation.terminal_only.contains(&name.as_str()));
        }
        let data = operation.output_schema();
        Self {
            name: operation.name,
            about,
            input: with_common_arguments(input),
            data: Some(data),
            kind: ToolKind::Operation(operation),
        }
    }

    /// Whether answers contain the data beside the text.
    pub fn returns_data(&self) -> bool {
        self.data.is_some()
    }

    /// Parses the arguments of a call.
    pub fn parse(&self, sent: Value) -> Result<ToolCall, ToolError> {
        let mut schema = self.input.clone();
        schema["properties"]["again"] = json!({ "type": "boolean" });
        let CorrectedArguments { mut arguments, mut notes } = correct_arguments(self.name, &schema, sent)?;
        let cursor = arguments.remove("cursor").and_then(|value| value.as_str().map(str::to_owned));
        let again = arguments.remove("again").is_some_and(|value| value == json!(true));
        let budget = arguments.remove("max_tokens").map(|value| value.as_u64().unwrap_or(0));
        let max_tokens = token_budget(budget, &mut notes);
        let (operation, arguments, keys) = match self.kind {
            ToolKind::Operation(operation) => {
                if operation.input_schema()["properties"]["max_tokens"].is_object() {
                    arguments.insert("max_tokens".to_owned(), json!(operation_budget(max_tokens)));
                }
                let keys = self.input["properties"].as_object().into_iter().flat_map(Map::keys);
                (operation, arguments, keys.map(|key| (key.clone(), key.clone())).collect())
            }
            ToolKind::Group(group) => {
                let (member, operation) = choose_member(group, &mut arguments, &mut notes)?;
                let arguments =
                    member_arguments(group, member, operation, arguments, max_tokens, &mut notes)?;
                let keys = member
                    .arguments
                    .iter()
                    .map(|(key, argument)| ((*key).to_owned(), (*argument).to_owned()));
                (operation, arguments, keys.collect())
            }
        };
        let arguments = Value::Object(arguments);
        let mut hasher = DefaultHasher::new();
        (operation.name, arguments.to_string()).hash(&mut hasher);
        Ok(ToolCall { operation, arguments, cursor, max_tokens, again, notes, key: hasher.finish(), keys })
    }
}

/// The queue that a call waits in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueClass {
    /// Whether the operation takes long.
    pub heavy: bool,
    /// Whether it needs the graph, not only facts.
    pub deep: bool,
}

impl ToolCall {
    /// The queue it waits in: slow calls, and calls that wait for the graph, must not delay the others.
    pub fn queue_class(&self) -> QueueClass {
        QueueClass { heavy: self.operation.heavy, deep: self.operation.depth == RefreshDepth::Graph }
    }

    /// A note of the operation, with its argument spelled as the key of this tool.
    pub fn spell(&self, note: &Note) -> String {
        let key_of = |argument: &str| {
            let (key, _) = self.keys.iter().find(|(_, known)| known == argument)?;
            Some(key.as_str())
        };
        note.with_key(key_of).into_owned()
    }

    /// The name of the operation.
    pub fn operation(&self) -> &'static str {
        self.operation.name
    }

    /// Runs the operation; `after` continues a list.
    pub fn run(&self, session: &Session<'_>, after: Option<&str>) -> ReplyResult {
        let mut arguments = self.arguments.clone();
        if let (Some(after), Some(arguments)) = (after, arguments.as_object_mut()) {
            arguments.insert("after".to_owned(), json!(after));
        }
        self.operation.call(session, arguments)
    }
}

/// The schema with the arguments that every tool takes.
fn with_common_arguments(mut schema: Value) -> Value {
    schema["properties"]["max_tokens"] = json!({ "type": "integer" });
    schema["properties"]["cursor"] = json!({ "type": "string" });
    if let Some(schema) = schema.as_object_mut() {
        for name in ["$schema", "title", "description", "additionalProperties"] {
            schema.remove(name);
        }
    }
    schema
}

/// The part of a call's budget that an operation with a budget of its own gets: notes and closing line need the rest.
fn operation_budget(max_tokens: usize) -> usize {
    max_tokens.saturating_sub(100) * 4 / 5 + 20
}

fn token_budget(requested: Option<u64>, notes: &mut Vec<String>) -> usize {
    let Some(requested) = requested else { return DEFAULT_TOKENS };
    let requested = usize::try_from(requested).unwrap_or(usize::MAX);
    let budget = requested.clamp(MIN_TOKENS, MAX_TOKENS);
    if budget != requested {
        notes.push(format!("`max_tokens` must be between {MIN_TOKENS} and {MAX_TOKENS}; using {budget}"));
    }
    budget
}

/// The arguments of a member of a group.
fn member_arguments(
    group: &Group,
    member: &Member,
    operation: &Operation,
    mut sent: Map<String, Value>,
    max_tokens: usize,
    notes: &mut Vec<String>,
) -> Result<Map<String, Value>, ToolError> {
    for param in group.params.iter().filter(|param| param.required && Some(param.name) != group.selector) {
        if !sent.contains_key(param.name) {
            let message = format!("`{}` needs `{}`", group.name, param.name);
            return Err(
                ToolError::new(Code::BadArgument, message).hint(format!("for example {}", group.example))
            );
        }
    }
    let schema = operation.input_schema();
    let mut arguments = Map::new();
    for (argument, fixed) in member.fixed {
        let value = match fixed {
            FixedValue::Flag(flag) => json!(flag),
            FixedValue::Number(number) => json!(number),
        };
        arguments.insert((*argument).to_owned(), value);
    }
    for (param, argument) in member.arguments {
        let value = if *param == "max_tokens" {
            Some(json!(operation_budget(max_tokens)))
        } else {
            sent.remove(*param)
        };
        let Some(value) = value else { continue };
        let is_list = schema["properties"][argument]["type"] == "array";
        let value = if is_list && !value.is_array() { json!([value]) } else { value };
        arguments.insert((*argument).to_owned(), value);
    }
    for name in sent.keys() {
        notes.push(format!("`{name}` does not apply to {} and was ignored", member.choice));
    }
    Ok(arguments)
}

/// The member of a group that the selector names; its value is taken out of `sent`.
fn choose_member(
    group: &'static Group,
    sent: &mut Map<String, Value>,
    notes: &mut Vec<String>,
) -> Result<(&'static Member, &'static Operation), ToolError> {
    let selector = group.selector.unwrap_or_default();
    let value = sent.remove(selector);
    let choices: Vec<&str> = group.available().map(|(member, _)| member.choice).collect();
    let is_required = group.params.iter().any(|param| param.required && param.name == selector);
    let Some(choice) = value.as_ref().and_then(Value::as_str) else {
        let first = group.available().next().filter(|_| !is_required);
        return first.ok_or_else(|| {
            ToolError::new(Code::BadArgument, format!("`{}` needs `{selector}`", group.name))
                .hint(format!("one of: {}", choices.join(", ")))
        });
    };
    if let Some(found) = group.available().find(|(member, _)| member.choice == choice) {
        return Ok(found);
    }
    let normalised = choice.to_ascii_lowercase().replace([' ', '-'], "_");
    let matches =
        |member: &Member| member.choice == normalised || member.aliases.contains(&normalised.as_str());
    if let Some(found) = group.available().find(|(member, _)| matches(member)) {
        notes.push(format!("`{selector}`: \"{choice}\" was read as \"{}\"", found.0.choice));
        return Ok(found);
    }
    let near = orient_model::nearest(choice, choices.iter().copied());
    let hint = near.map_or_else(
        || format!("one of: {}", choices.join(", ")),
        |near| format!("did you mean \"{near}\"?"),
    );
    Err(ToolError::new(Code::BadArgument, format!("`{selector}` cannot be \"{choice}\"")).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(sent: Value) -> ToolCall {
        let tools = agent_tools(None).expect("the groups");
        let graph = tools.iter().find(|tool| tool.name == "graph").expect("it is there");
        graph.parse(sent).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_selector_chooses_the_operation_and_parameters_become_its_arguments() {
        let call = call(json!({ "relation": "who calls", "symbol": "run", "depth": 2 }));
        assert_eq!(call.operation(), "callers");
        assert_eq!(call.arguments["symbol"], "run");
        assert_eq!(call.arguments["depth"], 2);
        assert_eq!(call.notes, ["`relation`: \"who calls\" was read as \"callers\""]);
    }

    #[test]
    fn an_argument_that_does_not_apply_is_ignored_with_a_note() {
        let call = call(json!({ "relation": "references", "symbol": "run", "depth": 2 }));
        assert_eq!(call.notes, ["`depth` does not apply to references and was ignored"]);
    }

    #[test]
    fn a_single_value_becomes_a_list_where_a_list_is_needed() {
        assert_eq!(
            call(json!({ "relation": "impact", "symbol": "run" })).arguments["changed"],
            json!(["run"])
        );
    }

    #[test]
    fn notes_name_only_arguments_that_the_tool_takes() {
        let call = call(json!({ "relation": "impact", "symbol": "run" }));
        let spell = |argument| call.spell(&Note::from("9 more").see(argument));
        assert_eq!(spell("depth"), "9 more (see depth)");
        assert_eq!(spell("changed"), "9 more (see symbol)", "the tool has another name for it");
        assert_eq!(spell("limit"), "9 more");
        assert_eq!(call.spell(&Note::from("3 of 9 listed")), "3 of 9 listed");
    }

    #[test]
    fn the_token_budget_is_clamped() {
        assert_eq!(call(json!({ "relation": "callers", "symbol": "x" })).max_tokens, DEFAULT_TOKENS);
        let large = call(json!({ "relation": "callers", "symbol": "x", "max_tokens": "99999" }));
        assert_eq!((large.max_tokens, large.notes.len()), (MAX_TOKENS, 2));
    }

    #[test]
    fn an_unknown_tool_is_answered_with_a_suggestion() {
        let error = agent_tools(Some("serch")).err().expect("there is none");
        assert_eq!(error.help(), "did you mean `search`?");
        assert_eq!(suggest_tool(&agent_tools(None).expect("groups"), "callers").as_deref(), Some("graph"));
    }
}
