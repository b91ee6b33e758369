// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"maps"
	"strings"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
)

// FileNow returns the digest of a file in a state, NoFile if there is none.
func FileNow(state *graph.State, path string) merkle.Digest {
	if text, ok := state.Text(path); ok {
		return merkle.Sum([]byte(text))
	}
	return NoFile
}

// NoFile is the digest of a missing file; no known bytes have it.
var NoFile = guard.Absent

// Drift holds the files that differ from memory on purpose: by path, the digest of the file. It is
// immutable.
type Drift map[string]merkle.Digest

// Removed reports whether a rollback deliberately left a file absent although memory has its
// document.
func (d Drift) Removed(path string) bool {
	seen, ok := d[path]
	return ok && seen == NoFile
}

// Drift returns the present drift.
func (s *Scope) Drift() Drift { return s.DriftAt(s.Chain.Head()) }

// DriftAt returns the drift at a moment of the chain's present.
func (s *Scope) DriftAt(m *chain.Moment) Drift { return s.drift.At(m) }

// Register registers the ledger of the drift.
func Register(to *chain.Ledgers, s *Scope) {
	s.drift = chain.Register[Drift](to, chain.Ledger{
		Name: driftName, Fields: 2, Label: "the path of a file", Empty: Drift(nil),
		Apply:  func(at *chain.Moment, c *merkle.Codec) any { return s.DriftAt(at).with(c) },
		Encode: func(at *chain.Moment) []byte { return merkle.Encode(s.DriftAt(at).code) },
		Decode: func(data []byte) (any, error) {
			d := Drift{}
			return d, merkle.Decode(data, d.code)
		},
	})
}

// DriftMarks returns the marks that set the drift of paths, and end it for paths without drift.
// Only changes need marks. In a scope without files, nil drift needs none: the buffers of a
// session keep theirs.
func (s *Scope) DriftMarks(paths []string, drift Drift) [][]byte {
	if drift == nil && !s.HasFiles() {
		return nil
	}
	var marks [][]byte
	present := s.Drift()
	for _, path := range paths {
		if digest := drift[path]; digest != present[path] {
			marks = append(marks, chain.NewMark(driftName, merkle.Bytes(&path), &digest))
		}
	}
	return marks
}

// driftName is the name of the ledger. Its marks are [name, path, digest]: the file drifts as long as
// it has this digest; null ends the drift.
const driftName = "drift"

// ReadDriftMark returns the drift that a mark sets for a path, false for any other mark.
func ReadDriftMark(mark []byte, path string) (merkle.Digest, bool) {
	at, d := "", merkle.Digest{}
	ok := chain.ReadMark(mark, driftName, merkle.Bytes(&at), &d) && at == path && !d.IsZero()
	return d, ok
}

// with returns the drift after a mark.
func (d Drift) with(c *merkle.Codec) Drift {
	path, digest := "", merkle.Digest{}
	c.Fields(merkle.Bytes(&path), &digest)
	next := maps.Clone(d)
	switch {
	case digest.IsZero():
		delete(next, path)
	case next == nil:
		next = Drift{path: digest}
	default:
		next[path] = digest
	}
	return next
}

// code codes the section of an image.
func (d Drift) code(c *merkle.Codec) {
	c.Fields(merkle.Entries(d, strings.Compare, func(path *string, digest *merkle.Digest, c *merkle.Codec) {
		c.Record(merkle.Bytes(path), digest)
	}))
}
