// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "regexp"

// Parts of the rules of JavaScript and TypeScript.
const (
	exported  = `(?:(?:export|default|declare|abstract|async|const) )*`
	members   = `(?:(?:public|private|protected|static|abstract|readonly|override|declare|async|accessor) )*`
	member    = `(?:["'](_+)["']|(\[\]|#?[\w$]+))`
	typesOfTS = ` ?(?:` + angles + `)? ?`
	arrow     = `(?:async ?)?(?:` + angles + ` ?)?(?:\(\)|[\w$]+)(?: ?:[^;]*?)? ?=>`
	function  = `(?:async )?function\b ?\*? ?[\w$]*` + typesOfTS + `\(\)(?: ?:[^;{]*(?:\{\}[^;{]*)*)?`
	variable  = `(?:export )?(?:const|let|var) ([\w$]+)(?: ?:[^;]*?)? ?= ?`
	assigned  = `(?:[\w$]+\.|this\.|\w+\[\]\.?)*([\w$]+) ?= ?`
)

func rulesOfScripts() []rule {
	return []rule{
		define(kindImport, "f", `import\b[^;]*?["'](_+)["']`),
		define("class", "fbcv>c", exported+`class ([\w$]+)[^;]*\{`),
		define("class", "fb>c", `export (default) (?:abstract )?class\b[^;]*\{`),
		define("class", "fb>c", `(?:`+variable+`|`+assigned+`)class\b[^;]*\{`),
		define("", "fbcvp>c", `.*\bclass\b[^;]*\{`),
		define("", "fb>x", exported+`(?P<kind>interface|enum) ([\w$]+)[^;]*\{`),
		define("", "fb>f", exported+`(?P<kind>namespace) ([\w$.]+) ?\{`),
		define("namespace", "fb>f", exported+`module (?:["'](_+)["']|([\w$.]+)) ?\{`),
		define("type", "fb", exported+`type ([\w$]+)`+typesOfTS+`=`),
		define("function", "fb>b", exported+`function\b ?\*? ?([\w$]+)`+typesOfTS+`\(\)[^;]*[{;]`),
		define("function", "fb>b", `(?:`+variable+`|`+assigned+`)(?:`+function+`|`+arrow+`)`),
		define("method", "c>b", members+member+`[?!]?(?: ?:[^;]*?)? ?= ?(?:`+function+`|`+arrow+`)`),
		define("method", "v>b", member+` ?: ?(?:`+function+`|`+arrow+`)`),
		define("constructor", "c>b", members+`(constructor) ?\(\) ?[{;]`),
		define("getter", "cv>b", members+`get `+member+` ?\(\)[^;]*[{;]`),
		define("setter", "cv>b", members+`set `+member+` ?\(\)[^;]*[{;]`),
		define("method", "c>b", members+`\*? ?`+member+`\??`+typesOfTS+`\(\)(?: ?:[^;]*)?[{;]`),
		define("method", "v>b", `(?:async )?\*? ?`+member+typesOfTS+`\(\)(?: ?:[^;]*)?\{`),
	}
}

func scriptGrammar() *grammar {
	return &grammar{
		asides: append([]aside{
			lineComment("#!"), {open: "`", shut: "`", escapes: true, lines: true, code: "${"},
			{open: "/", more: anchored(`[^/*\n](?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\]?)*/?`), operand: true},
		}, cAsides...),
		operand: afterOperator, style: byLines, commas: true, rules: rulesOfScripts(),
		unfinished: regexp.MustCompile(`[=,(<|&?:+\-*.{\[!^%/]$|=>$`),
		goesOn:     regexp.MustCompile(`^(?:[{=,)<|&?:+*.]|extends |implements )`),
		value: regexp.MustCompile(`(?:[=(,:?&|!+\-*/%<~^\[]|` +
			`\b(?:return|import|export|import type|default|typeof|case|extends|in|of|yield|await|throw|is))$`),
		noise: regexp.MustCompile(`^(?:@[\w.]+(?: ?\(\))? ?|(?:case\b[^:]*|default|\w+) ?:$|case\b[^:]*: ?|default ?: )+`),
	}
}
