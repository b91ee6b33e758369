// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store/storetest"
)

// notebook is a witness in memory.
type notebook struct {
	head        string
	read, write error
	told        int
}

func (n *notebook) Signed() (string, error) { return n.head, n.read }

func (n *notebook) Remember(head string) error {
	n.told++
	if n.write == nil {
		n.head = head
	}
	return n.write
}

// witnessed sets the key of the machine and a witness.
func witnessed(t failer, w *notebook) func(*chain.Options) {
	t.Helper()
	sign := signed(t)
	return func(o *chain.Options) {
		sign(o)
		o.Witness = chain.Witness{Signed: w.Signed, Remember: w.Remember}
	}
}

// seen returns the number of the commit that the witness remembers.
func (n *notebook) seen(t failer) uint64 {
	t.Helper()
	_, known := machine(t)
	h, _, err := chain.OpenHead(n.head, known)
	if err != nil {
		t.Fatal(err)
	}
	return h.Seq
}

// TestWitnessModel: whatever is committed and however often the chain is opened, the
// witness knows of it from the first commit on and lags by fewer than 64 commits; and it is
// not told more often than once in 64 commits.
func TestWitnessModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history, w := &storetest.InMemory{}, &notebook{}
		f := open(t, history.Open(), witnessed(t, w))
		told, seen := 0, uint64(0)
		for range rapid.IntRange(1, 3).Draw(t, "openings") {
			tx := f.Begin()
			for range rapid.IntRange(0, 70).Draw(t, "commits") {
				if _, err := tx.Append(t.Context(), f.Head().State, &graph.Delta{}, graph.Commit{Kind: graph.KindRetain}); err != nil {
					t.Fatal(err)
				}
				if told < w.told {
					told, seen = w.told, w.seen(t)
				}
				if seq := f.Head().Commit.Seq; seen > seq || seq-seen >= 64 {
					t.Fatalf("commit %d: the witness knows of %d", seq, seen)
				}
			}
			tx.End()
			f = open(t, history.Open(), witnessed(t, w))
		}
		if most := 1 + int(f.Head().Commit.Seq/64); w.told > most {
			t.Fatalf("told %d times of %d commits", w.told, f.Head().Commit.Seq)
		}
	})
}

// TestWitnessOfAnAdoptedStore: a witness that knows of less than the store has, or of a later
// commit, is told at the opening; after an error it is not told again with each commit.
func TestWitnessOfAnAdoptedStore(t *testing.T) {
	history, w := &storetest.InMemory{}, &notebook{}
	f := open(t, history.Open(), signed(t))
	tx := f.Begin()
	for i := range 3 {
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* %d\n", i)})
	}
	tx.End()
	open(t, history.Open(), witnessed(t, w))
	if w.told != 1 || w.seen(t) != 3 {
		t.Errorf("told %d times: %q", w.told, w.head)
	}
	open(t, history.Open(), witnessed(t, w))
	if w.told != 1 {
		t.Errorf("told %d times of the same head", w.told)
	}

	shorter, v := &storetest.InMemory{}, &notebook{head: w.head}
	f = openChain(t, shorter)
	f.commit(t, f.Begin(), graph.Commit{}, map[string]string{"a.org": "* 0\n"})
	open(t, shorter.Open(), witnessed(t, v))
	if v.told != 0 || v.seen(t) != 3 {
		t.Error("the witness was told of an unsigned head")
	}
	f = open(t, shorter.Open(), signed(t))
	f.commit(t, f.Begin(), graph.Commit{}, map[string]string{"a.org": "* 1\n"})
	open(t, shorter.Open(), witnessed(t, v))
	if v.told != 1 || v.seen(t) != 2 {
		t.Errorf("told %d times: %q", v.told, v.head)
	}

	bad := &notebook{write: errors.New("no room")}
	var log strings.Builder
	f = open(t, (&storetest.InMemory{}).Open(), func(o *chain.Options) {
		witnessed(t, bad)(o)
		warnings(&log)(o)
	})
	tx = f.Begin()
	for i := range 3 {
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* %d\n", i)})
	}
	if bad.told != 1 || strings.Count(log.String(), "no room") != 1 {
		t.Errorf("told %d times, warned of %q", bad.told, log.String())
	}
}

// TestLostHistory: a store without commits is damaged if something remembers that it had
// some, and takes no writes; no other store is.
func TestLostHistory(t *testing.T) {
	history, w := &storetest.InMemory{}, &notebook{}
	f := open(t, history.Open(), witnessed(t, w))
	f.commit(t, f.Begin(), graph.Commit{}, map[string]string{"a.org": "* one\n"})
	lost := func(why string) func(*chain.Options) {
		return func(o *chain.Options) { o.Lost = func() string { return why } }
	}
	_, others := another(t)
	for name, tc := range map[string]struct {
		from    *storetest.InMemory
		options func(*chain.Options)
		says    string
	}{
		"no witness":             {&storetest.InMemory{}, nil, ""},
		"a witness of nothing":   {&storetest.InMemory{}, witnessed(t, &notebook{}), ""},
		"nothing missing":        {history, witnessed(t, w), ""},
		"nothing missing, as is": {history, lost("files are known"), ""},
		"a witness":              {&storetest.InMemory{}, witnessed(t, w), "of which this machine has signed commit 1 at "},
		"a witness of another key": {&storetest.InMemory{}, func(o *chain.Options) {
			o.Witness, o.Verifiers = chain.Witness{Signed: w.Signed, Remember: w.Remember}, others
		}, "machine+1aa4341c"},
		"a witness that is damaged":  {&storetest.InMemory{}, witnessed(t, &notebook{head: "x"}), "not a signed head"},
		"a witness that is not read": {&storetest.InMemory{}, witnessed(t, &notebook{read: errors.New("no such device")}), "no such device"},
		"other evidence":             {&storetest.InMemory{}, lost("files are known"), "files are known"},
		"no other evidence":          {&storetest.InMemory{}, lost(""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, tc.from.Open(), tc.options)
			err := f.Store().Err()
			if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Fatal(err)
			}
			if corrupt := f.Store().Recovery().Corrupt; (corrupt == nil) != (tc.says == "") {
				t.Errorf("recovery says %v", corrupt)
			}
			state, delta := f.draft(map[string]string{"b.org": "* two\n"})
			tx := f.Begin()
			defer tx.End()
			if _, err := tx.Append(t.Context(), state, delta, graph.Commit{Kind: graph.KindIngest}); (err == nil) != (tc.says == "") {
				t.Errorf("a write says %v", err)
			}
		})
	}
}
