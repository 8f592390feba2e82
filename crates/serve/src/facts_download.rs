//! Sends the facts of a published tree to a machine that indexes a clone of it.

use crate::shared_trees::{Caller, FactsFile, SharedTrees};
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use hyper::body::Frame;
use orient_tools::{Code, ToolError};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// The header that says what the facts are those of.
const LABEL: HeaderName = HeaderName::from_static("x-orient-label");
/// Size of the parts that a file is read in.
const PART: usize = 256 << 10;
/// Number of parts that wait to be sent.
const WAITING: usize = 4;

/// Finds the facts that `{"own": […], "head": …}` asks for.
pub(crate) fn find(trees: &dyn SharedTrees, caller: &Caller, body: &[u8]) -> Result<FactsFile, ToolError> {
    let sent: Value =
        serde_json::from_slice(body).map_err(|error| ToolError::new(Code::BadArgument, error.to_string()))?;
    let own = sent["own"].as_array().into_iter().flatten();
    let keys: Vec<String> = own.filter_map(|key| key.as_str().map(str::to_owned)).collect();
    let found = trees.facts(caller, &keys, sent["head"].as_str().unwrap_or_default())?;
    found.ok_or_else(|| ToolError::new(Code::NotFound, "there is no such repository that you may read"))
}

/// The response with the content of a file, which is read while it is sent.
pub(crate) fn response(facts: FactsFile) -> Response {
    let (sender, receiver) = mpsc::channel(WAITING);
    let FactsFile { mut file, label } = facts;
    tokio::task::spawn_blocking(move || {
        while let Some(part) = next_part(&mut file).transpose() {
            let is_last = part.is_err();
            if sender.blocking_send(part).is_err() || is_last {
                return;
            }
        }
    });
    let mut response = Response::new(Body::new(FileBody(receiver)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    if let Ok(label) = HeaderValue::try_from(label) {
        response.headers_mut().insert(LABEL, label);
    }
    response
}

/// The next part of a file; `None` at its end.
fn next_part(file: &mut File) -> io::Result<Option<Bytes>> {
    let mut part = Vec::with_capacity(PART);
    file.take(PART as u64).read_to_end(&mut part)?;
    Ok((!part.is_empty()).then(|| Bytes::from(part)))
}

/// A body that ends when its sender does. An error ends the connection, so that the client notices.
struct FileBody(mpsc::Receiver<io::Result<Bytes>>);

impl HttpBody for FileBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data)))
    }
}
