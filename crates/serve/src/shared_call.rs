//! A call to a server of shared trees: its caller, the repository it names, and the trees that answer it.

use crate::answer::CallResponse;
use crate::served_tree::ServedTree;
use crate::shared_trees::{AnsweredQuestion, Caller, RepositoryLine, SharedQuestion, SharedTrees};
use axum::http::request::Parts;
use orient_tools::{Code, Operation, RootFilter, SafeLine, ToolCall, ToolError, plural};
use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::RequestContext;
use serde_json::Value;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

/// The tool that lists the repositories.
pub(crate) const REPOSITORIES: &str = "repositories";
/// The argument of every tool that names one.
pub(crate) const REPOSITORY: &str = "repository";

/// A call of a caller.
#[derive(Clone)]
pub(crate) struct SharedCall {
    pub(crate) trees: Arc<dyn SharedTrees>,
    pub(crate) caller: Caller,
    pub(crate) repository: Option<String>,
    /// What identifies the repositories that the caller answers for itself.
    pub(crate) own: Vec<String>,
}

/// The trees of a call.
pub(crate) struct OpenedCall {
    pub(crate) tree: ServedTree,
    pub(crate) repositories: Vec<String>,
}

impl SharedCall {
    /// The call of a request that the access control has let through; takes the repository out of its arguments.
    pub(crate) fn new(
        trees: &Arc<dyn SharedTrees>,
        context: &RequestContext<RoleServer>,
        arguments: &mut Value,
    ) -> Result<Self, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let Some(caller) = parts.and_then(|parts| parts.extensions.get::<Caller>()) else {
            return Err(ErrorData::internal_error("the request has no caller", None));
        };
        let repository = take_repository(arguments)
            .map_err(|error| ErrorData::invalid_params(error.message().to_owned(), None))?;
        Ok(Self { trees: Arc::clone(trees), caller: caller.clone(), repository, own: Vec::new() })
    }

    /// The repositories that the caller may read.
    pub(crate) fn repositories(&self) -> Result<Vec<RepositoryLine>, ToolError> {
        self.trees.repositories(&self.caller)
    }

    /// Opens the trees that an operation needs.
    pub(crate) fn open(
        &self,
        operation: &'static Operation,
        filter: RootFilter,
    ) -> Result<OpenedCall, ToolError> {
        if operation.per_client || !operation.exposed {
            let message =
                format!("`{}` works with your own files, so a server does not offer it", operation.name);
            return Err(ToolError::new(Code::Refused, message));
        }
        let question =
            SharedQuestion { repository: self.repository.as_deref(), operation, filter, own: &self.own };
        let opened = self.trees.open(&self.caller, &question)?;
        let repositories = opened.trees.iter().map(|(name, _)| name.clone()).collect();
        let Some(tree) = ServedTree::shared(opened) else {
            return Err(ToolError::new(Code::NotFound, "there is no repository that you may read"));
        };
        Ok(OpenedCall { tree, repositories })
    }

    /// Answers a tool call and records it.
    pub(crate) fn answer(
        &self,
        call: &mut ToolCall,
        begun: Instant,
        answer: impl FnOnce(&ServedTree, &ToolCall) -> Result<CallResponse, ToolError>,
    ) -> Result<CallResponse, ToolError> {
        let (operation, subject) = (call.table_entry(), call.subject());
        let mut asked = Vec::new();
        let answered = self.open(operation, call.root_filter()).and_then(|opened| {
            asked = opened.repositories;
            // The history of what was sent is by path, and paths of two repositories may be equal.
            call.again = true;
            answer(&opened.tree, call)
        });
        let outcome = match &answered {
            Ok(response) if response.failed => "missed",
            Ok(_) => "ok",
            Err(error) => error.code().word(),
        };
        self.record(operation.name, &subject, &asked, outcome, begun);
        answered
    }

    /// Records an answered question.
    pub(crate) fn record(
        &self,
        operation: &'static str,
        subject: &str,
        repositories: &[String],
        outcome: &'static str,
        begun: Instant,
    ) {
        let answered = AnsweredQuestion { operation, subject, repositories, outcome, took: begun.elapsed() };
        self.trees.record(&self.caller, &answered);
    }
}

/// Takes the name of the repository out of the arguments of a call.
fn take_repository(arguments: &mut Value) -> Result<Option<String>, ToolError> {
    match arguments.as_object_mut().and_then(|arguments| arguments.remove(REPOSITORY)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) if name.is_empty() => Ok(None),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(_) => Err(ToolError::new(Code::BadArgument, "`repository` must be the name of a repository")),
    }
}

/// The repositories as text, one per line.
pub(crate) fn repositories_text(lines: &[RepositoryLine]) -> String {
    let mut text = String::new();
    for RepositoryLine { name, branch, commit, files } in lines {
        let (name, branch) = (SafeLine::new(name), SafeLine::new(branch));
        let commit = commit.get(..10).unwrap_or(commit);
        let _ = writeln!(text, "{name}  {branch}  {commit}  {}", plural(*files, "path", "paths"));
    }
    let _ = write!(text, "[complete; total {}]", lines.len());
    text
}
