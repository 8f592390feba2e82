//! Edits of the small programs in the documents of the packs. Each line of them matters to resolution, so random edits hit what
//! users change all day: aliases, imports, bases, members that hide others, overloads, the order of declarations, whole files.

use super::Churn;
use super::compare::{equals_full_build, refresh};
use crate::bench::{Scratch, open};
use crate::random::Random;
use crate::report::count;
use crate::workspace;
use anyhow::{Context, Result, bail};
use orient_testkit::Document;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Batches on one program before the next is taken.
const BATCHES_PER_PROGRAM: usize = 6;
/// After this many batches a program is restored, since edits add up to something that is no program any more.
const BATCHES_PER_COPY: usize = 3;
/// Maximum number of edits in a batch.
const EDITS: usize = 3;

/// A small program: the text of each file.
type Program = BTreeMap<String, String>;

/// The programs of a pack.
struct Pack {
    name: String,
    programs: Vec<(String, Program)>,
}

/// Edits programs and compares the indexes.
pub(super) fn run(batches: usize, options: &Churn) -> Result<()> {
    let packs: Vec<Pack> = read_packs()?
        .into_iter()
        .filter(|pack| options.packs.is_empty() || options.packs.contains(&pack.name))
        .collect();
    if packs.is_empty() {
        bail!("no pack of this name has documents with programs");
    }
    let scratch = Scratch::new("churn")?;
    let scratch_path = scratch.path().canonicalize()?;
    let mut random = Random(options.seed);
    let (mut done, mut resolved) = (0, 0);
    let mut differ: BTreeMap<&str, usize> = BTreeMap::new();
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    while done < batches {
        // Each pack in turn: languages with many documents are not tested more than others.
        let pack = &packs[(done / BATCHES_PER_PROGRAM) % packs.len()];
        let (title, program) = &pack.programs[random.below(pack.programs.len())];
        let mut editing = Editing {
            root: scratch_path.join("tree"),
            program: Program::new(),
            original: program.clone(),
            pack,
            random: &mut random,
        };
        let _ = std::fs::remove_dir_all(&editing.root);
        editing.restore()?;
        let store = scratch_path.join("store");
        let engine = open(&editing.root, &store)?;
        refresh(&engine)?;
        let mut edits = vec![format!("{}: {title}", pack.name)];
        for batch in 0..BATCHES_PER_PROGRAM.min(batches - done) {
            if batch == BATCHES_PER_COPY {
                editing.restore()?;
                edits.push("restored".to_owned());
            }
            for _ in 0..=editing.random.below(EDITS) {
                edits.push(editing.edit()?);
            }
            resolved += refresh(&engine)?;
            done += 1;
            *counted.entry(&pack.name).or_default() += 1;
            if !equals_full_build(&engine, &editing.root, &scratch_path, &edits)? {
                *differ.entry(&pack.name).or_default() += 1;
                if !options.keep_going {
                    bail!("batch {done}: the index that caught up differs from one built from scratch");
                }
                println!("-- batch {done}");
                break;
            }
        }
        drop(engine);
        std::fs::remove_dir_all(&store)?;
    }
    let by_pack =
        counted.iter().map(|(name, number)| format!("{name} {number}")).collect::<Vec<_>>().join(", ");
    println!("{} batches ({by_pack}), {} files resolved again", count(done as u64), count(resolved as u64));
    if !differ.is_empty() {
        bail!("the index differed from one built from scratch: {differ:?}");
    }
    println!("the index always equals one built from scratch");
    Ok(())
}

/// The programs in the documents of all packs.
fn read_packs() -> Result<Vec<Pack>> {
    let mut packs: BTreeMap<String, Vec<(String, Program)>> = BTreeMap::new();
    let directory = workspace::root().join("crates/lang/packs");
    for entry in std::fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
        let pack = entry?;
        for inside in ["resolution", "frameworks"] {
            let Ok(documents) = std::fs::read_dir(pack.path().join(inside)) else { continue };
            let mut documents: Vec<PathBuf> = documents.flatten().map(|document| document.path()).collect();
            documents.retain(|document| document.extension().is_some_and(|extension| extension == "md"));
            documents.sort();
            for document in documents {
                let text = std::fs::read_to_string(&document)?;
                let programs = packs.entry(pack.file_name().to_string_lossy().into_owned()).or_default();
                for case in Document::parse(&text).cases {
                    let files = case.blocks.into_iter();
                    let program: Program =
                        files.filter_map(|block| Some((block.file?, block.text))).collect();
                    if program.len() > 1 {
                        programs.push((case.title, program));
                    }
                }
            }
        }
    }
    packs.retain(|_, programs| !programs.is_empty());
    Ok(packs.into_iter().map(|(name, programs)| Pack { name, programs }).collect())
}

/// A program that is being edited, in a directory.
struct Editing<'p> {
    root: PathBuf,
    program: Program,
    original: Program,
    pack: &'p Pack,
    random: &'p mut Random,
}

impl Editing<'_> {
    /// Writes the program as it is in its document.
    fn restore(&mut self) -> Result<()> {
        for path in std::mem::take(&mut self.program).keys() {
            self.remove(path)?;
        }
        for (path, text) in self.original.clone() {
            self.put(&path, text)?;
        }
        Ok(())
    }

    fn put(&mut self, path: &str, text: String) -> Result<()> {
        let at = self.root.join(path);
        let directory = at.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
        std::fs::write(&at, &text).with_context(|| at.display().to_string())?;
        self.program.insert(path.to_owned(), text);
        Ok(())
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        self.program.remove(path);
        let mut at = self.root.join(path);
        std::fs::remove_file(&at).with_context(|| at.display().to_string())?;
        // Empty directories go, since a file may get the name of one.
        while at.pop() && at != self.root && std::fs::remove_dir(&at).is_ok() {}
        Ok(())
    }

    fn pick<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        list.get(self.random.below(list.len()))
    }

    /// Makes one random edit and describes it.
    fn edit(&mut self) -> Result<String> {
        let paths: Vec<String> = self.program.keys().cloned().collect();
        let Some(path) = self.pick(&paths).cloned() else {
            self.restore()?;
            return Ok("restored".to_owned());
        };
        let text = self.program[&path].clone();
        match self.random.below(16) {
            0..=4 => self.replace_word(&path, &text, false),
            5 => self.replace_word(&path, &text, true),
            6 | 7 => self.without_block(&path, &text),
            8 | 9 => self.with_block_of_other(&path, &text),
            10 => self.exchange_lines(&path, &text),
            11 | 12 => self.with_line_of_other_program(&path, &text),
            13 => self.move_file(&path, text),
            14 => {
                self.remove(&path)?;
                Ok(format!("removed {path}"))
            }
            _ => {
                let Some((path, text)) = self.original.iter().nth(self.random.below(self.original.len()))
                else {
                    return Ok(String::new());
                };
                let (path, text) = (path.clone(), text.clone());
                if self.is_free(&path) {
                    self.put(&path, text)?;
                }
                Ok(format!("{path} as it was"))
            }
        }
    }

    /// Whether a file of this path is there, or can be made.
    fn is_free(&self, path: &str) -> bool {
        let is_inside =
            |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        !self.program.keys().any(|one| is_inside(one, path) || is_inside(path, one))
    }

    /// Another word instead of one: another alias, base, type, callee, module.
    fn replace_word(&mut self, path: &str, text: &str, everywhere: bool) -> Result<String> {
        let here: Vec<(usize, &str)> = words(text).collect();
        let all: BTreeSet<String> =
            self.program.values().flat_map(|text| words(text).map(|(_, word)| word.to_owned())).collect();
        let all: Vec<String> = all.into_iter().collect();
        let (Some(&(at, old)), Some(new)) = (self.pick(&here), self.pick(&all).cloned()) else {
            return Ok(String::new());
        };
        let changed = if everywhere {
            let mut changed = text.to_owned();
            for (at, word) in here.iter().rev().filter(|(_, word)| *word == old) {
                changed.replace_range(*at..at + word.len(), &new);
            }
            changed
        } else {
            format!("{}{new}{}", &text[..at], &text[at + old.len()..])
        };
        let line = text[..at].matches('\n').count() + 1;
        let said = format!("{path}:{line}: {old} -> {new}{}", if everywhere { ", everywhere" } else { "" });
        self.put(path, changed)?;
        Ok(said)
    }

    /// A line and what is indented below it goes: a member, a type, an import.
    fn without_block(&mut self, path: &str, text: &str) -> Result<String> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let at = self.random.below(lines.len());
        let end = block_end(&lines, at);
        self.put(path, [&lines[..at], &lines[end..]].concat().concat())?;
        Ok(format!("{path}:{}: without `{}`", at + 1, lines.get(at).map_or("", |line| line.trim())))
    }

    /// A block of this or another file of the program, after a line of the same indentation: a member hides another, a type exists
    /// twice, an overload is added.
    fn with_block_of_other(&mut self, path: &str, text: &str) -> Result<String> {
        let texts: Vec<String> = self.program.values().cloned().collect();
        let from = self.pick(&texts).cloned().unwrap_or_default();
        let from: Vec<&str> = from.split_inclusive('\n').collect();
        let at = self.random.below(from.len());
        let block = from[at.min(from.len())..block_end(&from, at)].concat();
        self.insert(path, text, &block)
    }

    /// A block of another program of the pack.
    fn with_line_of_other_program(&mut self, path: &str, text: &str) -> Result<String> {
        let pack = self.pack;
        let extension = |path: &str| path.rsplit_once('.').map(|(_, extension)| extension.to_owned());
        let (_, program) = &pack.programs[self.random.below(pack.programs.len())];
        let kin: Vec<&String> = program
            .iter()
            .filter(|(one, _)| extension(one) == extension(path))
            .map(|(_, text)| text)
            .collect();
        let Some(from) = self.pick(&kin) else { return Ok(String::new()) };
        let from: Vec<&str> = from.split_inclusive('\n').collect();
        let at = self.random.below(from.len());
        let block = from[at.min(from.len())..block_end(&from, at)].concat();
        self.insert(path, text, &block)
    }

    fn insert(&mut self, path: &str, text: &str, block: &str) -> Result<String> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let level = indentation(block);
        let places: Vec<usize> = (0..lines.len()).filter(|&at| indentation(lines[at]) == level).collect();
        let at = self.pick(&places).copied().unwrap_or(lines.len());
        self.put(path, format!("{}{block}{}", lines[..at].concat(), lines[at..].concat()))?;
        Ok(format!("{path}:{}: with `{}`", at + 1, block.lines().next().unwrap_or_default().trim()))
    }

    /// Two blocks of the same indentation in the other order.
    fn exchange_lines(&mut self, path: &str, text: &str) -> Result<String> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let first = self.random.below(lines.len());
        let middle = block_end(&lines, first);
        let same =
            lines.get(first).zip(lines.get(middle)).is_some_and(|(a, b)| indentation(a) == indentation(b));
        if !same {
            return Ok(String::new());
        }
        let end = block_end(&lines, middle);
        let parts = [&lines[..first], &lines[middle..end], &lines[first..middle], &lines[end..]];
        self.put(path, parts.concat().concat())?;
        Ok(format!("{path}:{}: exchanged with the next", first + 1))
    }

    /// The file gets another directory or name, or is in a directory of its own name.
    fn move_file(&mut self, path: &str, text: String) -> Result<String> {
        let directories: BTreeSet<&str> = self
            .original
            .keys()
            .map(|path| path.rsplit_once('/').map_or("", |(directory, _)| directory))
            .collect();
        let directories: Vec<String> = directories.into_iter().map(str::to_owned).collect();
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        let paths: Vec<String> = self.original.keys().cloned().collect();
        let to = match self.random.below(3) {
            0 => format!("{path}/{name}"),
            1 => self.pick(&paths).cloned().unwrap_or_default(),
            _ => {
                let directory = self.pick(&directories).cloned().unwrap_or_default();
                if directory.is_empty() { name } else { format!("{directory}/{name}") }
            }
        };
        self.remove(path)?;
        if !self.is_free(&to) {
            return Ok(format!("removed {path}"));
        }
        self.put(&to, text)?;
        Ok(format!("{path} moved to {to}"))
    }
}

/// The words of a text with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_word)?;
        let end = text[start..].find(|c| !is_word(c)).map_or(text.len(), |length| start + length);
        at = end;
        Some((start, &text[start..end]))
    })
}

/// One past the last line of the block that begins with a line: what is indented below it, and a closing bracket.
fn block_end(lines: &[&str], at: usize) -> usize {
    let Some(first) = lines.get(at) else { return lines.len() };
    let level = indentation(first);
    let inside =
        lines[at + 1..].iter().take_while(|line| line.trim().is_empty() || indentation(line) > level);
    let end = at + 1 + inside.count();
    let closes = lines.get(end).is_some_and(|line| {
        end > at + 1 && indentation(line) == level && line.trim_start().starts_with(['}', ')', ']'])
            || end > at + 1 && line.trim() == "end"
    });
    end + usize::from(closes)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
