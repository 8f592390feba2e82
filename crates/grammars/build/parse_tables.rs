//! Extracts the parse tables from a generated `parser.c`: returns their bytes, and the C source without them.
//!
//! The generator of tree-sitter writes three large integer arrays as C initialisers. They are parsed by the rules of C
//! for designated initialisers, as far as the generator uses them; anything else is an error. A grammar
//! with two states of three symbols, the first of them "large", has
//!
//! ```c
//! static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {
//!   [STATE(0)] = {
//!     [sym_pair] = ACTIONS(7),
//!   },
//! };
//! static const uint16_t ts_small_parse_table[] = {
//!   [0] = 1,
//!     ACTIONS(5), 1,
//!       sym_pair,
//! };
//! static const uint32_t ts_small_parse_table_map[] = {
//!   [SMALL_STATE(1)] = 0,
//! };
//! ```
//!
//! With `sym_pair = 2` the first is one row `0 0 7`, the second `1 5 1 2` and the third, since `SMALL_STATE` counts from the
//! first state that is not large, `0`. In the source that is compiled each array is a single zero instead, the structure
//! that refers to them is writable, and a function at its end takes the address of the real ones:
//!
//! ```c
//! void orient_tables_NAME(const unsigned char *tables) {
//!   TSLanguage *language = (TSLanguage *)tree_sitter_NAME();
//!   language->small_parse_table_map = (const uint32_t *)(tables + 0);
//!   language->parse_table = (const uint16_t *)(tables + 4);
//!   language->small_parse_table = (const uint16_t *)(tables + 10);
//! }
//! ```

use std::collections::HashMap;

/// The byte order of the target machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

/// A parser without its tables, and the tables.
#[derive(Debug)]
pub(crate) struct Split {
    /// The rest of the source, with the function that sets the tables.
    pub(crate) source: String,
    /// The tables in their memory layout, concatenated.
    pub(crate) tables: Vec<u8>,
    /// The function that returns the language: `tree_sitter_NAME`.
    pub(crate) language: String,
    /// The function that sets the tables: `orient_tables_NAME`.
    pub(crate) taker: String,
}

/// An array to extract. The wider integers come first, so that each array is aligned at the end of the one before.
struct Array {
    /// The field of `TSLanguage` that points to it; the array has the same name with the prefix `ts_`.
    field: &'static str,
    integer: &'static str,
    width: usize,
    /// Whether it is an array of rows with one entry for each symbol.
    has_rows: bool,
}

const ARRAYS: [Array; 3] = [
    Array { field: "small_parse_table_map", integer: "uint32_t", width: 4, has_rows: false },
    Array { field: "parse_table", integer: "uint16_t", width: 2, has_rows: true },
    Array { field: "small_parse_table", integer: "uint16_t", width: 2, has_rows: false },
];

/// The named numbers: `#define`s of a plain number, and symbols.
type Names<'a> = HashMap<&'a str, usize>;

/// Extracts the tables from the source of a parser.
pub(crate) fn split(source: &str, endian: Endian) -> Result<Split, String> {
    let names = names(source)?;
    let language = language(source)?;
    let mut tables = Vec::new();
    let mut takes = Vec::new();
    let mut cuts = Vec::new();
    for array in &ARRAYS {
        // The generator omits empty arrays, if all states are large or none is.
        let Some(cut) = array.read(source, &names, endian)? else { continue };
        let (field, integer, at) = (array.field, array.integer, tables.len());
        takes.push(format!("  language->{field} = (const {integer} *)(tables + {at});\n"));
        tables.extend_from_slice(&cut.bytes);
        cuts.push(cut);
    }
    let structure = "static const TSLanguage language = {";
    let at = source.find(structure).ok_or("no structure that describes the language")?;
    cuts.push(Cut {
        from: at,
        to: at + structure.len(),
        instead: "static TSLanguage language = {".into(),
        bytes: vec![],
    });
    let taker = language.replace("tree_sitter_", "orient_tables_");
    let source = format!(
        "{}\nvoid {taker}(const unsigned char *tables) {{\n  \
         TSLanguage *language = (TSLanguage *){language}();\n{}}}\n",
        without(source, cuts),
        takes.concat()
    );
    Ok(Split { source, tables, language: language.to_owned(), taker })
}

/// A part of the source, with its shorter replacement.
struct Cut {
    from: usize,
    to: usize,
    instead: String,
    /// The bytes of the array that was there.
    bytes: Vec<u8>,
}

fn without(source: &str, mut cuts: Vec<Cut>) -> String {
    cuts.sort_by_key(|cut| cut.from);
    let mut left = String::new();
    let mut end = 0;
    for cut in &cuts {
        left += &source[end..cut.from];
        left += &cut.instead;
        end = cut.to;
    }
    left + &source[end..]
}

/// The name of the function that returns the language.
fn language(source: &str) -> Result<&str, String> {
    let before = "TSLanguage *tree_sitter_";
    let at = source.find(before).ok_or("no function that gives the language")? + "TSLanguage *".len();
    let length = source[at..].find("(void)").ok_or("the function that gives the language takes arguments")?;
    Ok(&source[at..at + length])
}

/// Collects the named numbers.
fn names(source: &str) -> Result<Names<'_>, String> {
    let mut names = Names::from([("ts_builtin_sym_end", 0)]);
    for line in source.lines().take_while(|line| !line.starts_with("enum")) {
        if let Some((name, value)) = line.strip_prefix("#define ").and_then(|it| it.split_once(' '))
            && let Ok(value) = value.trim().parse()
        {
            names.insert(name, value);
        }
    }
    let (_, symbols) = source.split_once("enum ts_symbol_identifiers {").ok_or("no list of symbols")?;
    let (symbols, _) = symbols.split_once('}').ok_or("the list of symbols has no end")?;
    for symbol in symbols.split(',').map(str::trim).filter(|symbol| !symbol.is_empty()) {
        let value = symbol.split_once(" = ").and_then(|(name, value)| Some((name, value.parse().ok()?)));
        let (name, value) = value.ok_or_else(|| format!("symbol without a number: {symbol}"))?;
        names.insert(name, value);
    }
    Ok(names)
}

impl Array {
    /// Reads the array, if there is one.
    fn read(&self, source: &str, names: &Names, endian: Endian) -> Result<Option<Cut>, String> {
        let Array { field, integer, width, has_rows } = *self;
        let bounds = if has_rows { "[LARGE_STATE_COUNT][SYMBOL_COUNT]" } else { "[]" };
        let opening = format!("static const {integer} ts_{field}{bounds} = {{");
        let Some(from) = source.find(&opening) else {
            let is_there = source.contains(&format!(" ts_{field}["));
            return if is_there { Err(format!("{field}: declared in another way")) } else { Ok(None) };
        };
        let named = |name: &str| names.get(name).copied().ok_or_else(|| format!("{name} is not defined"));
        let large_states = named("LARGE_STATE_COUNT")?;
        let mut reader = Reader { source, at: from + opening.len(), names, large_states };
        let numbers =
            if has_rows { reader.rows(large_states, named("SYMBOL_COUNT")?) } else { reader.numbers(None) };
        let numbers = numbers.map_err(|error| format!("{field}, line {}: {error}", reader.line()))?;
        reader.expect(b';')?;
        let bytes = in_memory(&numbers, width, endian).map_err(|error| format!("{field}: {error}"))?;
        let zero = if has_rows { "[1][SYMBOL_COUNT] = {{0}}" } else { "[1] = {0}" };
        let instead = format!("static const {integer} ts_{field}{zero};");
        Ok(Some(Cut { from, to: reader.at, instead, bytes }))
    }
}

/// The numbers as bytes of the target machine.
fn in_memory(numbers: &[u32], width: usize, endian: Endian) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(numbers.len() * width);
    for &number in numbers {
        let little = number.to_le_bytes();
        let (low, high) = little.split_at(width);
        if high.iter().any(|&byte| byte != 0) {
            return Err(format!("{number} does not fit into {width} bytes"));
        }
        match endian {
            Endian::Little => bytes.extend_from_slice(low),
            Endian::Big => bytes.extend(low.iter().rev()),
        }
    }
    Ok(bytes)
}

/// Parses an initialiser after its opening brace.
struct Reader<'a> {
    source: &'a str,
    at: usize,
    names: &'a Names<'a>,
    large_states: usize,
}

impl<'a> Reader<'a> {
    /// A list of rows up to its closing brace; rows that are not listed are zeros.
    fn rows(&mut self, count: usize, length: usize) -> Result<Vec<u32>, String> {
        let mut numbers = vec![0; count * length];
        let mut row = 0;
        while !self.takes(b'}') {
            row = self.designator()?.unwrap_or(row);
            self.expect(b'{')?;
            let place = numbers.get_mut(row * length..(row + 1) * length);
            let place = place.ok_or_else(|| format!("row {row} of {count}"))?;
            place.copy_from_slice(&self.numbers(Some(length))?);
            row += 1;
            self.comma()?;
        }
        Ok(numbers)
    }

    /// A list of numbers up to its closing brace, of the given length or, without one, up to its last number.
    fn numbers(&mut self, length: Option<usize>) -> Result<Vec<u32>, String> {
        let mut numbers = vec![0; length.unwrap_or(0)];
        let mut index = 0;
        while !self.takes(b'}') {
            index = self.designator()?.unwrap_or(index);
            let value = self.value()?;
            if index >= numbers.len() {
                if let Some(length) = length {
                    return Err(format!("number {index} of {length}"));
                }
                numbers.resize(index + 1, 0);
            }
            numbers[index] = u32::try_from(value).map_err(|_| format!("{value} is too large"))?;
            index += 1;
            self.comma()?;
        }
        Ok(numbers)
    }

    /// `[INDEX] =`, if present.
    fn designator(&mut self) -> Result<Option<usize>, String> {
        if !self.takes(b'[') {
            return Ok(None);
        }
        let index = self.value()?;
        self.expect(b']')?;
        self.expect(b'=')?;
        Ok(Some(index))
    }

    /// A number, a named number, or one of the three macros that the header of tree-sitter defines for tables.
    fn value(&mut self) -> Result<usize, String> {
        let word = self.word();
        if let Ok(number) = word.parse() {
            return Ok(number);
        }
        if !self.takes(b'(') {
            return self.names.get(word).copied().ok_or_else(|| format!("`{word}` is no number"));
        }
        let inner = self.value()?;
        self.expect(b')')?;
        match word {
            "ACTIONS" | "STATE" => Ok(inner),
            "SMALL_STATE" => inner.checked_sub(self.large_states).ok_or_else(|| format!("{inner} is large")),
            _ => Err(format!("`{word}` is no macro of tables")),
        }
    }

    /// A comma, unless the list ends here.
    fn comma(&mut self) -> Result<(), String> {
        if self.takes(b',') || self.peek() == Some(b'}') { Ok(()) } else { Err(self.unlike(b',')) }
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.takes(byte) { Ok(()) } else { Err(self.unlike(byte)) }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_here = self.peek() == Some(byte);
        self.at += usize::from(is_here);
        is_here
    }

    fn word(&mut self) -> &'a str {
        self.peek();
        let rest = &self.source[self.at..];
        let end = rest.bytes().position(|byte| byte != b'_' && !byte.is_ascii_alphanumeric());
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = &self.source.as_bytes()[self.at..];
        self.at += bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.source.as_bytes().get(self.at).copied()
    }

    fn unlike(&mut self, expected: u8) -> String {
        let found = self.peek().map_or("the end".to_owned(), |byte| format!("`{}`", char::from(byte)));
        format!("`{}` expected, not {found}", char::from(expected))
    }

    /// The current line, from 1.
    fn line(&self) -> usize {
        self.source[..self.at].matches('\n').count() + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
#define STATE_COUNT 4
#define LARGE_STATE_COUNT 2
#define SYMBOL_COUNT 3

enum ts_symbol_identifiers {
  anon_sym_COMMA = 1,
  sym_pair = 2,
};

static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {
  [STATE(1)] = {
    [ts_builtin_sym_end] = ACTIONS(3),
    [sym_pair] = STATE(258),
  },
};

static const uint16_t ts_small_parse_table[] = {
  [0] = 1,
    ACTIONS(5), 1,
      sym_pair,
  [6] = 0,
};

static const uint32_t ts_small_parse_table_map[] = {
  [SMALL_STATE(2)] = 0,
  [SMALL_STATE(3)] = 65538,
};

TS_PUBLIC const TSLanguage *tree_sitter_pairs(void) {
  static const TSLanguage language = {
    .parse_table = &ts_parse_table[0][0],
  };
  return &language;
}
";

    #[test]
    fn tables_are_read_as_c_reads_them() {
        let split = split(SOURCE, Endian::Little).unwrap();
        let map = [0, 0, 0, 0, 2, 0, 1, 0];
        let large = [0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2, 1];
        let small = [1, 0, 5, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(split.tables, [&map[..], &large, &small].concat());
        assert_eq!(
            (split.language.as_str(), split.taker.as_str()),
            ("tree_sitter_pairs", "orient_tables_pairs")
        );
    }

    #[test]
    fn the_other_order_of_bytes_turns_each_number() {
        let split = split(SOURCE, Endian::Big).unwrap();
        assert_eq!(split.tables[4..14], [0, 1, 0, 2, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_is_left_has_one_zero_for_each_table_and_a_taker() {
        let source = split(SOURCE, Endian::Little).unwrap().source;
        assert!(
            source.contains("static const uint16_t ts_parse_table[1][SYMBOL_COUNT] = {{0}};\n"),
            "{source}"
        );
        assert!(source.contains("static const uint32_t ts_small_parse_table_map[1] = {0};\n"), "{source}");
        assert!(source.contains("  static TSLanguage language = {\n"), "{source}");
        assert!(
            source.contains("language->small_parse_table = (const uint16_t *)(tables + 20);\n"),
            "{source}"
        );
        assert!(!source.contains("STATE(258)"), "{source}");
    }

    #[test]
    fn a_table_that_is_not_there_is_left_out() {
        let start = SOURCE.find("static const uint32_t").unwrap();
        let end = SOURCE.find("TS_PUBLIC").unwrap();
        let split = split(&format!("{}{}", &SOURCE[..start], &SOURCE[end..]), Endian::Little).unwrap();
        assert_eq!(split.tables.len(), 26);
        assert!(!split.source.contains("language->small_parse_table_map"));
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        let error = |from: &str, to: &str| {
            assert!(SOURCE.contains(from));
            split(&SOURCE.replace(from, to), Endian::Little).unwrap_err()
        };
        assert_eq!(error("STATE(258)", "258 + 1"), "parse_table, line 13: `,` expected, not `+`");
        assert_eq!(error("STATE(258)", "TWICE(258)"), "parse_table, line 13: `TWICE` is no macro of tables");
        assert_eq!(error("STATE(258)", "65536"), "parse_table: 65536 does not fit into 2 bytes");
        assert_eq!(error("[STATE(1)]", "[STATE(2)]"), "parse_table, line 11: row 2 of 2");
        assert_eq!(
            error("      sym_pair", "      sym_other"),
            "small_parse_table, line 20: `sym_other` is no number"
        );
        assert_eq!(error("SMALL_STATE(2)", "SMALL_STATE(1)"), "small_parse_table_map, line 25: 1 is large");
        assert_eq!(
            error("static const uint32_t", "static const uint64_t"),
            "small_parse_table_map: declared in another way"
        );
        assert_eq!(error("sym_pair = 2", "sym_pair"), "symbol without a number: sym_pair");
    }
}
