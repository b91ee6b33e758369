// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package inert

import "strings"

// defaultLanguage replaces the language of a block of code if it is unknown.
const defaultLanguage = "text"

// languages are the allowed languages of code blocks. Emacs calls the function
// LANGUAGE-mode to display a block, whatever it does: server-mode would open the editor
// to other programs.
var languages = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq(`ada asm awk bash bat bibtex c c# c++ clojure cmake cobol coffee conf cpp
		crystal csharp css csv cuda d dart diff dockerfile dot elisp elixir elm emacs-lisp erlang fish fortran fsharp
		gherkin go graphql groovy haskell hcl html http ini java javascript js json json5 jsonc jsx julia kotlin latex ledger
		less lisp lua make makefile markdown mermaid nginx nim nix objc ocaml octave org pascal perl php plantuml
		powershell proto protobuf puppet python python3 r racket raku rb ruby rust sass scala scheme scss sed
		sh shell solidity sparql sql sqlite swift systemverilog tcl terraform tex text toml tsx ts txt typescript
		verilog vhdl vim vue xml yaml yml zig zsh`) {
		languages[name] = true
	}
}

// language returns name if it is an allowed language, else defaultLanguage.
func language(name string) string {
	if languages[strings.ToLower(name)] {
		return name
	}
	return defaultLanguage
}
