// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fovea-memory/fovea/merkle"
)

// Same reads those of the files of which held gives a digest, and returns the entries,
// by path as the files are, of those that have it, as they were when they were read, at
// the time now. After a first scan of files that were just written, or a copy of a
// folder, that is most of them. What cannot be read, or reads otherwise, is left out:
// Read tells why. It ends early when ctx does. O(bytes), on all processors; held is
// called by several at once.
func (r *Root) ReadExpected(ctx context.Context, files []File, now time.Time, expected func(File) (merkle.Digest, bool)) []Entry {
	found := make([]Entry, len(files))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(len(files), runtime.GOMAXPROCS(0)) {
		readers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(files) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if want, ok := expected(files[i]); ok {
					found[i] = r.readExpected(files[i], want)
				}
			}
		})
	}
	readers.Wait()
	matched := found[:0]
	for _, e := range found {
		if e.Path != "" {
			e.Scanned = now.UnixNano()
			matched = append(matched, e)
		}
	}
	return matched
}

// entry reads a file and returns its entry if its digest is want, else the zero Entry.
func (r *Root) readExpected(f File, want merkle.Digest) Entry {
	digest, info, err := r.fileDigest(f.Path, DefaultLimit)
	if err != nil || digest != want {
		return Entry{}
	}
	r.written.clearUnlessOurs(stampOf(info))
	return Entry{File: fileOf(f.Path, f.Opaque, info), Digest: digest}
}
