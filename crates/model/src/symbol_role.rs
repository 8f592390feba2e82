//! What symbols are for in a program.

use crate::{SurfaceKind, SurfaceRole};

words! {
    /// What a symbol is for. A symbol may have several roles.
    SymbolRole {
        /// Where the program is entered: a main function, a command, a job.
        EntryPoint = 0, "entry_point";
        /// Registers routes, or holds those that are registered.
        Router = 1, "router";
        /// A type whose members handle requests.
        Controller = 2, "controller";
        /// Handles requests, procedures, messages or events.
        Handler = 3, "handler";
        /// Runs around handlers.
        Middleware = 4, "middleware";
        /// Provided to others by a container, or called one.
        Service = 5, "service";
        /// Reads and writes stored data for others.
        Repository = 6, "repository";
        /// A model of stored data.
        Model = 7, "model";
        /// A part of a user interface.
        Component = 8, "component";
        /// Sends requests to other programs.
        Client = 9, "client";
    }
}

impl SymbolRole {
    /// The role of what does this with an entry of the surface.
    pub fn of_entry(kind: SurfaceKind, role: SurfaceRole) -> Option<Self> {
        use SurfaceKind as Kind;
        use SurfaceRole as Role;
        match (kind, role) {
            (Kind::Command | Kind::Job, Role::Handles) => Some(Self::EntryPoint),
            (
                Kind::Endpoint | Kind::Rpc | Kind::Field | Kind::Tool | Kind::Topic | Kind::Event,
                Role::Handles | Role::Consumes,
            ) => Some(Self::Handler),
            (Kind::Service, Role::Defines) => Some(Self::Service),
            (Kind::Component, Role::Defines) => Some(Self::Component),
            (Kind::Table, Role::Defines) => Some(Self::Model),
            (Kind::Request | Kind::Rpc, Role::Calls) => Some(Self::Client),
            _ => None,
        }
    }

    /// The role that the name of a type says, by convention: `OrderService`.
    pub fn of_type_name(name: &str) -> Option<Self> {
        const ENDINGS: &[(&str, SymbolRole)] = &[
            ("Controller", SymbolRole::Controller),
            ("Middleware", SymbolRole::Middleware),
            ("Interceptor", SymbolRole::Middleware),
            ("Service", SymbolRole::Service),
            ("Repository", SymbolRole::Repository),
            ("Dao", SymbolRole::Repository),
            ("DAO", SymbolRole::Repository),
        ];
        let found = ENDINGS.iter().find(|(ending, _)| name.len() > ending.len() && name.ends_with(ending));
        found.map(|(_, role)| *role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_type_says_its_role_by_its_ending() {
        assert_eq!(SymbolRole::of_type_name("OrderService"), Some(SymbolRole::Service));
        assert_eq!(SymbolRole::of_type_name("UserDao"), Some(SymbolRole::Repository));
        assert_eq!(SymbolRole::of_type_name("Service"), None, "a name needs more than its ending");
        assert_eq!(SymbolRole::of_type_name("ServiceError"), None);
    }
}
