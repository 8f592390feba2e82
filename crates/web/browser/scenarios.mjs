// Scenarios of the web pages in a real browser. `cargo xtask web` starts the servers and runs this with a JSON object:
// { chromium, screenshots, token, trees: { parcel, own, hostile, guarded, … } } with the address of each tree's pages.
//
// In every scenario: no script of a repository runs, no request leaves the origin, and the policy of the page is not violated.

import { chromium } from "playwright-core";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const setup = JSON.parse(process.argv[2]);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
mkdirSync(setup.screenshots, { recursive: true });

const scenarios = [];
/** Adds a scenario: a name, the tree, and whether scripts run. */
const scenario = (name, tree, options, run) => scenarios.push({ name, tree, ...options, run });

const text = (page, selector) => page.locator(selector).first().innerText();
const count = (page, selector) => page.locator(selector).count();

/** What axe finds serious on a page. */
async function barriers(page) {
  // The policy of the page forbids injected scripts, so axe is evaluated by the debugger.
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const serious = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  return serious.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
}

// Every view, without scripts and with them.

const views = [
  ["start", "/"],
  ["search", "/search?q=price"],
  ["search by name", "/search?q=price&mode=names"],
  ["search by regex", "/search?q=def%20%5Cw%2B&mode=regex"],
  ["search by structure", "/search?q=print(%24X)%20lang%3Apython&mode=structural"],
  ["directory", "/code/service"],
  ["file", "/code/service/parcel/pricing.py"],
  ["blame", "/code/service/parcel/pricing.py?blame=1"],
  ["graph start", "/graph"],
  ["graph", "/graph?symbol=service/parcel/pricing.py%23quote&depth=2"],
  ["dependencies", "/graph?symbol=service/parcel/pricing.py&view=dependencies"],
  ["map", "/map"],
  ["map of a directory", "/map?path=service/parcel"],
  ["changes", "/change?range=HEAD~1..HEAD"],
  ["diff", "/change?range=HEAD~1..HEAD&path=service/parcel/pricing.py"],
  ["status", "/status"],
  ["help", "/help"],
  ["not found", "/code/no/such/file"],
];

for (const [name, address] of views) {
  scenario(`${name}: shown without scripts`, "parcel", { scripts: false }, async (page, base) => {
    await page.goto(base + address);
    assert.equal(await count(page, "main#main"), 1);
    assert.equal(await count(page, "header nav a"), 6);
    assert.ok((await text(page, "main")).trim().length > 20, "the page has content");
    await page.screenshot({ path: `${setup.screenshots}/${name.replaceAll(" ", "-")}.png`, fullPage: true });
  });
  for (const theme of ["light", "dark"]) {
    scenario(`${name}: accessible in the ${theme} theme`, "parcel", { theme }, async (page, base) => {
      await page.goto(base + address);
      await page.waitForLoadState("load");
      await page.waitForSelector("[data-deferred]", { state: "detached" });
      assert.deepEqual(await barriers(page), []);
      if (theme === "dark")
        await page.screenshot({ path: `${setup.screenshots}/${name.replaceAll(" ", "-")}-dark.png` });
    });
  }
}

// Search.

scenario("search as you type shows hits and keeps the address", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/search`);
  await page.locator("#sq").pressSequentially("quote", { delay: 15 });
  await page.waitForFunction(() => location.search.includes("q=quote"));
  await page.waitForSelector(".hit");
  assert.ok((await count(page, "mark")) > 0, "words are marked");
});

scenario("search is operated by keys alone", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/map`);
  await page.keyboard.press("/");
  await page.keyboard.type("price");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/search?q=price**");
  await page.waitForSelector("a[data-item]");
  await page.keyboard.press("ArrowDown");
  assert.ok(await page.evaluate(() => document.activeElement.matches("a[data-item]")), "the first hit has the focus");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/code/**");
});

scenario("the ranking is explained on demand", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/search?q=price%20of%20a%20parcel`);
  const why = page.locator("details.why").first();
  assert.equal(await why.locator("table").isVisible(), false);
  await why.locator("summary").click();
  assert.ok(await why.locator("table").isVisible());
});

scenario("a filter narrows the search", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/search?q=queue`);
  const filter = page.locator(".facets a").first();
  const value = (await filter.innerText()).split(" ")[0];
  await filter.click();
  assert.ok(decodeURIComponent(page.url()).includes(value));
  assert.ok((await count(page, ".hit")) > 0);
});

scenario("the mode is chosen by keys", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/search?q=def`);
  await page.locator("input[name=mode][value=auto]").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => location.search.includes("mode=names"));
});

scenario("an invalid pattern is explained, not an error page", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/search?q=(&mode=regex`);
  assert.ok((await text(page, "[role=alert]")).length > 10);
});

// Code.

scenario("a name leads to its definition", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/cli.py`);
  const link = page.locator(".source a.sure, .source a.likely").first();
  const target = await link.getAttribute("href");
  await link.click();
  assert.ok(page.url().endsWith(target));
  assert.equal(await count(page, target.slice(target.indexOf("#"))), 1, "the line exists");
});

scenario("a card appears when the pointer rests on a name", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/pricing.py`);
  await page.locator(".source a[data-card]").first().hover();
  await page.waitForSelector(".hover .card");
  assert.ok((await text(page, ".hover")).includes("callers"));
  await page.keyboard.press("Escape");
  assert.equal(await count(page, ".hover"), 0);
});

scenario("a definition leads to its uses", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/pricing.py`);
  await page.locator(".source a.def").first().click();
  assert.ok((await text(page, "aside.panel")).includes("Uses"));
});

scenario("lines are chosen with the mouse and shared by address", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/pricing.py`);
  await page.locator("#L3 .n").click();
  await page.locator("#L6 .n").click({ modifiers: ["Shift"] });
  assert.ok(page.url().endsWith("#L3-L6"));
  assert.equal(await count(page, ".l.marked"), 4);
  await page.reload();
  assert.equal(await count(page, ".l.marked"), 4);
});

scenario("lines in the address are marked without scripts", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/pricing.py?lines=3-6`);
  assert.equal(await count(page, ".l.marked"), 4);
});

scenario("the outline is shown and hidden by a key", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/pricing.py`);
  const isOpen = () => page.locator("[data-outline]").evaluate((outline) => outline.open);
  assert.equal(await isOpen(), true);
  await page.keyboard.press("o");
  assert.equal(await isOpen(), false);
});

scenario("blame names commits and authors", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/pricing.py`);
  await page.getByRole("link", { name: "Blame", exact: true }).click();
  assert.ok((await text(page, ".source")).includes("Tester"));
});

scenario("an older revision is shown", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/pricing.py?at=HEAD~1`);
  assert.ok((await text(page, ".labels")).includes("at HEAD~1"));
  assert.ok(!(await text(page, ".source")).includes("added by the second commit"));
});

scenario("a directory is walked by keys", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/code/`);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  // Not `/code/` itself: to close a page while it is being left can hang the browser.
  await page.waitForURL(/\/code\/.+/);
});

// Graph.

scenario("a graph is expanded, pinned and hidden by links", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/graph?symbol=service/parcel/pricing.py%23quote&view=callers`);
  const nodes = () => count(page, "svg.graph .node");
  const before = await nodes();
  assert.ok(before > 1, "there are callers");
  const expand = page.locator("a[aria-label^=Expand]").first();
  await expand.click();
  assert.ok((await nodes()) >= before);
  await page.locator("a[aria-label^=Pin]").first().click();
  assert.ok(page.url().includes("pin="));
  await page.locator("a[aria-label^=Hide]").first().click();
  assert.ok(page.url().includes("hide="));
});

scenario("tests can be left out of a graph", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/graph?symbol=service/parcel/pricing.py%23quote&view=callers&depth=3`);
  const all = await count(page, "svg.graph .node");
  await page.goto(`${base}/graph?symbol=service/parcel/pricing.py%23quote&view=callers&depth=3&tests=0`);
  assert.ok((await count(page, "svg.graph .node")) < all);
});

scenario("a graph is exported in three forms", "parcel", {}, async (page, base) => {
  for (const [extension, start] of [["svg", "<svg"], ["dot", "digraph"], ["mmd", "flowchart"]]) {
    const response = await page.request.get(`${base}/graph.${extension}?symbol=service/parcel/pricing.py%23quote`);
    assert.ok((await response.text()).startsWith(start), extension);
  }
});

// Map, changes, status.

scenario("three clicks lead from the map to a file", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/map`);
  await page.locator("table a", { hasText: "service/" }).click();
  await page.locator("table a", { hasText: "parcel/" }).click();
  await page.locator("table a", { hasText: "pricing.py" }).click();
  assert.ok((await text(page, ".source")).length > 100);
});

scenario("a change is shown by symbol with its diff", "parcel", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/change?range=HEAD~1..HEAD`);
  await page.locator("a[data-item]", { hasText: "diff" }).first().click();
  assert.ok((await count(page, "table.diff td.ins")) > 0);
});

scenario("the status follows the calls of agents", "parcel", {}, async (page, base) => {
  const call = (method, params, id, session) =>
    page.request.post(`${base}/mcp`, {
      headers: { Accept: "application/json, text/event-stream", ...(session ? { "Mcp-Session-Id": session } : {}) },
      data: { jsonrpc: "2.0", method, params, ...(id ? { id } : {}) },
    });
  const hello = await call("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "scenario", version: "1" } }, 1);
  const session = hello.headers()["mcp-session-id"];
  await call("notifications/initialized", {}, undefined, session);
  await call("tools/call", { name: "search", arguments: { query: "where is the price made" } }, 2, session);
  await page.goto(`${base}/status`);
  const calls = await text(page, "section[aria-labelledby=calls]");
  assert.ok(calls.includes("where is the price made") && calls.includes("search"), calls);
});

scenario("a page notices that the index has changed", "own", {}, async (page, base) => {
  await page.goto(`${base}/help`);
  await page.waitForFunction(() => /generation \d+/.test(document.querySelector("#live").textContent));
});

// Layout.

for (const [name, address] of views.filter(([name]) => ["start", "search", "file", "graph", "map", "status", "diff"].includes(name))) {
  scenario(`${name}: fits a phone`, "parcel", { width: 390, height: 800 }, async (page, base) => {
    await page.goto(base + address);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 1, `the page is ${overflow} pixels too wide`);
    await page.screenshot({ path: `${setup.screenshots}/${name}-phone.png` });
  });
}

scenario("a page is readable at 200 %", "parcel", { width: 640, height: 480 }, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/pricing.py`);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 1);
});

scenario("a file is printed without the frame of the page", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/code/service/parcel/pricing.py`);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("header.top").isVisible(), false);
  assert.ok(await page.locator(".source").isVisible());
});

scenario("the first stop of the tab key skips to the content", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/help`);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to content");
});

scenario("the theme is remembered", "parcel", {}, async (page, base) => {
  await page.goto(`${base}/help`);
  await page.locator("[data-theme-toggle]").click();
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.goto(`${base}/status`);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), theme);
});

// Our own source: a repository of some size.

scenario("a file of our own is linked", "own", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/code/serve/src/http.rs`);
  assert.ok((await count(page, ".source a.sure")) > 20);
  await page.screenshot({ path: `${setup.screenshots}/own-file.png` });
});

scenario("a graph of our own is drawn", "own", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/graph?symbol=respond&depth=2`);
  assert.ok((await count(page, "svg.graph .node")) > 3);
  await page.screenshot({ path: `${setup.screenshots}/own-graph.png` });
});

scenario("our own map has dependencies", "own", { scripts: false }, async (page, base) => {
  await page.goto(`${base}/map?path=web/src`);
  await page.locator("noscript a", { hasText: "dependencies" }).click();
  assert.ok((await text(page, "section[aria-labelledby=dependencies]")).includes("uses"));
  await page.screenshot({ path: `${setup.screenshots}/own-map.png` });
});

// Published packages in three languages, of which nothing is assumed but what is named here.

const packages = [
  { tree: "tower-http", file: "src/limit/body.rs", question: "compress the body of a response", name: "CompressionLayer", pattern: "fn call\\(", code: "Some($X)", language: "rust", directory: "src" },
  { tree: "huey", file: "huey/registry.py", question: "retry a task that failed", name: "TaskWrapper", pattern: "def enqueue", code: "self.enqueue($X)", language: "python", directory: "huey" },
  { tree: "ajv", file: "compile/errors.ts", question: "cache compiled schemas", name: "SchemaEnv", pattern: "function \\w+Keyword", code: "new _Code($X)", language: "typescript", directory: "compile" },
];

const encoded = encodeURIComponent;

for (const { tree, file, question, name, pattern, code, language, directory } of packages) {
  scenario(`${tree}: a question leads to linked code by mouse`, tree, { scripts: false }, async (page, base) => {
    await page.goto(base);
    await page.fill("#sq", question);
    await page.getByRole("button", { name: "Search" }).first().click();
    assert.ok((await count(page, ".hit")) >= 3);
    await page.screenshot({ path: `${setup.screenshots}/${tree}-search.png` });
    await page.locator(".hit a[data-item]").first().click();
    assert.ok((await text(page, ".source")).length > 100);
    await page.screenshot({ path: `${setup.screenshots}/${tree}-file.png` });
  });

  scenario(`${tree}: a name leads to its definition by keys`, tree, {}, async (page, base) => {
    await page.goto(`${base}/help`);
    await page.keyboard.press("/");
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/search?q=**");
    await page.waitForSelector("a[data-item]");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/code\/.+/);
    assert.ok((await text(page, ".source")).includes(name));
  });

  scenario(`${tree}: from a definition to its uses and its graph by mouse`, tree, { scripts: false }, async (page, base) => {
    await page.goto(`${base}/search?q=${name}&mode=names`);
    await page.locator(".hit a[data-item]").first().click();
    await page.locator(".source a.def").getByText(name, { exact: true }).first().click();
    const panel = page.locator("aside.panel");
    assert.ok((await panel.innerText()).includes("Uses"));
    assert.ok((await panel.locator("a").count()) > 3, "there are uses");
    await panel.locator("a[href^='/graph?']").first().click();
    assert.ok((await count(page, "svg.graph .node")) > 1);
    await page.screenshot({ path: `${setup.screenshots}/${tree}-graph.png` });
  });

  scenario(`${tree}: a card explains a name`, tree, {}, async (page, base) => {
    await page.goto(`${base}/search?q=${name}&mode=names`);
    await page.locator(".hit a[data-item]").first().click();
    await page.waitForSelector(".source");
    await page.locator(".source a[data-card]", { hasText: name }).first().hover();
    await page.waitForSelector(".hover .card");
    assert.ok((await text(page, ".hover")).includes(name));
  });

  scenario(`${tree}: patterns find text and syntax`, tree, { scripts: false }, async (page, base) => {
    await page.goto(`${base}/search?mode=regex&q=${encoded(pattern)}`);
    assert.ok((await count(page, ".hit")) > 0, "by regex");
    await page.goto(`${base}/search?mode=structural&q=${encoded(`${code} lang:${language}`)}`);
    assert.ok((await count(page, ".hit")) > 0, "by structure");
  });

  scenario(`${tree}: three clicks lead from the map to a file`, tree, { scripts: false }, async (page, base) => {
    await page.goto(`${base}/map`);
    await page.locator("table a", { hasText: `${directory}/` }).first().click();
    await page.screenshot({ path: `${setup.screenshots}/${tree}-map.png` });
    await page.locator("table a").filter({ hasText: /\.\w+$/ }).first().click();
    await page.waitForURL(/\/code\//); // loaded, too
    assert.ok((await text(page, ".source")).trim().length > 0);
  });

  scenario(`${tree}: code and graph are accessible`, tree, { theme: "dark" }, async (page, base) => {
    await page.goto(`${base}/code/${file}`);
    assert.deepEqual(await barriers(page), []);
    await page.goto(`${base}/graph?symbol=${name}`);
    assert.deepEqual(await barriers(page), []);
  });

  scenario(`${tree}: code and map fit a phone`, tree, { width: 390, height: 800 }, async (page, base) => {
    for (const address of ["/", "/map", `/code/${directory}`, `/search?q=${name}`]) {
      await page.goto(base + address);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 1, `${address} is ${overflow} pixels too wide`);
    }
  });
}

// A hostile repository: names and contents that are markup.

for (const [name, address] of [
  ["listing", "/code/"],
  ["map", "/map"],
  ["search", "/search?q=alert"],
  ["regex", "/search?q=script&mode=regex"],
  ["graph", "/graph"],
  ["status", "/status"],
]) {
  scenario(`hostile ${name}: nothing runs`, "hostile", {}, async (page, base) => {
    await page.goto(base + address);
    await page.waitForTimeout(150);
    assert.equal(await page.evaluate(() => window.ran), undefined);
  });
}

scenario("hostile files: nothing runs in any of them", "hostile", {}, async (page, base) => {
  await page.goto(`${base}/code/`);
  const files = await page.locator("table a").evaluateAll((links) => links.map((link) => link.href));
  assert.ok(files.length > 5);
  for (const file of files) {
    await page.goto(file);
    assert.equal(await page.evaluate(() => window.ran), undefined, file);
    await page.goto(`${file}${file.includes("?") ? "&" : "?"}symbol=%3Cscript%3Ewindow.ran=1%3C/script%3E`);
    assert.equal(await page.evaluate(() => window.ran), undefined, file);
  }
});

scenario("hostile queries: nothing runs", "hostile", {}, async (page, base) => {
  for (const query of ["<script>window.ran=1</script>", '"><img src=x onerror=window.ran=1>', "javascript:window.ran=1", "</title><script>window.ran=1</script>"]) {
    for (const address of ["/search?q=", "/graph?symbol=", "/map?path=", "/change?range=", "/card?symbol=", "/code/"]) {
      await page.goto(base + address + encodeURIComponent(query));
      assert.equal(await page.evaluate(() => window.ran), undefined, address + query);
    }
  }
});

// Access with a token.

scenario("without the token there is only the form", "guarded", { guarded: true }, async (page, base) => {
  const response = await page.goto(`${base}/code/`);
  assert.equal(response.status(), 401);
  assert.equal(await count(page, "form.login"), 1);
  await page.fill("#token", "wrong token of some length");
  await page.keyboard.press("Enter");
  assert.ok((await text(page, "[role=alert]")).includes("wrong"));
  await page.fill("#token", setup.token);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/code/");
  assert.ok((await count(page, "table a")) > 0);
  const cookies = await page.context().cookies();
  assert.ok(cookies.every((cookie) => cookie.httpOnly && cookie.sameSite === "Strict"));
  assert.ok(!JSON.stringify(cookies).includes(setup.token), "the cookie is not the token");
});

// The runner.

/** The most time for one scenario, opening and closing its page included. */
const DEADLINE = 90_000;

/** A browser that does not answer, as opposed to a page that fails its scenario. */
class BrowserLost extends Error {}

/** A promise, or the loss of the browser when it does not settle in time. */
function withDeadline(promise, milliseconds, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new BrowserLost(`${what} took more than ${milliseconds / 1000} s`)), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function launch() {
  const server = await chromium.launchServer({ executablePath: setup.chromium, args: ["--no-sandbox", "--disable-gpu"] });
  return { server, browser: await chromium.connect(server.wsEndpoint()) };
}

/** Runs a scenario in a context of its own. */
async function attempt(browser, { tree, scripts = true, theme = "light", width = 1280, height = 860, guarded = false, run }) {
  const base = setup.trees[tree];
  const context = await browser.newContext({
    javaScriptEnabled: scripts,
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith("data:")) complaints.push(`left the origin: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("pageerror", (error) => complaints.push(`script error: ${error.message}`));
  page.on("console", (message) => {
    const isPolicy = message.text().includes("Content Security Policy");
    if (isPolicy) complaints.push(message.text());
  });
  try {
    await run(page, base);
    assert.deepEqual(complaints, []);
  } catch (error) {
    if (!guarded) await page.screenshot({ path: `${setup.screenshots}/failed-${failed + 1}.png`, timeout: 5_000 }).catch(() => {});
    throw error;
  } finally {
    await context.close();
  }
}

const only = process.argv[3];
let failed = 0;
let ran = 0;
let { server, browser } = await withDeadline(launch(), DEADLINE, "starting the browser");
for (const each of scenarios) {
  if (only && !each.name.includes(only)) continue;
  ran += 1;
  for (let retry = false; ; retry = true) {
    const begun = performance.now();
    try {
      await withDeadline(attempt(browser, each), DEADLINE, "the scenario");
      console.log(`ok      ${each.name} (${Math.round(performance.now() - begun)} ms)`);
      break;
    } catch (error) {
      const isLost = error instanceof BrowserLost || !browser.isConnected();
      if (isLost) {
        // Chromium sometimes stops answering. A new one tells whether the page was the cause.
        await server.kill();
        ({ server, browser } = await withDeadline(launch(), DEADLINE, "starting the browser"));
      }
      if (isLost && !retry) {
        console.log(`again   ${each.name}: the browser stopped answering`);
        continue;
      }
      failed += 1;
      console.log(`FAILED  ${each.name}\n        ${String(error.message ?? error).split("\n").slice(0, 12).join("\n        ")}`);
      break;
    }
  }
}
await server.kill();
console.log(`${ran - failed} of ${ran} scenarios passed`);
process.exit(failed ? 1 : 0);
