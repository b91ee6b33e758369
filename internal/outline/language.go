// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// language is how one language is recognized and read.
type language struct {
	extensions   string                        // of its files, separated by spaces
	names        string                        // of files without extension
	interpreters string                        // in the first line of a script
	parse        func(src []byte) []Definition // reads it without a grammar
	grammar      func() *grammar
}

// grammar is what tells the code of a language from the rest, and finds what it defines.
type grammar struct {
	asides  []aside
	byFirst [256][]*aside                       // asides by their first byte
	operand func(before []byte, next byte) bool // whether an aside for operands only may stand behind some bytes
	outside string                              // what ends the text before the code

	style   style
	prepare func(*reader)  // what comes before the walk
	rules   []rule         // the first one that matches a head counts
	value   *regexp.Regexp // heads whose brace is part of an expression or a type
	noise   *regexp.Regexp // parts of heads that rules are not to see
	kept    *regexp.Regexp // what stands in brackets, and rules are to see
	starts  *regexp.Regexp // byIndent: the start of a body, which no bracket is open around; byEnd: what begins a body, as its group
	ends    *regexp.Regexp // byEnd: what ends a body
	// unfinished matches the last two bytes of a line behind which a statement goes on, and goesOn the line that it goes on with.
	unfinished, goesOn *regexp.Regexp
	lists              bool            // a rule is for heads that end with a parenthesis
	commas             bool            // a comma may end a definition
	reserved           map[string]bool // words that are no names
}

// languages has each language by its name. A grammar is made when it is needed first: its expressions take a while to compile.
var languages = map[string]*language{
	"Go":     {extensions: "go", parse: parseGo},
	"Python": {extensions: "py pyi pyw", interpreters: "python python2 python3 pypy pypy3", grammar: once(pythonGrammar)},
	"Java":   {extensions: "java", grammar: once(javaGrammar)},
	"C":      {extensions: "c h", grammar: grammarOfC},
	"C++":    {extensions: "cc cpp cxx c++ C hh hpp hxx h++ H ipp inl tcc", grammar: grammarOfC},
	"Rust":   {extensions: "rs", grammar: once(rustGrammar)},
	"PHP":    {extensions: "php phtml php5", interpreters: "php", grammar: once(phpGrammar)},
	"Ruby":   {extensions: "rb rake gemspec ru", names: "Rakefile Gemfile", interpreters: "ruby", grammar: once(rubyGrammar)},
	"Shell": {
		extensions: "sh bash zsh ksh", names: ".bashrc .profile .bash_profile .zshrc", interpreters: "sh bash dash ksh zsh",
		grammar: once(shellGrammar),
	},
	"Emacs Lisp": {extensions: "el", names: ".emacs", grammar: once(lispGrammar)},
	"JavaScript": {extensions: "js mjs cjs jsx", interpreters: "node nodejs", grammar: grammarOfScripts},
	"TypeScript": {extensions: "ts mts cts tsx", interpreters: "deno ts-node tsx", grammar: grammarOfScripts},
}

var grammarOfC, grammarOfScripts = once(cGrammar), once(scriptGrammar)

// once returns the grammar that define defines, with its indexes.
func once(define func() *grammar) func() *grammar {
	return sync.OnceValue(func() *grammar {
		g := define()
		for i := range g.asides {
			first := g.asides[i].open[0]
			g.byFirst[first] = append(g.byFirst[first], &g.asides[i])
		}
		g.lists = slices.ContainsFunc(g.rules, func(r rule) bool { return r.list })
		return g
	})
}

// byExtension, byName and byInterpreter find the name of a language.
var (
	byExtension   = index(func(l *language) string { return l.extensions })
	byName        = index(func(l *language) string { return l.names })
	byInterpreter = index(func(l *language) string { return l.interpreters })
)

func index(words func(*language) string) map[string]string {
	names := map[string]string{}
	for name, l := range languages {
		for word := range strings.FieldsSeq(words(l)) {
			names[word] = name
		}
	}
	return names
}

// Language returns the name of the language of a file by its path and, for a script, by
// the first line of head; "" if this package does not read the language. A file of [Org] has no
// outline. A header of C
// counts as C++ if head has words of C++.
func Language(name string, head []byte) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	extension := strings.TrimPrefix(path.Ext(base), ".")
	// .C is C++, .PY is Python
	found := cmp.Or(byName[base], byExtension[extension], byExtension[strings.ToLower(extension)], byInterpreter[interpreter(head)])
	if extension == "org" {
		return Org
	}
	if extension == "h" && isCPlusPlus(head) {
		return "C++"
	}
	return found
}

// interpreter returns the program that a first line such as "#!/usr/bin/env python3 -u" names.
func interpreter(head []byte) string {
	rest, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		return ""
	}
	first, _, _ := bytes.Cut(rest, []byte("\n"))
	for field := range strings.FieldsSeq(string(first)) {
		base := path.Base(field)
		if base == "env" || strings.HasPrefix(field, "-") || strings.Contains(field, "=") {
			continue
		}
		if byInterpreter[base] == "" { // python3.11
			base = strings.TrimRight(base, "0123456789.")
		}
		return base
	}
	return ""
}

// cPlusPlusStarts begin lines of C++ and none of C.
var cPlusPlusStarts = []string{"namespace ", "class ", "template", "using ", "public:", "private:", "protected:", "virtual ", "extern \"C++\""}

// isCPlusPlus reports whether a line of head begins as one of C++.
func isCPlusPlus(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if slices.ContainsFunc(cPlusPlusStarts, func(start string) bool { return hasPrefix(line, start) }) {
			return true
		}
	}
	return false
}
