// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"
	"fmt"
	"strings"
)

// ErrSplice is wrapped by the error of [Apply] for splices that are unsorted, overlap,
// or are outside the text.
var ErrSplice = errors.New("splices are not in order inside the text")

// A Splice replaces the bytes from Start to End of a text by New.
type Splice struct {
	Start, End int
	New        string
}

// Apply returns src with all splices applied. The splices must be sorted, disjoint and
// inside src, to which their offsets refer; otherwise the error wraps [ErrSplice]. It
// takes time in proportion to src and the splices.
func Apply(src string, splices []Splice) (string, error) {
	var b strings.Builder
	at := 0
	for _, s := range splices {
		if s.Start < at || s.End < s.Start || s.End > len(src) {
			return "", fmt.Errorf("apply splice %d to %d after offset %d of %d: %w", s.Start, s.End, at, len(src), ErrSplice)
		}
		b.WriteString(src[at:s.Start])
		b.WriteString(s.New)
		at = s.End
	}
	b.WriteString(src[at:])
	return b.String(), nil
}
