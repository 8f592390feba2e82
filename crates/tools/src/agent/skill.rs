//! The skill file that teaches agents the flow of a task, generated from the same tables as the tools.

use crate::agent::tool_groups::GROUPS;
use std::fmt::Write;

/// The text of the skill: front matter, the tools with their first sentences, and the flow of a task.
pub fn skill_text() -> String {
    let mut text = String::from(
        "---\nname: orient\ndescription: Find, read and change code with Orient: search before reading files, follow \
         relations, and run a guided task before a change.\n---\n\n# Orient\n\nTools of the `orient` server; on a command \
         line, `orient help` lists the same as commands.\n\n",
    );
    for group in GROUPS.iter().filter(|group| group.available().next().is_some()) {
        let first = group.about.split(". ").next().unwrap_or(group.about).trim_end_matches('.');
        let short = first.split(':').next().unwrap_or(first).trim();
        let _ = writeln!(text, "- `{}`: {short}.", group.name);
    }
    text.push_str(
        "\n## Before a change\n\n1. `task` start with the user's words and an intent: implement, modify, investigate or \
         question.\n2. `task` frame: slots target_feature, trigger_condition, observed_issue, desired_action, each \
         `slot: value | quote from the request`; `slot?:` if inferred. `symbols` you were shown.\n3. `task` plan, then make \
         its calls.\n4. `task` submit: symbols, entry_points, files, patterns. Only what Orient showed you in this task \
         counts. If reading is not enough: `reason` and `hypotheses`, then `verdicts` (`1 confirmed path:line`).\n5. `task` \
         check with a path before writing it; a refusal names the call that clears it.\n6. `task` finish: it reviews the \
         diff and names the tests to run. `outcome` retry if they fail.\n\nEvery answer names what is missing and the call \
         that supplies it. After three failed attempts, try another approach; after five, ask the user.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::token_estimate::tokens;

    #[test]
    fn the_skill_names_every_tool_and_stays_below_600_tokens() {
        let text = skill_text();
        for group in GROUPS {
            assert!(text.contains(&format!("`{}`", group.name)), "{}", group.name);
        }
        assert!(tokens(&text) < 600, "{} tokens", tokens(&text));
    }
}
