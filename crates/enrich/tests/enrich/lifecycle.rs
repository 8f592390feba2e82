//! What a well-behaved server is asked, and how it is started, checked, limited and ended.

use super::*;
use orient_model::{ServiceError, ServiceStatus};

#[test]
fn every_question_is_answered_with_the_places_that_the_server_names() {
    let bench = Bench::new();
    let (done, answers) = bench.ask("well", 2, &short());
    assert_eq!(done.restarts, 0);
    assert!(
        done.files.iter().all(|file| file.status == ServiceStatus::Full && file.answered == 3),
        "{done:?}"
    );
    let characters: Vec<u32> = answers[1].answers.iter().map(|answer| answer.places[0].character).collect();
    assert_eq!(characters, [0, 4, 0]);
    assert_eq!(answers[1].answers[0].places[0].file, bench.root().join("f1.txt"));
}

#[test]
fn a_server_gets_its_settings_and_may_not_edit() {
    let (done, _) = Bench::new().ask("asks", 1, &short());
    assert_eq!(done.files[0].status, ServiceStatus::Full, "{done:?}");
}

#[test]
fn the_environment_is_a_short_list_and_the_directory_is_the_repository() {
    let bench = Bench::new();
    bench.ask("environment", 1, &short());
    let record = std::fs::read_to_string(bench.record()).expect("recorded");
    let (directory, names) = record.split_once('\n').expect("two lines");
    assert_eq!(Path::new(directory), bench.root());
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "this process has it");
    assert!(!names.contains("CARGO_MANIFEST_DIR") && names.split(' ').any(|name| name == "PATH"), "{names}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_server_started_ends_with_the_run() {
    let (done, answers) = Bench::new().ask("child", 1, &short());
    assert_eq!(done.files[0].status, ServiceStatus::Full);
    let started: Vec<u32> = answers[0].answers.iter().map(|answer| answer.places[0].character).collect();
    assert_eq!(started.len(), 3);
    for _ in 0..100 {
        if !started.iter().any(|&process| exists(process)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{started:?} still run");
}

#[cfg(target_os = "linux")]
#[test]
fn a_panic_ends_the_server() {
    struct Panics;
    impl RunObserver for Panics {
        fn text(&mut self, _: &FileQuestions) -> Option<String> {
            Some(TEXT.to_owned())
        }
        fn answered(&mut self, answers: FileAnswers, _: &FileOutcome) {
            std::panic::panic_any(answers.answers[0].places[0].character);
        }
    }
    let bench = Bench::new();
    let program = env!("CARGO_BIN_EXE_scripted-language-server");
    let permission = bench.permission(&format!("{program} child"), "");
    let caught = std::panic::catch_unwind(|| {
        ask_files(&permission, &[questions("a.txt")], &short(), &|| false, &mut Panics).files.len()
    });
    let process = *caught.expect_err("it panics").downcast::<u32>().expect("the number of a process");
    for _ in 0..100 {
        if !exists(process) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{process} still runs");
}

#[test]
fn another_version_than_the_allowed_one_is_refused() {
    let (done, _) = Bench::new().ask("newer", 1, &short());
    assert_eq!(done.files[0].status, ServiceStatus::SyntacticOnly(ServiceError::SemanticUnavailable));
    assert!(done.files[0].detail.contains("9.9.9"), "{done:?}");
}

#[test]
fn an_idle_server_is_ended_and_started_again_when_it_is_asked() {
    struct Slow(Vec<ServiceStatus>);
    impl RunObserver for Slow {
        fn text(&mut self, _: &FileQuestions) -> Option<String> {
            Some(TEXT.to_owned())
        }
        fn answered(&mut self, answers: FileAnswers, _: &FileOutcome) {
            self.0.push(answers.status);
            std::thread::sleep(Duration::from_millis(600));
        }
    }
    let bench = Bench::new();
    let program = env!("CARGO_BIN_EXE_scripted-language-server");
    let permission = bench.permission(&format!("{program} well"), "");
    let (limits, mut slow) = (Limits { idle: Duration::from_millis(200), ..short() }, Slow(Vec::new()));
    let files = [questions("a.txt"), questions("b.txt")];
    let done = ask_files(&permission, &files, &limits, &|| false, &mut slow);
    assert_eq!((slow.0.as_slice(), done.restarts), (&[ServiceStatus::Full; 2][..], 0), "it did not fail");
}

#[test]
fn a_stopped_run_keeps_what_was_answered() {
    let bench = Bench::new();
    let program = env!("CARGO_BIN_EXE_scripted-language-server");
    let permission = bench.permission(&format!("{program} silent {}", bench.record().display()), "");
    let begun = std::time::Instant::now();
    let cancelled = || begun.elapsed() > Duration::from_millis(300);
    let mut answers = Answers::default();
    let done = ask_files(&permission, &[questions("a.txt")], &Limits::default(), &cancelled, &mut answers);
    assert!(done.is_cancelled && done.files.is_empty() && begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_file_that_changed_is_not_asked_about() {
    let bench = Bench::new();
    let program = env!("CARGO_BIN_EXE_scripted-language-server");
    let permission = bench.permission(&format!("{program} well"), "");
    let files = [questions("changed.txt"), questions("same.txt")];
    let done = ask_files(&permission, &files, &short(), &|| false, &mut Answers::default());
    assert_eq!(done.files[0].status, ServiceStatus::Failed(ServiceError::SemanticUnavailable));
    assert_eq!(done.files[1].status, ServiceStatus::Full);
}
