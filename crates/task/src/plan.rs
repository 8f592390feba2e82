//! The plan: which calls are worth making, by the slots that are unknown and the intent.

use crate::frame::{Frame, FrameSlot};
use crate::intent::{Intent, words};
use std::fmt;
use std::str::FromStr;

words! {
    /// A kind of call.
    PlanTool {
        /// Find where a symbol is defined.
        FindDefinitions = "find_definitions",
        /// Read what a file defines.
        GetSymbols = "get_symbols",
        /// Search text.
        SearchText = "search_text",
        /// Search by meaning.
        Query = "query",
        /// Find what uses a symbol.
        FindReferences = "find_references",
        /// See how files and directories are structured.
        AnalyzeStructure = "analyze_structure",
    }
}

/// The kinds of calls for a frame and an intent, in order. Unknown slots need calls; an implementation needs all kinds; a
/// change starts with references, an investigation with meaning and structure; a question needs the least.
pub fn tools_for(frame: &Frame, intent: Intent) -> Vec<PlanTool> {
    use PlanTool as T;
    let unknown = |slot: FrameSlot| !frame.contains_key(&slot);
    let mut tools: Vec<T> = match intent {
        Intent::Modify => vec![T::FindReferences],
        Intent::Investigate => vec![T::Query, T::AnalyzeStructure],
        Intent::Implement | Intent::Question => Vec::new(),
    };
    let by_slot: &[(FrameSlot, &[T])] = &[
        (FrameSlot::TargetFeature, &[T::FindDefinitions, T::GetSymbols]),
        (FrameSlot::TriggerCondition, &[T::SearchText]),
        (FrameSlot::ObservedIssue, &[T::SearchText, T::Query]),
        (FrameSlot::DesiredAction, &[T::FindReferences, T::AnalyzeStructure]),
    ];
    for (_, needed) in by_slot.iter().filter(|(slot, _)| unknown(*slot)) {
        tools.extend_from_slice(needed);
    }
    if intent == Intent::Implement {
        tools.extend_from_slice(T::ALL);
    }
    if intent == Intent::Question {
        tools.truncate(1);
        if tools.is_empty() {
            tools.push(T::Query);
        }
    }
    let mut unique = Vec::new();
    for tool in tools {
        if !unique.contains(&tool) {
            unique.push(tool);
        }
    }
    unique
}

/// A candidate that the index proposes for the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanSubject {
    /// The handle of a symbol; the path of a file without one.
    pub handle: String,
    /// Its file.
    pub path: String,
    /// Its callers, nearest first: handles.
    pub callers: Vec<String>,
    /// Tests that reach it: handles.
    pub tests: Vec<String>,
    /// A similar implementation: a handle.
    pub similar: Option<String>,
    /// Whether it was served already.
    pub served: bool,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The kind of call.
    pub tool: PlanTool,
    /// The command.
    pub call: String,
    /// Why it is worth making.
    pub why: String,
    /// What it should establish.
    pub establishes: &'static str,
}

/// Whether the repository must be explored from the top first: nothing is known about the target, and nothing in the index
/// answers the request.
pub fn needs_bootstrap(
    frame: &Frame,
    intent: Intent,
    confident: bool,
    served: usize,
) -> Option<&'static str> {
    if intent == Intent::Question || served > 0 {
        return None;
    }
    match (frame.contains_key(&FrameSlot::TargetFeature), confident) {
        (false, false) => Some("the target is unknown and nothing in the index answers the request well"),
        (true, false) => Some("nothing in the index answers the request well"),
        _ => None,
    }
}

/// The steps, each about a symbol, file or test of this repository. `phrase` is a text worth searching for literally.
pub fn plan_steps(
    frame: &Frame,
    intent: Intent,
    subjects: &[PlanSubject],
    phrase: Option<&str>,
    bootstrap: bool,
) -> Vec<Step> {
    let mut steps = Vec::new();
    if bootstrap {
        steps.push(Step {
            tool: PlanTool::AnalyzeStructure,
            call: "orient map".to_owned(),
            why: "nothing is known about the target yet".to_owned(),
            establishes: "where the parts of the program are",
        });
    }
    for tool in tools_for(frame, intent) {
        match tool {
            PlanTool::FindDefinitions => definitions(subjects, &mut steps),
            PlanTool::FindReferences => references(subjects, &mut steps),
            PlanTool::GetSymbols => symbols(subjects, &mut steps),
            PlanTool::SearchText => steps.extend(phrase.map(|phrase| Step {
                tool,
                call: format!("orient grep -F \"{phrase}\""),
                why: "the request quotes it".to_owned(),
                establishes: "where the text comes from",
            })),
            PlanTool::Query => patterns(subjects, &mut steps),
            PlanTool::AnalyzeStructure => structure(subjects, &mut steps),
        }
    }
    // A change is not understood before its definition, its uses and its tests are.
    if intent.writes() {
        definitions(subjects, &mut steps);
        references(subjects, &mut steps);
        tests(subjects, &mut steps);
    }
    let mut unique: Vec<Step> = Vec::new();
    for step in steps {
        if unique.iter().all(|known| known.call != step.call) {
            unique.push(step);
        }
    }
    unique
}

/// Maximum number of steps of one kind.
const MAX_OF_A_KIND: usize = 5;

fn definitions(subjects: &[PlanSubject], steps: &mut Vec<Step>) {
    steps.extend(subjects.iter().filter(|one| !one.served).take(MAX_OF_A_KIND).map(|one| Step {
        tool: PlanTool::FindDefinitions,
        call: format!("orient show {}", one.handle),
        why: "it answers the request best of what is unread".to_owned(),
        establishes: "what the code does today",
    }));
}

fn references(subjects: &[PlanSubject], steps: &mut Vec<Step>) {
    let symbols = subjects.iter().filter(|one| one.handle.contains('#'));
    steps.extend(symbols.take(2).map(|one| Step {
        tool: PlanTool::FindReferences,
        call: format!("orient impact {}", one.handle),
        why: match one.callers.len() {
            0 => "nothing is known to call it".to_owned(),
            _ => format!("{} among others uses it", one.callers[0]),
        },
        establishes: "what a change can break, and the tests that reach it",
    }));
}

fn symbols(subjects: &[PlanSubject], steps: &mut Vec<Step>) {
    let mut files: Vec<&str> = Vec::new();
    for one in subjects {
        if !files.contains(&one.path.as_str()) {
            files.push(&one.path);
        }
    }
    steps.extend(files.into_iter().take(2).map(|path| Step {
        tool: PlanTool::GetSymbols,
        call: format!("orient outline {path}"),
        why: "the best matches are in it".to_owned(),
        establishes: "what else the file defines",
    }));
}

fn patterns(subjects: &[PlanSubject], steps: &mut Vec<Step>) {
    let similar = subjects.iter().find_map(|one| one.similar.clone());
    steps.extend(similar.map(|like| Step {
        tool: PlanTool::Query,
        call: format!("orient show {like}"),
        why: "it is the most similar implementation".to_owned(),
        establishes: "a pattern to follow",
    }));
}

fn structure(subjects: &[PlanSubject], steps: &mut Vec<Step>) {
    let file = subjects.first().map(|one| one.path.clone());
    steps.extend(file.map(|path| Step {
        tool: PlanTool::AnalyzeStructure,
        call: format!("orient rdeps {path}"),
        why: "the best match is in it".to_owned(),
        establishes: "which files depend on it",
    }));
}

fn tests(subjects: &[PlanSubject], steps: &mut Vec<Step>) {
    let mut known: Vec<&String> = Vec::new();
    for test in subjects.iter().flat_map(|one| one.tests.iter().take(2)) {
        if !known.contains(&test) {
            known.push(test);
        }
    }
    steps.extend(known.into_iter().take(MAX_OF_A_KIND).map(|test| Step {
        tool: PlanTool::FindReferences,
        call: format!("orient show {test}"),
        why: "it tests the code".to_owned(),
        establishes: "the behaviour that must stay",
    }));
}
