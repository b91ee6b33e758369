// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package query is the query tree and its parser: what to look for in a
// memory, as data that can be printed, sent and compiled, and never evaluated.
//
// [Parse] reads a query, an [Expr] is the tree of it, and a [Matcher], made by
// [Compile], tells whether a [Candidate] matches. [Predicates] lists what can
// be asked.
//
// There are three syntaxes for the one tree. The plain one, for people, is the
// non-sexp syntax of org-ql and a superset of it:
//
//	todo:NEXT,WAIT tags:work !tags:home        all of them
//	heading:"quoted phrase",word               both in the heading
//	(tags:a OR tags:b) priority:>=B            OR or a single | for or
//	NOT done: AND level:2..3                   words instead of ! and blank
//	deadline:from=today,to=7                   the next seven days
//	ancestors:(tags:project) children:(todo:)  what relatives are asked
//	plain words                                each of them in the entry
//
// NOT binds tighter than AND, AND tighter than OR. The empty query matches
// everything. Text that holds a blank, a comma, a quote, a parenthesis or |
// is put in double quotes, in which \" and \\ stand for " and \ and any other
// backslash for itself. An unquoted ( or | inside a word is an error rather
// than a guess. A word with a colon is a predicate; quoted, it is text.
//
// JSON, for programs; an object holds keys and their values:
//
//	["and",["todo","NEXT"],["not",["tags","work"]],["deadline",{"to":7}],"word"]
//
// A sexp, as org-ql has it:
//
//	(and (todo "NEXT") (not (tags "work")) (deadline :to 7) (level > 2) "word")
//
// The beginning of a text decides, blanks apart. A bracket and a quote begin
// JSON. A parenthesis and right behind it and, or, not or a predicate's name,
// which ends there, begin a sexp; so a plain query quotes such a word behind a
// parenthesis. All else is plain.
//
// Invariants:
//
//   - An argument list means what org-ql documents for the predicate: heading,
//     regexp and plain words want all of their arguments, the others any one.
//   - Tags, keywords, types and ids are equal or not: never a substring, and
//     but for types case counts, as in Org. Plain words, heading, regexp and path are blind
//     to case; (?-i) in a regular expression makes it count.
//   - A type of which nothing can be found is an error, not an empty answer.
//   - A tag that is a group stands for its members too.
//   - A range of times matches when it has a moment in common with the period
//     asked for. A date without a time of day is its midnight; on, from and to
//     take in the whole day.
//   - Documents are relatives too: the parent of a top headline is its document.
//   - Regular expressions are RE2, so that no query takes more than linear time
//     in the text.
//   - Parse returns a simplified tree, and Parse(e.String()) and Parse(JSON(e))
//     equal Simplify(e) for every tree e that Compile accepts.
//   - A predicate is one entry of one table: name, form, meaning and test.
//
// Not here: walking a memory to run a query over it, and ranking by relevance,
// which are internal/recall.
package query
