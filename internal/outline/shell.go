// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "regexp"

// nameOfShell is a name, which may have about any byte.
const nameOfShell = `([^\s(){}"';&|<>=$\[\]!]+)`

func shellGrammar() *grammar {
	return &grammar{
		operand: afterBlank,
		asides: []aside{
			{open: "#", shut: "\n", comment: true, operand: true}, {open: "$'", shut: "'", escapes: true, lines: true}, rawString("'", "'"),
			{open: `"`, shut: `"`, escapes: true, lines: true, code: "${("}, {open: "`", shut: "`", escapes: true, lines: true, code: "${("},
			{open: "<<<", more: anchored("")},
			{open: "<<", more: anchored(`-?[ \t]*(?:'([^'\n]{1,80})'|"([^"\n]{1,80})"|\\?([A-Za-z_][\w.!%@+-]*))`), following: true},
		},
		style: byLines, unfinished: regexp.MustCompile(`[|&]$`), goesOn: regexp.MustCompile(`^\{`),
		value: regexp.MustCompile(`\$$`),
		rules: []rule{
			define(kindImport, "f", `(?:source|\.) ["']?([^\s"';]+)`),
			define("function", "fb>b", `(?:.*[\s;&|!])??(?P<head>(?:function )?`+nameOfShell+` ?\(\)) ?[{(]`),
			define("function", "fb>b", `(?:.*[\s;&|!])??(?P<head>function `+nameOfShell+`) ?[{(]`),
		},
	}
}
