//! Lookup commands: files, symbols, outline, show.

use crate::sandbox::{Sandbox, text};

const SHOP: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "from .tax import rate\n\n\nclass Cart:\n    \"\"\"What a customer buys.\"\"\"\n\n    def total(self, items):\n        \
         return sum(items) * rate()\n\n    @property\n    def is_empty(self):\n        return True\n\n\n\
         class GiftCart(Cart):\n    def total(self, items):\n        return 0\n",
    ),
    ("shop/tax.py", "def rate():\n    return 7\n\n\ndef rate_of_country(country):\n    return rate()\n"),
    ("tests/test_cart.py", "def test_total():\n    assert True\n"),
    ("notes.txt", "nothing to see\n"),
];

fn shop() -> Sandbox {
    Sandbox::new(SHOP)
}

#[test]
fn files_are_listed_one_to_a_line() {
    let tree = shop();
    tree.assert_output(
        &["files"],
        "
        notes.txt
        shop/cart.py
        shop/tax.py
        tests/test_cart.py
        ",
    );
}

#[test]
fn files_can_be_chosen_by_glob_directory_language_and_role() {
    let tree = shop();
    tree.assert_output(&["files", "shop"], "shop/cart.py\nshop/tax.py");
    tree.assert_output(&["files", "*_cart.py"], "tests/test_cart.py");
    tree.assert_output(&["files", "shop/**", "--lang", "python", "--limit", "1", "-q"], "shop/cart.py");
    tree.assert_output(&["files", "--role", "test"], "tests/test_cart.py");
}

#[test]
fn a_list_that_is_cut_says_how_it_goes_on() {
    let tree = shop();
    let output = tree.run(&["files", "--limit", "1"]);
    let remark = text(&output.stderr);
    let next = remark.split("--after ").nth(1).and_then(|rest| rest.split(',').next()).expect("a cursor");
    assert!(remark.starts_with("partial: 1 of 4 shown\nmore: --after 1@"), "{remark}");
    let output = tree.run(&["files", "--limit", "2", "--after", next]);
    assert_eq!(text(&output.stdout), "shop/cart.py\nshop/tax.py\n");
}

#[test]
fn long_lists_say_what_is_known_of_each_file() {
    shop().assert_output(
        &["files", "shop", "--long"],
        "
        shop/cart.py  python  source  17 lines  5 symbols  260 B
        shop/tax.py   python  source   6 lines  2 symbols   75 B
        ",
    );
}

#[test]
fn symbols_are_found_by_their_name() {
    let tree = shop();
    tree.assert_output(
        &["symbols", "total"],
        "
        shop/cart.py:7  method Cart.total  def total(self, items)
        shop/cart.py:16  method GiftCart.total  def total(self, items)
        ",
    );
    tree.assert_output(
        &["symbols", "Cart.total"],
        "shop/cart.py:7  method Cart.total  def total(self, items)",
    );
    tree.assert_output(
        &["symbols", "rate"],
        "
        shop/tax.py:1  function rate  def rate()
        note: 1 more symbol starts with `rate` (see --match)
        ",
    );
}

#[test]
fn what_is_not_called_exactly_so_is_marked() {
    let tree = shop();
    tree.assert_output(
        &["symbols", "CART"],
        "
        no exact match; names that differ in case:
        shop/cart.py:4  class Cart
        ",
    );
    tree.assert_output(
        &["symbols", "rate_"],
        "
        no exact match; names that start with it:
        shop/tax.py:5  function rate_of_country  def rate_of_country(country)
        ",
    );
    tree.assert_output(
        &["symbols", "country"],
        "
        no exact match; names that contain it as a word:
        shop/tax.py:5  function rate_of_country  def rate_of_country(country)
        ",
    );
    tree.assert_outcome(
        &["symbols", "GiftCrat"],
        1,
        "
        no symbol is named `GiftCrat`; did you mean:
        shop/cart.py:15  class GiftCart  class GiftCart(Cart)
        ",
    );
    tree.assert_outcome(&["symbols", "Warehouse"], 1, "no symbol is named `Warehouse` or similar");
}

#[test]
fn symbols_are_found_by_what_they_are() {
    let tree = shop();
    tree.assert_output(
        &["symbols", "--kind", "class", "--in", "shop"],
        "
        shop/cart.py:4  class Cart
        shop/cart.py:15  class GiftCart  class GiftCart(Cart)
        ",
    );
    tree.assert_output(
        &["symbols", "--base", "Cart"],
        "shop/cart.py:15  class GiftCart  class GiftCart(Cart)",
    );
    tree.assert_output(
        &["symbols", "--attr", "property", "--lang", "python"],
        "shop/cart.py:10  property Cart.is_empty  def is_empty(self)",
    );
    tree.assert_outcome(
        &["symbols", "total", "--kind", "class"],
        1,
        "
        no symbol is named `total` or similar
        note: without the filters, 2 symbols are named `total`
        ",
    );
}

#[test]
fn a_file_is_outlined_whole() {
    shop().assert_output(
        &["outline", "shop/cart.py"],
        "
        shop/cart.py  python, 17 lines
           4  class Cart
           7    method def total(self, items)
          10    property def is_empty(self)
          15  class GiftCart(Cart)
          16    method def total(self, items)
        ",
    );
}

#[test]
fn a_directory_is_outlined_by_its_outermost_symbols() {
    shop().assert_output(
        &["outline", "shop"],
        "
        shop/cart.py  python, 17 lines
           4  class Cart
          15  class GiftCart(Cart)
              and 3 more

        shop/tax.py  python, 6 lines
          1  function def rate()
          5  function def rate_of_country(country)
        ",
    );
}

#[test]
fn a_symbol_is_shown_with_line_numbers() {
    let tree = shop();
    tree.assert_output(
        &["show", "GiftCart.total"],
        "
        shop/cart.py:16-17  method GiftCart.total
        16      def total(self, items):
        17          return 0
        ",
    );
    tree.assert_output(
        &["show", "shop/tax.py#rate"],
        "
        shop/tax.py:1-2  function rate
        1  def rate():
        2      return 7
        ",
    );
    tree.assert_output(
        &["show", "shop/tax.py", "--lines", "5-"],
        "
        shop/tax.py:5-6
        5  def rate_of_country(country):
        6      return rate()
        ",
    );
}

#[test]
fn an_ambiguous_name_is_answered_with_handles() {
    shop().assert_outcome(
        &["show", "total"],
        3,
        "
        `total` is ambiguous; use one of these handles:
        shop/cart.py#Cart.total  line 7  method  def total(self, items)
        shop/cart.py#GiftCart.total  line 16  method  def total(self, items)
        ",
    );
}

#[test]
fn what_only_speaks_of_a_symbol_does_not_make_its_name_ambiguous() {
    let tree = Sandbox::new(&[
        ("README.md", "# Shop\n\n## total\n\nAdds up.\n"),
        ("src/total.ts", "export function total(prices: number[]) {\n  return prices.length;\n}\n"),
        ("src/total.spec.ts", "describe('total', () => {\n  it('adds', () => {});\n});\n"),
    ]);
    tree.assert_outcome(
        &["show", "total"],
        0,
        "
        src/total.ts:1-3  function total
        1  export function total(prices: number[]) {
        2    return prices.length;
        3  }
        note: not the heading or test of the same name: README.md#Shop.total and 1 more
        ",
    );
}

#[test]
fn what_only_a_function_can_name_does_not_make_its_name_ambiguous() {
    let tree = Sandbox::new(&[
        ("echo.py", "def echo(text):\n    return text\n"),
        ("test_echo.py", "def test_eof():\n    def echo():\n        pass\n    echo()\n"),
    ]);
    tree.assert_outcome(
        &["show", "echo"],
        0,
        "
        echo.py:1-2  function echo
        1  def echo(text):
        2      return text
        note: not the function of the same name: test_echo.py#test_eof.echo
        ",
    );
}

#[test]
fn an_unknown_symbol_is_answered_with_suggestions() {
    shop().assert_outcome(
        &["show", "rtae"],
        1,
        "
        no symbol is named `rtae`; did you mean:
        shop/tax.py#rate  line 1  function  def rate()
        ",
    );
}

#[test]
fn paths_are_seen_from_where_one_stands() {
    let tree = shop();
    tree.write(".git/HEAD", "ref: refs/heads/main\n");
    let mut command = tree.command(&["outline", "tax.py"]);
    let output = command.current_dir(tree.root().join("shop")).output().expect("the command starts");
    assert!(text(&output.stdout).starts_with("shop/tax.py  python"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_text_is_shown_and_understood() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Sandbox::new(&[]);
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.py");
    std::fs::write(tree.root().join(name), "def order(): pass\n").expect("the file system takes it");
    tree.assert_output(&["files"], "caf\\xe9.py");
    tree.assert_output(&["symbols", "order"], "caf\\xe9.py:1  function order  def order()");
    tree.assert_output(
        &["outline", "caf\\xe9.py"],
        "
        caf\\xe9.py  python, 1 line
          1  function def order()
        ",
    );
    tree.assert_output(
        &["show", "caf\\xe9.py#order"],
        "
        caf\\xe9.py:1-1  function order
        1  def order(): pass
        ",
    );
}

#[test]
fn a_root_given_by_flag_still_takes_paths_from_where_one_stands() {
    let tree = shop();
    tree.assert_output(
        &["outline", "shop/tax.py", "--root", "shop"],
        "
        tax.py  python, 6 lines
          1  function def rate()
          5  function def rate_of_country(country)
        ",
    );
}

#[test]
fn a_byte_order_mark_is_not_shown() {
    let tree = Sandbox::new(&[("a.cs", "\u{feff}class Token {\r\n}\r\n")]);
    assert_eq!(text(&tree.run(&["show", "Token"]).stdout), "a.cs:1-2  class Token\n1  class Token {\n2  }\n");
}

#[test]
fn lines_outside_of_a_symbol_are_not_shown_as_the_symbol() {
    let tree = Sandbox::new(&[("a.py", "import os\n\n\ndef run():\n    return os.name\n")]);
    tree.assert_outcome(
        &["show", "run", "--lines", "1"],
        0,
        "
        a.py:1-1
        1  import os
        note: lines of the file: the symbol is at 4-5
        ",
    );
}

#[test]
fn a_test_or_a_style_rule_does_not_make_a_name_ambiguous_and_is_listed_last() {
    let tree = Sandbox::new(&[
        ("a_test.go", "package app\n\nfunc rate() int {\n\treturn 1\n}\n"),
        ("tax/tax.go", "package tax\n\nfunc rate() int {\n\treturn 7\n}\n"),
        ("page.css", ".rate { color: red }\n"),
    ]);
    let shown = text(&tree.run(&["show", "rate"]).stdout);
    assert!(shown.contains("return 7") && !shown.contains("ambiguous"), "{shown}");
    tree.write("b/b.go", "package b\n\nfunc rate() int {\n\treturn 8\n}\n");
    let listed = text(&tree.run(&["show", "rate"]).stdout);
    let place = |text: &str| listed.find(text).unwrap_or_else(|| panic!("{text} in {listed}"));
    assert!(place("b/b.go") < place("a_test.go") && place("tax/tax.go") < place("a_test.go"), "{listed}");
}

#[test]
fn a_location_on_a_definition_of_one_line_shows_that_definition() {
    let tree = Sandbox::new(&[(
        "a.go",
        "package a\n\nfunc one() int { return 1 }\n\nfunc two() int { return 2 }\n",
    )]);
    let shown = text(&tree.run(&["show", "a.go:3"]).stdout);
    assert!(shown.contains("function one") && !shown.contains("two"), "{shown}");
}

#[test]
fn a_store_in_the_repository_is_not_seen_by_git() {
    let tree = Sandbox::new(&[("a.py", "def f(): pass\n")]);
    orient_testkit::git(&tree.root(), &["init", "-q"]);
    orient_testkit::git(&tree.root(), &["add", "-A"]);
    tree.run(&["--store", tree.root().join("kept").to_str().expect("a plain path"), "status"]);
    let entries = std::fs::read_dir(tree.root().join("kept")).expect("the store is there");
    let own = entries.filter_map(Result::ok).map(|entry| entry.path()).find(|path| path.is_dir());
    let ignored = std::fs::read_to_string(own.expect("a directory").join(".gitignore"));
    assert_eq!(ignored.expect("it is there"), "*\n");
}
