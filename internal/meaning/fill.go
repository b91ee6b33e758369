// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"context"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vector"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Limits of what an embedder is given at once.
const (
	maxBatch      = 32
	maxBatchBytes = 32 << 10  // after which no text is added, so that a failure loses little
	maxText       = 256 << 10 // of one node
)

// Fill makes the missing vectors, and then measures a model that has not proven itself.
// progress may be nil. A text that the embedder refuses is not tried again. Errors: those
// of the embedder, after which the vectors made so far are kept, and of ctx.
func (x *Vectors) Fill(ctx context.Context, progress func(done, of int)) error {
	ctx, unlock, err := x.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	err = x.fill(ctx, progress)
	x.leave(err)
	x.failed(err)
	return err
}

func (x *Vectors) fill(ctx context.Context, progress func(done, of int)) error {
	states := x.opts.States(ctx)
	if e := x.connected(); e == nil {
		x.expect(len(x.wanted(states, nil)))
	}
	e, err := x.connect(ctx)
	if err != nil {
		return err
	}
	if err := x.sweep(e, states); err != nil {
		return err
	}
	missing := x.wanted(states, e)
	if x.Status().Fault != nil && len(missing) == 0 { // does it work again?
		_, err = e.Embed(ctx, embed.Query, []string{"hello"})
		return err
	}
	x.expect(len(missing))
	done := 0
	for done < len(missing) {
		batch := batchOf(missing[done:])
		if err := e.embed(ctx, batch); err != nil {
			return err
		}
		done += len(batch)
		x.expect(len(missing) - done)
		if progress != nil {
			progress(done, len(missing))
		}
	}
	return x.prove(ctx, e, states)
}

// sweep drops the vectors of texts that no node has any more.
func (x *Vectors) sweep(e *engine, states []*graph.State) error {
	live := map[merkle.Digest]bool{}
	for _, s := range states {
		for n := range s.All() {
			live[n.Own] = true
		}
	}
	_, err := e.store.Retain(func(d merkle.Digest) bool { return live[d] })
	return err
}

func (x *Vectors) expect(pending int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pending = pending
}

// wanted returns a node for each text that e may see and has no vector of; for every text
// if e is nil.
func (x *Vectors) wanted(states []*graph.State, e *engine) []*node.Node {
	var nodes []*node.Node
	seen := map[merkle.Digest]bool{}
	for _, s := range states {
		for n := range s.All() {
			if !seen[n.Own] && !(e != nil && e.store.Knows(n.Own)) && x.mayEmbed(s, n, e) && Text(n) != "" {
				seen[n.Own] = true
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// batchOf returns the first nodes, as many as go into one request.
func batchOf(nodes []*node.Node) []*node.Node {
	size := 0
	for i, n := range nodes {
		if size += len(Text(n)); i == maxBatch || i > 0 && size > maxBatchBytes {
			return nodes[:i]
		}
	}
	return nodes
}

// mayEmbed reports whether the embedder may see a node.
func (x *Vectors) mayEmbed(s *graph.State, n *node.Node, e *engine) bool {
	return MayLeave(s, n, x.opts.All || e != nil && !e.Model().Remote)
}

// MayLeave reports whether a server may see a node. No server sees encrypted text. all means
// that it may see the rest; otherwise the owner must have given the node.
func MayLeave(s *graph.State, n *node.Node, all bool) bool {
	return !n.Secret() && !n.Derived.Encrypted && (all || s.Given(n))
}

// Text returns the text of a node that is embedded: its title and its text without drawers.
// It is "" for a document that is only a title.
func Text(n *node.Node) string {
	body := strings.TrimSpace(n.Body())
	if body == "" && n.Parent == "" {
		return ""
	}
	text := strings.TrimSpace(n.Title() + "\n" + body[:min(len(body), maxText)])
	return strings.ToValidUTF8(text, "\uFFFD")
}

// embed makes and keeps the vectors of some nodes.
func (e *engine) embed(ctx context.Context, nodes []*node.Node) error {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = Text(n)
	}
	results, err := e.Embed(ctx, embed.Document, texts)
	if err != nil {
		return err
	}
	if len(results) != len(nodes) {
		return fmt.Errorf("%w: %d results for %d texts", embed.ErrProtocol, len(results), len(nodes))
	}
	items := make([]vector.Item, len(nodes))
	for i, n := range nodes {
		items[i] = vector.Item{Digest: n.Own, Vector: results[i].Vector} // nil where the text has none
	}
	return e.store.Put(items)
}
