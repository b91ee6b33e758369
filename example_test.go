// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/query"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// exampleFolder makes a folder with one Org file, and a place for the state.
func exampleFolder() (memex, state string, done func()) {
	dir, err := os.MkdirTemp("", "fovea-example")
	if err != nil {
		log.Fatal(err)
	}
	memex, state = filepath.Join(dir, "memex"), filepath.Join(dir, "state")
	text := "* TODO Fix the rain gauge :project:\n:PROPERTIES:\n:ID: gauge\n:END:\nThe battery lasts 8.7 months.\n** Order cells\nThree D cells.\n"
	if err := os.MkdirAll(memex, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(memex, "gauge.org"), []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
	return memex, state, func() { os.RemoveAll(dir) }
}

// readme is the code that doc/library.md shows.
func readme(ctx context.Context) (*window.Window, error) {
	m, err := fovea.Open(ctx, "notes", &fovea.Options{StateDir: "state"})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if err := m.Ingest(ctx, nil); err != nil {
		return nil, err
	}
	counter, err := token.Exact()
	if err != nil {
		return nil, err
	}
	return m.View().Window(ctx, window.Request{Question: "how long do the cells last?", Budget: 2000, Counter: counter})
}

// A folder is opened, read, and asked for the context of a question.
func Example() {
	memex, _, done := exampleFolder()
	defer done()
	work, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	defer os.Chdir(work)
	if err := errors.Join(os.Chdir(filepath.Dir(memex)), os.Rename(memex, "notes")); err != nil {
		log.Fatal(err)
	}
	w, err := readme(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Tokens <= w.Budget)
	for _, p := range w.Parts {
		fmt.Println(p.Level, p.Title)
	}
	// Output:
	// true
	// full gauge
	// full Fix the rain gauge
	// full Order cells
}

// Nodes are found by a query; tags are inherited, and match exactly.
func ExampleView_Query() {
	ctx := context.Background()
	memex, state, done := exampleFolder()
	defer done()
	m, err := fovea.Open(ctx, memex, &fovea.Options{StateDir: state})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	if err := m.Ingest(ctx, nil); err != nil {
		log.Fatal(err)
	}
	e, err := query.Parse("tags:project level:2")
	if err != nil {
		log.Fatal(err)
	}
	nodes, err := m.View().Query(e, 0, time.Now())
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range nodes {
		fmt.Println(n.Title())
	}
	// Output: Order cells
}

// A rollback makes an earlier state the present one, file and all; rolling
// back to 0 again returns.
func ExampleMemory_History() {
	ctx := context.Background()
	memex, state, done := exampleFolder()
	defer done()
	m, err := fovea.Open(ctx, memex, &fovea.Options{StateDir: state})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	must := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	must(m.Ingest(ctx, nil))
	file := filepath.Join(memex, "gauge.org")
	must(os.WriteFile(file, []byte("* All is lost\n"), 0o644))
	must(m.Ingest(ctx, nil))
	_, files, err := m.History().Rollback(ctx, "0", nil)
	must(err)
	text, err := os.ReadFile(file)
	must(err)
	fmt.Println(files, len(text))
	// Output: [gauge.org] 126
}
