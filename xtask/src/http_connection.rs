//! A minimal HTTP client: one persistent connection, one request at a time.

use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Timeout: the machine may be busy, and a first index takes a while.
const PATIENCE: Duration = Duration::from_mins(2);

/// A connection to a server.
pub(crate) struct HttpConnection {
    stream: BufReader<TcpStream>,
    host: String,
}

/// The response to a request.
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The headers, with names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// The value of a header, whose name is given in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl HttpConnection {
    /// Connects to the server of an address; returns the path of the address too.
    pub(crate) fn open(url: &str) -> Result<(Self, String)> {
        let rest = url.strip_prefix("http://").context("the address must begin with http://")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let stream = TcpStream::connect(host).with_context(|| format!("connecting to {host}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok((Self { stream: BufReader::new(stream), host: host.to_owned() }, format!("/{path}")))
    }

    /// Sends JSON.
    pub(crate) fn post<'h>(
        &mut self,
        path: &str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: &str,
    ) -> Result<Reply> {
        self.send("POST", path, headers, body)
    }

    /// Fetches a resource.
    pub(crate) fn get<'h>(
        &mut self,
        path: &str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
    ) -> Result<Reply> {
        self.send("GET", path, headers, "")
    }

    fn send<'h>(
        &mut self,
        method: &str,
        path: &str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: &str,
    ) -> Result<Reply> {
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.host,
            body.len()
        );
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n")?;
        }
        request.push_str("\r\n");
        request.push_str(body);
        self.stream.get_mut().write_all(request.as_bytes())?;
        self.reply()
    }

    fn reply(&mut self) -> Result<Reply> {
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok());
        let mut reply = Reply { status: status.context("no status")?, headers: Vec::new(), body: Vec::new() };
        while let Some((name, value)) = self.line()?.split_once(':') {
            reply.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        if reply.header("transfer-encoding").is_none_or(|coding| !coding.eq_ignore_ascii_case("chunked")) {
            let length = reply.header("content-length").unwrap_or("0").parse();
            self.read(length.context("the length is a number")?, &mut reply.body)?;
            return Ok(reply);
        }
        loop {
            let size = usize::from_str_radix(&self.line()?, 16).context("a chunk has a size")?;
            self.read(size, &mut reply.body)?;
            self.line()?;
            if size == 0 {
                return Ok(reply);
            }
        }
    }

    fn read(&mut self, length: usize, body: &mut Vec<u8>) -> Result<()> {
        let from = body.len();
        body.resize(from + length, 0);
        Ok(self.stream.read_exact(&mut body[from..])?)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            bail!("the connection was closed");
        }
        Ok(line.trim_end().to_owned())
    }
}
