//! Templates: from the name that code or markup gives to a template to its file.
//!
//! Example: `@include('shop.cart')` with the pattern `views/{/}.blade.php` means the file whose path ends with
//! `views/shop/cart.blade.php`. Of several, the one that shares most directories with the file that names it is meant.

use super::{rendered, shared_directories};
use crate::file::FileRef;
use crate::modules::project_files::normal;
use crate::resolver::PathKey;
use crate::session::Session;
use orient_model::{Confidence, Edge, EdgeKind, ImportKind, Node, Resolved, Rule};

/// Maximum number of files that may have the path of one template.
const MAX_FILES: usize = 64;

impl Session<'_> {
    /// The template of a name: the node that stands for it, and whether others have the same path.
    pub(crate) fn template(
        &self,
        unit: &FileRef,
        name: &str,
        patterns: &[String],
    ) -> Option<(Node, Confidence)> {
        for pattern in patterns {
            let Some(path) = expanded(pattern, name) else { continue };
            let beside = normal(&unit.directory(), &path);
            if !name.starts_with(['/', '~'])
                && let Some(file) = self.first_file_at(beside, PathKey::Name)
            {
                return Some((self.rendered_file(file), Confidence::Exact));
            }
            if pattern.starts_with("./") {
                continue;
            }
            let Some(clean) = normal("", &path).filter(|path| !path.is_empty()) else { continue };
            let files = self.files_ending_with(&clean);
            match files[..] {
                [] => {}
                [one] => return Some((self.rendered_file(one), Confidence::Exact)),
                _ => {
                    let own = unit.path().display().into_owned();
                    let shared =
                        |file: &&u32| self.path_of(**file).map_or(0, |path| shared_directories(&own, &path));
                    let best = files.iter().take(MAX_FILES).rev().max_by_key(shared)?;
                    return Some((self.rendered_file(*best), Confidence::Probable));
                }
            }
        }
        None
    }

    /// The node that stands for a file when it is rendered.
    fn rendered_file(&self, file: u32) -> Node {
        self.unit(file).map_or(Node { file, symbol: None }, |unit| rendered(&unit))
    }

    /// Adds the edges from a file to the templates that it includes or extends.
    pub(crate) fn included_templates(&self, unit: &FileRef, out: &mut Resolved) {
        let imports = unit.imports().iter();
        for import in imports.filter(|import| import.kind == ImportKind::Template) {
            self.start_reference();
            let name = unit.outline_text(import.module);
            if let Some((to, confidence)) = self.template(unit, name, &unit.rules.markup.templates) {
                let (from, line) = (rendered(unit), import.line);
                let (kind, rule) = (EdgeKind::Constructs, Rule::Template);
                out.edges.push(Edge { from, kind, to, line, confidence, rule });
            }
        }
    }
}

/// The path of a template by a pattern; none if the name does not fit.
fn expanded(pattern: &str, name: &str) -> Option<String> {
    if name.is_empty() || name.contains("::") {
        return None;
    }
    let name = name.trim_start_matches(['/', '~']);
    let slashed = name.replace('.', "/");
    let (directory, last) = name.rsplit_once('/').map_or(("", name), |(directory, last)| (directory, last));
    let partial = if directory.is_empty() { format!("_{last}") } else { format!("{directory}/_{last}") };
    Some(pattern.replace("{/}", &slashed).replace("{_}", &partial).replace("{}", name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_gives_the_path_of_a_template() {
        assert_eq!(
            expanded("views/{/}.blade.php", "shop.cart").as_deref(),
            Some("views/shop/cart.blade.php")
        );
        assert_eq!(expanded("{_}.html.erb", "shared/errors").as_deref(), Some("shared/_errors.html.erb"));
        assert_eq!(expanded("{_}.html.erb", "form").as_deref(), Some("_form.html.erb"));
        assert_eq!(expanded("templates/{}", "/a/b.html").as_deref(), Some("templates/a/b.html"));
        assert_eq!(expanded("{}", "mail::button"), None, "of a package");
    }
}
