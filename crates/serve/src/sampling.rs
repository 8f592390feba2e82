//! The model of a client that offers it: `sampling/createMessage`. The client shows its user what is asked, and may refuse.

#![expect(deprecated, reason = "clients of older protocol revisions offer sampling")]

use orient_engine::Cancel;
use orient_tools::{ChatRequest, ClientModel};
use rmcp::model::{CreateMessageRequestParams, CreateMessageResult, SamplingContent, SamplingMessage};
use rmcp::{Peer, RoleServer};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tokio::runtime::Handle;

/// How long a client may take to write.
const SAMPLING_WAIT: Duration = Duration::from_secs(90);
/// How often a cancellation is noticed.
const CANCEL_POLL: Duration = Duration::from_millis(50);

/// A client that offers its model.
struct SamplingClient {
    peer: Peer<RoleServer>,
    runtime: Handle,
}

/// The model of a client; `None` if it offers none.
pub(crate) fn client_model(peer: &Peer<RoleServer>) -> Option<Arc<dyn ClientModel>> {
    peer.peer_info()?.capabilities.sampling.as_ref()?;
    Some(Arc::new(SamplingClient { peer: peer.clone(), runtime: Handle::current() }))
}

impl ClientModel for SamplingClient {
    fn write(&self, request: &ChatRequest, cancel: &Cancel) -> Result<(String, String), String> {
        let message = SamplingMessage::user_text(request.material.clone());
        let asked = CreateMessageRequestParams::new(vec![message], request.max_tokens)
            .with_system_prompt(request.instructions.clone())
            .with_temperature(0.0);
        let (peer, (sender, receiver)) = (self.peer.clone(), channel());
        let task = self.runtime.spawn(async move {
            let written = tokio::time::timeout(SAMPLING_WAIT, peer.create_message(asked)).await;
            let _ = sender.send(match written {
                Ok(Ok(written)) => Ok(written),
                Ok(Err(error)) => Err(format!("the client's model: {error}")),
                Err(_) => {
                    Err(format!("the client's model gave no answer within {} s", SAMPLING_WAIT.as_secs()))
                }
            });
        });
        loop {
            match receiver.recv_timeout(CANCEL_POLL) {
                Ok(written) => return written.map(|written| (text_of(&written), written.model)),
                Err(RecvTimeoutError::Timeout) if !cancel.is_cancelled() => {}
                Err(_) => {
                    task.abort();
                    return Err("cancelled".to_owned());
                }
            }
        }
    }
}

/// The texts of a message, joined.
fn text_of(written: &CreateMessageResult) -> String {
    let blocks = match &written.message.content {
        SamplingContent::Single(block) => std::slice::from_ref(block),
        SamplingContent::Multiple(blocks) => blocks.as_slice(),
    };
    let texts = blocks.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str());
    texts.collect::<Vec<_>>().join("\n")
}
