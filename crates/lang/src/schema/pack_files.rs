//! The texts of the files of a pack, compiled into the binary or read from a directory.

use std::borrow::Cow;

/// The files of a pack.
#[derive(Clone)]
pub(crate) struct PackFiles {
    /// The pack's directory.
    pub(crate) name: Cow<'static, str>,
    /// `pack.toml`.
    pub(crate) manifest: Cow<'static, str>,
    /// `table.toml`, in a deep pack.
    pub(crate) node_table: Option<Cow<'static, str>>,
    /// `tags.scm`, in a shallow pack.
    pub(crate) queries: Option<Cow<'static, str>>,
    /// The packs whose node tables this one extends, outermost first: their names and tables.
    pub(crate) inherited: Vec<(&'static str, Cow<'static, str>)>,
}

/// The rules for one kind of project file.
#[derive(Clone, Debug)]
pub(crate) struct ProjectFiles {
    /// The pack of the language the project files are written in.
    pub(crate) pack: &'static str,
    /// The name of the rules: `projects/<name>.toml`.
    pub(crate) name: &'static str,
    /// Patterns of the names of the project files.
    pub(crate) files: &'static [&'static str],
    /// The rules.
    pub(crate) text: Cow<'static, str>,
}
