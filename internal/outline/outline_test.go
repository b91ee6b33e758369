// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// cases returns the paths of the files with the constructions that mislead a scanner.
func cases(tb testing.TB) []string {
	paths, err := filepath.Glob("testdata/cases/*[a-z]")
	if err != nil {
		tb.Fatal(err)
	}
	var sources []string
	for _, path := range paths {
		if filepath.Ext(path) != ".golden" {
			sources = append(sources, path)
		}
	}
	if len(sources) < len(languages) {
		tb.Fatalf("%d cases, want one for each language", len(sources))
	}
	return sources
}

// TestDefinitionsOfCases compares what the files in testdata/cases define with what a person
// found there.
func TestDefinitionsOfCases(t *testing.T) {
	for _, path := range cases(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			language := Language(strings.TrimSuffix(path, ".txt"), src)
			var got strings.Builder
			for _, d := range Definitions(language, src) {
				name := d.Name
				if d.Parent != "" {
					name = d.Parent + " / " + name
				}
				fmt.Fprintf(&got, "%d-%d%s %s %s\t%s\n", d.Line, d.EndLine, strings.Repeat("  ", d.Depth), d.Kind, name, d.Signature)
			}
			got.WriteString("\n" + Text(language, src))
			foveatest.Golden(t, "cases/"+filepath.Base(path)+".golden", []byte(got.String()))
		})
	}
}

// TestImportsOfLists: braces around what is imported are no body, however they stand, and what follows is found.
func TestImportsOfLists(t *testing.T) {
	for _, c := range []struct{ language, src, want string }{
		{"JavaScript", "import {\n  a,\n  b as c\n} from 'x'\nfunction f() {\n}\n", "1-4 import x\n5-6 function f\n"},
		{"JavaScript", "import{a}from'x';import b,{c}from\"y\"\nfunction f() {}\n", "1-1 import x\n2-2 function f\n"},
		{"JavaScript", "import data from './d.json' with { type: 'json' }\nfunction f() {}\n", "1-1 import ./d.json\n2-2 function f\n"},
		{"TypeScript", "import type {\n  A,\n} from './a';\nclass B {\n  import() {\n  }\n  after() {\n  }\n}\n",
			"1-3 import ./a\n4-9 class B\n5-6 method B / import\n7-8 method B / after\n"},
		{"Rust", "pub(crate) use std::{\n  a::{b, c},\n  d,\n};\nfn f() {}\n", "1-4 import std::{ a::{b, c}, d, }\n5-5 fn f\n"},
	} {
		var got strings.Builder
		for _, d := range scan(c.language, []byte(c.src)) {
			fmt.Fprintf(&got, "%d-%d %s %s\n", d.Line, d.EndLine, d.Kind, strings.TrimPrefix(d.Parent+" / "+d.Name, " / "))
		}
		if got.String() != c.want {
			t.Errorf("%s %q: got %s", c.language, c.src, got.String())
		}
	}
}

func TestLanguage(t *testing.T) {
	for _, tc := range []struct{ path, head, want string }{
		{"a/b.go", "", "Go"},
		{"x.py", "", "Python"},
		{"X.PY", "", "Python"},
		{"x.mjs", "", "JavaScript"},
		{"x.tsx", "", "TypeScript"},
		{"x.h", "int f(void);\n", "C"},
		{"x.h", "#pragma once\n  namespace a {\n", "C++"},
		{"x.C", "", "C++"},
		{"Rakefile", "", "Ruby"},
		{`C:\code\Main.java`, "", "Java"},
		{"bin/run", "#!/bin/sh\nset -e\n", "Shell"},
		{"bin/run", "#!/usr/bin/env -S python3.11 -u\n", "Python"},
		{"bin/run", "#!/usr/bin/env VAR=1 node", "JavaScript"},
		{"bin/run", "#!/usr/bin/perl\n", ""},
		{"notes.org", "* def x", Org},
		{"", "", ""},
	} {
		if got := Language(tc.path, []byte(tc.head)); got != tc.want {
			t.Errorf("Language(%q, %q) = %q, want %q", tc.path, tc.head, got, tc.want)
		}
	}
}

func TestUnknownLanguageHasNoOutline(t *testing.T) {
	if got := Text("Cobol", []byte("def x(): pass")); got != "" || Definitions("", nil) != nil {
		t.Errorf("an outline of an unknown language: %q", got)
	}
}

// TestTextHasItsLimit checks that outlines keep to their share of the source, and cut what
// goes beyond it between lines.
func TestTextHasItsLimit(t *testing.T) {
	var src strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&src, "class C%d:\n  def f(self): pass\n", i)
	}
	text := Text("Python", []byte(src.String()))
	if limit := src.Len() / shareOfText; len(text) > limit || len(text) < limit/2 {
		t.Errorf("%d bytes, want at most %d and no less than half", len(text), limit)
	}
	if lines := strings.Split(strings.TrimSpace(text), "\n"); lines[0] != "1 class C0 (1 within)" || !strings.HasSuffix(lines[len(lines)-1], "lines more") {
		t.Errorf("first line %q, last line %q", lines[0], lines[len(lines)-1])
	}
}

// check checks the invariants of what was found in src.
func check(tb testing.TB, language string, src []byte) {
	tb.Helper()
	found := Definitions(language, src)
	lines := bytes.Count(src, []byte("\n"))
	if !bytes.HasSuffix(src, []byte("\n")) || lines == 0 {
		lines++
	}
	var around []Definition
	for i, d := range found {
		if d.Line < 1 || d.EndLine < d.Line || d.EndLine > lines {
			tb.Fatalf("%s: lines %d to %d of %d: %+v", language, d.Line, d.EndLine, lines, d)
		}
		if i > 0 && d.Line < found[i-1].Line {
			tb.Fatalf("%s: line %d after line %d", language, d.Line, found[i-1].Line)
		}
		if d.Depth < 0 || d.Depth > len(around) {
			tb.Fatalf("%s: depth %d within %d definitions", language, d.Depth, len(around))
		}
		around = around[:d.Depth]
		if d.Depth > 0 && (around[d.Depth-1].Line > d.Line || around[d.Depth-1].EndLine < d.EndLine) {
			tb.Fatalf("%s: %+v is not within %+v", language, d, around[d.Depth-1])
		}
		around = append(around, d)
		if !utf8.ValidString(d.Name+d.Signature) || strings.Contains(d.Signature, "\n") || len(d.Signature) > 2*maxSignature {
			tb.Fatalf("%s: signature %q", language, d.Signature)
		}
	}
	if text := Text(language, src); len(text) > max(minText, len(src)/shareOfText) {
		tb.Fatalf("%s: an outline of %d bytes for %d", language, len(text), len(src))
	}
}

// FuzzDefinitions checks the invariants on any bytes in each language.
func FuzzDefinitions(f *testing.F) {
	for _, path := range cases(f) {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for language := range languages {
			check(t, language, src)
		}
	})
}

// TestInvariantsOnPrefixes cuts each case at every byte: the brackets, strings and
// here-documents that are open there end with the source.
func TestInvariantsOnPrefixes(t *testing.T) {
	for _, path := range cases(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		language := Language(strings.TrimSuffix(path, ".txt"), src)
		for n := range src {
			check(t, language, src[:n])
		}
	}
}

// pieces begin or end something in a language.
var pieces = []string{
	"class A ", "def f(", "function f(", "function f", "(", "{", "[", "<", "a<", "a(", "a::", "a.b.", "f(a) int a; ", "x = ", "x: ", "=>",
	"import ", "use ", "fn f", "impl<", "type T = ", "typedef int (*", "enum A ", "namespace A ", "interface A ", "const a: ", "\"", "'", "`", "${", "#{",
	"/", "/*", "<<A ", "<<<A\n", "<<'", "%w(", "#if\n", "#if 0\n", "#else\n", "R\"(", "r#\"", "?\\C-",
	"\"\"\"", "'''", "=begin\n", "do ", "if ", "end\n", "a = b = ",
	"template<", "operator<", "struct a ", "@a", "@a(", "static ", "async ", "a{", "x = /[", "class A::", "def a\n", "/**/", "${'",
	":", ": {", "}", ")", ">", ";", "\\", "\n", " ", "(defun a ", "?", "public ",
}

// TestReadingIsBounded counts the bytes of heads that rules are tried on, for sources that repeat what begins something: they are
// at most that many times the source.
func TestReadingIsBounded(t *testing.T) {
	for language, l := range languages {
		if l.grammar == nil {
			continue
		}
		for i, a := range pieces {
			for j, b := range pieces {
				if b == a {
					b = ""
				} else if (i+3*j)%16 > 0 {
					continue
				}
				src := []byte(strings.Repeat(a+b, 500))
				if r := read(l.grammar(), src); r.steps > stepsOfByte*(len(src)+maxHead) {
					t.Errorf("%s: %q: %d steps for %d bytes", language, a+b, r.steps, len(src))
				}
			}
		}
	}
}

// TestInvariantsOnPieces checks the invariants on text that no person writes, in each language.
func TestInvariantsOnPieces(t *testing.T) {
	some := rapid.SliceOfN(rapid.SampledFrom(slices.Concat(pieces, []string{"a", "end\n", "if ", "#endif\n", "#define X \\\n", "\r\n", "$", "\xff", "é"})), 0, 40)
	rapid.Check(t, func(rt *rapid.T) {
		src := []byte(strings.Join(some.Draw(rt, "source"), ""))
		for language := range languages {
			check(t, language, src)
		}
	})
}

// TestHostileSourcesAreBounded reads large sources without an end to their lines, brackets or strings: what is allocated is
// at most that many times the source. No allocation depends on how busy the machine is.
func TestHostileSourcesAreBounded(t *testing.T) {
	hostile := []string{
		"{", "{}", "({[", "x={}", "a,", "a=b,", "class A{", "def a\n", " def a():", "(defun a (", "f(){", "/", "/[", "'", "`${", "<<A\n", "\\", "#if a\n",
	}
	for _, piece := range hostile {
		src := []byte(strings.Repeat(piece, (1<<17)/len(piece)))
		for language := range languages {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			Read(language, src)
			runtime.ReadMemStats(&after)
			const perByte = 500
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > perByte*uint64(len(src)) {
				t.Errorf("%s: %q: %d bytes allocated for %d", language, piece, allocated, len(src))
			}
		}
	}
}
