// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
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
	if more, ok := strings.CutPrefix(after, before); ok { // at once where both are the same memory
		return Splice{At: len(before), Text: more}
	}
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
