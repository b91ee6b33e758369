// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store/storetest"
	"github.com/fovea-memory/fovea/merkle"
)

// moment is what the model knows of a commit.
type moment struct {
	texts map[string]string        // by path
	nodes map[merkle.Digest]string // contents by own digest
	root  merkle.Digest
	op    string
}

// model is a history as a list of texts.
type model struct {
	fixture
	history *storetest.InMemory
	options func(*chain.Options)
	moments []moment                   // by number of the commit; the first one is empty
	first   map[string]uint64          // commits by operation
	lost    map[merkle.Digest]string   // what was taken out of history, and how errors say so
	held    map[merkle.Digest]bool     // lost, but perhaps in an image or in a state that a ledger holds
	blocks  map[merkle.Digest]struct{} // every own digest there ever was
}

// long is a body that a block cannot hold alone.
var long = strings.Repeat("A long line is cut into several blocks.\n", 1700)

func newModel(t *rapid.T) *model {
	m := &model{
		history: &storetest.InMemory{}, options: signed(t), moments: []moment{{}}, first: map[string]uint64{},
		lost: map[merkle.Digest]string{}, held: map[merkle.Digest]bool{}, blocks: map[merkle.Digest]struct{}{},
	}
	m.fixture = open(t, m.history.Open(), m.options)
	return m
}

// seq is the number of the newest commit.
func (m *model) seq() uint64 { return uint64(len(m.moments) - 1) }

// text draws a document of a few headlines, which often come back.
func text(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 3).Draw(t, "headlines") {
		body := []string{"", "one\n", "two\n", "three\n", "four\n", long}[rapid.IntRange(0, 5).Draw(t, "body")]
		fmt.Fprintf(&b, "* %s\n%s", rapid.SampledFrom([]string{"Ada", "Bob", "Cy"}).Draw(t, "title"), body)
	}
	return b.String()
}

// grow notes the commits that a write has made, up to the head or to states.
func (m *model) grow(op string, states ...*graph.State) {
	for _, s := range states {
		at := moment{texts: map[string]string{}, nodes: map[merkle.Digest]string{}, root: s.Root(), op: op}
		for _, path := range s.Paths() {
			at.texts[path], _ = s.Text(path)
		}
		for n := range s.All() {
			at.nodes[n.Own] = n.Content
			m.blocks[n.Own] = struct{}{}
			delete(m.lost, n.Own)
		}
		m.moments = append(m.moments, at)
		if _, known := m.first[op]; !known {
			m.first[op] = m.seq()
		}
	}
}

// commit changes a document, in one commit or in two that become durable together.
func (m *model) commit(t *rapid.T) {
	tx := m.Begin()
	defer tx.End()
	op := rapid.StringMatching("[a-f]").Draw(t, "op")
	c := graph.Commit{Kind: graph.KindIngest, Op: op, Message: rapid.SampledFrom([]string{"", "hold"}).Draw(t, "message")}
	path := rapid.SampledFrom([]string{"a.org", "b.org"}).Draw(t, "path")
	state, delta := m.draft(map[string]string{path: text(t)})
	if rapid.Bool().Draw(t, "one") {
		done, err := tx.Commit(context.Background(), state, delta, c)
		if err != nil || (done.Seq > 0) == delta.Empty() {
			t.Fatalf("commit %d of %d changes: %v", done.Seq, len(delta.Changes), err)
		}
		if !delta.Empty() {
			m.grow(op, state)
		}
		return
	}
	var s chain.Steps
	d := state.Edit(1)
	d.Put("c.org", document.File(text(t), false))
	next, after := d.Seal()
	for i, step := range []*graph.State{state, next} {
		if err := tx.Add(context.Background(), &s, step, []*graph.Delta{delta, &after}[i], c); err != nil {
			t.Fatal(err)
		}
		if s.Head(tx).State != step || m.Head().Commit.Seq != m.seq() {
			t.Fatal("a step is the present before it is published")
		}
	}
	if done, err := tx.Publish(context.Background(), &s); err != nil || len(done) != 2 {
		t.Fatal(done, err)
	}
	m.grow(op, state, next)
}

// rewrite takes content out of history.
func (m *model) rewrite(t *rapid.T) {
	kind := rapid.SampledFrom([]string{graph.KindPurge, graph.KindRetain, graph.KindRepair}).Draw(t, "kind")
	goes, stays := map[merkle.Digest]bool{}, map[merkle.Digest]bool{}
	chosen := rapid.Uint64().Draw(t, "chosen")
	for i, own := range slices.SortedFunc(maps.Keys(m.blocks), merkle.Digest.Compare) {
		if chosen>>(i%64)&1 == 1 {
			goes[own] = true
		} else if m.lost[own] == "" {
			stays[own] = true
		}
	}
	drop, err := m.Droppable(goes, stays)
	if err != nil {
		t.Fatal(err)
	}
	tx := m.Begin()
	defer tx.End()
	state := m.Head().State
	done, err := tx.Rewrite(context.Background(), graph.Commit{Kind: kind, Op: kind}, drop)
	if err != nil || done.Seq != m.seq()+1 || m.Head().State.Root() != state.Root() {
		t.Fatal(done, err)
	}
	for own := range goes {
		if m.lost[own] == "" {
			m.lost[own] = fmt.Sprintf(map[string]string{
				graph.KindPurge: "purged by commit %d", graph.KindRetain: "thinned by commit %d", graph.KindRepair: "lost, as commit %d says",
			}[kind], done.Seq)
			m.held[own] = true
		}
	}
	m.grow(kind, state)
	if kind == graph.KindPurge {
		clear(m.held)
	}
	if img, err := m.Store().LoadImage(); kind == graph.KindPurge && (err != nil || img.Seq != done.Seq) {
		t.Fatalf("the newest image after a purge: %v", err)
	}
	if kind == graph.KindPurge && m.fixture.held.At(m.Head()) != nil {
		t.Fatal("a ledger holds states after a purge")
	}
}

// check compares the chain with the model.
func (m *model) check(t *rapid.T) {
	head := m.Head()
	if head.Commit.Seq != m.seq() || m.seq() > 0 && head.State.Root() != m.moments[m.seq()].root {
		t.Fatalf("the head is commit %d of %d", head.Commit.Seq, m.seq())
	}
	if by, wrong := m.SignedBy(head); m.seq() > 0 && by == "" || wrong != "" {
		t.Fatalf("signed by %q: %s", by, wrong)
	}
	if m.seq() == 0 || rapid.IntRange(0, 2).Draw(t, "look") > 0 {
		return
	}
	m.checkAt(t, rapid.Uint64Range(1, m.seq()).Draw(t, "at"))
	if len(m.blocks) > 0 {
		m.checkVersion(t, rapid.SampledFrom(slices.SortedFunc(maps.Keys(m.blocks), merkle.Digest.Compare)).Draw(t, "own"))
	}
	tx := m.Begin()
	defer tx.End()
	op := rapid.StringMatching("[a-f]").Draw(t, "asked")
	c, err := tx.FirstOf(context.Background(), op)
	if err != nil || (c != nil) != (m.first[op] > 0) || c != nil && (c.Seq != m.first[op] || c.Op != op) {
		t.Fatalf("operation %s began with %v, want %d: %v", op, c, m.first[op], err)
	}
}

// checkAt reads an earlier moment.
func (m *model) checkAt(t *rapid.T, seq uint64) {
	want := m.moments[seq]
	if rapid.Bool().Draw(t, "part") {
		part, err := m.PartAt(context.Background(), seq)
		if err != nil || part.State.Root() != want.root || part.Commit.Seq != seq {
			t.Fatalf("commit %d: root %s, want %s: %v", seq, part.State.Root(), want.root, err)
		}
		return
	}
	at, err := m.Chain.At(context.Background(), seq)
	for own := range want.nodes {
		if says := m.lost[own]; says != "" && !m.held[own] && (!errors.Is(err, graph.ErrGone) || !strings.Contains(err.Error(), says)) {
			t.Fatalf("commit %d: %v, want %q", seq, err, says)
		} else if says != "" && err != nil {
			return
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := at.Commit; got.Seq != seq || got.Documents != len(want.texts) || got.Op != want.op {
		t.Fatalf("%+v, want %d documents, op %q", got, len(want.texts), want.op)
	}
	for path, text := range want.texts {
		if got, _ := at.State.Text(path); got != text {
			t.Fatalf("commit %d: %s is %q", seq, path, got)
		}
	}
}

// checkVersion reads a node by its digest.
func (m *model) checkVersion(t *rapid.T, own merkle.Digest) {
	n, err := m.Version(context.Background(), own)
	if says := m.lost[own]; says != "" {
		if !errors.Is(err, graph.ErrGone) || err.Error() != says {
			t.Fatalf("%v, want %q", err, says)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range m.moments {
		if content, ok := at.nodes[own]; ok && content != n.Content {
			t.Fatalf("%q, want %q", n.Content, content)
		}
	}
}

// TestHistoryModel: after any sequence of commits, images, openings and rewritings, every
// earlier moment and every version of a node reads as it was, unless its content was taken
// out; then the error names the commit that did. Operations are known by their first commit.
func TestHistoryModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		t.Repeat(map[string]func(*rapid.T){
			"commit":       m.commit,
			"commit again": m.commit,
			"rewrite":      m.rewrite,
			"image": func(t *rapid.T) {
				tx := m.Begin()
				defer tx.End()
				if m.seq() == 0 {
					return
				}
				if err := tx.Images().Write(); err != nil || tx.Images().Newest() != m.seq() {
					t.Fatal(tx.Images().Newest(), err)
				}
			},
			"reload": func(t *rapid.T) {
				before := m.Head()
				if err := m.Store().Close(); err != nil {
					t.Fatal(err)
				}
				m.fixture = open(t, m.history.Open(), m.options)
				if after := m.Head(); after.Signed != before.Signed || after.Commit.Digest != before.Commit.Digest {
					t.Fatalf("%+v came back as %+v", before.Commit, after.Commit)
				}
			},
			"": m.check,
		})
	})
}
