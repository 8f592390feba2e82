"""What a Python file declares, which calls it holds, and which named symbols lie around each."""

import ast
from dataclasses import dataclass, field

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Definition:
    """A function or class: where its name stands and what holds it."""
    path: str
    node: ast.AST
    name: str
    line: int
    column: int
    owner: "Definition | None"
    members: dict = field(default_factory=dict)

    @property
    def is_class(self):
        return isinstance(self.node, ast.ClassDef)


@dataclass
class Symbol:
    name: str
    line: int
    soft: bool


@dataclass
class Site:
    """A call (or a bare decorator): the name it is written with, and the symbols around it, innermost first."""
    name: str
    line: int
    column: int
    kind: str
    around: list
    owner: Definition | None
    node: ast.AST


class File:
    """One parsed file. Columns are UTF-16 units, as language servers count."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.split("\n")
        self.definitions = {}
        self.everything = []
        self.assigned = {}
        self.sites = []
        self.top = {}
        self.walk(ast.parse(text), [], None)

    def column(self, line, offset):
        before = self.lines[line - 1].encode()[:offset].decode(errors="replace")
        return len(before.encode("utf-16-le")) // 2

    def walk(self, node, around, owner):
        for child in ast.iter_child_nodes(node):
            self.visit(child, around, owner)

    def visit(self, node, around, owner):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            self.define(node, around, owner)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            self.assign(node, around, owner)
        else:
            if isinstance(node, ast.Call):
                self.call(node.func, "call", around, owner, node)
            self.walk(node, around, owner)

    def define(self, node, around, owner):
        line = node.lineno
        text = self.lines[line - 1]
        start = text.encode()[: node.col_offset].decode(errors="replace")
        rest = text[len(start):]
        word = "class" if isinstance(node, ast.ClassDef) else "def"
        offset = len(start) + rest.index(word) + len(word)
        offset += len(text[offset:]) - len(text[offset:].lstrip())
        column = len(text[:offset].encode("utf-16-le")) // 2
        made = Definition(self.path, node, node.name, line, column, owner)
        self.definitions[(line, column)] = made
        self.everything.append(made)
        (owner.members if owner else self.top).setdefault(node.name, []).append(made)
        own = Symbol(node.name, line, False)
        header = [Symbol(node.name, line, True), *around]
        for decorator in node.decorator_list:
            if not isinstance(decorator, ast.Call):
                self.call(decorator, "decorator", header, owner, decorator)
            self.visit(decorator, header, owner)
        inside = [own, *around]
        if isinstance(node, ast.ClassDef):
            for part in (*node.bases, *node.keywords):
                self.visit(part, header, owner)
        else:
            self.visit(node.args, header, owner)
            if node.returns:
                self.visit(node.returns, header, owner)
        for part in node.body:
            self.visit(part, inside, made)

    def assign(self, node, around, owner):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target for target in targets if isinstance(target, ast.Name)]
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, (ast.Name, ast.Attribute)) and node.value is not None:
                    self.assigned[self.end(name)] = (node.value, name)
        inside = around
        held = owner is None or owner.is_class
        if isinstance(node.value, ast.Lambda) and names:
            inside = [Symbol(names[0].id, names[0].lineno, True), *around]
        elif held:
            named = [name for target in targets for name in ast.walk(target)
                     if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]
            inside = [*(Symbol(name.id, name.lineno, True) for name in named), *around]
        self.walk(node, inside, owner)

    def end(self, node):
        """Where the last name of `a.b.c` stands."""
        if isinstance(node, ast.Attribute):
            line = node.end_lineno
            return line, self.column(line, node.end_col_offset - len(node.attr.encode()))
        return node.lineno, self.column(node.lineno, node.col_offset)

    def call(self, func, kind, around, owner, node):
        if not isinstance(func, (ast.Name, ast.Attribute)):
            return
        line, column = self.end(func)
        name = func.id if isinstance(func, ast.Name) else func.attr
        self.sites.append(Site(name, line, column, kind, list(around), owner, node))
