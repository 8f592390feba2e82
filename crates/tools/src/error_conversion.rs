//! Conversion of engine errors to operation errors.

use crate::error::{Code, ToolError};
use orient_engine::{EngineError, PatternError, PortableError, StoreError, WalkError};

impl From<EngineError> for ToolError {
    fn from(error: EngineError) -> Self {
        let code = match &error {
            EngineError::Portable { source, .. } if !matches!(source, PortableError::Io(_)) => {
                Code::BadArgument
            }
            EngineError::Refused(_) => Code::Refused,
            EngineError::Walk(
                WalkError::Root { .. } | WalkError::Outside { .. } | WalkError::Filter { .. },
            ) => Code::BadArgument,
            EngineError::Walk(WalkError::Pattern { .. })
            | EngineError::Setting { .. }
            | EngineError::NoStore => Code::BadSetting,
            EngineError::NotIndexed => Code::NotIndexed,
            EngineError::Busy { .. } | EngineError::Stuck { .. } => Code::Busy,
            EngineError::Cancelled => Code::Interrupted,
            EngineError::Unreadable { .. } => Code::NotFound,
            EngineError::DanglingNode { .. } => Code::Damaged,
            EngineError::Store(error) => store(error),
            EngineError::Walk(WalkError::Stored { .. })
            | EngineError::System(_)
            | EngineError::Portable { .. }
            | EngineError::VectorsNotStored { .. } => Code::Io,
        };
        match error {
            EngineError::Cancelled => Self::new(code, "stopped; the index is unchanged"),
            error => Self::new(code, error.to_string()),
        }
    }
}

impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        EngineError::from(error).into()
    }
}

fn store(error: &StoreError) -> Code {
    match error {
        StoreError::Missing { .. } | StoreError::Outdated { .. } => Code::NotIndexed,
        StoreError::Damaged { .. } => Code::Damaged,
        StoreError::Newer { .. } => Code::NewerIndex,
        StoreError::Unusable { .. } => Code::Io,
        StoreError::Sql { .. } => Code::Internal,
    }
}

impl From<PatternError> for ToolError {
    fn from(error: PatternError) -> Self {
        Self::new(Code::BadArgument, error.to_string()).hint("for example `src`, `*.md` or `src/**/test_*`")
    }
}
