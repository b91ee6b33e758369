// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Prints what the TypeScript compiler finds defined in the files whose paths are on
// standard input, one in a line: for each definition a line of JSON in the form of
// universal-ctags. A function counts if it is declared, or is the value of a variable, an
// assignment, a field or a property.
const fs = require("fs");
const ts = require("typescript");
const kinds = ts.SyntaxKind;

function isFunction(node) {
  return node && (node.kind === kinds.ArrowFunction || node.kind === kinds.FunctionExpression);
}

// definition returns the kind and the name of what node defines.
function definition(node) {
  switch (node.kind) {
    case kinds.FunctionDeclaration: return ["function", node.name];
    case kinds.ClassDeclaration: return ["class", node.name];
    case kinds.InterfaceDeclaration: return ["interface", node.name];
    case kinds.TypeAliasDeclaration: return ["type", node.name];
    case kinds.EnumDeclaration: return ["enum", node.name];
    case kinds.ModuleDeclaration: return node.body && node.parent.kind !== kinds.ModuleDeclaration ? ["namespace", node.name] : [];
    case kinds.Constructor: return ["constructor", "constructor"];
    case kinds.MethodDeclaration: return ["method", node.name];
    case kinds.GetAccessor: return ["getter", node.name];
    case kinds.SetAccessor: return ["setter", node.name];
    case kinds.PropertyDeclaration: case kinds.PropertyAssignment:
      return isFunction(node.initializer) ? ["method", node.name] : [];
    case kinds.VariableDeclaration:
      if (!node.initializer || node.name.kind !== kinds.Identifier) return [];
      if (isFunction(node.initializer)) return ["function", node.name];
      return node.initializer.kind === kinds.ClassExpression ? ["class", node.name] : [];
    case kinds.BinaryExpression:
      if (node.operatorToken.kind !== kinds.EqualsToken || node.parent.kind !== kinds.ExpressionStatement) return [];
      const name = node.left.kind === kinds.Identifier ? node.left : node.left.kind === kinds.PropertyAccessExpression ? node.left.name : null;
      if (isFunction(node.right)) return ["function", name];
      return node.right.kind === kinds.ClassExpression ? ["class", name] : [];
  }
  return [];
}

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const source = ts.createSourceFile(path, fs.readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    const [kind, name] = definition(node);
    if (kind && name) {
      const text = typeof name === "string" ? name : name.getText(source).replace(/^["']|["']$/g, "").split(/\s+/).join(" ");
      const at = source.getLineAndCharacterOfPosition((name.getStart ? name : node).getStart(source));
      const end = source.getLineAndCharacterOfPosition(node.getEnd());
      console.log(JSON.stringify({ path, name: text, kind, line: at.line + 1, end: end.line + 1 }));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
