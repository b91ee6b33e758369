// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package outline reads what source code defines, and reduces the code to that.
//
// A [Definition] is a class, a function, a type and the like, with its lines and its
// signature. [Language] names the language of a file, [Definitions] lists what the file
// defines, and a [File] has the outline that replaces the file for a reader: its
// imports, classes and signatures, each with its line, without comments and bodies.
//
// The languages, and the kinds of their definitions:
//
//   - Go: func, method, struct, interface, type, const, var
//   - Python: class, function, method
//   - JavaScript, TypeScript: class, function, method, getter, setter, constructor; interface,
//     type, enum, namespace. A function counts if it has a name: from its declaration, from a
//     variable, of a field or of a property.
//   - Java: class, interface, enum, record, annotation, method, constructor
//   - C, C++: function, prototype, struct, union, enum, typedef, macro; class, method, alias,
//     namespace. Each branch of the preprocessor counts, but none of "#if 0".
//   - Rust: fn, method, struct, union, enum, trait, impl, mod, type, static, macro
//   - Ruby: class, module, method
//   - PHP: class, interface, trait, enum, function, method, const, namespace
//   - Shell: function
//   - Emacs Lisp: function, macro, variable, constant, custom, face, group, mode, alias, method,
//     generic, struct, class and others
//
// Go is read by go/parser, even if it has syntax errors or is a part of a file. The other languages
// are read by tables of rules. Comments and literals are blanked first, by one expression for each
// language. Then rules, which are regular expressions ([rule]), are matched with the head of each
// statement that begins a line: its text, with dots in place of the text in brackets. Indentation
// determines where a body ends: definitions within a line, and code that is not indented, have no
// outline. Macros are not expanded, and types are not resolved. Decorators and annotations come
// before the first line of their definition.
//
// Invariants:
//
//   - Any bytes are accepted without a panic, in time linear in the source: a comment or a
//     literal matches any text or examines a few bytes, a long head defines nothing, and the
//     bytes of all heads are bounded by the source. A source of more than 64 MiB is data.
//   - Definitions are in the order of their lines. Lines lie within the source, and a
//     definition within another lies within its lines.
//   - Equal sources have equal outlines.
//
// Elsewhere: package internal/text shortens prose.
package outline
