//! The reference page of languages, generated from the packs.

use crate::pack::Pack;
use crate::pack::registry::Registry;
use std::fmt::Write;

/// The languages of a registry as a Markdown page: their names, files and depth of analysis.
pub fn languages_reference(registry: &Registry) -> String {
    let mut page = String::from(
        "# Languages\n\n\
         Deep: symbols, scopes, bindings, references as expressions, imports and value flow. \
         Shallow: symbols, documentation, imports and references by name. \
         Text: windows of lines.\n\n\
         A file is detected by its name, by its content if several languages share the name, or by its `#!` line. Any other text file is cut into windows.\n\n\
         | Language | Name | Also called | Files | Read |\n|---|---|---|---|---|\n",
    );
    for pack in registry.packs() {
        let depth = match (pack.is_deep(), pack.is_shallow()) {
            (true, _) => "deep",
            (_, true) => "shallow",
            _ => "text",
        };
        let files: Vec<String> = pack.files().iter().map(|pattern| format!("`{pattern}`")).collect();
        let title = pack.title();
        let (name, aliases, files) = (pack.name(), pack.aliases().join(", "), files.join(" "));
        let _ = writeln!(page, "| {title} | `{name}` | {aliases} | {files} | {depth} |");
    }
    page.push_str(
        "\n## Project files\n\n\
         Some files also state where modules are: names of packages, their entries, aliases and roots. \
         Import resolution uses these statements.\n\n\
         | Project file | Files | Language |\n|---|---|---|\n",
    );
    let mut projects: Vec<(&str, String, &str)> = registry.projects().iter().map(project_line).collect();
    projects.sort_unstable();
    for (title, files, language) in projects {
        let _ = writeln!(page, "| {title} | {files} | {language} |");
    }
    page
}

fn project_line(pack: &Pack) -> (&str, String, &str) {
    let files: Vec<String> = pack.project_files().iter().map(|pattern| format!("`{pattern}`")).collect();
    (pack.project_title().unwrap_or_default(), files.join(" "), pack.title())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pack_has_a_row() {
        let page = languages_reference(Registry::builtin());
        for pack in Registry::builtin().packs() {
            assert!(page.contains(&format!("| `{}` |", pack.name())), "{}", pack.name());
        }
        for pattern in Registry::builtin().projects().iter().flat_map(Pack::project_files) {
            assert!(page.contains(&format!("`{pattern}`")), "{pattern}");
        }
        assert!(page.contains("| deep |") && page.contains("| shallow |") && page.contains("| text |"));
    }
}
