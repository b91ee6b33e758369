// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package query is the query language: a tree of conditions on nodes that can be
// parsed, printed, sent and compiled. Nothing in a query is ever evaluated as code.
//
// [Parse] turns a text into an [Expr]. [Compile] turns an Expr into a [Matcher], which
// reports whether a [Candidate] matches. [Predicates] lists the conditions.
//
// Three syntaxes describe the same tree. The plain one, for people, is a superset of
// org-ql's non-sexp syntax:
//
//	todo:NEXT,WAIT tags:work !tags:home        all of them
//	heading:"quoted phrase",word               both in the heading
//	(tags:a OR tags:b) priority:>=B            OR or a single | for or
//	NOT done: AND level:2..3                   words instead of ! and blank
//	deadline:from=today,to=7                   the next seven days
//	ancestors:(tags:project) children:(todo:)  conditions on related nodes
//	plain words                                each of them in the entry
//
// NOT binds tighter than AND, and AND tighter than OR. The empty query matches
// everything. Text with a blank, comma, quote, parenthesis or | must be in double
// quotes, where \" and \\ mean " and \, and any other backslash is literal. An
// unquoted ( or | inside a word is an error. A word with a colon is a predicate;
// quoted, it is text.
//
// JSON is for programs. An object holds keys and their values:
//
//	["and",["todo","NEXT"],["not",["tags","work"]],["deadline",{"to":7}],"word"]
//
// A sexp is org-ql's query list:
//
//	(and (todo "NEXT") (not (tags "work")) (deadline :to 7) (level > 2) "word")
//
// The start of the text, after blanks, selects the syntax. A bracket and a quote start
// JSON. A parenthesis directly followed by and, or, not or the name of a predicate
// starts a sexp; in the plain syntax such a word after a parenthesis must be quoted.
// Everything else is plain.
//
// Invariants:
//
//   - Argument lists have the meaning that org-ql documents: heading, regexp and plain
//     words require all arguments, the other predicates any one.
//   - Tags, keywords, types and ids are compared for equality, never as substrings.
//     Case matters, as in Org, except in types. Plain words, heading, regexp and path
//     ignore case; (?-i) in a regular expression makes it matter.
//   - A type that no node can have is an error, not an empty result.
//   - A group tag matches its members too.
//   - A time range matches if it overlaps the period. A date without a time of day
//     means midnight; on, from and to cover the whole day.
//   - Documents count as relatives: the parent of a top-level headline is its document.
//   - Regular expressions are RE2, so no query takes more than linear time in the text.
//   - Parse returns a simplified tree. Parse(e.String()), and e as JSON parsed, equal
//     Simplify(e) for every tree e that Compile accepts.
//   - Each predicate is one entry of one table: name, form, meaning and test.
//
// Elsewhere: package internal/recall runs queries over a memory and ranks by relevance.
package query
