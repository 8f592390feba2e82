//! Runs the cases of `seed_rules.md`.

use orient_task::{
    AGREED_FROM, Advice, Agreement, Certainty, Counts, DependentUse, FileView, FinishedTask, Frame,
    FrameSlot, FrameSymbol, Gap, Impact, Inconsistency, Intent, Location, Outcome, Phase, PlanTool, Problem,
    Record, Refusal, Requirements, Risk, SemanticReason, ServedCall, SlotValue, Status, SymbolView, Task,
    Tier, Understanding, Verdict, WriteTarget, assess_risk, check_consistency, check_slot, check_write, gaps,
    insights, is_markup, is_markup_context, needs_bootstrap, raised, tools_for,
};

#[test]
fn every_rule_has_the_outcome_that_the_document_states() {
    let (mut run, mut wrong) = (0, Vec::new());
    for line in include_str!("seed_rules.md").lines() {
        let Some(row) = line.strip_prefix("| `") else { continue };
        let (case, rest) = row.split_once("` |").expect("a case in backticks");
        let expected = rest.split(" |").next().unwrap_or_default().trim();
        let found = outcome(&case.replace("\\|", "|"));
        run += 1;
        if found != expected {
            wrong.push(format!("{case}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {run}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(run > 130, "{run} cases");
}

fn outcome(case: &str) -> String {
    let (name, rest) = case.split_once(' ').unwrap_or((case, ""));
    match name {
        "intents" => join(Intent::ALL.iter().map(|one| one.as_str())),
        "phase_names" => join(Phase::ALL.iter().map(|one| one.as_str())),
        "slots" => join(FrameSlot::ALL.iter().map(|one| one.as_str())),
        "certainties" => join(Certainty::ALL.iter().map(|one| one.as_str())),
        "all_reasons" => join(SemanticReason::ALL.iter().map(|one| one.as_str())),
        "outcomes" => join(Outcome::ALL.iter().map(|one| one.as_str())),
        "require" => required(rest),
        "gaps" => gaps_of(rest),
        "markup" => yes(is_markup(rest)),
        "markup_context" => yes(is_markup_context(rest.split_whitespace())),
        "consistent" => consistent(rest),
        "reasons" => reasons(rest),
        "quote" => quoted(rest),
        "tier" => Tier::of(rest.parse().expect("a score")).as_str().to_owned(),
        "risk" => risk(rest),
        "raise" => raised_risk(rest),
        "tools" => tools(rest),
        "bootstrap" => bootstrap(rest),
        "write" => written(rest),
        "agreement" => agreement(rest),
        "agreed" => agreed(rest),
        "threshold" => AGREED_FROM.to_string(),
        "unknown" => unknown(rest),
        "insights" => insight(),
        "decisions" => decisions(rest),
        "phases" => phases(rest),
        other => panic!("unknown case {other}"),
    }
}

fn join<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn intent(text: &str) -> Intent {
    text.split([' ', ':']).next().unwrap_or_default().parse().expect("an intent")
}

/// A frame with the slots of a list, `all` or `none`.
fn frame(known: &str) -> Frame {
    let value = || SlotValue { value: "v".into(), quote: "q".into(), certainty: Certainty::Fact };
    let slots: Vec<FrameSlot> = match known {
        "all" => FrameSlot::ALL.to_vec(),
        "none" | "" => Vec::new(),
        list => list.split(',').map(|slot| slot.parse().expect("a slot")).collect(),
    };
    slots.into_iter().map(|slot| (slot, value())).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn number(words: &[&str], key: &str) -> usize {
    let value = words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    value.map_or(0, |value| value.parse().expect("a number"))
}

fn list(words: &[&str], key: &str) -> Vec<String> {
    let value = words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    value.map(|value| value.split(',').map(str::to_owned).collect()).unwrap_or_default()
}

fn required(text: &str) -> String {
    let need = Requirements::of(intent(text), text.contains("markup"));
    let mut parts = Vec::new();
    for (name, count) in [
        ("symbols", need.symbols),
        ("entry_points", need.entry_points),
        ("files", need.files),
        ("patterns", need.patterns),
    ] {
        if count > 0 {
            parts.push(format!("{name} {count}"));
        }
    }
    for (name, is) in [
        ("definitions", need.definitions),
        ("references", need.references),
        ("text_search", need.text_search),
    ] {
        if is {
            parts.push(name.to_owned());
        }
    }
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

fn gaps_of(text: &str) -> String {
    let words = words(text);
    let counts = Counts {
        symbols: number(&words, "symbols"),
        entry_points: number(&words, "entry_points"),
        files: number(&words, "files"),
        patterns: number(&words, "patterns"),
        definitions: words.contains(&"definitions"),
        references: words.contains(&"references"),
        text_search: false,
    };
    let found = gaps(Requirements::of(intent(text), false), counts);
    if found.is_empty() { "complete".to_owned() } else { join(found.iter().map(|gap| gap.as_str())) }
}

fn consistent(text: &str) -> String {
    let words = words(text);
    let part = |key| list(&words, key);
    let linked = words.contains(&"linked");
    let found = check_consistency(
        &part("symbols"),
        &part("entry_points"),
        &part("files"),
        &part("patterns"),
        &|_, _| linked,
    );
    found.first().map_or("consistent", kind_of_inconsistency).to_owned()
}

fn kind_of_inconsistency(one: &Inconsistency) -> &'static str {
    match one {
        Inconsistency::DuplicateSymbol(_) => "duplicate symbol",
        Inconsistency::DuplicateFile(_) => "duplicate file",
        Inconsistency::EntryPointNotLinked(_) => "entry point not linked",
        Inconsistency::PatternsWithoutFiles => "patterns without files",
    }
}

fn reasons(gap: &str) -> String {
    let (have, need) = (0, 1);
    let gap = match gap {
        "symbols" => Gap::Symbols { have, need },
        "entry_points" => Gap::EntryPoints { have, need },
        "patterns" => Gap::Patterns { have, need },
        "files" => Gap::Files { have, need },
        "definitions" => Gap::Definitions,
        "references" => Gap::References,
        _ => Gap::TextSearch,
    };
    let allowed: Vec<&str> = SemanticReason::ALL
        .iter()
        .filter(|reason| reason.explains(gap))
        .map(|reason| reason.as_str())
        .collect();
    if allowed.is_empty() { "none".to_owned() } else { allowed.join(", ") }
}

fn quoted(text: &str) -> String {
    let parts: Vec<&str> = text.split('|').map(str::trim).collect();
    match check_slot(parts[0], parts[1], parts[2], 0.0) {
        Ok(()) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn risk(text: &str) -> String {
    let words = words(text);
    assess_risk(intent(text), &frame(words[1]), words.contains(&"markup")).to_string()
}

fn raised_risk(text: &str) -> String {
    let words = words(text);
    let impact = Impact {
        callers: number(&words, "callers") as u64,
        tests: number(&words, "tests") as u64,
        public: words.contains(&"public"),
        known: true,
    };
    let from: Risk = words[0].parse().expect("a risk");
    raised(from, words[1].parse().expect("an intent"), impact).to_string()
}

fn tools(text: &str) -> String {
    let words = words(text);
    join(tools_for(&frame(words[1]), intent(text)).into_iter().map(PlanTool::as_str))
}

fn bootstrap(text: &str) -> String {
    let words = words(text);
    let served = usize::from(words.contains(&"served"));
    let needed = needs_bootstrap(&frame(words[1]), intent(text), words.contains(&"confident"), served);
    needed.unwrap_or("no").to_owned()
}

fn unknown(text: &str) -> String {
    let mut task = Task::start(intent(text), "x");
    task.frame = frame(words(text)[1]);
    join(task.missing_slots().into_iter().map(FrameSlot::as_str))
}

fn agreement(text: &str) -> String {
    let (words, symbol) = text.split_once('|').expect("words and a symbol");
    let written = Agreement {
        words: words.trim().to_owned(),
        symbol: symbol.trim().to_owned(),
        evidence: "src/a.py:3".to_owned(),
        task: Some(1),
    };
    match Agreement::parse(&written.to_markdown()) {
        Ok(read) if read == written => "read back".to_owned(),
        Ok(_) => "changed".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn agreed(text: &str) -> String {
    let parts: Vec<&str> = text.split('|').map(str::trim).collect();
    let one = Agreement {
        words: parts[0].to_owned(),
        symbol: "a#b".to_owned(),
        evidence: String::new(),
        task: None,
    };
    let score = one.score(parts[1], parts[2].parse().expect("a similarity"));
    if score >= AGREED_FROM { "answers" } else { "does not answer" }.to_owned()
}

fn written(text: &str) -> String {
    let words = words(text);
    let has = |word| words.contains(&word);
    let mut task = Task::start(intent(text), "x");
    task.phase = words[1].parse().expect("a phase");
    let mut record = Record::default();
    if has("explored") || has("stale") {
        let view = FileView { lines: vec![(1, 9)], stale: has("stale"), generation: 1 };
        record.files.insert("src/a.py".to_owned(), view);
    }
    if has("sibling") {
        record.files.insert("src/b.py".to_owned(), FileView::default());
    }
    let at = Location::parse("src/user.py:7");
    if has("verified") {
        record.mentioned.insert("src/user.py".to_owned(), vec![7]);
    }
    let must = if has("verified") || has("unverified") {
        vec![DependentUse { at, symbol: "src/user.py#main".to_owned() }]
    } else {
        Vec::new()
    };
    let path = (!has("outside")).then(|| "src/a.py".to_owned());
    match check_write(&task, &record, &WriteTarget { path, exists: has("existing"), must }) {
        Ok(()) => "allowed",
        Err(Refusal::NotReady(_)) => "not ready",
        Err(Refusal::NotExplored(_)) => "not explored",
        Err(Refusal::Stale(_)) => "stale",
        Err(Refusal::NoNewFiles(_)) => "no new files",
        Err(Refusal::DirectoryNotExplored(_)) => "directory not explored",
        Err(Refusal::Unverified { .. }) => "unverified",
    }
    .to_owned()
}

fn insight() -> String {
    let task = |outcome, risk, phase, tools: &[&str], files: &[&str]| FinishedTask {
        intent: Intent::Modify,
        risk,
        phase,
        outcome,
        cause: String::new(),
        tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
        files: files.iter().map(|&file| file.to_owned()).collect(),
        agreements: Vec::new(),
    };
    let found = insights(&[
        task(Outcome::Success, Risk::Low, Phase::Ready, &["query"], &["a.py"]),
        task(Outcome::Failure, Risk::High, Phase::Ready, &["query"], &["a.py"]),
        task(Outcome::Partial, Risk::High, Phase::Exploration, &["find_references"], &[]),
        task(Outcome::Success, Risk::Low, Phase::Ready, &[], &["b.py"]),
    ]);
    let (query, high) = (found.by_tool["query"], found.by_risk["high"]);
    let trap = found.trapping_files["a.py"];
    assert!(!found.trapping_files.contains_key("b.py"));
    format!(
        "total {}, planned {}, failures {}; tool query {} of {}; risk high {} of {}; point ready {}, point \
         exploration {}; file a.py {} of {}",
        found.total.tasks,
        found.planned,
        found.total.failures,
        query.failures,
        query.tasks,
        high.failures,
        high.tasks,
        found.failure_points["ready"],
        found.failure_points["exploration"],
        trap.failures,
        trap.tasks
    )
}

/// A record in which three symbols of two files were served.
fn record() -> Record {
    let mut record = Record::default();
    for (path, symbol, line) in [("a.py", "one", 1), ("a.py", "two", 5), ("b.py", "three", 2)] {
        let view = SymbolView { path: path.to_owned(), line, stale: false };
        record.symbols.insert(format!("{path}#{symbol}"), view);
        record.files.entry(path.to_owned()).or_default().add(line, line + 2);
    }
    for kind in ["definitions", "references", "search"] {
        record.calls.push(ServedCall { kind: kind.to_owned(), subject: "x".to_owned() });
    }
    record
}

fn understanding(which: &str) -> Understanding {
    let texts = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
    let all = Understanding {
        symbols: texts(&["a.py#one", "a.py#two", "b.py#three"]),
        entry_points: texts(&["b.py#three"]),
        files: texts(&["a.py", "b.py"]),
        patterns: texts(&["a.py#two"]),
    };
    match which {
        "some" => Understanding {
            symbols: texts(&["a.py#one"]),
            files: texts(&["a.py"]),
            ..Understanding::default()
        },
        "no_patterns" => Understanding { patterns: Vec::new(), ..all },
        "unserved" => Understanding { symbols: texts(&["c.py#never"]), ..all },
        "nothing" => Understanding::default(),
        _ => all,
    }
}

fn decisions(text: &str) -> String {
    let (_, task) = play(text);
    join(task.decisions.iter().map(|one| one.event.as_str()))
}

fn phases(text: &str) -> String {
    play(text).0
}

/// Plays the steps of a case; returns the phase after each, and the task.
fn play(text: &str) -> (String, Task) {
    let mut task = Task::start(intent(text), "The upload fails");
    let Some((_, steps)) = text.split_once(": ") else { return (task.phase.to_string(), task) };
    let mut found = Vec::new();
    for step in steps.split("; ") {
        let done = apply(&mut task, step);
        let now = match task.status {
            Status::Open => task.phase.to_string(),
            Status::Ended(outcome) => format!("ended: {outcome}"),
        };
        found.push(match done {
            Ok(()) => now,
            Err(problems) => format!("refused: {}; {now}", name_of(&problems[0])),
        });
    }
    let mut text = found.join(", ");
    if steps.contains("name high") {
        text = format!("{text}; risk {}", task.risk);
    }
    match task.advice() {
        Advice::ChangeApproach => text.push_str("; change approach"),
        Advice::Escalate => text.push_str("; escalate"),
        Advice::Continue => {}
    }
    (text, task)
}

fn apply(task: &mut Task, step: &str) -> Result<(), Vec<Problem>> {
    let (verb, what) = step.split_once(' ').unwrap_or((step, ""));
    let mut record = record();
    let near = |_: &str, _: &str| 1.0;
    let name = |task: &mut Task, record: &Record, tier| {
        let symbol = FrameSymbol { handle: "a.py#one".to_owned(), tier };
        task.set_frame(Vec::new(), vec![symbol], Impact::default(), record, &near)
    };
    match (verb, what) {
        ("understand", which) => {
            if which == "stale" {
                record.symbols.values_mut().for_each(|view| view.stale = true);
            }
            let linked = which != "unlinked";
            task.submit_understanding(understanding(which), &record, &|_, _| linked).map(drop)
        }
        ("suppose", reason) => {
            task.submit_hypotheses(reason.parse().expect("a reason"), vec!["it is so".to_owned()], &record)
        }
        ("suppose_without_search" | "suppose_without_references", reason) => {
            let left_out = verb.trim_start_matches("suppose_without_");
            record.calls.retain(|call| call.kind != left_out);
            task.submit_hypotheses(reason.parse().expect("a reason"), vec!["it is so".to_owned()], &record)
        }
        ("suppose_nothing", reason) => {
            task.submit_hypotheses(reason.parse().expect("a reason"), vec![" ".to_owned()], &record)
        }
        ("confirm", _) => task.submit_verdicts(vec![(1, Verdict::Confirmed, "a.py:2".to_owned())], &record),
        ("confirm_unserved", _) => {
            task.submit_verdicts(vec![(1, Verdict::Confirmed, "a.py:99".to_owned())], &record)
        }
        ("refute", _) => task.submit_verdicts(vec![(1, Verdict::Refuted, "b.py#three".to_owned())], &record),
        ("infer", _) => {
            let value = "the upload".to_owned();
            let quote = "upload".to_owned();
            let slot = SlotValue { value, quote, certainty: Certainty::Hypothesis };
            let slots = vec![(FrameSlot::TargetFeature, slot)];
            task.set_frame(slots, Vec::new(), Impact::default(), &record, &near)
        }
        ("name", "high_risk") => name(task, &record, Tier::HighRisk),
        ("name", _) => name(task, &record, Tier::Refused),
        ("add", "served") => task.add_files(vec!["b.py".to_owned()], &record),
        ("add", _) => task.add_files(vec!["c.py".to_owned()], &record),
        ("revert", how) => task.revert(how == "keep"),
        ("fail", _) => task.fail("a test fails").map(drop),
        ("end", outcome) => task.end(outcome.parse().expect("an outcome"), ""),
        other => panic!("unknown step {other:?}"),
    }
}

fn name_of(problem: &Problem) -> &'static str {
    match problem {
        Problem::Ended(_) => "ended",
        Problem::WrongPhase(_) => "wrong phase",
        Problem::Slot(..) => "slot",
        Problem::SymbolNotServed(_) => "symbol not served",
        Problem::FileNotServed(_) => "file not served",
        Problem::PatternNotServed(_) => "pattern not served",
        Problem::EvidenceNotServed(_) => "evidence not served",
        Problem::Stale(_) => "stale",
        Problem::Irrelevant(_) => "irrelevant",
        Problem::Inconsistent(_) => "inconsistent",
        Problem::ReasonNotAllowed(..) => "reason not allowed",
        Problem::NoSearch => "no search",
        Problem::NoHypothesis => "no hypothesis",
        Problem::UnknownHypothesis(_) => "unknown hypothesis",
        Problem::NoVerdict(_) => "no verdict",
    }
}
