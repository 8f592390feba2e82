//! Nodes and workers of one version with the schema of a newer one, while they are replaced one after another. The newer schema is made by hand: what the
//! next migration will be is not known, but which statements it consists of is.

use crate::server::{NodeProcess, Team, team, text};
use serde_json::json;

const FILES: &[(&str, &str)] = &[("a.py", "def first():\n    return 1\n")];

/// What a migration that only adds may do to tables that every question and every publication uses.
const ADDITIONS: &[&str] = &[
    "ALTER TABLE orient.repository ADD COLUMN added_later text",
    "ALTER TABLE orient.branch ADD COLUMN added_later bigint NOT NULL DEFAULT 0",
    "ALTER TABLE orient.entry ADD COLUMN added_later integer",
    "ALTER TABLE orient.token ADD COLUMN added_later boolean NOT NULL DEFAULT false",
    "ALTER TABLE orient.audit ADD COLUMN added_later text",
    "ALTER TABLE orient.job ADD COLUMN added_later integer NOT NULL DEFAULT 0",
    "CREATE TABLE orient.added_later (id bigint PRIMARY KEY)",
    "CREATE INDEX added_later_by_size ON orient.content (size)",
];

/// The version of the schema that this program makes.
fn version(team: &Team) -> i32 {
    team.database.sql("SELECT version FROM orient.schema_version").parse().expect("a number")
}

fn set_version(team: &Team, version: i32, oldest_program: i32) {
    team.database.sql(&format!(
        "UPDATE orient.schema_version SET version = {version}, oldest_program = {oldest_program}"
    ));
}

fn symbols(node: &NodeProcess, token: &str, name: &str) -> (u16, usize) {
    let (status, answer) = node.call(token, "symbols", Some("shop"), &json!({ "name": name }));
    (status, answer["answer"]["data"]["symbols"].as_array().map_or(0, Vec::len))
}

fn ready(node: &NodeProcess) -> u16 {
    node.request("GET", "/readyz", None, "").0
}

#[test]
fn nodes_and_workers_go_on_while_the_schema_of_the_next_version_only_adds() {
    let team = team!();
    team.publish("shop", FILES);
    let (token, running) = (team.token(&["shop"]), team.serve());
    assert_eq!(symbols(&running, &token, "first"), (200, 1));
    let own = version(&team);
    for addition in ADDITIONS {
        team.database.sql(addition);
    }
    set_version(&team, own + 1, own);
    assert_eq!((ready(&running), symbols(&running, &token, "first")), (200, (200, 1)));
    let started = team.serve();
    assert_eq!((ready(&started), symbols(&started, &token, "first")), (200, (200, 1)));
    team.commit("shop", &[("b.py", "def second():\n    return 2\n")]);
    team.update("shop");
    assert_eq!(symbols(&running, &token, "second"), (200, 1), "the older worker publishes");
    let said = team.succeeds(&["init"]);
    assert_eq!(said, format!("schema version {next}, was {next}", next = own + 1), "nothing is taken back");
    team.succeeds(&["tokens", "revoke", "1"]);
    assert_eq!(symbols(&running, &token, "first").0, 401, "revocation stays immediate");
}

#[test]
fn nodes_and_workers_stop_when_the_schema_is_for_newer_programs_only() {
    let team = team!();
    team.publish("shop", FILES);
    let (token, running) = (team.token(&["shop"]), team.serve());
    assert_eq!(symbols(&running, &token, "first"), (200, 1));
    team.commit("shop", &[("b.py", "def second():\n    return 2\n")]);
    team.succeeds(&["reindex", "shop"]);
    let own = version(&team);
    set_version(&team, own + 2, own + 1);
    assert_eq!(ready(&running), 503, "a load balancer takes it out");
    assert_eq!(symbols(&running, &token, "first").0, 503, "it does not answer from what it may misread");
    let worker = team.run(&["worker", "--until-idle"]);
    let said = text(&worker.stderr);
    assert!(!worker.status.success() && said.contains(&format!("schema version {}", own + 2)), "{said}");
    assert!(!team.run(&["init"]).status.success(), "it does not migrate what it does not know");
    assert_eq!(team.database.sql("SELECT attempts FROM orient.job"), "0", "the job waits for a newer worker");
    set_version(&team, own, own);
    team.work();
    assert_eq!((ready(&running), symbols(&running, &token, "second")), (200, (200, 1)));
}
