// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"math"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/merkle"
)

// Splice replaces a stretch of one file.
type Splice struct {
	File    int // the index of the file among those of the operation
	At      int // offset of the stretch in bytes,
	Removed int // and its length
	Text    string
}

// NewSplice returns the shortest splice that makes one text of a file the other, with File 0.
func NewSplice(before, after string) Splice {
	both := min(len(before), len(after))
	at := text.SharedPrefix(before, after)
	same := 0
	for same < both-at && before[len(before)-1-same] == after[len(after)-1-same] {
		same++
	}
	return Splice{At: at, Removed: len(before) - same - at, Text: after[at : len(after)-same]}
}

// apply returns a text after the splice, false if it has no such stretch.
func (s *Splice) apply(text string) (string, bool) {
	if s.At > len(text) || s.Removed > len(text)-s.At {
		return "", false
	}
	return text[:s.At] + s.Text + text[s.At+s.Removed:], true
}

func appendSplices(b []byte, splices []Splice, emit func(merkle.Digest, []byte) error) ([]byte, error) {
	b = merkle.AppendList(b, len(splices))
	for i := range splices {
		s := &splices[i]
		b = merkle.AppendList(b, 4)
		for _, n := range []int{s.File, s.At, s.Removed} {
			b = merkle.AppendUint(b, uint64(n))
		}
		var err error
		if b, err = merkle.AppendContent(b, s.Text, emit); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// readSplices reads the splices of a step of an intent with a number of files: at most one of
// each file.
func readSplices(r *merkle.Reader, files int, load graph.Loader) ([]Splice, error) {
	last := -1
	return readList(r, func() (Splice, error) {
		r.FixedList(4)
		file, at, removed := r.Uint(), r.Uint(), r.Uint()
		if r.Err() != nil {
			return Splice{}, r.Err()
		}
		if file >= uint64(files) || int(file) <= last || max(at, removed) > math.MaxInt32 {
			return Splice{}, errSteps
		}
		last = int(file)
		text, err := merkle.ReadContent(r, load)
		return Splice{File: last, At: int(at), Removed: int(removed), Text: text}, err
	})
}
