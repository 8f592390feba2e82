//! The check of a restored database.

use crate::server::{Team, team, text};

const FILES: &[(&str, &str)] = &[
    ("a.py", "def a():\n    return b()\n"),
    ("b.py", "def b():\n    return 1\n"),
    ("README.md", "# Something\n"),
];

fn check(team: &Team) -> (Option<i32>, String) {
    let output = team.run(&["backup-check"]);
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn every_kind_of_damage_is_found() {
    let team = team!();
    team.publish("shop", FILES);
    team.publish("other", &[("c.py", "def c():\n    return 3\n")]);
    let (code, report) = check(&team);
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("consistent") && report.contains("2 branches, 4 contents"), "{report}");
    let damages = [
        ("DELETE FROM orient.entry WHERE path = 'b.py'", "shop@main: it has 2 paths, and 3 were published"),
        (
            "UPDATE orient.entry SET content = (SELECT min(id) FROM orient.content) WHERE path = 'README.md'",
            "shop@main: its entries are not those that were published",
        ),
        ("UPDATE orient.content SET data = '\\x00' WHERE size = 12", "is not what its hash says"),
        ("UPDATE orient.content SET size = size + 1 WHERE size = 12", "is not what its hash says"),
        (
            "ALTER TABLE orient.entry DROP CONSTRAINT entry_content_fkey; DELETE FROM orient.content WHERE size = 12",
            "shop@main: contents of 1 paths are missing",
        ),
        (
            "UPDATE orient.artefact_part SET data = substr(data, 2) WHERE artefact = 1",
            "artefact 1 of shop is damaged",
        ),
        ("DELETE FROM orient.artefact_part WHERE artefact = 1", "artefact 1 of shop is damaged"),
        ("DROP INDEX orient.content_by_term", "index content_by_term is missing"),
    ];
    for (damage, expected) in damages {
        let copy = team.copy();
        copy.database.sql(damage);
        let (code, report) = check(&copy);
        assert_eq!(code, Some(1), "{damage}: {report}");
        assert!(report.contains(expected), "{damage}: {report}");
    }
    team.database.sql("UPDATE orient.schema_version SET version = 99, oldest_program = 99");
    let (code, report) = check(&team);
    assert!(code != Some(0) && report.contains("schema version 99"), "{report}");
}
