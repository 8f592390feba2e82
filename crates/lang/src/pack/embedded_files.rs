//! Files in which code is embedded or named, and whose uses are not resolved: `known/embedded_code.toml`.

use super::file_patterns::FilePatterns;
use serde::Deserialize;
use std::sync::OnceLock;

const LIST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/embedded_code.known"));

/// How a file may use code that is defined elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbeddedForm {
    /// It contains code.
    Code,
    /// It has elements, with code in delimiters and attributes.
    Markup,
    /// Code is generated from it.
    Schema,
    /// It names code by text.
    Data,
    /// It cannot use code.
    None,
}

/// Files in which code is embedded in one way.
pub struct EmbeddedFiles {
    /// What they are, in the plural.
    pub title: String,
    /// How they use code.
    pub form: EmbeddedForm,
    files: FilePatterns,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbeddedFile {
    embedding: Vec<EmbeddingTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbeddingTable {
    title: String,
    form: EmbeddedForm,
    files: Vec<String>,
}

fn read(bytes: &[u8]) -> Result<Vec<EmbeddedFiles>, String> {
    let file: EmbeddedFile = orient_binary_toml::decode(bytes).map_err(|error| error.to_string())?;
    let compile = |table: EmbeddingTable| {
        Ok(EmbeddedFiles { title: table.title, form: table.form, files: FilePatterns::new(&table.files)? })
    };
    file.embedding.into_iter().map(compile).collect()
}

impl EmbeddedFiles {
    /// What a file with this path is; `None` for a file of another kind. The longest ending of its name decides, and of two that
    /// are alike the one that is listed first.
    pub fn of(path: &str) -> Option<&'static Self> {
        static BUILTIN: OnceLock<Vec<EmbeddedFiles>> = OnceLock::new();
        let all = BUILTIN.get_or_init(|| read(LIST).unwrap_or_default());
        let fitting =
            all.iter().enumerate().filter_map(|(at, one)| Some((at, one.files.length_of_match(path)?)));
        let (at, _) = fitting.max_by_key(|&(at, length)| (length, std::cmp::Reverse(at)))?;
        all.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_read() {
        assert!(read(LIST).is_ok_and(|all| !all.is_empty()), "{:?}", read(LIST).err());
    }

    #[test]
    fn the_longest_ending_of_a_name_decides() {
        let form = |path| EmbeddedFiles::of(path).map(|one| one.form);
        assert_eq!(form("app/views/show.html.haml"), Some(EmbeddedForm::Code));
        assert_eq!(form("templates/mail.txt.j2"), Some(EmbeddedForm::Code));
        assert_eq!(form("web/index.html"), Some(EmbeddedForm::Markup));
        assert_eq!(form("web/views/Home.cshtml"), Some(EmbeddedForm::Code));
        assert_eq!(form("api/v1.proto"), Some(EmbeddedForm::Schema));
        assert_eq!(form("config/services.yaml"), Some(EmbeddedForm::Data));
        assert_eq!(form("package-lock.json"), Some(EmbeddedForm::None));
        assert_eq!(form("style.css"), Some(EmbeddedForm::None));
        assert_eq!(form("src/main.rs"), None);
    }
}
