//! Servers that are broken or hostile: the run ends, in time, and says what happened to each file.

use super::*;
use orient_model::{ServiceError, ServiceStatus};
use std::time::Instant;

/// The status of the only file, with the reason.
fn outcome(behaviour: &str) -> (ServiceStatus, String) {
    let (done, _) = Bench::new().ask(behaviour, 1, &Limits { restarts: 1, ..short() });
    (done.files[0].status, done.files[0].detail.clone())
}

#[test]
fn garbage_and_huge_messages_end_the_server_not_the_run() {
    for behaviour in ["garbage", "huge", "fails", "useless"] {
        let (status, detail) = outcome(behaviour);
        assert_eq!(
            status,
            ServiceStatus::SyntacticOnly(ServiceError::SemanticUnavailable),
            "{behaviour}: {detail}"
        );
    }
    assert!(outcome("huge").1.contains("99999999999"));
    assert!(outcome("fails").1.contains("no project here"), "what it wrote is the reason");
}

#[test]
fn a_server_that_never_starts_to_answer_runs_out_of_time() {
    let begun = Instant::now();
    let limits = Limits { project: Duration::from_millis(500), ..short() };
    let (done, _) = Bench::new().ask("mute", 2, &limits);
    assert!(done.files.iter().all(|file| file.status == ServiceStatus::SyntacticOnly(ServiceError::Timeout)));
    assert!(begun.elapsed() < Duration::from_secs(5), "the second file does not wait");
}

#[test]
fn questions_that_are_not_answered_are_cancelled() {
    let bench = Bench::new();
    let limits = Limits { project: Duration::from_millis(900), ..short() };
    let (done, answers) = bench.ask("silent", 1, &limits);
    assert_eq!(done.files[0].status, ServiceStatus::SyntacticOnly(ServiceError::Timeout));
    assert!(answers[0].answers.is_empty());
    let record = std::fs::read_to_string(bench.record()).expect("the server saw the cancellations");
    assert_eq!(record.split_whitespace().count(), 3, "{record}");
}

#[test]
fn a_server_that_dies_is_started_again_and_given_up_after_some_attempts() {
    let bench = Bench::new();
    let (done, _) = bench.ask("dies-once", 2, &short());
    assert!(done.files.iter().all(|file| file.status == ServiceStatus::Full), "{done:?}");
    assert_eq!(done.restarts, 1);
    let (done, _) = Bench::new().ask("dies", 4, &short());
    assert_eq!(done.restarts, 3);
    let failed = ServiceStatus::Failed(ServiceError::SemanticUnavailable);
    assert_eq!((done.files[0].status, done.files[1].status), (failed, failed));
    assert_eq!(done.files[3].status, ServiceStatus::SyntacticOnly(ServiceError::SemanticUnavailable));
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_eats_memory_is_ended() {
    let limits = Limits { memory: 150 << 20, restarts: 1, project: Duration::from_secs(20), ..short() };
    let (done, _) = Bench::new().ask("eats", 1, &limits);
    assert_eq!(done.files[0].status, ServiceStatus::Failed(ServiceError::OomRestart), "{done:?}");
}

#[test]
fn a_server_that_does_not_read_runs_out_of_time() {
    struct Large;
    impl RunObserver for Large {
        fn text(&mut self, _: &FileQuestions) -> Option<String> {
            Some(TEXT.repeat(100_000))
        }
        fn answered(&mut self, _: FileAnswers, _: &FileOutcome) {}
    }
    let bench = Bench::new();
    let program = env!("CARGO_BIN_EXE_scripted-language-server");
    let permission = bench.permission(&format!("{program} stubborn"), "");
    let limits = Limits { project: Duration::from_millis(600), restarts: 0, ..short() };
    let (begun, files) = (Instant::now(), [questions("a.txt")]);
    let done = ask_files(&permission, &files, &limits, &|| false, &mut Large);
    assert_eq!(done.files[0].status, ServiceStatus::SyntacticOnly(ServiceError::Timeout), "{done:?}");
    assert!(begun.elapsed() < Duration::from_secs(8));
}

#[test]
fn noise_refusals_and_changed_minds_do_not_lose_answers() {
    let limits = Limits { project: Duration::from_secs(30), ..short() };
    let (done, _) = Bench::new().ask("noisy", 1, &limits);
    assert_eq!((done.files[0].status, done.files[0].answered), (ServiceStatus::Full, 3), "{done:?}");
    let (done, _) = Bench::new().ask("modified", 1, &limits);
    assert_eq!((done.files[0].status, done.files[0].answered), (ServiceStatus::Full, 3), "{done:?}");
    let (done, _) = Bench::new().ask("declines", 1, &limits);
    assert_eq!(done.files[0].detail, "internal", "one line of what it said");
    let (_, answers) = Bench::new().ask("elsewhere", 1, &limits);
    assert!(answers[0].answers.iter().all(|answer| answer.places.is_empty()), "crooked paths are no places");
}

#[test]
fn a_server_that_knows_no_definition_at_all_has_loaded_nothing() {
    let (done, answers) = Bench::new().ask("knows-nothing", 4, &short());
    let expected = ServiceStatus::SyntacticOnly(ServiceError::ProjectLoadFailed);
    assert!(done.files.iter().all(|file| file.status == expected), "{done:?}");
    assert!(answers.iter().all(|file| file.answers.is_empty()), "nothing is kept");
    let (done, _) = Bench::new().ask("knows-nothing", 1, &short());
    assert_eq!(done.files[0].status, ServiceStatus::Full, "three answers are too few to say");
}
