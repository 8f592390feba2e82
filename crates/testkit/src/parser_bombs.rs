//! Parser bombs: small files that are expensive to parse, generated from a seed.
//!
//! Parsers are fast on code written by people. On other input (endless operators, nested brackets, unclosed strings, noise)
//! error recovery and ambiguity can take memory and time out of proportion to the size of the file. The same seed and
//! tokens give the same files on every machine.

/// The minimum and maximum size of a file.
const SMALLEST: usize = 1 << 10;
const LARGEST: usize = 2 << 20;

/// Pieces that are repeated until the file is full.
const REPEATED: &[&str] = &[
    "a<b<c<d<",
    "a<b<",
    "a<",
    "a?b:",
    "a?b:a?b:",
    "a ? ",
    "(",
    "((((",
    "[",
    "[[[[",
    "{",
    "{{{{",
    "<",
    "<<<<",
    "a(",
    "a[",
    "a{",
    "f(a, b); ",
    "[{",
    "({",
    "([",
    "(a,",
    "[a,",
    "{a:",
    "{\"a\":",
    "if if if ",
    "if (a) {",
    "if a {\n",
    "if a:\n",
    "else if (a) ",
    "for(",
    "while(",
    "do ",
    "begin ",
    "end ",
    "case a: ",
    "fn a(",
    "def a(",
    "class A { ",
    "class A:\n",
    "a.b(",
    "a->b",
    "a::b::",
    "A<B<",
    "new A<",
    "a as ",
    "a=>",
    "=> ",
    "-> ",
    "a=",
    "a = b = ",
    "!",
    "-",
    "- ",
    "*",
    "&",
    "&&",
    "||a",
    "a||b&&",
    "1+",
    "1,",
    "a b ",
    "a\n",
    ";",
    "\n",
    "\t\n",
    ",",
    ".",
    "..",
    ":",
    "::",
    "@a ",
    "@",
    "#",
    "# ",
    "$",
    "${",
    "\"${",
    "`${",
    "#{",
    "\"#{",
    "%",
    "^",
    "~",
    "\\",
    "\\\n",
    "|",
    "/",
    "//\n",
    "/*",
    "/**/",
    "<!--",
    "<a>",
    "<a ",
    "<a b=",
    "</a>",
    "<a/>",
    "<?",
    "<%",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "```\n",
    "\"a\" ",
    "'a' ",
    "r#\"",
    "@\"",
    "$\"{",
    "f\"{",
    "<<A\n",
    "<<~A\n",
    "<<-'A'\n",
    "<<<A\n",
    "=begin\n",
    "{-",
    "(*",
    "--[[",
    "#if A\n",
    "#ifdef A\n#else\n",
    "#endif\n",
    "#define A(x) \\\n",
    "A(x) ",
    "TYPE A ",
    "a: ",
    "a:\n",
    "- a\n",
    "- - ",
    "? ",
    "> ",
    "* ",
    "1. ",
    "| a ",
    "![",
    "[a](",
    "_a",
    "**",
    "&a ",
    "*a, ",
    "<script>a</script>\n",
    "<style>a{}</style>\n",
    "<script>\n",
    "a { b: c } ",
    "a{",
    "@media a{",
    "var a = 1;\n",
    "let a = a;\n",
    "int a(int a) { a(a); }\n",
    "def a(a):\n  a(a)\n",
    "function a(a) { return a(a); }\n",
    "fn a(a: A) -> A { a(a) }\n",
    "class A extends A { a() {} }\n",
    "import a.b;\n",
    "select (a, ",
    "select case when ",
    "a |> ",
    "(a ",
    "'(",
    "a -> a -> ",
    "\\a -> ",
    "let a in ",
    "where ",
    "match a with ",
    "| A -> ",
    "{% a %}",
    "{{ a }}",
    "@a{",
    "@a(",
    "$a",
    "$(",
    "$((",
    "`a ",
    "a;a;",
    "a=b&",
    "\u{e9}",
    "\u{1f600}",
    "\u{feff}",
    "\u{202e}",
    "\r",
    "\r\n",
    "\u{c}",
    "\u{0}",
];

/// Pairs of text that open and close a level.
const NESTED: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("f(", ")"),
    ("a[", "]"),
    ("A<", ">"),
    ("<a>", "</a>"),
    ("{\"a\":", "}"),
    ("[{", "}]"),
    ("(a,", ")"),
    ("if (a) {", "}"),
    ("class A {", "}"),
    ("function a() {", "}"),
    ("\"#{", "}\""),
    ("`${", "}`"),
    ("$(", ")"),
    ("/*", "*/"),
    ("{-", "-}"),
    ("(*", "*)"),
    ("begin ", " end"),
    ("do ", " end"),
    ("-(", ")"),
    ("a ? (", ") : b"),
    ("#if A\n", "#endif\n"),
    ("fn a() { ", "}"),
    ("=> {", "}"),
    ("(fn [a] ", ")"),
    ("let a = (", ") in a"),
    ("not (", ")"),
];

/// Text that opens something that the rest of the file never closes.
const OPENED: &[&str] = &[
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "/*",
    "<!--",
    "<![CDATA[",
    "<<A\n",
    "<<~A\n",
    "<<<A\n",
    "=begin\n",
    "{-",
    "(*",
    "--[[",
    "#|",
    "r#\"",
    "R\"a(",
    "@\"",
    "$\"",
    "q(",
    "%q(",
    "%w[",
    "~s(",
    "$a$",
    "```\n",
    "---\n",
    "<script>",
    "<style>",
    "<?php ",
    "@{",
    "#{",
    "${",
    "[[",
    "\\begin{a}",
    "__END__\n",
    "x = \"",
    "x = '",
    "// ",
    "# ",
    "-- ",
    "; ",
    "% ",
];

/// Line beginnings that may open a level of indentation.
const INDENTED: &[&str] =
    &["a:", "- a", "if a:", "a", "{", "(", "* a", "def a():", "<a>", "where", "a = do", "? a"];

/// A generated file.
#[derive(Clone, Debug)]
pub struct Bomb {
    /// A description for people.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Generates file number `index` of a seed. `tokens` are the tokens of the target language. The shapes repeat, with other
/// parts and sizes.
#[must_use]
pub fn bomb(tokens: &[&str], seed: u64, index: usize) -> Bomb {
    let mut draw = Draw(seed ^ (index as u64).wrapping_mul(0xa076_1d64_78bd_642f));
    let size = draw.size();
    let (name, bytes) = match index % 10 {
        0 | 1 => repeated(REPEATED[draw.below(REPEATED.len())], size),
        2 => nested(NESTED[draw.below(NESTED.len())], size),
        3 => opened(&mut draw, size),
        4 => indented(&mut draw, size),
        5 => long_line(&mut draw, size),
        6 => noise(&mut draw, size),
        7 => words(&mut draw, tokens, size),
        _ => tokens_repeated(&mut draw, tokens, size),
    };
    Bomb { name: format!("{name} x {} KB", size / 1000), bytes }
}

/// A file of exactly `size` bytes that repeats one piece.
#[must_use]
pub fn repeated_bomb(piece: &str, size: usize) -> Bomb {
    let (name, bytes) = repeated(piece, size);
    Bomb { name, bytes }
}

fn repeated(piece: &str, size: usize) -> (String, Vec<u8>) {
    (format!("{piece:?} again and again"), piece.as_bytes().iter().copied().cycle().take(size).collect())
}

fn nested((open, close): (&str, &str), size: usize) -> (String, Vec<u8>) {
    let levels = size / (open.len() + close.len());
    let text = format!("x = {}a{};\n", open.repeat(levels), close.repeat(levels));
    (format!("{open:?} closed by {close:?}"), text.into_bytes())
}

fn opened(draw: &mut Draw, size: usize) -> (String, Vec<u8>) {
    let open = OPENED[draw.below(OPENED.len())];
    let filler = ["a", "a b c\n", "a\\", "\" ' ` ", "\n", "*/ ", "${a} #{a} "][draw.below(7)];
    let mut bytes = open.as_bytes().to_vec();
    bytes.extend(filler.as_bytes().iter().copied().cycle().take(size));
    (format!("{open:?} and then {filler:?}"), bytes)
}

/// Lines of increasing indentation, starting over when a line would be too long.
fn indented(draw: &mut Draw, size: usize) -> (String, Vec<u8>) {
    let word = INDENTED[draw.below(INDENTED.len())];
    let (step, deepest) = (1 + draw.below(4), [50, 500, 5_000][draw.below(3)]);
    let mut bytes = Vec::with_capacity(size + deepest + 16);
    for level in (0..deepest).step_by(step).cycle() {
        bytes.extend(std::iter::repeat_n(b' ', level));
        bytes.extend_from_slice(word.as_bytes());
        bytes.push(b'\n');
        if bytes.len() >= size {
            break;
        }
    }
    (format!("{word:?} indented by {step} more each line, up to {deepest}"), bytes)
}

fn long_line(draw: &mut Draw, size: usize) -> (String, Vec<u8>) {
    let (open, piece, close) = [
        ("x = \"", "a", "\";"),
        ("x = [", "1, ", "]"),
        ("x = ", "a + ", "a;"),
        ("", "a", ""),
        ("", "0", ""),
        ("x = f(", "a, ", "a);"),
        ("x = a", ".b", ";"),
        ("// ", "a ", ""),
        ("x = {", "\"a\": 1, ", "}"),
        ("<a ", "b=\"c\" ", "></a>"),
        ("x = a", "()", ";"),
        ("", " ", "a"),
    ][draw.below(12)];
    let text = format!("{open}{}{close}", piece.repeat(size / piece.len()));
    (format!("one line of {piece:?}"), text.into_bytes())
}

fn noise(draw: &mut Draw, size: usize) -> (String, Vec<u8>) {
    const BRACKETS: &[u8] = b"()[]{}<>\"'`/*-=+.,:;#$&|!?@\\ \n ab1";
    let (name, bytes): (_, Vec<u8>) = match draw.below(4) {
        0 => ("any bytes", (0..size).map(|_| draw.below(256) as u8).collect()),
        1 => ("printable characters", (0..size).map(|_| b' ' + draw.below(95) as u8).collect()),
        2 => ("brackets and signs", (0..size).map(|_| BRACKETS[draw.below(BRACKETS.len())]).collect()),
        _ => {
            let line =
                |at: usize, draw: &mut Draw| if at % 60 == 59 { b'\n' } else { b' ' + draw.below(95) as u8 };
            ("printable characters in lines", (0..size).map(|at| line(at, draw)).collect())
        }
    };
    (name.to_owned(), bytes)
}

/// Tokens of the language in random order.
fn words(draw: &mut Draw, tokens: &[&str], size: usize) -> (String, Vec<u8>) {
    let names = ["a", "b", "A", "f(a)", "1", "\"s\"", "\n", "(", ")", "{", "}"];
    let gap = [" ", "", "\n"][draw.below(3)];
    let mut bytes = Vec::with_capacity(size + 64);
    while bytes.len() < size {
        let word = match draw.below(3) {
            0 => names[draw.below(names.len())],
            _ => tokens.get(draw.below(tokens.len())).unwrap_or(&"a"),
        };
        bytes.extend_from_slice(word.as_bytes());
        bytes.extend_from_slice(gap.as_bytes());
    }
    (format!("tokens in any order with {gap:?} between"), bytes)
}

/// A few tokens of the language, repeated: some are almost programs.
fn tokens_repeated(draw: &mut Draw, tokens: &[&str], size: usize) -> (String, Vec<u8>) {
    let gap = [" ", "", " a ", "a", "\n"][draw.below(5)];
    let count = 1 + draw.below(4);
    let piece: Vec<&str> =
        (0..count).map(|_| *tokens.get(draw.below(tokens.len())).unwrap_or(&"a")).collect();
    repeated(&(piece.join(gap) + gap), size)
}

/// Pseudorandom numbers (the `SplitMix64` generator), the same for the same seed.
struct Draw(u64);

impl Draw {
    /// The next number, smaller than `end`; zero if `end` is zero.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    /// A size: one file in four has the maximum; the others are log-uniform.
    fn size(&mut self) -> usize {
        if self.below(4) == 0 {
            return LARGEST;
        }
        let doublings = (LARGEST / SMALLEST).ilog2() as usize;
        let least = SMALLEST << self.below(doublings);
        least + self.below(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_files() {
        for index in 0..20 {
            let [one, other] = [(); 2].map(|()| bomb(&["if", "+"], 7, index));
            assert!(one.bytes == other.bytes && one.name == other.name);
            assert!(one.bytes.len() >= SMALLEST / 2 && one.bytes.len() <= LARGEST + 8192, "{}", one.name);
        }
        assert_ne!(bomb(&["if"], 1, 6).bytes, bomb(&["if"], 2, 6).bytes);
    }
}
