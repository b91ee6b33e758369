// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
)

// TestImportLongNames: a name that is too long with the ending of Org does not stop an import, and
// the next one finds its note again.
func TestImportLongNames(t *testing.T) {
	x := newExchanging(t)
	x.add(strings.Repeat("y", 252)+".md", "one\n")
	x.add(strings.Repeat("y", 251)+".md", "two\n")
	x.add("u\u0308.md", "three\n")
	x.add("\u00fc.md", "four\n")
	x.add("aA.md", "five\n")
	x.add("Aa.md", "six\n")
	x.add("AA.md", "seven\n")
	first := x.bring(ops.ImportRequest{})
	if first.Added != 7 || len(first.Files) != 7 {
		t.Fatalf("%+v", first)
	}
	if again := x.bring(ops.ImportRequest{}); again.Unchanged != 7 || again.Seq != 0 {
		t.Errorf("%+v", again)
	}
}

// TestRevertLeavesNoFolders: a revert of an import leaves no empty folder, nor removes one with
// something in it or one that the configuration names.
func TestRevertLeavesNoFolders(t *testing.T) {
	x := newExchanging(t)
	x.add("a/b/c.md", "one\n")
	x.add("d/e.md", "two\n")
	done := x.bring(ops.ImportRequest{})
	x.write(filepath.Join(x.dir, "imports/markdown/vault/d/own.txt"), "mine")
	if _, err := api.OpRevert.Call(t.Context(), x.svc, api.RevertRequest{Commits: []string{fmt.Sprint("seq:", done.Seq)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(x.dir, "imports/markdown/vault/a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder stays: %v", err)
	}
	if text := x.here("imports/markdown/vault/d/own.txt"); text != "mine" {
		t.Errorf("a file of another program: %s", text)
	}
	if err := os.Remove(filepath.Join(x.dir, "imports/markdown/vault/d/own.txt")); err != nil {
		t.Fatal(err)
	}
	again := x.bring(ops.ImportRequest{Again: true, Into: "in"})
	if _, err := api.OpRollback.Call(t.Context(), x.svc, api.RollbackRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(x.dir, "in")); again.Added != 2 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%+v: %v", again, err)
	}
}

// TestExportLeavesOutTheLocked: what is locked down is in no export, the owner's included.
func TestExportLeavesOutTheLocked(t *testing.T) {
	x := newExchanging(t)
	x.write(filepath.Join(x.dir, "skills/evil.org"), "#+title: Evil\n* Do what forbidden says\n")
	for _, kind := range []string{"markdown", "jsonl"} {
		to := filepath.Join(t.TempDir(), "out")
		done, err := ops.OpExport.Call(t.Context(), x.svc, ops.ExportRequest{Kind: kind, To: to})
		if err != nil {
			t.Fatal(err)
		}
		held := ""
		if err := filepath.WalkDir(to, func(name string, _ os.DirEntry, err error) error {
			if text, _ := os.ReadFile(name); strings.Contains(string(text), "forbidden") {
				held = name
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if held != "" || done.Notes == 0 {
			t.Errorf("%s: %+v, and %s has it", kind, done, held)
		}
	}
}

// TestImportEnds: a request that its caller gave up imports and exports nothing.
func TestImportEnds(t *testing.T) {
	x := newExchanging(t)
	x.add("a.md", "one\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := x.m.View().Root()
	if _, err := ops.OpImport.Call(ctx, x.svc, ops.ImportRequest{Kind: "markdown", Source: x.other}); !errors.Is(err, context.Canceled) {
		t.Errorf("import: %v", err)
	}
	to := filepath.Join(t.TempDir(), "out")
	if _, err := ops.OpExport.Call(ctx, x.svc, ops.ExportRequest{Kind: "markdown", To: to}); !errors.Is(err, context.Canceled) {
		t.Errorf("export: %v", err)
	}
	if x.m.View().Root() != root {
		t.Error("something was imported")
	}
	for kind, source := range map[string]string{"markdown": filepath.Join(x.other, "a.md"), "jsonl": x.other, "claude": os.DevNull} {
		_, err := ops.OpImport.Call(t.Context(), x.svc, ops.ImportRequest{Kind: kind, Source: source})
		if fovea.KindOf(err) != fovea.Invalid || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// ending is a context that ends when it has been asked so often whether it has.
type ending struct {
	context.Context
	left *int
}

func (c ending) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestImportEndsAnywhere: an import that ends at any step did nothing, and goes on when asked again.
func TestImportEndsAnywhere(t *testing.T) {
	x := newExchanging(t)
	for _, name := range []string{"a.md", "b/c.md", "b/d.md"} {
		x.add(name, "text of "+name+"\n")
	}
	root, ended := x.m.View().Root(), 0
	for steps := 0; ; steps++ {
		left := steps
		done, err := ops.OpImport.Call(ending{t.Context(), &left}, x.svc, ops.ImportRequest{Kind: "markdown", Source: x.other})
		if err == nil {
			if done.Added != 3 {
				t.Errorf("%+v", done)
			}
			break
		}
		if ended++; !errors.Is(err, context.Canceled) || steps > 10_000 {
			t.Fatalf("after %d steps: %v", steps, err)
		}
		if _, err := os.Stat(filepath.Join(x.dir, "imports")); !errors.Is(err, os.ErrNotExist) || x.m.View().Root() != root {
			t.Fatalf("after %d steps something is there: %v", steps, err)
		}
	}
	if ended < 12 { // three for the files that are read, three for those that are decided on, three for those that are written
		t.Errorf("it could be ended at %d steps only", ended)
	}
}
