//! Graph queries on small repositories in several languages.

use crate::sandbox::{Sandbox, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

/// A shop: an interface with two implementations, a chain of calls, a test, and an unresolvable call.
fn shop() -> Sandbox {
    Sandbox::new(&[
        (
            "shop/cart.py",
            "\
from abc import ABC, abstractmethod
from shop.tax import rate


class Priced(ABC):
    @abstractmethod
    def price(self) -> int: ...


class Item(Priced):
    def price(self) -> int:
        return 100 * rate()


class Gift(Priced):
    def price(self) -> int:
        return 0


def total(first: Priced) -> int:
    return abs(first.price())


def _dead() -> int:
    return 1
",
        ),
        ("shop/tax.py", "def rate() -> int:\n    return 7\n"),
        (
            "shop/order.py",
            "\
from shop.cart import Item, total


def checkout(thing) -> int:
    thing.total()
    return total(Item())


def main() -> None:
    checkout(None)
",
        ),
        (
            "tests/test_order.py",
            "from shop.order import checkout\n\n\ndef test_checkout():\n    assert checkout(None) == 700\n",
        ),
    ])
}

#[test]
fn callers_are_proven_and_what_only_has_the_name_is_apart() {
    shop().assert_output(
        &["callers", "total", "--depth", "3"],
        "
        1 verified caller of total (shop/cart.py:20), 1 name-only candidate
        shop/order.py:6  function checkout
          shop/order.py:10  function main [entry_point]
          tests/test_order.py:5  function test_checkout
        name only, not verified:
          shop/order.py:5  in checkout  the type of the receiver is not known
        partial: 1 use of the name is not resolved and may mean it
        ",
    );
}

#[test]
fn tests_can_be_left_out_and_levels_listed_flat() {
    shop().assert_output(
        &["callers", "total", "--depth", "3", "--no-tests", "--flat", "--candidates", "0"],
        "
        1 verified caller of total (shop/cart.py:20), 1 name-only candidate
        shop/order.py:6  function checkout
        shop/order.py:10  function main [entry_point]  level 2
        partial: 1 use of the name is not resolved and may mean it
        note: 1 test excluded (see --no-tests)
        ",
    );
}

#[test]
fn a_function_that_constructs_a_class_is_one_caller() {
    let sandbox = Sandbox::new(&[
        ("lamp.py", "class Lamp:\n    def __init__(self, watts):\n        self.watts = watts\n"),
        ("room.py", "from lamp import Lamp\n\n\ndef furnish():\n    return Lamp(40)\n"),
    ]);
    sandbox.assert_output(
        &["callers", "Lamp"],
        "
        1 verified caller of Lamp (lamp.py:1), 0 name-only candidates
        room.py:5  function furnish  constructs
        ",
    );
}

#[test]
fn callers_through_an_interface_say_so() {
    shop().assert_output(
        &["callers", "Item.price"],
        "
        0 verified callers of Item.price (shop/cart.py:11), 1 more by dispatch, 0 name-only candidates
        via Priced.price  shop/cart.py:7  probable
          shop/cart.py:21  function total
        ",
    );
}

#[test]
fn callees_show_what_a_call_may_reach() {
    shop().assert_output(
        &["callees", "total", "--depth", "2"],
        "
        1 verified callee of total (shop/cart.py:20), 2 more by dispatch, 1 external, 0 unresolved
        shop/cart.py:7  method Priced.price  at 21
          may be shop/cart.py:11  method Item.price
            shop/tax.py:1  function rate  at 12
          may be shop/cart.py:16  method Gift.price
        external: abs
        ",
    );
}

#[test]
fn several_bearers_of_a_name_are_never_merged() {
    let tree = shop();
    tree.assert_outcome(
        &["callers", "price"],
        3,
        "
        `price` is ambiguous; use one of these handles:
        shop/cart.py#Priced.price  line 6  method  def price(self) -> int
        shop/cart.py#Item.price  line 11  method  def price(self) -> int
        shop/cart.py#Gift.price  line 16  method  def price(self) -> int
        ",
    );
    for command in ["callees", "references", "implementations", "hierarchy", "impact", "trace"] {
        assert_eq!(tree.run(&[command, "price"]).status.code(), Some(3), "{command}");
        assert_eq!(tree.run(&[command, "nothing_like_it"]).status.code(), Some(1), "{command}");
    }
}

#[test]
fn a_way_is_told_call_by_call() {
    let tree = shop();
    tree.assert_output(
        &["trace", "main", "rate"],
        "
        1 path from main to rate
        1: 4 calls, probable
          shop/order.py:10  function main  calls
            shop/order.py:6  function checkout  calls
              shop/cart.py:21  function total  calls
                shop/cart.py:7  method Priced.price  may reach
                  shop/cart.py:12  method Item.price  calls
                    shop/tax.py:1  function rate
        ",
    );
    let from_entries = text(&tree.run(&["trace", "-", "rate"]).stdout);
    assert!(from_entries.starts_with("1 path from the entry points to rate\n"), "{from_entries}");
    let past = text(&tree.run(&["trace", "main", "rate", "--via", "Gift.price"]).stdout);
    assert!(past.starts_with("no proven path from main to rate\n"), "{past}");
}

#[test]
fn without_a_way_the_answer_is_where_the_proof_ends() {
    let tree = Sandbox::new(&[
        (
            "a.py",
            "from b import Store\n\n\ndef main(thing):\n    load(thing)\n\n\ndef load(thing):\n    thing.save()\n",
        ),
        ("b.py", "class Store:\n    def save(self):\n        write()\n\n\ndef write():\n    pass\n"),
    ]);
    tree.assert_outcome(
        &["trace", "main", "write"],
        1,
        "
        no proven path from main to write (not certain: 1 call at the end of what is proven is not resolved)
        proven up to:
          a.py:5  function main  calls
            a.py:8  function load
        unresolved there:
          a.py:9  save  the type of the receiver is not known; if it means b.py:2  method Store.save the path continues
        partial: 1 call at the end of what is proven is not resolved
        ",
    );
}

#[test]
fn references_are_told_by_kind() {
    shop().assert_output(
        &["references", "Item"],
        "
        2 verified uses of Item (shop/cart.py:10): 1 constructs, 1 imports, 0 name-only candidates
        constructs
          shop/order.py:6  function checkout
        imports
          shop/order.py:1  top level
        ",
    );
}

#[test]
fn families_are_told_up_and_down() {
    let tree = shop();
    tree.assert_output(
        &["hierarchy", "Priced"],
        "
        shop/cart.py:5  class Priced
        up:
          shop/cart.py:5  external ABC
        down:
          shop/cart.py:10  class Item  inherits
          shop/cart.py:15  class Gift  inherits
        ",
    );
    tree.assert_output(
        &["implementations", "Priced.price"],
        "
        2 implementations of Priced.price (shop/cart.py:7)
        shop/cart.py:11  method Item.price  overrides
        shop/cart.py:16  method Gift.price  overrides
        ",
    );
}

#[test]
fn impact_goes_by_distance_and_names_the_tests() {
    shop().assert_output(
        &["impact", "rate"],
        "
        changed: shop/tax.py:1  function rate
        6 symbols in 3 files affected, 1 test affected, 0 name-only candidates
        1 step away
          shop/cart.py:2  top level  imports rate
          shop/cart.py:12  method Item.price  calls rate
        2 steps away
          shop/cart.py:21  function total  calls Priced.price
        3 steps away
          shop/order.py:6  function checkout  calls total
        4 steps away
          shop/order.py:10  function main  calls checkout
          tests/test_order.py:5  function test_checkout  calls checkout
        tests
          tests/test_order.py:4  test_checkout → checkout → total → Priced.price → Item.price → rate
        ",
    );
}

#[test]
fn impact_of_a_diff_is_that_of_the_symbols_it_touches() {
    let tree = shop();
    let diff = "\
--- a/shop/tax.py
+++ b/shop/tax.py
@@ -1,2 +1,2 @@
 def rate() -> int:
-    return 6
+    return 7
";
    let mut command = tree.command(&["impact", "--diff", "-", "--json"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(diff.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["data"]["changed"][0]["handle"], "shop/tax.py#rate");
    assert_eq!(answer["data"]["tests"][0]["steps"][0]["name"], "test_checkout");
    tree.write("change.diff", diff);
    let from_file = tree.json(&["impact", "--diff", "change.diff", "--json"]);
    assert_eq!(from_file["data"]["changed"], answer["data"]["changed"]);
}

#[test]
fn what_changed_since_a_revision_is_asked_for_by_its_name() {
    let tree = shop();
    let git = |args: &[&str]| orient_testkit::git(&tree.root(), args);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    tree.assert_outcome(
        &["impact", "--diff", "HEAD"],
        1,
        "
        error: no file has changed since `HEAD`
        ",
    );
    tree.write("shop/tax.py", "def rate() -> int:\n    return 6\n");
    let answer = tree.json(&["impact", "--diff", "HEAD", "--json"]);
    assert_eq!(answer["data"]["changed"][0]["handle"], "shop/tax.py#rate");
    let found = tree.json(&["search", "rate price total", "--changed", "main", "--json"]).to_string();
    assert!(found.contains("shop/tax.py") && !found.contains("shop/cart.py"), "{found}");
    tree.assert_outcome(
        &["search", "rate", "--changed", "mian"],
        1,
        "
        error: there is no revision `mian`
        help:  did you mean `main`?
        ",
    );
}

#[test]
fn files_use_files() {
    let tree = shop();
    let uses = text(&tree.run(&["deps", "shop/order.py"]).stdout);
    assert!(uses.starts_with("shop/order.py uses 1\n  shop/cart.py  "), "{uses}");
    let users = text(&tree.run(&["rdeps", "shop/order.py", "--kind", "imports"]).stdout);
    assert_eq!(
        users,
        "1 uses shop/order.py\n  tests/test_order.py  1 imports  first tests/test_order.py:1\n"
    );
    let directories = text(&tree.run(&["rdeps", "shop", "--by", "directory"]).stdout);
    assert!(directories.starts_with("1 uses shop\n  tests  "), "{directories}");
    tree.assert_outcome(&["deps", "--cycles"], 1, "no cycles");
}

#[test]
fn the_parts_of_a_directory_use_each_other() {
    let tree = Sandbox::new(&[
        ("app/main.py", "from core.money import rate\n\n\ndef run():\n    return rate()\n"),
        ("core/money.py", "def rate():\n    return 1\n"),
        ("tool.py", "from core.money import rate\n\nrate()\n"),
    ]);
    tree.assert_output(
        &["deps", ".", "--by", "entry"],
        "
        uses between the entries of .
          app/ → core/  2
          tool.py → core/  2
        ",
    );
    tree.assert_outcome(&["deps", "core", "--by", "entry"], 1, "uses between the entries of core");
}

#[test]
fn circles_are_shown_with_a_way_around() {
    let tree = Sandbox::new(&[
        ("a.py", "import b\n\ndef f():\n    b.g()\n"),
        ("b.py", "import c\n\ndef g():\n    c.h()\n"),
        ("c.py", "import a\n\ndef h():\n    a.f()\n"),
    ]);
    tree.assert_output(&["deps", "--cycles"], "cycle of 3: a.py → b.py → c.py → a.py");
}

#[test]
fn what_nothing_uses_is_listed_with_the_reasons_for_doubt() {
    shop().assert_output(
        &["unused", "shop", "--all"],
        "
        3 definitions without a verified use: 1 likely unused, 0 visible outside, 2 may still be used
        likely unused: not visible outside, no reason to assume a use, and the name occurs nowhere else in the text of 4 files
        shop/cart.py:24  function _dead
        shop/cart.py:15  class Gift  but: has an external base, public
        shop/order.py:9  function main  but: entry point, public
        ",
    );
}

#[test]
fn a_name_in_any_text_speaks_for_a_definition() {
    let tree = Sandbox::new(&[
        ("a.py", "def _one():\n    pass\n\ndef _two():\n    pass\n\ndef _three():\n    _one()\n"),
        ("notes.md", "Call `_two` by hand.\n"),
    ]);
    tree.assert_output(
        &["unused", "--all"],
        "
        2 definitions without a verified use: 1 likely unused, 0 visible outside, 1 may still be used
        likely unused: not visible outside, no reason to assume a use, and the name occurs nowhere else in the text of 2 files
        a.py:7  function _three
        a.py:4  function _two  but: its name occurs in 1 other place of the text
        ",
    );
}

#[test]
fn the_map_keeps_to_its_tokens() {
    let tree = shop();
    for tokens in [60, 100, 200, 1000] {
        let page = text(&tree.run(&["map", "--tokens", &tokens.to_string()]).stdout);
        assert!(page.len() <= tokens * 3, "{tokens}: {}\n{page}", page.len());
    }
    let page = text(&tree.run(&["map"]).stdout);
    for line in ["  shop/order.py  main: main:9", "  shop/cart.py:5  class Priced  used by 3"] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}

#[test]
fn many_examples_are_one_line_of_the_map() {
    let main = "def run():\n    pass\n\nif __name__ == '__main__':\n    run()\n";
    let tree = Sandbox::new(&[
        ("examples/a.py", main),
        ("examples/b.py", main),
        ("examples/c/c.py", main),
        ("examples/d.py", main),
        ("examples/e.py", main),
        ("tool/start.py", main),
    ]);
    let page = text(&tree.run(&["map"]).stdout);
    let entries: Vec<&str> =
        page.lines().skip_while(|line| *line != "entry points").skip(1).take(2).collect();
    assert_eq!(
        entries,
        ["  tool/start.py  script", "  examples  examples: a.py, b.py, c/c.py, 2 more"],
        "{page}"
    );
}

#[test]
fn edges_are_one_object_a_line_in_order() {
    let tree = shop();
    let output = text(&tree.run(&["edges", "--kind", "calls,constructs", "--json"]).stdout);
    let edges: Vec<Value> =
        output.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(
        output.lines().next().expect("there are edges"),
        r#"{"caller":{"path":"shop/cart.py","line":11,"name":"price"},"callee":{"path":"shop/tax.py","line":1,"name":"rate"},"line":12,"kind":"calls","confidence":"exact","rule":"import"}"#
    );
    let places: Vec<_> =
        edges.iter().map(|edge| (edge["caller"]["path"].as_str(), edge["line"].as_u64())).collect();
    assert!(places.is_sorted(), "{output}");
    let dispatches = text(&tree.run(&["edges", "--kind", "dispatches"]).stdout);
    assert_eq!(dispatches.lines().count(), 2, "the reverse of overrides\n{dispatches}");
}

#[test]
fn the_edges_of_a_file_are_those_of_the_graph_that_start_in_it() {
    let tree = shop();
    let all = text(&tree.run(&["edges", "--json"]).stdout);
    let edges: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let files: BTreeSet<String> =
        edges.iter().map(|edge| edge["caller"]["path"].as_str().expect("a path").to_owned()).collect();
    assert!(files.len() > 1, "{all}");
    for file in files {
        let own = text(&tree.run(&["edges", "--json", "--in", &file]).stdout);
        let expected: Vec<&str> = all
            .lines()
            .zip(&edges)
            .filter(|(_, edge)| edge["caller"]["path"] == file.as_str())
            .map(|(line, _)| line)
            .collect();
        assert_eq!(own.lines().collect::<Vec<_>>(), expected, "{file}");
    }
}

#[test]
fn an_audit_compares_with_a_truth() {
    let tree = shop();
    tree.write(
        "truth.jsonl",
        r#"{"caller":{"path":"shop/cart.py","line":11},"callee":{"path":"shop/tax.py","line":1}}
{"caller":{"path":"shop/cart.py","line":20},"callee":{"path":"shop/cart.py","line":11},"also":[{"path":"shop/cart.py","line":7}]}
{"caller":{"path":"shop/cart.py","line":24},"callee":{"path":"shop/tax.py","line":1}}
"#,
    );
    let answer = tree.json(&["audit", "--against", "truth.jsonl", "--json"]);
    let data = &answer["data"];
    assert_eq!((data["right"].as_u64(), data["wrong"].as_u64()), (Some(2), Some(0)));
    assert_eq!((data["found"].as_u64(), data["truth"].as_u64()), (Some(2), Some(3)));
    assert_eq!(data["missing_edges"][0]["caller"], "shop/cart.py:24");
    tree.assert_outcome(
        &["audit", "--against", "shop/tax.py"],
        2,
        "
        error: shop/tax.py cannot be used: it is neither JSON lines nor a SCIP index
        help:  give JSON lines of {\"caller\": {\"path\", \"line\"}, \"callee\": {\"path\", \"line\"}}, or a SCIP index
        ",
    );
}

#[test]
fn an_audit_of_call_sites_accounts_for_every_call() {
    let tree = Sandbox::new(&[(
        "a.py",
        "def f():\n    g()\n    print(h(1))\n    make()()\n\ndef g():\n    unknown.f()\n",
    )]);
    let data = &tree.json(&["audit", "--sites", "--json"])["data"];
    let line = &data["languages"][0];
    assert_eq!(line["language"], "python");
    let counts =
        ["sites", "edges", "external", "candidates", "unnamed", "silent"].map(|key| line[key].as_u64());
    assert_eq!(counts, [6, 1, 3, 1, 1, 0].map(Some), "{data}");
    assert_eq!(tree.run(&["audit", "--sites", "--max-silent", "0"]).status.code(), Some(0));
}

#[test]
fn functions_that_are_passed_are_listed_apart_from_calls() {
    let tree =
        Sandbox::new(&[("a.py", "def f():\n    pass\n\ndef g(on):\n    on(f)\n\ndef h():\n    f()\n")]);
    tree.assert_output(
        &["callers", "f"],
        "
        1 verified caller of f (a.py:1), 1 symbol passes it on, 0 name-only candidates
        a.py:8  function h
        passed as a value in:
          a.py:5  function g
        ",
    );
    let via = tree.json(&["callers", "f", "--via", "passes", "--json"]);
    assert_eq!(via["data"]["calls"][0]["name"], "g", "{via}");
    let impact = tree.json(&["impact", "f", "--via", "passes", "--json"]);
    assert_eq!(impact["data"]["symbols"], 1, "{impact}");
    let unused = text(&tree.run(&["unused"]).stdout);
    assert!(!unused.contains(" f "), "{unused}");
}

#[test]
fn without_a_compiler_layer_its_commands_say_so() {
    let tree = shop();
    tree.assert_output(&["scip", "status"], "no compiler layer");
    assert_eq!(tree.run(&["scip", "drop"]).status.code(), Some(1));
    let refused = text(&tree.run(&["audit", "--layer"]).stderr);
    assert!(refused.contains("there is no compiler layer"), "{refused}");
    tree.write("bad.scip", "plain text");
    tree.assert_outcome(
        &["scip", "import", "bad.scip"],
        2,
        "
        error: bad.scip cannot be imported: it is not a SCIP index
        help:  give an index that scip-typescript, scip-go, rust-analyzer or another indexer wrote
        ",
    );
}

#[test]
fn an_answer_is_fresh_after_an_edit() {
    let tree = shop();
    let callers = |tree: &Sandbox| {
        tree.json(&["callers", "rate", "--json"])["data"]["verified"].as_u64().expect("a number")
    };
    assert_eq!(callers(&tree), 1);
    tree.write("shop/more.py", "from shop.tax import rate\n\n\ndef twice():\n    return rate() * 2\n");
    assert_eq!(callers(&tree), 2);
    tree.write("shop/more.py", "def rate():\n    return 1\n\n\ndef twice():\n    return rate() * 2\n");
    let output = tree.run(&["callers", "shop/tax.py#rate"]);
    assert!(text(&output.stdout).starts_with("1 verified caller of rate"), "a local of the name hides it");
}

#[test]
fn interfaces_that_nobody_names_are_satisfied_all_the_same() {
    let tree = Sandbox::new(&[
        ("go.mod", "module example.com/shop\n\ngo 1.22\n"),
        (
            "shop.go",
            "\
package main

type Pricer interface{ Price() int }

type Item struct{ cents int }

func (i Item) Price() int { return i.cents }

func total(p Pricer) int { return p.Price() }

func main() { total(Item{7}) }
",
        ),
    ]);
    tree.assert_output(
        &["callers", "Item.Price", "--depth", "2"],
        "
        0 verified callers of Item.Price (shop.go:7), 1 more by dispatch, 0 name-only candidates
        via Pricer.Price  shop.go:3  probable
          shop.go:9  function total
            shop.go:11  function main [entry_point]
        ",
    );
    tree.assert_output(
        &["implementations", "Pricer"],
        "
        1 implementation of Pricer (shop.go:3)
        shop.go:5  struct Item  implements
        ",
    );
}

#[test]
fn imports_between_files_are_followed() {
    let tree = Sandbox::new(&[
        (
            "src/store.ts",
            "export class Store {\n  save(value: string): void {\n    write(value);\n  }\n}\n\nfunction write(value: string): void {}\n",
        ),
        ("src/index.ts", "export { Store } from \"./store\";\n"),
        (
            "src/app.ts",
            "import { Store } from \"./index\";\n\nexport function run(): void {\n  const store = new Store();\n  store.save(\"x\");\n}\n",
        ),
    ]);
    tree.assert_output(
        &["trace", "run", "write"],
        "
        1 path from run to write
        1: 2 calls
          src/app.ts:5  function run  calls
            src/store.ts:3  method Store.save  calls
              src/store.ts:7  function write
        ",
    );
    tree.assert_output(
        &["callers", "Store"],
        "
        1 verified caller of Store (src/store.ts:1), 0 name-only candidates
        src/app.ts:4  function run  constructs
        ",
    );
}

#[test]
fn traits_lead_to_what_implements_them() {
    let tree = Sandbox::new(&[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        (
            "src/main.rs",
            "\
trait Priced {
    fn price(&self) -> u32;
}

struct Item(u32);

impl Priced for Item {
    fn price(&self) -> u32 {
        cents(self.0)
    }
}

fn cents(euros: u32) -> u32 {
    euros * 100
}

fn total(one: &dyn Priced) -> u32 {
    one.price()
}

fn main() {
    total(&Item(7));
}
",
        ),
    ]);
    let way = text(&tree.run(&["trace", "main", "cents"]).stdout);
    assert!(way.contains("method Priced.price  may reach\n"), "{way}");
    let unused = text(&tree.run(&["unused", "--likely"]).stdout);
    assert!(unused.ends_with(": 0 likely unused, 0 visible outside, 1 may still be used\n"), "{unused}");
}

/// A function that a test calls, in a directory that comes first by name, and code.
fn tested() -> Sandbox {
    Sandbox::new(&[
        (
            "__tests__/price.spec.ts",
            "import { price } from '../src/price';\n\ntest('adds', () => {\n  price(1);\n});\n",
        ),
        (
            "src/cart.ts",
            "import { price } from './price';\n\nexport function total() {\n  return price(2);\n}\n",
        ),
        ("src/price.ts", "export function price(of: number) {\n  return of;\n}\n"),
    ])
}

#[test]
fn tests_come_behind_the_rest_so_that_bounds_leave_them_out_first() {
    tested().assert_outcome(
        &["callers", "price", "--per-level", "1"],
        0,
        "
        2 verified callers of price (src/price.ts:1), 0 name-only candidates
        src/cart.ts:4  function total
        partial: 1 shown, 1 more omitted (see --per-level)
        ",
    );
    tested().assert_outcome(
        &["references", "price", "--kind", "calls"],
        0,
        "
        2 verified uses of price (src/price.ts:1), 0 name-only candidates
        calls
          src/cart.ts:4  function total
          __tests__/price.spec.ts:4  test adds
        ",
    );
}

#[test]
fn uses_in_a_language_that_is_not_resolved_are_said_to_be_unknown() {
    let tree = Sandbox::new(&[
        ("naming.ex", "defmodule Naming do\n  def plain(text), do: text\nend\n"),
        ("page.ex", "defmodule Page do\n  def title(text), do: Naming.plain(text)\nend\n"),
    ]);
    tree.assert_outcome(
        &["callers", "plain"],
        0,
        "
        0 verified callers of Naming.plain (naming.ex:2), 0 name-only candidates (not certain: names in elixir are not resolved)
        partial: names in elixir are not resolved; `orient grep -F -w plain` finds where it is mentioned
        ",
    );
    for operation in ["callees", "references", "impact", "implementations"] {
        let told = text(&tree.run(&[operation, "plain"]).stderr);
        assert!(told.contains("partial: names in elixir are not resolved"), "{operation}: {told}");
    }
}

#[test]
fn a_construction_is_one_use_of_the_type() {
    let tree = Sandbox::new(&[(
        "cart.py",
        "class Cart:\n    def __init__(self):\n        pass\n\n\ndef make():\n    return Cart()\n",
    )]);
    tree.assert_output(
        &["references", "Cart"],
        "
        1 verified use of Cart (cart.py:1), 0 name-only candidates
        constructs
          cart.py:7  function make
        ",
    );
}

#[test]
fn an_inherited_member_is_the_one_with_a_body() {
    let tree = Sandbox::new(&[(
        "handler.php",
        "<?php\ninterface Formats { function format(): string; }\ntrait Formatting { function format(): string { return ''; } }\n\
         class Handler implements Formats { use Formatting; }\n",
    )]);
    let told = text(&tree.run(&["show", "Handler.format"]).stdout);
    assert!(told.starts_with("handler.php:3-3  method Formatting.format"), "{told}");
}

#[test]
fn files_of_one_package_are_no_cycle() {
    let tree = Sandbox::new(&[
        ("go.mod", "module m\n"),
        ("api/a.go", "package api\n\nfunc A() { b() }\n\nfunc a() {}\n"),
        ("api/b.go", "package api\n\nfunc b() { a() }\n"),
    ]);
    tree.assert_outcome(&["deps", "--cycles"], 1, "no cycles");
}
