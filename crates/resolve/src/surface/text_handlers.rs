//! Handlers that texts name: `posts#index`, `UserController@show`.

use super::arguments;
use super::handlers::Handler;
use super::lexical::{Controller, LexicalContext};
use super::routes::RegistrationCall;
use crate::invalidation::lookups::Reach;
use crate::types::ty::SymbolId;
use orient_model::{Argument, Expr, ExprId, RouteRule};

/// Maximum number of types of one name that are looked at.
const MAX_NAMESAKES: usize = 64;

impl RegistrationCall<'_, '_, '_> {
    /// The handler that a text names, below the module and type of the groups around it.
    pub(super) fn named_handler(&self, text: &str, context: &LexicalContext) -> Handler {
        let Some(rule) = &self.extraction.frameworks[self.framework].text_handlers else {
            return Handler { symbol: None, text: text.to_owned() };
        };
        match text.rsplit_once(rule.separator.as_str()) {
            Some((controller, action)) => {
                // A type with a leading slash is named from the top.
                let absolute = controller.strip_prefix('/');
                let full = absolute.map_or_else(|| format!("{}{controller}", context.module), str::to_owned);
                self.handler_of_action(&full, action)
            }
            None => match &context.controller {
                Some(Controller::Type(ty)) => Handler {
                    symbol: Some(self.extraction.member_of(*ty, text).unwrap_or(*ty)),
                    text: String::new(),
                },
                Some(Controller::Named(controller)) => {
                    self.handler_of_action(&format!("{}{controller}", context.module), text)
                }
                None => Handler { symbol: None, text: text.to_owned() },
            },
        }
    }

    /// The member of a type that a text names; the type, if the member is not written.
    pub(super) fn handler_of_action(&self, controller: &str, action: &str) -> Handler {
        let rule = self.extraction.frameworks[self.framework].text_handlers.as_ref();
        let separator = rule.map_or("#", |rule| rule.separator.as_str());
        match self.controller_type(controller) {
            Some(ty) => Handler {
                symbol: Some(self.extraction.member_of(ty, action).unwrap_or(ty)),
                text: String::new(),
            },
            None => Handler { symbol: None, text: format!("{controller}{separator}{action}") },
        }
    }

    /// The type of this name: `Admin::PostsController` for `admin/posts`.
    fn controller_type(&self, controller: &str) -> Option<SymbolId> {
        let extraction = self.extraction;
        let rule = extraction.frameworks[self.framework].text_handlers.as_ref()?;
        let names: Vec<String> = match &rule.type_suffix {
            Some(suffix) => {
                let mut names: Vec<String> = controller.split('/').map(in_camel_case).collect();
                names.last_mut()?.push_str(suffix);
                names
            }
            None => controller.split(['\\', '/', '.']).map(str::to_owned).collect(),
        };
        let (own, around) = names.split_last()?;
        let namesakes = extraction.session.symbols_within(&extraction.unit.rules, own, Reach::Types);
        let types = namesakes.iter().filter(|one| one.kind.is_type()).take(MAX_NAMESAKES);
        let mut best: Option<(usize, SymbolId)> = None;
        for one in types {
            let Some(unit) = extraction.session.unit_of(one.sym) else { continue };
            let Some(full) = unit.full_name(one.sym.at) else { continue };
            let parts: Vec<&str> = full.split('.').collect();
            let fits = around.iter().rev().zip(parts.iter().rev().skip(1)).filter(|(a, b)| a == b).count();
            if fits == around.len() && best.is_none_or(|(extra, _)| parts.len() < extra) {
                best = Some((parts.len(), one.sym));
            }
        }
        best.map(|(_, sym)| sym)
    }

    /// The path and the handler that an entry gives: `"/x" => "pages#x"`.
    pub(super) fn pair(&self, args: &[ExprId]) -> Option<(String, ExprId)> {
        let unit = self.extraction.unit;
        let separator = &self.extraction.frameworks[self.framework].text_handlers.as_ref()?.separator;
        args.iter().find_map(|&arg| {
            let Expr::Named { name, value } = unit.expr(arg) else { return None };
            let key = unit.text(name);
            let is_handler = match unit.expr(value) {
                Expr::Text(text) => unit.text(text).contains(separator.as_str()),
                Expr::Call { .. } => key.contains('/'),
                _ => false,
            };
            (is_handler && key != "to").then(|| (key.to_owned(), value))
        })
    }

    /// The text of a handler that no argument gives: by the names of type and member, or by the path.
    pub(super) fn conventional_text(
        &self,
        args: &[ExprId],
        path: &str,
        context: &LexicalContext,
    ) -> Option<String> {
        let extraction = self.extraction;
        let rule = extraction.frameworks[self.framework].text_handlers.as_ref()?;
        let text = |wanted: &[Argument]| {
            let arg = arguments::find(extraction.unit, args, wanted)?;
            extraction.session.constant_text(&self.site(), arg)
        };
        let own = path.trim_matches('/');
        let action = text(&rule.action);
        if let Some(controller) = text(&rule.controller) {
            let action = action.unwrap_or_else(|| own.rsplit('/').next().unwrap_or(own).to_owned());
            return Some(format!("{controller}{}{action}", rule.separator));
        }
        if context.controller.is_some() {
            let last = own.rsplit('/').next().unwrap_or(own).replace('-', "_");
            return Some(action.unwrap_or(last));
        }
        let (controller, action) = own.rsplit_once('/')?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '-');
        own.chars()
            .all(is_name)
            .then(|| format!("{controller}{}{}", rule.separator, action.replace('-', "_")))
    }

    /// The part of the resource around a route that it is about, if it says so.
    pub(super) fn said_part(&self, rule: &RouteRule, args: &[ExprId]) -> Option<orient_model::ResourcePart> {
        let arg = arguments::find(self.extraction.unit, args, &rule.on)?;
        match self.extraction.session.constant_text(&self.site(), arg)?.as_str() {
            "collection" => Some(orient_model::ResourcePart::Collection),
            "member" => Some(orient_model::ResourcePart::Member),
            _ => None,
        }
    }
}

/// `BlogPosts` for `blog_posts`.
fn in_camel_case(text: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        first + letters.as_str()
    };
    text.split(['_', '-']).map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_underscores_are_names_of_types() {
        assert_eq!(in_camel_case("blog_posts"), "BlogPosts");
        assert_eq!(in_camel_case("OAuth"), "OAuth");
    }
}
