//! The packs that are compiled in, and which of them a file belongs to.

use crate::pack::Pack;
use crate::project::{Glob, ProjectSource};
use crate::schema::error::PackError;
use regex::bytes::Regex;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// How far into a file of a contested name its language is looked for.
const CONTESTED_HEAD: usize = 16 * 1024;

/// The files of a pack.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) name: Cow<'static, str>,
    pub(crate) header: Cow<'static, str>,
    pub(crate) table: Option<Cow<'static, str>>,
    pub(crate) tags: Option<Cow<'static, str>>,
    /// Packs whose tables this one starts from, outermost first: their names and tables.
    pub(crate) inherited: Vec<(&'static str, Cow<'static, str>)>,
    /// For files of the language that say where modules are.
    pub(crate) project: Option<ProjectSource>,
}

// `include_str!` resolves these paths relative to `packs/registry.rs`, where the macros expand.
macro_rules! file {
    ($name:literal, $file:literal) => {
        include_str!(concat!($name, "/", $file))
    };
}

macro_rules! deep {
    ($name:literal $(, $parent:literal)*) => {
        Source {
            name: Cow::Borrowed($name),
            header: Cow::Borrowed(file!($name, "pack.toml")),
            table: Some(Cow::Borrowed(file!($name, "table.toml"))),
            tags: None,
            inherited: vec![$(($parent, Cow::Borrowed(file!($parent, "table.toml")))),*],
            project: None,
        }
    };
}

macro_rules! shallow {
    ($name:literal) => {
        Source {
            name: Cow::Borrowed($name),
            header: Cow::Borrowed(file!($name, "pack.toml")),
            table: None,
            tags: Some(Cow::Borrowed(file!($name, "tags.scm"))),
            inherited: Vec::new(),
            project: None,
        }
    };
}

macro_rules! plain {
    ($name:literal) => {
        Source {
            name: Cow::Borrowed($name),
            header: Cow::Borrowed(file!($name, "pack.toml")),
            table: None,
            tags: None,
            inherited: Vec::new(),
            project: None,
        }
    };
}

macro_rules! project {
    ($pack:literal, $name:literal, $files:expr) => {
        ProjectSource {
            pack: $pack,
            name: $name,
            files: &$files,
            text: Cow::Borrowed(include_str!(concat!($pack, "/projects/", $name, ".toml"))),
        }
    };
}

include!("../../packs/registry.rs");

/// The known languages.
pub struct Registry {
    packs: Vec<Pack>,
    by_suffix: HashMap<Vec<u8>, usize>,
    by_file_name: HashMap<Vec<u8>, usize>,
    /// `name*` patterns: what a file name starts with.
    by_prefix: Vec<(Vec<u8>, usize)>,
    by_shebang: HashMap<String, usize>,
    /// Files that several languages call the same: their name, the pack, and what tells that they are of it.
    contested: Vec<(Vec<u8>, usize, Arc<Telling>)>,
    /// Packs again, each with what some of its files say about where modules are.
    projects: Vec<Pack>,
    /// The names of such files, longest pattern first: the pack, the pattern, and which of `projects` it is.
    by_project: Vec<(usize, Glob, usize)>,
}

/// What tells that a file is of a language. Compiled when it is first asked: most commands read no such file, and
/// compiling them all takes longer than the rest of a start.
struct Telling {
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Telling {
    fn is_in(&self, text: &[u8]) -> bool {
        let compiled = self.compiled.get_or_init(|| Regex::new(&self.pattern).ok());
        compiled.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

impl Registry {
    /// The packs that are compiled in.
    pub fn builtin() -> &'static Self {
        static BUILTIN: OnceLock<Registry> = OnceLock::new();
        BUILTIN.get_or_init(|| {
            let packs = builtin().into_iter().filter_map(|source| Pack::load(source).ok()).collect();
            Self::new(packs, projects())
        })
    }

    /// Packs read from a folder in place of the compiled-in ones of the same name: for those who write packs.
    pub fn from_folder(folder: &Path, read: &dyn Fn(&Path) -> Option<String>) -> Result<Self, PackError> {
        let file = |pack: &str, file: &str| read(&folder.join(pack).join(file));
        let mut sources = builtin();
        for source in &mut sources {
            if let Some(text) = file(&source.name, "pack.toml") {
                source.header = Cow::Owned(text);
                source.table =
                    source.table.take().map(|old| file(&source.name, "table.toml").map_or(old, Cow::Owned));
                source.tags =
                    source.tags.take().map(|old| file(&source.name, "tags.scm").map_or(old, Cow::Owned));
            }
            for (parent, table) in &mut source.inherited {
                if let Some(text) = file(parent, "table.toml") {
                    *table = Cow::Owned(text);
                }
            }
        }
        let mut projects = projects();
        for project in &mut projects {
            if let Some(text) = file(project.pack, &format!("projects/{}.toml", project.name)) {
                project.text = Cow::Owned(text);
            }
        }
        Ok(Self::new(sources.into_iter().map(Pack::load).collect::<Result<_, _>>()?, projects))
    }

    fn new(packs: Vec<Pack>, projects: Vec<ProjectSource>) -> Self {
        let mut registry = Self {
            packs: Vec::new(),
            by_suffix: HashMap::new(),
            by_file_name: HashMap::new(),
            by_prefix: Vec::new(),
            by_shebang: HashMap::new(),
            contested: Vec::new(),
            projects: Vec::new(),
            by_project: Vec::new(),
        };
        for (index, pack) in packs.iter().enumerate() {
            for pattern in &pack.header.files {
                if let Some(suffix) = pattern.strip_prefix('*') {
                    registry.by_suffix.insert(suffix.to_ascii_lowercase().into_bytes(), index);
                } else if let Some(prefix) = pattern.strip_suffix('*') {
                    registry.by_prefix.push((prefix.as_bytes().to_vec(), index));
                } else {
                    registry.by_file_name.insert(pattern.as_bytes().to_vec(), index);
                }
            }
            for contested in &pack.header.contested {
                let telling = Telling { pattern: contested.contains.clone(), compiled: OnceLock::new() };
                let telling = Arc::new(telling);
                for pattern in &contested.files {
                    let suffix = pattern.trim_start_matches('*').to_ascii_lowercase().into_bytes();
                    registry.contested.push((suffix, index, Arc::clone(&telling)));
                }
            }
            for shebang in &pack.header.shebangs {
                registry.by_shebang.insert(shebang.clone(), index);
            }
        }
        let mut patterns = Vec::new();
        for project in projects {
            let Some(base) = packs.iter().position(|pack| pack.name() == project.pack) else { continue };
            let variant = registry.projects.len();
            patterns.extend(project.files.iter().map(|pattern| (*pattern, base, variant)));
            registry.projects.push(packs[base].with_project(project));
        }
        patterns.sort_by_key(|(pattern, ..)| (std::cmp::Reverse(pattern.len()), *pattern));
        let by_project = patterns.into_iter().map(|(pattern, base, at)| (base, Glob::new(pattern), at));
        registry.by_project = by_project.collect();
        registry.packs = packs;
        registry
    }

    /// All packs, in the order of their names.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// The packs again that read project files: one for each kind of them. Their names are those of their languages.
    pub fn projects(&self) -> &[Pack] {
        &self.projects
    }

    /// The names of the project files that compiled-in packs read, without those that are patterns. No pack is read
    /// for it.
    pub fn project_files() -> impl Iterator<Item = &'static str> {
        let files = projects().into_iter().flat_map(|project| project.files);
        files.copied().filter(|name| !name.contains('*'))
    }

    /// The pack that reads a file which is in the language of `pack`: that pack, or one of [`Self::projects`].
    pub fn for_file<'r>(&'r self, pack: &'r Pack, path: &[u8]) -> &'r Pack {
        let at = self.packs.iter().position(|known| known.name() == pack.name());
        at.map_or(pack, |at| self.at(at, path).unwrap_or(pack))
    }

    /// The pack users call so, by name or alias.
    pub fn by_name(&self, name: &str) -> Option<&Pack> {
        let name = name.to_ascii_lowercase();
        self.packs.iter().find(|pack| pack.name() == name || pack.aliases().contains(&name))
    }

    /// The pack of a file, by its name or, failing that, by its first line.
    pub fn detect(&self, path: &[u8], head: &[u8]) -> Option<&Pack> {
        self.at(self.language(path, head)?, path)
    }

    /// The pack that reads a file of a language.
    fn at(&self, language: usize, path: &[u8]) -> Option<&Pack> {
        let name = file_name(path);
        let project = self.by_project.iter().find(|(base, glob, _)| *base == language && glob.matches(name));
        match project {
            Some(&(_, _, variant)) => self.projects.get(variant),
            None => self.packs.get(language),
        }
    }

    fn language(&self, path: &[u8], head: &[u8]) -> Option<usize> {
        let name = file_name(path);
        if let Some(&index) = self.by_file_name.get(name) {
            return Some(index);
        }
        let lower = name.to_ascii_lowercase();
        let start = &head[..head.len().min(CONTESTED_HEAD)];
        let contested = self
            .contested
            .iter()
            .find(|(suffix, _, telling)| lower.ends_with(suffix) && telling.is_in(start));
        if let Some(&(_, index, _)) = contested {
            return Some(index);
        }
        // The longest suffix wins: `.blade.php` before `.php`.
        for at in lower.iter().enumerate().filter(|(_, b)| **b == b'.').map(|(at, _)| at) {
            if let Some(&index) = self.by_suffix.get(&lower[at..]) {
                return Some(index);
            }
        }
        if let Some((_, index)) = self.by_prefix.iter().find(|(prefix, _)| name.starts_with(prefix)) {
            return Some(*index);
        }
        self.by_shebang.get(shebang(head)?).copied()
    }

    /// All faults of all packs.
    pub fn faults(&self) -> Vec<PackError> {
        self.packs.iter().chain(&self.projects).flat_map(Pack::faults).collect()
    }
}

fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or_default()
}

/// The interpreter a first line names: `python3` in `#!/usr/bin/env python3 -u`.
fn shebang(head: &[u8]) -> Option<&str> {
    let line = head.strip_prefix(b"#!")?.split(|&b| b == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    if program != "env" {
        return Some(program);
    }
    words.find(|word| !word.starts_with('-') && !word.contains('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_builtin_pack_is_without_fault() {
        for source in builtin() {
            let name = source.name.to_string();
            let pack = Pack::load(source).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(pack.name(), name, "a pack is called as its folder");
            let faults: Vec<String> = pack.faults().iter().map(ToString::to_string).collect();
            assert!(faults.is_empty(), "{}", faults.join("\n"));
        }
        let faults: Vec<String> = Registry::builtin().faults().iter().map(ToString::to_string).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert_eq!(Registry::builtin().projects().len(), projects().len(), "each is for a language there is");
    }

    #[test]
    fn a_project_file_is_read_by_its_rules_and_keeps_its_language() {
        let registry = Registry::builtin();
        let base = registry.by_name("json").expect("a pack");
        let of = |path: &[u8]| {
            let pack = registry.detect(path, b"").expect("a pack");
            assert_eq!(pack.version(), registry.for_file(base, path).version());
            assert_eq!(pack.name(), "json");
            pack.project_title()
        };
        assert_eq!(of(b"a/other.json"), None);
        assert_eq!(of(b"a/package.json"), Some("npm package"));
        assert_eq!(of(b"package-lock.json"), None);
        assert_eq!(of(b"a/tsconfig.base.json"), Some("TypeScript project"));
        assert_ne!(registry.for_file(base, b"package.json").version(), base.version());
    }

    #[test]
    fn the_first_bytes_decide_about_contested_names() {
        let language = |path: &[u8], head: &[u8]| Registry::builtin().detect(path, head).map(Pack::name);
        assert_eq!(language(b"a.h", b"int f(void);\n"), Some("c"));
        assert_eq!(language(b"a.h", b"/* Call it\n   using the handle. */\nint f(void);\n"), Some("c"));
        assert_eq!(language(b"a.h", b"#pragma once\nnamespace a {\nclass B;\n}\n"), Some("cpp"));
        assert_eq!(language(b"a.h", b"#import <A/A.h>\n@interface B : NSObject\n@end\n"), Some("objc"));
        assert_eq!(language(b"a.m", b"#import <A/A.h>\n@implementation B\n@end\n"), Some("objc"));
        assert_eq!(language(b"a.m", b"% Adds.\nfunction y = add(x)\n  y = x + 1;\nend\n"), Some("text"));
        assert_eq!(language(b"a.pl", b":- module(a, [b/1]).\nb(X) :- c(X).\n"), Some("text"));
        assert_eq!(language(b"a.pl", b"use strict;\nprint 1;\n"), Some("perl"));
        assert_eq!(language(b"a.r", b"REBOL [title: 1]\n"), Some("text"));
        assert_eq!(language(b"a.R", b"f <- function(x) x\n"), Some("r"));
        assert_eq!(language(b"a.ts", b"<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n<TS></TS>\n"), Some("xml"));
        assert_eq!(language(b"a.ts", b"let a: number = 1;\n"), Some("typescript"));
        assert_eq!(language(b"a.blade.php", b"@yield('a')\n"), Some("blade"));
    }

    #[test]
    fn a_first_line_names_its_interpreter() {
        assert_eq!(shebang(b"#!/bin/bash -e\nx"), Some("bash"));
        assert_eq!(shebang(b"#!/usr/bin/env -S A=1 python3 -u\n"), Some("python3"));
        assert_eq!(shebang(b"# no"), None);
    }
}
