// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

func rubyGrammar() *grammar {
	return &grammar{
		operand: asArgument,
		asides: []aside{
			{open: "\n=begin", shut: "\n=end", comment: true, lines: true}, {open: "\n__END__\n", more: anchored(".*"), comment: true},
			lineComment("#"), {open: `"`, shut: `"`, escapes: true, lines: true, code: "#{"}, longString("'", "'"),
			{open: "`", more: anchored(`[^(]`), shut: "`", escapes: true, lines: true, code: "#{", operand: true},
			{open: "/", shut: "/", escapes: true, code: "#{", operand: true},
			{open: "?", more: anchored(`\w\b|/`), operand: true}, {open: "$", more: anchored("['\"`]")},
			{open: "%", more: anchored(`[qQwWiIrsx]?([(\[{<|!/])`), shut: "$1", pairs: true, escapes: true, lines: true, operand: true},
			hereDocument("<<", `[-~]?(?:"(\w+)"|'(\w+)'|([A-Za-z_]\w*))`),
		},
		style: byEnd, unfinished: regexp.MustCompile(` =$|\|\|$|[,(&+*.\[{]$`), goesOn: regexp.MustCompile(`^[.&]`),
		starts: regexp.MustCompile(`^(?:\w+ )*def [^ ]+(?: ?\(\))? = |(^(?:while|until|for)\b.*\bdo\b|` +
			`^(?:if|unless|while|until|case|for|begin|class|module)\b|` +
			`[=(\[,|&?] ?(?:if|unless|while|until|case|begin)\b|(?:^|[^.:\w])def [^;]|` +
			`\b(?:then|else) (?:if|unless|case|begin)\b|(?:^|[^.:\w])do\b(?:[^:]|$))`),
		ends: regexp.MustCompile(`(?:^|[^.:\w])end(?:[^:\w?!]|::|$)`),
		rules: []rule{
			define("", "*>c", `(?P<kind>class|module) (?P<in>(?:\w+::)*)(\w+)(?: ?< ?[^;]*)?`),
			define("", "*>c", `class ?<<`),
			define("method", "*>b", `(?:\w+ )*def (?:\w+\.)?(\w+[?!=]?|\[\]=?|`+"`"+`|[-+*/%<>=!~^&|]+@?)(?: ?\(\)| [^;=]*)?`),
			define(kindImport, "f", `require(?:_relative)? ?(?:\(\) ?)?["'](_+)["']`),
		},
	}
}

// wordsOfRuby are in all that begins or ends a body; to look for them is quick.
var wordsOfRuby = strings.Fields("end def do if unless while until case for begin class module")

// bodies opens and closes the bodies that a statement begins and ends; def is what it defines, or -1.
func (r *reader) bodies(place byte, def int) {
	head, begins := r.head(), 0
	if !slices.ContainsFunc(wordsOfRuby, func(word string) bool { return bytes.Contains(head, []byte(word)) }) {
		r.clear()
		return
	}
	for _, m := range r.starts.FindAllSubmatchIndex(head, -1) {
		if m[2] >= 0 {
			begins++
		}
	}
	ends := len(r.ends.FindAll(head, -1))
	r.clear()
	for range begins {
		r.enter(byteOfEnd, r.last, place, def, false)
		def = -1
	}
	for ; ends > 0 && r.count[byteOfEnd] > 0; ends-- {
		for r.top().opening != byteOfEnd {
			r.leave(r.last)
		}
		r.leave(r.last)
	}
}
