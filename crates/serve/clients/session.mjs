// A scripted session with the official TypeScript client.
//
// Usage: session.mjs ORIENT DIRECTORY STORE          over stdio
//        session.mjs ORIENT DIRECTORY STORE URL      over HTTP, with a server that is already there
// DIRECTORY is the tree that `cargo xtask clients` makes; files in it are changed.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [orient, directory, store, url] = process.argv.slice(2);

const questions = {
  search: { query: "total" },
  context: { task: "change how the total is made" },
  read: { target: "total" },
  graph: { relation: "callers", symbol: "total" },
  overview: { about: "map" },
  history: { relation: "log", target: "total" },
  task: { action: "list" },
  grep: { pattern: "def total" },
};

const text = (result) => result.content.map((block) => block.text).join("\n");

// The last line of an answer, and the cursor in it: answers are sent once, as text.
function statusLine(result) {
  assert.equal(result.structuredContent, undefined);
  const last = text(result).trimEnd().split("\n").at(-1);
  assert.match(last, /^\[(complete|partial: ).*\]$/);
  return { last, cursor: last.match(/next cursor "([^"]+)"/)?.[1] };
}

function changeMany(word) {
  for (const name of fs.readdirSync(path.join(directory, "pkg"))) {
    fs.appendFileSync(path.join(directory, "pkg", name), `\n# ${word}\n`);
  }
}

// How many calls the server says it ended early.
async function interrupted() {
  const page = await (await fetch(url.replace(/mcp$/, "metrics"))).text();
  const counts = [...page.matchAll(/_count\{[^}]*outcome="interrupted"\} (\d+)/g)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

const transport = url
  ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command: orient, args: ["mcp", "--store", store, "--root", directory] });
const client = new Client({ name: "script", version: "1.0.0" });
await client.connect(transport);
assert.equal(client.getServerVersion().name, "orient");
assert.ok(client.getInstructions().length > 100);

const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(questions).sort());
for (const tool of tools) {
  assert.ok(!tool.outputSchema && tool.annotations.readOnlyHint, tool.name);
  const answer = await client.callTool({ name: tool.name, arguments: questions[tool.name] });
  assert.ok(!answer.isError, `${tool.name}: ${text(answer)}`);
  assert.match(text(answer), tool.name === "task" ? /tasks[^]*\]\s*$/ : /total[^]*\]\s*$/, tool.name);
}

const found = [];
let cursor;
let pages = 0;
do {
  const question = { pattern: "^def part_", max_tokens: 400, ...(cursor ? { cursor } : {}) };
  const answer = await client.callTool({ name: "grep", arguments: question });
  found.push(...text(answer).split("\n").filter((line) => line.includes("def part_")));
  const end = statusLine(answer);
  cursor = end.cursor;
  assert.ok(!cursor || end.last.startsWith("[partial: "));
  pages += 1;
} while (cursor);
const expected = fs.readdirSync(path.join(directory, "pkg")).length;
assert.ok(pages > 2);
assert.equal(new Set(found).size, expected);
assert.equal(found.length, expected);

const missing = await client.callTool({ name: "read", arguments: { target: "no_such_thing_anywhere" } });
assert.ok(missing.isError && text(missing).includes("no symbol is named"));
await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /unknown tool/);
const wrong = await client.callTool({ name: "graph", arguments: { relation: "callerz", symbol: "total" } });
assert.ok(wrong.isError && text(wrong).includes('did you mean "callers"'), text(wrong));

// Calls with the argument names that models and other tools use: nothing that an operation supports is rejected.
const tasks = JSON.parse(fs.readFileSync(new URL("tasks.json", import.meta.url), "utf8"));
for (const task of tasks) {
  const answer = await client.callTool({ name: task.tool, arguments: task.arguments });
  assert.ok(!answer.isError && text(answer).includes(task.finds), `${task.task}: ${text(answer)}`);
}

changeMany("progress");
const notes = [];
const status = await client.callTool({ name: "overview", arguments: { about: "status" } }, undefined, {
  onprogress: (note) => notes.push(note),
});
assert.ok(!status.isError, text(status));
assert.ok(notes.length > 0 && notes.every((note) => note.message));
assert.ok(notes.every((note, at) => at === 0 || notes[at - 1].progress <= note.progress));

const before = url ? await interrupted() : 0;
changeMany("cancel");
const abort = new AbortController();
// Once the server is at work.
const long = client.callTool({ name: "overview", arguments: { about: "map" } }, undefined, {
  signal: abort.signal,
  onprogress: () => abort.abort("enough"),
});
await assert.rejects(long);
const after = await client.callTool({ name: "graph", arguments: { relation: "callees", symbol: "main" } });
assert.ok(!after.isError && text(after).includes("total"), text(after));
// The client stopped waiting, and the server stopped working.
if (url) assert.equal(await interrupted(), before + 1);

const uris = [];
let place;
do {
  const page = await client.listResources(place ? { cursor: place } : {});
  uris.push(...page.resources.map((resource) => resource.uri));
  place = page.nextCursor;
} while (place);
assert.ok(uris.length > 200 && uris.length === expected + 1, `${uris.length} resources`);
assert.equal(new Set(uris).size, uris.length);
const { resourceTemplates } = await client.listResourceTemplates();
assert.equal(resourceTemplates.length, 2);
const read = await client.readResource({ uri: "orient://file/shop/cart.py" });
assert.match(read.contents[0].text, /def total/);
const completed = await client.complete({
  ref: { type: "ref/resource", uri: resourceTemplates[0].uriTemplate },
  argument: { name: "path", value: "shop/" },
});
assert.deepEqual(completed.completion.values, ["shop/cart.py"]);
const { prompts } = await client.listPrompts();
assert.equal(prompts.length, 3);
const plan = await client.getPrompt({ name: "plan_change", arguments: { change: "round the total" } });
assert.match(plan.messages[0].content.text, /round the total/);

await client.close();
console.log(`typescript: ${tools.map((tool) => tool.name).join(", ")}; ${pages} pages, ${tasks.length} tasks, ${notes.length} notes of progress`);
