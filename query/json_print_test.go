// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query_test

import (
	"bytes"
	"encoding/json"

	"github.com/fovea-memory/fovea/query"
)

// printJSON returns a tree in the JSON syntax. A nil tree is the empty query.
func printJSON(e query.Expr) string {
	var b bytes.Buffer
	printer := json.NewEncoder(&b)
	printer.SetEscapeHTML(false) // so that < and > stay readable
	if err := printer.Encode(listOf(e)); err != nil {
		return err.Error()
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// listOf returns the name of an expression and what it is about, as lists.
func listOf(e query.Expr) []any {
	list := []any{}
	switch e := e.(type) {
	case nil:
		return []any{"and"}
	case query.And:
		list = append(list, "and")
		for _, of := range e.Of {
			list = append(list, listOf(of))
		}
	case query.Or:
		list = append(list, "or")
		for _, of := range e.Of {
			list = append(list, listOf(of))
		}
	case query.Not:
		list = append(list, "not", listOf(e.Of))
	case query.Pred:
		list = append(list, e.Name)
		for _, arg := range e.Args {
			list = append(list, arg)
		}
		if e.Of != nil {
			list = append(list, listOf(e.Of))
		}
	}
	return list
}
