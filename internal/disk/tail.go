// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// tailSize is how many bytes at the end of the journal are remembered, to compare them
// with what the file has. They hold at least one checksum.
const tailSize = 64

// tail is the end of the segment that is written to, as this store wrote or read it. An
// older copy of a segment that is written over it in place is as long, since segments are
// preallocated, and has zeros there: what is written behind them is lost at the next
// opening.
type tail struct {
	end   int64
	bytes []byte
}

// tailOf is the tail of a segment that ends with the bytes; it copies what it keeps.
func tailOf(end int64, written []byte) tail {
	return tail{end, slices.Clone(written[max(0, len(written)-tailSize):])}
}

// inPlace returns an error that wraps ErrReplaced unless the file has the tail. One system
// call.
func (t tail) inPlace(in vfs.File, name string) error {
	have := make([]byte, len(t.bytes))
	n, err := in.ReadAt(have, t.end-int64(len(have)))
	if n == len(have) && bytes.Equal(have, t.bytes) {
		return nil
	}
	if err != nil && n < len(have) {
		return fmt.Errorf("%s was %w: it ends before what was written last: %w", name, store.ErrReplaced, err)
	}
	return fmt.Errorf("%s was %w: what was written last is not in it", name, store.ErrReplaced)
}

// readTail returns the tail of the segment at a position; the zero position has none.
func readTail(in vfs.FS, end store.Pos) (tail, error) {
	if end.Segment == 0 {
		return tail{}, nil
	}
	seg, err := openSegment(in, end.Segment)
	if err != nil {
		return tail{}, err
	}
	b := make([]byte, min(end.Offset, tailSize))
	_, err = seg.file.ReadAt(b, end.Offset-int64(len(b)))
	return tail{end.Offset, b}, errors.Join(err, seg.close())
}
