// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/merkle"
)

// logOf returns the root of the log that a signed head names, and checks that it is that of
// the chain's commits.
func logOf(t failer, f fixture, seq uint64) tlog.Hash {
	t.Helper()
	var hashes []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		var out []tlog.Hash
		for _, i := range at {
			out = append(out, hashes[i])
		}
		return out, nil
	})
	if err := f.Commits(context.Background(), 1, seq, func(c *graph.Commit) error {
		more, err := tlog.StoredHashes(int64(c.Seq-1), chain.LogRecord(c.Digest, c.State, c.When().Format(chain.HeadTime)), reader)
		hashes = append(hashes, more...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	root, err := tlog.TreeHash(int64(seq), reader)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestLog: the signed head of each commit names the log of the commits up to it, after
// openings from the journal and from an image; each log begins with each earlier one and
// has each commit.
func TestLog(t *testing.T) {
	history := &storetest.InMemory{}
	f := open(t, history.Open(), signed(t))
	_, known := machine(t)
	var roots []tlog.Hash
	var commits []chain.Commit
	for i := range 21 {
		tx := f.Begin()
		commits = append(commits, f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* %d\n", i)}))
		text, err := tx.SignedHead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		h, _, err := chain.OpenHead(text, known)
		if want := logOf(t, f, h.Seq); err != nil || h.Get("log") != want.String() || !h.HasLog() {
			t.Fatalf("commit %d: %v: log %s, want %s", h.Seq, err, h.Get("log"), want)
		}
		root, err := tlog.ParseHash(h.Get("log"))
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, root)
		if i == 10 {
			if err := tx.Images().Write(); err != nil {
				t.Fatal(err)
			}
		}
		tx.End()
		if i%4 == 0 {
			f = open(t, history.Open(), signed(t))
		}
	}
	last := len(roots)
	for i, root := range roots {
		p, err := chain.ProveLog(t.Context(), f.Chain, uint64(last), uint64(i+1))
		if err != nil || tlog.CheckTree(p, int64(last), roots[last-1], int64(i+1), root) != nil {
			t.Errorf("the log does not begin with that of commit %d: %v", i+1, err)
		}
		c := commits[i]
		r, err := chain.ProveCommit(t.Context(), f.Chain, uint64(last), c.Seq)
		record := tlog.RecordHash(chain.LogRecord(c.Digest, c.Root, c.Time.UTC().Format(chain.HeadTime)))
		if err != nil || tlog.CheckRecord(r, int64(last), roots[last-1], int64(i), record) != nil {
			t.Errorf("the log lacks commit %d: %v", i+1, err)
		}
	}
	if _, err := chain.ProveLog(t.Context(), f.Chain, uint64(last+1), 1); err == nil {
		t.Error("a log of commits that are not there")
	}
}

// TestLogOfAnImage: an image without the log, or with another one, does not change what is
// signed.
func TestLogOfAnImage(t *testing.T) {
	for name, section := range map[string][]byte{
		"none": nil, "no value": {0xff}, "too few trees": merkle.AppendUint(merkle.AppendList(nil, 1), 3),
		"another": merkle.AppendBytes(merkle.AppendBytes(merkle.AppendUint(merkle.AppendList(nil, 3), 3), make([]byte, 32)), make([]byte, 32)),
	} {
		t.Run(name, func(t *testing.T) {
			history := &storetest.InMemory{}
			f := open(t, history.Open(), signed(t))
			_, known := machine(t)
			tx := f.Begin()
			for i := range 3 {
				f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* %d\n", i)})
			}
			if err := tx.Images().Write(); err != nil {
				t.Fatal(err)
			}
			tx.End()
			img, err := f.Store().LoadImage()
			if err != nil {
				t.Fatal(err)
			}
			for i := range img.Sections {
				if img.Sections[i].Name == "log" {
					img.Sections[i].Data = section
				}
			}
			from := history.Open()
			if err := from.WriteImage(*img); err != nil {
				t.Fatal(err)
			}
			f = open(t, from, signed(t))
			tx = f.Begin()
			defer tx.End()
			f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* last\n"})
			text, err := tx.SignedHead(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			h, _, err := chain.OpenHead(text, known)
			if want := logOf(t, f, 4); err != nil || h.Get("log") != want.String() {
				t.Errorf("%v: log %s, want %s", err, h.Get("log"), want)
			}
		})
	}
}
