//! The tools that programs may call, and the translation of a call to one operation with its arguments.
//!
//! By default the tools are groups of operations; with `--tools` they can be single operations. The call
//! `graph {"relation": "who calls", "symbol": "run"}` becomes the operation `callers` with `{"symbol": "run", …}`, and a note
//! says that "who calls" was read as "callers".

use crate::agent::command_hints::for_programs;
use crate::agent::tool_groups::{FixedValue, GROUPS, Group, Member};
use crate::answer::Note;
use crate::arguments::argument_aliases::ALIASES;
use crate::arguments::correction::{
    CorrectedArguments, KnownArguments, aliases_of, argument_object, correct_arguments, snake,
};
use crate::error::{Code, ToolError};
use crate::operation::{Operation, REVISION, ReplyResult};
use crate::operations::OPERATIONS;
use crate::session::Session;
use crate::workspace::RootFilter;
use orient_engine::RefreshDepth;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Default token budget of an answer.
pub const DEFAULT_TOKENS: usize = 2_000;
/// Maximum token budget.
pub const MAX_TOKENS: usize = 16_000;
/// Minimum token budget; the closing line needs this much.
const MIN_TOKENS: usize = 150;
/// Tokens of an answer that notes, fences and the closing line need.
const OWN_TOKENS: usize = 130;

/// A tool that a program may call.
pub struct AgentTool {
    /// Its name.
    pub name: &'static str,
    /// When to use it and what it returns.
    pub about: String,
    /// The schema of its arguments.
    pub input: Value,
    /// Whether answers contain the data as structured content, beside the text.
    pub returns_data: bool,
    kind: ToolKind,
}

enum ToolKind {
    Group(&'static Group),
    Operation(&'static Operation),
}

/// The tools of a selection: all groups by default, every operation for `all` (and the groups of those that are not worth a tool
/// of their own), or a list of names.
pub fn agent_tools(selection: Option<&str>) -> Result<Vec<AgentTool>, ToolError> {
    let groups =
        || GROUPS.iter().filter(|group| group.available().next().is_some()).map(AgentTool::from_group);
    let operations =
        || OPERATIONS.iter().filter(|operation| operation.exposed).map(AgentTool::from_operation);
    let Some(selection) = selection else { return Ok(groups().collect()) };
    if selection.trim() == "all" {
        let own = OPERATIONS.iter().filter(|operation| operation.exposed && !operation.grouped_only);
        let needed =
            GROUPS.iter().filter(|group| group.available().any(|(_, operation)| operation.grouped_only));
        return Ok(own.map(AgentTool::from_operation).chain(needed.map(AgentTool::from_group)).collect());
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

/// The command to suggest to a person who typed an unknown one: the operation that agents know under this name, or a similar name.
pub fn suggest_command<'k>(typed: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let known: Vec<&str> = known.into_iter().collect();
    let folded = typed.to_lowercase().replace('-', "_");
    let is_tool = |group: &&Group| group.name == folded;
    let means = |member: &&Member| member.choice == folded || member.aliases.contains(&folded.as_str());
    let group = GROUPS.iter().find(is_tool).and_then(|group| group.members.first());
    let member = group.or_else(|| GROUPS.iter().flat_map(|group| group.members).find(means));
    let operation = member.and_then(|member| known.iter().find(|name| **name == member.operation));
    operation.copied().or_else(|| orient_model::nearest(typed, known))
}

/// A call of one operation, ready to run.
pub struct ToolCall {
    operation: &'static Operation,
    pub(crate) arguments: Value,
    /// The cursor of the previous answer, if the call continues it.
    pub cursor: Option<String>,
    /// Token budget of the answer.
    pub max_tokens: usize,
    /// Whether to send what was sent before in full. A program that says no knows what its model still has: several agents may
    /// share a connection, and a context may have been compacted.
    pub again: bool,
    /// Corrections made to the arguments.
    pub notes: Vec<String>,
    /// A hash of the operation and its arguments.
    pub key: u64,
    /// The keys of the tool, each with the argument of the operation it sets.
    keys: Vec<(String, String)>,
    /// Whether the tools are single operations.
    is_alone: bool,
}

impl AgentTool {
    fn from_group(group: &'static Group) -> Self {
        let mut input = with_common_arguments(group.input_schema());
        if group.available().any(|(_, operation)| operation.any_revision) {
            input["properties"][REVISION] = json!({ "type": "string", "description": "git revision" });
        }
        Self {
            name: group.name,
            about: format!("{} Example: {}", group.about, group.example),
            input,
            returns_data: false,
            kind: ToolKind::Group(group),
        }
    }

    fn from_operation(operation: &'static Operation) -> Self {
        let mut about = format!("{}.", operation.about);
        if !operation.details.is_empty() {
            about = format!("{about} {}", operation.details);
        }
        let mut input = operation.program_arguments();
        if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
            properties.remove("after");
        }
        Self {
            name: operation.name,
            about,
            input: with_common_arguments(input),
            returns_data: true,
            kind: ToolKind::Operation(operation),
        }
    }

    /// Parses the arguments of a call. A tool takes every argument of the operation it runs, listed in its schema or not.
    pub fn parse(&self, sent: Value) -> Result<ToolCall, ToolError> {
        let mut notes = Vec::new();
        let listed = |name: &str| self.input["properties"].get(name).is_some();
        let mut sent = argument_object(sent, listed, &mut notes)?;
        let chosen = match self.kind {
            ToolKind::Operation(operation) => ChosenOperation::alone(operation),
            ToolKind::Group(group) => choose_member(group, &mut sent, &mut notes)?,
        };
        let properties = chosen.properties();
        let known = KnownArguments {
            owner: if chosen.choice.is_empty() { self.name } else { chosen.choice },
            properties: &properties,
            other_names: chosen.other_names(&properties),
            elsewhere: match self.kind {
                ToolKind::Group(group) => arguments_of_group(group),
                ToolKind::Operation(_) => BTreeSet::new(),
            },
        };
        let CorrectedArguments { mut arguments, notes: corrections } = correct_arguments(&known, sent)?;
        notes.extend(corrections);
        let cursor = arguments.remove("cursor").and_then(|value| value.as_str().map(str::to_owned));
        let again = arguments.remove("again").is_none_or(|value| value != json!(false));
        let budget = arguments.remove("max_tokens").map(|value| value.as_u64().unwrap_or(0));
        let max_tokens = token_budget(budget, &mut notes);
        let arguments = chosen.arguments(arguments, max_tokens).map_err(|missing| self.missing(&missing))?;
        let keys = properties.keys().map(|key| (key.clone(), chosen.argument_of(key).to_owned())).collect();
        let arguments = Value::Object(arguments);
        let operation = chosen.operation;
        let mut hasher = DefaultHasher::new();
        (operation.name, arguments.to_string()).hash(&mut hasher);
        let is_alone = matches!(self.kind, ToolKind::Operation(_));
        let key = hasher.finish();
        Ok(ToolCall { operation, arguments, cursor, max_tokens, again, notes, key, keys, is_alone })
    }

    /// The error of a call without a required argument.
    fn missing(&self, key: &str) -> ToolError {
        let error = ToolError::new(Code::BadArgument, format!("`{}` needs `{key}`", self.name));
        match self.kind {
            ToolKind::Group(group) => error.hint(format!("for example {}", group.example)),
            ToolKind::Operation(operation) => match operation.examples.first() {
                Some(example) => {
                    error.hint(format!("as the command line has it: orient {}", example.command))
                }
                None => error,
            },
        }
    }
}

/// The operation of a call, and how the keys of the tool set its arguments.
struct ChosenOperation {
    operation: &'static Operation,
    /// The value of the selector; empty without one.
    choice: &'static str,
    /// Pairs of a key of the tool and the argument it sets; all other arguments are keys themselves.
    renamed: &'static [(&'static str, &'static str)],
    fixed: &'static [(&'static str, FixedValue)],
    /// The compact schema of the operation's arguments.
    schema: Value,
}

impl ChosenOperation {
    fn alone(operation: &'static Operation) -> Self {
        Self { operation, choice: "", renamed: &[], fixed: &[], schema: operation.program_arguments() }
    }

    fn member(member: &'static Member, operation: &'static Operation) -> Self {
        let schema = operation.program_arguments();
        Self { operation, choice: member.choice, renamed: member.arguments, fixed: member.fixed, schema }
    }

    /// The argument that a key of the tool sets.
    fn argument_of<'k>(&self, key: &'k str) -> &'k str {
        self.renamed.iter().find(|(name, _)| *name == key).map_or(key, |(_, argument)| argument)
    }

    /// The schema of each key that the tool takes for this operation.
    fn properties(&self) -> Map<String, Value> {
        let mut properties = Map::new();
        let own = self.schema["properties"].as_object().into_iter().flatten();
        for (argument, schema) in own.filter(|(argument, _)| *argument != "after") {
            let keys: Vec<&str> =
                self.renamed.iter().filter(|(_, one)| one == argument).map(|(key, _)| *key).collect();
            let is_shadowed = self.renamed.iter().any(|(key, one)| key == argument && one != argument);
            for key in &keys {
                let mut schema = schema.clone();
                if *key == "symbol" && schema["type"] == "array" {
                    // A name may contain commas, as `run(int, int)` does.
                    schema = json!({});
                }
                properties.insert((*key).to_owned(), schema);
            }
            if keys.is_empty() && !is_shadowed {
                properties.insert(argument.clone(), schema.clone());
            }
        }
        properties.insert("max_tokens".to_owned(), json!({ "type": "integer" }));
        properties.insert("cursor".to_owned(), json!({ "type": "string" }));
        properties.insert("again".to_owned(), json!({ "type": "boolean" }));
        properties
    }

    /// Further names of the keys: what the operation calls them, and its flags.
    fn other_names(&self, properties: &Map<String, Value>) -> Vec<(String, String)> {
        let key_of = |argument: &str| {
            let renamed = self.renamed.iter().find(|(_, one)| *one == argument);
            renamed.map_or(argument, |(key, _)| key).to_owned()
        };
        let flags = self.operation.flags().into_iter().map(|(flag, argument)| (flag, key_of(&argument)));
        let own = self.renamed.iter().map(|(key, argument)| ((*argument).to_owned(), (*key).to_owned()));
        own.chain(flags).filter(|(name, key)| name != key && properties.contains_key(key)).collect()
    }

    /// The arguments of the operation; the error is the key of a required one that is missing.
    fn arguments(&self, sent: Map<String, Value>, max_tokens: usize) -> Result<Map<String, Value>, String> {
        let mut arguments = Map::new();
        for (argument, fixed) in self.fixed {
            let value = match fixed {
                FixedValue::Flag(flag) => json!(flag),
                FixedValue::Number(number) => json!(number),
            };
            arguments.insert((*argument).to_owned(), value);
        }
        for (key, value) in sent {
            let argument = self.argument_of(&key);
            let is_list = self.schema["properties"][argument]["type"] == "array";
            let value = if is_list && !value.is_array() { json!([value]) } else { value };
            arguments.insert(argument.to_owned(), value);
        }
        let budget = self.argument_of("max_tokens");
        if self.schema["properties"].get(budget).is_some() {
            arguments.insert(budget.to_owned(), json!(operation_budget(max_tokens)));
        }
        let required = self.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for argument in required {
            if !arguments.contains_key(argument) {
                let key =
                    self.renamed.iter().find(|(_, one)| *one == argument).map_or(argument, |(key, _)| key);
                return Err(key.to_owned());
            }
        }
        Ok(arguments)
    }
}

/// Every argument that a group takes for any of its operations.
fn arguments_of_group(group: &'static Group) -> BTreeSet<String> {
    let of_members = group.available().flat_map(|(member, operation)| {
        ChosenOperation::member(member, operation).properties().into_iter().map(|(key, _)| key)
    });
    of_members.chain(group.params.iter().map(|param| param.name.to_owned())).collect()
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
        for_programs(&note.with_key(key_of), self.is_alone)
    }

    /// An error of the operation, with its commands as calls of tools.
    pub fn spell_error(&self, error: &ToolError) -> ToolError {
        let message = for_programs(error.message(), self.is_alone);
        let hint = for_programs(error.help(), self.is_alone);
        ToolError::new(error.code(), message).hint(hint)
    }

    /// A line of the answer that is not from the repository, with its commands as calls of tools.
    pub fn spell_line(&self, line: &str) -> String {
        for_programs(line, self.is_alone)
    }

    /// The name of the operation.
    pub fn operation(&self) -> &'static str {
        self.operation.name
    }

    /// The operation.
    pub fn table_entry(&self) -> &'static Operation {
        self.operation
    }

    /// What a root must contain to contribute to the answer.
    pub fn root_filter(&self) -> RootFilter {
        self.operation.root_filter(&self.arguments)
    }

    /// What the call is about: its first argument that names something.
    pub fn subject(&self) -> String {
        const SUBJECTS: &[&str] = &[
            "symbol", "changed", "name", "query", "task", "path", "target", "pattern", "from", "text", "glob",
        ];
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Array(list) => list.first()?.as_str().map(str::to_owned),
            _ => None,
        };
        SUBJECTS.iter().find_map(|key| text(self.arguments.get(key)?)).unwrap_or_default()
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
    schema["properties"]["again"] = json!({ "type": "boolean" });
    schema
}

/// The part of a call's budget that an operation with a budget of its own gets: notes and closing line need the rest.
fn operation_budget(max_tokens: usize) -> usize {
    max_tokens.saturating_sub(OWN_TOKENS).max(max_tokens / 3)
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

/// The operation of a group that the selector names, or that the other arguments imply; the selector is taken out of `sent`.
fn choose_member(
    group: &'static Group,
    sent: &mut Map<String, Value>,
    notes: &mut Vec<String>,
) -> Result<ChosenOperation, ToolError> {
    let selected = match group.selector {
        None => None,
        Some(selector) => take_selector(group, selector, sent, notes)?,
    };
    if let Some((member, operation)) = selected {
        return Ok(ChosenOperation::member(member, operation));
    }
    let is_sent = |name: &str| {
        let means = |key: &String| snake(key) == name || aliased(&snake(key)) == Some(name);
        sent.keys().any(means)
    };
    let implied = group.available().find(|(member, _)| member.implied_by.iter().any(|name| is_sent(name)));
    let mut all = group.available().map(|(member, operation)| ChosenOperation::member(member, operation));
    let first = all.next();
    let Some((member, operation)) = implied else {
        let Some(first) = first else {
            return Err(ToolError::new(Code::Internal, format!("`{}` has no operation", group.name)));
        };
        let chosen = if group.selector.is_some() { first } else { best_for(first, all, sent) };
        if let Some(selector) = group.selector.filter(|_| group.is_required(group.selector)) {
            notes.push(format!("no `{selector}` was sent: {}", chosen.choice));
        }
        return Ok(chosen);
    };
    Ok(ChosenOperation::member(member, operation))
}

/// Without a selector: the first operation, unless an argument is one that only another operation takes.
fn best_for(
    first: ChosenOperation,
    others: impl Iterator<Item = ChosenOperation>,
    sent: &Map<String, Value>,
) -> ChosenOperation {
    let takes = |chosen: &ChosenOperation, name: &str| chosen.properties().contains_key(name);
    let foreign: Vec<String> =
        sent.keys().map(|name| snake(name)).filter(|name| !takes(&first, name)).collect();
    let mut others = others;
    let better = others.find(|other| {
        foreign.iter().any(|name| {
            takes(other, name)
                || aliased(name).is_some_and(|target| takes(other, target) && !takes(&first, target))
        })
    });
    better.unwrap_or(first)
}

/// The preferred argument of an alias.
fn aliased(name: &str) -> Option<&'static str> {
    ALIASES.iter().find(|row| row.names.contains(&name)).and_then(|row| row.targets.first().copied())
}

type Selected = Option<(&'static Member, &'static Operation)>;

/// Takes the selector out of the arguments: under its own name, or under another name if the value is one of its choices. A
/// direction beside it decides between two opposite choices.
fn take_selector(
    group: &'static Group,
    selector: &str,
    sent: &mut Map<String, Value>,
    notes: &mut Vec<String>,
) -> Result<Selected, ToolError> {
    let names = |name: &String| name == selector || snake(name) == selector;
    let key = sent.keys().find(|name| names(name)).cloned().or_else(|| {
        let named = |name: &String| {
            aliases_of(selector).any(|alias| alias == snake(name))
                || ["kind", "type"].contains(&snake(name).as_str())
        };
        let chooses = |value: &Value| value.as_str().is_some_and(|word| group.choice(word).is_some());
        sent.iter().find(|(name, value)| named(name) && chooses(value)).map(|(name, _)| name.clone())
    });
    let Some(key) = key else { return Ok(None) };
    let value = sent.remove(&key).unwrap_or_default();
    if value.is_null() {
        return Ok(None);
    }
    let word = match &value {
        Value::String(word) => word.clone(),
        Value::Array(words) if let [Value::String(word)] = &words[..] => word.clone(),
        other => other.to_string(),
    };
    let Some((member, operation)) = group.choice(&word) else {
        let choices: Vec<&str> = group.available().map(|(member, _)| member.choice).collect();
        let near = orient_model::nearest(&word, choices.iter().copied());
        let hint = near.map_or_else(
            || format!("one of: {}", choices.join(", ")),
            |near| format!("did you mean \"{near}\"?"),
        );
        return Err(
            ToolError::new(Code::BadArgument, format!("`{selector}` cannot be \"{word}\"")).hint(hint)
        );
    };
    let (member, operation) = directed(group, member, &word, sent)?.unwrap_or((member, operation));
    if member.choice != word || key != selector {
        notes.push(format!("`{key}`: \"{word}\" was read as \"{}\"", member.choice));
    }
    Ok(Some((member, operation)))
}

/// The choice that a direction selects: `calls` with the direction `incoming` are the callers.
fn directed(
    group: &'static Group,
    member: &'static Member,
    word: &str,
    sent: &mut Map<String, Value>,
) -> Result<Selected, ToolError> {
    let Some(opposite) = member.opposite else { return Ok(None) };
    let Some(Value::String(direction)) = sent.get("direction").cloned() else { return Ok(None) };
    let Some((directed, operation)) = group.direction(&direction, [member.choice, opposite]) else {
        return Ok(None);
    };
    if word == member.choice && directed.choice != member.choice {
        let message = format!("\"{word}\" and the direction \"{direction}\" contradict each other");
        let hint = format!("\"{word}\" or \"{}\", without a direction", directed.choice);
        return Err(ToolError::new(Code::BadArgument, message).hint(hint));
    }
    sent.remove("direction");
    Ok(Some((directed, operation)))
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
        assert_eq!(spell("limit"), "9 more (see limit)", "it takes every argument of the operation");
        assert_eq!(spell("per_level"), "9 more");
        assert_eq!(call.spell(&Note::from("3 of 9 listed")), "3 of 9 listed");
    }

    /// The operation and the arguments of a call of a tool.
    fn parsed(tool: &str, sent: Value) -> Result<(&'static str, Value, Vec<String>), String> {
        let tools = agent_tools(None).expect("the groups");
        let tool = tools.iter().find(|one| one.name == tool).expect("it is there");
        tool.parse(sent)
            .map(|call| (call.operation(), call.arguments, call.notes))
            .map_err(|error| format!("{}; {}", error.message(), error.help()))
    }

    #[test]
    fn a_tool_takes_every_argument_of_its_operations() {
        for group in GROUPS {
            let tool = AgentTool::from_group(group);
            for (member, operation) in group.available() {
                let chosen = ChosenOperation::member(member, operation);
                for (key, schema) in chosen.properties().into_iter().filter(|(key, _)| key != "cursor") {
                    let value = match schema["type"].as_str() {
                        Some("integer") => json!(3),
                        Some("number") => json!(0.5),
                        Some("boolean") => json!(true),
                        Some("array") => json!(["x"]),
                        _ => json!("x"),
                    };
                    let mut sent = serde_json::from_str::<Value>(group.example).expect("an example");
                    if let Some(selector) = group.selector {
                        sent[selector] = json!(member.choice);
                    }
                    sent[&key] = value;
                    let call =
                        tool.parse(sent).unwrap_or_else(|error| panic!("{} {key}: {error}", group.name));
                    if group.selector.is_some() {
                        assert_eq!(call.operation(), operation.name, "{key}");
                    }
                }
            }
        }
    }

    #[test]
    fn names_that_other_tools_use_are_understood() {
        let (operation, arguments, _) = parsed(
            "grep",
            json!({ "query": "a{1,2}", "-i": true, "-A": 2, "type": "py", "path": "src", "output_mode": "files_with_matches",
                "exclude_pattern": "*.min.js", "include_pattern": "*.{js,ts}" }),
        )
        .expect("understood");
        assert_eq!(operation, "grep");
        assert_eq!(arguments["pattern"], "a{1,2}");
        assert_eq!(arguments["glob"], json!(["!*.min.js", "*.{js,ts}"]));
        assert_eq!((&arguments["paths"], &arguments["type"]), (&json!(["src"]), &json!(["py"])));
        assert_eq!((&arguments["after_context"], &arguments["ignore_case"]), (&json!(2), &json!(true)));
        assert_eq!(arguments["files_with_matches"], true);
        let (_, arguments, _) = parsed("grep", json!({ "pattern": ["one", "two"] })).expect("a list");
        assert_eq!(arguments["regexp"], json!(["one", "two"]));
        let (_, arguments, _) =
            parsed("read", json!({ "file_path": "a.py", "offset": 10, "limit": 5 })).expect("a range");
        assert_eq!((&arguments["symbol"], &arguments["lines"]), (&json!("a.py"), &json!("10-14")));
        let (operation, arguments, _) =
            parsed("search", json!({ "query": "Handler", "base_class": "Base", "language": "python" }))
                .expect("a filter");
        assert_eq!((operation, &arguments["base"]), ("symbols", &json!("Base")));
    }

    #[test]
    fn a_direction_selects_the_relation() {
        let operation = |sent: Value| parsed("graph", sent).map(|(operation, ..)| operation);
        assert_eq!(operation(json!({ "symbol": "run", "direction": "incoming" })), Ok("callers"));
        assert_eq!(
            operation(json!({ "symbol": "run", "relation": "calls", "direction": "inbound" })),
            Ok("callers")
        );
        assert_eq!(operation(json!({ "symbol": "run", "relation": "calls" })), Ok("callees"));
        assert!(operation(json!({ "symbol": "run", "relation": "callers", "direction": "out" })).is_err());
        assert_eq!(operation(json!({ "diff": "HEAD~1" })), Ok("impact"));
        assert_eq!(operation(json!({ "symbol": "a", "to": "b" })), Ok("trace"));
    }

    #[test]
    fn a_symbol_and_its_file_are_a_handle() {
        let (_, arguments, _) = parsed(
            "graph",
            json!({ "relation": "references", "name_path": "run", "relative_path": "src/a.py" }),
        )
        .expect("both");
        assert_eq!(arguments["symbol"], "src/a.py#run");
    }

    #[test]
    fn an_unknown_argument_is_ignored_only_if_it_changes_nothing() {
        let (.., notes) = parsed("search", json!({ "query": "x", "explanation": "why", "repo": "mine" }))
            .expect("harmless");
        assert_eq!(notes.len(), 2, "{notes:?}");
        let error = parsed("search", json!({ "query": "x", "limti": 3 })).expect_err("a typo");
        assert!(error.contains("did you mean `limit`"), "{error}");
        assert!(parsed("search", json!({ "query": "x", "colour": "red" })).is_err());
    }

    #[test]
    fn the_token_budget_is_clamped() {
        assert_eq!(call(json!({ "relation": "callers", "symbol": "x" })).max_tokens, DEFAULT_TOKENS);
        let large = call(json!({ "relation": "callers", "symbol": "x", "max_tokens": "99999" }));
        assert_eq!((large.max_tokens, large.notes.len()), (MAX_TOKENS, 2));
    }

    #[test]
    fn an_unknown_command_is_answered_with_the_one_that_was_meant() {
        let known = || OPERATIONS.iter().map(|operation| operation.name);
        assert_eq!(suggest_command("overview", known()), Some("map"));
        assert_eq!(suggest_command("serach", known()), Some("search"));
        assert_eq!(suggest_command("usages", known()), Some("references"));
        assert_eq!(suggest_command("blast-radius", known()), Some("impact"));
        assert_eq!(suggest_command("frobnicate", known()), None);
    }

    #[test]
    fn an_unknown_tool_is_answered_with_a_suggestion() {
        let error = agent_tools(Some("serch")).err().expect("there is none");
        assert_eq!(error.help(), "did you mean `search`?");
        assert_eq!(suggest_tool(&agent_tools(None).expect("groups"), "callers").as_deref(), Some("graph"));
    }
}
