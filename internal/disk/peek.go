// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"cmp"
	"slices"

	"github.com/fovea-memory/fovea/internal/image"
	"github.com/fovea-memory/fovea/internal/record"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// HistoryFolders are the folders of a state folder that hold its history.
var HistoryFolders = []string{record.JournalFolder, imageFolder, record.PackFolder}

// Peek returns which memex a state folder belongs to, and the number of its newest
// commit as the last clean close or the newest image has it, without opening the store: a
// process may have it open. Errors: fs.ErrNotExist where there is no FORMAT, and those
// of reading it; a head that cannot be read is passed over.
func Peek(in vfs.FS) (memex string, seq uint64, err error) {
	if info, err := in.Lstat(FormatFile); err != nil {
		return "", 0, err
	} else if !info.Mode().IsRegular() {
		return "", 0, &store.Corruption{File: FormatFile, Reason: "it is no regular file"}
	}
	text, err := in.ReadFile(FormatFile)
	if err != nil {
		return "", 0, err
	}
	f, err := parseFormat(text)
	if err != nil {
		return "", 0, err
	}
	if info, err := in.Lstat(headFile); err == nil && info.Mode().IsRegular() {
		if h, _, err := readHead(in); err == nil && h != nil {
			seq = h.Seq
		}
	}
	images, err := listImages(in)
	for _, image := range images {
		seq = max(seq, image)
	}
	return f.memex, seq, err
}

// Magics are the words that files of a state folder begin or end with.
var Magics = slices.Concat([]string{formatMagic, headMagic}, image.Magics[:], record.Magics[:])

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
