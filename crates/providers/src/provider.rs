//! A provider that may be asked: texts in, vectors out, with all the patience that takes.

use crate::batch::batches;
use crate::http::{Failure, Http};
use crate::pace::Gate;
use crate::prompts::prompt;
use crate::retry::{self, Patience};
use crate::table::{Kind, Limits};
use crate::wire;
use crate::{Plan, World};
use orient_embed::{EmbedError, Embedder, ModelId, Role, TextEmbedding};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Grows when the same text is sent in another form.
const REVISION: u32 = 1;
/// A text that is refused for its length is halved down to this.
const SHORTEST: usize = 256;

/// An embedder behind a network. Made by [`Plan::connect`] alone, which asks for the user's leave.
pub struct Provider {
    kind: &'static Kind,
    model: String,
    /// What was asked for; none for as many values as the model has.
    requested: Option<usize>,
    dimension: usize,
    limits: Limits,
    timeout: Duration,
    http: Http,
    gate: Gate,
    world: Arc<dyn World>,
}

/// Why one request gave no vectors.
enum Trouble {
    /// Try again, after this time if one was named.
    Passing(String, Option<Duration>),
    /// Ask for less at once.
    TooMuch(String),
    /// Nothing will help.
    Lasting(EmbedError),
}

impl Provider {
    /// Asks for one vector where the dimension is not known.
    pub(crate) fn new(
        plan: &Plan,
        http: Http,
        dimension: Option<usize>,
        world: Arc<dyn World>,
    ) -> Result<Self, EmbedError> {
        let mut provider = Self {
            kind: plan.kind(),
            model: plan.model().to_owned(),
            requested: plan.dimensions(),
            dimension: dimension.or(plan.dimensions()).unwrap_or(0),
            limits: plan.limits(),
            timeout: plan.timeout(),
            http,
            gate: Gate::new(plan.limits().per_minute),
            world,
        };
        if provider.dimension == 0 {
            let (word, patience) = ("dimension".to_owned(), Patience::at_first(provider.timeout));
            let vectors =
                provider.patiently(&[word], Role::Query, patience).map_err(|trouble| match trouble {
                    Trouble::Lasting(error) => error,
                    Trouble::Passing(reason, _) | Trouble::TooMuch(reason) => provider.unavailable(reason),
                })?;
            provider.dimension = vectors.first().map_or(0, Vec::len);
        }
        Ok(provider)
    }

    /// How much it is sent at a time; what [`embed_all`](crate::embed_all) is to keep to.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    fn unavailable(&self, reason: impl Into<String>) -> EmbedError {
        EmbedError::Unavailable { provider: self.kind.title.to_owned(), reason: reason.into() }
    }

    fn wrong(&self, reason: impl Into<String>) -> EmbedError {
        EmbedError::InvalidResponse { provider: self.kind.title.to_owned(), reason: reason.into() }
    }

    /// Vectors of texts that may go in one request. Where that is too much, of each half.
    fn vectors(&self, texts: &[String], role: Role) -> Result<Vec<Vec<f32>>, EmbedError> {
        let reason = match self.patiently(texts, role, Patience::of(role, self.timeout)) {
            Ok(vectors) => return Ok(vectors),
            Err(Trouble::Lasting(error)) => return Err(error),
            Err(Trouble::Passing(reason, _)) => return Err(self.unavailable(reason)),
            Err(Trouble::TooMuch(reason)) => reason,
        };
        match texts {
            [] => Ok(Vec::new()),
            [text] if text.len() <= SHORTEST => Err(self.wrong(reason)),
            // The beginning says most of what a text is about.
            [text] => self.vectors(&[text[..text.floor_char_boundary(text.len() / 2)].to_owned()], role),
            texts => {
                let (first, second) = texts.split_at(texts.len() / 2);
                let mut vectors = self.vectors(first, role)?;
                vectors.extend(self.vectors(second, role)?);
                Ok(vectors)
            }
        }
    }

    /// One request, made again while that may help.
    fn patiently(&self, texts: &[String], role: Role, patience: Patience) -> Result<Vec<Vec<f32>>, Trouble> {
        let begun = self.world.now();
        let body = wire::request(self.kind, &self.model, texts, role, self.requested);
        let mut tries = 0;
        loop {
            self.gate.pass(self.world.as_ref());
            if self.world.is_stopped() {
                return Err(Trouble::Lasting(self.unavailable("stopped")));
            }
            tries += 1;
            let left = |world: &dyn World| patience.whole.saturating_sub(world.now().saturating_sub(begun));
            let timeout = patience.timeout.min(left(self.world.as_ref()));
            let (reason, named) = match self.once(&body, texts.len(), timeout) {
                Err(Trouble::Passing(reason, named)) => (reason, named),
                outcome => return outcome,
            };
            let wait = named.unwrap_or_else(|| retry::pause(tries, self.world.chance()));
            if wait > patience.longest {
                let reason = format!("{reason}; it asks to be left alone for {} s", wait.as_secs());
                return Err(Trouble::Lasting(self.unavailable(reason)));
            }
            if tries >= patience.tries || wait >= left(self.world.as_ref()) {
                let times = if tries > 1 { format!(" (tried {tries} times)") } else { String::new() };
                let reason = format!("{reason}{times}");
                return Err(Trouble::Lasting(self.unavailable(reason)));
            }
            if named.is_some() {
                self.gate.close(self.world.now() + wait);
            } else {
                self.world.sleep(wait);
            }
        }
    }

    fn once(&self, body: &[u8], texts: usize, timeout: Duration) -> Result<Vec<Vec<f32>>, Trouble> {
        let dimension = (self.dimension > 0).then_some(self.dimension);
        let limit = wire::largest_answer(texts, dimension);
        let reply = match self.http.post(body, timeout, limit) {
            Ok(reply) => reply,
            Err(Failure::Passing(reason)) => return Err(Trouble::Passing(self.hidden(&reason), None)),
            Err(Failure::Lasting(reason)) => return Err(Trouble::Lasting(self.wrong(self.hidden(&reason)))),
        };
        if reply.status == 200 {
            return wire::answer(self.kind.answer, &reply.body, texts, dimension)
                .map_err(|reason| Trouble::Lasting(self.wrong(self.hidden(&reason))));
        }
        let said = self.hidden(&wire::complaint(&reply.body));
        let said = if said.is_empty() { String::new() } else { format!(": {said}") };
        let status = reply.status;
        if retry::is_too_much(status, &said) {
            return Err(Trouble::TooMuch(format!("status {status}{said}")));
        }
        if retry::is_passing(status) {
            return Err(Trouble::Passing(format!("status {status}{said}"), reply.retry_after));
        }
        Err(Trouble::Lasting(self.unavailable(self.refusal(status, &said))))
    }

    fn refusal(&self, status: u16, said: &str) -> String {
        let variable = self.kind.key.variable;
        match (status, self.http.key()) {
            (300..=399, _) => {
                format!("status {status}: it wants to send us elsewhere, which is not followed")
            }
            (401 | 403, Some(key)) => {
                format!("status {status}: the key in {} is not accepted{said}", key.variable())
            }
            (401 | 403, None) => {
                format!(
                    "status {status}: it wants a key, from the variable {variable} after `orient embed allow`{said}"
                )
            }
            (404, _) => format!("status 404: no such address, or no model `{}` there{said}", self.model),
            _ => format!("status {status}{said}"),
        }
    }

    /// A text of others, in which the key might stand.
    fn hidden(&self, text: &str) -> String {
        self.http.key().map_or_else(|| text.to_owned(), |key| key.hidden_in(text))
    }
}

impl Embedder for Provider {
    fn model(&self) -> ModelId {
        let name = format!("{}/{}/{}", self.kind.name, self.model, self.dimension);
        ModelId { name: name.replace(char::is_whitespace, "_"), revision: REVISION }
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, texts: &[&str], role: Role) -> Result<Vec<TextEmbedding>, EmbedError> {
        let before = prompt(&self.model, role);
        // Blank texts mean nothing, and many providers refuse a whole request for one of them.
        let mut sums = vec![TextEmbedding::from_floats(&vec![0.0; self.dimension]); texts.len()];
        let told: Vec<usize> = (0..texts.len()).filter(|&place| !texts[place].trim().is_empty()).collect();
        let size = |place: &usize| before.len() + texts[*place].len();
        for places in batches(told, self.limits.texts, self.limits.bytes, size) {
            let batch: Vec<String> =
                places.iter().map(|&place| format!("{before}{}", texts[place])).collect();
            for (place, vector) in places.into_iter().zip(self.vectors(&batch, role)?) {
                sums[place] = TextEmbedding::from_floats(&vector);
            }
        }
        Ok(sums)
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("model", &self.model()).finish_non_exhaustive()
    }
}
