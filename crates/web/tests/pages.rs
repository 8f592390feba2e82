//! Every page on real trees: what it shows, what it links to, and that nothing from a repository or a request becomes markup.

mod support;

use support::{HOSTILE_TEXTS, Site, check_inert};

fn shop() -> Site {
    Site::new(&[
        (
            "src/tax.py",
            "\"\"\"Taxes.\"\"\"\n\n\ndef rate(country):\n    \"\"\"The rate of a country.\"\"\"\n    return 7\n",
        ),
        (
            "src/cart.py",
            "from tax import rate\n\n\nclass Cart:\n    def total(self):\n        # the rate of today\n        return rate(\"de\")\n\n    def show(self):\n        print(self.total())\n",
        ),
        (
            "tests/test_cart.py",
            "from cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 7\n",
        ),
        ("logo.png", "\u{0}\u{1}binary\u{0}"),
        ("README.md", "# Shop\n\nA shop.\n"),
    ])
}

#[test]
fn every_page_can_be_rendered() {
    let site = shop();
    for target in [
        "/",
        "/help",
        "/search",
        "/search?q=rate",
        "/search?q=rate&mode=names",
        "/search?q=r.te&mode=regex",
        "/search?q=rate($X)+lang:python&mode=structural",
        "/code/",
        "/code/src",
        "/code/src/cart.py",
        "/code/src/cart.py?symbol=src/tax.py%23rate",
        "/card?symbol=rate",
        "/graph",
        "/graph?symbol=rate",
        "/graph?symbol=rate&view=callers&depth=3",
        "/graph?symbol=Cart&view=hierarchy",
        "/graph?symbol=src/cart.py&view=dependencies",
        "/graph?symbol=test_total&to=rate",
        "/map",
        "/map?path=src",
        "/status",
    ] {
        let page = site.get(target);
        assert_eq!(page.status, 200, "{target}: {}", page.body);
        check_inert(target, &page.body);
        assert!(
            page.body.contains("<main") && page.body.contains("aria-label=\"Views\""),
            "{target} has landmarks"
        );
        assert!(page.body.contains("<title>"), "{target} has a title");
    }
}

#[test]
fn names_in_code_lead_to_their_definitions() {
    let page = shop().get("/code/src/cart.py").body;
    assert!(page.contains("href=\"/code/src/tax.py#L4\""), "{page}");
    let call = page.lines().find(|line| line.contains("id=\"L7\"")).expect("line 7");
    assert!(call.contains(">rate</a>"), "{call}");
    let comment =
        page.split("id=\"L6\"").nth(1).and_then(|rest| rest.split("id=\"L7\"").next()).expect("line 6");
    assert!(!comment.contains("tax.py"), "a comment is no link: {comment}");
}

#[test]
fn uses_are_listed_beside_the_code_and_marked_in_it() {
    let page = shop().get("/code/src/cart.py?symbol=src/cart.py%23Cart.total").body;
    assert!(page.contains("Uses <span class=\"count\">2</span>"), "{page}");
    assert!(page.contains("/code/tests/test_cart.py#L5"));
    assert!(page.contains("<mark>total</mark>"));
}

#[test]
fn lines_of_the_address_are_marked_without_a_script() {
    let page = shop().get("/code/src/cart.py?lines=4-5").body;
    assert!(
        page.contains("class=\"l marked\" id=\"L4\"") && page.contains("class=\"l marked\" id=\"L5\""),
        "{page}"
    );
    assert!(!page.contains("class=\"l marked\" id=\"L6\""));
}

#[test]
fn a_binary_file_is_labelled() {
    let page = shop().get("/code/logo.png");
    assert_eq!(page.status, 200);
    assert!(page.body.contains("This file is not shown: <strong>binary"), "{}", page.body);
}

#[test]
fn a_card_shows_signature_documentation_and_counts() {
    let card = shop().get("/card?symbol=rate&fragment=1").body;
    assert!(!card.contains("<html"), "only the card");
    for part in ["def rate(country)", "The rate of a country.", "1 callers", "1 tests"] {
        assert!(card.contains(part), "{part}: {card}");
    }
    let placed = shop().get("/card?symbol=src/cart.py:5&name=total&fragment=1").body;
    assert!(placed.contains("Cart.total"), "{placed}");
}

#[test]
fn search_narrows_by_qualifiers_and_counts_filters() {
    let site = shop();
    let page = site.get("/search?q=total").body;
    assert!(page.contains("/search?q=total+lang%3Apython") || !page.contains("<h2>lang</h2>"), "{page}");
    let narrowed = site.get("/search?q=total+path:tests").body;
    assert!(narrowed.contains("tests/test_cart.py") && !narrowed.contains("/code/src/cart.py"), "{narrowed}");
    let regex = site.get("/search?q=ra%5Bt%5De&mode=regex&fragment=1").body;
    assert!(regex.contains("<mark>rate</mark>"), "{regex}");
    let broken = site.get("/search?q=%28&mode=regex&fragment=1");
    assert_eq!(broken.status, 200, "a half-typed pattern is no error page");
    assert!(broken.body.contains("role=\"alert\""));
}

#[test]
fn a_search_explains_its_ranking() {
    let page = shop().get("/search?q=the+rate+of+a+country").body;
    assert!(page.contains("why this rank") && page.contains("<th scope=\"row\">score</th>"), "{page}");
}

#[test]
fn a_graph_is_drawn_and_written_as_text() {
    let page = shop().get("/graph?symbol=rate&view=callers&depth=3").body;
    assert!(page.contains("<svg class=\"graph\"") && page.contains("Cart.total"), "{page}");
    assert!(page.contains("Expand Cart.total") && page.contains("Hide Cart.total"));
    let without = shop().get("/graph?symbol=rate&view=callers&depth=3&tests=0").body;
    assert!(!without.contains("test_total"), "{without}");
    let hidden = shop().get("/graph?symbol=rate&view=callers&depth=3&hide=src/cart.py%23Cart.total").body;
    assert!(!hidden.contains("test_total"), "hiding a node hides what only it connects");
}

#[test]
fn a_graph_is_exported() {
    let site = shop();
    let of = |extension: &str| site.get(&format!("/graph.{extension}?symbol=rate&view=callers")).body;
    assert!(of("svg").starts_with("<svg"));
    assert!(of("dot").starts_with("digraph") && of("dot").contains("->"));
    assert!(of("mmd").starts_with("flowchart LR") && of("mmd").contains("-->"));
}

#[test]
fn an_ambiguous_name_is_a_choice_and_an_unknown_one_a_suggestion() {
    let site = Site::new(&[("a.py", "def run(): pass\n"), ("b.py", "def run(): pass\n")]);
    let several = site.get("/graph?symbol=run").body;
    assert!(several.contains("Several symbols are named run") && several.contains("a.py%23run"), "{several}");
    assert!(site.get("/graph?symbol=nothing").body.contains("No symbol is named nothing"));
}

#[test]
fn missing_pages_and_files_say_so() {
    let site = shop();
    for target in ["/nowhere", "/code/missing.py", "/assets/none.js"] {
        assert_eq!(site.get(target).status, 404, "{target}");
    }
    assert!(site.get("/code/missing.py").body.contains("there is no file or directory missing.py"));
}

#[test]
fn an_empty_tree_has_pages_too() {
    let site = Site::new(&[]);
    for target in ["/", "/search?q=x", "/code/", "/map", "/graph", "/status"] {
        let page = site.get(target);
        assert_eq!(page.status, 200, "{target}: {}", page.body);
    }
}

#[test]
fn pages_of_the_index_have_a_tag_and_are_not_rendered_twice() {
    let site = shop();
    let first = site.get("/code/src/cart.py");
    let tag = first.etag.expect("a tag");
    let again = site.get_with("/code/src/cart.py", Some(&tag));
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert!(site.get("/search?q=rate").etag.is_none(), "a search depends on more than the index");
    site.write("src/cart.py", "def other(): pass\n");
    let changed = site.get_with("/code/src/cart.py", Some(&tag));
    assert_eq!(changed.status, 200);
    assert!(changed.body.contains("other"));
}

#[test]
fn a_long_file_is_shown_in_parts_and_a_long_line_is_cut() {
    let long = (1..=4500).map(|line| format!("value_{line} = {line}\n")).collect::<Vec<_>>().concat();
    let site = Site::new(&[("long.py", &long), ("wide.py", &format!("text = \"{}\"\n", "x".repeat(5000)))]);
    let page = site.get("/code/long.py").body;
    assert!(page.contains("id=\"L2000\"") && !page.contains("id=\"L2001\"") && page.contains("rel=\"next\""));
    let last = site.get("/code/long.py?lines=4400").body;
    assert!(last.contains("class=\"l marked\" id=\"L4400\""));
    let wide = site.get("/code/wide.py").body;
    assert!(wide.contains("more characters") && wide.contains("whole=1"));
    assert!(!site.get("/code/wide.py?whole=1").body.contains("more characters"));
}

#[test]
fn a_change_is_shown_by_symbol_and_side_by_side() {
    let site = shop();
    site.git(&["init", "-q"]);
    site.git(&["add", "."]);
    site.git(&["commit", "-q", "-m", "first"]);
    site.write("src/tax.py", "\"\"\"Taxes.\"\"\"\n\n\ndef rate(country, year):\n    return 8\n");
    let page = site.get("/change?range=HEAD&path=src/tax.py").body;
    check_inert("/change", &page);
    for part in [
        "signature",
        "may break users",
        "def rate(country, year)",
        "class=\"text ins\"",
        "class=\"text del\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.contains("first"), "the latest commits are listed");
    let blamed = site.get("/code/src/cart.py?blame=1").body;
    assert!(blamed.contains("class=\"blame age2\""), "{blamed}");
    let before = site.get("/code/src/tax.py?at=HEAD").body;
    assert!(before.contains("return") && before.contains("at HEAD"), "{before}");
    let nonsense = site.get("/change?range=no-such-branch");
    assert_eq!(nonsense.status, 200);
    assert!(nonsense.body.contains("role=\"alert\""));
}

#[test]
fn hostile_file_names_stay_text() {
    for text in HOSTILE_TEXTS {
        let name: String = text.chars().filter(|c| !matches!(c, '/' | '\0')).take(60).collect();
        if name.is_empty() || name == "." || name == ".." {
            continue;
        }
        let path = format!("{name}.py");
        let site = Site::new(&[(&path, "def run():\n    return run()\n")]);
        for target in ["/", "/code/", "/map", "/search?q=run", "/graph?symbol=run", "/status"] {
            let page = site.get(target);
            assert!(page.status < 500, "{path:?} {target}: {}", page.body);
            check_inert(&format!("{path:?} {target}"), &page.body);
        }
        let listing = site.get("/code/").body;
        let link = support::attribute(&listing, "class=\"file\" href=").expect("the file is listed");
        let page = site.get(&link);
        assert_eq!(page.status, 200, "{path:?}: {link}");
        check_inert(&link, &page.body);
    }
}

#[test]
fn hostile_contents_stay_text() {
    for text in HOSTILE_TEXTS {
        let line = text.replace(['\n', '\r'], " ");
        let content = format!("# {line}\ndef run():\n    \"\"\"{line}\"\"\"\n    return \"{line}\"\n");
        let site = Site::new(&[("a.py", &content), ("b.html", text), ("c.md", text)]);
        for target in [
            "/code/a.py",
            "/code/b.html",
            "/code/c.md",
            "/card?symbol=run",
            "/search?q=run",
            "/code/a.py?symbol=a.py%23run",
        ] {
            let page = site.get(target);
            assert!(page.status < 500, "{text:?} {target}: {}", page.body);
            check_inert(&format!("{text:?} {target}"), &page.body);
        }
    }
}

#[test]
fn hostile_requests_stay_text() {
    let site = shop();
    for text in HOSTILE_TEXTS {
        let typed = text.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat();
        for target in [
            format!("/{typed}"),
            format!("/code/{typed}"),
            format!("/code/src/cart.py?symbol={typed}&at={typed}&lines={typed}&from={typed}"),
            format!("/card?symbol={typed}&name={typed}"),
            format!("/search?q={typed}"),
            format!("/search?q={typed}&mode={typed}&limit={typed}"),
            format!("/search?q={typed}&mode=regex"),
            format!("/search?q={typed}&mode=structural"),
            format!("/search?q=a+path:{typed}+lang:{typed}+kind:{typed}"),
            format!("/graph?symbol={typed}&to={typed}&view={typed}&pin={typed}&expand={typed}&hide={typed}"),
            format!("/graph.dot?symbol={typed}"),
            format!("/map?path={typed}"),
            format!("/change?range={typed}&path={typed}"),
        ] {
            let page = site.get(&target);
            assert!(page.status < 500, "{target}: {} {}", page.status, page.body);
            check_inert(&target, &page.body);
        }
    }
}

#[test]
fn credentials_are_redacted_for_other_machines() {
    let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2));
    let site = Site::new(&[("a.py", &format!("token = \"{key}\"\n"))]);
    assert!(site.get("/code/a.py").body.contains(&key));
    let page = site.get_redacted("/code/a.py").body;
    assert!(!page.contains(&key) && page.contains("redacted"), "{page}");
}
