//! The frameworks that are known to register code, with or without rules in the packs: `known/frameworks.toml`.

use super::file_patterns::FilePatterns;
use orient_model::SurfaceKind;
use serde::Deserialize;
use std::borrow::Cow;
use std::sync::OnceLock;

const LIST: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/frameworks.known"));

/// What is known about frameworks.
#[derive(Default)]
pub struct KnownFrameworks {
    /// The ecosystems of packages.
    pub ecosystems: Vec<Ecosystem>,
    /// The packages that register something, by the index of their ecosystem.
    pub frameworks: Vec<KnownFramework>,
    /// Text and files that register something without a package.
    pub signs: Vec<FrameworkSign>,
}

/// How the projects of an ecosystem name what they depend on.
pub struct Ecosystem {
    /// Its name.
    pub name: String,
    /// The files that name dependencies.
    pub manifests: FilePatterns,
    /// Where the name of a package stands in them.
    pub mention: Mention,
    /// Whether names are compared without case, and `_` is `-`.
    pub fold_case: bool,
    /// The files of source text, which name what they import if there is no manifest.
    pub sources: FilePatterns,
    /// How they name it: `{}` stands for the package.
    pub imports: Vec<String>,
    /// The languages of programs that use its packages.
    pub languages: Vec<String>,
}

/// Where the name of a package stands in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mention {
    /// It is the key of a value.
    Key,
    /// At the start of a line, or after a mark such as a quote.
    Start,
    /// Anywhere, as a word of its own.
    Word,
}

/// Packages that register something.
pub struct KnownFramework {
    /// The index of their ecosystem.
    pub ecosystem: usize,
    /// What they register.
    pub does: SurfaceKind,
    /// The rule files that find it; none if there are no rules.
    pub rules: Vec<String>,
    /// Their names.
    pub packages: Vec<String>,
    /// They count only if the text of a source file contains one of these; empty if they always do.
    pub uses: Vec<String>,
}

/// Text or a file that registers something.
pub struct FrameworkSign {
    /// What it is, as part of a sentence.
    pub title: String,
    /// What it registers.
    pub does: SurfaceKind,
    /// The rule files that find it; none if there are no rules.
    pub rules: Vec<String>,
    /// The files that may have it.
    pub files: FilePatterns,
    /// The texts; empty if the file is enough.
    pub texts: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownFile {
    ecosystem: Vec<EcosystemTable>,
    framework: Vec<FrameworkTable>,
    sign: Vec<SignTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EcosystemTable {
    name: String,
    manifests: Vec<String>,
    mention: Mention,
    #[serde(default)]
    fold_case: bool,
    #[serde(default)]
    sources: Vec<String>,
    #[serde(default)]
    imports: Vec<String>,
    languages: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrameworkTable {
    ecosystem: String,
    does: String,
    #[serde(default)]
    rules: Vec<String>,
    packages: Vec<String>,
    #[serde(default)]
    uses: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignTable {
    title: String,
    does: String,
    #[serde(default)]
    rules: Vec<String>,
    files: Vec<String>,
    texts: Vec<String>,
}

impl KnownFrameworks {
    /// Those that are compiled in.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<KnownFrameworks> = OnceLock::new();
        BUILTIN.get_or_init(|| Self::read(LIST).unwrap_or_default())
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let file: KnownFile = orient_binary_toml::decode(bytes).map_err(|error| error.to_string())?;
        let kind = |word: &str| word.parse().map_err(|()| format!("`{word}` is no kind of surface entry"));
        let mut known = Self::default();
        for table in file.ecosystem {
            known.ecosystems.push(Ecosystem {
                name: table.name,
                manifests: FilePatterns::new(&table.manifests)?,
                mention: table.mention,
                fold_case: table.fold_case,
                sources: FilePatterns::new(&table.sources)?,
                imports: table.imports,
                languages: table.languages,
            });
        }
        for table in file.framework {
            let ecosystem = known.ecosystems.iter().position(|one| one.name == table.ecosystem);
            known.frameworks.push(KnownFramework {
                ecosystem: ecosystem
                    .ok_or_else(|| format!("no ecosystem is called `{}`", table.ecosystem))?,
                does: kind(&table.does)?,
                rules: table.rules,
                packages: table.packages,
                uses: table.uses,
            });
        }
        for table in file.sign {
            known.signs.push(FrameworkSign {
                title: table.title,
                does: kind(&table.does)?,
                rules: table.rules,
                files: FilePatterns::new(&table.files)?,
                texts: table.texts,
            });
        }
        Ok(known)
    }
}

impl Ecosystem {
    /// A text as names are compared.
    pub fn folded<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.fold_case { text.to_ascii_lowercase().replace('_', "-").into() } else { text.into() }
    }

    /// Whether the folded text of a manifest names a package.
    pub fn names(&self, manifest: &str, package: &str) -> bool {
        mentions(manifest, &self.folded(package), self.mention)
    }
}

/// Whether a package stands in a text as a name of its own. What begins with the name and goes on with `/` or `.` is part of it.
fn mentions(text: &str, package: &str, mention: Mention) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(package).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + package.len()..]);
        if mention == Mention::Key {
            let value = after.strip_prefix('"').map(str::trim_start);
            return before.ends_with('"') && value.is_some_and(|value| value.starts_with(':'));
        }
        let own = package.ends_with(|c| !is_part(c)) || !after.starts_with(is_part);
        let own = own && !before.ends_with(|c: char| is_part(c) || matches!(c, '.' | '@'));
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_comment = line.trim_start().starts_with('#') || line.trim_start().starts_with("//");
        let starts = line.trim_matches([' ', '\t', '-']).is_empty()
            || line.ends_with(['"', '\'', '`', ':', '/', '(', '<', '>', '{', '=', ',', '[', '"']);
        own && !is_comment && (mention == Mention::Word || starts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::registry::Registry;
    use std::collections::BTreeSet;

    fn names(ecosystem: &str, manifest: &str, package: &str) -> bool {
        let known = KnownFrameworks::builtin();
        let ecosystem = known.ecosystems.iter().find(|one| one.name == ecosystem).expect("known");
        ecosystem.names(&ecosystem.folded(manifest), package)
    }

    #[test]
    fn the_list_can_be_read_and_names_rules_and_languages_that_exist() {
        let known = KnownFrameworks::read(LIST).unwrap_or_else(|error| panic!("{error}"));
        let packs = Registry::builtin().packs();
        let rules: BTreeSet<&str> = packs
            .iter()
            .filter_map(|pack| pack.rules())
            .flat_map(|rules| rules.frameworks.iter().map(|framework| framework.name.as_str()))
            .collect();
        let named = known.frameworks.iter().flat_map(|one| &one.rules);
        for name in named.chain(known.signs.iter().flat_map(|sign| &sign.rules)) {
            assert!(rules.contains(name.as_str()), "no rule file is called `{name}`");
        }
    }

    #[test]
    fn every_framework_whose_rules_find_routes_is_known() {
        let known = KnownFrameworks::builtin();
        let listed: BTreeSet<&str> = known
            .frameworks
            .iter()
            .flat_map(|one| &one.rules)
            .chain(known.signs.iter().flat_map(|sign| &sign.rules))
            .map(String::as_str)
            .collect();
        for pack in Registry::builtin().packs() {
            let frameworks = pack.rules().map(|rules| rules.frameworks.as_slice()).unwrap_or_default();
            for framework in frameworks {
                let routes = !framework.routes.is_empty() || !framework.file_routes.is_empty();
                assert!(!routes || listed.contains(framework.name.as_str()), "{}", framework.name);
            }
        }
    }

    #[test]
    fn a_manifest_names_a_package_and_not_its_namesakes() {
        let npm = "{ \"name\": \"x\", \"dependencies\": { \"@hapi/hapi\": \"^21\", \"next-auth\": \"1\" } }";
        assert!(names("npm", npm, "@hapi/hapi"));
        assert!(!names("npm", npm, "next"), "another package");
        assert!(!names("npm", "{ \"description\": \"express yourself\" }", "express"));
        assert!(names("pypi", "Flask_RESTX==1.0\n", "flask-restx"));
        assert!(!names("pypi", "Flask-RESTX==1.0\n# tornado\n", "flask"));
        assert!(!names("pypi", "# tornado is not used\n", "tornado"));
        assert!(names("hex", "      {:phoenix, \"~> 1.7\"},\n", "phoenix"));
        assert!(!names("hex", "      {:phoenix_html, \"~> 4\"},\n", "phoenix"));
        assert!(names("maven", "implementation(\"io.javalin:javalin:6\")", "io.javalin"));
        assert!(names("maven", "<artifactId>spark-core</artifactId>", "spark-core"));
        assert!(names("go", "\tgithub.com/gin-gonic/gin/v2 v2.0.0\n", "github.com/gin-gonic/gin"));
        assert!(names("swiftpm", ".package(url: \"https://github.com/vapor/vapor.git\")", "vapor"));
        assert!(names("nuget", "<Project Sdk=\"Microsoft.NET.Sdk.Web\">", "Microsoft.NET.Sdk.Web"));
        assert!(
            names("cargo", "[dependencies.axum]\nversion = \"1\"", "axum")
                || names("cargo", "axum = \"1\"", "axum")
        );
    }
}
