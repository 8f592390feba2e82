// Which declarations stand behind a member: overrides in derived types, functions assigned to it.
"use strict";
const ts = require("typescript");
const { bare, isFunctionLike } = require("./names.js");

class Members {
  constructor(checker, sources) {
    this.checker = checker;
    this.derived = new Map();
    this.assigned = new Map();
    for (const source of sources) this.survey(source);
  }

  survey(node) {
    if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) this.heritage(node);
    else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) this.assignment(node);
    else if (ts.isObjectLiteralExpression(node)) this.literal(node);
    ts.forEachChild(node, (child) => this.survey(child));
  }

  heritage(node) {
    const own = this.checker.getTypeAtLocation(node).symbol;
    for (const clause of node.heritageClauses || []) {
      for (const base of clause.types) {
        const symbol = this.checker.getTypeAtLocation(base).symbol;
        if (symbol && own) put(this.derived, symbol, own);
      }
    }
  }

  assignment(node) {
    const left = bare(node.left);
    const right = bare(node.right);
    if (!ts.isPropertyAccessExpression(left) || !right || !isFunctionLike(right)) return;
    const symbol = this.checker.getSymbolAtLocation(left.name);
    for (const declaration of (symbol && symbol.declarations) || []) put(this.assigned, declaration, node);
  }

  literal(node) {
    const members = node.properties.filter((member) =>
      ts.isMethodDeclaration(member) || (ts.isPropertyAssignment(member) && isFunctionLike(bare(member.initializer))));
    if (members.length === 0) return;
    const type = this.checker.getContextualType(node);
    if (!type) return;
    for (const member of members) {
      const property = ts.isIdentifier(member.name) ? this.checker.getPropertyOfType(type, member.name.text) : undefined;
      for (const declaration of (property && property.declarations) || []) {
        if (declaration !== member) put(this.assigned, declaration, member);
      }
    }
  }

  // What may run when this member is called, without the member itself.
  behind(declaration) {
    const found = new Set(this.assigned.get(declaration) || []);
    const owner = declaration.parent && (ts.isClassLike(declaration.parent) || ts.isInterfaceDeclaration(declaration.parent))
      ? this.checker.getTypeAtLocation(declaration.parent).symbol : undefined;
    const name = declaration.name && declaration.name.text;
    if (!owner || !name) return found;
    if (ts.isInterfaceDeclaration(declaration.parent)) this.inherited(owner, name).forEach((member) => found.add(member));
    const seen = new Set([owner]);
    const queue = [owner];
    while (queue.length > 0) {
      for (const type of this.derived.get(queue.pop()) || []) {
        if (seen.has(type)) continue;
        seen.add(type);
        queue.push(type);
        const member = type.members && type.members.get(ts.escapeLeadingUnderscores(name));
        for (const other of (member && member.declarations) || []) {
          found.add(other);
          for (const node of this.assigned.get(other) || []) found.add(node);
        }
      }
    }
    return found;
  }
  // An interface that merges with a class redeclares members which the class inherits: what runs is the base's.
  inherited(owner, name) {
    const found = [];
    let at = owner;
    for (let depth = 0; at && depth < 20; depth += 1) {
      const type = (at.declarations || []).find((each) => ts.isClassLike(each));
      const clause = type && (type.heritageClauses || []).find((each) => each.token === ts.SyntaxKind.ExtendsKeyword);
      at = clause && this.checker.getTypeAtLocation(clause.types[0].expression).symbol;
      const member = at && at.members && at.members.get(ts.escapeLeadingUnderscores(name));
      const bodies = ((member && member.declarations) || []).filter((each) => each.body);
      found.push(...bodies);
    }
    return found;
  }
}

function put(map, key, value) {
  if (!map.has(key)) map.set(key, new Set());
  map.get(key).add(value);
}

module.exports = { Members };
