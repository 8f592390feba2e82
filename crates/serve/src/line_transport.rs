//! JSON-RPC over lines of text, as the protocol's stdio transport says. The SDK's own drops a line it cannot read; this
//! one answers it, so that a client is never left waiting.

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// No line is read that is longer: a message holds a question, at most a diff.
const LONGEST: usize = 8 << 20;

/// LineTransport in, lines out.
pub(crate) struct LineTransport<R, W> {
    input: BufReader<R>,
    output: Arc<Mutex<W>>,
    /// What was read of the line so far; reading may be interrupted at any point.
    line: Vec<u8>,
    /// The line is too long, and the rest of it is thrown away.
    discarding: bool,
    /// Messages of a batch that wait for their turn.
    waiting: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// Whether a session has begun: before, only requests mean anything.
    begun: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> LineTransport<R, W> {
    /// A transport over these ends.
    pub(crate) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            output: Arc::new(Mutex::new(output)),
            line: Vec::new(),
            discarding: false,
            waiting: VecDeque::new(),
            begun: false,
        }
    }

    /// Reads up to the end of a line. Says whether the whole of it is there; none at the end of the input.
    async fn read(&mut self) -> Option<bool> {
        loop {
            let available = match self.input.fill_buf().await {
                Ok(available) if !available.is_empty() => available,
                _ => return None,
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let fits = !self.discarding && self.line.len() + taken <= LONGEST;
            if fits {
                self.line.extend_from_slice(&available[..taken]);
            } else {
                self.discarding = true;
                self.line.clear();
            }
            self.input.consume(taken);
            if end.is_some() {
                return Some(!std::mem::take(&mut self.discarding));
            }
        }
    }

    /// Answers what is no message. In a task of its own: reading may be interrupted, a line on its way must not.
    fn refuse(&self, code: ErrorCode, message: &str, id: Option<RequestId>) {
        let error = ErrorData::new(code, message.to_owned(), None);
        let output = self.output.clone();
        // If nobody listens any more, the input ends soon as well.
        tokio::spawn(async move { send(&output, &ServerJsonRpcMessage::error(error, id)).await });
    }

    /// Takes in one message, or answers what is none.
    fn take(&mut self, value: Value) {
        let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            let message = "a message is an object with \"jsonrpc\": \"2.0\"";
            return self.refuse(ErrorCode::INVALID_REQUEST, message, id);
        }
        match serde_json::from_value::<ClientJsonRpcMessage>(value) {
            Ok(ClientJsonRpcMessage::Request(request)) => {
                self.begun |= !matches!(
                    request.request,
                    ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
                );
                self.waiting.push_back(ClientJsonRpcMessage::Request(request));
            }
            Ok(message) if self.begun => self.waiting.push_back(message),
            // The SDK would end the session.
            Ok(_) => {}
            Err(_) => {
                self.refuse(ErrorCode::INVALID_REQUEST, "this is no request, notification or answer", id);
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let output = self.output.clone();
        async move { send(&output, &item).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Some(message);
            }
            if !self.read().await? {
                let message = format!("a message may have {LONGEST} bytes at most");
                self.refuse(ErrorCode::INVALID_REQUEST, &message, None);
                continue;
            }
            let parsed = serde_json::from_slice::<Value>(&self.line);
            let empty = self.line.trim_ascii().is_empty();
            self.line.clear();
            match parsed {
                Ok(Value::Array(batch)) if !batch.is_empty() => {
                    for value in batch {
                        self.take(value);
                    }
                }
                Ok(value) => self.take(value),
                Err(_) if empty => {}
                Err(error) => {
                    self.refuse(ErrorCode::PARSE_ERROR, &format!("this is no JSON: {error}"), None);
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.output.lock().await.flush().await
    }
}

async fn send<W: AsyncWrite + Unpin>(
    output: &Mutex<W>,
    message: &TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}
