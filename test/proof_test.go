// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/proof"
)

// TestProofsOfAHistory: heads that were signed before edits, a purge,
// a rollback and openings are contained in the last one; notes of each moment are
// proved against it, but for one that was purged.
func TestProofsOfAHistory(t *testing.T) {
	w := newWorld(t, map[string]string{
		"a.org": "#+title: A\n* One\n:PROPERTIES:\n:ID: one\n:END:\nfirst text\n** Below\n",
		"b.org": "* Two\n:PROPERTIES:\n:ID: two\n:END:\nsecret words\n",
	})
	signer, key := newKey(t, "laptop")
	w.reopenAs(signer, key)
	w.ingest()
	keys := note.VerifierList(key)
	var heads []string
	sign := func() {
		t.Helper()
		head, err := w.m.History().SignedHead(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, head.Note)
	}
	sign()
	w.edit("ann", "one", document.AppendBody{Text: "words of ann"})
	sign()
	w.edit("ann", "two", document.SetTitle{Title: "Two again"})
	w.rolledBack("seq:1")
	if _, n, err := w.m.Mending().Purge(t.Context(), nil, "words of ann", nil); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	sign()
	w.reopenAs(signer, key)
	w.edit("ann", "one", document.AppendBody{Text: "more"})
	sign()
	if _, _, err := w.m.History().Checkpoint(t.Context(), "image"); err != nil {
		t.Fatal(err)
	}
	w.reopenAs(signer, key)
	sign()
	check := func(f *proof.File, err error) proof.Verdict {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		v, err := proof.Check(text, keys)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return v
	}
	for i := range heads {
		for _, to := range heads[i:] {
			check(travel.ProveHeads(t.Context(), travel.Of(w.m.History()), heads[i], to))
		}
	}
	head := w.m.View().Head().Seq
	for seq := uint64(1); seq <= head; seq++ {
		at := fmt.Sprintf("seq:%d", seq)
		v, err := w.m.History().At(t.Context(), at)
		if err != nil {
			f, _, err := travel.Prove(t.Context(), travel.Of(w.m.History()), at, "one", false)
			if fovea.KindOf(err) != fovea.NotFound {
				t.Errorf("%s: what was purged is proved: %+v, %v", at, f, err)
			}
			f, _, err = travel.Prove(t.Context(), travel.Of(w.m.History()), at, "two", false)
			check(f, err)
			continue
		}
		for n := range v.All() {
			f, _, err := travel.Prove(t.Context(), travel.Of(w.m.History()), at, n.ID, false)
			if got := check(f, err); string(got.Note) != n.Content || !strings.Contains(got.Claim, fmt.Sprintf("at commit %d ", seq)) {
				t.Errorf("%s of %s: %+v", n.ID, at, got)
			}
		}
		f, _, err := travel.Prove(t.Context(), travel.Of(w.m.History()), at, "none", true)
		check(f, err)
	}
	if _, problems, err := w.m.Mending().Verify(t.Context(), strings.Join(heads, "")); err != nil || len(problems) > 1 {
		t.Errorf("verify: %v, %v", problems, err)
	}
}

// TestForkedHistoriesAreNotProved: what two copies went on with apart is in neither, until
// one takes in the other; and each goes on proving what it had.
func TestForkedHistoriesAreNotProved(t *testing.T) {
	signer, key := newKey(t, "laptop")
	w := newWorld(t, map[string]string{"a.org": "* One\n:PROPERTIES:\n:ID: one\n:END:\n"})
	w.reopenAs(signer, key)
	w.ingest()
	common, err := w.m.History().SignedHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := w.copied(t)
	w.reopenAs(signer, key)
	other.reopenAs(signer, key)
	for _, side := range []*world{w, other} {
		side.edit("ann", "one", document.AppendBody{Text: "in " + side.dir})
	}
	theirs, err := other.m.History().SignedHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]bool{common.Note: true, theirs.Note: false} {
		f, err := travel.ProveHeads(t.Context(), travel.Of(w.m.History()), from, "")
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if v, err := proof.Check(text, note.VerifierList(key)); (err == nil) != want {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

// copied opens a copy of a memory and its state in folders of its own.
func (w *world) copied(t *testing.T) *world {
	t.Helper()
	c := newWorld(t, nil)
	if err := c.m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	c.state = filepath.Join(t.TempDir(), "state")
	if err := os.CopyFS(c.state, os.DirFS(w.state)); err != nil {
		t.Fatal(err)
	}
	c.write(w.onDisk())
	w.open()
	m, err := fovea.Open(t.Context(), c.dir, &fovea.Options{StateDir: c.state, Now: c.now, Adopt: true})
	if err != nil {
		t.Fatal(err)
	}
	c.m = m
	return c
}
