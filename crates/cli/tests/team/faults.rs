//! Workers, nodes and the database server are killed at random moments while a repository changes and is asked about.
//!
//! `ORIENT_FAULTS=100 cargo test -p orient --test team -- faults` is the long form; `ORIENT_FAULTS_SEED` repeats one.

use crate::server::{NodeProcess, Team, request};
use serde_json::{Value, json};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long anything may take to recover.
const PATIENCE: Duration = Duration::from_mins(2);

fn number_of(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Both files of a version have its number: an answer with two numbers is a mixture.
fn commit(team: &Team, number: u64) {
    let files = ["a", "b"].map(|name| (format!("{name}.py"), format!("def {name}_{number}():\n    pass\n")));
    team.commit("pair", &files.each_ref().map(|(path, text)| (path.as_str(), text.as_str())));
}

fn worker(team: &Team) -> Child {
    let mut command = team.command(&["team", "worker", "--lease", "3"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

fn node(team: &Team) -> NodeProcess {
    let begun = Instant::now();
    while !team.run(&["status"]).status.success() {
        assert!(begun.elapsed() < PATIENCE, "the database does not come back");
    }
    team.serve()
}

/// The version that an answer shows; `None` for an error. Panics if it shows a mixture.
fn version(address: &str, token: &str) -> Option<u64> {
    let question =
        json!({ "operation": "symbols", "repository": "pair", "arguments": { "kind": ["function"] } });
    let authorization = format!("Authorization: Bearer {token}");
    let (status, _, body) =
        request(address, "POST", "/v1/call", &authorization, &question.to_string()).ok()?;
    if status != 200 {
        assert!([401, 503, 504].contains(&status) || body.contains("database"), "{status}: {body}");
        assert_ne!(status, 401, "the token is valid");
        return None;
    }
    let answer: Value = serde_json::from_str(&body).expect("JSON");
    let names = answer["answer"]["data"]["symbols"].as_array().expect("symbols").iter();
    let numbers: Vec<&str> = names.filter_map(|one| one["name"].as_str()?.split('_').nth(1)).collect();
    assert!(numbers.len() == 2 && numbers[0] == numbers[1], "a mixture: {answer}");
    numbers[0].parse().ok()
}

/// Ends the readers, also when the test fails.
struct Ended<'e>(&'e AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn nothing_is_lost_or_half_published_when_processes_are_killed() {
    let rounds = number_of("ORIENT_FAULTS", 3);
    let clock = std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_nanos() as u64;
    let mut random = number_of("ORIENT_FAULTS_SEED", clock) | 1;
    eprintln!("ORIENT_FAULTS_SEED={random}");
    let Some(team) = Team::with_own_server() else { return };
    commit(&team, 0);
    team.succeeds(&["add", team.path("pair").to_str().expect("a name")]);
    team.work();
    let token = team.succeeds(&["tokens", "create", "load", "--all", "--per-minute", "1000000"]);
    let (mut worker_process, mut node_process) = (worker(&team), node(&team));
    let address = Mutex::new(node_process.address().to_owned());
    let (is_done, answers, errors) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let readers = [(); 2].map(|()| {
            scope.spawn(|| {
                let mut last = 0;
                while !is_done.load(Ordering::Relaxed) {
                    let address = address.lock().expect("no panic").clone();
                    let Some(seen) = version(&address, &token) else {
                        errors.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(20));
                        continue;
                    };
                    assert!(seen >= last, "version {last} was published, and {seen} is answered");
                    last = seen;
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        let _ended = Ended(&is_done);
        for round in 1..=rounds {
            commit(&team, round);
            let _ = team.run(&["reindex", "pair"]);
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            std::thread::sleep(Duration::from_millis(random % 900));
            match round % 3 {
                0 => {
                    worker_process.kill().expect("it runs");
                    worker_process.wait().expect("it ends");
                    worker_process = worker(&team);
                }
                1 => team.database.kill_and_start(),
                _ => {
                    node_process.kill();
                    node_process = node(&team);
                    node_process.address().clone_into(&mut address.lock().expect("no panic"));
                }
            }
            if readers.iter().any(std::thread::ScopedJoinHandle::is_finished) {
                break;
            }
        }
        let begun = Instant::now();
        while team.database.sql("SELECT count(*) FROM orient.job") != "0"
            || version(&address.lock().expect("no panic").clone(), &token) != Some(rounds)
        {
            assert!(begun.elapsed() < PATIENCE, "stuck: {}", team.succeeds(&["status"]));
            team.run(&["reindex", "pair"]);
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    worker_process.kill().expect("it runs");
    worker_process.wait().expect("it ends");
    let checked = team.succeeds(&["backup-check"]);
    assert!(checked.contains("consistent: 1 branch"), "{checked}");
    let (answers, errors) = (answers.into_inner(), errors.into_inner());
    eprintln!("{rounds} kills, {answers} answers, {errors} errors");
    assert!(answers > 5, "the node answered {answers} times");
}
