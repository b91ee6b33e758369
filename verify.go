// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"fmt"

	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Verify proves the memory from its bytes: the journal is replayed from
// nothing, every block hashed, every commit checked to follow its parent, to
// name only blocks that are there and to lead to the root it names; the newest
// image and the present state are compared with the result, and the present
// nodes are hashed again. checked counts the commits, blocks and nodes;
// no problems means that all is well. Signed heads are checked against
// Options.Verifiers. Each of anchors is a text of such heads, one or more, that
// was kept elsewhere (SignedHead): the history must have their commits. It writes
// nothing. Complexity is that of reading the whole history. Errors: Invalid (an
// anchor that is no signed head).
func (m *Memory) Verify(ctx context.Context, anchors ...string) (checked int, problems []node.Problem, err error) {
	var notes []string
	for _, text := range anchors {
		some, err := splitNotes(text)
		if err != nil {
			return 0, nil, fail("verify", "anchor", Invalid, err)
		}
		notes = append(notes, some...)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.View()
	w := verifier{m: m, ctx: ctx, state: &graph.State{}, held: map[merkle.Digest]bool{}, roots: map[uint64]merkle.Digest{}}
	w.signatures = signatures{wrong: map[string]*wrongHeads{}, chain: map[uint64]merkle.Digest{}}
	err = m.store.Replay(disk.Pos{}, w.record)
	if ctx.Err() != nil {
		return 0, nil, fail("verify", m.state, Other, ctx.Err())
	}
	if err != nil && len(w.problems) == 0 {
		w.problem("journal", "replay", err.Error())
	}
	if c := m.store.Recovery().Corrupt; c != nil {
		w.problem("journal", "corrupt", fmt.Sprint(c))
	}
	if w.head.Digest != v.commit.Digest && err == nil {
		w.problem("head", "differs", fmt.Sprintf("memory is at commit %d, the journal ends at %d", v.commit.Seq, w.head.Seq))
	} else if w.state.Root() != v.Root() && err == nil {
		w.problem("head", "differs", "the live state is not the one the journal leads to")
	}
	w.heads()
	w.anchors(notes)
	w.image()
	w.live(v)
	return w.checked, w.problems, nil
}

type verifier struct {
	m        *Memory
	ctx      context.Context
	state    *graph.State
	head     Commit
	held     map[merkle.Digest]bool   // blocks by the digest of their bytes
	roots    map[uint64]merkle.Digest // by commit
	checked  int
	problems []node.Problem

	signatures signatures
}

func (w *verifier) problem(where, kind, detail string) {
	w.problems = append(w.problems, node.Problem{Path: where, Kind: kind, Message: detail})
}

func (w *verifier) record(r disk.Record) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	switch r.Kind {
	case disk.Block:
		w.checked++
		w.held[merkle.Sum(r.Data)] = true
	case disk.Commit:
		return w.commit(r.Data)
	case disk.Mark:
		w.mark(r.Data)
	}
	return nil
}

func (w *verifier) commit(block []byte) error {
	c, err := graph.DecodeCommit(block, w.m.store.Block)
	if err == nil {
		err = follows(c, w.head)
	}
	if err == nil {
		w.state, err = w.state.Apply(c, w.m.store.Block)
	}
	if err != nil {
		w.problem(fmt.Sprintf("commit %d", w.head.Seq+1), "chain", err.Error())
		return err
	}
	w.head = summary(c)
	w.roots[c.Seq] = c.State
	w.signatures.chain[c.Seq] = c.Digest
	w.checked++
	for i := range c.Delta {
		if e := c.Delta[i].New; e != nil && (!w.held[e.Own] || !w.held[e.Version] && len(e.Kids) > 0) {
			w.problem(fmt.Sprintf("commit %d", c.Seq), "block", fmt.Sprintf("the blocks of node %s are not in the journal", c.Delta[i].ID))
		}
	}
	return nil
}

// image checks the newest image: that it verifies, and holds the state of the
// commit it names.
func (w *verifier) image() {
	img, err := w.m.store.LoadImage()
	for _, name := range w.m.store.Recovery().DamagedImages {
		w.problem(name, "corrupt", "the image is damaged; the journal has what it held")
	}
	if err != nil {
		if !errors.Is(err, disk.ErrNoImage) {
			w.problem("image", "corrupt", err.Error())
		}
		return
	}
	state, err := imageState(img)
	switch {
	case err != nil:
		w.problem("image", "corrupt", err.Error())
	case state.Root() != w.roots[img.Seq]:
		w.problem("image", "differs", fmt.Sprintf("the image does not hold the state of commit %d", img.Seq))
	default:
		w.checked++
	}
}

// live hashes the nodes of the present state, document by document, and
// compares digests with those the state holds.
func (w *verifier) live(v *View) {
	for _, path := range v.state.Paths() {
		nodes := v.state.Nodes(path)
		fresh := make([]*node.Node, len(nodes))
		for i, n := range nodes {
			c := *n
			fresh[i] = &c
		}
		node.Hash(fresh)
		for i, n := range nodes {
			w.checked++
			if fresh[i].Own != n.Own || fresh[i].Version != n.Version {
				w.problem(path, "digest", fmt.Sprintf("node %s does not match its digest", n.ID))
			}
		}
	}
}
