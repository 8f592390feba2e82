// From a call to the declarations it means.
"use strict";
const ts = require("typescript");
const { assignedName, bare, isFunctionLike } = require("./names.js");

const UNKNOWN = { declarations: [], kind: "call", status: "unknown" };
const EXTERNAL = { declarations: [], kind: "call", status: "external" };

class Targets {
  constructor(checker, members, inside) {
    this.checker = checker;
    this.members = members;
    this.inside = inside;
  }

  symbol(name) {
    // In `table[key]()` the key is a variable, not what is called.
    const key = ts.isElementAccessExpression(name.parent) && name.parent.argumentExpression === name;
    if (key && !ts.isStringLiteralLike(name)) return undefined;
    let symbol = this.checker.getSymbolAtLocation(name);
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = this.checker.getAliasedSymbol(symbol);
    return symbol;
  }

  values(symbol) {
    return ((symbol && symbol.declarations) || []).filter((declaration) =>
      !ts.isInterfaceDeclaration(declaration) && !ts.isTypeAliasDeclaration(declaration) &&
      !ts.isModuleDeclaration(declaration) && !ts.isTypeParameterDeclaration(declaration));
  }

  signature(node) {
    const found = this.checker.getResolvedSignature(node);
    const declaration = found && found.declaration;
    return declaration && !ts.isJSDocSignature(declaration) ? declaration : undefined;
  }

  call(node, name) {
    if (name.kind === ts.SyntaxKind.SuperKeyword) return this.maker(node, name);
    const symbol = this.symbol(name);
    const declared = this.values(symbol);
    const signature = ts.isDecorator(node) ? undefined : this.signature(node);
    if (declared.length === 0) return this.bySignature(node, signature);
    if (!declared.some(this.inside)) return this.foreign(declared);
    const ours = declared.filter(this.inside);
    if (ours.some(ts.isClassLike)) return this.classes(ours.filter(ts.isClassLike), "call");
    const functions = ours.filter((each) => isFunctionLike(each) || ts.isMethodSignature(each));
    return functions.length > 0 ? this.functions(functions, signature) : this.value(ours, signature);
  }

  component(name) {
    const declared = this.values(this.symbol(name)).filter(this.inside);
    return { declarations: declared, status: declared.length > 0 ? "inside" : "external" };
  }

  // No name to go by (`table["key"]()`): the signature says what it can.
  bySignature(node, signature) {
    if (!signature) return UNKNOWN;
    if (!this.inside(signature)) return EXTERNAL;
    const named = signature.name || (isFunctionLike(signature) && assignedName(signature, true));
    return named ? { declarations: [signature], kind: "call", dynamic: !signature.body, status: "inside" } : UNKNOWN;
  }

  // Members of others that types of ours stand behind.
  foreign(declared) {
    const behind = declared.flatMap((each) => [...this.members.behind(each)]).filter(this.inside);
    return behind.length > 0
      ? { declarations: behind, kind: "dispatch", dynamic: true, status: "unknown" } : EXTERNAL;
  }

  functions(declared, signature) {
    const bodies = declared.filter((each) => each.body);
    const chosen = signature && declared.includes(signature) ? signature : undefined;
    const first = (chosen && (chosen.body ? chosen : bodies.find((each) => each.parent === chosen.parent))) ||
      bodies[0] || declared[0];
    const behind = declared.flatMap((each) => [...this.members.behind(each)]).filter(this.inside);
    const others = [...declared, ...behind].filter((each) => each !== first);
    return { declarations: [first, ...others], kind: "call", dynamic: bodies.length === 0, status: "inside" };
  }

  // A variable, field or parameter is called: certain when it is bound to one function for good.
  value(declared, signature) {
    const first = declared[0];
    const held = bare(first.initializer || (ts.isBinaryExpression(first) ? first.right : undefined) ||
      (ts.isPropertyAccessExpression(first) && ts.isBinaryExpression(first.parent) ? first.parent.right : undefined));
    const local = isLocal(first);
    const fixed = !ts.isParameter(first) && !(ts.isVariableDeclaration(first) && !(ts.getCombinedNodeFlags(first) & ts.NodeFlags.Const));
    const behind = declared.flatMap((each) => [...this.members.behind(each)]).filter(this.inside);
    const others = [...declared.slice(1), ...behind];
    const status = local ? "value" : "inside";
    if (held && isFunctionLike(held) && fixed) {
      return { declarations: [first, ...others], kind: "call", status: "inside" };
    }
    const known = signature && this.inside(signature) && isFunctionLike(signature) && signature.body &&
      (signature.name || assignedName(signature, true));
    const holder = ts.isVariableDeclaration(first) || ts.isBindingElement(first) || ts.isShorthandPropertyAssignment(first) ||
      ts.isPropertyAssignment(first) || ts.isExportAssignment(first);
    if (known && fixed && holder && !returned(signature)) {
      return { declarations: [signature, first, ...others], kind: "call", status: "inside" };
    }
    if (held && fixed && !local && ts.isCallExpression(held) && held.arguments.some((each) => isFunctionLike(bare(each)))) {
      return { declarations: [first, ...others], kind: "call", status };
    }
    const also = known ? [signature] : [];
    return { declarations: [first, ...also, ...others], kind: "value", dynamic: true, status };
  }

  construct(node, name) {
    const declared = this.values(this.symbol(name));
    const classes = declared.filter((each) => ts.isClassLike(each));
    if (classes.length > 0) {
      return classes.some(this.inside) ? this.classes(classes.filter(this.inside), "construct") : EXTERNAL;
    }
    if (declared.length > 0 && !declared.some(this.inside)) return EXTERNAL;
    const made = this.maker(node, node.expression);
    if (made.declarations.length > 0) {
      return { ...made, declarations: [...made.declarations, ...declared.filter(this.inside)] };
    }
    return declared.length > 0 ? { ...this.value(declared.filter(this.inside), this.signature(node)), kind: this.constructKind(declared[0]) } : UNKNOWN;
  }

  constructKind(declaration) {
    const held = bare(declaration.initializer);
    const wraps = held && ts.isCallExpression(held) && held.arguments.some((each) => isFunctionLike(bare(each)));
    return wraps && !isLocal(declaration) ? "construct" : "value";
  }

  // `super(...)`, or `new` of an expression whose type is a class.
  maker(node, expression) {
    const symbol = this.checker.getTypeAtLocation(expression).symbol;
    const classes = ((symbol && symbol.declarations) || []).filter((each) => ts.isClassLike(each));
    if (classes.length === 0) return UNKNOWN;
    return classes.some(this.inside) ? this.classes(classes.filter(this.inside), "construct") : EXTERNAL;
  }

  classes(classes, kind) {
    const first = classes[0];
    const makers = this.makersOf(first);
    const own = makers.filter((each) => each.parent === first);
    const best = own.find((each) => each.body) || own[0] || first;
    const rest = [...makers, ...classes].filter((each) => each !== best);
    return { declarations: [best, ...rest], kind, status: "inside" };
  }

  // The constructors of a class, or of the nearest base that declares one.
  makersOf(start) {
    const seen = new Set();
    for (let at = start; at && !seen.has(at);) {
      seen.add(at);
      const own = at.members.filter(ts.isConstructorDeclaration);
      if (own.length > 0) return this.inside(at) ? own : [];
      const clause = (at.heritageClauses || []).find((each) => each.token === ts.SyntaxKind.ExtendsKeyword);
      const symbol = clause && this.checker.getTypeAtLocation(clause.types[0].expression).symbol;
      at = symbol && (symbol.declarations || []).find((each) => ts.isClassLike(each));
    }
    return [];
  }
}

// A function that another one returns has the other one's name, not its own.
function returned(signature) {
  const parent = signature.parent;
  return ts.isReturnStatement(parent) || (ts.isArrowFunction(parent) && parent.body === signature);
}

function isLocal(declaration) {
  if (ts.isPropertyDeclaration(declaration) || ts.isPropertySignature(declaration)) return false;
  for (let outer = declaration.parent; outer; outer = outer.parent) if (isFunctionLike(outer)) return true;
  return false;
}

module.exports = { Targets };
