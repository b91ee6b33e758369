// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "regexp"

const wordsOfPHP = `(?:(?:public|private|protected|static|final|abstract|readonly) )*`

// lineOfPHP matches a comment up to the end of its line, or of the code.
const lineOfPHP = `(?:[^\n?]|\?+[^>?\n])*`

func phpGrammar() *grammar {
	return &grammar{
		outside: "<?", operand: afterBlank,
		asides: []aside{
			{open: "?>", shut: "<?", comment: true, lines: true}, {open: "//", more: anchored(lineOfPHP), comment: true}, blockComment("/*", "*/"),
			{open: "#", more: anchored(`(?:[^\[\n?]` + lineOfPHP + `)?`), comment: true},
			longString(`"`, `"`), longString("'", "'"), longString("`", "`"),
			hereDocument("<<<", `[ \t]*(?:"(\w+)"|'(\w+)'|(\w+))`),
		},
		value: regexp.MustCompile(`[=,(>]$`),
		noise: regexp.MustCompile(`^(?:(?:# ?)?\[\] ?|php\b ?|= ?|declare ?\(\) ?;? ?)+`),
		kept:  regexp.MustCompile(`^['"]_+['"], ?`),
		rules: []rule{
			define("namespace", "f>f", `namespace ([\w\\]+) ?[;{]`),
			define(kindImport, "f", `use (?:function |const )?([\w\\]+)`),
			define("const", "fb", `define ?\(["'](_+)["'][^)]*\)`),
			define("const", "fc", `(?:final )?(?:(?:public|private|protected) )?const (?:[\w?\\|]+ )?(\w+(?: ?=[^;,]*,[^;]*)?)[^;]*`),
			define("", "fb>c", wordsOfPHP+`(?P<kind>class|interface|trait|enum) (\w+)[^;()]*\{`),
			define("function/method", "fbc>b", wordsOfPHP+`function ?&? ?(\w+) ?\(\)[^;{]*[{;]`),
			define("", "fbcvp>c", `.*\bnew (?:# ?\[\] ?)?(?:readonly )?class\b[^;]*\{`),
		},
	}
}
