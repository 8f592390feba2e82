//! Ranked search: natural-language queries, names, filters, and notes about the answer.

use crate::sandbox::{Sandbox, text};

const SHOP: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "\"\"\"What a customer buys.\"\"\"\nfrom .tax import rate\n\n\nclass Cart:\n    def total(self, items):\n        \
         return sum(items) * rate()\n\n    def discount(self, coupon):\n        return coupon.percent\n",
    ),
    (
        "shop/tax.py",
        "def rate():\n    return 7\n\n\ndef country_rate(country):\n    \"\"\"The tax rate of a country.\"\"\"\n    return rate()\n",
    ),
    (
        "shop/mail.py",
        "def send_invoice(address):\n    connect(address)\n\n\ndef retry_sending(address):\n    send_invoice(address)\n",
    ),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\n\ndef test_discount():\n    assert Cart().discount(None)\n",
    ),
    ("docs/guide.md", "# Carts\n\nA cart has a total and a discount.\n"),
];

/// The paths of the hits, in order, each once.
fn paths(tree: &Sandbox, args: &[&str]) -> Vec<String> {
    let mut all = vec!["search", "--json"];
    all.extend_from_slice(args);
    let answer = tree.json(&all);
    let mut paths: Vec<String> = Vec::new();
    for hit in answer["data"]["hits"].as_array().expect("hits") {
        let path = hit["path"].as_str().expect("a path").to_owned();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

#[test]
fn a_question_in_words_is_answered_with_places() {
    let tree = Sandbox::new(SHOP);
    assert_eq!(paths(&tree, &["how is the discount of a coupon worked out"])[0], "shop/cart.py");
    assert_eq!(paths(&tree, &["where are invoices sent again"])[0], "shop/mail.py");
    assert_eq!(paths(&tree, &["tests of the discount"])[0], "tests/test_cart.py");
}

#[test]
fn a_name_comes_first_and_says_so() {
    let tree = Sandbox::new(SHOP);
    let answer = tree.json(&["search", "--json", "rate"]);
    let first = &answer["data"]["hits"][0];
    assert_eq!((first["path"].as_str(), first["symbol"].as_str()), (Some("shop/tax.py"), Some("rate")));
    assert_eq!((first["exact"].as_bool(), first["kind"].as_str()), (Some(true), Some("function")));
    assert_eq!((first["start_line"].as_u64(), first["end_line"].as_u64()), (Some(1), Some(2)));
    assert!(first["score"].as_f64().is_some_and(|score| score > 0.0));
    let inside = tree.json(&["search", "--json", "Cart.discount"]);
    assert_eq!(inside["data"]["hits"][0]["path"], "shop/cart.py");
}

#[test]
fn a_mistyped_name_is_never_replaced_in_silence() {
    let tree = Sandbox::new(SHOP);
    let answer = tree.json(&["search", "--json", "contry_rate"]);
    assert_eq!(answer["data"]["hits"][0]["symbol"], "country_rate");
    assert_eq!(answer["data"]["replaced"][0]["word"], "contry_rate");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("`contry_rate` does not occur"), "{notes}");
}

#[test]
fn a_quoted_message_leads_to_where_it_is_written() {
    let tree = Sandbox::new(&[
        (
            "shop/sending.py",
            "def send(batch, channel):\n    left = channel.put(batch)\n    if left:\n        \
             raise ChannelError(\"the target refused all %d parts\" % left)\n",
        ),
        (
            "shop/target.py",
            "class Target:\n    def accept(self, parts):\n        return all(parts)\n\n\ndef stop(target):\n    target.parts.clear()\n",
        ),
    ]);
    let mentions = |query: &str| {
        let answer = tree.json(&["search", "--json", "--explain", query]);
        let hits = answer["data"]["hits"].as_array().expect("hits").clone();
        let mentioned = hits.into_iter().filter(|hit| hit["explanation"].to_string().contains("mention"));
        mentioned.map(|hit| hit["path"].as_str().expect("a path").to_owned()).collect::<Vec<_>>()
    };
    let report = "Upload stops\n\nAll uploads of parts to a target stop:\n\n```\n\
                  ChannelError: the target refused all 7 parts\n```\n";
    assert_eq!(mentions(report), ["shop/sending.py"]);
    assert_eq!(mentions("ChannelError: the target refused all 12 parts"), ["shop/sending.py"]);
    assert!(mentions("where does the target refuse parts").is_empty());
}

#[test]
fn filters_leave_out_the_rest() {
    let tree = Sandbox::new(SHOP);
    assert_eq!(paths(&tree, &["discount", "--role", "test"]), ["tests/test_cart.py"]);
    assert_eq!(paths(&tree, &["discount", "--lang", "markdown"]), ["docs/guide.md"]);
    assert_eq!(paths(&tree, &["discount", "--path", "shop"])[0], "shop/cart.py");
    assert!(paths(&tree, &["discount", "--path", "shop"]).iter().all(|path| path.starts_with("shop/")));
    let only = tree.json(&["search", "--json", "discount", "--kind", "class"]);
    assert!(only["data"]["hits"].as_array().expect("hits").iter().all(|hit| hit["kind"] == "class"));
}

#[test]
fn an_answer_explains_itself() {
    let tree = Sandbox::new(SHOP);
    let answer = tree.json(&["search", "--json", "discount of a coupon", "--explain"]);
    let why = answer["data"]["hits"][0]["explanation"].as_array().expect("reasons");
    assert!(why.iter().any(|part| part["rule"] == "words"));
    assert!(why.iter().any(|part| part["rule"] == "meaning"));
    for hit in answer["data"]["hits"].as_array().expect("hits") {
        let parts = hit["explanation"].as_array().expect("reasons");
        let added: f64 = parts.iter().filter_map(|part| part["added"].as_f64()).sum();
        let times: f64 = parts.iter().filter_map(|part| part["times"].as_f64()).product();
        assert!((added * times - hit["score"].as_f64().expect("a score")).abs() < 1e-4, "{hit}");
    }
}

#[test]
fn other_places_of_a_file_follow_its_best_or_stand_beside_it() {
    let tree = Sandbox::new(SHOP);
    let question = "how are invoices sent to an address";
    let answer = tree.json(&["search", "--json", question]);
    let hits = answer["data"]["hits"].as_array().expect("hits");
    let place = |hit: &serde_json::Value| (hit["path"].clone(), hit["symbol"].clone());
    let mail = |name: &str| ("shop/mail.py".into(), name.into());
    assert_eq!([place(&hits[0]), place(&hits[1])], ["send_invoice", "retry_sending"].map(mail), "{answer}");
    // With less room, the second place is only named.
    let answer = tree.json(&["search", "--json", "--limit", "1", question]);
    let other = &answer["data"]["hits"][0]["also"][0];
    assert_eq!(other["symbol"], "retry_sending", "{answer}");
    let (first, last) = (other["start_line"].as_u64(), other["end_line"].as_u64());
    let line = format!("  also {}-{} ", first.expect("a line"), last.expect("a line"));
    let text = text(&tree.run(&["search", "--limit", "1", question]).stdout);
    assert!(text.contains(&line), "{text}");
}

#[test]
fn an_edit_is_found_at_once() {
    let tree = Sandbox::new(SHOP);
    assert_eq!(paths(&tree, &["rate"])[0], "shop/tax.py");
    tree.write("shop/stock.py", "def reserve_pallet(pallet):\n    return pallet\n");
    assert_eq!(paths(&tree, &["reserve a pallet"])[0], "shop/stock.py");
}

#[test]
fn look_alikes_are_found_by_meaning_and_by_structure() {
    let tree = Sandbox::new(SHOP);
    tree.write("shop/copy.py", "def rate_copy():\n    return 9\n\n\ndef area_rate(area):\n    \"\"\"Of an area.\"\"\"\n    return rate_copy()\n");
    let answer = tree.json(&["similar", "--json", "country_rate", "--by", "structure"]);
    assert_eq!(answer["data"]["hits"][0]["symbol"], "area_rate", "{answer}");
    let at_line = tree.json(&["similar", "--json", "shop/tax.py:5"]);
    assert_eq!(at_line["data"]["of"]["symbol"], "country_rate");
}

#[test]
fn a_question_in_another_language_finds_english_code_and_says_how_it_was_read() {
    let tree = Sandbox::new(SHOP);
    for question in [
        "在哪里重新发送发票？",
        "請求書はどこで再送信されますか",
        "송장은 어디에서 다시 전송되나요",
        "¿dónde se vuelve a enviar la factura?",
        "onde a fatura é enviada novamente",
        "où la facture est-elle envoyée à nouveau",
        "wo wird die Rechnung erneut versendet",
        "где счёт отправляется повторно",
    ] {
        assert_eq!(paths(&tree, &[question])[0], "shop/mail.py", "{question}");
    }
    let notes = tree.json(&["search", "--json", "wo wird die Rechnung gesendet"])["notes"].to_string();
    assert!(notes.contains("translated from German: Rechnung → invoice, gesendet → send"), "{notes}");
    let notes = tree.json(&["search", "--json", "--explain", "wo wird die Kaffeemaschine gesendet"])["notes"]
        .to_string();
    assert!(notes.contains("not translated: Kaffeemaschine"), "{notes}");
    let notes = tree.json(&["search", "--json", "where are invoices sent"])["notes"].to_string();
    assert!(!notes.contains("translated"), "{notes}");
}

#[test]
fn words_of_scripts_without_spaces_are_found_inside_of_comments() {
    let tree = Sandbox::new(SHOP);
    tree.write("shop/stock.py", "# 仓库货架编号不能重复。\ndef check_number(number):\n    return number\n");
    tree.write("shop/ja.py", "# 倉庫の棚卸しを毎晩行う。\ndef nightly():\n    return 1\n");
    // The vectors know the translated words only, so that words alone decide here.
    assert_eq!(paths(&tree, &["--no-vectors", "货架编号"])[0], "shop/stock.py");
    assert_eq!(paths(&tree, &["--no-vectors", "棚卸し"])[0], "shop/ja.py");
}

#[test]
fn a_question_about_every_place_has_a_hit_of_each_package_first() {
    let mut files: Vec<(String, String)> = Vec::new();
    for package in ["orders", "billing", "mail", "stock"] {
        let manifest = format!("{{\"name\": \"{package}\", \"description\": \"handles errors\"}}\n");
        files.push((format!("packages/{package}/package.json"), manifest));
        for file in ["first", "second"] {
            let source = format!(
                "function {file}Handler(error) {{\n  // Handles errors of {package}.\n  handleError(error);\n}}\n"
            );
            files.push((format!("packages/{package}/{file}.js"), source));
        }
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tree = Sandbox::new(&files);
    let question = "all places where errors are handled across packages";
    let answer = tree.json(&["search", "--json", question]);
    let parts: Vec<String> =
        answer["data"]["hits"].as_array().expect("hits").iter().map(|hit| hit["part"].to_string()).collect();
    let first: std::collections::BTreeSet<&String> = parts.iter().take(4).collect();
    assert_eq!(first.len(), 4, "{parts:?}");
    let text = text(&tree.run(&["search", "--explain", question]).stdout);
    assert!(text.contains("packages/billing\n"), "grouped by package: {text}");
    let notes = tree.json(&["search", "--json", "--explain", question])["notes"].to_string();
    assert!(notes.contains("one hit for each package"), "{notes}");
    let few: Vec<String> = paths(&tree, &["--limit", "4", question]);
    assert!(few.iter().all(|path| !path.ends_with("json")), "no build files: {few:?}");
}
