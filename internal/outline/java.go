// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "regexp"

const wordsOfJava = `(?:(?:public|private|protected|static|final|abstract|default|sealed|non-sealed|` +
	`strictfp|synchronized|native|transient) )*`

func javaGrammar() *grammar {
	return &grammar{
		asides: append([]aside{longString(`"""`, `"""`)}, cAsides...),
		value:  regexp.MustCompile(`[=,(]$|[^=!<>]= ?|\breturn$|->$|\bdefault$`),
		noise:  regexp.MustCompile(`@(?:[a-z]\w*\.)*[A-Z]\w*(?: ?\(\))?`),
		rules: []rule{
			define(kindPackage, "f", `package ([\w.]+)`),
			define(kindImport, "f", `import (?:static )?([\w.*]+)`),
			define("annotation", "fc>c", wordsOfJava+`@interface (\w+) ?\{`),
			define("", "fc>c", wordsOfJava+`(?P<kind>class|interface|enum|record) (\w+)[^;=]*\{`),
			define("constructor", "c=>b", wordsOfJava+`(?:`+angles+` )?(\w+)(?: ?\(\)[^=;{]*)?\{`),
			define("method", "c>b", wordsOfJava+`(?:`+angles+` ?)?(?:[\w.]+(?: ?`+angles+`)?(?:\.\w+)*(?: ?\[\])*) (\w+) ?\(\)[^=;{]*[{;]`),
		},
	}
}
