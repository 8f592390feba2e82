//! The table of settings. A new setting is one entry here; everything else follows from it.
//!
//! Each entry says what the file of a repository may do with it. Whoever wrote that file is a stranger: it may narrow what
//! is done with its own files, and nothing else. Where something is written, what it costs, and who is sent anything are
//! for the user alone to say.

use crate::key::{Key, Scope, Setter};
use crate::value::{Setting, Size};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Turns the table into the structs, their defaults, and the list of [`Key`]s.
macro_rules! settings {
    ($(
        #[doc = $section_doc:literal]
        $section:ident: $Section:ident {
            $(
                $(#[doc = $doc:literal])+
                $key:ident: $ty:ty = $default:expr, example $example:literal, $scope:expr $(, check $check:expr)?;
            )+
        }
    )+) => {
        /// The settings in force: the only form the rest of the program sees.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Settings {
            $(#[doc = $section_doc] pub $section: $Section,)+
        }

        $(
            #[doc = $section_doc]
            #[derive(Clone, Debug, PartialEq, Eq)]
            pub struct $Section {
                $($(#[doc = $doc])+ pub $key: $ty,)+
            }

            impl Default for $Section {
                fn default() -> Self {
                    Self { $($key: $default,)+ }
                }
            }
        )+

        /// Every setting, in the order of the reference page.
        pub fn keys() -> &'static [Key] {
            const KEYS: &[Key] = &[$($(
                Key {
                    section: stringify!($section),
                    name: stringify!($key),
                    section_doc: $section_doc,
                    doc: concat!($($doc),+),
                    kind: <$ty as Setting>::KIND,
                    example: $example,
                    scope: $scope,
                    add: |settings, weaker| {
                        let value = std::mem::take(&mut settings.$section.$key);
                        settings.$section.$key = value.added_to(&weaker.$section.$key);
                    },
                    is_at_most: |settings, other| {
                        settings.$section.$key.is_at_most(&other.$section.$key)
                    },
                    shown: |settings| settings.$section.$key.shown(),
                    setter: {
                        let setter: Setter = |settings, raw, base| {
                            let value = <$ty as Setting>::read(raw, base)?;
                            $($check(value)?;)?
                            settings.$section.$key = value;
                            Ok(())
                        };
                        setter
                    },
                },
            )+)+];
            KEYS
        }
    };
}

const MAY_EXCLUDE: Scope =
    Scope::RepositoryMayAdd { why: "fewer files are read; what the user excludes stays excluded" };
const MAY_MARK: Scope = Scope::RepositoryMayAdd {
    why: "the files it names are listed and ranked as what they are said to be, and read as before",
};
const MAY_NAME_LANGUAGES: Scope = Scope::RepositoryMayAdd {
    why: "it chooses between the parsers that are built in; a name that is none is ignored",
};
const MAY_READ_LESS: Scope = Scope::RepositoryMayLower { why: "fewer files are read" };
const MAY_USE_LESS: Scope =
    Scope::RepositoryMayLower { why: "less memory is used, down to a floor at which indexing still works" };

settings! {
    /// What is indexed, and how.
    index: Index {
        /// Files and folders to leave out, as in a `.gitignore`, in addition to what the ignore files of the
        /// repository already leave out.
        exclude: Vec<String> = Vec::new(), example r#"["third_party/", "*.min.js"]"#, MAY_EXCLUDE;
        /// Larger files are listed as skipped, and not read.
        max_file_size: Size = Size::mebibytes(2), example r#""2MiB""#, MAY_READ_LESS, check at_most_a_gibibyte;
        /// Whether clones and worktrees of git that lie inside of the repository are indexed as if they were part of it.
        /// Submodules always are. `orient grep` searches all of them either way, as ripgrep does.
        nested_repositories: bool = false, example "true", Scope::User;
        /// Globs of files written by programs, in addition to those that are recognised by what they say.
        generated: Vec<String> = Vec::new(), example r#"["**/*.pb.go", "gen/**"]"#, MAY_MARK;
        /// Globs of files copied from elsewhere, in addition to the well-known folders.
        vendored: Vec<String> = Vec::new(), example r#"["deps/**"]"#, MAY_MARK;
        /// The language of files whose name does not tell it: glob to language. Of several that match, the longest
        /// glob wins.
        languages: BTreeMap<String, String> = BTreeMap::new(), example r#"{ "*.inc" = 'php' }"#, MAY_NAME_LANGUAGES;
        /// How many threads read and parse; 0 means one for each core.
        threads: usize = 0, example "4", Scope::User, check at_most_a_thousand;
    }
    /// Where the index is kept.
    store: Store {
        /// The folder of all indexes; by default the user's cache folder. Also as `ORIENT_STORE` and `--store`.
        dir: Option<PathBuf> = None, example r#""~/.cache/orient""#, Scope::User;
    }
    /// What Orient may use of the machine.
    limits: Limits {
        /// About how much memory indexing may take. Work is cut into smaller portions to stay below it.
        memory: Size = Size::mebibytes(512), example r#""512MiB""#, MAY_USE_LESS, check at_least_64_mebibytes;
    }
    /// Watchers: those of servers, and those that commands leave behind so that who asks next need not look at all files.
    watch: Watch {
        /// From how many files on a command that had to look at them all leaves a watcher in the background for those
        /// after it; 0 means never.
        from: usize = 20_000, example "20000", Scope::User;
        /// After how many seconds without a question such a watcher ends.
        idle: usize = 900, example "900", Scope::User, check from_1_to_a_week;
        /// Of how many other git branches, the newest first, a server reads the files while nothing else is to be done:
        /// a switch to one of them is then caught up with in half the time. 0 means none.
        branches: usize = 4, example "4", Scope::User, check at_most_64_branches;
    }
    /// Who makes vectors of texts: the model inside the binary, or a provider that `orient embed allow` has allowed.
    embed: Embed {
        /// The provider: `built-in`, `ollama`, `openai`, `openai-compatible`, `llama-cpp`, `vllm`, `lm-studio`,
        /// `voyage`, `nomic` or `cohere`.
        provider: Option<String> = None, example r#""ollama""#, Scope::User;
        /// The model, as the provider names it; by default the one the provider is known for.
        model: Option<String> = None, example r#""nomic-embed-text""#, Scope::User;
        /// Where the provider is; by default its own address. Keys do not belong here: they come from the environment
        /// alone.
        url: Option<String> = None, example r#""http://127.0.0.1:11434""#, Scope::User;
        /// How many values a vector is to have, where the model offers a choice; 0 means as many as it has by itself.
        dimensions: usize = 0, example "512", Scope::User, check at_most_16384;
        /// How many texts one request may hold; 0 means as many as the provider takes well.
        batch: usize = 0, example "32", Scope::User, check at_most_2048;
        /// How many requests may be under way at once; 0 means as many as suit the provider.
        concurrency: usize = 0, example "4", Scope::User, check at_most_64;
        /// How many seconds one request may take.
        timeout: usize = 60, example "60", Scope::User, check from_1_to_3600;
    }
}

fn at_most_a_gibibyte(size: Size) -> Result<(), String> {
    let limit = Size::mebibytes(1024);
    if size > limit { Err(format!("{size} is too large; the most is {limit}")) } else { Ok(()) }
}

fn at_least_64_mebibytes(size: Size) -> Result<(), String> {
    let least = Size::mebibytes(64);
    if size < least {
        Err(format!("{size} is too little to work with; the least is {least}"))
    } else {
        Ok(())
    }
}

fn at_most_a_thousand(threads: usize) -> Result<(), String> {
    if threads > 1000 { Err(format!("{threads} threads are too many; the most is 1000")) } else { Ok(()) }
}

fn at_most_16384(values: usize) -> Result<(), String> {
    if values > 16_384 { Err(format!("{values} values are too many; the most is 16384")) } else { Ok(()) }
}

fn at_most_2048(texts: usize) -> Result<(), String> {
    if texts > 2048 { Err(format!("{texts} texts are too many; the most is 2048")) } else { Ok(()) }
}

fn at_most_64(requests: usize) -> Result<(), String> {
    if requests > 64 { Err(format!("{requests} requests are too many; the most is 64")) } else { Ok(()) }
}

fn at_most_64_branches(branches: usize) -> Result<(), String> {
    if branches > 64 { Err(format!("{branches} branches are too many; the most is 64")) } else { Ok(()) }
}

fn from_1_to_3600(seconds: usize) -> Result<(), String> {
    seconds_up_to(3600, seconds)
}

fn from_1_to_a_week(seconds: usize) -> Result<(), String> {
    seconds_up_to(604_800, seconds)
}

fn seconds_up_to(most: usize, seconds: usize) -> Result<(), String> {
    if (1..=most).contains(&seconds) {
        Ok(())
    } else {
        Err(format!("{seconds} seconds are out of range; the least is 1, the most is {most}"))
    }
}
