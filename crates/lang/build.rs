//! Puts the packs into the program: lists their files, so that adding one changes no code; writes TOML in binary form, so that
//! no command reads text; and hashes everything, since every command must know whether an index was built with the same packs.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed=build.rs");
    for directory in ["packs", "known"] {
        println!("cargo:rerun-if-changed={}", root.join(directory).display());
    }
    let mut packs =
        Packs { root: root.join("packs"), out: out.clone(), facts: FNV_OFFSET, rules: FNV_OFFSET };
    let mut code = "static PACKS: &[PackFiles] = &[\n".to_owned();
    for directory in sorted(&packs.root)?.iter().filter(|path| path.is_dir()) {
        packs.write_pack(directory, &mut code)?;
    }
    code.push_str("];\n");
    fs::write(out.join("packs.rs"), code)?;
    let [facts, rules] = [packs.facts, packs.rules].map(u64::to_le_bytes);
    let versions = format!(
        "const FACTS_FINGERPRINT: u64 = u64::from_le_bytes({facts:?});\n\
         const RULES_FINGERPRINT: u64 = u64::from_le_bytes({rules:?});\n"
    );
    fs::write(out.join("fingerprints.rs"), versions)?;
    for file in sorted(&root.join("known"))? {
        fs::write(out.join(stem(&file)).with_extension("known"), binary(&file)?)?;
    }
    Ok(())
}

/// The packs as they are written, and the hashes of what they hold.
struct Packs {
    root: PathBuf,
    out: PathBuf,
    /// Of everything that facts depend on.
    facts: u64,
    /// Of what only resolution and answers depend on.
    rules: u64,
}

impl Packs {
    /// Adds the expression of a pack's `PackFiles`.
    fn write_pack(&mut self, directory: &Path, code: &mut String) -> Result<(), Box<dyn Error>> {
        let name = stem(directory);
        let (facts, rules) = (Part::Facts, Part::Rules);
        let manifest = self.document(&directory.join("pack.toml"), facts)?;
        let manifest = manifest.ok_or_else(|| format!("{} has no pack.toml", directory.display()))?;
        writeln!(code, "    PackFiles {{\n        name: {name:?},\n        manifest: {manifest},")?;
        for (field, file, part) in [("rules", "rules.toml", rules), ("node_table", "table.toml", facts)] {
            writeln!(code, "        {field}: {},", optional(self.document(&directory.join(file), part)?))?;
        }
        let queries = directory.join("tags.scm");
        let queries = if queries.is_file() {
            self.hash(&queries, fs::read_to_string(&queries)?.replace("\r\n", "\n").as_bytes(), facts);
            Some(format!("include_str!({:?})", queries.display().to_string()))
        } else {
            None
        };
        writeln!(code, "        queries: {},", optional(queries))?;
        for (field, part) in [("frameworks", rules), ("projects", facts)] {
            writeln!(code, "        {field}: &[")?;
            for path in sorted(&directory.join(field))? {
                // The documents of cases are beside the files.
                if path.extension().is_some_and(|extension| extension != "md")
                    && let Some(document) = self.document(&path, part)?
                {
                    writeln!(code, "            ({:?}, {document}),", stem(&path))?;
                }
            }
            writeln!(code, "        ],")?;
        }
        writeln!(code, "    }},")?;
        Ok(())
    }

    /// The expression of a TOML document in binary form; none if there is no such file.
    fn document(&mut self, path: &Path, part: Part) -> Result<Option<String>, Box<dyn Error>> {
        if !path.is_file() {
            return Ok(None);
        }
        let bytes = binary(path)?;
        self.hash(path, &bytes, part);
        let target = self.out.join(self.relative(path).replace('/', "."));
        fs::write(&target, bytes)?;
        Ok(Some(format!("include_bytes!({:?})", target.display().to_string())))
    }

    fn hash(&mut self, path: &Path, bytes: &[u8], part: Part) {
        let name = self.relative(path);
        let hash = match part {
            Part::Facts => &mut self.facts,
            Part::Rules => &mut self.rules,
        };
        for bytes in [name.as_bytes(), bytes, b"\0"] {
            *hash = fnv1a(*hash, bytes);
        }
    }

    fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().replace('\\', "/")
    }
}

/// What changes if a file of a pack changes.
#[derive(Clone, Copy)]
enum Part {
    Facts,
    Rules,
}

fn binary(path: &Path) -> Result<Vec<u8>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    orient_binary_toml::encode(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn optional(expression: Option<String>) -> String {
    expression.map_or_else(|| "None".to_owned(), |expression| format!("Some({expression})"))
}

/// The entries of a directory; none if it does not exist.
fn sorted(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: a hash that needs no dependency and never changes.
fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
