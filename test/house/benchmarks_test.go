// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// benchCommand is a go test command that runs benchmarks: the folder it starts in, the
// pattern of the benchmarks, and the packages.
var benchCommand = regexp.MustCompile("(cd bench && )?(?:FOVEA_TESTDATA=\\S+ )?go test [^`\n]*?-bench '?([^ '`]+)'?((?: [^ `\n&]+)*)")

// missingBenchmarks lists the packages in which a command of a page finds no benchmark.
// names returns the benchmarks of a folder.
func missingBenchmarks(page string, names func(folder string) []string) (missing []string) {
	for _, m := range benchCommand.FindAllStringSubmatch(page, -1) {
		start, text, args := "", m[2], strings.Fields(m[3])
		if m[1] != "" {
			start = "bench"
		}
		top, _, _ := strings.Cut(text, "/") // the rest selects sub-benchmarks
		pattern := regexp.MustCompile(top)
		for _, arg := range args {
			folder := path.Join(start, arg)
			if (arg == "." || strings.HasPrefix(arg, "./")) && !slices.ContainsFunc(names(folder), pattern.MatchString) {
				missing = append(missing, folder+" "+text)
			}
		}
	}
	return missing
}

// benchmarksIn returns the names of the benchmarks by folder.
func benchmarksIn(sources []*source) map[string][]string {
	names := map[string][]string{}
	for _, s := range sources {
		for _, decl := range s.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && s.isTest() && strings.HasPrefix(f.Name.Name, "Benchmark") {
				names[s.dir()] = append(names[s.dir()], f.Name.Name)
			}
		}
	}
	return names
}

// TestBenchmarkCommands: each command of a page that runs benchmarks finds some in each
// package it names.
func TestBenchmarkCommands(t *testing.T) {
	sources, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	names := benchmarksIn(sources)
	find := func(folder string) []string { return names[folder] }
	for _, page := range []string{"bench/README.md", "org/README.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !benchCommand.Match(text) {
			t.Errorf("%s has no command", page)
		}
		for _, m := range missingBenchmarks(string(text), find) {
			t.Errorf("%s: no benchmark in %s", page, m)
		}
	}
	breach := "    cd bench && go test -run '^$' -bench '^Benchmark(A|Gone)$' -benchtime 1x . && go test -bench B ./org ./query\n"
	has := func(folder string) []string {
		return map[string][]string{"bench": {"BenchmarkA"}, "org": {"BenchmarkB"}}[folder]
	}
	if got := missingBenchmarks(breach, has); !slices.Equal(got, []string{"query B"}) {
		t.Errorf("the rule finds %q", got)
	}
}
