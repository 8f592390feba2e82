// Walks the files of a program and says of every call what the checker makes of it.
"use strict";
const path = require("path");
const ts = require("typescript");
const { around, nameNode } = require("./names.js");
const { Members } = require("./members.js");
const { Targets } = require("./targets.js");

class Calls {
  constructor(program, root, edges, sites) {
    this.checker = program.getTypeChecker();
    this.root = root;
    this.edges = edges;
    this.sites = sites;
    const sources = program.getSourceFiles().filter((source) => this.inside(source.fileName) !== undefined);
    const members = new Members(this.checker, sources);
    this.targets = new Targets(this.checker, members, (node) => this.inside(node.getSourceFile().fileName) !== undefined);
  }

  // The path under the root, or nothing for files of others.
  inside(file) {
    const relative = path.relative(this.root, file).split(path.sep).join("/");
    return relative.startsWith("..") || relative.split("/").includes("node_modules") ? undefined : relative;
  }

  file(source) {
    const visit = (node) => {
      this.look(node);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }

  look(node) {
    if (ts.isCallExpression(node)) {
      if (node.expression.kind === ts.SyntaxKind.ImportKeyword) return;
      const name = calledName(node.expression);
      if (name) this.record(node, name, this.targets.call(node, name));
    } else if (ts.isNewExpression(node)) {
      const name = calledName(node.expression);
      if (name) this.record(node, name, this.targets.construct(node, name));
    } else if (ts.isTaggedTemplateExpression(node)) {
      const name = calledName(node.tag);
      if (name) this.record(node, name, this.targets.call(node, name));
    } else if (ts.isDecorator(node) && !ts.isCallExpression(node.expression)) {
      const name = calledName(node.expression);
      if (name) this.record(node, name, { ...this.targets.call(node, name), kind: "decorator" });
    } else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      const name = calledName(node.tagName);
      if (name && !ts.isJsxNamespacedName(node.tagName) && !/^[a-z]/.test(node.tagName.getText())) {
        this.record(node, name, { ...this.targets.component(name), kind: "jsx" });
      }
    }
  }

  // Declarations of one member in one container are its signatures, not implementations of each other.
  place(declaration, first) {
    const node = nameNode(declaration);
    const source = node.getSourceFile();
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    const named = ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || ts.isStringLiteralLike(node);
    const name = ts.isConstructorDeclaration(declaration) ? "constructor" : named ? node.text : undefined;
    const signature = declaration !== first && declaration.parent === first.parent ? { signature: true } : {};
    return { path: this.inside(source.fileName), line, ...(name ? { name } : {}), ...signature };
  }

  caller(node) {
    const source = node.getSourceFile();
    const at = (name) => source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1;
    const chain = around(node);
    const hard = chain.findIndex((symbol) => !symbol.soft);
    const near = hard < 0 ? chain : chain.slice(0, hard + 1);
    const first = near.find((symbol) => !symbol.weak);
    const lines = near.filter((symbol) => symbol !== first).map((symbol) => at(symbol.node));
    if (hard < 0 && first) lines.push(0);
    const made = { path: this.inside(source.fileName), line: first ? at(first.node) : 0 };
    if (first && first.node.text !== undefined) made.name = first.node.text;
    const also = [...new Set(lines)].filter((line) => line !== made.line);
    return also.length > 0 ? { ...made, also } : made;
  }

  record(node, name, target) {
    const source = node.getSourceFile();
    const at = source.getLineAndCharacterOfPosition(name.getStart(source));
    const caller = this.caller(node);
    const places = target.declarations.map((declaration) => this.place(declaration, target.declarations[0]));
    const also = places.slice(1).filter((other, index) =>
      !(other.path === places[0].path && other.line === places[0].line) &&
      places.findIndex((same) => same.path === other.path && same.line === other.line) === index + 1);
    this.sites.add(JSON.stringify({
      path: caller.path, line: at.line + 1, col: at.character + 1, name: name.text || name.getText(),
      caller: caller.line, status: target.status, callees: places.slice(0, 1).concat(also),
    }));
    if (places.length === 0) return;
    this.edges.add(JSON.stringify({
      caller, callee: places[0], at: at.line + 1, kind: target.kind,
      ...(target.dynamic ? { dynamic: true } : {}), ...(also.length > 0 ? { also } : {}),
    }));
  }
}

// The name a call is written with, through brackets, casts and type arguments.
function calledName(expression) {
  for (;;) {
    if (ts.isParenthesizedExpression(expression) || ts.isNonNullExpression(expression) || ts.isAsExpression(expression) ||
      ts.isExpressionWithTypeArguments(expression) || ts.isSatisfiesExpression(expression)) expression = expression.expression;
    else if (ts.isPropertyAccessExpression(expression)) return expression.name;
    else if (ts.isElementAccessExpression(expression)) return expression.argumentExpression;
    else if (ts.isIdentifier(expression) || expression.kind === ts.SyntaxKind.SuperKeyword) return expression;
    else return undefined;
  }
}

module.exports = { Calls };
