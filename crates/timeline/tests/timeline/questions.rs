//! What the index is asked.

use crate::fixture::{Fixture, function};
use orient_model::RepoPath;
use orient_timeline::{CommitQuery, FormerSymbol, TextKind, hotspots, search_commits, successors};

fn former(path: Option<&str>, name: &str) -> FormerSymbol {
    FormerSymbol { path: path.map(|path| path.as_bytes().to_vec()), name: name.to_owned() }
}

#[test]
fn former_names_and_places_lead_to_the_current_one() {
    let fixture = Fixture::new();
    fixture.write("a.py", &(function("total", 1) + &function("other", 2)));
    fixture.commit("start");
    fixture.write("a.py", &(function("sum_up", 1) + &function("other", 2)));
    let renamed = fixture.commit("rename");
    fixture.write("a.py", &function("other", 2));
    fixture.write("b.py", &function("sum_up", 1));
    let moved = fixture.commit("move");
    fixture.git(&["mv", "b.py", "sums.py"]);
    let file_renamed = fixture.commit("rename the file");
    fixture.write("a.py", "");
    let removed = fixture.commit("remove");
    fixture.index();
    let mut index = fixture.reader();
    let found = successors(&mut index, &former(None, "total"));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].path.as_slice(), found[0].name.as_deref()), (&b"sums.py"[..], Some("sum_up")));
    assert_eq!(found[0].commit, file_renamed);
    let found = successors(&mut index, &former(Some("a.py"), "sum_up"));
    assert_eq!(found[0].path, b"sums.py");
    assert_eq!(successors(&mut index, &former(Some("b.py"), "sum_up"))[0].commit, file_renamed);
    let gone = successors(&mut index, &former(None, "other"));
    assert_eq!((gone[0].name.as_ref(), gone[0].commit), (None, removed));
    assert!(successors(&mut index, &former(None, "never")).is_empty());
    assert_ne!(renamed, moved);
}

#[test]
fn commits_are_found_by_message_and_by_changed_lines() {
    let fixture = Fixture::new();
    fixture.write("a.py", &function("total", 1));
    fixture.commit("start");
    fixture.write(
        "a.py",
        &(function("total", 1) + "def connect():\n    retry_limit = 5\n    return retry_limit\n"),
    );
    let in_diff = fixture.commit("more robust");
    fixture.write("b.md", "words\n");
    let in_message = fixture.commit("explain the shutdown sequence");
    for is_indexed in [false, true] {
        if is_indexed {
            fixture.index();
        }
        let find = |text: &str, kind: TextKind, below: Option<&RepoPath>| {
            let query = CommitQuery { text, kind, below, language: None, limit: 1 };
            let hits = search_commits(
                &mut fixture.reader(),
                &mut fixture.history(),
                fixture.head(),
                &query,
                &|_| true,
            );
            hits.expect("it is searched").into_iter().next()
        };
        let hit = find("shutdown sequence", TextKind::Any, None).expect("a hit");
        assert_eq!(hit.commit.id, in_message);
        if is_indexed {
            let hit = find("retry limit", TextKind::Diff, None).expect("a hit");
            assert_eq!(hit.commit.id, in_diff);
            assert_eq!(hit.hunk.expect("a hunk").path, RepoPath::from("a.py"));
            let below = RepoPath::from("b.md");
            assert_eq!(
                find("retry limit", TextKind::Any, Some(&below)).expect("a hit").commit.id,
                in_message
            );
        }
    }
}

#[test]
fn short_diff_with_the_words_is_found_before_a_long_one_that_has_them_among_many() {
    let fixture = Fixture::new();
    fixture.write("start.py", &function("start", 0));
    fixture.commit("start");
    let many: Vec<String> =
        (0..80).map(|n| format!("value_{n} = compute(part_{n}, timeout, proxy)")).collect();
    fixture.write("many.py", &many.join("\n"));
    let long = fixture.commit("import");
    fixture.write("net.py", "def dial(proxy, timeout):\n    return connect(proxy, timeout)\n");
    let short = fixture.commit("wip");
    fixture.index();
    let query = |kind| {
        let text = "timeout of the proxy";
        let query = CommitQuery { text, kind, below: None, language: None, limit: 2 };
        let (mut index, mut history) = (fixture.reader(), fixture.history());
        let hits = search_commits(&mut index, &mut history, fixture.head(), &query, &|_| true);
        hits.expect("it is searched").into_iter().map(|hit| hit.commit.id).collect::<Vec<_>>()
    };
    assert_eq!(query(TextKind::Any), [short, long]);
    assert_eq!(query(TextKind::Diff), [short, long]);
}

#[test]
fn hotspots_follow_renames_and_count_common_changes() {
    let fixture = Fixture::new();
    for number in 0..6 {
        fixture.write("a.py", &function("f", number));
        fixture.write("b.py", &function("g", number));
        fixture.write("c.py", &function("h", 1));
        fixture.commit(&format!("change {number}"));
    }
    fixture.git(&["mv", "a.py", "renamed.py"]);
    fixture.commit("rename");
    fixture.index();
    let exists = |path: &[u8]| [&b"renamed.py"[..], b"b.py", b"c.py"].contains(&path);
    let mailmap = fixture.history().mailmap().expect("readable");
    let found = hotspots(&mut fixture.reader(), &mailmap, &fixture.head(), None, &exists);
    assert_eq!(found.commits, 7);
    let of =
        |path: &str| found.paths.iter().find(|activity| activity.path == path.as_bytes()).expect("counted");
    assert_eq!((of("renamed.py").commits, of("b.py").commits, of("c.py").commits), (7, 6, 1));
    assert_eq!((found.symbols[0].name.as_str(), found.symbols[0].commits), ("g", 6));
    let pair = &found.pairs[0];
    assert_eq!((pair.paths.0.as_slice(), pair.paths.1.as_slice()), (&b"b.py"[..], &b"renamed.py"[..]));
    assert_eq!((pair.commits, pair.of), (6, 6));
}

#[test]
fn hotspots_count_an_author_of_two_addresses_once() {
    let fixture = Fixture::new();
    for (number, user) in [(0, "ann"), (1, "old"), (2, "old")] {
        fixture.write("a.py", &function("f", number));
        fixture.write(".mailmap", "Ann Proper <ann@example.com> <old@example.com>\n");
        fixture.git(&["add", "-A"]);
        let email = format!("user.email={user}@example.com");
        fixture.git(&["-c", "user.name=ann", "-c", &email, "commit", "-q", "-m", "change"]);
    }
    fixture.index();
    let mailmap = fixture.history().mailmap().expect("readable");
    let found = hotspots(&mut fixture.reader(), &mailmap, &fixture.head(), None, &|path| path == b"a.py");
    let authors: Vec<(&str, u32)> =
        found.paths[0].authors.iter().map(|(person, count)| (person.name.as_str(), *count)).collect();
    assert_eq!(authors, [("Ann Proper", 2), ("ann", 1)]);
}
