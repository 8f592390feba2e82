//! Guided tasks: an agent must have been served the code it wants to change before it may write.
//!
//! A [`Task`] is a state machine. Events go in (a frame, an understanding, hypotheses, a write); state, and what is still
//! missing, come out. It judges them against a [`Record`] of what was actually served to the client: a claim of the agent is
//! never evidence. Everything else a rule needs (edges, similarity of texts, the diff) is passed in.
//!
//! Pure: no files, no SQL, no clock, no environment.

mod agreement;
mod consistency;
mod diff_review;
mod exploration;
mod frame;
mod guard;
mod insights;
mod intent;
mod markup;
mod plan;
mod record;
mod relevance;
mod risk;
mod semantic;
mod state_text;
mod task;

pub use agreement::{AGREED_FROM, Agreement, AgreementError, MAX_AGREEMENT_BYTES};
pub use consistency::{Inconsistency, check_consistency};
pub use diff_review::{ChangedFile, Finding, FindingKind, NewSymbol, ReviewInput, review};
pub use exploration::{Counts, Gap, Requirements, gaps};
pub use frame::{Certainty, Frame, FrameSlot, SlotError, SlotValue, check_slot};
pub use guard::{DependentUse, Refusal, WriteTarget, check_write};
pub use insights::{FinishedTask, Insights, Rate, insights};
pub use intent::{Intent, Phase};
pub use markup::{is_markup, is_markup_context};
pub use plan::{PlanSubject, PlanTool, Step, needs_bootstrap, plan_steps, tools_for};
pub use record::{FileView, Location, Record, ServedCall, SymbolView};
pub use relevance::{APPROVE_FROM, REFUSE_BELOW, Tier, relevance, shared_words};
pub use risk::{Impact, MANY_CALLERS, Risk, assess_risk, raised};
pub use semantic::{SemanticReason, reason_is_allowed};
pub use state_text::StateError;
pub use task::{
    Advice, CHANGE_APPROACH_AFTER, Decision, ESCALATE_AFTER, FrameSymbol, Hypothesis, Outcome, Problem,
    Status, Task, Understanding, Verdict,
};
