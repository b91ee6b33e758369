// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"regexp"
)

// Parts of the rules of C and C++.
const (
	macros    = `(?:[A-Z][A-Z0-9_]+(?: ?\(\w*\))? )*`
	templates = macros + `(?:template ?(?:` + angles + `)? ?)*` + macros
	qualified = `(?P<in>(?:\w+(?: ?` + angles + `)? ?:: ?)*)(~ ?\w+|` + operators + `|\w+)`
	operators = `operator ?\(\)|operator ?\[\]|operator ?[^\s\w(]+|operator [\w:<>*& ]+`
	typesOfC  = `[\w:*&~ ,\[\]]*?(?:` + angles + `[\w:*&~ ,\[\]]*?)*?`
)

func cRules() []rule {
	return []rule{
		define("", "fc>f", `extern _+$|extern "_*" ?\{`),
		define("namespace", "fc>f", macros+`(?:inline )?namespace (?P<in>(?:\w+ ?:: ?)*)(\w+)[^;]*\{`),
		define("", "fc>c", templates+`(?:(?:typedef|static|const|extern|friend|volatile) )*(?P<kind>class|struct|union) `+
			`(?:alignas\(\) ?|\[\] ?|[A-Z_0-9]+(?:\(\))? )*(?P<in>(?:\w+::)*)(\w+)(?: ?`+angles+`)?(?: final)?(?: ?:[^:][^;]*)?\{`),
		define("", "fc>x", macros+`(?:(?:typedef|static|const) )*(?P<kind>enum) (?:class |struct )?(?:\[\] ?)?(\w+)(?: ?:[^;]*)?\{`),
		define("alias", "fc", templates+`using (\w+) ?(?:\[\] ?)?=[^;]*`),
		define("typedef", "fc", macros+`typedef .*?(?:\( ?\*+ ?(?:\w+ )?(\w+)(?: ?\[\])?\)[^;]*|`+
			`\b(\w+ ?(?:\(\)|\[\] ?)*(?:, ?\**\w+(?: ?\[\])*)*));`),
		define("function/method", "fc>b", templates+`(?:extern "_*" )?`+typesOfC+`\b?`+qualified+`(?: ?`+angles+`)? ?\(\)`+
			`(?: ?(?:&&?|->[^;{]*|\w+(?: ?\(\))?))*(?P<rest>(?: ?:[^:][^;]*)?\{)`),
		define("prototype", "c", templates+`(?:[\w:]+ )*(~ ?\w+) ?\(\)[^;{]*;`),
		define("prototype", "c=", templates+`(?:[\w:]+ )*(\w+) ?\(\)[^;{]*;`),
		define("prototype", "fc", templates+`(?:extern "_*" )?`+typesOfC+`[\w*&>\]][ *&]+`+qualified+` ?\(\)`+
			`[^={};]*(?:= ?(?:0|default|delete) ?)?;`),
	}
}

// noiseOfC are attributes, calls of macros and labels before a declaration.
const noiseOfC = `^(?:(?:[A-Z][A-Z0-9_]+ )?(?:public|private|protected|signals|public slots|private slots) ?: ?|` +
	`[A-Z][A-Z0-9_]+ ?\(\w*\) )+|` +
	`__attribute__ ?\(\)|__declspec ?\(\)|\balignas ?\(\)`

func cGrammar() *grammar {
	return &grammar{
		asides: []aside{
			lineComment("//"), blockComment("/*", "*/"), quoted(`"`), {open: "'", shut: "'", escapes: true, operand: true},
			{open: `R"`, more: anchored(`([^()\\\s"]{0,16})\(`), shut: `)$1"`, lines: true},
		},
		operand: outsideNumber, prepare: preprocessor(), rules: cRules(), noise: regexp.MustCompile(noiseOfC),
		reserved: words("if for while switch catch return else do new sizeof defined decltype alignas noexcept"),
		value:    regexp.MustCompile(`[=,(]$|^[^<(]*[^=!<>]= |\breturn$|\(\) ?(?:noexcept ?)?:[^:].*[\w>]$`),
		kept:     regexp.MustCompile(`^\*+ ?(?:const )?\w*(?:\[\])?$|^-?\d+$`),
	}
}

// preprocessor returns what reads the lines of the preprocessor.
func preprocessor() func(*reader) {
	directive := regexp.MustCompile(`^[ \t]*#[ \t]*(?:define[ \t]+(\w+)(?:\([^)\n]*\))?|(\w+)(?:[ \t]+0[ \t\r]*\n?$)?)`)
	included := regexp.MustCompile(`include[ \t]*[<"]([^>"\n]+)`)
	return func(r *reader) { preprocess(r, directive, included) }
}

// preprocess finds macros, and takes the lines of the preprocessor out of the code, with the branches after one that
// left a bracket open, and those of "#if 0".
func preprocess(r *reader, directive, included *regexp.Regexp) {
	type branch struct {
		depth   int
		skipped bool // whether all of it is
	}
	var open []branch
	depth, skip, at := 0, false, 0
	for line := range bytes.Lines(r.code) {
		m := directive.FindSubmatchIndex(line)
		switch {
		case m == nil && !skip:
			depth += bytes.Count(line, []byte("{")) + bytes.Count(line, []byte("("))
			depth -= bytes.Count(line, []byte("}")) + bytes.Count(line, []byte(")"))
			at += len(line)
			continue
		case m == nil:
		case m[2] >= 0 && !skip:
			name := string(r.src[at+m[2] : at+m[3]])
			end := r.line(at + len(bytes.TrimRight(line, "\r\n")) - 1)
			r.found = append(r.found, Definition{
				Kind: "macro", Name: shorten(name), Line: r.line(at + m[0]), EndLine: end, Signature: shorten(oneLine(r.src[at+m[0] : at+m[1]])),
			})
		case m[4] >= 0:
			switch string(line[m[4]:m[5]]) {
			case "include":
				if in := included.FindSubmatch(r.src[at : at+len(line)]); in != nil && !skip {
					n := r.line(at)
					r.found = append(r.found, Definition{Kind: kindImport, Name: shorten(string(in[1])), Line: n, EndLine: n})
				}
			case "if", "ifdef", "ifndef":
				open = append(open, branch{depth, skip})
				skip = skip || m[1] > m[5]
			case "else", "elif":
				if n := len(open); n > 0 && !open[n-1].skipped {
					skip = depth != open[n-1].depth
				}
			case "endif":
				if n := len(open); n > 0 {
					skip, open = open[n-1].skipped, open[:n-1]
				}
			}
		}
		for i := range line {
			if line[i] != '\n' {
				r.code[at+i] = ' '
			}
		}
		at += len(line)
	}
}
