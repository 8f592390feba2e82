//! The `[resolve.library]` section of `rules.toml`: types outside of the repository and the results of their members.
//!
//! A key is a type with its parameters and bases, the value lists its members:
//!
//! ```toml
//! "List<E> : Collection<E>" = "get(): E, subList(): List<E>"
//! "Stream<T>" = "map(fn(T): R): Stream<R>, filter(fn(T)): Self, toList(): List<T>"
//! "" = "new(type T): T"
//! ```
//!
//! A member with parentheses is called, one without is read. `fn(A): R` is a function, `A[]` a list, `(A, B)` a tuple, `Self` the type of the
//! receiver, `_` any type. A single capital letter that is not a parameter of the type is one of the member; a call may
//! state those in `make<T>()`.

use orient_model::{LibraryExpr, LibraryMember, LibraryType};

/// Maximum nesting depth of types.
const DEPTH_CAP: usize = 16;

/// Reads one entry.
pub(super) fn library_type(header: &str, members: &str) -> Result<LibraryType, String> {
    let mut parser = Parser { rest: header, params: Vec::new(), depth: 0 };
    let mut ty = LibraryType::default();
    if !header.is_empty() {
        parser.word()?.clone_into(&mut ty.name);
        if parser.take("<") {
            parser.params = parser.names(">")?;
            ty.params = parser.params.len() as u32;
        }
        if parser.take(":") {
            ty.bases = parser.list("")?;
        }
        parser.end()?;
    }
    let params = parser.params;
    let mut rest = members;
    while !rest.trim().is_empty() {
        let mut parser = Parser { rest, params: params.clone(), depth: 0 };
        ty.members.push(parser.member()?);
        if !parser.take(",") {
            parser.end()?;
        }
        rest = parser.rest;
    }
    Ok(ty)
}

struct Parser<'s> {
    rest: &'s str,
    /// The type parameters known so far.
    params: Vec<String>,
    depth: usize,
}

impl<'s> Parser<'s> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(token) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) { Ok(()) } else { Err(format!("`{token}` expected before `{}`", self.rest)) }
    }

    fn end(&self) -> Result<(), String> {
        if self.rest.trim().is_empty() { Ok(()) } else { Err(format!("`{}` is not understood", self.rest)) }
    }

    /// A name; `[]` and names in brackets are those of arrays and of what syntax does with a value.
    fn word(&mut self) -> Result<&'s str, String> {
        let rest = self.rest.trim_start();
        let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '!' | '?'));
        let length = if rest.starts_with('[') {
            rest.find(']').map_or(0, |at| at + 1)
        } else {
            rest.find(ends).unwrap_or(rest.len())
        };
        if length == 0 {
            return Err(format!("a name expected before `{rest}`"));
        }
        self.rest = &rest[length..];
        Ok(&rest[..length])
    }

    fn names(&mut self, close: &str) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        loop {
            names.push(self.word()?.to_owned());
            if !self.take(",") {
                self.expect(close)?;
                return Ok(names);
            }
        }
    }

    /// Types separated by commas; with an empty `close`, up to the end.
    fn list(&mut self, close: &str) -> Result<Vec<LibraryExpr>, String> {
        let mut types = Vec::new();
        if !close.is_empty() && self.take(close) {
            return Ok(types);
        }
        loop {
            types.push(self.ty()?);
            if !self.take(",") {
                self.expect(close)?;
                return Ok(types);
            }
        }
    }

    fn member(&mut self) -> Result<LibraryMember, String> {
        let name = self.word()?.to_owned();
        let mut stated = Vec::new();
        if self.take("<") {
            for param in self.names(">")? {
                stated.push(self.params.len() as u32);
                self.params.push(param);
            }
        }
        let params = if self.take("(") { Some(self.list(")")?) } else { None };
        self.expect(":")?;
        Ok(LibraryMember { name, stated, params, result: self.ty()? })
    }

    fn ty(&mut self) -> Result<LibraryExpr, String> {
        self.depth += 1;
        if self.depth > DEPTH_CAP {
            return Err("types are nested too deeply".to_owned());
        }
        let mut ty = self.plain_type()?;
        while self.take("[]") {
            ty = LibraryExpr::List(Box::new(ty));
        }
        self.depth -= 1;
        Ok(ty)
    }

    fn plain_type(&mut self) -> Result<LibraryExpr, String> {
        if self.take("(") {
            return Ok(LibraryExpr::Tuple(self.list(")")?));
        }
        match self.word()? {
            "_" => Ok(LibraryExpr::Unknown),
            "Self" => Ok(LibraryExpr::Receiver),
            "type" => Ok(LibraryExpr::TypeArgument(Box::new(self.ty()?))),
            "fn" => {
                self.expect("(")?;
                let params = self.list(")")?;
                let result = if self.take(":") { self.ty()? } else { LibraryExpr::Unknown };
                Ok(LibraryExpr::Function(params, Box::new(result)))
            }
            name => Ok(self.named(name)?),
        }
    }

    fn named(&mut self, name: &str) -> Result<LibraryExpr, String> {
        if let Some(at) = self.params.iter().position(|param| param == name) {
            return Ok(LibraryExpr::Param(at as u32));
        }
        if name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase()) {
            self.params.push(name.to_owned());
            return Ok(LibraryExpr::Param(self.params.len() as u32 - 1));
        }
        let args = if self.take("<") { self.list(">")? } else { Vec::new() };
        Ok(LibraryExpr::Named(name.to_owned(), args))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, args: Vec<LibraryExpr>) -> LibraryExpr {
        LibraryExpr::Named(name.to_owned(), args)
    }

    #[test]
    fn headers_members_and_own_parameters_are_read() {
        let ty = library_type("Map<K, V> : Base<V>", "size: int, get(K): V, fold(fn(V): R): R[]").unwrap();
        assert_eq!((ty.name.as_str(), ty.params), ("Map", 2));
        assert_eq!(ty.bases, [named("Base", vec![LibraryExpr::Param(1)])]);
        assert_eq!(ty.members[0].params, None);
        assert_eq!(ty.members[1].params, Some(vec![LibraryExpr::Param(0)]));
        assert_eq!(ty.members[2].result, LibraryExpr::List(Box::new(LibraryExpr::Param(2))));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert!(library_type("Map<K", "").unwrap_err().contains('>'));
        assert!(library_type("Map", "get()").unwrap_err().contains(':'));
        assert!(library_type("Map", "get(): V; more").unwrap_err().contains("; more"));
    }
}
