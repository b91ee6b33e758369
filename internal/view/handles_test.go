// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// failer is what a test and a property have in common.
type failer interface {
	Helper()
	Fatal(...any)
}

// withoutImage is a store that lost its images; of the sections of those that it has,
// withoutSection loses one.
type withoutImage struct{ store.Store }

func (withoutImage) LoadImage() (*store.Image, error) { return nil, store.ErrNoImage }

type withoutSection struct {
	store.Store
	name string
}

func (s withoutSection) LoadImage() (*store.Image, error) {
	img, err := s.Store.LoadImage()
	if err == nil {
		kept := img.Sections[:0:0]
		for _, section := range img.Sections {
			if section.Name != s.name {
				kept = append(kept, section)
			}
		}
		img.Sections = kept
	}
	return img, err
}

// openHandles loads a chain with a ledger of handles.
func openHandles(t failer, from store.Store) *chain.Chain {
	t.Helper()
	all := &chain.Ledgers{}
	slot := RegisterHandles(all)
	c := chain.New(from, chain.Options{FS: faultfs.New(), Name: "test", Log: slog.New(slog.DiscardHandler), Ledgers: all,
		Deriver: Deriver{Scope: "memex", Handles: slot}, Formats: document.Formats{org.Format{}}})
	tx := c.Begin()
	defer tx.End()
	if pending, err := tx.Load(); err != nil || pending != nil {
		t.Fatal(pending, err)
	}
	return c
}

// put commits a document of headlines with ids; without ids the document is removed.
func put(t failer, c *chain.Chain, ids []string) {
	t.Helper()
	tx := c.Begin()
	defer tx.End()
	draft := c.Head().State.Edit(1)
	if len(ids) == 0 {
		draft.Drop("a.org")
	} else {
		var b strings.Builder
		for _, id := range ids {
			fmt.Fprintf(&b, "* %s\n:PROPERTIES:\n:ID: %s\n:END:\n", id, id)
		}
		draft.Put("a.org", document.File(b.String(), false))
	}
	state, delta := draft.Seal()
	if _, err := tx.Commit(context.Background(), state, &delta, graph.Commit{Kind: graph.KindEdit}); err != nil {
		t.Fatal(err)
	}
}

func present(c *chain.Chain) *View { return c.Head().Derived.(*View) }

// TestHandlesOfAChain: after any commits, a chain that is loaded from an image and one
// that replays its journal give the same handles as the one that lived through it; so does
// each past moment.
func TestHandlesOfAChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := &storetest.InMemory{}
		c := openHandles(t, history.Open())
		given := map[string]string{} // by id
		drawID := rapid.SampledFrom([]string{"one", "two", "three", "four", "five"})
		t.Repeat(map[string]func(*rapid.T){
			"commit": func(t *rapid.T) {
				put(t, c, rapid.SliceOfDistinct(drawID, func(id string) string { return id }).Draw(t, "ids"))
			},
			"image": func(t *rapid.T) {
				tx := c.Begin()
				defer tx.End()
				if c.Head().Commit.Seq > 0 {
					if err := tx.Images().Write(); err != nil {
						t.Fatal(err)
					}
				}
			},
			"reload": func(t *rapid.T) {
				c = openHandles(t, history.Open())
			},
			"replay": func(t *rapid.T) {
				c = openHandles(t, withoutImage{history.Open()})
			},
			"": func(t *rapid.T) {
				v := present(c)
				for n := range v.All() {
					checkHandle(t, v, n, given)
				}
				for id, word := range given {
					if got, err := v.FormerID(word); err != nil || got != id {
						t.Fatalf("%s is the handle of %q, %v, want %q", word, got, err, id)
					}
				}
				if seq := c.Head().Commit.Seq; seq > 1 {
					at, err := c.At(context.Background(), rapid.Uint64Range(1, seq-1).Draw(t, "past"))
					if err != nil {
						t.Fatal(err)
					}
					past := at.Derived.(*View)
					for n := range past.All() {
						checkHandle(t, past, n, given)
					}
				}
			},
		})
		live, replayed := present(c).handles[0].Encode(), present(openHandles(t, withoutImage{history.Open()})).handles[0].Encode()
		if !bytes.Equal(live, replayed) {
			t.Fatalf("the replayed table is %q, want %q", replayed, live)
		}
	})
}

// checkHandle compares the handle of a node with the one that it had before.
func checkHandle(t *rapid.T, v *View, n *node.Node, given map[string]string) {
	t.Helper()
	word := v.Handle(n)
	if given[n.ID] == "" {
		given[n.ID] = word
	}
	if given[n.ID] != word || len(word) != 5 {
		t.Fatalf("%s has the handle %q, it had %q", n.ID, word, given[n.ID])
	}
	if found, err := v.Resolve(word); err != nil || found.ID != n.ID {
		t.Fatalf("%s is %v, %v, want %s", word, found, err, n.ID)
	}
}

// TestHandlesOfAnOlderImage: an image from before there were handles gives its nodes
// theirs.
func TestHandlesOfAnOlderImage(t *testing.T) {
	history := &storetest.InMemory{}
	c := openHandles(t, history.Open())
	put(t, c, []string{"one", "two"})
	tx := c.Begin()
	if err := tx.Images().Write(); err != nil {
		t.Fatal(err)
	}
	tx.End()
	old := openHandles(t, withoutSection{history.Open(), "handles"})
	if got, want := old.Head().Commit.Seq, c.Head().Commit.Seq; got != want {
		t.Fatalf("commit %d, want %d", got, want)
	}
	put(t, old, []string{"one", "two", "three"})
	for n := range present(old).All() {
		if found, err := present(old).Resolve(present(old).Handle(n)); err != nil || found.ID != n.ID {
			t.Errorf("the handle of %s means %v, %v", n.ID, found, err)
		}
	}
}

// TestHandlesOfAHeldState: what the store cannot take has handles, too.
func TestHandlesOfAHeldState(t *testing.T) {
	c := openHandles(t, (&storetest.InMemory{}).Open())
	put(t, c, []string{"one"})
	tx := c.Begin()
	defer tx.End()
	draft := c.Head().State.Edit(1)
	draft.Put("b.org", document.File("* Held\n:PROPERTIES:\n:ID: held\n:END:\n", false))
	state, delta := draft.Seal()
	tx.Hold(state, &delta)
	n, _ := present(c).Get("held")
	if found, err := present(c).Resolve(present(c).Handle(n)); err != nil || found != n {
		t.Errorf("the handle of what is held means %v, %v", found, err)
	}
}

// TestHandlesOfSeveralScopes: a handle that nodes of two scopes have is ambiguous, and the
// view shows ids instead.
func TestHandlesOfSeveralScopes(t *testing.T) {
	one, two := openHandles(t, (&storetest.InMemory{}).Open()), openHandles(t, (&storetest.InMemory{}).Open())
	put(t, one, []string{"one", "both"})
	put(t, two, []string{"two", "both"})
	draft := present(one).Edit(0)
	draft.Adopt("b.org", present(two).Nodes("a.org"), 1)
	state, delta := draft.Seal()
	same := Overlaid(present(one), state, &delta, present(one).Head(), []string{"memex", "project/p"}, []*View{present(one), present(two)})
	for _, id := range []string{"one", "two", "both"} {
		n, _ := same.Get(id)
		word := same.Handle(n)
		if found, err := same.Resolve(word); err != nil || found.ID != id || len(word) != 5 {
			t.Errorf("the handle %q of %s means %v, %v", word, id, found, err)
		}
	}
	stolen := *present(two)
	weak := newHandles(func(string) string { return present(one).handles[0].Of("one") })
	stolen.handles = []Handles{weak.Follow([]string{"two"}, nil)}
	clash := Overlaid(present(one), state, &delta, present(one).Head(), []string{"memex", "project/p"}, []*View{present(one), &stolen})
	for _, id := range []string{"one", "two"} {
		n, _ := clash.Get(id)
		if got := clash.Handle(n); got != id {
			t.Errorf("%s is shown as %q, though two nodes have the handle", id, got)
		}
	}
	word := present(one).handles[0].Of("one")
	if n, err := clash.Resolve(word); err == nil || !strings.Contains(err.Error(), "could mean 2 nodes") {
		t.Errorf("the ambiguous handle is %v, %v", n, err)
	}
}
