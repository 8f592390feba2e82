//! Compound filters of `symbols`, and the card of a symbol.

use crate::support::Tree;
use orient_tools::Exit;
use serde_json::{Value, json};

const HANDLERS: &str = "\
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Shop
{
    public interface IQueryHandler<TQuery, TResult> { Task<TResult> Handle(TQuery query); }

    /// <summary>Lists orders.</summary>
    [ServiceProvider]
    public class ListOrders : IQueryHandler<OrdersQuery, IEnumerable<Order>>
    {
        /// <summary>Runs the query.</summary>
        public async Task<IEnumerable<Order>> Handle(OrdersQuery query)
        {
            await Check(query, 1);
            return Load();
        }

        public IEnumerable<Order> Load() { return new List<Order>(); }

        private async Task Check(OrdersQuery query, int depth)
        {
            await Task.Delay(depth);
        }
    }

    public class ListUsers : IQueryHandler<UsersQuery, User>
    {
        public async Task<User> Handle(UsersQuery query) { throw new NotImplementedException(); }
    }

    [ServiceProvider]
    public class Clock
    {
        public async Task Tick() { await Task.Delay(1); }
        public static int Now() { return 1; }
        public int Next(int now) { if (now > 0) { return now; } return 1; }
    }

    [ServiceProvider]
    public partial class FindOrder { }
}
";

const PART: &str = "\
using System.Threading.Tasks;

namespace Shop
{
    public partial class FindOrder : IQueryHandler<OrderQuery, Order>
    {
        public async Task<Order> Handle(OrderQuery query) { return await Store.Find(query); }
    }
}
";

const CHECKS: &str = "\
using Xunit;

namespace Shop.Tests
{
    public class ListOrdersTests
    {
        [Fact]
        public async Task Lists() { await new ListOrders().Handle(new OrdersQuery()); }
    }
}
";

fn tree() -> Tree {
    Tree::with(&[
        ("src/Handlers.cs", HANDLERS.as_bytes()),
        ("src/FindOrder.Part.cs", PART.as_bytes()),
        ("tests/ListOrdersTests.cs", CHECKS.as_bytes()),
    ])
}

/// The qualified names of the symbols that pass, without namespaces.
fn symbols(tree: &Tree, arguments: Value) -> Vec<String> {
    let (_, answer, _) = tree.ask("symbols", arguments).expect("an answer");
    let symbols = answer["data"]["symbols"].as_array().expect("a list");
    let name = |symbol: &Value| {
        let names: Vec<&str> = symbol["qualified"].as_str().expect("a name").split('.').collect();
        names[names.len().saturating_sub(2)..].join(".")
    };
    symbols.iter().map(name).collect()
}

#[test]
fn public_async_methods_in_classes_that_implement_an_interface_and_have_an_attribute() {
    let found = symbols(
        &tree(),
        json!({
            "kind": "method", "visibility": "public", "modifier": "async",
            "container_base": "IQueryHandler", "container_attr": "ServiceProvider",
        }),
    );
    // `FindOrder` has the attribute on one part and the base on the other.
    assert_eq!(found, ["FindOrder.Handle", "ListOrders.Handle"]);
}

#[test]
fn methods_returning_a_type_through_wrappers() {
    let found = symbols(&tree(), json!({ "kind": "method", "returns": "IEnumerable" }));
    assert_eq!(found, ["ListOrders.Handle", "ListOrders.Load"]);
    assert_eq!(symbols(&tree(), json!({ "returns": "User", "kind": "method" })), ["ListUsers.Handle"]);
}

#[test]
fn each_filter_narrows() {
    let tree = tree();
    let only = |arguments: Value| {
        let mut all = json!({ "kind": "method", "in": "src/Handlers.cs" });
        all.as_object_mut().expect("an object").extend(arguments.as_object().expect("an object").clone());
        symbols(&tree, all)
    };
    assert_eq!(only(json!({ "visibility": "private" })), ["ListOrders.Check"]);
    assert_eq!(only(json!({ "modifier": "static" })), ["Clock.Now"]);
    assert_eq!(only(json!({ "modifier": "!async", "parent": "ListOrders" })), ["ListOrders.Load"]);
    assert_eq!(only(json!({ "param_type": ["OrdersQuery", "int"] })), ["ListOrders.Check"]);
    assert_eq!(only(json!({ "documented": true })), ["ListOrders.Handle"]);
    assert_eq!(
        only(json!({ "undocumented": true, "parent": "ListOrders" })),
        ["ListOrders.Load", "ListOrders.Check"]
    );
    assert_eq!(only(json!({ "min_params": 2 })), ["ListOrders.Check"]);
    assert_eq!(only(json!({ "min_lines": 5 })), ["ListOrders.Handle"]);
    assert_eq!(only(json!({ "stub": true })), ["ListUsers.Handle"]);
    assert_eq!(only(json!({ "min_callees": 2 })), ["ListOrders.Handle"]);
    assert_eq!(
        only(json!({ "max_callers": 0, "parent": "Clock" })),
        ["Clock.Tick", "Clock.Now", "Clock.Next"]
    );
    assert_eq!(only(json!({ "min_complexity": 2 })), ["Clock.Next"]);
    assert_eq!(only(json!({ "min_cognitive": 1, "max_nesting": 1 })), ["Clock.Next"]);
    assert_eq!(only(json!({ "sort": "complexity" }))[0], "Clock.Next");
    let longest = only(json!({ "sort": "lines" }));
    assert_eq!(longest[..2], ["ListOrders.Handle", "ListOrders.Check"]);
    let error = tree.ask("symbols", json!({ "modifier": "asynk" })).expect_err("no such modifier");
    assert_eq!(error.help(), "did you mean `async`?");
}

#[test]
fn a_card_has_flags_and_counts() {
    let (text, answer, exit) =
        tree().ask("symbol", json!({ "symbol": "ListOrders.Handle" })).expect("an answer");
    assert_eq!(exit, Exit::Ok);
    let card = &answer["data"];
    assert_eq!(card["symbol"]["visibility"], "public");
    assert_eq!(card["symbol"]["modifiers"], json!(["async"]));
    assert_eq!(card["symbol"]["returns"], "Task<IEnumerable<Order>>");
    assert_eq!(card["doc"], "Runs the query.");
    assert_eq!(
        (&card["callers"], &card["callees"], &card["tests"]),
        (&json!(1), &json!(2), &json!(1)),
        "{card:#}"
    );
    assert!(text.contains("public; async"), "{text}");
    assert!(text.contains("1 caller, 2 callees"), "{text}");
}

#[test]
fn a_type_in_several_parts_is_one_symbol() {
    let tree = tree();
    let (text, answer, exit) = tree.ask("show", json!({ "symbol": "FindOrder" })).expect("an answer");
    assert_eq!(exit, Exit::Ok, "{text}");
    assert!(text.contains("Store.Find(query)"), "the longest part: {text}");
    assert!(answer.to_string().contains("src/Handlers.cs#Shop.FindOrder"), "and the other: {answer}");
    let (text, _, exit) = tree.ask("symbol", json!({ "symbol": "FindOrder" })).expect("an answer");
    assert_eq!(exit, Exit::Ok, "{text}");
    assert!(text.contains("also src/Handlers.cs:"), "{text}");
}
