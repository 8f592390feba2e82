"""A scripted session with the official Python client: what every agent built on it will do.

Usage: session.py ORIENT DIRECTORY STORE          over stdio
       session.py ORIENT DIRECTORY STORE URL      over HTTP, with a server that is already there
DIRECTORY is the tree that `cargo xtask clients` makes; files in it are changed.
"""

import asyncio
import json
import pathlib
import re
import sys
import urllib.request

import anyio
import mcp
from mcp import Client, StdioServerParameters

ORIENT, DIRECTORY, STORE = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
URL = sys.argv[4] if len(sys.argv) > 4 else None

TASKS = json.loads(pathlib.Path(__file__).with_name("tasks.json").read_text())

# One question for every tool there may be.
QUESTIONS = {
    "search": {"query": "total"},
    "context": {"task": "change how the total is made"},
    "read": {"target": "total"},
    "graph": {"relation": "callers", "symbol": "total"},
    "overview": {"about": "map"},
    "history": {"relation": "log", "target": "total"},
    "task": {"action": "list"},
    "grep": {"pattern": "def total"},
}


def target(cwd=DIRECTORY, root=True):
    if URL:
        return URL
    arguments = ["mcp", "--store", STORE] + (["--root", str(DIRECTORY)] if root else [])
    return StdioServerParameters(command=ORIENT, args=arguments, cwd=str(cwd))


def text(result):
    return "\n".join(block.text for block in result.content)


def status(result):
    """The last line of an answer, and the cursor in it: answers are sent once, as text."""
    assert result.structured_content is None, result.structured_content
    last = text(result).rstrip().splitlines()[-1]
    assert re.fullmatch(r"\[(complete|partial: ).*\]", last), last
    cursor = re.search(r'next cursor "([^"]+)"', last)
    return last, cursor and cursor[1]


def change_many(word):
    for path in sorted(DIRECTORY.glob("pkg/part_*.py")):
        path.write_text(path.read_text() + f"\n# {word}\n")


async def tools(client):
    listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == set(QUESTIONS), [tool.name for tool in listed]
    for tool in listed:
        assert not tool.output_schema and tool.annotations.read_only_hint, tool.name
        answer = await client.call_tool(tool.name, QUESTIONS[tool.name])
        assert not answer.is_error, (tool.name, text(answer))
        word = "tasks" if tool.name == "task" else "total"
        assert word in text(answer) and text(answer).rstrip().endswith("]"), (tool.name, text(answer))
        status(answer)
    return [tool.name for tool in listed]


async def pages(client):
    question = {"pattern": "^def part_", "max_tokens": 400}
    found, parts, cursor = [], 0, None
    while True:
        answer = await client.call_tool("grep", question | ({"cursor": cursor} if cursor else {}))
        found += [line for line in text(answer).splitlines() if "def part_" in line]
        last, cursor = status(answer)
        parts += 1
        if not cursor:
            break
        assert last.startswith("[partial: "), last
    expected = sum(1 for _ in DIRECTORY.glob("pkg/part_*.py"))
    assert parts > 2 and len(found) == expected and len(set(found)) == expected, (parts, len(found), expected)
    return parts


async def errors(client):
    try:
        await client.call_tool("no_such_tool", {})
        raise AssertionError("an unknown tool was called")
    except mcp.MCPError as error:
        assert "unknown tool" in str(error), error
    missing = await client.call_tool("read", {"target": "no_such_thing_anywhere"})
    assert missing.is_error and "no symbol is named" in text(missing), text(missing)
    wrong = await client.call_tool("graph", {"relation": "callerz", "symbol": "total"})
    assert wrong.is_error and 'did you mean "callers"' in text(wrong), text(wrong)
    forgiven = await client.call_tool("graph", {"relation": "callers", "function_name": "total", "depth": "1"})
    assert not forgiven.is_error and "was read as" in text(forgiven), text(forgiven)


async def tasks(client):
    """Calls with the argument names that models and other tools use: nothing that an operation supports is rejected."""
    wrong = []
    for task in TASKS:
        answer = await client.call_tool(task["tool"], task["arguments"])
        if answer.is_error or task["finds"] not in text(answer):
            wrong.append((task["task"], text(answer)[:300]))
    assert not wrong, wrong
    return len(TASKS)


async def progress(client):
    seen = []

    async def note(done, total, message):
        seen.append((done, total, message))

    change_many("progress")
    answer = await client.call_tool("overview", {"about": "status"}, progress_callback=note)
    assert not answer.is_error, text(answer)
    assert seen and all(a[0] <= b[0] for a, b in zip(seen, seen[1:])), seen
    assert all(message for _, _, message in seen), seen
    return len(seen)


def interrupted():
    """How many calls the server says it ended early."""
    with urllib.request.urlopen(re.sub("mcp$", "metrics", URL)) as page:
        counts = re.findall(r'_count\{[^}]*outcome="interrupted"\} (\d+)', page.read().decode())
    return sum(int(count) for count in counts)


async def cancel(client):
    """The caller stops waiting once the server is at work, and so the server stops working."""
    before = await asyncio.to_thread(interrupted) if URL else 0
    change_many("cancel")
    with anyio.CancelScope() as scope:

        async def note(_done, _total, _message):
            scope.cancel()

        await client.call_tool("overview", {"about": "map"}, progress_callback=note)
    assert scope.cancelled_caught, "the call was not cancelled"
    after = await client.call_tool("graph", {"relation": "callees", "symbol": "main"})
    assert not after.is_error and "total" in text(after), text(after)
    if URL:
        assert await asyncio.to_thread(interrupted) == before + 1


async def rest(client):
    templates = (await client.list_resource_templates()).resource_templates
    assert {template.name for template in templates} == {"file", "definition"}
    uris, cursor = [], None
    while True:
        page = await client.list_resources(cursor=cursor)
        uris += [resource.uri for resource in page.resources]
        cursor = page.next_cursor
        if not cursor:
            break
    files = [path for path in DIRECTORY.rglob("*.py")]
    assert len(uris) == len(set(uris)) == len(files) > 200, (len(uris), len(files))
    read = await client.read_resource("orient://file/shop/cart.py")
    assert "def total" in read.contents[0].text
    symbol = await client.read_resource("orient://symbol/shop/cart.py%23total")
    assert symbol.contents[0].text.startswith("def total"), symbol
    prompts = (await client.list_prompts()).prompts
    assert {prompt.name for prompt in prompts} == {"understand", "review", "plan_change"}
    plan = await client.get_prompt("plan_change", {"change": "round the total"})
    assert "round the total" in plan.messages[0].content.text


async def session(mode):
    async with Client(target(), mode=mode, read_timeout_seconds=60) as client:
        assert client.server_info is None or client.server_info.name == "orient"
        names = await tools(client)
        parts = await pages(client)
        await errors(client)
        done = await tasks(client)
        notes = await progress(client)
        await cancel(client)
        await rest(client)
        print(f"python {mode} ({client.protocol_version}): {', '.join(names)}; {parts} pages, {done} tasks, {notes} notes of progress")


async def roots():
    """The client's root decides, wherever the server was started."""

    async def directories(_context):
        return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri=DIRECTORY.as_uri())])

    aimless = target(cwd="/", root=False)
    async with Client(aimless, mode="legacy", list_roots_callback=directories, read_timeout_seconds=60) as client:
        answer = await client.call_tool("read", {"target": "shop/cart.py"})
        assert not answer.is_error and "def total" in text(answer), text(answer)
    print("python roots: the client's directory is served")


async def main():
    for mode in ("legacy", "auto"):
        await session(mode)
    if not URL:
        await roots()


asyncio.run(main())
