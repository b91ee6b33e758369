// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"

	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// PeekIntents calls fn for the intents in the last bytes of the journal of a state folder,
// limit of them at most, in order. It does not open the store: a process may have it open,
// and damaged records are passed over. What fn gets is valid until it returns. Errors:
// those of reading; what can be read is read. O(limit).
func PeekIntents(in vfs.FS, limit int64, fn func(intent []byte)) error {
	numbers, err := record.ListSegments(in)
	first := len(numbers)
	sizes := make([]int64, len(numbers))
	for ; first > 0 && limit > 0; first-- {
		info, err := in.Lstat(record.SegmentName(numbers[first-1]))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		sizes[first-1] = min(limit, info.Size())
		limit -= info.Size()
	}
	for i, number := range numbers {
		if i >= first && sizes[i] > 0 {
			err = cmp.Or(err, peekSegment(in, number, sizes[i], fn))
		}
	}
	return err
}

// peekSegment is PeekIntents for one segment, which is a regular file.
func peekSegment(in vfs.FS, number uint64, limit int64, fn func(intent []byte)) error {
	seg, err := record.OpenSegment(in, number)
	if err != nil {
		return err
	}
	defer seg.Close()
	size, end, err := seg.Written(record.HeaderSize)
	if err != nil {
		return err
	}
	end = min(size, (end+record.FrameAlign-1)/record.FrameAlign*record.FrameAlign) // a frame may end with zeros
	from := max(record.HeaderSize, (end-limit)/record.FrameAlign*record.FrameAlign)
	return seg.Reader(from, end).Scan(func(f record.Frame, data []byte) bool {
		if f.Kind == store.Intent {
			fn(data)
		}
		return true
	})
}
