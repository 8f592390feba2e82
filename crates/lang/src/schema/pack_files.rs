//! The files of a pack as the build script puts them into the program: TOML in binary form.

/// The files of a pack.
#[derive(Debug)]
pub(crate) struct PackFiles {
    /// The pack's directory.
    pub(crate) name: &'static str,
    /// `pack.toml`.
    pub(crate) manifest: &'static [u8],
    /// `rules.toml`.
    pub(crate) rules: Option<&'static [u8]>,
    /// `table.toml`, in a deep pack.
    pub(crate) node_table: Option<&'static [u8]>,
    /// `tags.scm`, in a shallow pack.
    pub(crate) queries: Option<&'static str>,
    /// The files in `frameworks`, by name.
    pub(crate) frameworks: &'static [(&'static str, &'static [u8])],
    /// The files in `projects`, by name.
    pub(crate) projects: &'static [(&'static str, &'static [u8])],
}
