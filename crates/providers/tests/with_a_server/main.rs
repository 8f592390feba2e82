//! Providers over a real connection to a server of our own: what they are sent, what is made of their answers, and how
//! their faults end.

mod all;
mod consent;
mod faults;
mod questions;
mod server;
mod speech;
