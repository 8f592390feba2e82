//! Errors of operations: one table of code, class, exit code, HTTP status and hint for every interface.

use serde::Serialize;
use std::fmt;

/// Exit codes of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Success.
    Ok = 0,
    /// Success, but nothing was found; or a check found violations.
    Nothing = 1,
    /// Invalid command or setting; nothing was done.
    Usage = 2,
    /// The name is ambiguous; the candidates are listed.
    Ambiguous = 3,
    /// Possible, but only with an explicit request.
    Refused = 4,
    /// Failure.
    Failed = 5,
    /// Stopped by the user.
    Interrupted = 130,
}

impl Exit {
    /// All exit codes, in numerical order.
    pub const ALL: &'static [Self] = &[
        Self::Ok,
        Self::Nothing,
        Self::Usage,
        Self::Ambiguous,
        Self::Refused,
        Self::Failed,
        Self::Interrupted,
    ];

    /// Its meaning, for the manual.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "success",
            Self::Nothing => "success, but nothing was found; or a check found violations",
            Self::Usage => "invalid command or setting; nothing was done",
            Self::Ambiguous => "the name is ambiguous; the candidates are listed",
            Self::Refused => "refused; the message says how to request it explicitly",
            Self::Failed => "failure",
            Self::Interrupted => "stopped by the user",
        }
    }
}

/// Who can fix an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The caller.
    User,
    /// The administrator of the machine: disk, permissions, another process.
    Machine,
    /// The developers of Orient.
    Bug,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident: $word:literal, $class:ident, $exit:ident, $http:literal, $hint:literal;)*) => {
        /// The kind of an error. Scripts may rely on the words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[doc = $doc])+ $variant,)* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word that programs see.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// Its meaning.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii_start(),)* }
            }

            /// Who can fix it.
            pub fn class(self) -> Class {
                match self { $(Self::$variant => Class::$class,)* }
            }

            /// The exit code of the command.
            pub fn exit(self) -> Exit {
                match self { $(Self::$variant => Exit::$exit,)* }
            }

            /// The HTTP status.
            pub fn http(self) -> u16 {
                match self { $(Self::$variant => $http,)* }
            }

            /// The default hint; may be empty.
            pub fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint,)* }
            }
        }
    };
}

codes! {
    /// An argument is unknown, missing or malformed.
    BadArgument: "bad_argument", User, Usage, 400, "";
    /// A setting is unknown or malformed.
    BadSetting: "bad_setting", User, Usage, 400, "";
    /// The file, directory or symbol does not exist.
    NotFound: "not_found", User, Nothing, 404, "";
    /// The directory is only indexed with `--force`.
    Refused: "refused", User, Refused, 403, "";
    /// Code would be sent to another machine or a program started, and the user has not agreed to that.
    NotAllowed: "not_allowed", User, Refused, 403, "`orient embed allow` allows it for this project; `orient embed forget` revokes it";
    /// An embedding provider does not respond, or sends an invalid response.
    Provider: "provider", Machine, Failed, 502, "`orient embed status` shows the provider; until it responds, the built-in model is used";
    /// The index was written by a newer version.
    NewerIndex: "newer_index", User, Refused, 409, "update orient, or use another store with --store DIR";
    /// There is no index yet, and `--no-refresh` prevents building one.
    NotIndexed: "not_indexed", User, Failed, 409, "omit --no-refresh, or run `orient index`";
    /// Another process is writing the index and did not finish in time.
    Busy: "busy", Machine, Failed, 503, "wait for it, or answer from the current index with --no-refresh";
    /// The index is damaged and could not be rebuilt.
    Damaged: "damaged", Machine, Failed, 500, "`orient index --rebuild` rebuilds it from the files";
    /// A file or directory cannot be read or written.
    Io: "io", Machine, Failed, 500, "";
    /// Stopped by the user.
    Interrupted: "interrupted", User, Interrupted, 499, "";
    /// A bug in Orient.
    Internal: "internal", Bug, Failed, 500, "this is a bug in Orient: please report it with the command you used";
}

/// The error of an operation.
#[derive(Debug, Serialize)]
pub struct ToolError {
    #[serde(serialize_with = "as_word")]
    code: Code,
    class: Class,
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    hint: String,
}

impl ToolError {
    /// An error with the default hint of its code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, class: code.class(), message: message.into(), hint: code.hint().to_owned() }
    }

    /// The same error with a specific hint.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// The same error with another message.
    #[must_use]
    pub(crate) fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The hint; may be empty.
    pub fn help(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ToolError {}

impl From<orient_settings::SettingsError> for ToolError {
    fn from(error: orient_settings::SettingsError) -> Self {
        Self::new(Code::BadSetting, error.to_string())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
fn as_word<S: serde::Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_exit_codes_are_unique() {
        let mut words: Vec<_> = Code::ALL.iter().map(|code| code.word()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Code::ALL.len());
        assert!(Exit::ALL.is_sorted_by(|a, b| (*a as u8) < (*b as u8)));
    }
}
