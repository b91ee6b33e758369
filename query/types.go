// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strings"
)

// types are the types that can be found: those of nodes, then those of elements
// as org-element names them. A test of internal/recall holds them, and
// objectTypes, to what package org has.
var nodeTypes = []string{
	"document", "headline",
	"babel-call", "center-block", "clock", "comment", "comment-block", "diary-sexp", "drawer", "dynamic-block",
	"example-block", "export-block", "fixed-width", "footnote-definition", "horizontal-rule", "inlinetask", "item",
	"keyword", "latex-environment", "node-property", "paragraph", "plain-list", "planning", "property-drawer",
	"quote-block", "special-block", "src-block", "table", "table-row", "verse-block",
}

// objectTypes stand inside a line of text and cannot be found by themselves.
var objectTypes = []string{
	"bold", "citation", "citation-reference", "code", "entity", "export-snippet", "footnote-reference",
	"inline-babel-call", "inline-src-block", "italic", "latex-fragment", "line-break", "link", "macro",
	"radio-target", "statistics-cookie", "strike-through", "subscript", "superscript", "table-cell", "target",
	"timestamp", "underline", "verbatim",
}

// askedBy are the predicates that find what holds an object.
var predicateOf = map[string]string{"link": "link:", "timestamp": "ts:"}

// TypeName returns the name of a type as org-element spells it: in lower case,
// with - for _.
func TypeName(arg string) string { return strings.ReplaceAll(strings.ToLower(arg), "_", "-") }

// typeTest compares types as org-element names them, whatever the case, and with
// _ for -.
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

// ownType reports whether a name is one that a node of a tree may have for a type,
// such as person: no object's, and nothing that looks like a known type misspelt.
func isCustomType(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" &&
		!slices.Contains(objectTypes, name) && closestName(name, nodeTypes) == ""
}

// noType says why nothing can be of a type, and what can be asked instead.
func unknownType(index int, name string) *argError {
	hint := "known are " + strings.Join(nodeTypes, " ")
	if near := closestName(name, nodeTypes); near != "" {
		hint = "did you mean " + near
	}
	if !slices.Contains(objectTypes, name) {
		return &argError{index, fmt.Sprintf("unknown type %q", name), hint}
	}
	if p, ok := predicateOf[name]; ok {
		hint = p + " finds what holds one"
	}
	return &argError{index, name + " is an object; elements and nodes can be found", hint}
}
