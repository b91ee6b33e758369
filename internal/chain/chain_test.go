// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/merkle"
)

// tally is a toy ledger with most functions: its value is a list of numbers. A mark
// adds one, and each commit of the kind edit adds its own number.
type tally struct{ slot chain.Slot[[]int64] }

// registerTally registers a tally under a name. With a commit that says so it proposes a mark
// of a number.
func registerTally(to *chain.Ledgers, name string, proposed int64) chain.Slot[[]int64] {
	l := &tally{}
	l.slot = chain.Register[[]int64](to, chain.Ledger{
		Name: name, Fields: 1, Label: "a number", Empty: []int64(nil), Apply: l.apply, Encode: l.encode, Decode: l.decode, Follow: l.follow,
		Propose: func(c *chain.Change) [][]byte {
			if c.Commit.Message != "propose" {
				return nil
			}
			return [][]byte{chain.NewMark(name, new(int64(proposed)))}
		},
		Retains: func(at *chain.Moment) []uint64 { return []uint64{uint64(len(l.slot.At(at)))} },
		Revert: func(_ *chain.Moment, _ *graph.Delta, by author.Author) [][]byte {
			return [][]byte{tallyMark(int64(by.Kind))}
		},
		Merge: func(ours, theirs *chain.Moment) [][]byte {
			return [][]byte{tallyMark(int64(len(l.slot.At(theirs)) - len(l.slot.At(ours))))}
		},
	})
	return l.slot
}

func tallyMark(n int64) []byte { return chain.NewMark("tally", &n) }

func (l *tally) apply(at *chain.Moment, c *merkle.Codec) any {
	var n int64
	if c.Fields(&n); n == 13 {
		c.Fail(errors.New("unlucky"))
	}
	return append(slices.Clip(l.slot.At(at)), n)
}

func (l *tally) encode(at *chain.Moment) []byte {
	v := l.slot.At(at)
	b := merkle.AppendList(nil, len(v))
	for _, n := range v {
		b = merkle.AppendInt(b, n)
	}
	return b
}

func (*tally) decode(data []byte) (any, error) {
	r := merkle.NewReader(data)
	var v []int64
	for range r.List() {
		v = append(v, r.Int())
	}
	return v, r.Done()
}

func (l *tally) follow(c *chain.Change) any {
	v := l.slot.At(c.Before)
	if c.Commit.Kind != graph.KindEdit {
		return v
	}
	return append(slices.Clip(v), int64(c.Commit.Seq))
}

// plain derives nothing but the number of nodes.
type plain struct{}

func (plain) Derive(m *chain.Moment, _ any) any                 { return m.State.Len() }
func (plain) Follow(_ any, m *chain.Moment, _ *graph.Delta) any { return m.State.Len() }
func (plain) Encode(any) ([]byte, error)                        { return nil, nil }
func (plain) Load([]byte) any                                   { return nil }

// TestReloadModel: after any sequence of commits, marks and images, a chain that is loaded
// again has the same head and the same ledger values, from an image or without.
func TestReloadModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := &storetest.InMemory{}
		f := openChain(t, history)
		var want []int64 // the model of the ledger
		seq, op := uint64(0), 0
		t.Repeat(map[string]func(*rapid.T){
			"commit": func(t *rapid.T) {
				tx := f.Begin()
				defer tx.End()
				kind := rapid.SampledFrom([]string{graph.KindEdit, graph.KindIngest}).Draw(t, "kind")
				message := rapid.SampledFrom([]string{"", "propose"}).Draw(t, "message")
				mark := rapid.Int64Range(100, 200).Draw(t, "mark")
				op++
				seq++
				c, err := f.put(tx, kind, fmt.Sprint(op), message, fmt.Sprintf("* %d\n", op), tallyMark(mark))
				if err != nil || c.Seq != seq {
					t.Fatal(c, err)
				}
				if kind == graph.KindEdit {
					want = append(want, int64(seq))
				}
				if want = append(want, mark); message == "propose" {
					want = append(want, -1)
				}
			},
			"mark": func(t *rapid.T) {
				tx := f.Begin()
				defer tx.End()
				n := rapid.Int64Range(0, 10).Draw(t, "mark")
				if err := tx.Mark(context.Background(), tallyMark(n)); err != nil {
					t.Fatal(err)
				}
				want = append(want, n)
			},
			"image": func(t *rapid.T) {
				tx := f.Begin()
				defer tx.End()
				if seq == 0 {
					return // an empty chain has no image
				}
				if err := tx.Images().Write(); err != nil {
					t.Fatal(err)
				}
			},
			"reload": func(t *rapid.T) {
				before := f.Head()
				if err := f.Store().Close(); err != nil {
					t.Fatal(err)
				}
				f = openChain(t, history)
				if got := f.Head(); got.Commit.Digest != before.Commit.Digest || got.State.Root() != before.State.Root() {
					t.Fatalf("commit %d of root %s came back as %d of %s", before.Commit.Seq, before.State.Root(), got.Commit.Seq, got.State.Root())
				}
			},
			"": func(t *rapid.T) {
				at := f.Head()
				if got := f.tally.At(at); !slices.Equal(got, want) {
					t.Fatalf("the ledger has %d, want %d", got, want)
				}
				if at.Commit.Seq != seq || at.Derived.(int) != at.State.Len() {
					t.Fatalf("commit %d, derived %v", at.Commit.Seq, at.Derived)
				}
			},
		})
	})
}

// TestMoments: a moment keeps its values whatever is committed after it, and a past
// one has its state and no ledger values.
func TestMoments(t *testing.T) {
	f := openChain(t, &storetest.InMemory{})
	tx := f.Begin()
	defer tx.End()
	for i := range 3 {
		if _, err := f.put(tx, graph.KindEdit, fmt.Sprint(i), "", fmt.Sprintf("* %d\n", i)); err != nil {
			t.Fatal(err)
		}
	}
	second, err := f.Chain.At(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := second.State.Text("a.org"); text != "* 1\n" || second.Commit.Seq != 2 || f.tally.At(second) != nil {
		t.Errorf("commit 2 reads %q", text)
	}
	head := f.Head()
	if _, err := f.put(tx, graph.KindEdit, "3", "", "* 3\n"); err != nil {
		t.Fatal(err)
	}
	if got := f.tally.At(head); !slices.Equal(got, []int64{1, 2, 3}) || head.Commit.Seq != 3 {
		t.Errorf("the moment of commit 3 now has %d", got)
	}
	first, err := tx.FirstOf(t.Context(), "1")
	if err != nil || first == nil || first.Seq != 2 {
		t.Errorf("operation 1 made %+v, %v", first, err)
	}
}

// TestAssume: an assumed mark holds until the chain is loaded again.
func TestAssume(t *testing.T) {
	history := &storetest.InMemory{}
	f := openChain(t, history)
	tx := f.Begin()
	if err := tx.Assume(tallyMark(7)); err != nil {
		t.Fatal(err)
	}
	if got := f.tally.At(f.Head()); !slices.Equal(got, []int64{7}) {
		t.Errorf("the ledger has %d", got)
	}
	if _, err := tx.Load(); err != nil {
		t.Fatal(err)
	}
	if got := f.tally.At(f.Head()); got != nil {
		t.Errorf("after loading the ledger has %d", got)
	}
	tx.End()
}

// TestLedgersAnswer: what a ledger answers by its interfaces reaches the chain's user.
func TestLedgersAnswer(t *testing.T) {
	f, other := openChain(t, &storetest.InMemory{}), openChain(t, &storetest.InMemory{})
	tx := other.Begin()
	if err := tx.Mark(t.Context(), tallyMark(5), tallyMark(6)); err != nil {
		t.Fatal(err)
	}
	tx.End()
	for name, got := range map[string][][]byte{
		"merge":  f.all.Merge(f.Head(), other.Head()),
		"revert": f.all.Revert(f.Head(), nil, author.Author{Kind: 2}),
	} {
		if len(got) != 1 || string(got[0]) != string(tallyMark(2)) {
			t.Errorf("%s: %x", name, got)
		}
	}
	if got := f.all.Retained(other.Head()); !slices.Equal(got, []uint64{2}) {
		t.Errorf("retained %d", got)
	}
	if got := f.all.Label("tally"); got != "a number" {
		t.Errorf("label %q", got)
	}
	if got := f.all.Label("another"); got != "a mark of the journal" {
		t.Errorf("label %q", got)
	}
	if !slices.Contains(f.all.Names(), "tally") {
		t.Errorf("names %q", f.all.Names())
	}
}

// TestMarksOfLaterVersions: a mark that nobody has, or that has another number of fields,
// changes nothing; one that a ledger refuses is an error and leaves the value.
func TestMarksOfLaterVersions(t *testing.T) {
	history := &storetest.InMemory{}
	f := openChain(t, history)
	tx := f.Begin()
	mark := chain.NewMark
	for _, mark := range [][]byte{
		mark("later"), mark("later", "1"), mark("later", "1", "2", "3"), mark("tally", "1", "2"), mark("dropped"), mark("dropped", "1", "2"),
		mark("head", "1", "2"), mark("rewriting", "1"), mark("rewritten"), mark("rewritten", "1", "2"),
	} {
		if err := tx.Mark(t.Context(), mark); err != nil {
			t.Errorf("%q: %v", mark, err)
		}
	}
	tx.End()
	f = openChain(t, history)
	tx = f.Begin()
	defer tx.End()
	if err := tx.Mark(t.Context(), tallyMark(13)); err == nil {
		t.Error("a refused mark is no error")
	}
	if got := f.tally.At(f.Head()); got != nil || f.Head().Signed != "" {
		t.Errorf("the ledger has %d, the head is signed as %q", got, f.Head().Signed)
	}
}

// TestAnnouncedIsPending: an announced operation is pending until a batch follows.
func TestAnnouncedIsPending(t *testing.T) {
	history := &storetest.InMemory{}
	f := openChain(t, history)
	tx := f.Begin()
	defer tx.End()
	if _, err := f.put(tx, graph.KindEdit, "1", "", "* one\n"); err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	b.Add(store.Intent, []byte("what is about to be done"))
	if err := tx.AppendBatch(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	pending, err := tx.Load()
	if err != nil || pending == nil || string(pending.Data) != "what is about to be done" {
		t.Fatalf("pending %+v, %v", pending, err)
	}
	if err := tx.Mark(t.Context(), chain.DroppedMark("2")); err != nil {
		t.Fatal(err)
	}
	if pending, err := tx.Load(); err != nil || pending != nil {
		t.Errorf("pending %+v, %v", pending, err)
	}
}

// TestOrderOfMarks: a commit's marks are its caller's, then those of the ledgers in the
// order of their registration.
func TestOrderOfMarks(t *testing.T) {
	for _, tc := range []struct {
		first, then string
		want        []string
	}{
		{"tally", "second", []string{"caller", "tally", "second"}},
		{"second", "tally", []string{"caller", "second", "tally"}},
	} {
		all := &chain.Ledgers{}
		registerTally(all, tc.first, 1)
		registerTally(all, tc.then, 1)
		f := fixture{Chain: chain.New((&storetest.InMemory{}).Open(), chain.Options{Log: slog.New(slog.DiscardHandler), Ledgers: all, Deriver: plain{}})}
		tx := f.Begin()
		if _, err := f.put(tx, graph.KindIngest, "1", "propose", "* one\n", chain.NewMark("caller")); err != nil {
			t.Fatal(err)
		}
		tx.End()
		var got []string
		if err := f.Store().Replay(store.Pos{}, func(r store.Record) error {
			if r.Kind == store.Mark {
				m := merkle.NewReader(r.Data)
				m.List()
				got = append(got, m.Text())
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("marks %q, want %q", got, tc.want)
		}
	}
}

// TestBrokenChain: a commit that does not follow the one before it is refused on replay,
// and the chain stays at that one.
func TestBrokenChain(t *testing.T) {
	history := &storetest.InMemory{}
	f := openChain(t, history)
	tx := f.Begin()
	if _, err := f.put(tx, graph.KindEdit, "1", "", "* one\n"); err != nil {
		t.Fatal(err)
	}
	c := graph.Commit{Seq: 7, Kind: graph.KindEdit, State: f.Head().State.Root()}
	block, err := c.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	b.Add(store.Commit, block)
	if err := tx.AppendBatch(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Load(); !errors.Is(err, chain.ErrBroken) {
		t.Errorf("%v", err)
	}
	if f.Head().Commit.Seq != 1 {
		t.Errorf("the head is commit %d", f.Head().Commit.Seq)
	}
	tx.End()
}

// TestRewriteLeavesBlocksOut: blocks that a purge takes out are gone from the past, and
// what the present state has stays.
func TestRewriteLeavesBlocksOut(t *testing.T) {
	f := openChain(t, &storetest.InMemory{})
	tx := f.Begin()
	defer tx.End()
	drop := map[merkle.Digest]bool{}
	for i, text := range []string{"* secret\n", "* public\n"} {
		if _, err := f.put(tx, graph.KindEdit, fmt.Sprint(i), "", text); err != nil {
			t.Fatal(err)
		}
		for n := range f.Head().State.All() {
			drop[n.Own] = true // the present ones too: they are spared
		}
	}
	if _, err := tx.Rewrite(t.Context(), graph.Commit{Kind: graph.KindRetain, Op: "thin"}, drop); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Chain.At(t.Context(), 1); !errors.Is(err, graph.ErrGone) {
		t.Errorf("the secret can be read: %v", err)
	}
	for n := range f.Head().State.All() {
		if _, err := f.Block(n.Own); err != nil {
			t.Errorf("a block of the present is gone: %v", err)
		}
	}
	if _, err := tx.Load(); err != nil || f.Head().Commit.Seq != 3 {
		t.Errorf("after loading the head is commit %d, %v", f.Head().Commit.Seq, err)
	}
}
