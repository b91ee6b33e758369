// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "regexp"

const (
	nameOfLisp = ` '?([^\s()]+)`
	arguments  = ` ?\((?:[^()]|\(\))*\)`
)

func lispGrammar() *grammar {
	return &grammar{
		operand: afterBlank,
		asides: []aside{
			lineComment(";"), longString(`"`, `"`), {open: "?", more: anchored(`(?:\\[CMSHAs]-)*\\?[^\n]`), operand: true},
		},
		style: byParens,
		kept:  regexp.MustCompile(`^[^\s()]+(?: \(\))*$`),
		rules: []rule{
			define(kindImport, "f", `require`+nameOfLisp),
			define("function", "f>b", `(?:cl-)?(?:iter-)?(?:defun|defsubst|define-inline)\*?`+nameOfLisp+arguments),
			define("macro", "f>b", `(?:cl-)?defmacro\*?`+nameOfLisp+arguments),
			define("method", "f>b", `(?:cl-)?defmethod`+nameOfLisp+`[^(]*`+arguments),
			define("generic", "f>b", `(?:cl-)?defgeneric`+nameOfLisp),
			define("struct", "f", `(?:cl-)?defstruct \(?([^\s()]+)`),
			define("", "f", `def(?P<kind>class|custom|group|face|theme)`+nameOfLisp),
			define("variable", "f", `defvar(?:-local|-keymap)?`+nameOfLisp),
			define("constant", "f", `defconst`+nameOfLisp),
			define("mode", "f", `(?:define-(?:minor|derived|global|globalized|globalized-minor|generic)-mode|define-compilation-mode)`+nameOfLisp),
			define("alias", "f", `(?:defalias|defvaralias|define-obsolete-\w+-alias)`+nameOfLisp),
			define("", "f", `(?:define-|cl-def)(?P<kind>error|widget|type)`+nameOfLisp),
			define("command", "f>b", `transient-define-(?:prefix|suffix)`+nameOfLisp),
			define("advice", "f>b", `(?:defadvice|define-advice)`+nameOfLisp),
		},
	}
}
