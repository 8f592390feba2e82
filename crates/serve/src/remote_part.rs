//! The part of an answer that comes from the team server of the user's settings.

use orient_tools::{RemoteAnswer, RemoteQuestion, TextWriter, ToolError};
use serde_json::{Value, json};
use std::io;

/// What the team server says, or why it says nothing; neither if there is none.
#[derive(Default)]
pub(crate) struct RemotePart {
    answer: Option<RemoteAnswer>,
    warning: Option<String>,
}

impl RemotePart {
    /// Waits for the answer to a question, until its deadline.
    pub(crate) fn wait(sent: Option<Result<RemoteQuestion, String>>) -> Self {
        match sent.map(|sent| sent.and_then(RemoteQuestion::answer)) {
            None => Self::default(),
            Some(Ok(answer)) => Self { answer: Some(answer), warning: None },
            Some(Err(warning)) => Self { answer: None, warning: Some(warning) },
        }
    }

    /// Whether other repositories have something.
    pub(crate) fn has_hits(&self) -> bool {
        self.answer.as_ref().is_some_and(RemoteAnswer::has_hits)
    }

    /// Writes the text below the local answer.
    pub(crate) fn write(&self, writer: &mut TextWriter<'_>) -> io::Result<()> {
        self.answer.as_ref().map_or(Ok(()), |answer| answer.write(writer))
    }

    /// The warning, and the notes of the server.
    pub(crate) fn notes(&self) -> Vec<String> {
        let said = self.answer.iter().flat_map(RemoteAnswer::notes).map(|note| format!("server: {note}"));
        self.warning.iter().cloned().chain(said).collect()
    }

    /// An error of the local answer, which also says that the server was not reached.
    pub(crate) fn explain(&self, error: ToolError) -> ToolError {
        match (&self.warning, error.help()) {
            (None, _) => error,
            (Some(warning), "") => error.hint(warning.clone()),
            (Some(warning), help) => {
                let hint = format!("{help}; {warning}");
                error.hint(hint)
            }
        }
    }

    /// The same for programs that read data.
    pub(crate) fn data(&self) -> Option<Value> {
        let RemoteAnswer { address, response } = self.answer.as_ref()?;
        Some(json!({ "server": address, "repositories": response["repositories"], "text": response["text"] }))
    }
}
