//! What a program may ask: groups of operations for models, or operations one by one, each with its schemas; and how
//! what it sends becomes a question to one operation.

use crate::agent::tool_groups::{FixedValue, GROUPS, Group, Member};
use crate::arguments::correction::{CorrectedArguments, correct_arguments};
use crate::error::{Code, ToolError};
use crate::operation::{Operation, ReplyResult};
use crate::operations::OPERATIONS;
use crate::session::Session;
use orient_engine::RefreshDepth;
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Tokens an answer may take unless another number is asked for.
pub const DEFAULT_TOKENS: usize = 2_000;
/// The most that can be asked for.
pub const MAX_TOKENS: usize = 16_000;
/// The least that makes sense: less would not hold the closing line.
const MIN_TOKENS: usize = 150;

/// Something a program may ask.
pub struct AgentTool {
    /// Its name.
    pub name: &'static str,
    /// When to use it and what it gives.
    pub about: String,
    /// The schema of what it takes.
    pub input: Value,
    /// The schema of the data it gives; none where it gives text alone.
    pub data: Option<Value>,
    kind: ToolKind,
}

enum ToolKind {
    Group(&'static Group),
    Operation(&'static Operation),
}

/// What to offer: the groups, all operations one by one, or some of either by name.
pub fn agent_tools(selection: Option<&str>) -> Result<Vec<AgentTool>, ToolError> {
    let groups = || GROUPS.iter().filter(|group| group.present().next().is_some()).map(AgentTool::from_group);
    let operations = || OPERATIONS.iter().filter(|operation| operation.asks).map(AgentTool::from_operation);
    let Some(selection) = selection else { return Ok(groups().collect()) };
    if selection.trim() == "all" {
        return Ok(operations().collect());
    }
    let mut chosen: Vec<AgentTool> = Vec::new();
    for name in selection.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let Some(found) = groups().chain(operations()).find(|tool| tool.name == name) else {
            let known: Vec<&str> = groups().chain(operations()).map(|tool| tool.name).collect();
            let hint = orient_model::nearest(name, known.iter().copied()).map_or_else(
                || format!("there are: all, {}", known.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(ToolError::new(Code::BadArgument, format!("there is no tool `{name}`")).hint(hint));
        };
        if chosen.iter().all(|tool| tool.name != found.name) {
            chosen.push(found);
        }
    }
    if chosen.is_empty() {
        return Err(ToolError::new(Code::BadArgument, "no tool is named")
            .hint("such as --tools search,graph or --tools all"));
    }
    Ok(chosen)
}

/// What the operations one knows by another name are offered as: for a caller that names an operation of a group.
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

/// A question to one operation, ready to be asked.
pub struct ToolCall {
    operation: &'static Operation,
    arguments: Value,
    /// Where an answer before ended, if it is to go on there.
    pub cursor: Option<String>,
    /// How many tokens the answer may take.
    pub max_tokens: usize,
    /// Whether what was sent before is to be sent again.
    pub again: bool,
    /// What was understood as something else.
    pub notes: Vec<String>,
    /// Stands for the question, however it was written.
    pub key: u64,
    /// What could have been given.
    known: Vec<String>,
}

impl AgentTool {
    fn from_group(group: &'static Group) -> Self {
        let input = with_common_arguments(group.input_schema());
        Self {
            name: group.name,
            about: group.about.to_owned(),
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
            properties.retain(|name, _| !operation.local.contains(&name.as_str()));
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

    /// Whether answers carry the data itself beside the text.
    pub fn gives_data(&self) -> bool {
        self.data.is_some()
    }

    /// Reads what was sent.
    pub fn parse(&self, sent: Value) -> Result<ToolCall, ToolError> {
        let mut schema = self.input.clone();
        schema["properties"]["again"] = json!({ "type": "boolean" });
        let CorrectedArguments { mut arguments, mut notes } = correct_arguments(self.name, &schema, sent)?;
        let cursor = take(&mut arguments, "cursor").and_then(|value| value.as_str().map(str::to_owned));
        let again = take(&mut arguments, "again").is_some_and(|value| value == json!(true));
        let asked = take(&mut arguments, "max_tokens").map(|value| value.as_u64().unwrap_or(0));
        let max_tokens = budget(asked, &mut notes);
        let (operation, arguments) = match self.kind {
            ToolKind::Operation(operation) => {
                if operation.input_schema()["properties"]["max_tokens"].is_object() {
                    arguments.insert("max_tokens".to_owned(), json!(operation_budget(max_tokens)));
                }
                (operation, arguments)
            }
            ToolKind::Group(group) => grouped_operation(group, arguments, max_tokens, &mut notes)?,
        };
        let arguments = Value::Object(arguments);
        let mut hasher = DefaultHasher::new();
        (operation.name, arguments.to_string()).hash(&mut hasher);
        let known =
            schema["properties"].as_object().map_or_else(Vec::new, |known| known.keys().cloned().collect());
        Ok(ToolCall { operation, arguments, cursor, max_tokens, again, notes, key: hasher.finish(), known })
    }
}

/// Which questions wait behind which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueClass {
    /// Whether the answer takes long.
    pub heavy: bool,
    /// Whether it needs to be known what uses mean.
    pub deep: bool,
}

impl ToolCall {
    /// Where it waits for its turn: questions that take long, and those that wait for more than what is in the files,
    /// must not keep others waiting.
    pub fn queue_class(&self) -> QueueClass {
        QueueClass { heavy: self.operation.heavy, deep: self.operation.depth == RefreshDepth::Graph }
    }

    /// A remark of the operation, which may name flags of the command line, for whoever asked this: arguments that could
    /// have been given are named, what says no more than another flag is left out.
    pub fn in_its_words(&self, remark: &str) -> String {
        let mut said: Vec<String> = Vec::new();
        for clause in remark.split("; ") {
            let flags = flag_starts(clause).map(|start| {
                let rest = &clause[start + 2..];
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
                rest[..end].replace('-', "_")
            });
            let flags: Vec<String> = flags.filter(|flag| !flag.is_empty()).collect();
            if flags.iter().all(|flag| self.known.contains(flag)) {
                let mut plain = clause.to_owned();
                let starts: Vec<usize> = flag_starts(clause).collect();
                starts.iter().rev().for_each(|&start| plain.replace_range(start..start + 2, ""));
                said.push(plain);
            } else if let Some((before, _)) = clause.split_once(": --").or_else(|| clause.split_once(" (--"))
            {
                said.push(before.to_owned());
            }
        }
        said.join("; ")
    }

    /// The operation that answers.
    pub fn operation(&self) -> &'static str {
        self.operation.name
    }

    /// Asks; `after` is where a list goes on.
    pub fn run(&self, session: &Session<'_>, after: Option<&str>) -> ReplyResult {
        let mut arguments = self.arguments.clone();
        if let (Some(after), Some(arguments)) = (after, arguments.as_object_mut()) {
            arguments.insert("after".to_owned(), json!(after));
        }
        self.operation.call(session, arguments)
    }
}

fn take(arguments: &mut Map<String, Value>, name: &str) -> Option<Value> {
    arguments.remove(name)
}

/// The schema with what every offer takes.
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

/// What an operation that has a budget of its own gets of it: what surrounds its text has to fit as well.
fn operation_budget(max_tokens: usize) -> usize {
    max_tokens.saturating_sub(100) * 4 / 5 + 20
}

fn budget(asked: Option<u64>, notes: &mut Vec<String>) -> usize {
    let Some(asked) = asked else { return DEFAULT_TOKENS };
    let asked = usize::try_from(asked).unwrap_or(usize::MAX);
    let within = asked.clamp(MIN_TOKENS, MAX_TOKENS);
    if within != asked {
        notes.push(format!("`max_tokens` is from {MIN_TOKENS} to {MAX_TOKENS}: {within} was taken"));
    }
    within
}

/// The operation of a group that is meant, with its own arguments.
fn grouped_operation(
    group: &'static Group,
    mut sent: Map<String, Value>,
    max_tokens: usize,
    notes: &mut Vec<String>,
) -> Result<(&'static Operation, Map<String, Value>), ToolError> {
    let word = group.selector.and_then(|selector| take(&mut sent, selector));
    let (member, operation) = choose_member(group, word.as_ref().and_then(Value::as_str), notes)?;
    for param in group.params.iter().filter(|param| param.required && Some(param.name) != group.selector) {
        if !sent.contains_key(param.name) {
            let message = format!("`{}` needs `{}`", group.name, param.name);
            return Err(ToolError::new(Code::BadArgument, message).hint(example(group)));
        }
    }
    let schema = operation.input_schema();
    let mut arguments = Map::new();
    for (argument, given) in member.fixed {
        let value = match given {
            FixedValue::Flag(flag) => json!(flag),
            FixedValue::Number(number) => json!(number),
        };
        arguments.insert((*argument).to_owned(), value);
    }
    for (param, argument) in member.arguments {
        let value = if *param == "max_tokens" {
            Some(json!(operation_budget(max_tokens)))
        } else {
            take(&mut sent, param)
        };
        let Some(value) = value else { continue };
        let lists = schema["properties"][argument]["type"] == "array";
        let value = if lists && !value.is_array() { json!([value]) } else { value };
        arguments.insert((*argument).to_owned(), value);
    }
    for name in sent.keys() {
        notes.push(format!("`{name}` means nothing for {} and was left out", member.choice));
    }
    Ok((operation, arguments))
}

fn choose_member(
    group: &'static Group,
    word: Option<&str>,
    notes: &mut Vec<String>,
) -> Result<(&'static Member, &'static Operation), ToolError> {
    let selector = group.selector.unwrap_or_default();
    let words: Vec<&str> = group.present().map(|(member, _)| member.choice).collect();
    let needed = group.params.iter().any(|param| param.required && param.name == selector);
    let Some(word) = word else {
        let first = group.present().next().filter(|_| !needed);
        return first.ok_or_else(|| {
            ToolError::new(Code::BadArgument, format!("`{}` needs `{selector}`", group.name))
                .hint(format!("one of: {}", words.join(", ")))
        });
    };
    if let Some(found) = group.present().find(|(member, _)| member.choice == word) {
        return Ok(found);
    }
    let plain = word.to_ascii_lowercase().replace([' ', '-'], "_");
    let known = |member: &Member| member.choice == plain || member.aliases.contains(&plain.as_str());
    if let Some(found) = group.present().find(|(member, _)| known(member)) {
        notes.push(format!("`{selector}`: \"{word}\" was read as \"{}\"", found.0.choice));
        return Ok(found);
    }
    let near = orient_model::nearest(word, words.iter().copied());
    let hint = near
        .map_or_else(|| format!("one of: {}", words.join(", ")), |near| format!("did you mean \"{near}\"?"));
    Err(ToolError::new(Code::BadArgument, format!("`{selector}` cannot be \"{word}\"")).hint(hint))
}

fn example(group: &Group) -> String {
    let behind = group.about.split_once("Example: ").map_or("", |(_, example)| example);
    format!("for example {behind}")
}

/// Where flags begin in a remark. Two dashes inside of a word are part of a name.
fn flag_starts(clause: &str) -> impl Iterator<Item = usize> {
    let begins = |at: &usize| clause[..*at].chars().next_back().is_none_or(|c| matches!(c, ' ' | '(' | '`'));
    clause.match_indices("--").map(|(at, _)| at).filter(begins)
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
    fn a_word_chooses_the_operation_and_arguments_find_their_names() {
        let call = call(json!({ "relation": "who calls", "symbol": "run", "depth": 2 }));
        assert_eq!(call.operation(), "callers");
        assert_eq!(call.arguments["symbol"], "run");
        assert_eq!(call.arguments["depth"], 2);
        assert_eq!(call.notes, ["`relation`: \"who calls\" was read as \"callers\""]);
    }

    #[test]
    fn what_means_nothing_for_an_operation_is_left_out_and_said() {
        let call = call(json!({ "relation": "references", "symbol": "run", "depth": 2 }));
        assert_eq!(call.notes, ["`depth` means nothing for references and was left out"]);
    }

    #[test]
    fn a_list_is_made_where_one_is_needed() {
        assert_eq!(
            call(json!({ "relation": "impact", "symbol": "run" })).arguments["changed"],
            json!(["run"])
        );
    }

    #[test]
    fn remarks_do_not_name_flags_that_cannot_be_given() {
        let call = call(json!({ "relation": "callers", "symbol": "run" }));
        for (remark, said) in [
            ("50 shown, 9 more left out: --per-level and --limit show more", "50 shown, 9 more left out"),
            (
                "200 of 272 shown: --limit shows more; look further: --depth shows more",
                "200 of 272 shown; look further: depth shows more",
            ),
            ("3 of 9 listed", "3 of 9 listed"),
            ("not read: src/a--b.c (3.0 MiB)", "not read: src/a--b.c (3.0 MiB)"),
            ("answered without a look at the files (--no-refresh)", "answered without a look at the files"),
        ] {
            assert_eq!(call.in_its_words(remark), said);
        }
    }

    #[test]
    fn a_budget_is_held_within_its_bounds() {
        assert_eq!(call(json!({ "relation": "callers", "symbol": "x" })).max_tokens, DEFAULT_TOKENS);
        let large = call(json!({ "relation": "callers", "symbol": "x", "max_tokens": "99999" }));
        assert_eq!((large.max_tokens, large.notes.len()), (MAX_TOKENS, 2));
    }

    #[test]
    fn unknown_tools_are_answered_with_the_nearest() {
        let error = agent_tools(Some("serch")).err().expect("there is none");
        assert_eq!(error.help(), "did you mean `search`?");
        assert_eq!(suggest_tool(&agent_tools(None).expect("groups"), "callers").as_deref(), Some("graph"));
    }
}
