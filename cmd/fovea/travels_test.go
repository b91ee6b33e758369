// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// travels are the rows of the table in doc/moving.md, each with a verb, or a file, that shows
// whether a memory has it, and what the answer then contains.
var travels = []struct {
	what string
	verb []string
	has  string
}{
	{"notes, with their ids", []string{"show", "gauge"}, "It drifts"},
	{"ignore files", nil, ".foveaignore"},
	{"conflicts", []string{"show", "gauge"}, ":CONFLICT:"},
	{"tasks and their claims", []string{"task", "list"}, "(ada, claim"},
	{"messages", []string{"message", "inbox", "--agent", "ada"}, "The build is red"},
	{"history, with authors", []string{"log"}, "agents/ada/"},
	{"snapshots", []string{"snapshot", "list"}, "before-the-move"},
	{"proposals that wait", []string{"review", "list"}, "Proposed"},
	{"working memory", []string{"block", "list", "--agent", "ada"}, "TASK-42"},
	{"windows that were given", []string{"windows", "--agent", "ada"}, "gauge"},
	{"feedback", []string{"feedback", "status"}, "1 times useful"},
	{"remotes", []string{"remote", "list"}, "stick"},
	{"files that are ignored", nil, "ignored.org"},
}

// newTraveller returns the home of a memory that has every row of travels.
func newTraveller(t *testing.T) string {
	t.Helper()
	dir := memexWith(t, map[string]string{
		"a.org":                       "* Gauge\n:PROPERTIES:\n:ID: gauge\n:END:\nIt drifts.\n",
		"tasks.org":                   "* TODO Paint\n:PROPERTIES:\n:ID: paint\n:END:\n",
		".foveaignore":                "ignored.org\n",
		"ignored.org":                 "* Ignored\n",
		"../config/fovea/config.toml": "[grants.ada]\nreview = [\"/\"]\n",
		"../pass.txt":                 "a passphrase of the test\n",
	})
	other := t.TempDir()
	fv(t, dir, "", "snapshot", "before-the-move")
	fv(t, dir, "", "bundle", "write", filepath.Join(dir, "early.fovea"), "--plain")
	fv(t, other, "", "clone", filepath.Join(dir, "early.fovea"), filepath.Join(other, "notes"))
	fv(t, other, "", "edit", "gauge", "--body", "It drifts up.")
	fv(t, dir, "", "edit", "gauge", "--body", "It drifts down.")
	fv(t, other, "", "bundle", "write", filepath.Join(dir, "other.fovea"), "--plain")
	fv(t, dir, "", "bundle", "read", filepath.Join(dir, "other.fovea"))
	for _, words := range [][]string{
		{"remember", "A note", "--under", "agents/ada/", "--agent", "ada"},
		{"task", "claim", "paint", "--agent", "ada", "--lease", "2h"},
		{"message", "send", "ada", "The build is red"},
		{"block", "add", "task", "TASK-42", "Paint it", "--agent", "ada"},
		{"context", "--agent", "ada", "--focus", "gauge"},
		{"feedback", "gauge", "--question", "which gauge drifts"},
		{"remote", "add", "stick", filepath.Join(dir, "stick"), "--passphrase-file", filepath.Join(dir, "pass.txt")},
	} {
		fv(t, dir, "", words...)
	}
	command, said := shim(t, dir, "--agent", "ada")
	c, err := mcp.NewClient(&mcp.Implementation{Name: "ada", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	defer c.Close()
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "remember", Arguments: map[string]any{"title": "Proposed"}})
	if err != nil || r.IsError {
		t.Fatalf("%v: %+v", err, r)
	}
	return dir
}

// TestTravels: each way to another machine carries exactly what the table of doc/moving.md says.
func TestTravels(t *testing.T) {
	t.Parallel()
	dir := newTraveller(t)
	source := func(name string) string { return filepath.Join(dir, name) }
	store, err := filepath.Glob(source("state/fovea/notes-*"))
	if err != nil || len(store) != 1 {
		t.Fatal(store, err)
	}
	ways := []struct {
		name  string
		carry func(to string)
	}{
		{"a bundle or a remote, cloned", func(to string) {
			fv(t, dir, "", "bundle", "write", source("whole.fovea"), "--plain")
			fv(t, to, "", "clone", source("whole.fovea"), filepath.Join(to, "notes"))
		}},
		{"a bundle or a remote, cloned", func(to string) {
			fv(t, dir, "", "push", "stick")
			fv(t, to, "", "clone", source("stick"), filepath.Join(to, "notes"), "--passphrase-file", source("pass.txt"))
			fv(t, to, "", "remote", "remove", "origin")
		}},
		{"notes and store copied, adopted", func(to string) {
			copyFolder(t, source("notes"), filepath.Join(to, "notes"))
			copyFolder(t, store[0], filepath.Join(to, "store"))
			fv(t, to, "", "adopt", filepath.Join(to, "store"))
		}},
		{"notes copied alone", func(to string) { copyFolder(t, source("notes"), filepath.Join(to, "notes")) }},
	}
	said := tableOfTravels(t)
	for _, way := range ways {
		to := t.TempDir()
		way.carry(to)
		for _, row := range travels {
			has := false
			if row.verb == nil {
				_, err := os.Stat(filepath.Join(to, "notes", row.has))
				has = err == nil
			} else {
				has = strings.Contains(fv(t, to, "", row.verb...), row.has)
			}
			if has != said[row.what][way.name] {
				t.Errorf("%s: %s: %v, and the table says %v", way.name, row.what, has, said[row.what][way.name])
			}
		}
	}
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// tableOfTravels reads what doc/moving.md says that travels, by row and way.
func tableOfTravels(t *testing.T) map[string]map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../doc/moving.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "## What travels\n")
	table, _, _ := strings.Cut(after, "\n## ")
	var ways []string
	said := map[string]map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		switch {
		case !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---"):
		case ways == nil:
			ways = cells[1:]
		default:
			row := map[string]bool{}
			for i, cell := range cells[1:] {
				row[ways[i]] = cell == "yes"
			}
			said[cells[0]] = row
		}
	}
	return said
}
