// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package library

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/window"
)

// begin makes a folder with one note, and works in it until the returned function is called.
func begin() (done func()) {
	dir, err := os.MkdirTemp("", "fovea-library")
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "notes"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "notes", "gauge.org"), []byte("* Rain gauge\nThe battery lasts 8.7 months.\n"), 0o644)
	}
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		log.Fatal(err)
	}
	return func() {
		if err := os.Chdir(os.TempDir()); err != nil {
			log.Fatal(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			log.Fatal(err)
		}
	}
}

// open opens a memory and reads the folder.
func open(ctx context.Context) (*fovea.Memory, error) {
	m, err := fovea.Open(ctx, "notes", &fovea.Options{StateDir: "state"})
	if err != nil {
		return nil, err
	}
	if err := m.Ingest(ctx, nil); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// titles lists what a view holds. A View is an interface: a program can name it, and pass it on.
func titles(v fovea.View) (all []string) {
	for n := range v.All() {
		all = append(all, n.Title())
	}
	return all
}

// remember writes a note into a file of the folder.
func remember(ctx context.Context, notes fovea.Notes) error {
	note := document.InsertHeadline{Title: "Spare cells", Body: "Three D cells are in the drawer.\n"}
	_, _, _, err := notes.Remember(ctx, "inbox.org", note, nil)
	return err
}

// ask returns the context of a question.
func ask(ctx context.Context, v fovea.View, question string) (string, error) {
	w, err := v.Window(ctx, window.Request{Question: question, Budget: 400})
	if err != nil {
		return "", err
	}
	return w.Text, nil
}

// takeBack returns to the state before the newest change, files and all.
func takeBack(ctx context.Context, history fovea.History) ([]string, error) {
	commits, err := history.Log(ctx, "", 2) // the newest first
	if err != nil || len(commits) < 2 {
		return nil, err
	}
	_, files, err := history.Rollback(ctx, fmt.Sprintf("seq:%d", commits[1].Seq), nil)
	return files, err
}

func Example_open() {
	defer begin()()
	ctx := context.Background()
	m, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	fmt.Println(titles(m.View()))
	// Output: [gauge Rain gauge]
}

func Example_remember() {
	defer begin()()
	ctx := context.Background()
	m, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	if err := remember(ctx, m.Notes()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(titles(m.View()))
	// Output: [gauge Rain gauge inbox Spare cells]
}

func Example_window() {
	defer begin()()
	ctx := context.Background()
	m, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	text, err := ask(ctx, m.View(), "how long does the battery last?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(text, "8.7 months"))
	// Output: true
}

func Example_rollback() {
	defer begin()()
	ctx := context.Background()
	m, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	if err := remember(ctx, m.Notes()); err != nil {
		log.Fatal(err)
	}
	files, err := takeBack(ctx, m.History())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(files, titles(m.View()))
	// Output: [inbox.org] [gauge Rain gauge]
}
