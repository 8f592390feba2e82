#!/usr/bin/env python3
"""Writes the call edges of a Python project as the pyright type checker sees them.

    main.py --root DIR --out OUT.jsonl --server 'node .../pyright/langserver.index.js --stdio' --python VENV/bin/python

Every call and every bare decorator is looked up with a language server: the definition of the called name,
and for values the type behind them. What the checker cannot tell is in no edge, only in OUT.sites.jsonl with
status `unknown`.
"""

import argparse
import ast
import json
import re
import shlex
from pathlib import Path

from scopes import FUNCTIONS, File
from server import Server

SKIP = {".git", "node_modules", ".venv", "venv", "__pycache__", "build", "dist", ".tox", ".nox"}


class Oracle:
    def __init__(self, root, server, python):
        self.root = root
        self.files = {}
        for path in sorted(root.rglob("*.py")):
            relative = path.relative_to(root)
            if SKIP.isdisjoint(relative.parts):
                try:
                    self.files[relative.as_posix()] = File(relative.as_posix(), path.read_text(encoding="utf-8"))
                except (SyntaxError, UnicodeDecodeError) as fault:
                    print(f"left out {relative}: {fault}")
        self.server = Server(shlex.split(server), root, python)
        self.bases = {}
        self.derived = {}
        self.edges, self.sites = set(), set()

    def run(self):
        for file in self.files.values():
            self.opened(file, self.heritage)
        for file in self.files.values():
            self.opened(file, self.calls)
        self.server.stop()

    def opened(self, file, work):
        uri = self.server.open(file.path, file.text)
        work(file, uri)
        self.server.close(uri)

    def local(self, place):
        """The file of ours a place lies in, or nothing."""
        try:
            return self.files.get(Path(place[0]).relative_to(self.root).as_posix())
        except ValueError:
            return None

    def heritage(self, file, uri):
        for made in file.everything:
            if not made.is_class:
                continue
            for base in made.node.bases:
                base = base.value if isinstance(base, ast.Subscript) else base
                if isinstance(base, (ast.Name, ast.Attribute)):
                    for other in self.defined(uri, *file.end(base)):
                        if other.is_class:
                            self.bases.setdefault(id(made), []).append(other)
                            self.derived.setdefault(id(other), []).append(made)

    def defined(self, uri, line, column):
        found = []
        for place in self.server.places("definition", uri, line, column):
            file = self.local(place)
            made = file and file.definitions.get(place[1:])
            if made and made not in found:
                found.append(made)
        return found

    def calls(self, file, uri):
        for site in file.sites:
            self.record(file, site, *self.target(file, uri, site))

    def target(self, file, uri, site):
        """(definitions best first, plain places, kind, dynamic, status) of a call."""
        places = self.server.places("definition", uri, site.line, site.column)
        if not places:
            return [], [], site.kind, False, "unknown"
        ours = [place for place in places if self.local(place)]
        definitions = []
        for place in ours:
            made = self.local(place).definitions.get(place[1:])
            if made and made not in definitions:
                definitions.append(made)
        if definitions:
            return self.known(site, definitions)
        held = self.value(file, uri, site, ours)
        if held:
            return held
        return [], [], site.kind, False, "external" if not ours else "value"

    def known(self, site, definitions):
        if definitions[0].is_class:
            ranked = [each for made in definitions if made.is_class for each in self.makers(made)]
            return ranked, [], "construct" if site.kind == "call" else site.kind, False, "inside"
        siblings = [each for made in definitions for each in self.siblings(made)]
        behind = [each for made in definitions for each in self.overrides(made)]
        plain = [made for made in siblings if not stub(made)]
        first = next((made for made in plain if made in definitions), (plain or definitions)[0])
        rest = [made for made in (*definitions, *siblings, *behind) if made is not first]
        return [first, *rest], [], site.kind, stub(first) or bool(abstract(first)), "inside"

    def siblings(self, made):
        """Definitions of the same name in the same place: overloads, both branches of an `if`."""
        scope = made.owner.members if made.owner else self.files[made.path].top
        same = scope.get(made.name, [made])
        return [each for each in same if not accessor(each)] if not accessor(made) else [made]

    def overrides(self, made):
        found, queue, seen = [], [made.owner] if made.owner and made.owner.is_class else [], set()
        while queue:
            for other in self.derived.get(id(queue.pop()), []):
                if id(other) not in seen:
                    seen.add(id(other))
                    queue.append(other)
                    found.extend(other.members.get(made.name, []))
        return found

    def makers(self, made):
        """The class and what runs when it is called, best first."""
        own = [*made.members.get("__init__", []), *made.members.get("__new__", [])]
        own.sort(key=stub)
        if own:
            return [own[0], made, *own[1:]]
        inherited, queue, seen = [], [made], set()
        while queue and not inherited:
            for base in self.bases.get(id(queue.pop(0)), []):
                if id(base) not in seen:
                    seen.add(id(base))
                    queue.append(base)
                    inherited += [*base.members.get("__init__", []), *base.members.get("__new__", [])]
        return [made, *inherited]

    def value(self, file, uri, site, ours):
        """A variable, attribute or parameter is called: what its type says."""
        owner = site.owner
        func = site.node.func if isinstance(site.node, ast.Call) else site.node
        if owner and isinstance(func, ast.Name) and first_of_class(owner, func.id):
            return self.makers(owner.owner), [], "construct", True, "inside"
        plain = [(self.local(place).path, place[1]) for place in ours if place[1:] in self.local(place).assigned]
        followed = self.follow(ours)
        if followed:
            definitions, _, kind, dynamic, status = self.known(site, followed)
            return definitions, plain, kind, dynamic, status
        types = self.typed(uri, site)
        if types:
            definitions, kind = types
            return definitions, plain, kind, True, "inside"
        if plain and lambda_at(self.local(ours[0]), ours[0][1:]):
            return [], plain, site.kind, False, "inside"
        return ([], plain, "value", True, "value") if ours else None

    def follow(self, ours):
        """`f = g` at the top of a file or class: what `g` is."""
        if len(ours) != 1:
            return []
        file = self.local(ours[0])
        value, name = file.assigned.get(ours[0][1:], (None, None))
        if not isinstance(value, (ast.Name, ast.Attribute)) or not isinstance(name, ast.Name):
            return []
        uri = (self.root / file.path).as_uri()
        return self.defined(uri, *file.end(value))

    def typed(self, uri, site):
        """Instances with `__call__`, and variables that hold a class."""
        shown = self.server.hover(uri, site.line, site.column)
        match = re.match(r"\((?:variable|parameter|property|constant|type)\) [^:]*: (.*)", shown, re.S)
        said = match.group(1) if match else ""
        if "->" in said:
            return None
        found = []
        for place in self.server.places("typeDefinition", uri, site.line, site.column):
            file = self.local(place)
            made = file and file.definitions.get(place[1:])
            if made and made.is_class and made not in found:
                found.append(made)
        if not found:
            return None
        if said.startswith(("type[", "Type[")):
            return [each for made in found for each in self.makers(made)], "construct"
        return self.callables(found)

    def callables(self, classes):
        for made in classes:
            queue, seen = [made], set()
            while queue:
                base = queue.pop(0)
                if base.members.get("__call__"):
                    first = base.members["__call__"][-1]
                    return [first, *self.overrides(first)], "call"
                for other in self.bases.get(id(base), []):
                    if id(other) not in seen:
                        seen.add(id(other))
                        queue.append(other)
        return None

    def record(self, file, site, definitions, plain, kind, dynamic, status):
        caller = called_from(file.path, site.around)
        places = []
        for path, line, name in [*((made.path, made.line, made.name) for made in definitions),
                                 *((path, line, site.name) for path, line in plain)]:
            if not any(other["path"] == path and other["line"] == line for other in places):
                places.append({"path": path, "line": line, "name": name})
        self.sites.add(json.dumps({"path": file.path, "line": site.line, "col": site.column + 1, "name": site.name,
                                   "caller": caller["line"], "status": status, "callees": places}))
        if places:
            edge = {"caller": caller, "callee": places[0], "at": site.line, "kind": kind}
            if dynamic:
                edge["dynamic"] = True
            if places[1:]:
                edge["also"] = places[1:]
            self.edges.add(json.dumps(edge))


def called_from(path, around):
    hard = next((index for index, symbol in enumerate(around) if not symbol.soft), None)
    near = around if hard is None else around[: hard + 1]
    if not near:
        return {"path": path, "line": 0}
    made = {"path": path, "line": near[0].line, "name": near[0].name}
    also = sorted({symbol.line for symbol in near[1:]} | ({0} if hard is None else set()))
    also = [line for line in also if line != near[0].line]
    return {**made, "also": also} if also else made


def decorators(made):
    for node in made.node.decorator_list:
        node = node.func if isinstance(node, ast.Call) else node
        yield node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def stub(made):
    return "overload" in decorators(made)


def abstract(made):
    return "abstractmethod" in decorators(made)


def accessor(made):
    return any(word in ("setter", "deleter", "getter") for word in decorators(made))


def first_of_class(owner, name):
    """Whether the name is `cls` of a class method."""
    while owner and isinstance(owner.node, FUNCTIONS):
        arguments = owner.node.args.posonlyargs + owner.node.args.args
        if arguments and arguments[0].arg == name and owner.owner and owner.owner.is_class:
            return owner.name == "__new__" or "classmethod" in decorators(owner)
        return False
    return False


def lambda_at(file, place):
    value, _ = file.assigned.get(place, (None, None))
    return isinstance(value, ast.Lambda)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--server", required=True, help="command of the language server, with --stdio")
    parser.add_argument("--python", default="python3", help="interpreter whose packages the project needs")
    args = parser.parse_args()
    oracle = Oracle(args.root.resolve(), args.server, args.python)
    oracle.run()
    args.out.write_text("".join(line + "\n" for line in sorted(oracle.edges)), encoding="utf-8")
    args.out.with_suffix(".sites.jsonl").write_text("".join(line + "\n" for line in sorted(oracle.sites)), encoding="utf-8")
    scope = {"root": str(oracle.root), "files": sorted(oracle.files)}
    args.out.with_suffix(".scope.json").write_text(json.dumps(scope, indent=1) + "\n", encoding="utf-8")
    print(f"{args.out}: {len(oracle.edges)} edges, {len(oracle.sites)} call sites, {len(oracle.files)} files")


if __name__ == "__main__":
    main()
