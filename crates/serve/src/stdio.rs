//! One client, over the standard input and output. Nothing else is ever written there.

use crate::error::ServeError;
use crate::line_transport::LineTransport;
use crate::served_tree::Options;
use crate::server::{Server, Serving};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use std::sync::Arc;
use std::time::Duration;

/// How long work may go on after the client has left.
const PATIENCE: Duration = Duration::from_millis(500);

/// Serves until the input ends.
pub fn stdio(options: Options) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| ServeError::system("cannot start", error))?;
    let serving = Arc::new(Serving::new(options)?);
    let served = runtime.block_on(async {
        let server = Server::new(serving.clone(), true);
        server.begin();
        let transport = LineTransport::new(tokio::io::stdin(), tokio::io::stdout());
        match server.serve(transport).await {
            Ok(running) => {
                let _ = running.waiting().await;
                Ok(())
            }
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(ServeError::asked(format!("the session did not begin: {error}"), "")),
        }
    });
    serving.close();
    // The thread that reads the input cannot be ended in another way.
    runtime.shutdown_timeout(PATIENCE);
    served
}
