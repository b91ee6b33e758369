// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// TestOutline parses the files NAME of each archive in testdata/outline and compares
// the outline, as dump prints it, with the file NAME.want after it. Files below
// setup/ are setup files. The flag -update writes the NAME.want.
func TestOutline(t *testing.T) {
	names, err := filepath.Glob("testdata/outline/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives in testdata/outline: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatalf("read archive: %v", err)
			}
			setup := map[string]string{}
			out := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".want") {
					continue
				}
				out.Files = append(out.Files, f)
				if strings.HasPrefix(f.Name, "setup/") {
					setup[f.Name] = string(f.Data)
					continue
				}
				d := org.Parse(string(f.Data), &org.Options{Setup: func(name string) (string, bool) {
					text, ok := setup[name]
					return text, ok
				}})
				checkDocument(t, d, string(f.Data))
				out.Files = append(out.Files, txtar.File{Name: f.Name + ".want", Data: []byte(dump(d))})
			}
			foveatest.Golden(t, "outline/"+filepath.Base(name), txtar.Format(out))
		})
	}
}

// dump prints what is not empty in d.
func dump(d *org.Document) string {
	var b strings.Builder
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	add("title", d.Title)
	add("category", d.Category)
	add("file tags", strings.Join(d.FileTags, " "))
	if all := strings.Join(d.Todo.All, " "); all != "TODO DONE" || len(d.Todo.Done) != 1 {
		add("keywords", all+" | done: "+strings.Join(d.Todo.Done, " "))
	}
	add("properties", dumpProperties(d.Properties))
	add("#+PROPERTY", dumpProperties(d.FileProperties))
	for i := range d.Headlines {
		dumpHeadline(&b, d, i)
	}
	for _, g := range d.Diagnostics {
		fmt.Fprintf(&b, "line %d: %s\n", g.Line, g.Message)
	}
	return b.String()
}

func dumpHeadline(b *strings.Builder, d *org.Document, i int) {
	h := &d.Headlines[i]
	fmt.Fprintf(b, "%s %q", strings.Repeat("*", h.Level), h.Title)
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, " %s=%s", name, value)
		}
	}
	flag := func(name string, set bool) {
		if set {
			b.WriteString(" " + name)
		}
	}
	add("todo", h.Todo)
	flag("done", h.Done)
	add("priority", h.Priority)
	add("tags", strings.Join(h.Tags, ":"))
	if all := strings.Join(d.AllTags(i), ":"); all != strings.Join(h.Tags, ":") {
		add("all", all)
	}
	flag("commented", h.Commented)
	flag("archived", h.Archived)
	flag("footnotes", h.Footnotes)
	add("scheduled", h.Scheduled)
	add("deadline", h.Deadline)
	add("closed", h.Closed)
	add("properties", dumpProperties(h.Properties))
	b.WriteByte('\n')
}

func dumpProperties(properties []org.Property) string {
	words := make([]string, len(properties))
	for i, p := range properties {
		words[i] = fmt.Sprintf("%s(%s)", p.Key, p.Value)
	}
	return strings.Join(words, " ")
}
