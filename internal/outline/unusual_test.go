// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"slices"
	"strings"
	"testing"
)

// TestUnusualCode has code that misled a scanner once, which lost the code after or around it.
// Each name is a definition's with its parent.
func TestUnusualCode(t *testing.T) {
	for _, tc := range []struct{ name, language, src, want string }{
		{"a field without a semicolon before a method", "JavaScript", "class A {\n  a\n  b() {}\n  #c\n  constructor() {}\n}", "A A.b A.constructor"},
		{"a typed field without a semicolon", "TypeScript", "class A {\n  a: string\n  b(): void {}\n  [key: string]: any\n  c?(): void\n}", "A A.b A.c"},
		{"a field with a type and an arrow", "TypeScript", "class A {\n  a: (x: T) => void = (x) => {\n  }\n  b() {}\n}", "A A.a A.b"},
		{"overloads that return void", "TypeScript", "function f(a: A): void\nfunction f(a: B): void\nfunction f(a: any) {}\n", "f f f"},
		{"a part of a file", "Go",
			"}\n\ntype (\n\tA struct {\n\t\tx int\n\t}\n\tB interface{ M() }\n)\n\nconst (\n\tC = iota\n\tD\n)\n\n" +
				"var E, F = 1, 2\n\nfunc G() {\n\tvar h int\n}\n", "A B C D E F G"},
		{"raw names", "Rust", "fn r#type(r#fn: A) {}\nstruct r#struct;\nfn a() { let s = r\"fn no() {}\"; }", "r#type r#struct a"},
		{"an associated type with arguments", "Rust", "trait A {\n  type B: C<D = u8>;\n  fn e();\n}", "A A.B A.e"},
		{"a regular expression that begins a line", "Ruby", "def a\n  %q(x)\n  /end if do/\nend\ndef b; end", "a b"},
		{"the method of the backtick", "Ruby", "class A\n  def `(c) end\n  def b; end\nend", "A A.` A.b"},
		{"a negated function, which does not begin its line", "Shell", "! a() { :; }\nb() { [ ! -f x ]; }", "b"},
		{"a package that is used", "Emacs Lisp", "(use-package a :bind ((\"x\" . y)) :config\n  (defun b () nil))\n(defun c () nil)", "b c"},
		{"a long table", "C", "int a[] = {\n" + strings.Repeat("  1, 2, 3, 4,\n", 2000) + "};\nint b(void) {\n}\n", "b"},
		{"bodies that the preprocessor opens twice", "C",
			"#ifdef A\nint a(int b) {\n#else\nint a(void) {\n#endif\n  if (b) {\n#ifdef A\n  }\n#endif\n}\nint c(void) {\n}", "a a c"},
		{"a namespace that is not indented", "C++", "namespace a {\nvoid b() {\n}\nint c[] = {\n};\nvoid d() {\n}\n}\nvoid e() {}", "a a.b a.d e"},
		{"quotes of three", "Java", "class A {\n  String a = \"\"\"\n    class B { \\\"\"\" } }\n    \"\"\";\n  void c() {}\n}", "A A.c"},
		{"quotes of three after letters", "Python", "x = rb'''\ndef no(): pass\n\\''' '''\ndef a(): pass\n", "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, src := range []string{tc.src, strings.ReplaceAll(tc.src, "\n", "\r\n"), strings.ReplaceAll(tc.src, "  ", "\t"), tc.src + "\x00\n"} {
				var got []string
				for _, d := range Definitions(tc.language, []byte(src)) {
					got = append(got, strings.TrimPrefix(d.Parent+"."+d.Name, "."))
				}
				if want := strings.Fields(tc.want); !slices.Equal(got, want) {
					t.Errorf("got %q, want %q of %q", got, want, src)
				}
				check(t, tc.language, []byte(src))
			}
		})
	}
}
