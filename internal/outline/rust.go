// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "regexp"

const wordsOfRust = `(?:(?:pub|pub ?\(\)|default|async|unsafe|const|extern|extern "_*"|auto) )*`

func rustGrammar() *grammar {
	return &grammar{
		asides: []aside{
			lineComment("//"), {open: "/*", shut: "*/", nests: "/*", comment: true, lines: true}, longString(`"`, `"`),
			rawString(`r"`, `"`), rawString(`r#"`, `"#`), rawString(`r##"`, `"##`),
			{open: "'", more: anchored(`(?:[^'\\\n]|\\(?:u\{[^}\n]{0,8}\}|x..|[^\n]))'`)},
		},
		noise: regexp.MustCompile(`^(?:#!? ?\[\] ?)+`),
		value: regexp.MustCompile(`\($|::$|\buse$`),
		rules: []rule{
			define(kindImport, "f", wordsOfRust+`use ([^;]+)`),
			define("fn/method", "fcb>b", wordsOfRust+`fn ((?:r#)?\w+)[^{;]*[{;]`),
			define("", "fcb", wordsOfRust+`(?P<kind>struct|union|enum) ((?:r#)?\w+)[^;{]*[{;]`),
			define("", "fb>c", wordsOfRust+`(?P<kind>trait) (\w+)[^;{]*[{;]`),
			define("", "fb>f", wordsOfRust+`(?P<kind>mod) (\w+) ?[;{]`),
			define("impl", "fb>c", wordsOfRust+`impl ?(?:`+angles+` ?)?`+
				`(?:[^{;]*? for )?[&!]?(?:'\w+ )?(?:dyn |mut )?(?:\w+ ?:: ?)*(\w+|\[\]|\(\))[^{;]*\{`),
			define("type", "fcb", wordsOfRust+`type (\w+)(?: ?`+angles+`)?[^=;{]*`),
			define("static", "fb", wordsOfRust+`static (?:mut )?(\w+) ?:[^=;]*`),
			define("macro", "fb>x", `macro_rules! ?(\w+) ?[{(]`),
			define("", "fcb>x", `[\w:]+! ?(?:\w+ )?[{(]`),
		},
	}
}
