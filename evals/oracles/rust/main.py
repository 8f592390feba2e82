#!/usr/bin/env python3
"""Writes the call edges of a Rust workspace as rust-analyzer sees them.

    rust-analyzer scip ROOT --output INDEX.scip
    main.py --root ROOT --scip INDEX.scip --out OUT.jsonl [--as DIR]

What each name means comes from the SCIP index; which names are called, and by what, from the syntax tree
(needs the packages tree-sitter and tree-sitter-rust). Code that is not compiled for this platform has no
occurrences in the index: its call sites have the status `unknown`.
"""

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

import tree_sitter
import tree_sitter_rust
from scip import documents

LANGUAGE = tree_sitter.Language(tree_sitter_rust.language())
NAMES = {"identifier", "field_identifier", "type_identifier"}
# Whether a symbol around a reference settles who the caller is (False), or lets the one around it count too (True).
SOFT = {"function_item": False, "struct_item": False, "enum_item": False, "trait_item": False, "macro_definition": False,
        "const_item": True, "static_item": True, "mod_item": False}


class Source:
    """One file: its tree, the names in it that are called, and the symbols around each."""

    def __init__(self, path, data):
        self.path = path
        self.data = data
        self.uses = {}
        self.walk(tree_sitter.Parser(LANGUAGE).parse(data).root_node, [])

    def walk(self, node, around):
        made = self.symbol(node)
        if made:
            around = [made, *around]
        if node.type == "call_expression":
            self.use(called(node.child_by_field_name("function")), "call", around)
        elif node.type == "macro_invocation":
            self.use(last_name(node.child_by_field_name("macro")), "macro", around)
        elif node.type == "struct_expression":
            self.use(last_name(node.child_by_field_name("name")), "literal", around)
        elif node.type in ("tuple_struct_pattern", "struct_pattern"):
            self.use(last_name(node.child_by_field_name("type")), "pattern", around)
        elif node.type == "token_tree":
            self.tokens(node, around)
        for child in node.children:
            self.walk(child, around)
        if node.type in NAMES:
            self.uses.setdefault((node.start_point[0] + 1, node.start_point[1]), (node, "ref", around))

    def symbol(self, node):
        """(name, line, soft) of the symbol a node declares."""
        if node.type in SOFT:
            name = node.child_by_field_name("name")
            return (text(name), name.start_point[0] + 1, SOFT[node.type]) if name else None
        if node.type == "let_declaration":
            value, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
            if value and value.type == "closure_expression" and pattern and pattern.type == "identifier":
                return text(pattern), pattern.start_point[0] + 1, True
        return None

    def use(self, name, kind, around):
        if name:
            self.uses[(name.start_point[0] + 1, name.start_point[1])] = (name, kind, around)

    def tokens(self, node, around):
        """Inside a macro's arguments there are only tokens: a name before `(` is a call, before `!` a macro, a type
        before `{` a literal."""
        children = node.children
        for index, child in enumerate(children):
            if child.type not in NAMES:
                continue
            after = index + 1
            if after + 1 < len(children) and text(children[after]) == "::" and text(children[after + 1]) == "<":
                after = past_generics(children, after + 1)
            if after >= len(children):
                continue
            following = children[after]
            if following.type == "token_tree" and following.start_byte == children[after - 1].end_byte and text(following)[:1] == "(":
                self.use(child, "call", around)
            elif following.type == "token_tree" and text(following)[:1] == "{" and text(child)[:1].isupper():
                self.use(child, "literal", around)
            elif text(following) == "!" and after + 1 < len(children) and children[after + 1].type == "token_tree":
                self.use(child, "macro", around)


def package(symbol):
    """The package of a symbol: scheme, manager, name and version."""
    return " ".join(symbol.split(" ")[:4])


def text(node):
    return node.text.decode(errors="replace")


def past_generics(children, at):
    depth = 0
    while at < len(children):
        word = text(children[at])
        depth += word == "<"
        depth -= word == ">"
        at += 1
        if depth == 0:
            break
    return at


def called(node):
    """The name a call is written with."""
    if node is None:
        return None
    if node.type == "field_expression":
        return node.child_by_field_name("field")
    if node.type == "generic_function":
        return called(node.child_by_field_name("function"))
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        return called(node.named_child(0))
    return last_name(node)


def last_name(node):
    if node is None:
        return None
    if node.type in ("scoped_identifier", "scoped_type_identifier"):
        return node.child_by_field_name("name")
    if node.type in ("generic_type", "generic_type_with_turbofish"):
        return last_name(node.child_by_field_name("type"))
    return node if node.type in NAMES else None


class Oracle:
    def __init__(self, root, index):
        self.root = root
        self.files, self.places, self.impls, self.traits = {}, {}, defaultdict(list), {}
        self.twins = defaultdict(list)
        found = list(documents(index))
        for path, occurrences in found:
            file = root / path
            if file.suffix == ".rs" and file.is_file():
                self.files[path] = (Source(path, file.read_bytes()), occurrences)
        for path, (source, occurrences) in self.files.items():
            for occurrence in occurrences:
                if occurrence.defines and not occurrence.symbol.startswith("local "):
                    self.define(path, source, occurrence)
        # The index leaves out the definitions of a file that several crates of a package include.
        self.packages = {package(symbol) for symbol in self.places}
        self.edges, self.sites = set(), set()

    def define(self, path, source, occurrence):
        line = source.data.split(b"\n")[occurrence.line - 1]
        name = line[occurrence.start:occurrence.end].decode(errors="replace")
        here = {"path": path, "line": occurrence.line, "name": name}
        self.places.setdefault(occurrence.symbol, here)
        self.twins[occurrence.symbol].append(here)
        match = re.search(r"impl#(?:\[[^\]]*\]|`[^`]*`)?\[(`[^`]*`|[^\]]*)\](\w+)\(\)\.$", occurrence.symbol)
        if match:
            trait = re.sub(r"[`<].*|`", "", match.group(1).strip("`")).split("::")[-1]
            self.impls[(trait, match.group(2))].append(occurrence.symbol)
        match = re.search(r"(\w+)#(\w+)\(\)\.$", occurrence.symbol)
        if match and not match.group(1).startswith("impl"):
            self.traits[(match.group(1), match.group(2))] = occurrence.symbol

    def run(self):
        for path, (source, occurrences) in self.files.items():
            answered = set()
            self.locals = {one.symbol: one.line for one in occurrences if one.defines and one.symbol.startswith("local ")}
            for occurrence in occurrences:
                at = (occurrence.line, occurrence.start)
                if occurrence.defines or at not in source.uses:
                    continue
                answered.add(at)
                self.record(path, at, source.uses[at], occurrence.symbol)
            for at, (node, kind, around) in source.uses.items():
                # The index has no name for `Self`: what its literals make is not known.
                if kind in ("call", "literal") and at not in answered:
                    self.site(path, at, text(node), around, "unknown", [])

    def record(self, path, at, use, symbol):
        node, kind, around = use
        if symbol.startswith("local "):
            if kind == "call":
                self.site(path, at, text(node), around, "value", [])
                self.value(path, at, text(node), around, {"path": path, "line": self.locals.get(symbol)})
            return
        if kind == "call" and symbol.endswith(".") and not symbol.endswith("()."):
            self.site(path, at, text(node), around, "value", [])
            self.value(path, at, text(node), around, self.places.get(symbol, {}))
            return
        kind = self.kind(kind, symbol)
        if kind is None:
            return
        callee = self.nearest(symbol, path, at[0])
        also, dynamic = self.relatives(symbol)
        places = [callee] if callee else []
        places += [self.places[other] for other in also if other in self.places]
        if not callee and places and kind == "call":
            kind, dynamic = "dispatch", True
        if kind == "literal" and not callee:
            self.site(path, at, text(node), around, "unknown", [])
        if kind in ("call", "construct", "variant", "dispatch"):
            lost = not callee and package(symbol) in self.packages
            status = "unknown" if kind == "dispatch" or lost else "inside" if callee else "external"
            self.site(path, at, text(node), around, status, places)
        if places:
            edge = {"caller": caller(path, around), "callee": places[0], "at": at[0], "kind": kind}
            if dynamic:
                edge["dynamic"] = True
            if places[1:]:
                edge["also"] = places[1:]
            self.edges.add(json.dumps(edge))

    def nearest(self, symbol, path, line):
        """The definition of a symbol. Functions inside of functions may share one: the last before the use is meant."""
        here = [one for one in self.twins.get(symbol, []) if one["path"] == path and one["line"] <= line]
        return here[-1] if here else self.places.get(symbol)

    def value(self, path, at, name, around, held):
        """A call of what a variable or a field holds."""
        if held.get("line"):
            edge = {"caller": caller(path, around), "callee": {**held, "name": name}, "at": at[0], "kind": "value"}
            self.edges.add(json.dumps(edge))

    @staticmethod
    def kind(kind, symbol):
        """The kind of a use, by how it is written and what it means; nothing for uses that are no business of ours."""
        if symbol.endswith("()."):
            return kind if kind in ("call", "ref") else None
        if symbol.endswith("!"):
            return "macro"
        if kind == "literal":
            return "literal"
        if kind == "call" and symbol.endswith("#"):
            variant = re.search(r"\w+#\w+#$", symbol)
            return "variant" if variant else "construct"
        return None

    def relatives(self, symbol):
        """The implementations behind a trait's method, or the trait's method behind an implementation."""
        match = re.search(r"(\w+)#(\w+)\(\)\.$", symbol)
        if match and not match.group(1).startswith("impl"):
            found = self.impls.get((match.group(1), match.group(2)), [])
            return found, bool(found)
        for key, implementations in self.impls.items():
            if symbol in implementations and key in self.traits:
                return [self.traits[key]], False
        return [], False

    def site(self, path, at, name, around, status, callees):
        line = around[0][1] if around else 0
        self.sites.add(json.dumps({"path": path, "line": at[0], "col": at[1] + 1, "name": name, "caller": line,
                                   "status": status, "callees": callees}))


def caller(path, around):
    hard = next((index for index, symbol in enumerate(around) if not symbol[2]), None)
    near = around if hard is None else around[: hard + 1]
    if not near:
        return {"path": path, "line": 0}
    also = [line for _, line, _ in near[1:]] + ([0] if hard is None else [])
    made = {"path": path, "line": near[0][1], "name": near[0][0]}
    return {**made, "also": also} if also else made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--scip", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--as", dest="shown", help="root named in the scope file")
    args = parser.parse_args()
    oracle = Oracle(args.root.resolve(), args.scip)
    oracle.run()
    args.out.write_text("".join(line + "\n" for line in sorted(oracle.edges)), encoding="utf-8")
    args.out.with_suffix(".sites.jsonl").write_text("".join(line + "\n" for line in sorted(oracle.sites)), encoding="utf-8")
    scope = {"root": args.shown or str(oracle.root), "files": sorted(oracle.files)}
    args.out.with_suffix(".scope.json").write_text(json.dumps(scope, indent=1) + "\n", encoding="utf-8")
    print(f"{args.out}: {len(oracle.edges)} edges, {len(oracle.sites)} call sites, {len(oracle.files)} files")


if __name__ == "__main__":
    main()
