//! Other names for arguments: what models and other tools call them. Every interface for programs reads these tables.

use serde_json::{Value, json};

/// Arguments that programs send under other names. The first target that a tool takes, and that was not sent itself, gets the
/// value. A target is also an alias of the targets beside it: `query` sent to a tool that takes a `pattern` is its pattern.
pub(crate) struct AliasRow {
    /// The arguments, the preferred one first.
    pub(crate) targets: &'static [&'static str],
    /// The other names.
    pub(crate) names: &'static [&'static str],
}

const fn row(targets: &'static [&'static str], names: &'static [&'static str]) -> AliasRow {
    AliasRow { targets, names }
}

/// The aliases. A name is looked up row by row.
pub(crate) const ALIASES: &[AliasRow] = &[
    row(
        &["query", "task", "pattern", "symbol", "target", "name"],
        &[
            "q",
            "search",
            "question",
            "term",
            "terms",
            "keyword",
            "keywords",
            "input",
            "prompt",
            "text",
            "string",
            "search_query",
            "search_term",
            "goal",
            "description",
            "natural_language_query",
        ],
    ),
    row(
        &["pattern", "query"],
        &["regex", "regexp", "expression", "needle", "search_pattern", "substring_pattern", "search_regex"],
    ),
    row(&["regexp"], &["patterns", "regexes", "queries"]),
    row(
        &["symbol", "target", "name", "query", "from", "changed"],
        &[
            "symbol_name",
            "symbols",
            "function",
            "function_name",
            "func",
            "method",
            "method_name",
            "class",
            "class_name",
            "identifier",
            "id",
            "handle",
            "fqn",
            "qualified_name",
            "name_path",
            "name_path_pattern",
            "symbol_id",
            "entity",
            "node",
            "from",
            "target",
        ],
    ),
    row(
        &["path", "paths", "in", "target", "glob"],
        &[
            "file",
            "files",
            "file_path",
            "file_paths",
            "filepath",
            "filename",
            "dir",
            "directory",
            "directories",
            "folder",
            "within",
            "scope",
            "relative_path",
            "absolute_path",
            "search_path",
            "target_file",
            "target_directory",
            "target_directories",
            "relative_workspace_path",
            "uri",
        ],
    ),
    row(
        &["glob", "path", "paths", "in"],
        &[
            "globs",
            "include",
            "includes",
            "include_pattern",
            "include_patterns",
            "file_pattern",
            "file_glob",
            "paths_include_glob",
            "pattern",
        ],
    ),
    row(
        &["limit"],
        &[
            "max",
            "count",
            "n",
            "k",
            "top_k",
            "max_results",
            "num_results",
            "max_count",
            "max_hits",
            "head_limit",
            "page_size",
        ],
    ),
    row(&["depth"], &["levels", "max_depth", "hops", "max_hops", "level"]),
    row(&["lines"], &["line", "range", "line_range", "line_numbers", "span", "read_range", "view_range"]),
    row(&["cursor"], &["after", "next", "next_cursor", "page_token", "continue", "continuation"]),
    row(
        &["kind", "via"],
        &[
            "kinds",
            "symbol_kind",
            "symbol_kinds",
            "include_kinds",
            "types",
            "type",
            "symbol_type",
            "node_type",
            "edge_kind",
            "edge_kinds",
            "edge_type",
            "edge_types",
            "reference_kind",
        ],
    ),
    row(&["via"], &["through", "edges"]),
    row(&["lang", "type"], &["language", "languages", "langs", "file_type", "filetype"]),
    row(&["role"], &["roles", "file_role", "file_roles"]),
    row(&["max_tokens"], &["tokens", "token_budget", "budget", "token_limit", "max_output_tokens"]),
    row(&["relation"], &["relationship", "direction", "what", "mode", "action", "operation", "op", "edge"]),
    row(&["about"], &["what", "view", "mode", "topic", "section", "action"]),
    row(&["view"], &["mode", "as", "what", "format", "action", "output_mode"]),
    row(&["to"], &["target", "target_symbol", "to_symbol", "destination", "dest", "end", "sink", "callee"]),
    row(&["from", "symbol"], &["source", "source_symbol", "from_symbol", "start", "src", "caller"]),
    row(&["ignore_case"], &["case_insensitive", "insensitive"]),
    row(&["fixed", "fixed_strings"], &["literal", "fixed_string", "plain", "is_literal", "literal_search"]),
    row(&["word_regexp"], &["whole_word", "whole_words", "match_whole_word", "word"]),
    row(&["files_with_matches"], &["files_only", "names_only", "filenames_only", "list_files"]),
    row(&["count"], &["count_only"]),
    row(&["context"], &["context_lines", "around", "lines_around"]),
    row(&["before_context"], &["context_lines_before", "lines_before", "before"]),
    row(&["after_context"], &["context_lines_after", "lines_after"]),
    row(&["multiline"], &["multi_line"]),
    row(
        &["diff", "changed"],
        &["patch", "changes", "since", "revision", "rev", "commit", "base", "base_ref", "git_ref", "ref"],
    ),
    row(&["at"], &["revision", "rev", "commit", "ref", "git_ref", "version"]),
    row(&["changed", "symbol"], &["symbols", "files", "file", "target", "paths", "path", "name"]),
    row(
        &["exclude"],
        &[
            "excludes",
            "exclude_pattern",
            "exclude_patterns",
            "exclude_glob",
            "exclude_globs",
            "exclude_path",
            "exclude_paths",
            "paths_exclude_glob",
            "ignore",
            "ignore_patterns",
        ],
    ),
    row(&["confidence"], &["min_confidence", "confidence_level", "certainty"]),
    row(&["attr"], &["attribute", "attributes", "annotation", "annotations", "decorator", "decorators"]),
    row(&["base"], &["bases", "extends", "implements", "superclass", "base_class", "interface"]),
    row(&["match"], &["match_mode", "matching"]),
    row(&["no_tests"], &["exclude_tests", "skip_tests", "ignore_tests", "without_tests"]),
    row(&["again"], &["repeat", "force", "resend"]),
];

/// A value that says the same as another argument.
pub(crate) struct Rewrite {
    /// The name that was sent.
    pub(crate) name: &'static str,
    /// The value that was sent, in lower case.
    pub(crate) sent: &'static str,
    /// The argument and its value; `None` if the tool does so anyway.
    pub(crate) means: Option<(&'static str, bool)>,
}

const fn rewrite(name: &'static str, sent: &'static str, means: Option<(&'static str, bool)>) -> Rewrite {
    Rewrite { name, sent, means }
}

/// The rewrites. They apply if the tool takes the argument they mean.
pub(crate) const REWRITES: &[Rewrite] = &[
    rewrite("output_mode", "content", None),
    rewrite("output_mode", "files_with_matches", Some(("files_with_matches", true))),
    rewrite("output_mode", "count", Some(("count", true))),
    rewrite("case_sensitive", "false", Some(("ignore_case", true))),
    rewrite("match_case", "false", Some(("ignore_case", true))),
    rewrite("match_case", "true", Some(("case_sensitive", true))),
    rewrite("is_regexp", "false", Some(("fixed_strings", true))),
    rewrite("is_regex", "false", Some(("fixed_strings", true))),
    rewrite("use_regex", "false", Some(("fixed_strings", true))),
    rewrite("regex", "false", Some(("fixed_strings", true))),
    rewrite("is_regexp", "true", Some(("fixed_strings", false))),
    rewrite("is_regex", "true", Some(("fixed_strings", false))),
    rewrite("use_regex", "true", Some(("fixed_strings", false))),
    rewrite("regex", "true", Some(("fixed_strings", false))),
    rewrite("include_tests", "false", Some(("no_tests", true))),
    rewrite("include_tests", "true", Some(("no_tests", false))),
    rewrite("transitive", "false", Some(("direct", true))),
    rewrite("transitive", "true", Some(("direct", false))),
];

/// Text arguments that also take a list, and the argument that holds it.
pub(crate) const LISTS: &[(&str, &str)] = &[("pattern", "regexp")];

/// Arguments of other tools that change nothing about what is found: they are noted and ignored.
const HARMLESS: &[&str] = &[
    "comment",
    "compact",
    "concise",
    "conversation_id",
    "debug",
    "detail",
    "detail_level",
    "explain",
    "explanation",
    "format",
    "full",
    "full_code",
    "full_content",
    "fuzzy",
    "hybrid",
    "include_body",
    "include_code",
    "include_context",
    "include_declaration",
    "include_docs",
    "include_line_numbers",
    "include_signatures",
    "include_snippets",
    "include_source",
    "intent",
    "is_background",
    "line_number",
    "line_numbers",
    "max_answer_chars",
    "max_chars",
    "order",
    "order_by",
    "output_format",
    "output_mode",
    "pretty",
    "purpose",
    "rationale",
    "reason",
    "reasoning",
    "recursive",
    "request_id",
    "rerank",
    "response_format",
    "restrict_search_to_code_files",
    "semantic",
    "session_id",
    "should_read_entire_file",
    "show_line_numbers",
    "snippet",
    "snippets",
    "sort",
    "sort_by",
    "stream",
    "substring_matching",
    "thought",
    "thoughts",
    "timeout",
    "timeout_ms",
    "title",
    "toolsummary",
    "use_embeddings",
    "verbose",
    "wait",
    "with_line_numbers",
];

/// Arguments that choose a project in tools that serve several.
const PROJECT: &[&str] = &[
    "codebase",
    "cwd",
    "project",
    "project_id",
    "project_name",
    "project_path",
    "project_root",
    "repo",
    "repo_path",
    "repository",
    "root",
    "root_path",
    "working_directory",
    "workspace",
    "workspace_path",
    "workspace_root",
];

/// Why an argument that a tool does not take can be ignored; `None` if ignoring it would change what is found.
pub(crate) fn why_ignored(name: &str, value: &Value) -> Option<&'static str> {
    if PROJECT.contains(&name) {
        return Some("this server answers about one tree");
    }
    let says_nothing = [json!(false), json!(""), json!([]), json!({})].contains(value);
    (says_nothing || HARMLESS.contains(&name)).then_some("it changes nothing here")
}

/// The unit of grouping that a word means: `folder` is a synonym of `directory`.
pub(crate) fn grouping(word: &str) -> &str {
    if word == "folder" { "directory" } else { word }
}

/// Names for the two ends of a line range.
pub(crate) const FIRST_LINE: &[&str] = &[
    "start_line",
    "line_start",
    "from_line",
    "start",
    "first_line",
    "begin_line",
    "start_line_one_indexed",
    "offset",
];
/// The last line of a range.
pub(crate) const LAST_LINE: &[&str] =
    &["end_line", "line_end", "to_line", "end", "last_line", "end_line_one_indexed_inclusive"];
/// The number of lines of a range.
pub(crate) const LINE_COUNT: &[&str] = &["limit", "num_lines", "line_count", "max_lines"];
/// Keys in which some programs wrap all arguments.
pub(crate) const WRAPPERS: &[&str] = &["arguments", "args", "input", "params", "parameters", "kwargs"];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_is_both_an_alias_and_ignored() {
        let aliases: BTreeSet<&str> = ALIASES.iter().flat_map(|row| row.names).copied().collect();
        for name in PROJECT {
            assert!(!aliases.contains(name), "{name}");
        }
        assert!(why_ignored("explanation", &json!("I look for it")).is_some());
        assert!(why_ignored("colour", &json!(false)).is_some(), "nothing is asked for");
        assert!(why_ignored("colour", &json!("red")).is_none());
    }

    #[test]
    fn every_alias_row_is_about_one_thing() {
        for row in ALIASES {
            let names: BTreeSet<&str> = row.names.iter().copied().collect();
            assert_eq!(names.len(), row.names.len(), "{:?} repeats a name", row.targets);
        }
    }
}
