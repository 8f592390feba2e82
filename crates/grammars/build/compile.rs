//! Compiles one grammar: its tables into a compressed file, the rest of it into object files.

use crate::grammars::Grammar;
use crate::parse_tables::{self, Endian};
use crate::{variable, write};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Compression level: higher ones take more time and save next to nothing.
const LEVEL: i32 = 19;

/// Version of the build: increment it to rebuild all grammars.
const RECIPE: [&str; 2] = [include_str!("compile.rs"), include_str!("parse_tables.rs")];

/// The build results of one grammar.
pub(crate) struct Built {
    /// The function that returns the language.
    pub(crate) language: String,
    /// The function that sets the tables.
    pub(crate) taker: String,
    /// Size of the tables in bytes.
    pub(crate) unpacked: usize,
    /// The object files.
    pub(crate) objects: Vec<PathBuf>,
}

/// The C compiler for the target, and the options that all grammars share.
pub(crate) struct Compiler {
    out: PathBuf,
    endian: Endian,
    is_msvc: bool,
    /// The command line, with the options of the profile and of the environment.
    command: String,
}

impl Compiler {
    pub(crate) fn new(out: &Path) -> Result<Self, String> {
        let is_little = variable("CARGO_CFG_TARGET_ENDIAN")? == "little";
        // This instance tells cargo which environment variables matter; those for single grammars stay silent.
        let tool = cc::Build::new().try_get_compiler().map_err(|error| error.to_string())?;
        Ok(Self {
            out: out.to_owned(),
            endian: if is_little { Endian::Little } else { Endian::Big },
            is_msvc: std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|it| it == "msvc"),
            command: format!("{:?}", tool.to_command()),
        })
    }

    /// Builds a grammar, unless its results are up to date.
    pub(crate) fn build(&self, grammar: &Grammar, directory: &Path) -> Result<Built, String> {
        let out = self.out.join(grammar.name);
        let key = self.key(grammar, directory)?;
        let record = out.join("built");
        if let Some(built) = fs::read_to_string(&record).ok().and_then(|text| Built::from_record(&text, &key))
        {
            return Ok(built);
        }
        fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        let built = self.build_from_scratch(grammar, directory, &out)?;
        write(&record, built.record(&key).as_bytes())?;
        Ok(built)
    }

    fn build_from_scratch(&self, grammar: &Grammar, directory: &Path, out: &Path) -> Result<Built, String> {
        let path = directory.join("parser.c");
        let source = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let split = parse_tables::split(&source, self.endian)?;
        drop(source);
        let parser = out.join("parser.c");
        write(&parser, split.source.as_bytes())?;
        let packed = zstd::bulk::compress(&split.tables, LEVEL).map_err(|error| error.to_string())?;
        write(&out.join("tables"), &packed)?;
        let mut build = cc::Build::new();
        build.cargo_metadata(false).warnings(false).out_dir(out).include(directory).file(&parser);
        if grammar.is_iso {
            build.std("c11");
        }
        if self.is_msvc {
            build.flag("-utf-8");
        }
        let scanner = directory.join("scanner.c");
        if scanner.exists() {
            build.file(scanner);
        }
        Ok(Built {
            language: split.language,
            taker: split.taker,
            unpacked: split.tables.len(),
            objects: build.try_compile_intermediates().map_err(|error| error.to_string())?,
        })
    }

    /// Archives all object files in one library, which cargo links.
    pub(crate) fn archive(&self, built: &[Built]) -> Result<(), String> {
        let objects = built.iter().flat_map(|built| &built.objects);
        let mut library = cc::Build::new();
        library.out_dir(&self.out).objects(objects);
        library.try_compile("orient-grammars").map_err(|error| error.to_string())
    }

    /// The fingerprint of everything that the build results of a grammar depend on.
    fn key(&self, grammar: &Grammar, directory: &Path) -> Result<String, String> {
        let mut hasher = DefaultHasher::new();
        (RECIPE, &self.command, directory, grammar.is_iso).hash(&mut hasher);
        let unreadable = |error| format!("{}: {error}", directory.display());
        let mut files = Vec::new();
        for entry in fs::read_dir(directory).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let about = entry.metadata().map_err(unreadable)?;
            let time = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push((entry.file_name(), about.len(), time));
        }
        files.sort();
        files.hash(&mut hasher);
        Ok(format!("{:016x}", hasher.finish()))
    }
}

impl Built {
    /// The text form in which it is stored: a line for each part, object files last.
    fn record(&self, key: &str) -> String {
        let objects: Vec<_> = self.objects.iter().map(|path| path.display().to_string()).collect();
        format!("{key}\n{}\n{}\n{}\n{}\n", self.language, self.taker, self.unpacked, objects.join("\n"))
    }

    /// The stored results, if their fingerprint matches and their files still exist.
    fn from_record(text: &str, key: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next()? != key {
            return None;
        }
        let built = Self {
            language: lines.next()?.to_owned(),
            taker: lines.next()?.to_owned(),
            unpacked: lines.next()?.parse().ok()?,
            objects: lines.map(PathBuf::from).collect(),
        };
        built.objects.iter().all(|object| object.exists()).then_some(built)
    }
}
