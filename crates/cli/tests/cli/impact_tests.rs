//! `impact`: which tests reach a change.

use crate::sandbox::{Sandbox, text};

/// The names of the tests that reach `rate`, sorted, and whether the answer is complete.
fn tests_of(files: &[(&str, &str)]) -> (Vec<String>, bool) {
    let answer = Sandbox::new(files).json(&["impact", "rate", "--json"]);
    let routes = answer["data"]["tests"].as_array().expect("a list");
    let mut names: Vec<String> =
        routes.iter().map(|route| route["steps"][0]["name"].as_str().expect("a name").to_owned()).collect();
    names.sort();
    assert_eq!(answer["data"]["tests_total"], names.len() as u64);
    (names, answer["complete"].as_bool().expect("a flag"))
}

const RATE: (&str, &str) = ("shop.py", "def rate():\n    return 7\n");

#[test]
fn helpers_in_test_files_are_no_tests() {
    let tests = "from shop import rate\n\ndef helper():\n    return rate()\n\ndef test_one():\n    helper()\n\ndef unused():\n    helper()\n";
    assert_eq!(tests_of(&[RATE, ("test_shop.py", tests)]), (vec!["test_one".to_owned()], true));
    let app = "from shop import rate\n\ndef test_connection():\n    rate()\n";
    assert_eq!(tests_of(&[RATE, ("app.py", app)]).0, [""; 0], "a name alone makes no test elsewhere");
}

#[test]
fn fixtures_are_followed_from_the_tests_that_ask_for_them() {
    let shared = "import pytest\nfrom shop import rate\n\n@pytest.fixture\ndef price():\n    return rate()\n\n@pytest.fixture\ndef cart(price):\n    return [price]\n";
    let tests = "import pytest\n\ndef test_total(cart):\n    assert cart\n\n@pytest.mark.usefixtures('price')\ndef test_used():\n    pass\n\ndef test_other():\n    pass\n";
    let (names, complete) =
        tests_of(&[RATE, ("tests/conftest.py", shared), ("tests/unit/test_cart.py", tests)]);
    assert_eq!((names, complete), (vec!["test_total".to_owned(), "test_used".to_owned()], true));
}

#[test]
fn a_fixture_for_every_test_reaches_all_below_its_directory() {
    let shared =
        "import pytest\nfrom shop import rate\n\n@pytest.fixture(autouse=True)\ndef clock():\n    rate()\n";
    let test = |name: &str| format!("def {name}():\n    pass\n");
    let files = [
        RATE,
        ("tests/unit/conftest.py", shared),
        ("tests/unit/test_a.py", &test("test_a")),
        ("tests/test_b.py", &test("test_b")),
    ];
    assert_eq!(tests_of(&files).0, ["test_a"]);
}

#[test]
fn a_fixture_that_is_added_later_is_found() {
    let tree = Sandbox::new(&[RATE, ("tests/test_a.py", "def test_a(price):\n    pass\n")]);
    let before = text(&tree.run(&["impact", "rate"]).stdout);
    assert!(before.contains("0 tests affected"), "{before}");
    tree.write(
        "tests/conftest.py",
        "import pytest\nfrom shop import rate\n\n@pytest.fixture(name='price')\ndef make():\n    return rate()\n",
    );
    let after = text(&tree.run(&["impact", "rate"]).stdout);
    assert!(after.contains("1 test affected"), "{after}");
}

#[test]
fn setup_counts_for_the_tests_of_its_type_and_suite() {
    let unit = "import unittest\nfrom shop import rate\n\nclass Base(unittest.TestCase):\n    def setUp(self):\n        rate()\n\nclass CartTest(Base):\n    def test_add(self):\n        pass\n\ndef test_other():\n    pass\n";
    assert_eq!(tests_of(&[RATE, ("test_cart.py", unit)]).0, ["CartTest.test_add"]);
    let suite = "import { rate } from './rate';\n\ndescribe('cart', () => {\n  beforeEach(() => { rate(); });\n  it('adds', () => {});\n});\n\nit('other', () => {});\n";
    assert_eq!(
        tests_of(&[("rate.js", "export function rate() {}\n"), ("cart.test.js", suite)]).0,
        ["cart.adds"]
    );
    let java = "class CartTest {\n  @BeforeEach void prepare() { new Tax().rate(); }\n  @Test void adds() { }\n  void helper() { }\n}\n";
    let tax = "class Tax {\n  int rate() { return 7; }\n}\n";
    assert_eq!(tests_of(&[("Tax.java", tax), ("CartTest.java", java)]).0, ["CartTest.adds"]);
}

#[test]
fn unresolved_uses_in_tests_make_the_count_incomplete() {
    let tests = "def test_one(thing):\n    thing.rate()\n";
    let tree = Sandbox::new(&[
        ("shop.py", "class Tax:\n    def rate(self):\n        return 7\n"),
        ("test_shop.py", tests),
    ]);
    let answer = tree.json(&["impact", "rate", "--json"]);
    assert_eq!((&answer["complete"], &answer["data"]["name_only_in_tests"]), (&false.into(), &1.into()));
    let told = text(&tree.run(&["impact", "rate"]).stdout);
    assert!(told.contains("0 tests affected"), "{told}");
}
