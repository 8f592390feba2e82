//! `orient context`: the code that a task needs.

use crate::sandbox::{Sandbox, text};

/// A shop with one chain of calls and a test at its end.
fn shop() -> Sandbox {
    Sandbox::new(&[
        (
            "shop/cart.py",
            "\
from shop.tax import Rate, rate


def total(prices: list[int], at: Rate) -> int:
    return sum(prices) * rate(at)
",
        ),
        (
            "shop/tax.py",
            "class Rate:\n    percent = 7\n\n\ndef rate(at: Rate) -> int:\n    return at.percent\n",
        ),
        (
            "shop/order.py",
            "from shop.cart import total\nfrom shop.tax import Rate\n\n\ndef checkout():\n    return total([1], Rate())\n",
        ),
        (
            "tests/test_order.py",
            "from shop.order import checkout\n\n\ndef test_checkout():\n    assert checkout() == 7\n",
        ),
    ])
}

#[test]
fn a_symbol_comes_with_its_source_callers_tests_callees_and_types() {
    shop().assert_output(
        &["context", "total"],
        "
        shop/cart.py:4-5  function total
        4  def total(prices: list[int], at: Rate) -> int:
        5      return sum(prices) * rate(at)
          callers   shop/order.py:5  function checkout  at 6
          tests     tests/test_order.py:4  test_checkout → checkout → total
          calls     shop/tax.py:5  def rate(at: Rate) -> int  at 5
          types     shop/tax.py:1  class Rate  at 4
        ",
    );
}

#[test]
fn a_task_finds_the_relevant_chunks() {
    let answer =
        shop().json(&["context", "total", "of", "prices", "in", "a", "cart", "--limit", "2", "--json"]);
    let chunks = answer["data"]["chunks"].as_array().expect("a list");
    assert_eq!(chunks.len(), 2);
    assert_eq!(chunks[0]["handle"], "shop/cart.py#total");
    assert_eq!(chunks[0]["whole"], true);
    assert_eq!(chunks[0]["callers"]["total"], 1);
}

#[test]
fn an_answer_keeps_to_its_budget_and_says_what_it_left_out() {
    let body: String =
        (0..400).map(|line| format!("    value_{line} = {line}\n")).collect::<Vec<_>>().concat();
    let tree = Sandbox::new(&[("long.py", &format!("def long():\n{body}"))]);
    let output = tree.run(&["context", "long", "--max-tokens", "300"]);
    let printed = text(&output.stdout);
    assert!(printed.starts_with("long.py:1-401  function long\n"), "{printed}");
    assert!(printed.len() < 300 * 4, "{} bytes", printed.len());
    assert_eq!(text(&output.stderr), "partial: 1 shortened to 300 tokens (see --max-tokens)\n");
}

#[test]
fn nothing_is_said_to_be_nothing() {
    let tree = Sandbox::new(&[("a.py", "def one(): pass\n")]);
    tree.assert_outcome(
        &["context", "   "],
        2,
        "
        error: a task or a symbol is required
        help:  for example `orient context \"add a timeout to uploads\"`
    ",
    );
}
