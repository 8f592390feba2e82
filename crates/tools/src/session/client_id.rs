//! The program that asks, by the name it gives itself or by its environment: tasks belong to it.

/// The client of a command that no known agent has started.
pub(crate) const COMMAND_LINE: &str = "cli";

/// Variables that agents set for the commands they run, and the agent.
const VARIABLES: &[(&str, &str)] = &[
    ("CLAUDECODE", "claude-code"),
    ("GEMINI_CLI", "gemini"),
    ("CURSOR_AGENT", "cursor"),
    ("OPENCODE", "opencode"),
    ("CODEX_SANDBOX", "codex"),
];

/// The id of a client that calls itself `name`: that of a client we know how to configure, if the name contains it, so that its
/// server, its hooks and its commands are one client.
pub fn client_id(name: &str) -> String {
    let lower = name.to_lowercase().replace([' ', '_'], "-");
    if let Some(known) = orient_setup::CLIENTS.iter().find(|client| lower.contains(client.id)) {
        return known.id.to_owned();
    }
    let plain: String = lower.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    if plain.is_empty() { "unnamed".to_owned() } else { plain }
}

/// The id of the client that started a command: `ORIENT_CLIENT`, or the agent that has set its variable.
pub fn client_of_environment(variable: impl Fn(&str) -> Option<String>) -> String {
    if let Some(name) = variable("ORIENT_CLIENT").filter(|name| !name.is_empty()) {
        return client_id(&name);
    }
    let agent = VARIABLES.iter().find(|(name, _)| variable(name).is_some_and(|value| !value.is_empty()));
    agent.map_or(COMMAND_LINE, |(_, client)| client).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_one_client_however_it_is_reached() {
        assert_eq!(client_id("claude-code"), "claude-code");
        assert_eq!(client_id("Claude Code (1.2)"), "claude-code");
        assert_eq!(client_id("codex-mcp-client"), "codex");
        assert_eq!(client_id("gemini-cli-mcp-client"), "gemini");
        assert_eq!(client_id("../../etc"), "etc");
        assert_eq!(client_id(""), "unnamed");
        let environment = |set: &'static str| move |name: &str| (name == set).then(|| "1".to_owned());
        assert_eq!(client_of_environment(environment("CLAUDECODE")), "claude-code");
        assert_eq!(client_of_environment(environment("HOME")), "cli");
    }
}
