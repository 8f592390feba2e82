//! The content of a generated parser: a program that includes it writes its arrays, and takes its lexers apart step by step.

use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use orient_grammars::{Grammar, Lexer, LexerState, PARTS, Part, pack};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The program, which is compiled once for each grammar.
const HARNESS: &str = include_str!("harness.c");
/// The last character of Unicode.
const LAST: i32 = 0x10_FFFF;

/// The content of the parser in a directory, in its stored form.
pub(super) fn of_parser(grammar: &Grammar, directory: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let parser = directory.join("parser.c");
    let source = fs::read_to_string(&parser).with_context(|| format!("reading {}", parser.display()))?;
    let characters = characters(&source)?;
    let written = write_parts(grammar, directory, &source, &characters, scratch)?;
    let mut parts: [Vec<u8>; PARTS.len()] = std::array::from_fn(|_| Vec::new());
    for (place, part) in PARTS.into_iter().enumerate() {
        let Some(bytes) = written.get(name(part)) else { continue };
        parts[place] = match part {
            Part::Lexer | Part::KeywordLexer => lexer(bytes, &characters)?.to_bytes(),
            _ => bytes.clone(),
        };
    }
    Ok(pack(&parts))
}

/// The name of a part in the output of the program: that of its array, without prefix.
fn name(part: Part) -> &'static str {
    match part {
        Part::Counts => "counts",
        Part::SmallParseTableMap => "small_parse_table_map",
        Part::ParseTable => "parse_table",
        Part::SmallParseTable => "small_parse_table",
        Part::ParseActions => "parse_actions",
        Part::SymbolNames => "symbol_names",
        Part::FieldNames => "field_names",
        Part::FieldMapSlices => "field_map_slices",
        Part::FieldMapEntries => "field_map_entries",
        Part::SymbolMetadata => "symbol_metadata",
        Part::PublicSymbolMap => "symbol_map",
        Part::AliasMap => "non_terminal_alias_map",
        Part::AliasSequences => "alias_sequences",
        Part::LexModes => "lex_modes",
        Part::ExternalScannerStates => "external_scanner_states",
        Part::ExternalScannerSymbols => "external_scanner_symbol_map",
        Part::PrimaryStateIds => "primary_state_ids",
        Part::Name => "name",
        Part::ReservedWords => "reserved_words",
        Part::SupertypeSymbols => "supertype_symbols",
        Part::SupertypeMapSlices => "supertype_map_slices",
        Part::SupertypeMapEntries => "supertype_map_entries",
        Part::Lexer => "lex",
        Part::KeywordLexer => "lex_keywords",
    }
}

/// Compiles and runs the program. Returns what it wrote, by name.
fn write_parts(
    grammar: &Grammar,
    directory: &Path,
    source: &str,
    characters: &[i32],
    scratch: &Path,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let declared = Regex::new(r"TSLanguage \*(?:const )?(tree_sitter_\w+)\(")?;
    let language = &declared.captures(source).context("the parser has no function for its language")?[1];
    let place = |name: &str| scratch.join(format!("{}-{name}", grammar.name));
    let (harness, content, list) = (place("harness.c"), place("content.h"), place("characters.h"));
    fs::write(&harness, format!("{HARNESS}\n{}", stubs(grammar)))?;
    fs::write(&content, statements(source, language)?)?;
    fs::write(&list, characters.iter().map(ToString::to_string).collect::<Vec<_>>().join(",\n"))?;
    // As for make and Cargo, `CC` may name a wrapper and then the compiler: `ccache cc`.
    let compiler = std::env::var("CC").unwrap_or_default();
    let mut words = compiler.split_whitespace();
    let mut compile = Command::new(words.next().unwrap_or("cc"));
    compile
        .args(words)
        .args(["-w", "-O1", "-I"])
        .arg(directory)
        .arg(&harness)
        .arg("-o")
        .arg(place("harness"));
    compile.arg(if grammar.is_iso { "-std=c11" } else { "-std=gnu11" });
    compile.arg(format!("-DPARSER=\"{}\"", directory.join("parser.c").display()));
    compile.arg(format!("-DCONTENT=\"{}\"", content.display()));
    compile.arg(format!("-DCHARACTERS=\"{}\"", list.display()));
    compile.arg(format!("-DLANGUAGE={language}"));
    workspace::output(&mut compile)?;
    let out = place("out");
    workspace::output(Command::new(place("harness")).arg(&out))?;
    read_parts(&fs::read(&out).context("reading what the program wrote")?)
}

/// Functions in the place of the external scanner: the program only needs their addresses.
fn stubs(grammar: &Grammar) -> String {
    let Some(scanner) = grammar.scanner else { return String::new() };
    format!(
        "void *{scanner}_external_scanner_create(void) {{ return 0; }}\n\
         void {scanner}_external_scanner_destroy(void *scanner) {{}}\n\
         bool {scanner}_external_scanner_scan(void *scanner, TSLexer *lexer, const bool *valid) {{ return false; }}\n\
         unsigned {scanner}_external_scanner_serialize(void *scanner, char *buffer) {{ return 0; }}\n\
         void {scanner}_external_scanner_deserialize(void *scanner, const char *buffer, unsigned length) {{}}\n"
    )
}

/// The calls that write what this parser has.
fn statements(source: &str, language: &str) -> Result<String> {
    let mut statements = Vec::new();
    for part in PARTS {
        let name = name(part);
        let has_array = source.contains(&format!(" ts_{name}["));
        statements.push(match part {
            Part::Counts => continue,
            Part::SymbolNames | Part::FieldNames if has_array => format!("STRINGS(\"{name}\", ts_{name});"),
            Part::Name if source.contains("  .name = \"") => {
                "part(\"name\"); bytes(language->name, strlen(language->name) + 1);".to_owned()
            }
            Part::Lexer | Part::KeywordLexer => match states(source, name)? {
                Some(count) => format!("lexer(\"{name}\", ts_{name}, {count});"),
                None if part == Part::Lexer => bail!("{language} has no lexer"),
                None => continue,
            },
            _ if has_array => format!("ARRAY(\"{name}\", ts_{name});"),
            _ => continue,
        });
    }
    Ok(statements.join("\n"))
}

/// The body of a lexer.
fn body<'s>(source: &'s str, name: &str) -> Option<&'s str> {
    let start = source.find(&format!("static bool ts_{name}(TSLexer"))?;
    let end = source[start..].find("\n}\n")?;
    Some(&source[start..start + end])
}

/// The number of states of a lexer.
fn states(source: &str, name: &str) -> Result<Option<u32>> {
    let Some(body) = body(source, name) else { return Ok(None) };
    let mut count = 0;
    for case in Regex::new(r"(?m)^\s+case (\d+):")?.captures_iter(body) {
        count = count.max(case[1].parse::<u32>()? + 1);
    }
    Ok(Some(count))
}

/// The characters at which the lexers may change what they do: every number in their conditions, and the next one. More numbers do no
/// harm, so all of the lexers and of the sets of characters before them are taken.
fn characters(source: &str) -> Result<Vec<i32>> {
    let mut found = BTreeSet::from([-1, 0, 1]);
    let mut add = |character: i32| found.extend([character, character.saturating_add(1)]);
    let sets = ["_character_set_", "static bool ts_lex("];
    let start = sets.iter().filter_map(|start| source.find(start)).min().context("there is no lexer")?;
    let end = source[start..].find(" ts_lex_modes[").context("lexers end before their modes")?;
    let text = &source[start..start + end];
    for number in Regex::new(r"0[xX][0-9a-fA-F]+|\b[0-9]+\b")?.find_iter(text) {
        let number = number.as_str();
        let value = match number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
            Some(digits) => i32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        add(value.with_context(|| format!("{number} is no character"))?);
    }
    for letter in Regex::new(r"'(\\.|[^'\\])'")?.captures_iter(text) {
        add(character(&letter[1]).with_context(|| format!("unknown escape {}", &letter[0]))?);
    }
    Ok(found.into_iter().filter(|character| *character <= LAST + 1).collect())
}

/// The code of a C character.
fn character(written: &str) -> Option<i32> {
    let mut letters = written.chars();
    let code = match (letters.next()?, letters.next()) {
        ('\\', Some(escape)) => match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'f' => 12,
            'v' => 11,
            'a' => 7,
            'b' => 8,
            '0' => 0,
            '\\' | '\'' | '"' | '?' => u32::from(escape),
            _ => return None,
        },
        (letter, _) => u32::from(letter),
    };
    i32::try_from(code).ok()
}

/// The parts that the program wrote.
fn read_parts(mut bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut next = || -> Result<Option<Vec<u8>>> {
        let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        ensure!(length <= rest.len(), "the program did not write everything");
        let (part, rest) = rest.split_at(length);
        bytes = rest;
        Ok(Some(part.to_owned()))
    };
    let mut parts = BTreeMap::new();
    while let Some(name) = next()? {
        parts.insert(String::from_utf8(name)?, next()?.context("a name without its part")?);
    }
    Ok(parts)
}

/// A lexer from the rows that the program wrote: the accepted token, the step at the end of the file, and those by characters.
fn lexer(bytes: &[u8], characters: &[i32]) -> Result<Lexer> {
    let mut numbers = Vec::new();
    for word in bytes.as_chunks::<4>().0 {
        numbers.push(u16::try_from(u32::from_le_bytes(*word)).context("a lexer has too many states")?);
    }
    let rows = numbers.chunks_exact(characters.len() + 2);
    let states: Vec<LexerState> =
        rows.map(|row| LexerState { accepted: row[0], at_end: row[1], steps: row[2..].to_vec() }).collect();
    Ok(Lexer::new(characters, &states))
}
