// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build ignore

// Report reads the events of go test -json and prints what go test prints, and
// besides each skipped test with its reason, which go test keeps to itself.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// event is one line of go test -json, as far as it is used.
type event struct {
	Action, Package, Test, Output string
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	said := map[string]*strings.Builder{} // output of the tests that still run
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintf(out, "%s\n", lines.Bytes()) // not an event: go itself speaks
			continue
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
