//! What a worker publishes, and what a node makes of it.

use crate::server::{team, text};
use serde_json::json;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SHOP: &[(&str, &str)] = &[
    (
        "shop/cart.py",
        "from shop.tax import rate\n\n\nclass Cart:\n    \"\"\"A basket of goods.\"\"\"\n\n    def total(self, items):\n        return sum(items) * rate()\n\n\ndef main():\n    print(Cart().total([1, 2]))\n",
    ),
    ("shop/tax.py", "def rate():\n    \"\"\"The tax rate of the country.\"\"\"\n    return 1.19\n"),
    ("README.md", "# Shop\n\nSells goods and computes taxes.\n"),
    (".gitignore", "build/\n"),
    ("pyproject.toml", "[project]\nname = \"shop\"\n"),
];

#[test]
fn answers_about_one_repository_are_those_of_a_local_index() {
    let team = team!();
    team.publish("shop", SHOP);
    let (token, node) = (team.token(&["shop"]), team.serve());
    let questions: &[(&[&str], serde_json::Value)] = &[
        (&["symbols", "Cart"], json!({ "name": "Cart" })),
        (&["callers", "rate"], json!({ "symbol": "rate" })),
        (&["references", "Cart"], json!({ "symbol": "Cart" })),
        (&["search", "tax rate"], json!({ "query": ["tax rate"] })),
        (&["outline", "shop/cart.py"], json!({ "path": "shop/cart.py" })),
        (&["files"], json!({})),
        (&["impact", "rate"], json!({ "symbol": "rate" })),
        (&["edges"], json!({})),
    ];
    for (typed, arguments) in questions {
        let answered = node.data(&token, typed[0], Some("shop"), arguments);
        assert_eq!(answered, team.local("shop", typed), "{typed:?}");
    }
    let lines = node.call(&token, "grep", Some("shop"), &json!({ "pattern": "rate" })).1;
    assert!(lines.to_string().contains("shop/tax.py"), "{lines}");
}

#[test]
fn a_new_commit_is_published_as_a_new_generation() {
    let team = team!();
    team.publish("shop", SHOP);
    let (token, node) = (team.token(&["shop"]), team.serve());
    let symbols =
        |name: &str| node.data(&token, "symbols", Some("shop"), &json!({ "name": name }))["symbols"].clone();
    assert_eq!(symbols("discount"), json!([]));
    team.commit("shop", &[("shop/tax.py", "def discount():\n    return 0\n")]);
    let worked = team.succeeds(&["reindex", "shop"]) + &team.work();
    assert!(worked.contains("1 entry changed"), "{worked}");
    assert_eq!(symbols("discount")[0]["path"], "shop/tax.py");
    assert_eq!(symbols("rate"), json!([]));
    assert!(team.succeeds(&["status"]).contains("generation 2"));
    let unchanged = team.succeeds(&["reindex", "shop"]) + &team.work();
    assert!(unchanged.contains("unchanged"), "{unchanged}");
}

#[test]
fn a_reader_sees_one_generation() {
    let team = team!();
    let version = |number: usize| {
        [
            ("a.py", format!("def a_{number}():\n    pass\n")),
            ("b.py", format!("def b_{number}():\n    pass\n")),
        ]
    };
    let commit = |number: usize| {
        let files = version(number);
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        team.commit("pair", &files);
    };
    commit(0);
    team.succeeds(&["add", team.path("pair").to_str().expect("a name")]);
    team.work();
    let (token, node) = (team.token(&["pair"]), team.serve());
    std::thread::scope(|scope| {
        let publishing = scope.spawn(|| {
            for number in 1..6 {
                commit(number);
                team.update("pair");
            }
        });
        let mut seen = 0;
        while !publishing.is_finished() {
            let data = node.data(&token, "symbols", Some("pair"), &json!({ "kind": ["function"] }));
            let names: Vec<&str> = data["symbols"]
                .as_array()
                .expect("symbols")
                .iter()
                .filter_map(|one| one["name"].as_str())
                .collect();
            let numbers: Vec<&str> = names.iter().filter_map(|name| name.split('_').nth(1)).collect();
            assert!(numbers.len() == 2 && numbers[0] == numbers[1], "a mixture: {names:?}");
            seen += 1;
        }
        assert!(seen > 5, "only {seen} answers");
    });
    assert_eq!(
        node.data(&token, "symbols", Some("pair"), &json!({ "name": "b_5" }))["symbols"][0]["path"],
        "b.py"
    );
}

#[test]
fn the_job_of_a_killed_worker_is_claimed_again() {
    let team = team!();
    let files: Vec<(String, String)> =
        (0..60).map(|n| (format!("m{n}.py"), format!("def f{n}():\n    return {n}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    team.commit("many", &files);
    team.succeeds(&["add", team.path("many").to_str().expect("a name")]);
    for milliseconds in [30, 120, 250, 500] {
        let mut worker = team
            .command(&["team", "worker", "--lease", "3"])
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(milliseconds));
        worker.kill().expect("it runs");
        worker.wait().expect("it ends");
    }
    let begun = Instant::now();
    while !team.succeeds(&["status"]).contains("generation 1") {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "the job is stuck: {}",
            team.succeeds(&["status"])
        );
        team.work();
        std::thread::sleep(Duration::from_millis(200));
    }
    let (token, node) = (team.token(&["many"]), team.serve());
    assert_eq!(
        node.data(&token, "symbols", Some("many"), &json!({ "name": "f59" }))["symbols"][0]["path"],
        "m59.py"
    );
    assert_eq!(team.database.sql("SELECT count(*) FROM orient.job"), "0");
}

#[test]
fn contents_are_stored_once_for_branches_and_forks() {
    let team = team!();
    team.publish("shop", SHOP);
    let contents = || team.database.sql("SELECT count(*) FROM orient.content");
    let before = contents();
    team.branch("shop", "feature");
    team.commit("shop", &[("shop/feature.py", "def feature():\n    pass\n")]);
    let path = team.path("shop");
    let path = path.to_str().expect("a name");
    team.succeeds(&["add", path, "--branch", "feature"]);
    team.succeeds(&["add", path, "--name", "fork", "--branch", "feature"]);
    team.work();
    let added = contents().parse::<u64>().expect("a number") - before.parse::<u64>().expect("a number");
    assert_eq!(added, 1, "one file is new");
    assert_eq!(
        team.database.sql("SELECT count(*) FROM orient.artefact"),
        "1",
        "a branch and a fork share that of the repository"
    );
    let (token, node) = (team.token(&["shop"]), team.serve());
    let find =
        |repository: &str| node.data(&token, "symbols", Some(repository), &json!({ "name": "feature" }));
    assert_eq!(find("shop")["symbols"], json!([]));
    assert_eq!(find("shop@feature")["symbols"][0]["path"], "shop/feature.py");
}

#[test]
fn a_node_without_files_starts_from_the_database() {
    let team = team!();
    team.publish("shop", SHOP);
    let token = team.token(&["shop"]);
    let mut command = team.command(&["team", "status"]);
    assert!(text(&command.output().expect("it runs").stdout).contains("shop"));
    let data = tempfile::TempDir::new().expect("a directory");
    let node = team.serve_with(data.path());
    let answered = node.data(&token, "edges", Some("shop"), &json!({}));
    assert_eq!(answered, team.local("shop", &["edges"]));
}

#[test]
fn contents_that_no_branch_has_are_removed() {
    let team = team!();
    team.publish("shop", SHOP);
    team.publish("other", &[("shop/tax.py", SHOP[1].1)]);
    team.succeeds(&["remove", "shop"]);
    team.database.sql("UPDATE orient.content SET added = now() - interval '2 days'");
    team.work();
    assert_eq!(
        team.database.sql("SELECT count(*) FROM orient.content"),
        "1",
        "the one that another repository has"
    );
}

#[test]
fn the_default_branch_may_be_added_by_its_name_before_that_is_known() {
    let team = team!();
    team.commit("shop", SHOP);
    let path = team.path("shop");
    let path = path.to_str().expect("a name");
    team.succeeds(&["add", path]);
    team.succeeds(&["add", path, "--branch", "main"]);
    team.work();
    team.succeeds(&["add", path, "--branch", "main"]);
    team.work();
    let branches = team.database.sql("SELECT name, is_default, generation FROM orient.branch");
    assert_eq!(branches, "main|t|1");
    assert_eq!(team.database.sql("SELECT count(*) FROM orient.job"), "0");
}

#[test]
fn a_fork_shares_the_artefact_of_its_origin() {
    let team = team!();
    let files: Vec<(String, String)> =
        (0..20).map(|n| (format!("m{n}.py"), format!("def f{n}():\n    return {n}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    team.publish("origin", &files);
    team.publish("fork", &[&files[..], &[("own.py", "def own():\n    return f1()\n")]].concat());
    team.publish("stranger", &files[..10]);
    let artefacts = "SELECT count(DISTINCT artefact), count(*) FROM orient.branch";
    assert_eq!(team.database.sql(artefacts), "2|3", "half of its files are no fork");
    let token = team.token(&["fork"]);
    team.succeeds(&["remove", "origin"]);
    let node = team.serve_with(tempfile::TempDir::new().expect("a directory").path());
    let edges = node.data(&token, "edges", Some("fork"), &json!({}));
    assert_eq!(edges, team.local("fork", &["edges"]), "it is complete without the origin");
}

#[test]
fn manifests_are_kept_only_for_trees_that_have_an_index() {
    let team = team!();
    for number in 0..3 {
        team.commit("shop", &[("a.py", &format!("def f{number}():\n    pass\n"))]);
        team.succeeds(&["add", team.path("shop").to_str().expect("a name")]);
        team.update("shop");
        for tree in team.indexed_trees().iter().filter(|_| number == 1) {
            std::fs::remove_dir_all(tree).expect("it is there");
        }
    }
    assert_eq!((team.indexed_trees().len(), team.manifests()), (1, 1));
}

#[test]
fn migrations_go_forward_and_backward() {
    let team = team!();
    let tables = || team.database.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'orient'");
    let all = tables();
    let said = team.succeeds(&["init"]);
    let newest = said.rsplit(' ').next().expect("a number").to_owned();
    assert_eq!(said, format!("schema version {newest}, was {newest}"));
    team.publish("shop", SHOP);
    let token = team.token(&["shop"]);
    assert_eq!(team.succeeds(&["init", "--to", "1"]), format!("schema version 1, was {newest}"));
    let refused = team.run(&["status"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("schema version 1"));
    assert_eq!(team.succeeds(&["init"]), format!("schema version {newest}, was 1"));
    assert_eq!(tables(), all);
    team.work();
    let node = team.serve();
    let found = node.data(&token, "symbols", Some("shop"), &json!({ "name": "Cart" }));
    assert_eq!(found["symbols"][0]["path"], "shop/cart.py", "it is published again");
    assert_eq!(team.succeeds(&["init", "--to", "0"]), format!("schema version 0, was {newest}"));
    assert_eq!(tables(), "1", "the version itself");
    assert_eq!(team.succeeds(&["init"]), format!("schema version {newest}, was 0"));
}

#[test]
fn a_repository_that_cannot_be_fetched_fails_and_says_why() {
    let team = team!();
    team.commit("gone", &[("a.py", "x = 1\n")]);
    team.succeeds(&["add", team.path("gone").to_str().expect("a name")]);
    std::fs::remove_dir_all(team.path("gone")).expect("it is there");
    let worked = team.work();
    assert!(worked.contains("failed"), "{worked}");
    let status = team.succeeds(&["status"]);
    assert!(status.contains("not published") && status.contains("git ls-remote failed"), "{status}");
}
