#!/usr/bin/env node
// Starts the `orient` binary that npm installed for this platform, passes signals on to it, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");

const platform = `@orient-code/${process.platform}-${process.arch}`;
const binary = process.platform === "win32" ? "orient.exe" : "orient";

let program;
try {
  program = require.resolve(`${platform}/${binary}`);
} catch {
  console.error(
    `orient: the package ${platform} is not installed.\n` +
      "Either there is no binary for this platform, or npm ran with --omit=optional or --no-optional.\n" +
      "Install again without that option, or build from source: https://github.com/orient-code/orient",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`orient: cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  // Die of the same signal, so that a shell sees why the command ended.
  for (const name of signals) {
    process.removeAllListeners(name);
  }
  process.kill(process.pid, signal);
});
