// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/embed"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// A model proves itself by finding nodes by their titles.
const (
	minProbes  = 64
	maxProbes  = 128
	firstOf    = 10  // a node counts as found if it is among this many
	foundNone  = .25 // share of the nodes found at which a model has proven nothing
	foundWhole = .75 // and at which it has proven itself
)

// proof is the number of probes and of nodes found. A file next to the vectors keeps it, so
// that a command has the trust that a daemon measured. The file may be deleted, and a damaged
// one is ignored.
type proof struct{ asked, found int }

// proofFile names the file of the proof of a model.
func proofFile(m embed.Model) string { return merkle.SumText(m.Fingerprint).String() + ".proof" }

// encode returns the file of a proof: one line that ends with a digest of the rest.
func (p proof) encode(m embed.Model) []byte {
	said := fmt.Sprintf("proof 1 %q %d %d ", m.Fingerprint, p.asked, p.found)
	return fmt.Appendf(nil, "%s%s\n", said, merkle.SumText(said))
}

// readProof returns the proof of a model in a folder, the zero proof if it is missing or
// damaged.
func readProof(in vfs.FS, m embed.Model) proof {
	text, err := in.ReadFile(proofFile(m))
	if err != nil {
		return proof{}
	}
	var p proof
	var fingerprint, sum string
	if _, err := fmt.Sscanf(string(text), "proof 1 %q %d %d %s\n", &fingerprint, &p.asked, &p.found, &sum); err != nil || !bytes.Equal(p.encode(m), text) {
		return proof{}
	}
	return p
}

// trust returns how well the model of an engine has proven itself, 0 to 1. A lexical model
// finds titles by their words, which proves nothing.
func (x *Vectors) trust(e *engine) float64 {
	x.mu.Lock()
	p := e.proof
	x.mu.Unlock()
	if p.asked < minProbes || e.Model().Lexical {
		return 0
	}
	share := float64(p.found) / float64(p.asked)
	return min(1, max(0, (share-foundNone)/(foundWhole-foundNone)))
}

// prove searches for nodes by their titles or first sentences, unless that was done before. It does not compare the
// vectors of nodes with each other, because questions are embedded differently.
func (x *Vectors) prove(ctx context.Context, e *engine, states []*graph.State) error {
	if e.proof.asked >= minProbes || e.Model().Lexical {
		return nil
	}
	probes := x.probes(e, states)
	if len(probes) < minProbes {
		return nil
	}
	var p proof
	set := e.store.View()
	all := set.All()
	for batch := range slices.Chunk(probes, maxBatch) {
		texts := make([]string, len(batch))
		for i, p := range batch {
			texts[i] = p.text
		}
		results, err := e.Embed(ctx, embed.Query, texts)
		if err != nil {
			return err
		}
		for i, result := range results {
			p.asked++
			q, err := set.Prepare(result.Vector)
			if err != nil {
				continue
			}
			for _, h := range set.Best(q, all, firstOf) {
				if h.Digest == batch[i].of.Own {
					p.found++
				}
			}
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	e.proof = p
	if err := vfs.WriteAtomic(x.opts.Folder, proofFile(e.Model()), p.encode(e.Model()), 0o600); err != nil {
		x.opts.Log.Warn("what a model has proven is not kept", "error", err)
	}
	return nil
}

// probe is a question for a node.
type probe struct {
	text string
	of   *node.Node
}

// probes returns questions for some nodes that have vectors, the same for the same nodes.
func (x *Vectors) probes(e *engine, states []*graph.State) []probe {
	titles := map[string]int{}
	for _, s := range states {
		for n := range s.All() {
			titles[n.Title()]++
		}
	}
	set := e.store.View()
	var all []probe
	for _, s := range states {
		for n := range s.All() {
			if _, ok := set.Row(n.Own); !ok || strings.TrimSpace(n.Body()) == "" || !x.mayEmbed(s, n, e) {
				continue
			}
			text := n.Title()
			if titles[text] > 1 || len(strings.Fields(text)) < 2 {
				text = FirstSentence(n.Body())
			}
			if len(strings.Fields(text)) > 1 {
				all = append(all, probe{text, n})
			}
		}
	}
	slices.SortFunc(all, func(a, b probe) int {
		return cmp.Or(bytes.Compare(a.of.Own[:], b.of.Own[:]), strings.Compare(a.of.ID, b.of.ID))
	})
	all = slices.CompactFunc(all, func(a, b probe) bool { return a.of.Own == b.of.Own })
	return all[:min(len(all), maxProbes)]
}

// FirstSentence returns the beginning of a text, up to the end of a sentence or line.
func FirstSentence(body string) string {
	body = strings.TrimSpace(body)
	if i := strings.IndexAny(body, ".!?\n"); i > 0 {
		body = body[:i]
	}
	const maxBytes = 200
	return strings.ToValidUTF8(body[:min(len(body), maxBytes)], "")
}
