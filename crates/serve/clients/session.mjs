// A scripted session with the official TypeScript client.
//
// Usage: session.mjs ORIENT FOLDER STORE          over stdio
//        session.mjs ORIENT FOLDER STORE URL      over HTTP, with a server that is already there
// FOLDER is the tree that `cargo xtask clients` makes; files in it are changed.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [orient, folder, store, url] = process.argv.slice(2);

const questions = {
  search: { query: "total" },
  context: { task: "change how the total is made" },
  read: { target: "total" },
  graph: { relation: "callers", symbol: "total" },
  overview: { about: "map" },
  grep: { pattern: "def total" },
};

const text = (result) => result.content.map((block) => block.text).join("\n");

function changeMany(word) {
  for (const name of fs.readdirSync(path.join(folder, "pkg"))) {
    fs.appendFileSync(path.join(folder, "pkg", name), `\n# ${word}\n`);
  }
}

const transport = url
  ? new StreamableHTTPClientTransport(new URL(url))
  : new StdioClientTransport({ command: orient, args: ["mcp", "--store", store, "--root", folder] });
const client = new Client({ name: "script", version: "1.0.0" });
await client.connect(transport);
assert.equal(client.getServerVersion().name, "orient");
assert.ok(client.getInstructions().length > 100);

const { tools } = await client.listTools();
assert.ok(tools.length >= 3 && tools.length <= 6);
for (const tool of tools) {
  assert.ok(tool.outputSchema && tool.annotations.readOnlyHint, tool.name);
  // The client checks the structured content against the output schema.
  const answer = await client.callTool({ name: tool.name, arguments: questions[tool.name] });
  assert.ok(!answer.isError, `${tool.name}: ${text(answer)}`);
  assert.match(text(answer), /total[^]*\]\s*$/, tool.name);
}

const found = [];
let cursor;
let pages = 0;
do {
  const question = { pattern: "^def part_", max_tokens: 400, ...(cursor ? { cursor } : {}) };
  const answer = await client.callTool({ name: "grep", arguments: question });
  found.push(...text(answer).split("\n").filter((line) => line.includes("def part_")));
  cursor = answer.structuredContent.next;
  pages += 1;
} while (cursor);
const expected = fs.readdirSync(path.join(folder, "pkg")).length;
assert.ok(pages > 2);
assert.equal(new Set(found).size, expected);
assert.equal(found.length, expected);

const missing = await client.callTool({ name: "read", arguments: { target: "no_such_thing_anywhere" } });
assert.ok(missing.isError && text(missing).includes("nothing is called"));
await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /no tool/);

changeMany("progress");
const notes = [];
await client.callTool({ name: "overview", arguments: { about: "status" } }, undefined, {
  onprogress: (note) => notes.push(note),
});
assert.ok(notes.length > 0);

changeMany("cancel");
const abort = new AbortController();
const long = client.callTool({ name: "overview", arguments: { about: "map" } }, undefined, { signal: abort.signal });
setTimeout(() => abort.abort("enough"), 5);
await assert.rejects(long);
const after = await client.callTool({ name: "graph", arguments: { relation: "callees", symbol: "main" } });
assert.ok(!after.isError);

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

await client.close();
console.log(`typescript: ${tools.map((tool) => tool.name).join(", ")}; ${pages} pages, ${notes.length} notes of progress`);
