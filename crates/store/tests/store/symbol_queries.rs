//! Questions to a snapshot: every answer in a total order, every total exact.
#![expect(clippy::needless_raw_string_hashes, reason = "the form in which snapshots update themselves")]
#![allow(clippy::unwrap_used, reason = "a test fails where it must not")]

use crate::support::{Place, file, id, outline, put, remove, skipped};
use expect_test::{Expect, expect};
use orient_model::{Issue, IssueKind, Outline, RepoPath, Role, Span, SymbolKind};
use orient_store::{
    Change, FileFilter, FilePut, NameMatch, NameTable, PreparedFile, Snapshot, StatusCount, SymbolQuery,
    Writer,
};
use proptest::prelude::*;
use std::fmt::Write;

fn shop() -> Place {
    let place = Place::new();
    place.load([
        file(
            "src/user.x",
            "class User :Base\n  method getUserName\n  method save @app.route(\"/save\")\nfunction user_id",
        ),
        file("src/admin.x", "class Admin :models.User\n  method save\n  method GetUserName"),
        file("lib/user.y", "function getuser\nfunction saved"),
        file("tests/user_test.x", "function save @test"),
        skipped("big.bin", 2, "binary"),
        skipped("link", 5, ""),
    ]);
    place
}

/// The answer as `grade path:line kind name`, with the total in front.
fn check(query: &SymbolQuery<'_>, expected: &Expect) {
    let snapshot = shop().open();
    let page = snapshot.symbols(query, 0, 100).unwrap();
    let mut text = format!("{}\n", page.total);
    for found in &page.rows {
        let symbol = &found.symbol;
        let (path, line, kind) = (symbol.path.display(), symbol.first_line, symbol.kind.as_str());
        writeln!(text, "{} {path}:{line} {kind} {}", found.grade, symbol.name).unwrap();
    }
    expected.assert_eq(&text);
    for limit in 0..page.total {
        let segment = snapshot.symbols(query, 1, limit).unwrap();
        assert_eq!(
            (segment.total, &segment.rows[..]),
            (page.total, &page.rows[1..][..limit.min(page.total - 1)])
        );
    }
}

fn named(name: NameMatch) -> SymbolQuery<'static> {
    SymbolQuery { name, ..SymbolQuery::default() }
}

#[test]
fn by_exact_name() {
    check(
        &named(NameMatch::Exact("save".into())),
        &expect![[r#"
            3
            0 src/admin.x:2 method save
            0 src/user.x:3 method save
            0 tests/user_test.x:1 function save
        "#]],
    );
    check(&named(NameMatch::Exact("Save".into())), &expect![["0\n"]]);
    check(&named(NameMatch::Exact("Base".into())), &expect![["0\n"]]);
}

#[test]
fn by_name_in_any_case_and_by_its_beginning() {
    check(
        &named(NameMatch::Folded("getusername".into())),
        &expect![[r#"
            2
            0 src/admin.x:3 method GetUserName
            0 src/user.x:2 method getUserName
        "#]],
    );
    check(
        &named(NameMatch::Prefix("getUser".into())),
        &expect![[r#"
            3
            0 lib/user.y:1 function getuser
            1 src/admin.x:3 method GetUserName
            1 src/user.x:2 method getUserName
        "#]],
    );
}

#[test]
fn by_a_word_in_the_name() {
    check(
        &named(NameMatch::Word("user".into())),
        &expect![[r#"
            4
            0 src/user.x:1 class User
            1 src/admin.x:3 method GetUserName
            1 src/user.x:2 method getUserName
            1 src/user.x:4 function user_id
        "#]],
    );
}

#[test]
fn by_a_name_with_typing_mistakes() {
    check(
        &named(NameMatch::Fuzzy { text: "svae".into(), distance: 2 }),
        &expect![[r#"
            4
            1 src/admin.x:2 method save
            1 src/user.x:3 method save
            1 tests/user_test.x:1 function save
            2 lib/user.y:2 function saved
        "#]],
    );
    let snapshot = shop().open();
    let mut manifest = NameTable::default();
    snapshot.follow_names(&mut manifest).unwrap();
    for manifest in [None, Some(&manifest)] {
        let similar = |text, distance| snapshot.similar_names(text, distance, 5, manifest).unwrap();
        assert_eq!(similar("usr", 2), ["User"]);
        assert_eq!(similar("Bsae", 1), [""; 0], "a base alone is no symbol");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_name_filter_excludes_only_names_that_are_too_far(
        steps in prop::collection::vec((0..6_usize, prop::collection::vec("[abAk\u{212a}_1]{1,6}", 0..4)), 1..20),
        asked in prop::collection::vec("[abk\u{212a}_1]{1,6}", 4),
    ) {
        let (place, mut manifest) = (Place::with(&[("f0.x", "function start")]), NameTable::default());
        for (at, (number, names)) in steps.into_iter().enumerate() {
            let text: Vec<String> = names.iter().map(|name| format!("function {name}")).collect();
            place.apply([put(&format!("f{number}.x"), &text.join("\n"))]);
            if at % 3 == 2 {
                continue;
            }
            let snapshot = place.open();
            snapshot.follow_names(&mut manifest).unwrap();
            for text in &asked {
                let similar = |manifest| snapshot.similar_names(text, 2, 5, manifest).unwrap();
                prop_assert_eq!(similar(Some(&manifest)), similar(None), "{}", text);
            }
        }
    }
}

#[test]
fn by_kind_language_role_and_path() {
    check(
        &SymbolQuery {
            kinds: &[SymbolKind::Class, SymbolKind::Function],
            languages: &["x"],
            ..SymbolQuery::default()
        },
        &expect![[r#"
            4
            0 src/admin.x:1 class Admin
            0 src/user.x:1 class User
            0 src/user.x:4 function user_id
            0 tests/user_test.x:1 function save
        "#]],
    );
    check(
        &SymbolQuery { roles: &[Role::Test], ..SymbolQuery::default() },
        &expect![[r#"
            1
            0 tests/user_test.x:1 function save
        "#]],
    );
    check(
        &SymbolQuery {
            name: NameMatch::Exact("save".into()),
            path: Some(&|path| path.as_bytes().starts_with(b"src/")),
            ..SymbolQuery::default()
        },
        &expect![[r#"
            2
            0 src/admin.x:2 method save
            0 src/user.x:3 method save
        "#]],
    );
    check(&SymbolQuery { languages: &["unheard-of"], ..SymbolQuery::default() }, &expect![["0\n"]]);
}

#[test]
fn by_attribute_and_base() {
    let route = expect![[r#"
        1
        0 src/user.x:3 method save
    "#]];
    check(&SymbolQuery { attribute: Some("route"), ..SymbolQuery::default() }, &route);
    check(&SymbolQuery { attribute: Some("app.route"), ..SymbolQuery::default() }, &route);
    check(
        &SymbolQuery {
            name: NameMatch::Exact("save".into()),
            attribute: Some("test"),
            ..SymbolQuery::default()
        },
        &expect![[r#"
            1
            0 tests/user_test.x:1 function save
        "#]],
    );
    check(
        &SymbolQuery { base: Some("User"), ..SymbolQuery::default() },
        &expect![[r#"
            1
            0 src/admin.x:1 class Admin
        "#]],
    );
    check(
        &SymbolQuery { base: Some("User"), attribute: Some("test"), ..SymbolQuery::default() },
        &expect![["0\n"]],
    );
    check(&SymbolQuery { base: Some("nothing"), ..SymbolQuery::default() }, &expect![["0\n"]]);
}

#[test]
fn files_by_language_status_and_path() {
    let snapshot = shop().open();
    let paths = |filter: &FileFilter<'_>| {
        let page = snapshot.files(filter, 0, 100).unwrap();
        assert_eq!(page.total, page.rows.len());
        page.rows.iter().map(|file| file.path.display().into_owned()).collect::<Vec<_>>().join(" ")
    };
    let any = FileFilter::default();
    assert_eq!(paths(&any), "big.bin lib/user.y link src/admin.x src/user.x tests/user_test.x");
    assert_eq!(paths(&FileFilter { languages: &["y"], ..any }), "lib/user.y");
    assert_eq!(paths(&FileFilter { status: Some(5), ..any }), "link");
    assert_eq!(
        paths(&FileFilter { path: Some(&|path| path.directory() == b"src"), ..any }),
        "src/admin.x src/user.x"
    );
    let segment = snapshot.files(&any, 1, 2).unwrap();
    assert_eq!(
        (segment.total, segment.rows.len(), segment.rows[0].path.display().as_ref()),
        (6, 2, "lib/user.y")
    );
}

#[test]
fn counts_by_language_and_status() {
    let snapshot = shop().open();
    let languages = snapshot.languages().unwrap();
    let said: Vec<_> = languages.iter().map(|l| (l.language.as_deref(), l.files, l.symbols)).collect();
    assert_eq!(said, [(Some("x"), 3, 8), (Some("y"), 1, 2)]);
    let count = |status, files| StatusCount { status, files };
    assert_eq!(snapshot.statuses().unwrap(), [count(0, 4), count(2, 1), count(5, 1)]);
    let sizes = snapshot.sizes().unwrap();
    assert_eq!((sizes.files, sizes.symbols, sizes.chunks), (6, 10, 10));
    assert_eq!(snapshot.check().unwrap(), [""; 0]);
}

#[test]
fn a_symbol_leads_to_its_parent_its_children_and_its_outline() {
    let snapshot = shop().open();
    let user = snapshot.symbol(id(&snapshot, "User")).unwrap().unwrap();
    let children = snapshot.children(user.id).unwrap();
    assert_eq!(children.iter().map(|child| child.name.as_str()).collect::<Vec<_>>(), ["getUserName", "save"]);
    assert!(children.iter().all(|child| child.parent == Some(user.id)));
    let outline = snapshot.outline(user.file).unwrap().unwrap();
    let symbol = &outline.symbols[user.at as usize];
    assert_eq!(outline.strings.get(symbol.signature), "class User :Base");
    assert_eq!(outline.qualified(children[0].at), ["User", "getUserName"]);
}

#[test]
fn many_hits_are_ordered_and_counted_like_few() {
    let mut bulk = orient_store::BulkWriter::in_memory(std::path::Path::new("memory"), 1).unwrap();
    let text = "function same\n".repeat(100);
    for number in (0..900).rev() {
        bulk.put(&file(&format!("{number:04}.x"), &text)).unwrap();
    }
    let snapshot = bulk.into_snapshot().unwrap();
    let page = snapshot.symbols(&named(NameMatch::Exact("same".into())), 150, 3).unwrap();
    let places: Vec<_> =
        page.rows.iter().map(|found| (found.symbol.path.display(), found.symbol.at)).collect();
    assert_eq!(page.total, 90_000);
    assert_eq!(places, [("0001.x".into(), 50), ("0001.x".into(), 51), ("0001.x".into(), 52)]);
}

#[test]
fn an_index_in_memory_answers_like_one_in_a_file() {
    let place = shop();
    let copy = Writer::in_memory_copy(&place.path()).unwrap().into_snapshot().unwrap();
    assert_eq!(crate::support::listing(&copy), crate::support::listing(&place.open()));
    let mut writer = copy.into_writer().unwrap();
    writer.apply([put("new.x", "function new")]).unwrap();
    let copy: Snapshot = writer.into_snapshot().unwrap();
    assert_eq!((copy.generation(), copy.file(&RepoPath::from("new.x")).unwrap().is_some()), (2, true));
    assert_eq!(place.open().generation(), 1, "the file was not touched");
}

#[test]
fn paths_that_are_not_text_are_files_like_others() {
    let place = Place::new();
    let odd = RepoPath::new(&b"caf\xe9/a b%?#.x"[..]);
    place.load([FilePut { path: odd.clone(), ..file("a.x", "function a") }]);
    assert_eq!(place.open().known().unwrap()[0].path, odd);
    assert!(place.open().file(&odd).unwrap().is_some());
}

#[test]
fn what_was_not_read_is_found_by_path() {
    let mut gave_up = outline("function lost");
    gave_up.issues.push(Issue { kind: IssueKind::Budget, span: Span::default() });
    let mut in_part = outline("function found");
    in_part.issues.push(Issue { kind: IssueKind::Syntax, span: Span::default() });
    let with =
        |path: &str, outline: &Outline| FilePut { facts: Some(PreparedFile::new(outline)), ..file(path, "") };
    let place = Place::with(&[("plain.x", "function main")]);
    let puts = [
        skipped("locked", 5, "permission denied"),
        skipped("big.x", 1, "3/2"),
        skipped("image.x", 2, ""),
        with("odd.x", &gave_up),
        with("broken.x", &in_part),
    ];
    place.apply(puts.map(|put| Change::Put(Box::new(put))));
    let unread = |place: &Place| -> Vec<String> {
        let unread = place.open().unread().unwrap();
        unread.into_iter().map(|file| file.path.display().into_owned()).collect()
    };
    assert_eq!(unread(&place), ["big.x", "locked", "odd.x"]);
    place.apply([put("odd.x", "function lost"), remove("locked")]);
    assert_eq!(unread(&place), ["big.x"]);
}
