#!/usr/bin/env node
'use strict';
import defaultExport, { a as b } from "module-a";
import 'side-effect';
const fs = require('fs');

// function commented() {}
const template = `function inTemplate() { ${fs.map(x => `nested ${x} }`)} `;
const regex = /[/}"'`]+\/{/g, half = 4 / 2 / 1;
if (template) /function inRegex() {/.test(template);

export default async function main(argv = { a: "}" }, [first, ...rest]) {
  function inner() {}
  const arrow = (x) => x * 2;
  return inner;
}

function* generator() { yield* other() }

export class Shape extends mixin(Base, { of: class {} }) {
  static #count = 0;
  name = 'function';
  handler = async (event) => { this.run(); };
  bound = function () {};

  static { Shape.ready = true; }

  constructor({ a, b } = {}) { super(); }
  get area() { return 1 / 2; }
  set area(v) {}
  static async *[Symbol.iterator]() {}
  #private() {}
  'quoted name'() {}
  async() {}
  get() {}
  static(x) { if (x) { return /}/; } }
}

const Named = class Other {
  method() {}
};

const arrow = async x => x, second = ({ a }) => ({ a });
const typed = function typedInner() {};
exports.handler = (event, context) => {
  const local = () => {};
};
Shape.prototype.move = function (dx, dy) { };

module.exports = {
  method() {},
  async asyncMethod() {},
  get prop() { return 1; },
  value: function () {},
  arrow: (x) => x,
  nested: { deep() {} },
  call: compute(1),
  [computed]() {},
  plain,
};

switch (x) {
  case 1: { function inCase() {} }
  default: break;
}
call(function named() {}, class Ignored {});
label: for (;;) { break label }
