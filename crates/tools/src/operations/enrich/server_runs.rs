//! Asks servers and keeps their answers.

use super::{IncompleteFile, MAX_LISTED};
use crate::error::{Code, ToolError};
use crate::session::Session;
use crate::text::number_format::{bytes, count, duration, plural};
use crate::text::writer::{Style, TextWriter};
use orient_engine::{
    Engine, EngineError, KeptAnswers, LayerPublication, Phase, Progress, ServerAnswers, Snapshot,
};
use orient_enrich::{FileOutcome, Limits, Permission, RunObserver, ServerRun, ask_files};
use orient_model::{FileAnswers, FileQuestions, ServiceStatus};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

/// How often answers are written while a server is asked, so that an interrupted run keeps them.
const SAVE_INTERVAL: Duration = Duration::from_mins(1);

/// What a server was asked.
#[derive(Serialize)]
pub(super) struct RunLine {
    /// The server and its version.
    server: String,
    /// Number of questions.
    questions: u64,
    /// Number of answers.
    answered: u64,
    /// Answers that name a symbol of the repository.
    inside: u64,
    /// Answers that lead out of the repository.
    external: u64,
    /// Answers that name no symbol: our rules decide.
    unknown: u64,
    /// Implementations of members that were found.
    implementations: u64,
    /// Number of files with questions.
    files: u64,
    /// Files that were answered completely.
    full: u64,
    /// Files that were answered in part, or not at all.
    syntactic_only: u64,
    /// Files that could not be asked about.
    failed: u64,
    /// The first of both.
    incomplete_files: Vec<IncompleteFile>,
    /// How often the server was started again after a failure.
    restarts: u32,
    /// The most memory it used, in bytes; 0 if the system does not say.
    peak_memory: u64,
    /// Duration in milliseconds.
    elapsed_ms: u64,
}

/// Asks servers about everything that is not proved; `limit` bounds the number of questions of all servers.
pub(super) fn ask_all(
    session: &Session<'_>,
    snapshot: &Snapshot,
    permitted: &[(Permission, BTreeSet<String>)],
    limit: Option<usize>,
    again: bool,
) -> Result<Vec<RunLine>, ToolError> {
    let settings = &session.loaded().settings.enrich;
    let limits = Limits { memory: settings.memory.bytes(), ..Limits::default() };
    let (mut left, mut asked) = (limit.unwrap_or(usize::MAX), Vec::new());
    for (permission, languages) in permitted {
        let mut files =
            snapshot.compiler_questions(languages, again, session.threads()?, session.cancel())?;
        for file in &mut files {
            file.questions.truncate(left);
            left -= file.questions.len();
        }
        files.retain(|file| !file.questions.is_empty());
        asked.push((permission, files));
    }
    let total = asked.iter().flat_map(|(_, files)| files).map(|file| file.questions.len() as u64).sum();
    session.progress().phase(Phase::Enriching, total, 0);
    let mut lines = Vec::new();
    for (permission, files) in asked {
        let ran = ask_server(session, snapshot, permission, &files, &limits);
        match ran {
            Ok(line) => lines.push(line),
            Err(error) => {
                session.progress().done();
                return Err(error);
            }
        }
    }
    session.progress().done();
    Ok(lines)
}

fn ask_server(
    session: &Session<'_>,
    snapshot: &Snapshot,
    permission: &Permission,
    files: &[FileQuestions],
    limits: &Limits,
) -> Result<RunLine, ToolError> {
    let shown = permission.shown();
    let (engine, progress) = (session.engine()?, session.progress());
    let mut collector = AnswerCollector {
        engine,
        snapshot,
        progress,
        server: &shown,
        batch: Vec::new(),
        saved: Instant::now(),
        kept: KeptAnswers::default(),
        fault: None,
    };
    let done = if files.is_empty() {
        ServerRun::default()
    } else {
        ask_files(permission, files, limits, &|| session.cancel().is_cancelled(), &mut collector)
    };
    collector.save();
    if let Some(fault) = collector.fault {
        return Err(fault.into());
    }
    if done.is_cancelled {
        let files = plural(done.files.len() as u64, "file", "files");
        let error = ToolError::new(Code::Interrupted, format!("stopped; answers about {files} are kept"));
        return Err(error.hint("`orient enrich` continues"));
    }
    let kept = collector.kept;
    Ok(RunLine::of(&shown, &done, kept))
}

/// Keeps answers while a server is asked.
struct AnswerCollector<'s> {
    engine: &'s Engine,
    snapshot: &'s Snapshot,
    progress: &'s dyn Progress,
    server: &'s str,
    batch: Vec<FileAnswers>,
    saved: Instant,
    kept: KeptAnswers,
    fault: Option<EngineError>,
}

impl AnswerCollector<'_> {
    fn save(&mut self) {
        self.saved = Instant::now();
        let answers =
            [ServerAnswers { server: self.server.to_owned(), files: std::mem::take(&mut self.batch) }];
        match self.engine.keep_answers(self.snapshot, &answers, LayerPublication::NextRefresh) {
            Ok(kept) => {
                self.kept.inside += kept.inside;
                self.kept.external += kept.external;
                self.kept.unknown += kept.unknown;
                self.kept.implementations += kept.implementations;
            }
            Err(error) => self.fault = Some(error),
        }
    }
}

impl RunObserver for AnswerCollector<'_> {
    fn text(&mut self, file: &FileQuestions) -> Option<String> {
        self.snapshot.text_with_hash(&file.path, file.hash)
    }

    fn answered(&mut self, answers: FileAnswers, outcome: &FileOutcome) {
        self.progress.tick(outcome.asked, 0);
        self.batch.push(answers);
        if self.saved.elapsed() > SAVE_INTERVAL {
            self.save();
        }
    }
}

impl RunLine {
    fn of(server: &str, done: &ServerRun, kept: KeptAnswers) -> Self {
        let count = |is_it: fn(ServiceStatus) -> bool| {
            done.files.iter().filter(|file| is_it(file.status)).count() as u64
        };
        let incomplete = done.files.iter().filter_map(|file| {
            let error = file.status.error()?.as_str();
            let (path, status, detail) =
                (file.path.display().into_owned(), file.status.as_str(), file.detail.clone());
            Some(IncompleteFile { path, status, error, detail })
        });
        Self {
            server: server.to_owned(),
            questions: done.files.iter().map(|file| file.asked).sum(),
            answered: done.files.iter().map(|file| file.answered).sum(),
            inside: kept.inside,
            external: kept.external,
            unknown: kept.unknown,
            implementations: kept.implementations,
            files: done.files.len() as u64,
            full: count(|status| status == ServiceStatus::Full),
            syntactic_only: count(|status| matches!(status, ServiceStatus::SyntacticOnly(_))),
            failed: count(|status| matches!(status, ServiceStatus::Failed(_))),
            incomplete_files: incomplete.take(MAX_LISTED).collect(),
            restarts: done.restarts,
            peak_memory: done.peak_memory,
            elapsed_ms: u64::try_from(done.elapsed.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// Whether anything was answered.
    pub(super) fn has_answers(&self) -> bool {
        self.answered > 0
    }

    /// Whether there were questions and none was answered.
    pub(super) fn is_fruitless(&self) -> bool {
        self.questions > 0 && self.answered == 0
    }

    pub(super) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        writer.put(Style::Name, &self.server)?;
        if self.questions == 0 {
            return writer.line(Style::Plain, "  nothing to ask: everything is proved, or was asked before");
        }
        let questions = plural(self.questions, "question", "questions");
        let files = plural(self.files, "file", "files");
        let time = duration(Duration::from_millis(self.elapsed_ms));
        writer.line(
            Style::Plain,
            &format!("  {questions} about {files}, {} answered, {time}", count(self.answered)),
        )?;
        writer.line(
            Style::Plain,
            &format!(
                "  {} in the repository, {} outside, {} that name no symbol, {}",
                count(self.inside),
                count(self.external),
                count(self.unknown),
                plural(self.implementations, "implementation", "implementations"),
            ),
        )?;
        let mut rest = format!(
            "  files: {} full, {} syntactic_only, {} failed",
            count(self.full),
            count(self.syntactic_only),
            count(self.failed)
        );
        if self.restarts > 0 {
            rest = format!("{rest}; {}", plural(u64::from(self.restarts), "restart", "restarts"));
        }
        if self.peak_memory > 0 {
            rest = format!("{rest}; {} of memory", bytes(self.peak_memory));
        }
        writer.line(Style::Dim, &rest)?;
        self.incomplete_files.iter().try_for_each(|file| file.write(writer))?;
        let more = (self.syntactic_only + self.failed).saturating_sub(self.incomplete_files.len() as u64);
        if more > 0 {
            writer
                .line(Style::Warn, &format!("  {} more files were not answered completely", count(more)))?;
        }
        Ok(())
    }
}
