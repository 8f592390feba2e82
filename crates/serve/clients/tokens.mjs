// Counts tokens with public tokenizers: what the schemas cost, and whether the estimate that budgets rest on holds.
//
// Usage: tokens.mjs schema LISTING.json MOST     a list of tools, as a client gets it
//        tokens.mjs answers ANSWERS.jsonl        lines of { max_tokens, estimate, text }

import fs from "node:fs";
import { getEncoding } from "js-tiktoken";

const encodings = ["cl100k_base", "o200k_base"].map((name) => [name, getEncoding(name)]);
const count = (encoding, text) => encoding.encode(text, [], []).length;
const [what, file, most] = process.argv.slice(2);
let failed = false;

if (what === "schema") {
  const { tools } = JSON.parse(fs.readFileSync(file, "utf8"));
  for (const [name, encoding] of encodings) {
    const tokens = count(encoding, JSON.stringify(tools));
    failed ||= tokens > Number(most);
    console.log(`schema: ${tools.length} tools, ${tokens} tokens (${name}), at most ${most}`);
  }
} else {
  const answers = fs.readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  for (const [name, encoding] of encodings) {
    let over = 0;
    let worst = 0;
    let total = [0, 0];
    for (const { max_tokens, estimate, text } of answers) {
      const real = count(encoding, text);
      if (real > max_tokens) over += 1;
      worst = Math.max(worst, real / Math.max(estimate, 1));
      total = [total[0] + real, total[1] + estimate];
    }
    failed ||= over > 0 || worst > 1;
    const ratio = (total[0] / total[1]).toFixed(2);
    console.log(
      `answers: ${answers.length}, ${over} over budget, tokens / estimate ${ratio} in all and ${worst.toFixed(2)} at worst (${name})`,
    );
  }
}
process.exit(failed ? 1 : 0);
