// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
)

// heading is a headline of the model. Its word never changes.
type heading struct{ title, word, body string }

// outline is a list of headlines as the text of a document.
func outline(list []heading) string {
	var b strings.Builder
	for _, h := range list {
		fmt.Fprintf(&b, "* %s\nmark %s\n%s\n", h.title, h.word, h.body)
	}
	return b.String()
}

// idOf returns the id of the headline that bears a word, "" for none.
func idOf(s *graph.State, word string) string {
	for n := range s.All() {
		if n.Parent != "" && strings.Contains(n.Content, "mark "+word+"\n") {
			return n.ID
		}
	}
	return ""
}

// TestTrailModel: a node is found by any id that it ever had, and its trail has each commit
// that changed it, from its first to its last, with its children before each of them.
func TestTrailModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := openChain(t, &storetest.InMemory{})
		tx := f.Begin()
		defer tx.End()
		var list []heading
		ids := map[string][]string{} // by word: the id after each commit
		words, titles := 0, 0
		title := func() string { // never used before, because derived ids are reused
			titles++
			return fmt.Sprint("Title ", titles)
		}
		for range rapid.IntRange(1, 15).Draw(t, "commits") {
			i := 0
			if len(list) > 0 {
				i = rapid.IntRange(0, len(list)-1).Draw(t, "which")
			}
			switch act := rapid.IntRange(0, 4).Draw(t, "act"); {
			case act == 0 || len(list) == 0:
				words++
				list = append(list, heading{title: title(), word: fmt.Sprint("w", words)})
			case act == 1:
				list[i].title = title()
			case act == 2:
				list[i].body += "more\n"
			case act == 3:
				list = slices.Delete(list, i, i+1)
			default: // the others stay as they are: only one node is renamed at a time
				list = append(slices.Delete(slices.Clone(list), i, i+1), list[i])
			}
			if state, delta := f.draft(map[string]string{"a.org": outline(list) + "\n"}); !delta.Empty() {
				if _, err := tx.Append(context.Background(), state, delta, graph.Commit{Kind: graph.KindEdit}); err != nil {
					t.Fatal(err)
				}
				for w := range words {
					word := fmt.Sprint("w", w+1)
					ids[word] = append(ids[word], idOf(state, word))
				}
			}
		}
		for word, after := range ids {
			checkTrail(t, f, word, after)
		}
		checkChildren(t, f)
	})
}

// checkTrail compares the trail of the headline with a word with the ids that it had.
func checkTrail(t *rapid.T, f fixture, word string, ids []string) {
	head := f.Head()
	last := ""
	for _, id := range ids {
		if id != "" {
			last = id
		}
	}
	born := head.Commit.Seq - uint64(len(ids)) + 1
	for i, id := range ids {
		if id == "" {
			continue
		}
		if got, err := f.CurrentID(context.Background(), head, id); err != nil || got != last {
			t.Fatalf("%s: the id %s of commit %d is now %q, want %q: %v", word, id, born+uint64(i), got, last, err)
		}
	}
	want := map[uint64]bool{}
	for i, id := range ids {
		before := ""
		if i > 0 {
			before = ids[i-1]
		}
		if id != before {
			want[born+uint64(i)] = true
		}
	}
	next := uint64(0)
	first, err := f.Trail(context.Background(), last, 1, head.Commit.Seq, func(s *chain.Step) error {
		seq := s.Commit.Seq
		if next > 0 && seq >= next {
			t.Fatalf("%s: commit %d follows commit %d", word, seq, next)
		}
		next = seq
		delete(want, seq)
		if got := ids[seq-born]; s.After != nil && s.Is != got || s.After == nil && got != "" {
			t.Fatalf("%s: commit %d made it %q, want %q", word, seq, s.Is, got)
		}
		if seq == born && s.Before != nil || seq > born && (s.Before == nil || s.Was != ids[seq-born-1]) {
			t.Fatalf("%s: before commit %d it was %q", word, seq, s.Was)
		}
		return nil
	})
	if err != nil || len(want) > 0 || next != born || first != ids[0] {
		t.Fatalf("%s: the trail ends at %s in commit %d and lacks %v: %v", word, first, next, want, err)
	}
}

// checkChildren compares the children of the document before each commit of its trail with
// those of the moment before.
func checkChildren(t *rapid.T, f fixture) {
	doc, ok := f.Head().State.Document("a.org")
	if !ok {
		return
	}
	kids := doc.Kids
	if _, err := f.Trail(context.Background(), doc.ID, 1, f.Head().Commit.Seq, func(s *chain.Step) error {
		var err error
		if kids, err = s.ChildrenBefore(kids); err != nil {
			return err
		}
		var want []string
		if s.Commit.Seq > 1 {
			before, err := f.Chain.At(context.Background(), s.Commit.Seq-1)
			if err != nil {
				return err
			}
			if doc, ok := before.State.Document("a.org"); ok {
				want = doc.Kids
			}
		}
		if !slices.Equal(kids, want) {
			t.Fatalf("before commit %d the children are %q, want %q", s.Commit.Seq, kids, want)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestWalksEnd: a walk over commits ends where its caller says, and gives its error.
func TestWalksEnd(t *testing.T) {
	f := openChain(t, &storetest.InMemory{})
	tx := f.Begin()
	defer tx.End()
	for i := range 4 {
		f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": fmt.Sprintf("* one\n%d\n", i), "b.org": "* two\n"})
	}
	var ids []string
	for n := range f.Head().State.Documents() {
		ids = append(ids, n.ID)
	}
	enough := errors.New("enough of it")
	for _, tc := range []struct {
		id   string
		span store.Span
		want []uint64
	}{
		{"", store.Span{From: 1, To: 4}, []uint64{1, 2, 3, 4}},
		{"", store.Span{From: 2, To: 3, Backward: true}, []uint64{3, 2}},
		{ids[0], store.Span{From: 2, To: 9}, []uint64{2, 3, 4}},
		{ids[1], store.Span{From: 1, To: 4}, []uint64{1}},
	} {
		for _, end := range []error{nil, chain.ErrStop, enough} {
			var got []uint64
			err := f.About(t.Context(), &tc.id, tc.span, func(c *graph.Commit) error {
				got = append(got, c.Seq)
				return end
			})
			want := tc.want
			if end != nil {
				want = want[:1]
			}
			if !slices.Equal(got, want) || (err != nil) != errors.Is(end, enough) {
				t.Errorf("%q in %+v: %d, want %d: %v", tc.id, tc.span, got, want, err)
			}
		}
	}
	var got []uint64
	if err := f.Commits(t.Context(), 0, 9, func(c *graph.Commit) error {
		got = append(got, c.Seq)
		return nil
	}); err != nil || !slices.Equal(got, []uint64{1, 2, 3, 4}) {
		t.Errorf("%d: %v", got, err)
	}
}

// TestNoSuchMoment: a number that no commit has is an error.
func TestNoSuchMoment(t *testing.T) {
	f := openChain(t, &storetest.InMemory{})
	tx := f.Begin()
	defer tx.End()
	if at, err := f.Chain.At(t.Context(), 0); err != nil || at != f.Head() {
		t.Errorf("the beginning of an empty chain: %v", err)
	}
	f.commit(t, tx, graph.Commit{}, map[string]string{"a.org": "* one\n"})
	for _, seq := range []uint64{0, 2, 3, 1 << 63} {
		if at, err := f.Chain.At(t.Context(), seq); err == nil {
			t.Errorf("commit %d is %+v", seq, at.Commit)
		}
	}
}
