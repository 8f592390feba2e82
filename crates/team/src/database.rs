//! Connections to PostgreSQL: a bounded pool, and limits on the time of connecting, waiting and every statement.

use crate::connection::Connection;
use crate::error::TeamError;
use crate::postgres_tls::{PostgresTls, TlsParameters};
use postgres::config::SslMode;
use postgres::{Config, IsolationLevel, NoTls, Transaction};
use std::str::FromStr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long to wait for a new connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait for another caller's connection before the server counts as overloaded.
const POOL_WAIT: Duration = Duration::from_secs(5);
/// A connection that was idle for longer is tested before it is used: the server may have restarted.
const TRUSTED_IDLE: Duration = Duration::from_millis(500);
/// Maximum time of the test.
const TEST_TIMEOUT: Duration = Duration::from_secs(2);

/// Limits of the connections.
#[derive(Clone, Copy, Debug)]
pub struct DatabaseLimits {
    /// Maximum number of connections.
    pub connections: usize,
    /// Maximum time of a statement.
    pub statement: Duration,
}

impl DatabaseLimits {
    /// For questions: a slow one fails.
    pub const QUESTIONS: Self = Self { connections: 16, statement: Duration::from_secs(10) };
    /// For workers and administration.
    pub const WORK: Self = Self { connections: 4, statement: Duration::from_mins(5) };
}

/// A pool of connections. Connects when one is needed.
pub struct Database {
    config: Config,
    tls: Option<PostgresTls>,
    most: usize,
    pool: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Default)]
struct Pool {
    idle: Vec<(Connection, Instant)>,
    lent: usize,
}

impl Database {
    /// A pool for a database, given as a URL, or as `host=… dbname=…` without TLS. Nothing is connected yet.
    pub fn new(address: &str, limits: DatabaseLimits) -> Result<Self, TeamError> {
        let (tls, address) = TlsParameters::take(address)?;
        let tls = tls.connector()?;
        let mut config = Config::from_str(&address).map_err(|error| {
            TeamError::usage(
                format!("the address of the database is not valid: {error}"),
                "for example postgres://orient@localhost/orient, with the password in PGPASSWORD",
            )
        })?;
        if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        let milliseconds = limits.statement.as_millis();
        let given = config.get_options().unwrap_or_default().to_owned();
        config.options(&format!(
            "-c statement_timeout={milliseconds} -c idle_in_transaction_session_timeout={milliseconds} \
             -c search_path=orient,public {given}"
        ));
        if tls.is_some() {
            config.ssl_mode(SslMode::Require);
        }
        config.application_name("orient").connect_timeout(CONNECT_TIMEOUT).keepalives(true);
        Ok(Self {
            config,
            tls,
            most: limits.connections.max(1),
            pool: Mutex::default(),
            returned: Condvar::new(),
        })
    }

    /// Runs statements on a connection.
    pub(crate) fn with<T>(
        &self,
        act: impl FnOnce(&mut Connection) -> Result<T, TeamError>,
    ) -> Result<T, TeamError> {
        let mut client = self.take()?;
        let done = act(&mut client);
        let keep = !client.is_closed() && !matches!(done, Err(TeamError::Unreachable(_)));
        let mut pool = self.lock();
        pool.lent -= 1;
        if keep {
            pool.idle.push((client, Instant::now()));
        }
        self.returned.notify_one();
        done
    }

    /// Runs statements that read one state of the database.
    pub(crate) fn read<T>(
        &self,
        act: impl FnOnce(&mut Transaction<'_>) -> Result<T, TeamError>,
    ) -> Result<T, TeamError> {
        self.with(|client| {
            let start = client.build_transaction().read_only(true);
            let mut transaction = start.isolation_level(IsolationLevel::RepeatableRead).start()?;
            let done = act(&mut transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Runs statements that take effect together or, after an error, not at all.
    pub(crate) fn write<T>(
        &self,
        act: impl FnOnce(&mut Transaction<'_>) -> Result<T, TeamError>,
    ) -> Result<T, TeamError> {
        self.with(|client| {
            let mut transaction = client.transaction()?;
            let done = act(&mut transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Number of connections: those in use, and all.
    pub(crate) fn connections(&self) -> (usize, usize) {
        let pool = self.lock();
        (pool.lent, pool.lent + pool.idle.len())
    }

    fn take(&self) -> Result<Connection, TeamError> {
        let until = Instant::now() + POOL_WAIT;
        let mut pool = self.lock();
        while pool.lent >= self.most {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TeamError::Overloaded);
            }
            pool = self.returned.wait_timeout(pool, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        pool.lent += 1;
        let mut idle = pool.idle.pop();
        drop(pool);
        let lent = LentConnection { database: self, is_used: false };
        while let Some((mut client, since)) = idle {
            let is_tested = since.elapsed() <= TRUSTED_IDLE || client.is_valid(TEST_TIMEOUT);
            if is_tested && !client.is_closed() {
                return Ok(lent.keep(client));
            }
            idle = self.lock().idle.pop();
        }
        let client = match &self.tls {
            Some(tls) => self.config.connect(tls.clone())?,
            None => self.config.connect(NoTls)?,
        };
        Ok(lent.keep(Connection::new(client)))
    }

    fn lock(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the pool, which is given back if no connection is made.
struct LentConnection<'d> {
    database: &'d Database,
    is_used: bool,
}

impl LentConnection<'_> {
    fn keep(mut self, connection: Connection) -> Connection {
        self.is_used = true;
        connection
    }
}

impl Drop for LentConnection<'_> {
    fn drop(&mut self) {
        if !self.is_used {
            self.database.lock().lent -= 1;
            self.database.returned.notify_one();
        }
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("most", &self.most).finish_non_exhaustive()
    }
}
