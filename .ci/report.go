// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build ignore

// Report reads the events of go test -json and prints what go test prints, and
// besides each skipped test with its reason, which go test keeps to itself. Its last
// line counts the tests that were left out, by what they need.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// event is one line of go test -json, as far as it is used.
type event struct {
	Action, Package, Test, Output string
}

func main() {
	advice := flag.String("advice", "", "what to say at the end of the line on what was left out")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	said := map[string]*strings.Builder{} // output of the tests that still run
	skipped := map[string]int{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintf(out, "%s\n", lines.Bytes()) // not an event: go itself speaks
			continue
		}
		if b := said[e.Package+" "+e.Test]; b != nil && e.Action == "skip" {
			skipped[need(b.String())]++
		}
		report(out, said, e)
		out.Flush()
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "report: read events:", err)
		os.Exit(1)
	}
	for _, b := range said { // a package that died in the middle of a test
		out.WriteString(b.String())
	}
	out.WriteString(leftOut(skipped, *advice))
	out.Flush()
}

// report prints the event e, or keeps it until its test has ended.
func report(out *bufio.Writer, said map[string]*strings.Builder, e event) {
	key := e.Package + " " + e.Test
	switch {
	case e.Action == "build-output":
		out.WriteString(e.Output)
	case e.Action == "output" && e.Test == "":
		if e.Output != "PASS\n" && !strings.Contains(e.Output, "[no test files]") {
			out.WriteString(e.Output)
		}
	case e.Action == "output":
		if strings.HasPrefix(e.Output, "=== ") {
			return
		}
		if said[key] == nil {
			said[key] = &strings.Builder{}
		}
		said[key].WriteString(e.Output)
	case e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
		if b := said[key]; b != nil && e.Action != "pass" {
			out.WriteString(b.String())
		}
		delete(said, key)
	}
}

// absent matches how package foveatest says what a test needs and does not have.
var absent = regexp.MustCompile(`: (\S+) is not (?:in FOVEA_PARTS|set|installed)`)

// need returns what a test that was skipped with these words needs; "" is what no part gives.
func need(words string) string {
	m := absent.FindStringSubmatch(words)
	if m == nil {
		return ""
	}
	switch m[1] {
	case "FOVEA_TESTDATA":
		return "the outside corpus"
	case "FOVEA_NODE_MODULES":
		return "Node packages"
	case "FOVEA_SOURCES":
		return "other people's sources"
	}
	return m[1]
}

// leftOut says in one line what tests were left out, "" if none was.
func leftOut(skipped map[string]int, advice string) string {
	total, parts := 0, []string{}
	for _, name := range slices.Sorted(maps.Keys(skipped)) {
		if name != "" {
			total += skipped[name]
			parts = append(parts, fmt.Sprintf("%s %d", name, skipped[name]))
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("left out: %d tests that need real parts (%s)%s\n", total, strings.Join(parts, ", "), advice)
}
