//! Requests: which endpoint a request with a literal or templated URL reaches.

/// Whether a request, as `METHOD URL`, reaches an endpoint with this method and full path. Parts of the URL that are computed
/// match anything; a URL that begins with such a part may reach an endpoint below any prefix, if two parts of its path agree.
pub fn reaches(request: &str, method: &str, path: &str) -> bool {
    let Some((verb, url)) = request.split_once(' ') else { return false };
    if verb != method && method != "ANY" {
        return false;
    }
    let (open, rest) = without_host(url);
    let wanted = parts(rest);
    let served = parts(path);
    let fits = |(a, b): (&&str, &&str)| a == b || is_parameter(b) || is_parameter(a);
    if wanted.len() == served.len() {
        let agreeing = wanted.iter().zip(&served).filter(|(a, b)| a == b).count();
        return wanted.iter().zip(&served).all(fits) && (agreeing > 0 || served.is_empty());
    }
    let Some(skipped) = served.len().checked_sub(wanted.len()).filter(|_| open) else { return false };
    let tail = &served[skipped..];
    let agreeing = wanted.iter().zip(tail).filter(|(a, b)| a == b).count();
    agreeing >= 2 && wanted.iter().zip(tail).all(fits)
}

/// Whether a request that reaches an endpoint is known to: neither address has a part that is computed and stands for a literal part of the
/// other, or for an unknown number of parts.
pub fn reaches_surely(request: &str, path: &str) -> bool {
    let url = request.split_once(' ').map_or(request, |(_, url)| url);
    let (open, rest) = without_host(url);
    let (wanted, served) = (parts(rest), parts(path));
    let is_known = |(a, b): (&&str, &&str)| a == b || is_route_parameter(b);
    !open
        && wanted.len() == served.len()
        && !is_partly_unknown(path)
        && wanted.iter().zip(&served).all(is_known)
}

/// Whether the path of an endpoint has a part that is not a parameter and not known: `{?}`, `${PREFIX}`, `#{base}`.
pub fn is_partly_unknown(path: &str) -> bool {
    ["{?}", "${", "#{", "%s"].iter().any(|unknown| path.contains(unknown))
}

/// Whether a part of the path of an endpoint stands for what a request puts there.
fn is_route_parameter(part: &str) -> bool {
    is_parameter(part) && !is_partly_unknown(part)
}

/// Whether a description, as `METHOD PATH`, is about an endpoint with this method and full path. One of the two may have a prefix that
/// the other leaves out, such as that of the server.
pub fn describes(description: &str, method: &str, path: &str) -> bool {
    let Some((verb, described)) = description.split_once(' ') else { return false };
    if verb != method && method != "ANY" {
        return false;
    }
    let (described, served) = (parts(described), parts(path));
    let (short, long) =
        if described.len() <= served.len() { (&described, &served) } else { (&served, &described) };
    let tail = &long[long.len() - short.len()..];
    let agreeing = short.iter().zip(tail).filter(|(a, b)| a == b).count();
    let fits = |(a, b): (&&str, &&str)| a == b || is_parameter(a) && is_parameter(b);
    short.iter().zip(tail).all(fits) && (agreeing > 0 || long.is_empty())
}

/// The parts of a path, or of the path of a request as `METHOD URL`, that are no parameters.
pub fn literal_parts(text: &str) -> Vec<&str> {
    let url = text.split_once(' ').map_or(text, |(_, url)| url);
    parts(without_host(url).1).into_iter().filter(|part| !is_parameter(part)).collect()
}

/// The path of a URL without scheme, host and query; and whether it begins with something computed.
fn without_host(url: &str) -> (bool, &str) {
    let url = without_query(url);
    let (open, rest) = match url.split_once("://") {
        Some((_, rest)) => (false, rest.split_once('/').map_or("", |(_, path)| path)),
        None if url.starts_with('/') => (false, url),
        None => (true, url.split_once('/').map_or("", |(_, path)| path)),
    };
    (open, rest)
}

/// A URL up to its query or fragment. Computed parts stand in braces, and may contain anything: `{?}`, `${options?.base}`.
fn without_query(url: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in url.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '?' | '#' if depth == 0 => return &url[..at],
            _ => {}
        }
    }
    url
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// Whether a part of a path stands for any text: `:id`, `{id}`, `<int:id>`, `[id]`, `*`, `${id}`, `%s`.
fn is_parameter(part: &str) -> bool {
    part.starts_with([':', '*', '<', '[']) || part.contains('{') || part.contains('%') || part.contains('$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reaches_the_endpoint_whose_path_it_fits() {
        assert!(reaches("GET /api/users/${id}", "GET", "/api/users/:id"));
        assert!(reaches("GET http://host:80/api/users/1?x=2", "GET", "/api/users/{id}"));
        assert!(reaches("POST /api/users", "ANY", "/api/users/"));
        assert!(!reaches("POST /api/users", "GET", "/api/users"));
        assert!(!reaches("GET /api/orders/1", "GET", "/api/users/:id"));
        assert!(!reaches("GET /health", "GET", "/:page"), "nothing agrees");
    }

    #[test]
    fn what_is_computed_in_either_address_is_not_known() {
        assert!(reaches_surely("GET /api/users/${id}", "/api/users/:id"));
        assert!(reaches_surely("GET http://host/api/users/1", "/api/users/{id}"));
        assert!(!reaches_surely("GET ${BASE}/users/list", "/users/list"), "the base may have a path");
        assert!(!reaches_surely("GET /api/${kind}", "/api/users"), "another kind is another endpoint");
        assert!(!reaches_surely("GET /api/users", "/{?}/users"));
        assert!(is_partly_unknown("/${PREFIX}/users") && !is_partly_unknown("/users/{id}"));
    }

    #[test]
    fn a_description_may_leave_out_a_prefix() {
        assert!(describes("GET /pets/{id}", "GET", "/pets/:id"));
        assert!(describes("GET /pets/{id}", "GET", "/api/v1/pets/<int:pk>"));
        assert!(describes("GET /v1/pets", "ANY", "/pets"));
        assert!(!describes("GET /pets/{id}", "GET", "/pets/new"), "a parameter is no other name");
        assert!(!describes("GET /{id}", "GET", "/pets/:id"), "nothing agrees");
        assert!(!describes("POST /pets", "GET", "/pets"));
    }

    #[test]
    fn a_base_that_is_computed_may_be_any_prefix() {
        assert!(reaches("GET ${BASE}/users/list", "GET", "/api/v1/users/list"));
        assert!(reaches("GET {}/users/{}", "GET", "/users/<int:id>"));
        assert!(!reaches("GET ${BASE}/users", "GET", "/api/users"), "one part is too little");
        assert!(reaches("POST {?}/scans", "POST", "/scans"), "a computed part is no query");
        assert!(reaches("GET ${options?.base}/scans?day=1", "GET", "/scans"));
    }
}
