// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strings"
)

// nodeTypes are the types that a query can name: first of nodes, then of elements
// in org-element's spelling. A test of internal/recall compares them and objectTypes
// with package org.
var nodeTypes = []string{
	"document", "headline",
	"babel-call", "center-block", "clock", "comment", "comment-block", "diary-sexp", "drawer", "dynamic-block",
	"example-block", "export-block", "fixed-width", "footnote-definition", "horizontal-rule", "inlinetask", "item",
	"keyword", "latex-environment", "node-property", "paragraph", "plain-list", "planning", "property-drawer",
	"quote-block", "special-block", "src-block", "table", "table-row", "verse-block",
}

// objectTypes are inline objects, which a query cannot find by type.
var objectTypes = []string{
	"bold", "citation", "citation-reference", "code", "entity", "export-snippet", "footnote-reference",
	"inline-babel-call", "inline-src-block", "italic", "latex-fragment", "line-break", "link", "macro",
	"radio-target", "statistics-cookie", "strike-through", "subscript", "superscript", "table-cell", "target",
	"timestamp", "underline", "verbatim",
}

// predicateOf names the predicate that finds nodes with an object.
var predicateOf = map[string]string{"link": "link:", "timestamp": "ts:"}

// TypeName returns the name of a type in org-element's spelling: in lower case, with -
// for _.
func TypeName(arg string) string { return strings.ReplaceAll(strings.ToLower(arg), "_", "-") }

// typeTest compares types in org-element's spelling.
func typeTest(args []string) (test, *argError) {
	if err := requireArgs(args); err != nil {
		return nil, err
	}
	names := make([]string, len(args))
	for i, arg := range args {
		names[i] = TypeName(arg)
		if !slices.Contains(nodeTypes, names[i]) && !isCustomType(names[i]) {
			return nil, unknownType(i, names[i])
		}
	}
	return func(c Candidate) bool { return slices.Contains(names, c.Type()) }, nil
}

// isCustomType reports whether name may be the type of a node in a tree, such as
// person: it is not an object's and does not look like a misspelt known type.
func isCustomType(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" &&
		!slices.Contains(objectTypes, name) && Closest(name, nodeTypes, 2) == ""
}

// unknownType is the error for a type that no node can have, with an alternative as
// hint.
func unknownType(index int, name string) *argError {
	hint := "known are " + strings.Join(nodeTypes, " ")
	if near := Closest(name, nodeTypes, 2); near != "" {
		hint = "did you mean " + near
	}
	if !slices.Contains(objectTypes, name) {
		return &argError{index, fmt.Sprintf("unknown type %q", name), hint}
	}
	if p, ok := predicateOf[name]; ok {
		hint = p + " finds nodes with one"
	}
	return &argError{index, name + " is an inline object; only elements and nodes can be found", hint}
}
