// Where a declaration's name stands, and which named symbols lie around a node.
"use strict";
const ts = require("typescript");

const TESTS = new Set(["describe", "it", "test", "suite", "context", "specify", "bench", "fit", "xit", "fdescribe"]);

const isFunctionLike = (node) =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node) || ts.isAccessor(node);

// The node through brackets, casts and `satisfies`.
function bare(node) {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) || ts.isTypeAssertionExpression(node))) node = node.expression;
  return node;
}

// The name node a value without a name of its own is put under: `const f = () => ...`, `{ f: () => ... }`.
// With `wrapped`, a function handed to a call counts too: `const f = memo(() => ...)`.
function assignedName(node, wrapped) {
  let child = node;
  let parent = node.parent;
  for (;;) {
    if (ts.isParenthesizedExpression(parent) || ts.isAsExpression(parent) || ts.isSatisfiesExpression(parent) ||
      ts.isNonNullExpression(parent) || ts.isTypeAssertionExpression(parent) ||
      (wrapped && ts.isCallExpression(parent) && parent.arguments.includes(child))) {
      child = parent;
      parent = parent.parent;
      continue;
    }
    break;
  }
  if ((ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent) ||
    ts.isParameter(parent) || ts.isBindingElement(parent)) && parent.initializer === child) {
    return ts.isIdentifier(parent.name) || ts.isPrivateIdentifier(parent.name) || ts.isStringLiteral(parent.name)
      ? parent.name : undefined;
  }
  if (ts.isBinaryExpression(parent) && parent.right === child &&
    [ts.SyntaxKind.EqualsToken, ts.SyntaxKind.QuestionQuestionEqualsToken, ts.SyntaxKind.BarBarEqualsToken]
      .includes(parent.operatorToken.kind)) {
    const left = bare(parent.left);
    if (ts.isIdentifier(left)) return left;
    if (ts.isPropertyAccessExpression(left)) return left.name;
    if (ts.isElementAccessExpression(left) && ts.isStringLiteralLike(left.argumentExpression)) {
      return left.argumentExpression;
    }
  }
  return undefined;
}

// The node whose line is the line of the declared name.
function nameNode(declaration) {
  if (ts.isConstructorDeclaration(declaration)) {
    return declaration.getChildren().find((child) => child.kind === ts.SyntaxKind.ConstructorKeyword) || declaration;
  }
  if (declaration.name) return declaration.name;
  if (ts.isBinaryExpression(declaration)) {
    const left = bare(declaration.left);
    return ts.isPropertyAccessExpression(left) ? left.name : left;
  }
  if (ts.isPropertyAccessExpression(declaration)) return declaration.name;
  return assignedName(declaration, true) || declaration;
}

// The declared symbols around a node, innermost first: { node, name, soft }. A soft symbol lets the next one count too.
function around(start) {
  const found = [];
  for (let child = start, node = start.parent; node; child = node, node = node.parent) {
    const modifier = ts.isDecorator(child);
    if (ts.isFunctionDeclaration(node) || ts.isClassLike(node) || ts.isModuleDeclaration(node) ||
      ts.isEnumDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      const name = node.name || (ts.isClassExpression(node) ? assignedName(node, true) : undefined);
      if (name) found.push({ node: name, soft: modifier || ts.isModuleDeclaration(node) || ts.isClassExpression(node) });
    } else if (ts.isConstructorDeclaration(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node)) {
      const literal = ts.isObjectLiteralExpression(node.parent);
      const inner = ts.isParameter(child) || modifier;
      found.push({ node: nameNode(node), soft: literal || inner || ts.isClassExpression(node.parent) });
    } else if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
      if (node.name) found.push({ node: node.name, soft: true });
      const assigned = assignedName(node, true);
      if (assigned) found.push({ node: assigned, soft: !isDefinite(node, assigned) });
      const test = testName(node);
      if (test) found.push({ node: test, soft: true });
    } else if (ts.isPropertyDeclaration(node)) {
      found.push({ node: node.name, soft: true });
      const maker = node.parent.members.find((member) => ts.isConstructorDeclaration(member) && member.body);
      if (maker) found.push({ node: nameNode(maker), soft: true });
    } else if (ts.isEnumMember(node)) {
      found.push({ node: node.name, soft: true });
    } else if (ts.isVariableDeclaration(node) && !insideFunction(node)) {
      for (const name of boundNames(node.name)) found.push({ node: name, soft: true });
    } else if (ts.isPropertyAssignment(node) && child === node.initializer) {
      found.push({ node: node.name, soft: true, weak: true });
    }
  }
  return found;
}

// `const f = () => ...` and the like in a class: the function has that name and no other.
function isDefinite(node, assigned) {
  const holder = assigned.parent;
  return (ts.isVariableDeclaration(holder) || ts.isPropertyDeclaration(holder)) && bare(holder.initializer) === node;
}

// The string that names a test block: `it("adds", () => ...)`.
function testName(node) {
  const call = node.parent;
  if (!ts.isCallExpression(call) || !call.arguments.includes(node) || call.arguments.length < 2) return undefined;
  let callee = call.expression;
  while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee) || ts.isTaggedTemplateExpression(callee)) {
    callee = ts.isTaggedTemplateExpression(callee) ? callee.tag : callee.expression;
  }
  const first = call.arguments[0];
  return ts.isIdentifier(callee) && TESTS.has(callee.text) && first !== node ? first : undefined;
}

function insideFunction(node) {
  for (let outer = node.parent; outer; outer = outer.parent) if (isFunctionLike(outer)) return true;
  return false;
}

function boundNames(name) {
  if (ts.isIdentifier(name)) return [name];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}

module.exports = { around, assignedName, bare, isFunctionLike, nameNode };
