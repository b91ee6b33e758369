// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/merkle"
)

// Removed reports whether a rollback left a file absent on purpose although memory has its
// document.
func (s *Scope) Removed(path string) bool {
	seen, ok := s.Drift()[path]
	return ok && seen == NoFile
}

// FileNow returns the digest of a file in memory, absent if there is none.
func (s *Scope) FileNow(path string) merkle.Digest {
	if text, ok := s.Present().Text(path); ok {
		return merkle.Sum([]byte(text))
	}
	return NoFile
}

// NoFile is the digest of a missing file; no known bytes have it.
var NoFile = guard.Absent

// Drift returns the drifting files by path, with the digest that each had. It must not be
// changed.
func (s *Scope) Drift() map[string]merkle.Digest { return s.DriftSlot.At(s.Chain.Head()) }

// DriftMarks returns the marks that set the drift of paths; a path without drift is in
// step again. Only changes need marks. In a scope without files, nil drift needs none:
// files that a session overlays keep their drift.
func (s *Scope) DriftMarks(paths []string, drift map[string]merkle.Digest) [][]byte {
	if drift == nil && !s.HasFiles() {
		return nil
	}
	var marks [][]byte
	present := s.Drift()
	for _, path := range paths {
		if digest := drift[path]; digest != present[path] {
			marks = append(marks, driftMark(path, digest))
		}
	}
	return marks
}

// DriftLedger keeps the drifting files. Its marks are [name, path, digest]: the file
// drifts while it has this digest; null ends the drift.
type DriftLedger struct{}

const driftName = "drift"

func (DriftLedger) Name() string { return driftName }

func (DriftLedger) Fields() int { return 2 }

func (DriftLedger) Label() string { return "the path of a file" }

func (DriftLedger) Empty() map[string]merkle.Digest { return nil }

func driftMark(path string, digest merkle.Digest) []byte {
	return merkle.AppendLink(merkle.AppendBytes(chain.NewMark(driftName, 2), path), digest)
}

// ReadDriftMark returns the drift that a mark sets for a path, false for any other mark.
func ReadDriftMark(mark []byte, path string) (merkle.Digest, bool) {
	r := merkle.NewReader(mark)
	if n, kind := r.List(), r.Text(); n != 3 || kind != driftName || string(r.Bytes()) != path {
		return merkle.Digest{}, false
	}
	d := r.Link()
	return d, r.Done() == nil && !d.IsZero()
}

func (DriftLedger) Apply(v map[string]merkle.Digest, r *merkle.Reader, _ *chain.Moment) (map[string]merkle.Digest, error) {
	path, digest := string(r.Bytes()), r.Link()
	if r.Err() != nil {
		return v, nil
	}
	next := maps.Clone(v)
	switch {
	case digest.IsZero():
		delete(next, path)
	case next == nil:
		next = map[string]merkle.Digest{path: digest}
	default:
		next[path] = digest
	}
	return next, nil
}

func (DriftLedger) Encode(v map[string]merkle.Digest) []byte {
	b := merkle.AppendList(nil, len(v))
	for _, path := range slices.Sorted(maps.Keys(v)) {
		b = merkle.AppendLink(merkle.AppendBytes(merkle.AppendList(b, 2), path), v[path])
	}
	return b
}

func (DriftLedger) Decode(data []byte) (map[string]merkle.Digest, error) {
	v := map[string]merkle.Digest{}
	r := merkle.NewReader(data)
	for range r.List() {
		r.FixedList(2)
		path := string(r.Bytes())
		if v[path] = r.Link(); r.Err() != nil {
			break
		}
	}
	return v, r.Done()
}

// FileDigest returns the digest that a drifting file had; zero for no file.
func FileDigest(seen merkle.Digest) merkle.Digest {
	if seen == NoFile {
		return merkle.Digest{}
	}
	return seen
}

// Remembered returns the digest of a file's content in memory, zero for none.
func (s *Scope) Remembered(path string) merkle.Digest {
	text, ok := s.Present().Text(path)
	if !ok {
		return merkle.Digest{}
	}
	return merkle.Sum([]byte(text))
}
