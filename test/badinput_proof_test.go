// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// badInput is a request that is refused: with which kind of error, and what that says.
type badInput struct {
	name string
	do   func(ctx context.Context, m *fovea.Memory) error
	kind fovea.Kind
	says string
}

func badInputs() []badInput {
	rollback := func(ref string) func(ctx context.Context, m *fovea.Memory) error {
		return func(ctx context.Context, m *fovea.Memory) error {
			_, _, err := m.History().Rollback(ctx, ref, nil)
			return err
		}
	}
	at := func(ref string) func(ctx context.Context, m *fovea.Memory) error {
		return func(ctx context.Context, m *fovea.Memory) error {
			_, err := m.History().At(ctx, ref)
			return err
		}
	}
	edit := func(id string, base merkle.Digest) func(ctx context.Context, m *fovea.Memory) error {
		return func(ctx context.Context, m *fovea.Memory) error {
			_, err := m.Notes().Edit(ctx, id, &fovea.WriteOptions{Base: base}, document.SetTitle{Title: "New"})
			return err
		}
	}
	stale := merkle.Sum([]byte("as it was once"))
	return []badInput{
		{"edit of an unknown id", edit("nobody", merkle.Digest{}), fovea.NotFound, "nobody"},
		{"refile of an unknown id", func(ctx context.Context, m *fovea.Memory) error {
			_, err := m.Notes().Refile(ctx, "nobody", "a", nil)
			return err
		}, fovea.NotFound, "nobody"},
		{"refile to an unknown id", func(ctx context.Context, m *fovea.Memory) error {
			_, err := m.Notes().Refile(ctx, "a", "nobody", nil)
			return err
		}, fovea.NotFound, "nobody"},
		{"log of an unknown id", func(ctx context.Context, m *fovea.Memory) error {
			_, err := m.History().Log(ctx, "nobody", 0)
			return err
		}, fovea.NotFound, "nobody"},
		{"blame of an unknown id", func(ctx context.Context, m *fovea.Memory) error {
			_, _, _, err := m.History().Blame(ctx, nil, "nobody")
			return err
		}, fovea.NotFound, "nobody"},
		{"purge of an unknown id", func(ctx context.Context, m *fovea.Memory) error {
			_, _, err := m.Mending().Purge(ctx, []string{"nobody"}, "", nil)
			return err
		}, fovea.NotFound, "nobody"},
		{"unknown snapshot", rollback("no-such-name"), fovea.NotFound, "no-such-name"},
		{"unknown index", rollback("99"), fovea.NotFound, "99"},
		{"unknown commit", rollback("seq:99"), fovea.NotFound, "seq:99"},
		{"unknown date", rollback("1970-01-01"), fovea.NotFound, "1970-01-01"},
		{"unknown checkpoint", func(ctx context.Context, m *fovea.Memory) error {
			_, _, _, err := m.History().Restore(ctx, "no-such-name", nil)
			return err
		}, fovea.NotFound, "no-such-name"},
		{"look at an unknown date", at("1970-01-01"), fovea.NotFound, "1970-01-01"},
		{"look at an unknown snapshot", at("no-such-name"), fovea.NotFound, "no-such-name"},
		{"revert of an unknown commit", func(ctx context.Context, m *fovea.Memory) error {
			_, _, _, err := m.History().Revert(ctx, []uint64{99}, nil)
			return err
		}, fovea.NotFound, "seq:99"},
		{"edit on a stale digest", edit("a", stale), fovea.Conflict, "a"},
		{"edit of a tree on a stale digest", edit("lid", stale), fovea.Conflict, "changed since it was read"},
		{"rollback while Emacs holds a file", rollback("seq:1"), fovea.Conflict, "held.org"},
		{"edit while Emacs holds the file", edit("held", merkle.Digest{}), fovea.Busy, "noor@host"},
		{"a cycle in a tree", grown(func() *ast.Tree {
			loop := &ast.Tree{Type: "headline"}
			loop.Kids = []*ast.Tree{{Type: "headline", Kids: []*ast.Tree{loop}}}
			return loop
		}), fovea.Invalid, "contains itself"},
		{"the same id twice", grown(func() *ast.Tree {
			id := document.Attributes(document.Attr{Key: "ID", Value: document.TextValue("x")})
			return &ast.Tree{Type: "headline", Attrs: id, Kids: []*ast.Tree{{Type: "headline", Attrs: id}}}
		}), fovea.Invalid, "properties.ID"},
		{"10^6 children", grown(func() *ast.Tree {
			t := &ast.Tree{Type: "headline"}
			for range 1_000_000 {
				t.Kids = append(t.Kids, &ast.Tree{Type: "paragraph"})
			}
			return t
		}), fovea.Invalid, "more than 1000000 nodes"},
		{"below depth 10^4", grown(func() *ast.Tree {
			t := &ast.Tree{Type: "headline"}
			for range 10_000 {
				t = &ast.Tree{Type: "headline", Kids: []*ast.Tree{t}}
			}
			return t
		}), fovea.Invalid, "deeper than 10000"},
		{"a list in a list", read(`{"type":"headline","properties":{"A":[["x"]]}}`), fovea.Invalid, "properties.A"},
		{"an object as attribute", read(`{"type":"headline","contents":[{"type":"headline","properties":{"A":{"b":1}}}]}`), fovea.Invalid,
			"contents[0].properties.A"},
		{"no JSON", read(`{"type":`), fovea.Invalid, "tree"},
	}
}

// grown ingests a tree that is made for it.
func grown(tree func() *ast.Tree) func(ctx context.Context, m *fovea.Memory) error {
	return func(ctx context.Context, m *fovea.Memory) error {
		_, _, _, err := m.IngestTree(ctx, tree(), "", nil)
		return err
	}
}

// read ingests what came as JSON.
func read(text string) func(ctx context.Context, m *fovea.Memory) error {
	return func(ctx context.Context, m *fovea.Memory) error {
		t, err := ast.DecodeTree([]byte(text))
		if err != nil {
			return &fovea.Error{Op: "ingest", What: "tree", Kind: fovea.Invalid, Err: err}
		}
		_, _, _, err = m.IngestTree(ctx, t, "", nil)
		return err
	}
}

// TestBadInput: what cannot be is an error that says so, and leaves memory, history and
// files as they were.
func TestBadInput(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* A\n:PROPERTIES:\n:ID: a\n:END:\n", "held.org": "* Held\n:PROPERTIES:\n:ID: held\n:END:\n"})
	w.ingest()
	w.take(w.m, gauge, "")
	w.write(map[string]string{"held.org": "* Held, later\n:PROPERTIES:\n:ID: held\n:END:\n"})
	w.ingest()
	if err := os.Symlink("noor@host.12:34", filepath.Join(w.dir, ".#held.org")); err != nil {
		t.Fatal(err)
	}
	for _, bad := range badInputs() {
		t.Run(bad.name, func(t *testing.T) {
			view, files, snapshots, drift := w.m.View(), texts(w), w.m.History().Snapshots(), w.m.History().Drift()
			err := bad.do(t.Context(), w.m)
			if fovea.KindOf(err) != bad.kind || !strings.Contains(fmt.Sprint(err), bad.says) {
				t.Errorf("%v, a %v, want %v that says %q", err, fovea.KindOf(err), bad.kind, bad.says)
			}
			if after := w.m.View(); after.Head().Digest != view.Head().Digest || after.Root() != view.Root() {
				t.Errorf("memory changed: commit %d", after.Head().Seq)
			}
			if diff := cmp.Diff(files, texts(w)); diff != "" {
				t.Errorf("files changed:\n%s", diff)
			}
			if diff := cmp.Diff(snapshots, w.m.History().Snapshots()) + cmp.Diff(drift, w.m.History().Drift()); diff != "" {
				t.Errorf("snapshots or drift changed:\n%s", diff)
			}
		})
	}
}

// texts reads the Org files at the top of a memex; the lock of an editor is none.
func texts(w *world) map[string]string {
	w.t.Helper()
	out := map[string]string{}
	names, err := filepath.Glob(filepath.Join(w.dir, "[a-z]*"))
	for _, name := range names {
		var b []byte
		if b, err = os.ReadFile(name); err != nil {
			break
		}
		out[filepath.Base(name)] = string(b)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}
