//! Serves one client over standard input and output. Nothing else is ever written to standard output.

use crate::error::ServeError;
use crate::line_transport::LineTransport;
use crate::served_tree::Options;
use crate::server::{KEEP_ALIVE, Server, ServerState};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use std::sync::Arc;
use std::time::Duration;

/// How long work may continue after the input has ended.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// Serves until the input ends.
pub fn stdio(options: Options) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_keep_alive(KEEP_ALIVE)
        .build()
        .map_err(|error| ServeError::system("cannot start", error))?;
    let state = Arc::new(ServerState::new(options, false)?);
    let served = runtime.block_on(async {
        let server = Server::new(state.clone(), true);
        server.begin();
        let transport = LineTransport::new(tokio::io::stdin(), tokio::io::stdout());
        match server.serve(transport).await {
            Ok(running) => {
                let _ = running.waiting().await;
                Ok(())
            }
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(ServeError::usage(format!("the session did not begin: {error}"), "")),
        }
    });
    state.close();
    // The thread that reads the input cannot be interrupted.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    served
}
