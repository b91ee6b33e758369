// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/merkle"
)

// TestCommitsSurviveModel: a commit comes back from the journal, and from an image, as the
// writer was told of it; its time is never before that of the commit it follows.
func TestCommitsSurviveModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := &storetest.InMemory{}
		f := openChain(t, history)
		tx := f.Begin()
		var told []chain.Commit
		for i := range rapid.IntRange(1, 4).Draw(t, "commits") {
			c := graph.Commit{
				Kind: rapid.SampledFrom([]string{graph.KindEdit, graph.KindRevert}).Draw(t, "kind"), Session: rapid.String().Draw(t, "session"),
				Author: rapid.SampledFrom([]author.Author{{}, {Kind: author.Owner}, {Kind: author.Agent, Name: "a\xff"}}).Draw(t, "author"),
				Op:     rapid.SampledFrom([]string{"", "op", chain.VouchedOp + "op"}).Draw(t, "op"), Message: string(rapid.SliceOf(rapid.Byte()).Draw(t, "message")),
				Time: rapid.Int64Range(-1000, 1<<40).Draw(t, "time"),
			}
			if i > 0 && rapid.Bool().Draw(t, "merge") {
				c.Kind, c.Parents = graph.KindMerge, []merkle.Digest{merkle.Sum([]byte(c.Message))}
			}
			done := f.commit(t, tx, c, map[string]string{fmt.Sprint(i%2, ".org"): fmt.Sprintf("* %d\n", i)})
			if done.Message != strings.ToValidUTF8(c.Message, "\uFFFD") || done.Vouched != strings.HasPrefix(c.Op, chain.VouchedOp) ||
				done.Kind != c.Kind || done.Op != c.Op || done.Session != c.Session || (len(done.Parents) == 2) != (c.Kind == graph.KindMerge) {
				t.Fatalf("%+v became %+v", c, done)
			}
			if i == 0 && done.Time != time.UnixMilli(c.Time).UTC() || i > 0 && done.Time.UnixMilli() != max(c.Time, told[i-1].Time.UnixMilli()) {
				t.Fatalf("commit %d at %v", i+1, done.Time)
			}
			told = append(told, done)
		}
		last := told[len(told)-1]
		if diff := cmp.Diff(last, openChain(t, history).Head().Commit); diff != "" {
			t.Fatalf("from the journal (-want +got)\n%s", diff)
		}
		for i, want := range told[:len(told)-1] {
			at, err := f.PartAt(context.Background(), uint64(i+1))
			if err != nil || cmp.Diff(want, at.Commit) != "" {
				t.Fatalf("%v (-want +got)\n%s", err, cmp.Diff(want, at.Commit))
			}
		}
		if err := tx.Images().Write(); err != nil {
			t.Fatal(err)
		}
		last.Lineage, last.Parents = nil, nil
		if diff := cmp.Diff(last, openChain(t, history).Head().Commit); diff != "" {
			t.Fatalf("from the image (-want +got)\n%s", diff)
		}
	})
}

// TestNothingToCommit: a commit of no changes is none; its marks are kept, and what was
// read again is there.
func TestNothingToCommit(t *testing.T) {
	history := &storetest.InMemory{}
	f := openChain(t, history)
	tx := f.Begin()
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n"})
	state, delta := f.draft(map[string]string{"a.org": "* one\n"})
	done, err := tx.Commit(t.Context(), state, delta, graph.Commit{Kind: graph.KindIngest}, tallyMark(8))
	if err != nil || done.Seq != 0 || f.Head().Commit.Seq != 1 || f.Head().State != state {
		t.Errorf("commit %d: %v", done.Seq, err)
	}
	if got := f.tally.At(f.Head()); !slices.Equal(got, []int64{8}) {
		t.Errorf("the ledger has %d", got)
	}
	f.Store().Stop(errors.New("full"))
	if _, err := tx.Commit(t.Context(), state, delta, graph.Commit{Kind: graph.KindIngest}, tallyMark(9)); fault.KindOf(err) != fault.ReadOnly {
		t.Error(err)
	}
	if err := tx.Mark(t.Context()); err != nil {
		t.Errorf("no marks: %v", err)
	}
	tx.End()
	f = openChain(t, history)
	if got := f.tally.At(f.Head()); !slices.Equal(got, []int64{8}) {
		t.Errorf("after an opening the ledger has %d", got)
	}
}

// TestFailedWrite: a commit that the store does not take changes nothing and nobody is
// told; those that it takes are published in order, each before its Committed.
func TestFailedWrite(t *testing.T) {
	var log []string
	from := &breaking{Store: (&storetest.InMemory{}).Open(), left: -1}
	f := open(t, from, func(o *chain.Options) {
		o.Published = func(delta *graph.Delta) {
			if delta == nil {
				log = append(log, "loaded")
				return
			}
			log = append(log, fmt.Sprint("published ", len(delta.Changes)))
		}
		o.Committed = func(c chain.Commit) { log = append(log, fmt.Sprint("committed ", c.Seq)) }
	})
	tx := f.Begin()
	defer tx.End()
	f.commit(t, tx, graph.Commit{Op: "first"}, map[string]string{"a.org": "* one\n"})
	var s chain.Steps
	for i := range 2 {
		d := s.Head(tx).State.Edit(1)
		d.Put("a.org", document.File(fmt.Sprintf("* step %d\n", i), false))
		state, delta := d.Seal()
		if err := tx.Add(t.Context(), &s, state, &delta, graph.Commit{Kind: graph.KindIngest, Op: "steps"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tx.Publish(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	want := []string{"loaded", "published 2", "committed 1", "published 3", "published 3", "committed 2", "committed 3"}
	if !slices.Equal(log, want) {
		t.Errorf("%q", log)
	}
	if head := f.Store().Head(); head.Seq != 3 || head.Commit != f.Head().Commit.Digest {
		t.Errorf("the store's head is %+v", head)
	}
	from.left = 0
	before := f.Head()
	state, delta := f.draft(map[string]string{"a.org": "* lost\n"})
	done, err := tx.Append(t.Context(), state, delta, graph.Commit{Kind: graph.KindIngest, Op: "lost"})
	if !errors.Is(err, errKilled) || fault.KindOf(err) != fault.ReadOnly || done.Seq != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if err := tx.Mark(t.Context(), tallyMark(3)); !errors.Is(err, errKilled) {
		t.Error(err)
	}
	if f.Head() != before || len(log) != len(want) {
		t.Errorf("the head is %+v, told %q", f.Head().Commit, log)
	}
	if c, err := tx.FirstOf(t.Context(), "lost"); c != nil || err != nil {
		t.Errorf("an operation that was not done: %+v, %v", c, err)
	}
}

// TestRefusedMark: a ledger that refuses a mark of a durable commit is an error, and the
// commit is the head.
func TestRefusedMark(t *testing.T) {
	f := open(t, (&storetest.InMemory{}).Open(), signed(t))
	tx := f.Begin()
	defer tx.End()
	state, delta := f.draft(map[string]string{"a.org": "* one\n"})
	done, err := tx.Append(t.Context(), state, delta, graph.Commit{Kind: graph.KindIngest}, tallyMark(13))
	if err == nil || !strings.Contains(err.Error(), "unlucky") || done.Seq != 1 || f.Head().Commit.Seq != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if f.Head().Signed != "" {
		t.Error("a head is signed that vouches for a mark that was refused")
	}
}

// TestHold: what the store cannot take is the present until the chain is loaded; what the
// store holds is still known.
func TestHold(t *testing.T) {
	history, published := &storetest.InMemory{}, -1 // for the opening
	f := open(t, history.Open(), func(o *chain.Options) { o.Published = func(*graph.Delta) { published++ } })
	tx := f.Begin()
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n"})
	stored := f.Head()
	f.Store().Stop(errors.New("full"))
	if tx.LastStored() != nil {
		t.Error("the head is the store's")
	}
	state, delta := f.draft(map[string]string{"a.org": "* one\n"})
	tx.Hold(state, delta)
	if f.Head() != stored || published != 1 {
		t.Error("nothing was to be held")
	}
	delta.Reread = slices.Collect(state.Documents())
	tx.Hold(state, delta)
	if f.Head().State != state || published != 2 || tx.LastStored() != nil {
		t.Error("what was read again is a change of the store")
	}
	reread := f.Head()
	for _, text := range []string{"* two\n", "* three\n* four\n"} {
		state, delta = f.draft(map[string]string{"a.org": text})
		tx.Hold(state, delta)
		if got, _ := f.Head().State.Text("a.org"); got != text || f.Head().Commit.Seq != 1 || f.Head().Derived != state.Len() {
			t.Errorf("the present is %q", got)
		}
		if tx.LastStored() != reread {
			t.Error("what the store holds is not known")
		}
	}
	if _, err := tx.Load(); err != nil || tx.LastStored() != nil || f.Head().State.Root() != stored.State.Root() {
		t.Errorf("after loading: %v", err)
	}
	tx.End()
}

// TestReplace: another store takes the place of one that is damaged, and nothing of the
// first chain is left; of an exchange that failed the store it returned is used.
func TestReplace(t *testing.T) {
	first, second := &storetest.InMemory{}, &storetest.InMemory{}
	options := signed(t)
	g := open(t, second.Open(), options)
	tx := g.Begin()
	for i := range 2 {
		g.commit(t, tx, graph.Commit{Op: "there"}, map[string]string{"b.org": fmt.Sprintf("* %d\n", i)})
	}
	f := open(t, first.Open(), options)
	tx = f.Begin()
	defer tx.End()
	f.commit(t, tx, graph.Commit{Op: "here"}, map[string]string{"a.org": "* one\n"})
	f.commit(t, tx, graph.Commit{Op: "here"}, map[string]string{"a.org": "* two\n"})
	if _, err := f.Chain.At(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if c, err := tx.FirstOf(t.Context(), "here"); c == nil || err != nil {
		t.Fatal(err)
	}
	old := f.Store()
	load := func(context.Context) error {
		_, err := tx.Load()
		return err
	}
	broken := errors.New("cannot be opened")
	if err := tx.Replace(t.Context(), func(store.Store) (store.Store, error) { return nil, broken }, load); !errors.Is(err, broken) || f.Store() != old {
		t.Errorf("an exchange that failed: %v", err)
	}
	if err := tx.Replace(t.Context(), func(from store.Store) (store.Store, error) {
		if from != old {
			t.Error("another store is exchanged")
		}
		return second.Open(), from.Close()
	}, load); err != nil {
		t.Fatal(err)
	}
	if f.Head().Commit.Digest != g.Head().Commit.Digest {
		t.Errorf("the head is commit %d", f.Head().Commit.Seq)
	}
	at, err := f.Chain.At(t.Context(), 1)
	if text, _ := at.State.Text("b.org"); err != nil || text != "* 0\n" {
		t.Errorf("commit 1 reads %q, %v", text, err)
	}
	if c, err := tx.FirstOf(t.Context(), "here"); c != nil || err != nil {
		t.Errorf("an operation of the first chain: %+v, %v", c, err)
	}
	f.commit(t, tx, graph.Commit{}, map[string]string{"b.org": "* on\n"})
	_, known := machine(t)
	h, _, err := chain.OpenHead(f.Head().Signed, known)
	was, _, _ := chain.OpenHead(g.Head().Signed, known)
	if err != nil || h.First != was.First {
		t.Errorf("the chain began with %s, want %s: %v", h.First, was.First, err)
	}
	release := f.Reading()
	if f.Store() == old {
		t.Error("the old store is read")
	}
	release()
	failed := second.Open()
	if err := tx.Replace(t.Context(), func(store.Store) (store.Store, error) { return failed, broken }, load); !errors.Is(err, broken) || f.Store() != failed {
		t.Errorf("a store that came with an error: %v", err)
	}
}

// TestReplaceWaitsForReaders: a store is not exchanged under a reader.
func TestReplaceWaitsForReaders(t *testing.T) {
	f := openChain(t, &storetest.InMemory{})
	tx := f.Begin()
	defer tx.End()
	other := (&storetest.InMemory{}).Open()
	reading, done := f.Reading(), make(chan error)
	var released bool
	go func() {
		done <- tx.Replace(t.Context(), func(store.Store) (store.Store, error) {
			if !released {
				t.Error("the store is exchanged under a reader")
			}
			return other, nil
		}, func(context.Context) error { return nil })
	}()
	for range 100 {
		if f.Store() == other {
			break
		}
	}
	released = true
	reading()
	if err := <-done; err != nil || f.Store() != other {
		t.Error(err)
	}
}

// TestPendingAfterOtherBatches: an announced operation is found with its blocks, and is not
// pending once any batch follows.
func TestPendingAfterOtherBatches(t *testing.T) {
	history := &storetest.InMemory{}
	f := openChain(t, history)
	tx := f.Begin()
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n"})
	early := f.Head().State.Nodes("a.org")[1].Own
	var b store.Batch
	block := []byte("\x65block")
	b.Add(store.Block, block)
	b.Add(store.Intent, []byte("announced"))
	if err := tx.AppendBatch(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	tx.End()
	f = newChain(history.Open(), nil)
	tx = f.Begin()
	pending, err := tx.Load()
	if err != nil || pending == nil {
		t.Fatal(pending, err)
	}
	if got, err := pending.Load(merkle.Sum(block)); err != nil || string(got) != string(block) {
		t.Errorf("its block is %q: %v", got, err)
	}
	if got, err := pending.Load(early); err != nil || merkle.Sum(got) != early {
		t.Errorf("an earlier block is %q: %v", got, err)
	}
	if _, err := pending.Load(merkle.Sum([]byte("none"))); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* two\n"})
	if pending, err := tx.Load(); err != nil || pending != nil {
		t.Errorf("pending %+v: %v", pending, err)
	}
	tx.End()
}

// checked is a store whose check finds damage.
type checked struct {
	store.Store
	damage store.Corruption
	found  bool
}

func (c *checked) Check(_ context.Context, fn func(store.Corruption)) (uint64, error) {
	fn(c.damage)
	c.found = true
	return 0, nil
}

func (c *checked) Recovery() store.Recovery {
	if !c.found {
		return store.Recovery{}
	}
	return store.Recovery{Corrupt: &c.damage}
}

// TestMissingBlock: a history that lacks a block ends before the commit that needs it, and
// the error is the damage, where the store can find it.
func TestMissingBlock(t *testing.T) {
	whole := &storetest.InMemory{}
	f := openChain(t, whole)
	tx := f.Begin()
	for i := range 3 {
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* number %d\n", i)})
	}
	part := &storetest.InMemory{}
	out := part.Open()
	for _, r := range records(t, f.Store()) {
		if r.Kind == store.Block && strings.Contains(string(r.Data), "number 1") {
			continue
		}
		var b store.Batch
		b.Add(r.Kind, r.Data)
		if _, err := out.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	damage := &checked{Store: part.Open(), damage: store.Corruption{File: "1.seg", Reason: "checksum mismatch"}}
	for _, tc := range []struct {
		from store.Store
		want error
	}{{part.Open(), store.ErrNotFound}, {damage, store.ErrCorrupt}} {
		f := newChain(tc.from, nil)
		tx := f.Begin()
		_, err := tx.Load()
		if text, _ := f.Head().State.Text("a.org"); !errors.Is(err, tc.want) || f.Head().Commit.Seq != 1 || text != "* number 0\n" {
			t.Errorf("commit %d reads %q: %v", f.Head().Commit.Seq, text, err)
		}
		tx.End()
	}
}

// TestBrokenMarks: a mark that is cut, or has something behind it, ends the replay with an
// error.
func TestBrokenMarks(t *testing.T) {
	for name, mark := range map[string][]byte{
		"tally cut":      tallyMark(500)[:len(tallyMark(500))-1],
		"tally and more": append(tallyMark(5), 0),
		"dropped, more":  append(chain.DroppedMark("x"), 0),
		"nothing":        {},
		"no list":        {0x01},
		"refused":        tallyMark(13),
	} {
		history := &storetest.InMemory{}
		var b store.Batch
		b.Add(store.Mark, tallyMark(1))
		b.Add(store.Mark, mark)
		if _, err := history.Open().Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		f := newChain(history.Open(), nil)
		tx := f.Begin()
		if _, err := tx.Load(); err == nil || !strings.Contains(err.Error(), "mark") {
			t.Errorf("%s: %v", name, err)
		}
		if got := f.tally.At(f.Head()); !slices.Equal(got, []int64{1}) {
			t.Errorf("%s: the ledger has %d", name, got)
		}
		tx.End()
	}
}

// TestNamesOfMarks: every name that a journal or an image of a chain has is listed, and the
// label of each says what its text may be.
func TestNamesOfMarks(t *testing.T) {
	history, _ := loaded(t)
	f := open(t, history.Open(), signed(t))
	tx := f.Begin()
	defer tx.End()
	if _, err := tx.Rewrite(t.Context(), graph.Commit{Kind: graph.KindRetain}, nil); err != nil {
		t.Fatal(err)
	}
	if err := tx.Mark(t.Context(), chain.DroppedMark("op")); err != nil {
		t.Fatal(err)
	}
	img, err := f.Store().LoadImage()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, s := range img.Sections {
		found[strings.TrimRight(s.Name, "0123456789")] = true
	}
	for _, r := range records(t, f.Store()) {
		if r.Kind == store.Mark {
			m := merkle.NewReader(r.Data)
			m.List()
			found[m.Text()] = true
		}
	}
	names := f.Ledgers().Names()
	slices.Sort(names)
	for name := range found {
		if _, ok := slices.BinarySearch(names, name); !ok {
			t.Errorf("%s is not listed", name)
		}
		if got, want := f.all.Label(name) != "a mark of the journal", name == "tally" || name == "head"; got != want {
			t.Errorf("%s is %q", name, f.all.Label(name))
		}
	}
	if len(found) != len(slices.Compact(names)) {
		t.Errorf("%d names of %q are in use", len(found), names)
	}
}
