//! What can go wrong in an operation: one table of code, class, exit code, HTTP status and hint for every surface.

use serde::Serialize;
use std::fmt;

/// How a command ends. The only list of exit codes there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Ok = 0,
    /// Done, and there is nothing of what was asked for.
    Nothing = 1,
    /// The command or a setting is wrong; nothing was done.
    Usage = 2,
    /// The name stands for several things, which are listed.
    Ambiguous = 3,
    /// Could be done, but must not be without being asked for in another way.
    Refused = 4,
    /// Could not be done.
    Failed = 5,
    /// Stopped by the user.
    Interrupted = 130,
}

impl Exit {
    /// Every way to end, in the order of their numbers.
    pub const ALL: &'static [Self] = &[
        Self::Ok,
        Self::Nothing,
        Self::Usage,
        Self::Ambiguous,
        Self::Refused,
        Self::Failed,
        Self::Interrupted,
    ];

    /// What it means, for the manual.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "done",
            Self::Nothing => "done, and there is nothing of what was asked for",
            Self::Usage => "the command or a setting is wrong; nothing was done",
            Self::Ambiguous => "the name stands for several things, which are listed",
            Self::Refused => "refused; the message says how to ask for it",
            Self::Failed => "could not be done",
            Self::Interrupted => "stopped by the user",
        }
    }
}

/// Who can mend an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The one who asked.
    User,
    /// The one who runs the machine: disk, rights, another process.
    Machine,
    /// The makers of Orient.
    Bug,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident: $word:literal, $class:ident, $exit:ident, $http:literal, $hint:literal;)*) => {
        /// The kind of an error. The words are a contract with scripts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[doc = $doc])+ $variant,)* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word for machines.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What it means.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii_start(),)* }
            }

            /// Who can mend it.
            pub fn class(self) -> Class {
                match self { $(Self::$variant => Class::$class,)* }
            }

            /// How the command line ends.
            pub fn exit(self) -> Exit {
                match self { $(Self::$variant => Exit::$exit,)* }
            }

            /// The status of an HTTP answer.
            pub fn http(self) -> u16 {
                match self { $(Self::$variant => $http,)* }
            }

            /// What to do, where the error itself does not say it; may be empty.
            pub fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint,)* }
            }
        }
    };
}

codes! {
    /// An argument is unknown, missing or of the wrong form.
    BadArgument: "bad_argument", User, Usage, 400, "";
    /// A setting is unknown or of the wrong form.
    BadSetting: "bad_setting", User, Usage, 400, "";
    /// There is no such file, folder or symbol.
    NotFound: "not_found", User, Nothing, 404, "";
    /// The folder is not indexed unless asked for twice.
    Refused: "refused", User, Refused, 403, "";
    /// Code of the project was about to leave the machine, and the user has not agreed to that.
    NotAllowed: "not_allowed", User, Refused, 403, "`orient embed allow` allows it for this project; `orient embed forget` takes that back";
    /// An embedding provider does not answer, or not as it should.
    Provider: "provider", Machine, Failed, 502, "`orient embed status` shows who is asked; without an answer the built-in model is used";
    /// The index was written by a newer version.
    NewerIndex: "newer_index", User, Refused, 409, "update orient, or use another folder with --store DIR";
    /// There is no index yet, and none was to be made.
    NotIndexed: "not_indexed", User, Failed, 409, "leave out --no-refresh, or run `orient index`";
    /// Another process is writing the index and did not finish in time.
    Busy: "busy", Machine, Failed, 503, "wait for it, or answer from what is there with --no-refresh";
    /// The index is damaged and could not be made anew.
    Damaged: "damaged", Machine, Failed, 500, "`orient index --rebuild` makes it anew from the files";
    /// A file or folder cannot be read or written.
    Io: "io", Machine, Failed, 500, "";
    /// Stopped by the user.
    Interrupted: "interrupted", User, Interrupted, 499, "";
    /// A fault of Orient itself.
    Internal: "internal", Bug, Failed, 500, "this is a fault of Orient: please report it with the command you used";
}

/// An operation that gave no answer.
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
    /// An error with the hint of the table.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, class: code.class(), message: message.into(), hint: code.hint().to_owned() }
    }

    /// The same with a hint of its own: what to type instead.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// Its kind.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it; may be empty.
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
fn as_word<S: serde::Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unique_and_numbers_too() {
        let mut words: Vec<_> = Code::ALL.iter().map(|code| code.word()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Code::ALL.len());
        assert!(Exit::ALL.is_sorted_by(|a, b| (*a as u8) < (*b as u8)));
    }
}
