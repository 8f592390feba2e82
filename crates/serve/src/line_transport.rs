//! The stdio transport: JSON-RPC messages, one per line. The transport of the SDK drops malformed lines; this one answers them
//! with an error, so that a client never waits in vain.

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// Maximum length of a message in bytes: the largest legitimate argument is a diff.
const MAX_MESSAGE_BYTES: usize = 8 << 20;

/// Reads and writes messages.
pub(crate) struct LineTransport<R, W> {
    input: BufReader<R>,
    output: Arc<Mutex<W>>,
    /// The beginning of the current line; reading may be interrupted at any point.
    line: Vec<u8>,
    /// Whether the current line is too long and its rest is dropped.
    discarding: bool,
    /// Received messages that have not been handled.
    queue: VecDeque<RxJsonRpcMessage<RoleServer>>,
    /// Whether a session has begun; until then only requests are valid.
    begun: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> LineTransport<R, W> {
    /// A transport over an input and an output.
    pub(crate) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            output: Arc::new(Mutex::new(output)),
            line: Vec::new(),
            discarding: false,
            queue: VecDeque::new(),
            begun: false,
        }
    }

    /// Reads up to the end of a line; returns whether the line fits, or none at the end of the input.
    async fn read(&mut self) -> Option<bool> {
        loop {
            let available = match self.input.fill_buf().await {
                Ok(available) if !available.is_empty() => available,
                _ => return None,
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let fits = !self.discarding && self.line.len() + taken <= MAX_MESSAGE_BYTES;
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

    /// Answers an invalid message with an error. Runs in its own task: reading may be interrupted, writing must not be.
    fn send_error(&self, code: ErrorCode, message: &str, id: Option<RequestId>) {
        let error = ErrorData::new(code, message.to_owned(), None);
        let output = self.output.clone();
        // If writing fails, the client is gone and the input ends soon too.
        tokio::spawn(async move {
            let message = match id {
                Some(id) => serde_json::to_vec(&ServerJsonRpcMessage::error(error, Some(id))),
                // The id of a message that cannot be read is null, and the SDK would omit it.
                None => serde_json::to_vec(&json!({"jsonrpc": "2.0", "id": null, "error": error})),
            };
            send(&output, message).await
        });
    }

    /// Queues a message, or answers an invalid one with an error.
    fn enqueue(&mut self, value: Value) {
        let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
        if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            let message = "a message must be an object with \"jsonrpc\": \"2.0\"";
            return self.send_error(ErrorCode::INVALID_REQUEST, message, id);
        }
        match serde_json::from_value::<ClientJsonRpcMessage>(value) {
            Ok(ClientJsonRpcMessage::Request(request)) => {
                self.begun |= !matches!(
                    request.request,
                    ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
                );
                self.queue.push_back(ClientJsonRpcMessage::Request(request));
            }
            Ok(message) if self.begun => self.queue.push_back(message),
            // Dropped: the SDK would end the session.
            Ok(_) => {}
            Err(_) => {
                self.send_error(
                    ErrorCode::INVALID_REQUEST,
                    "not a valid request, notification or response",
                    id,
                );
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
        async move { send(&output, serde_json::to_vec(&item)).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.queue.pop_front() {
                return Some(message);
            }
            if !self.read().await? {
                let message = format!("a message must not exceed {MAX_MESSAGE_BYTES} bytes");
                self.send_error(ErrorCode::INVALID_REQUEST, &message, None);
                continue;
            }
            let parsed = serde_json::from_slice::<Value>(&self.line);
            let empty = self.line.trim_ascii().is_empty();
            self.line.clear();
            match parsed {
                Ok(Value::Array(batch)) if !batch.is_empty() => {
                    for value in batch {
                        self.enqueue(value);
                    }
                }
                Ok(value) => self.enqueue(value),
                Err(_) if empty => {}
                Err(error) => {
                    self.send_error(ErrorCode::PARSE_ERROR, &format!("invalid JSON: {error}"), None);
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
    message: serde_json::Result<Vec<u8>>,
) -> io::Result<()> {
    let mut line = message?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}
