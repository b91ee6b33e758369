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

// Drift is the files that differ from memory on purpose, by path, with the digest that each
// had. It never changes.
type Drift map[string]merkle.Digest

// Removed reports whether a rollback left a file absent on purpose although memory has its
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
		Apply:  func(at *chain.Moment, r *merkle.Reader) (any, error) { return s.DriftAt(at).with(r), nil },
		Encode: func(at *chain.Moment) []byte { return merkle.Encode(s.DriftAt(at).code) },
		Decode: func(data []byte) (any, error) {
			d := Drift{}
			return d, merkle.Decode(data, d.code)
		},
	})
}

// DriftMarks returns the marks that set the drift of paths; a path without drift is in
// step again. Only changes need marks. In a scope without files, nil drift needs none:
// files that a session overlays keep their drift.
func (s *Scope) DriftMarks(paths []string, drift Drift) [][]byte {
	if drift == nil && !s.HasFiles() {
		return nil
	}
	var marks [][]byte
	present := s.Drift()
	for _, path := range paths {
		if digest := drift[path]; digest != present[path] {
			marks = append(marks, merkle.AppendLink(merkle.AppendBytes(chain.NewMark(driftName, 2), path), digest))
		}
	}
	return marks
}

// driftName is the name of the ledger. Its marks are [name, path, digest]: the file drifts while it
// has this digest; null ends the drift.
const driftName = "drift"

// ReadDriftMark returns the drift that a mark sets for a path, false for any other mark.
func ReadDriftMark(mark []byte, path string) (merkle.Digest, bool) {
	r := merkle.NewReader(mark)
	if n, kind := r.List(), r.Text(); n != 3 || kind != driftName || string(r.Bytes()) != path {
		return merkle.Digest{}, false
	}
	d := r.Link()
	return d, r.Done() == nil && !d.IsZero()
}

// with returns the drift after a mark.
func (d Drift) with(r *merkle.Reader) Drift {
	path, digest := string(r.Bytes()), r.Link()
	if r.Err() != nil {
		return d
	}
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

// code is the section of an image.
func (d Drift) code(c *merkle.Codec) {
	merkle.Entries(c, d, strings.Compare, func(path *string, digest *merkle.Digest, c *merkle.Codec) {
		c.Fixed(2)
		c.Bytes(path)
		c.Link(digest)
	})
}
