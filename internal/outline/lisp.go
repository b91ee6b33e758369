// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import "strings"

// lispCharacter reads a character of Emacs Lisp, such as ?\( or ?\C-a, which begins no list.
func lispCharacter(l *lexer) bool {
	switch c := l.at(0); {
	case c == '?' && (len(l.tokens) == 0 || int(l.last().end) < l.i || l.last().form == mark):
		i := l.i + 1
		for i+2 < len(l.src) && l.src[i] == '\\' && l.src[i+2] == '-' {
			i += 3
		}
		if i < len(l.src) && l.src[i] == '\\' {
			i++
		}
		l.emit(word, i+1)
		return true
	case c == '\\' && l.at(1) != '\n':
		l.i += 2
		return true
	}
	return false
}

// lispKinds has the forms that define, with the kind of what they define.
var lispKinds = map[string]string{
	"defun": "function", "cl-defun": "function", "defun*": "function", "iter-defun": "function", "cl-iter-defun": "function",
	"defsubst": "function", "cl-defsubst": "function", "define-inline": "function", "defalias": "alias", "define-obsolete-function-alias": "alias",
	"cl-defmethod": "method", "cl-defgeneric": "generic", "defmethod": "method", "defgeneric": "generic", "transient-define-prefix": "command",
	"transient-define-suffix": "command", "defmacro": "macro", "cl-defmacro": "macro", "defmacro*": "macro", "defadvice": "advice", "define-advice": "advice",
	"defvar": "variable", "defvar-local": "variable", "defconst": "constant", "defcustom": "custom", "defgroup": "group", "defface": "face", "deftheme": "theme",
	"defvaralias": "alias", "define-obsolete-variable-alias": "alias", "cl-defstruct": "struct", "defstruct": "struct", "defclass": "class", "cl-deftype": "type",
	"define-minor-mode": "mode", "define-globalized-minor-mode": "mode", "define-derived-mode": "mode", "define-generic-mode": "mode", "define-error": "error",
	"define-widget": "widget", "defvar-keymap": "variable",
}

// lispWrappers are forms whose contents are at top level.
var lispWrappers = words("progn eval-when-compile eval-and-compile with-eval-after-load when unless if with-no-warnings with-suppressed-warnings " +
	"cl-eval-when static-if condition-case let let* and or use-package")

// scanLisp reads the lists that define something, and those within wrappers.
func scanLisp(s *scanner) {
	for i := 0; i < len(s.tokens); i++ {
		if !s.mark(i, '(') {
			continue
		}
		if s.mark(i-1, '\'') || s.mark(i-1, '`') {
			i = s.mate(i)
			continue
		}
		if kind, ok := lispKinds[s.text(i+1)]; ok {
			s.lispDefinition(kind, i)
		} else if s.is(i+1, "require") && s.mark(i+2, '\'') {
			s.add(scope{}, kindImport, s.text(i+3), i, i+4, s.mate(i))
		}
		if !lispWrappers[s.text(i+1)] {
			i = s.mate(i)
		}
	}
}

// lispDefinition records the definition at i.
func (s *scanner) lispDefinition(kind string, i int) {
	at := i + 2
	if s.mark(at, '\'') {
		at++
	}
	if s.mark(at, '(') { // (cl-defstruct (name option))
		at++
	}
	if !s.word(at) || at >= s.mate(i) {
		return
	}
	head := at + 1
	if kind == "function" || kind == "macro" || kind == "method" {
		for head < at+4 && s.word(head) {
			head++
		}
		if s.mark(head, '(') {
			head = s.mate(head) + 1
		}
	}
	name := strings.ReplaceAll(s.text(at), `\`, "")
	s.add(scope{}, kind, name, i+1, head, s.mate(i))
}
