//! Properties of every entry of the operation table that all interfaces rely on.

use orient_tools::{OPERATIONS, reference};
use std::collections::BTreeSet;

#[test]
fn names_are_unique_words() {
    let names: BTreeSet<&str> = OPERATIONS.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), OPERATIONS.len());
    for name in names {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
    }
}

#[test]
fn every_operation_has_a_one_line_description() {
    for tool in OPERATIONS {
        assert!(tool.about.len() > 20 && tool.about.len() < 80, "{}: one line", tool.name);
        assert!(tool.about.starts_with(char::is_uppercase), "{}: starts with a capital letter", tool.name);
        assert!(!tool.about.ends_with('.'), "{}: a title has no full stop", tool.name);
    }
}

#[test]
fn every_example_parses() {
    for tool in OPERATIONS {
        assert!(tool.examples.len() >= 2, "{}: at least two examples", tool.name);
        for example in tool.examples {
            let mut words = example.command.split(' ').map(|word| word.trim_matches('\''));
            assert_eq!(words.next(), Some(tool.name), "{}", example.command);
            assert!(!example.about.is_empty(), "{}", example.command);
            // Flags of all commands belong to the command line.
            let own = words.filter(|word| !["--json", "--quiet", "--no-refresh"].contains(word));
            let own: Vec<&str> = own.take_while(|word| !["--set", "--at"].contains(word)).collect();
            let typed = [tool.name].into_iter().chain(own);
            if let Err(error) = tool.command().try_get_matches_from(typed) {
                panic!("{}: {error}", example.command);
            }
        }
    }
}

#[test]
fn every_argument_has_a_documented_schema() {
    for tool in OPERATIONS {
        let input = tool.input_schema();
        assert_eq!(input["type"], "object", "{}", tool.name);
        for (name, schema) in input["properties"].as_object().into_iter().flatten() {
            // The names of limits say it all.
            let is_limit = name.starts_with("min_") || name.starts_with("max_");
            assert!(is_limit || schema["description"].is_string(), "{} {name}: no description", tool.name);
        }
    }
}

#[test]
fn every_argument_has_help() {
    for tool in OPERATIONS {
        let command = tool.command();
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{} {}", tool.name, argument.get_id());
        }
        assert!(command.clone().render_long_help().to_string().contains("Examples:"), "{}", tool.name);
    }
}

#[test]
fn the_reference_page_has_every_operation_and_example() {
    let page = reference();
    for tool in OPERATIONS {
        assert!(page.contains(&format!("\n## `orient {}", tool.name)), "{}", tool.name);
        for example in tool.examples {
            assert!(page.contains(&format!("orient {}", example.command)), "{}", example.command);
        }
    }
}
