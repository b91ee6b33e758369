// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import "regexp"

// innerWords matches the words of Go and its libraries, which no person can act on: the names of
// packages and types, and the date that a layout of package time is written with.
var innerWords = regexp.MustCompile(`json: |unmarshal|Go struct|Go value|strconv\.|parsing "|2006-01-02|interface ?\{|map\[|\[\]\w|\b(u?int|float)\d+\b|` +
	`\*?\b(mcp|api|toml|json|jsonrpc2?)\.[A-Z]|%!|invalid syntax|validating|<nil>|0x[0-9a-f]{6}`)

// InnerWord returns the first words in an error that are those of Go and not of its reader, "" if
// there are none.
func InnerWord(text string) string { return innerWords.FindString(text) }
