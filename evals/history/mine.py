#!/usr/bin/env python3
"""Mines a localisation set from git histories: the text of a commit that fixes a problem, and the lines that it changed.

usage: mine.py choose MIRRORS [--per N]     writes commits.tsv: fixes in the repositories of repositories.tsv
       mine.py lay-out MIRRORS CACHE        writes CACHE/questions.jsonl and CACHE/trees/<repository>@<commit>

MIRRORS holds one git directory per repository, OWNER+NAME/repo. Only identifiers are kept in this directory; texts and trees
stay in CACHE. A question is searched in the tree of the parent, which does not contain the fix.
"""
import argparse, collections, hashlib, json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORIES, COMMITS = os.path.join(HERE, "repositories.tsv"), os.path.join(HERE, "commits.tsv")

LANGUAGES = {
    "c": "c h", "cpp": "cc cpp cxx hpp hh hxx", "csharp": "cs", "dart": "dart", "elixir": "ex exs", "erlang": "erl hrl",
    "go": "go", "haskell": "hs", "java": "java", "javascript": "js mjs cjs jsx", "kotlin": "kt kts", "lua": "lua tl",
    "ocaml": "ml mli", "php": "php", "python": "py pyx", "ruby": "rb", "rust": "rs", "scala": "scala", "shell": "sh bash",
    "swift": "swift", "typescript": "ts tsx mts", "zig": "zig",
}
LANGUAGE_OF = {extension: name for name, all_of in LANGUAGES.items() for extension in all_of.split()}

# The newest commits that are looked at, and how many that qualify are passed over between two that are taken.
NEWEST, STRIDE = 5000, 3
MAX_TREE_FILES, MAX_FILES, MAX_LINES = 2600, 5, 160
MIN_WORDS, MAX_WORDS = 40, 900

TEST = re.compile(r"(^|[/_.-])(tests?|specs?|testing|testdata|fixtures?|mocks?|__tests__|bench(es|marks?)?|examples?|demos?|samples?)([/_.-]|$)|"
                  r"Tests?\.\w+$|Spec\.\w+$|(^|/)test[A-Z_]|regress", re.I)
FOREIGN = re.compile(r"(^|/)(vendor|third_party|node_modules|dist|docs?|website|deps)/|\.min\.js$|\.d\.ts$|\.pb\.go$|_pb2\.py$", re.I)
PROBLEM = re.compile(r"\b(fix(e[sd])?|bugs?|crash\w*|errors?|fail(s|ed|ing|ure)?|wrong(ly)?|incorrect(ly)?|regress\w*|panic\w*|leaks?|"
                     r"leaking|exceptions?|broken|breaks|problem|hang(s|ing)?|deadlock\w*|race|segfault\w*|overflow\w*|missing|doesn't|"
                     r"does not|didn't|cannot|can't|unexpected\w*|invalid|never|instead of|should (not|have|be))\b", re.I)
UPKEEP = re.compile(r"^(merge|revert|bump|release|prepare|update (dep|change|readme|version)|typo|docs?[(:]|style[(:]|ch\wre|ci[(:]|"
                   r"refactor|test[s(:]|format|rename|reformat|clean|remove unused|build[(:]|lint|ts:|version)", re.I)
TRAILER = re.compile(r"^\s*(signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|reported-by|suggested-by|helped-by|cc|change-id|"
                     r"piperorigin-revid|git-svn-id|bug|closes|fixes|resolves|refs?|see|issue|url|link|ref|cherry.picked|reviewed-on|"
                     r"\(cherry picked|approved-by|fixed-by|assisted-by)\b[:\s#(].{0,120}$", re.I)
CHANGELOG_LINE = re.compile(r"^\s*[*-]?\s*[\w./+-]+\.\w{1,5}\s*(\([^)]*\))?\s*:")
IMPORT = re.compile(r"^\s*(import\b|from\s+\S+\s+import\b|#\s*include\b|use\s|using\s|require\b|require_relative\b|open\s|alias\s|package\s|"
                    r"const\s+.*=\s*require\(|local\s+\w+\s*=\s*require|@?import\()|^\s*(//|#|/?\*|--|%|;|\"\"\")|^\s*$")


def git(mirror, *arguments):
    done = subprocess.run(["git", f"--git-dir={mirror}", *arguments], capture_output=True)
    return done.stdout.decode("utf-8", "replace")


def git_directory(mirrors, repository):
    found = os.path.join(mirrors, repository.replace("/", "+"), "repo")
    return os.path.join(found, ".git") if os.path.isdir(os.path.join(found, ".git")) else found


def text_of(message, changed):
    """The title and the body as someone would report the problem; the body is empty if it says too little."""
    lines = message.replace("\r", "").split("\n")
    title, rest = lines[0].strip(), lines[1:]
    # A subject that a mail client wrapped goes on until the first empty line.
    while rest and rest[0].strip() and len(title) < 120:
        title += " " + rest.pop(0).strip()
    title = re.sub(r"\s*\(?#\d+\)?\s*$", "", title)
    scope = re.match(r"^([\w./+-]+)(\([^)]*\))?!?:\s+(.*)$", title)
    stems = {os.path.basename(path).split(".")[0].lower() for path in changed} | {path.lower() for path in changed}
    if scope and (scope[1].lower().split("/")[-1].split(".")[0] in stems or scope[1].lower() in stems):
        title = scope[3]
    kept = [line for line in rest if not TRAILER.match(line) and not CHANGELOG_LINE.match(line)]
    kept = [line for line in kept if line.strip().strip("*- `") not in changed]
    body = "\n".join(kept).strip()
    listed = sum(1 for line in kept if re.match(r"^\s*[*-] ", line))
    filled = sum(1 for line in kept if line.strip())
    if filled and listed > 0.6 * filled:
        return title, ""
    return title, body


def changes(mirror, commit):
    """Paths of the source files that a commit modifies, each with the changed lines of its parent; None if it is something else."""
    files, others, path, lines = collections.OrderedDict(), 0, None, 0
    status = git(mirror, "diff-tree", "-r", "--no-commit-id", "--name-status", "--no-renames", commit)
    for row in status.splitlines():
        kind, name = row.split("\t", 1)
        if name.rsplit(".", 1)[-1].lower() not in LANGUAGE_OF or TEST.search(name) or FOREIGN.search(name):
            continue
        if kind != "M":
            others += 1
            continue
        files[name] = []
    if others or not 1 <= len(files) <= MAX_FILES or len(status.splitlines()) > 12:
        return None
    diff = git(mirror, "diff-tree", "-r", "-p", "-U0", "--no-color", "--no-ext-diff", "--no-commit-id", commit, "--", *files)
    hunk, telling, header = None, False, False
    def close():
        if hunk and telling and path in files:
            files[path].append(hunk)
    for row in diff.splitlines():
        if row.startswith("diff --git"):
            close()
            hunk, header = None, True
        elif header and row.startswith("--- "):
            path = row[6:].split("\t")[0]
        elif row.startswith("@@"):
            close()
            header = False
            at = re.match(r"@@ -(\d+)(?:,(\d+))?", row)
            first, count = int(at[1]), int(at[2] or 1)
            hunk, telling = ([first, first + count - 1] if count else [first, first + 1]), False
        elif not header and row[:1] in "+-":
            lines += 1
            telling = telling or not IMPORT.match(row[1:])
    close()
    if lines > MAX_LINES:
        return None
    merged = collections.OrderedDict()
    for name, hunks in files.items():
        spans = []
        for first, last in hunks:
            if spans and first <= spans[-1][1] + 8:
                spans[-1][1] = max(last, spans[-1][1])
            else:
                spans.append([max(first, 1), max(last, 1)])
        if spans:
            merged[name] = spans
    return merged or None


def question(mirror, repository, commit):
    parents = git(mirror, "log", "-1", "--format=%P", commit).split()
    if len(parents) != 1:
        return None
    changed = changes(mirror, commit)
    if not changed:
        return None
    title, body = text_of(git(mirror, "log", "-1", "--format=%B", commit), changed)
    if UPKEEP.match(title) or not MIN_WORDS <= len(body.split()) <= MAX_WORDS or not PROBLEM.search(title + "\n" + body):
        return None
    languages = collections.Counter(LANGUAGE_OF[path.rsplit(".", 1)[-1].lower()] for path in changed)
    relevant = [{"path": path, "start_line": span[0], "end_line": span[1], "grade": "primary"}
                for path, spans in changed.items() for span in spans]
    return {"repo": f"{repository.replace('/', '+')}@{commit[:12]}", "language": languages.most_common(1)[0][0], "category": "fix",
            "query": title + "\n\n" + body, "title": title, "parent": parents[0], "relevant": relevant}


def choose(mirrors, per):
    rows = [line.split("\t") for line in open(REPOSITORIES).read().splitlines() if line]
    out = []
    for repository, split in rows:
        mirror = git_directory(mirrors, repository)
        if not os.path.isdir(mirror):
            print(f"missing: github:{repository}")
            continue
        log = git(mirror, "log", "HEAD", "--no-merges", f"-{NEWEST}", "--format=%x01%H%x02%B")
        seen = taken = 0
        for entry in log.split("\x01")[1:]:
            commit, message = entry.split("\x02", 1)
            if not MIN_WORDS <= len(message.split()) <= 2 * MAX_WORDS or UPKEEP.match(message):
                continue
            found = question(mirror, repository, commit)
            if not found:
                continue
            seen += 1
            if (seen - 1) % STRIDE:
                continue
            if git(mirror, "ls-tree", "-r", "--name-only", found["parent"]).count("\n") > MAX_TREE_FILES:
                continue
            out.append(f"{repository}\t{commit}\t{split}")
            taken += 1
            if taken >= per:
                break
        print(f"{repository}: {taken}", flush=True)
    open(COMMITS, "w").write("\n".join(out) + "\n")


def lay_out(mirrors, cache):
    rows = [line.split("\t") for line in open(COMMITS).read().splitlines() if line]
    rows.sort(key=lambda row: row[2] != "tune")
    os.makedirs(os.path.join(cache, "trees"), exist_ok=True)
    with open(os.path.join(cache, "questions.jsonl"), "w") as out:
        for repository, commit, split in rows:
            mirror = git_directory(mirrors, repository)
            found = question(mirror, repository, commit) if os.path.isdir(mirror) else None
            if not found:
                print(f"missing: github:{repository} {commit}")
                continue
            tree = os.path.join(cache, "trees", found["repo"])
            if not os.path.isdir(tree):
                # Working trees of one clone share the cache of facts.
                clone = os.path.join(cache, "clones", repository.replace("/", "+"))
                if not os.path.isdir(clone):
                    subprocess.run(["git", "clone", "-q", "--bare", "--shared", mirror, clone], check=True)
                added = subprocess.run(["git", "-C", clone, "-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "-f",
                                        "--detach", os.path.abspath(tree), found["parent"]], capture_output=True)
                if added.returncode:
                    # A mirror may lack large files; a tree without some of them is still the tree.
                    subprocess.run(["git", "-C", tree, "checkout", "-q", "-f", found["parent"], "--", "."], capture_output=True)
            if not all(os.path.isfile(os.path.join(tree, spot["path"])) for spot in found["relevant"]):
                print(f"incomplete: github:{repository} {commit}")
                continue
            found["split"] = split
            out.write(json.dumps(found) + "\n")
            out.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("action", choices=["choose", "lay-out"])
    parser.add_argument("mirrors")
    parser.add_argument("cache", nargs="?")
    parser.add_argument("--per", type=int, default=10)
    given = parser.parse_args()
    if given.action == "choose":
        choose(given.mirrors, given.per)
    elif given.cache:
        lay_out(given.mirrors, given.cache)
    else:
        sys.exit(__doc__)
