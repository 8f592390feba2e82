//! Answers a tool call: runs the operation, writes its text within the token budget, and adds notes and a status line. Data is
//! fenced; everything metadata it is a [`SafeLine`], since it may quote the repository.

use crate::cursor::Cursor;
use crate::progress_notifications::ProgressNotifier;
use crate::remote_part::RemotePart;
use crate::sent_history::SentHistory;
use crate::served_tree::ServedTree;
use crate::token_budget::{BudgetWriter, BudgetedText};
use orient_engine::Cancel;
use orient_tools::{
    AnswerMetadata, AnsweredCall, ClientModel, Code, Exit, Redactor, Reply, SafeLine, TextWriter, ToolCall,
    ToolError, count, plural, record_served, redact_json, tokens,
};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

/// Tokens reserved for the notes and the status line.
const FRAME: usize = 90;
/// Shorter answers are repeated instead of summarised.
const MIN_SUMMARISED_TOKENS: usize = 300;
/// Maximum number of notes.
const MAX_NOTES: usize = 4;
/// Maximum length of a note in characters.
const MAX_NOTE_LENGTH: usize = 220;
/// Maximum length of all reasons for a partial answer in characters.
const MAX_REASONS_LENGTH: usize = 160;
/// Maximum number of pending files in the status line.
const MAX_PENDING_FILES: usize = 3;
/// Maximum length of their paths in characters.
const MAX_PATH_LENGTH: usize = 120;

/// An answer that is ready to be sent.
#[derive(Debug)]
pub(crate) struct CallResponse {
    /// The text with its status line.
    pub(crate) text: String,
    /// The data with its metadata, for tools that return data, if it fits into the budget.
    pub(crate) structured: Option<Value>,
    /// The generation of the index it describes.
    pub(crate) generation: Option<u64>,
    /// Whether the operation failed or a name could not be resolved.
    pub(crate) failed: bool,
}

/// Everything needed to answer a call.
pub(crate) struct AnswerContext<'c> {
    pub(crate) tree: &'c ServedTree,
    pub(crate) sent: &'c RwLock<SentHistory>,
    pub(crate) cancel: &'c Cancel,
    pub(crate) notifier: &'c ProgressNotifier,
    /// The program that asks, which tasks belong to.
    pub(crate) client: &'c str,
    /// The model that it offers.
    pub(crate) model: Option<&'c Arc<dyn ClientModel>>,
    /// When the call arrived.
    pub(crate) asked: Instant,
    /// Whether to include the data as structured content.
    pub(crate) with_data: bool,
    /// Whether to redact credentials.
    pub(crate) redacts: bool,
}

impl AnswerContext<'_> {
    /// Answers a call.
    pub(crate) fn answer(&self, call: &ToolCall) -> Result<CallResponse, ToolError> {
        let cursor = call.cursor.as_deref().map(|text| parse_cursor(text, call)).transpose()?;
        let after = cursor.as_ref().and_then(|cursor| cursor.after.as_deref());
        // The server answers while the local answer is computed.
        let sent = self.tree.remote.as_ref().and_then(|server| server.ask_call(call, after));
        let asked = self
            .tree
            .ask(self.asked, (self.client, self.model), self.notifier, self.cancel, |session| {
                call.run(session, after)
            })
            .map_err(|error| call.spell_error(&error));
        let remote = RemotePart::wait(sent);
        let mut remote_notes = remote.notes();
        let reply = match asked {
            Ok(reply) => Some(reply),
            Err(error) if remote.has_hits() => {
                remote_notes.insert(0, format!("this repository has no answer: {}", error.message()));
                None
            }
            Err(error) => return Err(remote.explain(error)),
        };
        let parts = AnswerParts { local: reply.as_deref(), remote: &remote };
        let skip = cursor.as_ref().map_or(0, |cursor| cursor.skip);
        let sent = self.sent.read().unwrap_or_else(PoisonError::into_inner);
        let history = (!call.again).then_some(&*sent);
        let mut room = call.max_tokens.saturating_sub(FRAME);
        let (mut written, mut metadata) = self.write(call, &parts, room, skip, history)?;
        let mut notes =
            collect_notes(call, remote_notes, cursor.as_ref(), self.indexing().as_ref(), &mut metadata);
        let spare = notes.iter().map(|note| tokens(note.as_str()) + 2).sum::<usize>();
        if spare > FRAME / 3 {
            room = room.saturating_sub(spare);
            written = self.write(call, &parts, room, skip, history)?.0;
        }
        let is_repeated = skip == 0
            && history.is_some_and(|sent| sent.answered(call.key, &written.text))
            && tokens(&written.text) > MIN_SUMMARISED_TOKENS;
        drop(sent);
        if is_repeated {
            let same = "(the same answer was sent before in this session; nothing has changed)\n";
            same.clone_into(&mut written.text);
            written.has_summary = true;
        } else {
            let served = AnsweredCall {
                client: self.client,
                operation: call.operation(),
                subject: &call.subject(),
                generation: metadata.generation().unwrap_or_default(),
            };
            record_served(self.tree.host.engine(), &served, std::mem::take(&mut written.marks));
            let lines = std::mem::take(&mut written.sent_lines);
            let mut sent = self.sent.write().unwrap_or_else(PoisonError::into_inner);
            sent.record(call.key, &written.text, lines);
        }
        if written.has_summary {
            notes.push(SafeLine::new("without \"again\": false, what was sent before is sent once more"));
        }
        let is_failure = reply.as_ref().is_some_and(|reply| reply.exit() == Exit::Failed);
        let failed = (metadata.unresolved_name || is_failure) && !remote.has_hits();
        let mut data = self.with_data.then(|| parts.data());
        if let Some(data) = data.as_mut().filter(|_| self.redacts) {
            redact_json(data, &mut Redactor::default());
        }
        Ok(FramedText { call, cursor: cursor.as_ref(), written, metadata, notes, failed, data }.finish())
    }

    fn write(
        &self,
        call: &ToolCall,
        parts: &AnswerParts<'_>,
        room: usize,
        skip: usize,
        sent: Option<&SentHistory>,
    ) -> Result<(BudgetedText, AnswerMetadata), ToolError> {
        let mut writer = BudgetWriter::new(room, skip, sent, self.cancel)
            .speaking(|line| call.spell_line(line))
            .redacting(self.redacts);
        let done = parts.text(&mut TextWriter::new(&mut writer));
        let written = writer.finish();
        match done {
            Err(_) if self.cancel.is_cancelled() => Err(ToolError::new(Code::Interrupted, "cancelled")),
            // The writer stops the operation after it has counted enough lines.
            Err(error) if written.next.is_none() => {
                Err(ToolError::new(Code::Io, format!("the answer could not be written: {error}")))
            }
            _ => Ok((written, parts.metadata())),
        }
    }

    fn indexing(&self) -> Option<String> {
        self.tree.indexing.is_running().then(|| self.tree.indexing.progress().description)
    }
}

/// What an answer consists of: that of this repository, if there is one, and that of all others.
struct AnswerParts<'a> {
    local: Option<&'a dyn Reply>,
    remote: &'a RemotePart,
}

impl AnswerParts<'_> {
    fn text(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        if let Some(reply) = self.local {
            reply.text(writer)?;
        }
        self.remote.write(writer)
    }

    fn metadata(&self) -> AnswerMetadata {
        self.local.map_or_else(AnswerMetadata::default, Reply::metadata)
    }

    /// The data of this repository, and what other repositories have.
    fn data(&self) -> Value {
        let mut data = self.local.map_or_else(|| json!({}), Reply::data);
        if let (Some(fields), Some(remote)) = (data.as_object_mut(), self.remote.data()) {
            fields.insert("remote".to_owned(), remote);
        }
        data
    }
}

/// Parses a cursor and checks that it belongs to this call.
fn parse_cursor(text: &str, call: &ToolCall) -> Result<Cursor, ToolError> {
    let cursor: Cursor = text.parse().map_err(|()| {
        ToolError::new(Code::BadArgument, format!("{text:?} is not a cursor"))
            .hint("repeat the cursor at the end of the previous answer with the same arguments, or start over without one")
    })?;
    if cursor.call != Cursor::fold(call.key) {
        return Err(ToolError::new(Code::BadArgument, "the cursor belongs to a call with other arguments")
            .hint("repeat the arguments of the answer it came with"));
    }
    Ok(cursor)
}

/// Collects the notes of the answer, and rewrites notes and reasons in terms of the tool's arguments.
fn collect_notes(
    call: &ToolCall,
    remote: Vec<String>,
    cursor: Option<&Cursor>,
    indexing: Option<&String>,
    metadata: &mut AnswerMetadata,
) -> Vec<SafeLine> {
    let mut notes = call.notes.clone();
    notes.extend(remote);
    notes.extend(metadata.notes.iter().map(|note| call.spell(note)));
    if let (Some(cursor), Some(generation)) = (cursor, metadata.generation())
        && cursor.generation != generation
    {
        notes.push(
            "the index has changed since the previous part: lines may be missing or repeated".to_owned(),
        );
    }
    if let Some(words) = indexing {
        notes.push(format!("the index is being updated ({words})"));
    }
    if !metadata.is_checked() {
        metadata.reasons.push("the files were not checked".into());
    }
    notes.iter().take(MAX_NOTES).map(|note| SafeLine::truncated(note, MAX_NOTE_LENGTH)).collect()
}

/// A text with its notes and metadata.
struct FramedText<'f> {
    call: &'f ToolCall,
    cursor: Option<&'f Cursor>,
    written: BudgetedText,
    metadata: AnswerMetadata,
    notes: Vec<SafeLine>,
    failed: bool,
    data: Option<Value>,
}

impl FramedText<'_> {
    fn finish(mut self) -> CallResponse {
        if self.written.text.is_empty() {
            "nothing was found\n".clone_into(&mut self.written.text);
        }
        let next = self.next();
        if let Some(cut) = self.written.next {
            let first = self.cursor.map_or(0, |cursor| cursor.skip) + 1;
            let total = count(self.written.total as u64);
            let reason =
                format!("lines {}-{} of {total} of this answer", count(first as u64), count(cut as u64));
            self.metadata.reasons.insert(0, reason.into());
        }
        let mut text = std::mem::take(&mut self.written.text);
        let body = text.trim_end_matches('\n').to_owned();
        let status = self.status_line(next.as_deref());
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        if tokens(&text) + tokens(&status) > self.call.max_tokens {
            // Drop the notes: the data and the status line matter more.
            self.notes.clear();
            text = format!("{body}\n");
        }
        text.push_str(&status);
        let (failed, generation) = (self.failed, self.metadata.generation());
        CallResponse { text, structured: self.structured(next), generation, failed }
    }

    fn next(&self) -> Option<String> {
        let (after, skip) = match (self.written.next, &self.metadata.next) {
            (Some(skip), _) => (self.cursor.and_then(|cursor| cursor.after.clone()), skip),
            (None, Some(after)) => (Some(after.clone()), 0),
            (None, None) => return None,
        };
        let generation = self.metadata.generation().unwrap_or(0);
        let call = Cursor::fold(self.call.key);
        Some(Cursor { after, skip, generation, call }.to_string())
    }

    /// Why the answer is partial.
    fn reasons(&self) -> Option<SafeLine> {
        let reasons: Vec<String> =
            self.metadata.reasons.iter().map(|reason| self.call.spell(reason)).collect();
        (!reasons.is_empty()).then(|| SafeLine::truncated(&reasons.join("; "), MAX_REASONS_LENGTH))
    }

    /// The last line: complete or partial, totals, generation, pending files, next cursor.
    fn status_line(&self, next: Option<&str>) -> String {
        let metadata = &self.metadata;
        let state = self.reasons().map(|reasons| format!("partial: {}", reasons.without_brackets()));
        let mut parts = vec![state.unwrap_or_else(|| "complete".to_owned())];
        parts.extend(metadata.at.as_ref().map(|at| format!("at {} of {}", at.commit, at.date)));
        parts.extend(metadata.total.map(|total| format!("total {}", count(total))));
        parts.extend(metadata.generation().map(|generation| format!("generation {generation}")));
        if metadata.pending() > 0 {
            let named = metadata.pending_files().iter().take(MAX_PENDING_FILES);
            let named: Vec<String> = named
                .map(|path| SafeLine::truncated(path, MAX_PATH_LENGTH).without_brackets().into())
                .collect();
            parts.push(format!("{} files pending: {}", count(metadata.pending()), named.join(", ")));
        }
        if self.written.redacted > 0 {
            parts.push(format!("{} redacted", plural(self.written.redacted, "credential", "credentials")));
        }
        parts.extend(next.map(|next| format!("next cursor \"{next}\"")));
        format!("[{}]", parts.join("; "))
    }

    /// The data with its metadata. Only tools for programs have it. About half of all clients give the model the structured
    /// content instead of the text, some give it both, and all give it the text if that is all there is: so agents are sent
    /// text alone.
    fn structured(self, next: Option<String>) -> Option<Value> {
        let reasons = self.reasons();
        let data = self.data.filter(|data| tokens(&data.to_string()) <= self.call.max_tokens)?;
        let metadata = self.metadata;
        let mut fields = Map::new();
        fields.insert("complete".to_owned(), json!(reasons.is_none()));
        fields.insert("data".to_owned(), data);
        let mut optional = |name: &str, value: Option<Value>| {
            fields.extend(value.map(|value| (name.to_owned(), value)));
        };
        let notes: Vec<&str> = self.notes.iter().map(SafeLine::as_str).collect();
        optional("reasons", reasons.map(|reasons| json!([reasons.as_str()])));
        let at = metadata
            .at
            .as_ref()
            .map(|at| json!({ "commit": at.commit, "date": at.date, "subject": at.subject }));
        optional("at", at);
        optional("total", metadata.total.map(|total| json!(total)));
        optional("next", next.map(Value::String));
        optional("generation", metadata.generation().map(|generation| json!(generation)));
        optional("pending", (metadata.pending() > 0).then(|| json!(metadata.pending())));
        optional("notes", (!notes.is_empty()).then(|| json!(notes)));
        Some(Value::Object(fields))
    }
}
