//! Decides what a raw query may do: read the views and call harmless functions. Everything else is refused.

use super::view_docs::VIEWS;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, Result};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Functions that raw queries may call: they only compute.
const FUNCTIONS: &[&str] = &[
    // Text and numbers
    "abs",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "format",
    "glob",
    "hex",
    "ifnull",
    "iif",
    "if",
    "instr",
    "length",
    "like",
    "lower",
    "ltrim",
    "max",
    "min",
    "nullif",
    "octet_length",
    "printf",
    "quote",
    "replace",
    "round",
    "rtrim",
    "sign",
    "substr",
    "substring",
    "trim",
    "typeof",
    "unicode",
    "unhex",
    "upper",
    "likely",
    "unlikely",
    "likelihood",
    "regexp",
    // Aggregates and windows
    "avg",
    "count",
    "group_concat",
    "string_agg",
    "sum",
    "total",
    "row_number",
    "rank",
    "dense_rank",
    "percent_rank",
    "cume_dist",
    "ntile",
    "lag",
    "lead",
    "first_value",
    "last_value",
    "nth_value",
    // Ours, which the views call
    "path_text",
    "path_directory",
    "role_word",
    "kind_word",
    "visibility_word",
    "modifier_words",
    "symbol_field",
];

/// What a statement asked for while it was prepared.
#[derive(Clone)]
pub(super) struct Requests(Arc<Mutex<Requested>>);

struct Requested {
    /// The tables of the index and of SQLite, in lower case.
    tables: BTreeSet<String>,
    views: BTreeSet<&'static str>,
    refused: Option<String>,
}

impl Requests {
    /// Nothing was asked for yet. Call it before the authorizer is in force.
    pub(super) fn new(db: &Connection) -> Result<Self> {
        let mut tables = db.prepare(
            "SELECT lower(name) FROM main.sqlite_schema UNION SELECT lower(name) FROM temp.sqlite_schema \
             WHERE type = 'table' UNION SELECT lower(name) FROM pragma_module_list",
        )?;
        let tables = tables.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
        Ok(Self(Arc::new(Mutex::new(Requested { tables, views: BTreeSet::new(), refused: None }))))
    }

    /// Whether the statement reads a view.
    pub(super) fn reads(&self, view: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).views.contains(view)
    }

    /// The first thing that was refused.
    pub(super) fn refused(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).refused.clone()
    }

    /// Allows or refuses an action.
    pub(super) fn decide(&self, context: &AuthContext<'_>) -> Authorization {
        let view =
            |name: &str| VIEWS.iter().map(|view| view.name).find(|known| known.eq_ignore_ascii_case(name));
        let mut requested = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = match context.action {
            AuthAction::Select | AuthAction::Recursive => return Authorization::Allow,
            AuthAction::Read { table_name, column_name } => {
                if let Some(known) = view(table_name) {
                    requested.views.insert(known);
                    return Authorization::Allow;
                }
                // The views read the tables below them.
                if let Some(known) = context.accessor.and_then(view) {
                    requested.views.insert(known);
                    return Authorization::Allow;
                }
                // SQLite reports a common table expression of which no column is read by its name alone.
                let name = table_name.to_ascii_lowercase();
                let is_internal = name.starts_with("pragma_") || name.starts_with("sqlite_");
                if column_name.is_empty()
                    && context.database_name.is_none()
                    && !is_internal
                    && !requested.tables.contains(&name)
                {
                    return Authorization::Allow;
                }
                format!("`{table_name}` is not a view of the index")
            }
            AuthAction::Function { function_name } => {
                if FUNCTIONS.contains(&function_name.to_ascii_lowercase().as_str()) {
                    return Authorization::Allow;
                }
                format!("the function `{function_name}` is not available")
            }
            AuthAction::Pragma { pragma_name, .. } => format!("the pragma `{pragma_name}` is not available"),
            _ => "only queries that read are possible".to_owned(),
        };
        requested.refused.get_or_insert(refused);
        Authorization::Deny
    }
}
