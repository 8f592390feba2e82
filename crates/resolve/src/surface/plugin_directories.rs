//! Directories whose files are plugins: `app.register(autoload, { dir: path.join(__dirname, "routes") })`.
//!
//! What a file exports gets the router, below a prefix from the directories that it is in. A directory with an index file has no other
//! plugin. A directory without one is found only if it is the stated one: a new file is a dependency by its name and by that of its
//! directory.

use super::arguments;
use super::extract::Extraction;
use super::routers::{RouterValue, join_path, node};
use super::routes::RegistrationCall;
use crate::modules::project_files::normal;
use crate::types::ty::Module;
use orient_model::{Expr, ExprId, MountRule, Node, Place, Slot};
use std::collections::BTreeSet;

/// The name of a file that stands for its directory.
const INDEX: &str = "index";

impl RegistrationCall<'_, '_, '_> {
    /// Puts what the files of a directory export below the router; false if the call says no directory.
    pub(super) fn mount_directory(&self, parent: &RouterValue, rule: &MountRule, args: &[ExprId]) -> bool {
        let extraction = self.extraction;
        let unit = extraction.unit;
        let Some(said) = arguments::find(unit, args, &rule.directory) else { return false };
        let Some(relative) = extraction.directory_text(said, 0) else { return false };
        let Some(root) = normal(&unit.directory(), &relative).filter(|root| !root.is_empty()) else {
            return false;
        };
        let prefix = arguments::find(unit, args, &rule.path).or_else(|| options(self, args, rule));
        let prefix = prefix.map(|arg| extraction.path_text(&self.site(), arg)).unwrap_or_default();
        let flat = arguments::find(unit, args, &rule.flat).is_some();
        for (file, directory) in extraction.plugins_below(&root) {
            let below = if flat { prefix.clone() } else { join_path(&prefix, &directory) };
            self.put_below(parent, extraction.plugin_parameter(file), &below, false);
        }
        true
    }
}

/// The prefix inside of an object that is an entry: `options: { prefix: "/v1" }`.
fn options(call: &RegistrationCall<'_, '_, '_>, args: &[ExprId], rule: &MountRule) -> Option<ExprId> {
    let unit = call.extraction.unit;
    args.iter().find_map(|&arg| {
        let Expr::Sequence { items, .. } = unit.expr(arg) else { return None };
        unit.list(items).iter().find_map(|&item| match unit.expr(item) {
            Expr::Named { value, .. } => match unit.expr(value) {
                Expr::Sequence { .. } => arguments::find(unit, &[value], &rule.path),
                _ => None,
            },
            _ => None,
        })
    })
}

impl Extraction<'_, '_> {
    /// The path of a directory from that of the file: a text, or texts that a call joins to the directory of the file.
    fn directory_text(&self, expr: ExprId, depth: u32) -> Option<String> {
        let unit = self.unit;
        match unit.expr(expr) {
            Expr::Text(text) => Some(unit.text(text).trim_start_matches('/').to_owned()),
            Expr::Call { args, .. } if depth == 0 => {
                let args = unit.list(args);
                let is_text = |arg: &&ExprId| matches!(unit.expr(**arg), Expr::Text(_));
                let begin = args.iter().position(|arg| is_text(&arg)).filter(|&begin| begin <= 1)?;
                let parts = args[begin..].iter().map(|&arg| self.directory_text(arg, depth + 1));
                Some(parts.collect::<Option<Vec<String>>>()?.join("/"))
            }
            _ => None,
        }
    }

    /// The files of plugins below a directory, each with the directories between.
    fn plugins_below(&self, root: &str) -> Vec<(u32, String)> {
        let path = self.unit.path().display();
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let index = format!("{INDEX}.{extension}");
        let directory_of = |file: u32| {
            let path = self.session.path_of(file)?;
            path.rsplit_once('/').map(|(directory, _)| directory.to_owned())
        };
        let is_below = |directory: &String| {
            directory.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let indexed = self.session.files_ending_with(&index).into_iter().filter_map(directory_of);
        let mut directories: BTreeSet<String> = indexed.filter(is_below).collect();
        directories.insert(root.to_owned());
        let mut found = Vec::new();
        for directory in directories {
            let between = directory[root.len()..].trim_start_matches('/').to_owned();
            let own: Vec<(u32, String)> = self
                .session
                .directory(&directory)
                .iter()
                .filter_map(|file| Some((*file, self.session.path_of(*file)?)))
                .filter(|(_, path)| path.rsplit_once('.').is_some_and(|(_, own)| own == extension))
                .collect();
            let only = own.iter().find(|(_, path)| path.rsplit('/').next() == Some(&index));
            match only {
                Some((file, _)) => found.push((*file, between)),
                None => found.extend(own.iter().map(|(file, _)| (*file, between.clone()))),
            }
        }
        found
    }

    /// The parameter of what a file exports that gets the router.
    fn plugin_parameter(&self, file: u32) -> Place {
        let node = self.default_export(&Module::File(file)).map_or(Node { file, symbol: None }, node);
        Place { node, slot: Slot::Param(0) }
    }
}
