//! The names of people: `.mailmap` unites the names and addresses under which somebody committed.

use gix_mailmap::Snapshot;
use std::sync::Arc;

/// The names and addresses that `.mailmap` gives to those in commits.
#[derive(Clone, Debug)]
pub struct Mailmap(Arc<Snapshot>);

impl Mailmap {
    /// Reads a `.mailmap`.
    pub(crate) fn new(text: &[u8]) -> Self {
        Self(Arc::new(Snapshot::from_bytes(text)))
    }

    /// Replaces a name and an address as a commit records them.
    pub fn rename(&self, name: &mut String, email: &mut String) {
        let known = gix_actor::SignatureRef {
            name: name.as_str().into(),
            email: email.as_str().into(),
            time: "0 +0000",
        };
        let Some(new) = self.0.try_resolve_ref(known) else { return };
        let (new_name, new_email) = (new.name.map(ToString::to_string), new.email.map(ToString::to_string));
        if let Some(new) = new_name {
            *name = new;
        }
        if let Some(new) = new_email {
            *email = new;
        }
    }
}
