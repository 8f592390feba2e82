//! From a question to an answer that fits: asked of the engine, written within the budget, closed with what a reader
//! must know to trust it. The data is in fences; what stands around it is [`Inert`], since it may quote the repository.

use crate::cursor::Cursor;
use crate::progress_notifications::ProgressNotifier;
use crate::sent_history::SentHistory;
use crate::served_tree::ServedTree;
use crate::token_budget::{BudgetWriter, BudgetedText};
use orient_engine::Cancel;
use orient_tools::{
    AnswerMetadata, Code, Exit, Reply, SafeLine, TextWriter, ToolCall, ToolError, count, tokens,
};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::sync::{PoisonError, RwLock};
use std::time::Instant;

/// Tokens kept for what surrounds the text.
const FRAME: usize = 90;
/// Answers shorter than this are sent again without a word.
const WORTH_NAMING: usize = 300;
/// At most so many notes, each so long.
const NOTES: (usize, usize) = (4, 220);
/// How long the reasons for a partial answer may be together.
const REASONS: usize = 160;
/// How many files that are not in the index yet are named, and how much of each path.
const PENDING: (usize, usize) = (3, 120);

/// An answer, ready to be sent.
#[derive(Debug)]
pub(crate) struct Answered {
    /// The text with its closing line.
    pub(crate) text: String,
    /// The same for programs.
    pub(crate) structured: Value,
    /// The generation of the index it describes.
    pub(crate) generation: Option<u64>,
    /// Whether what was asked for could not be told.
    pub(crate) failed: bool,
}

/// What an answer is made with.
pub(crate) struct AnswerContext<'d> {
    pub(crate) tree: &'d ServedTree,
    pub(crate) sent: &'d RwLock<SentHistory>,
    pub(crate) cancel: &'d Cancel,
    pub(crate) bridge: &'d ProgressNotifier,
    /// When the question was put.
    pub(crate) asked: Instant,
    /// Whether the data rides along.
    pub(crate) data: bool,
}

impl AnswerContext<'_> {
    /// Answers a question.
    pub(crate) fn answer(&self, question: &ToolCall) -> Result<Answered, ToolError> {
        let cursor = question.cursor.as_deref().map(|text| place(text, question)).transpose()?;
        let after = cursor.as_ref().and_then(|cursor| cursor.after.as_deref());
        let reply =
            self.tree.ask(self.asked, self.bridge, self.cancel, |session| question.run(session, after))?;
        let skip = cursor.as_ref().map_or(0, |cursor| cursor.skip);
        let sent = self.sent.read().unwrap_or_else(PoisonError::into_inner);
        let memory = (!question.again).then_some(&*sent);
        let mut room = question.max_tokens.saturating_sub(FRAME);
        let (mut written, mut around) = self.write(reply.as_ref(), room, skip, memory)?;
        let mut notes = remarks(question, cursor.as_ref(), self.indexing().as_ref(), &mut around);
        let spare = notes.iter().map(|note| tokens(note.as_str()) + 2).sum::<usize>();
        if spare > FRAME / 3 {
            room = room.saturating_sub(spare);
            written = self.write(reply.as_ref(), room, skip, memory)?.0;
        }
        let known = skip == 0
            && memory.is_some_and(|sent| sent.answered(question.key, &written.text))
            && tokens(&written.text) > WORTH_NAMING;
        drop(sent);
        if known {
            let same = "(the same answer was sent before in this session; nothing has changed)\n";
            same.clone_into(&mut written.text);
            written.named = true;
        } else {
            let lines = std::mem::take(&mut written.lines);
            let mut sent = self.sent.write().unwrap_or_else(PoisonError::into_inner);
            sent.note(question.key, &written.text, lines);
        }
        if written.named {
            notes.push(SafeLine::new("to have what was sent before once more, add \"again\": true"));
        }
        let failed = around.unresolved_name || reply.exit() == Exit::Failed;
        let data = self.data.then(|| reply.data());
        Ok(Framed { question, cursor: cursor.as_ref(), written, around, notes, failed, data }.close())
    }

    fn write(
        &self,
        reply: &dyn Reply,
        room: usize,
        skip: usize,
        sent: Option<&SentHistory>,
    ) -> Result<(BudgetedText, AnswerMetadata), ToolError> {
        let mut sheet = BudgetWriter::new(room, skip, sent, self.cancel);
        let done = reply.text(&mut TextWriter::new(&mut sheet));
        let written = sheet.finish();
        match done {
            Err(_) if self.cancel.is_cancelled() => Err(ToolError::new(Code::Interrupted, "cancelled")),
            // The sheet ends the work when it has counted enough.
            Err(error) if written.next.is_none() => {
                Err(ToolError::new(Code::Io, format!("the answer could not be written: {error}")))
            }
            _ => Ok((written, reply.metadata())),
        }
    }

    fn indexing(&self) -> Option<String> {
        self.tree.indexing.is_running().then(|| self.tree.indexing.moment().words)
    }
}

/// The place a cursor means, if it is one of this question.
fn place(text: &str, question: &ToolCall) -> Result<Cursor, ToolError> {
    let cursor: Cursor = text.parse().map_err(|()| {
        ToolError::new(Code::BadArgument, format!("{text:?} is no cursor"))
            .hint("give the one at the end of the answer before, with the same arguments; without one it starts over")
    })?;
    if cursor.question != Cursor::mark(question.key) {
        return Err(ToolError::new(Code::BadArgument, "the cursor belongs to another question")
            .hint("repeat the arguments of the answer it came with"));
    }
    Ok(cursor)
}

/// What a reader should know beside the answer: the notes, and in `around` the reasons in the words of the question.
fn remarks(
    question: &ToolCall,
    cursor: Option<&Cursor>,
    indexing: Option<&String>,
    around: &mut AnswerMetadata,
) -> Vec<SafeLine> {
    let mut notes = question.notes.clone();
    notes.extend(around.notes.iter().map(|note| question.spell(note)));
    if let (Some(cursor), Some(generation)) = (cursor, around.generation)
        && cursor.generation != generation
    {
        notes
            .push("the index has changed since the part before: lines may be missing or repeated".to_owned());
    }
    if let Some(words) = indexing {
        notes.push(format!("the index is being brought up to date ({words})"));
    }
    if !around.checked {
        around.reasons.push("the files were not checked".into());
    }
    let (most, longest) = NOTES;
    notes.iter().take(most).map(|note| SafeLine::truncated(note, longest)).collect()
}

/// A text and what surrounds it.
struct Framed<'f> {
    question: &'f ToolCall,
    cursor: Option<&'f Cursor>,
    written: BudgetedText,
    around: AnswerMetadata,
    notes: Vec<SafeLine>,
    failed: bool,
    data: Option<Value>,
}

impl Framed<'_> {
    fn close(mut self) -> Answered {
        if self.written.text.is_empty() {
            "nothing was found\n".clone_into(&mut self.written.text);
        }
        let next = self.next();
        if let Some(cut) = self.written.next {
            let first = self.cursor.map_or(0, |cursor| cursor.skip) + 1;
            let total = count(self.written.total as u64);
            let reason = format!("lines {}-{} of {total}", count(first as u64), count(cut as u64));
            self.around.reasons.insert(0, reason.into());
        }
        let mut text = std::mem::take(&mut self.written.text);
        let body = text.trim_end_matches('\n').to_owned();
        let closing = self.closing(next.as_deref());
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        if tokens(&text) + tokens(&closing) > self.question.max_tokens {
            // The notes were one too many: the data and the closing line matter more.
            self.notes.clear();
            text = format!("{body}\n");
        }
        text.push_str(&closing);
        let (failed, generation) = (self.failed, self.around.generation);
        Answered { text, structured: self.structured(&body, next), generation, failed }
    }

    fn next(&self) -> Option<String> {
        let (after, skip) = match (self.written.next, &self.around.next) {
            (Some(skip), _) => (self.cursor.and_then(|cursor| cursor.after.clone()), skip),
            (None, Some(after)) => (Some(after.clone()), 0),
            (None, None) => return None,
        };
        let generation = self.around.generation.unwrap_or(0);
        let question = Cursor::mark(self.question.key);
        Some(Cursor { after, skip, generation, question }.to_string())
    }

    /// Why something is missing.
    fn reasons(&self) -> Option<SafeLine> {
        let reasons: Vec<String> =
            self.around.reasons.iter().map(|reason| self.question.spell(reason)).collect();
        (!reasons.is_empty()).then(|| SafeLine::truncated(&reasons.join("; "), REASONS))
    }

    /// Complete or partial, totals, generation, pending files, next cursor.
    fn closing(&self, next: Option<&str>) -> String {
        let around = &self.around;
        let state = self.reasons().map(|reasons| format!("partial: {}", reasons.without_brackets()));
        let mut parts = vec![state.unwrap_or_else(|| "complete".to_owned())];
        parts.extend(around.total.map(|total| format!("total {}", count(total))));
        parts.extend(around.generation.map(|generation| format!("generation {generation}")));
        if around.pending > 0 {
            let (most, longest) = PENDING;
            let named = around.pending_files.iter().take(most);
            let named: Vec<String> =
                named.map(|path| SafeLine::truncated(path, longest).without_brackets().into()).collect();
            parts.push(format!("{} files pending: {}", count(around.pending), named.join(", ")));
        }
        parts.extend(next.map(|next| format!("next cursor \"{next}\"")));
        format!("[{}]", parts.join("; "))
    }

    fn structured(self, body: &str, next: Option<String>) -> Value {
        let reasons = self.reasons();
        let around = self.around;
        let mut fields = Map::new();
        fields.insert("text".to_owned(), json!(body));
        fields.insert("complete".to_owned(), json!(reasons.is_none()));
        let mut optional = |name: &str, value: Option<Value>| {
            fields.extend(value.map(|value| (name.to_owned(), value)));
        };
        let notes: Vec<&str> = self.notes.iter().map(SafeLine::as_str).collect();
        optional("reasons", reasons.map(|reasons| json!([reasons.as_str()])));
        optional("total", around.total.map(|total| json!(total)));
        optional("next", next.map(Value::String));
        optional("generation", around.generation.map(|generation| json!(generation)));
        optional("pending", (around.pending > 0).then(|| json!(around.pending)));
        optional("notes", (!notes.is_empty()).then(|| json!(notes)));
        if let Some(data) = self.data {
            let fits = tokens(&data.to_string()) <= self.question.max_tokens;
            optional("data", fits.then_some(data));
        }
        Value::Object(fields)
    }
}
