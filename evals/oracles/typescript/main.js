// Writes the call edges of a TypeScript project as the TypeScript checker sees them.
//
//   node main.js --root DIR --out OUT.jsonl --config tsconfig.json [--config ...] [--map 'from=to'] [--as DIR]
//
// --config is relative to the root; a file counts with the first config that holds it. --map adds a path
// mapping (`pkg/*=src/*`) for projects that import themselves by name. --as names another root in the scope.
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require("typescript");
const { Calls } = require("./calls.js");

function options(argv) {
  const found = { config: [], map: [] };
  for (let i = 0; i < argv.length; i += 2) {
    const name = argv[i].replace(/^--/, "");
    if (!argv[i].startsWith("--") || argv[i + 1] === undefined) fail(`what is ${argv[i]}?`);
    if (Array.isArray(found[name])) found[name].push(argv[i + 1]);
    else found[name] = argv[i + 1];
  }
  if (!found.root || !found.out || found.config.length === 0) fail("--root, --out and --config are needed");
  return found;
}

function fail(message) {
  console.error(`${message}\nusage: node main.js --root DIR --out OUT.jsonl --config tsconfig.json ...`);
  process.exit(1);
}

function program(root, config, maps) {
  const file = path.join(root, config);
  const read = ts.readConfigFile(file, ts.sys.readFile);
  if (read.error) fail(ts.flattenDiagnosticMessageText(read.error.messageText, "\n"));
  const parsed = ts.parseJsonConfigFileContent(read.config, ts.sys, path.dirname(file));
  const settings = { ...parsed.options, noEmit: true, skipLibCheck: true, composite: false, incremental: false };
  if (maps.length > 0) {
    settings.baseUrl = root;
    settings.paths = { ...settings.paths };
    for (const map of maps) {
      const [from, to] = map.split("=");
      settings.paths[from] = [to];
    }
  }
  const made = ts.createProgram({ rootNames: parsed.fileNames, options: settings });
  const missing = made.getSourceFiles().flatMap((source) => made.getSyntacticDiagnostics(source));
  console.error(`${config}: ${parsed.fileNames.length} files, ${missing.length} syntax errors`);
  return made;
}

function write(file, lines) {
  fs.writeFileSync(file, [...lines].sort().map((line) => line + "\n").join(""));
}

function main() {
  const args = options(process.argv.slice(2));
  const root = fs.realpathSync(args.root);
  const edges = new Set();
  const sites = new Set();
  const files = new Set();
  for (const config of args.config) {
    const made = program(root, config, args.map);
    const calls = new Calls(made, root, edges, sites);
    for (const source of made.getSourceFiles()) {
      const inside = calls.inside(source.fileName);
      if (inside === undefined || source.isDeclarationFile || files.has(inside)) continue;
      if (source.fileName.endsWith(".json")) continue;
      files.add(inside);
      calls.file(source);
    }
  }
  const base = args.out.replace(/\.jsonl$/, "");
  write(args.out, edges);
  write(`${base}.sites.jsonl`, sites);
  const scope = { root: args.as || root, files: [...files].sort() };
  fs.writeFileSync(`${base}.scope.json`, JSON.stringify(scope, null, 1) + "\n");
  console.log(`${args.out}: ${edges.size} edges, ${sites.size} call sites, ${files.size} files`);
}

main();
