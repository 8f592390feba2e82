//! Guided tasks as a real process: the flow, ways to cheat, and the write guard with the hook protocols of clients and git.

mod cheats;
mod flow;
mod guard;
mod shop;
