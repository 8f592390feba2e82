//! The help of the program: what to try first, and the commands by topic.

use crate::args;
use crate::config::Config;
use crate::render;
use crate::subcommands::SUBCOMMANDS;
use clap::{Arg, ArgMatches, Command};
use orient_tools::{Code, Exit, OPERATIONS, ToolError, Topic, suggest_command};
use std::fmt::Write as _;

/// The definition of `orient help`.
pub(crate) fn command() -> Command {
    Command::new("help")
        .about("Show the commands of a topic, or how to use a command")
        .arg(Arg::new("name").value_name("TOPIC|COMMAND"))
}

/// Prints the help of a topic or a command. Of a word that is both, the topic comes first: it is shorter, and lists the command.
pub(crate) fn run(_: Config, matches: &ArgMatches) -> Result<Exit, ToolError> {
    let text = match matches.get_one::<String>("name") {
        None => args::command().render_help().to_string(),
        Some(name) => of(name)?,
    };
    render::written(render::raw(|out| out.write_all(text.as_bytes())))
}

fn of(name: &str) -> Result<String, ToolError> {
    let commands = commands();
    let topic = Topic::ALL.iter().find(|topic| topic.name() == name).map(|&topic| {
        format!(
            "{name}: {}\n\n{}\n`orient help COMMAND` shows arguments and examples.\n",
            topic.about(),
            list(&commands, topic)
        )
    });
    if !commands.iter().any(|command| command.name == name) {
        return topic.ok_or_else(|| unknown(name, &commands));
    }
    // Help is what the parser answers instead of matches.
    let help = args::command().try_get_matches_from(["orient", name, "--help"]).err();
    let help = help.map(|help| help.render().to_string()).unwrap_or_default();
    Ok(match topic {
        Some(topic) => format!("{topic}\nThe command `{name}`: {help}"),
        None => help,
    })
}

fn unknown(name: &str, commands: &[Listed]) -> ToolError {
    let topics = Topic::ALL.iter().map(|topic| topic.name());
    let hint = suggest_command(name, topics.chain(commands.iter().map(|one| one.name.as_str()))).map_or_else(
        || "`orient help` lists the topics".to_owned(),
        |near| format!("did you mean `orient help {near}`?"),
    );
    ToolError::new(Code::BadArgument, format!("there is no command or topic `{name}`")).hint(hint)
}

/// A command as the help lists it.
pub(crate) struct Listed {
    pub(crate) name: String,
    about: String,
    topic: Topic,
}

/// All commands. Making the list defines every subcommand, so it is made once and passed on.
pub(crate) fn commands() -> Vec<Listed> {
    let operations = OPERATIONS.iter().map(|operation| Listed {
        name: operation.name.to_owned(),
        about: operation.about.to_owned(),
        topic: operation.topic,
    });
    let others = SUBCOMMANDS.iter().map(|subcommand| {
        let command = (subcommand.command)();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        Listed { name: command.get_name().to_owned(), about, topic: subcommand.topic }
    });
    operations.chain(others).collect()
}

/// What to try first, and the names of all commands.
pub(crate) fn summary(commands: &[Listed]) -> String {
    let first: Vec<_> = OPERATIONS
        .iter()
        .filter(|operation| operation.for_newcomers)
        .filter_map(|operation| Some((operation.examples.first()?.command, operation.about)))
        .collect();
    let width = first.iter().map(|(example, _)| example.len()).max().unwrap_or(0);
    let mut text = "Try first:\n".to_owned();
    for (example, about) in first {
        let _ = writeln!(text, "  orient {example:width$}  {about}");
    }
    text.push_str("\nCommands by topic (`orient help TOPIC` says what each does):\n");
    for topic in Topic::ALL {
        let names: Vec<&str> = commands
            .iter()
            .filter(|command| command.topic == *topic)
            .map(|command| command.name.as_str())
            .collect();
        let _ = writeln!(text, "  {:8} {}\n           {}", topic.name(), topic.about(), names.join(" "));
    }
    text
}

/// All commands by topic, each with what it does.
pub(crate) fn full_list(commands: &[Listed]) -> String {
    let sections = Topic::ALL
        .iter()
        .map(|&topic| format!("{}: {}\n{}", topic.name(), topic.about(), list(commands, topic)));
    sections.collect::<Vec<_>>().join("\n")
}

fn list(commands: &[Listed], topic: Topic) -> String {
    let width = commands.iter().map(|command| command.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for command in commands.iter().filter(|command| command.topic == topic) {
        let _ = writeln!(text, "  {:width$}  {}", command.name, command.about);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newcomer_reads_one_screen() {
        let help = args::command().render_help().to_string();
        assert!(help.lines().count() <= 40, "{} lines", help.lines().count());
        for command in commands() {
            assert!(help.contains(&command.name), "{}", command.name);
        }
    }

    #[test]
    fn help_is_about_a_command_a_topic_or_the_nearest_name() {
        assert!(of("callers").is_ok_and(|help| help.contains("Usage: orient callers")));
        assert!(of("time").is_ok_and(|help| help.contains("  blame  ")));
        let both = of("find").expect("a command and a topic");
        let place = |words| both.find(words).expect("it is there");
        assert!(place("  search  ") < place("Usage: orient find"), "{both}");
        let error = of("usages").expect_err("no command");
        assert!(error.to_string().contains("usages"), "{error}");
    }
}
