#!/usr/bin/env python3
"""Scores call edges on the PyCG micro-benchmark (github vitsalis/PyCG, micro-benchmark/snippets).

    pycg.py CASES.jsonl SNIPPETS --command 'orient --root {root} --store {store} edges --kind calls --json'

CASES.jsonl holds the truth, a case a line: case, category, files, nodes (name, path, start_line, external) and
edges (pairs of node names). A case is complete when no edge of ours is false and sound when none is missing.
The 112 standard cases are all but the categories `external` and `dynamic`.

Our symbols become PyCG's nodes: top-level code and class bodies are their module (or function), a class that is
called is the `__init__` it has or inherits and nothing where there is none, a lambda is a node. Calls of
built-ins and of other packages are left out, as our edges stay inside the repository; --external asks for them.
"""

import argparse
import ast
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Case:
    def __init__(self, record, snippets):
        self.name, self.category = record["case"], record["category"]
        self.folder = snippets / record["case"]
        nodes = {node["name"]: node for node in record["nodes"]}
        self.outside = {name for name, node in nodes.items() if node.get("external")}
        self.truth = {tuple(edge) for edge in record["edges"]}
        self.modules, self.at = {}, defaultdict(list)
        self.parents, self.trees = {}, {}
        for path in record["files"]:
            self.parse(path)
        for name, node in nodes.items():
            if not node.get("external"):
                place = (node["path"], node["start_line"])
                if name == self.modules.get(node["path"]):
                    continue
                self.at[place].append(name)

    def parse(self, path):
        tree = ast.parse((self.folder / path).read_text(encoding="utf-8"))
        self.trees[path] = tree
        name = path[: -len(".py")].replace("/", ".")
        self.modules[path] = name[: -len(".__init__")] if name.endswith(".__init__") else name
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    def scope(self, path, node):
        """The innermost function or lambda around a node, or nothing for the module."""
        node = self.parents.get(node)
        while node and not isinstance(node, (*FUNCTIONS, ast.Lambda)):
            node = self.parents.get(node)
        return node

    def label(self, path, scope):
        """PyCG's name of a scope; one the truth does not know gets a name of its own."""
        if scope is None:
            return {self.modules[path]}
        known = self.at.get((path, scope.lineno), [])
        lambdas = {name for name in known if "<lambda" in name.rsplit(".", 1)[-1]}
        if isinstance(scope, ast.Lambda):
            return lambdas or {f"{path}:{scope.lineno}:lambda"}
        return set(known) - lambdas or {f"{path}:{scope.lineno}:{scope.name}"}

    def declared(self, path, line, kinds):
        return [node for node in ast.walk(self.trees[path]) if isinstance(node, kinds) and node.lineno == line]

    def caller(self, edge):
        path, line = edge["caller"]["path"], edge["caller"].get("line") or 0
        if path not in self.trees:
            return {f"{path}:{line}"}
        found = self.declared(path, line, FUNCTIONS) if line else []
        claimed = found[0] if found else None
        if line and not found:
            claimed = self.named_lambda(path, line, edge["caller"].get("name") or "")
        calls = [node for node in self.declared(path, edge.get("line"), ast.Call)]
        named = [node for node in calls if called(node) == edge["callee"].get("name")] or calls
        inner = [self.scope(path, node) for node in named]
        if inner and all(isinstance(scope, ast.Lambda) and self.within(scope, claimed) for scope in inner):
            claimed = inner[0]
        return self.label(path, claimed)

    def named_lambda(self, path, line, name):
        """The lambda a caller's line and name mean, else the function around that line."""
        lambdas = self.declared(path, line, ast.Lambda)
        for node in lambdas:
            holder = self.parents[node]
            targets = [getattr(target, "id", None) for target in getattr(holder, "targets", [])]
            if name.startswith("<lambda") or name in targets:
                return node
        statements = self.declared(path, line, ast.stmt)
        return self.scope(path, statements[0]) if statements else None

    def within(self, node, outer):
        while node:
            if node is outer:
                return True
            node = self.parents.get(node)
        return outer is None

    def callee(self, edge):
        """The nodes a called symbol means; nothing when PyCG has no node for it."""
        path, line = edge["callee"]["path"], edge["callee"].get("line") or 0
        if path not in self.trees:
            return {f"{path}:{line}"}
        classes = self.declared(path, line, ast.ClassDef)
        if classes:
            made = self.maker(path, classes[0], set())
            return self.label(*made) if made else set()
        functions = self.declared(path, line, FUNCTIONS)
        if functions:
            return self.label(path, functions[0])
        lambdas = self.declared(path, line, ast.Lambda)
        return self.label(path, lambdas[0]) if lambdas else {f"{path}:{line}"}

    def maker(self, path, node, seen):
        """The `__init__` of a class or of its bases, found by their names."""
        seen.add(node)
        for member in node.body:
            if isinstance(member, FUNCTIONS) and member.name == "__init__":
                return path, member
        for base in node.bases:
            name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", None)
            for other, tree in self.trees.items():
                for candidate in ast.walk(tree):
                    if isinstance(candidate, ast.ClassDef) and candidate.name == name and candidate not in seen:
                        found = self.maker(other, candidate, seen)
                        if found:
                            return found
        return None

    def judge(self, edges, external):
        """(false edges, missing edges). An edge that means one of several lambdas of a line is right if any is."""
        wanted = {edge for edge in self.truth if external or edge[1] not in self.outside}
        found, false = set(), set()
        for edge in edges:
            pairs = {(caller, callee) for caller in self.caller(edge) for callee in self.callee(edge)}
            right = pairs & self.truth
            found |= right
            if pairs and not right:
                false |= pairs
        return sorted(false), sorted(wanted - found)


def called(call):
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None)


def edges_of(case, args):
    if args.edges:
        text = (args.edges / f"{case.name.replace('/', '.')}.jsonl").read_text(encoding="utf-8")
    else:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "case"
            shutil.copytree(case.folder, root)
            command = [part.format(root=root, store=Path(folder) / "store") for part in shlex.split(args.command)]
            done = subprocess.run(command, capture_output=True, text=True, cwd=root)
            if done.returncode:
                sys.exit(f"{case.name}: {shlex.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
            text = done.stdout
    kinds = set(args.our_kinds.split(","))
    edges = [json.loads(line) for line in text.splitlines() if line.strip()]
    return [edge for edge in edges if edge.get("kind", "calls") in kinds]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("snippets", type=Path)
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--command", help="prints the edges of {root}; {store} is an empty folder")
    given.add_argument("--edges", type=Path, help="folder with edges already printed, <category>.<case>.jsonl")
    parser.add_argument("--our-kinds", default="calls,constructs")
    parser.add_argument("--external", action="store_true", help="ask for calls of built-ins and other packages too")
    parser.add_argument("--all", action="store_true", help="all cases, not only the 112 standard ones")
    return parser.parse_args()


def main():
    args = arguments()
    cases = [Case(json.loads(line), args.snippets) for line in args.cases.read_text(encoding="utf-8").splitlines()]
    if not args.all:
        cases = [case for case in cases if case.category not in ("external", "dynamic")]
    table = defaultdict(lambda: [0, 0, 0])
    for case in cases:
        false, missing = case.judge(edges_of(case, args), args.external)
        for row in (table[case.category], table["all"]):
            row[0] += 1
            row[1] += not false
            row[2] += not missing
        for word, edges in (("false", false), ("missing", missing)):
            for caller, callee in edges:
                print(f"{case.name}\t{word}\t{caller} -> {callee}")
    print(f"\n{'category':<16} {'cases':>6} {'complete':>9} {'sound':>6}")
    for category in sorted(table, key=lambda word: (word == "all", word)):
        print(f"{category:<16} {table[category][0]:>6} {table[category][1]:>9} {table[category][2]:>6}")


if __name__ == "__main__":
    main()
