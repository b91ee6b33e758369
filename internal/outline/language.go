// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
)

// language is how one language is recognized and read.
type language struct {
	extensions   string // of its files, separated by spaces
	names        string // of files without extension
	interpreters string // in the first line of a script
	parse        func(src []byte) ([]Definition, bool)
	syntax       syntax
	scan         func(*scanner)
}

var scriptSyntax = syntax{line: "//", block: cComment, quotes: `"'`, angles: true, letters: "$#", special: scriptLiteral}

// languages has each language by its name.
var languages = map[string]*language{
	"Go": {
		extensions: "go",
		parse:      parseGo,
		syntax:     syntax{line: "//", block: cComment, quotes: `"'`, raw: "`"},
		scan:       scanGo,
	},
	"Python": {
		extensions: "py pyi pyw", interpreters: "python python2 python3 pypy pypy3",
		syntax: syntax{line: "#", quotes: `"'`, triple: `"'`},
		scan:   scanPython,
	},
	"Java": {
		extensions: "java",
		syntax:     syntax{line: "//", block: cComment, quotes: `"'`, triple: `"`, letters: "$", angles: true},
		scan:       scanJava,
	},
	"C": {
		extensions: "c h",
		syntax:     syntax{line: "//", block: cComment, quotes: `"'`, letters: "$", angles: true, special: cLiteral},
		scan:       scanC,
	},
	"C++": {
		extensions: "cc cpp cxx c++ C hh hpp hxx h++ H ipp inl tcc",
		syntax:     syntax{line: "//", block: cComment, quotes: `"'`, letters: "$", angles: true, special: cLiteral},
		scan:       scanCPlusPlus,
	},
	"Rust": {
		extensions: "rs",
		syntax:     syntax{line: "//", block: cComment, nested: true, angles: true, multiline: `"`, special: rustLiteral},
		scan:       scanRust,
	},
	"PHP": {
		extensions: "php phtml php5", interpreters: "php",
		syntax: syntax{line: "//", block: cComment, multiline: "\"'`", special: phpLiteral},
		scan:   scanPHP,
	},
	"Ruby": {
		extensions: "rb rake gemspec ru", names: "Rakefile Gemfile", interpreters: "ruby",
		syntax: syntax{line: "#", multiline: "'", special: rubyLiteral},
		scan:   scanRuby,
	},
	"Shell": {
		extensions: "sh bash zsh ksh", names: ".bashrc .profile .bash_profile .zshrc", interpreters: "sh bash dash ksh zsh",
		syntax: syntax{multiline: "`", raw: "'", letters: "-._:/@+%~^,*=", special: shellLiteral},
		scan:   scanShell,
	},
	"Emacs Lisp": {
		extensions: "el", names: ".emacs",
		syntax: syntax{line: ";", multiline: `"`, letters: "-+*/<>=!?$%&:.~^_@|", special: lispCharacter},
		scan:   scanLisp,
	},
	"JavaScript": {
		extensions: "js mjs cjs jsx", interpreters: "node nodejs",
		syntax: scriptSyntax,
		scan:   scanScript,
	},
	"TypeScript": {
		extensions: "ts mts cts tsx", interpreters: "deno ts-node tsx",
		syntax: scriptSyntax,
		scan:   scanScript,
	},
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
