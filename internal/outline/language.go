// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"cmp"
	"path"
	"regexp"
	"strings"
	"sync"
)

// language is how one language is recognized and read.
type language struct {
	files   string                        // extensions and names of its files, and "#!" with interpreters in the first line of a script
	parse   func(src []byte) []Definition // reads it without a grammar
	grammar func() *grammar
}

// languages has each language by its name. A grammar is made on first use: its expressions take time to compile.
var languages = map[string]*language{
	"Go":     {files: ".go", parse: parseGo},
	"Python": {files: ".py .pyi .pyw #!python #!pypy", grammar: sync.OnceValue(pythonGrammar)},
	"Java":   {files: ".java", grammar: sync.OnceValue(javaGrammar)},
	"C":      {files: ".c .h", grammar: grammarOfC},
	"C++":    {files: ".cc .cpp .cxx .c++ .C .hh .hpp .hxx .h++ .H .ipp .inl .tcc", grammar: grammarOfC},
	"Rust":   {files: ".rs", grammar: sync.OnceValue(rustGrammar)},
	"PHP":    {files: ".php .phtml .php5 #!php", grammar: sync.OnceValue(phpGrammar)},
	"Ruby":   {files: ".rb .rake .gemspec .ru Rakefile Gemfile #!ruby", grammar: sync.OnceValue(rubyGrammar)},
	"Shell": {
		files: ".sh .bash .zsh .ksh .bashrc .profile .bash_profile .zshrc #!sh #!bash #!dash #!ksh #!zsh", grammar: sync.OnceValue(shellGrammar),
	},
	"Emacs Lisp": {files: ".el .emacs", grammar: sync.OnceValue(lispGrammar)},
	"JavaScript": {files: ".js .mjs .cjs .jsx #!node #!nodejs", grammar: grammarOfScripts},
	"TypeScript": {files: ".ts .mts .cts .tsx #!deno #!ts-node #!tsx", grammar: grammarOfScripts},
}

var grammarOfC, grammarOfScripts = sync.OnceValue(cGrammar), sync.OnceValue(scriptGrammar)

// byFile finds the name of a language by its field files.
var byFile = func() map[string]string {
	names := map[string]string{}
	for name, l := range languages {
		for file := range strings.FieldsSeq(l.files) {
			names[file] = name
		}
	}
	return names
}()

// Language returns the name of the language of a file by its path and, for a script, by
// the first line of head; "" if this package does not read the language. A file of [Org] has no
// outline. A header of C counts as C++ if head has words of C++.
func Language(name string, head []byte) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	extension := path.Ext(base)
	switch {
	case extension == ".org":
		return Org
	case extension == ".h" && cPlusPlus.Match(head):
		return "C++"
	}
	script := ""
	if m := interpreter.FindSubmatch(head); m != nil {
		script = byFile["#!"+string(m[1])]
	}
	return cmp.Or(byFile[base], byFile[extension], byFile[strings.ToLower(extension)], script) // .C is C++, .PY is Python
}

var (
	// interpreter matches a first line such as "#!/usr/bin/env -S python3.11 -u"; its group is the program.
	interpreter = regexp.MustCompile(`^#![ \t]*(?:\S*/)?(?:env\s+(?:(?:-\S*|\S*=\S*)\s+)*(?:\S*/)?)?([\w-]*?)[\d.]*(?:\s|$)`)
	// cPlusPlus matches a line that begins as one of C++ and none of C.
	cPlusPlus = regexp.MustCompile(`(?m)^\s*(?:namespace |class |template|using |public:|private:|protected:|virtual |extern "C\+\+")`)
)
