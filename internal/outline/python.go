// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "regexp"

func pythonGrammar() *grammar {
	return &grammar{
		asides: []aside{lineComment("#"), longString(`"""`, `"""`), longString("'''", "'''"), quoted(`"`), quoted("'")},
		style:  byIndent,
		starts: regexp.MustCompile(`^(?:async )?(?:def|class) `),
		rules: []rule{
			define("class", "fcb>c", `class (\w+) ?(?:\[\] ?)?(?:\(\))? ?`),
			define("function/method", "fcb>b", `(?:async )?def (\w+) ?(?:\[\] ?)?\(\)(?: ?->[^:;]*)?`),
			define(kindImport, "f", `from ([\w.]+) import\b`),
			define(kindImport, "f", `import (\w[^;]*)`),
		},
	}
}
