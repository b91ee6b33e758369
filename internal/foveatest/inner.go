// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import "regexp"

// innerWords matches words of Go and its libraries that do not help a user: names of packages and
// types, and the date of layouts of package time.
var innerWords = regexp.MustCompile(`json: |unmarshal|Go struct|Go value|strconv\.|parsing "|2006-01-02|interface ?\{|map\[|\[\]\w|\b(u?int|float)\d+\b|` +
	`\*?\b(mcp|api|toml|json|jsonrpc2?)\.[A-Z]|%!|invalid syntax|validating|<nil>|0x[0-9a-f]{6}`)

// InnerWord returns the first such words in an error, "" for none.
func InnerWord(text string) string { return innerWords.FindString(text) }
