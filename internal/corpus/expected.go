// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"context"
	"time"

	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/merkle"
)

// ReadExpected reads each file for which expected returns a digest, and returns the
// entries, in the order of the files, of those that have that digest. The entries have
// the stat of the moment of reading; now is the time of the scan. Most files match after
// a first scan of files just written, or after a folder was copied. Files that cannot be
// read or differ are omitted; Read returns the reason. It stops early when ctx is done.
// O(bytes), on all processors; expected is called concurrently.
func (r *Root) ReadExpected(ctx context.Context, files []File, now time.Time, expected func(File) (merkle.Digest, bool)) []Entry {
	found := make([]Entry, len(files))
	bound.Each(len(files), func(i int) {
		if ctx.Err() != nil {
			return
		}
		want, ok := expected(files[i])
		if !ok {
			return
		}
		digest, info, err := r.dir.fileDigest(files[i].Path)
		if err == nil && digest == want {
			r.written.clearUnlessOurs(stampOf(info))
			found[i] = Entry{File: fileOf(files[i].Path, files[i].Opaque, info), Digest: digest}
		}
	})
	matched := found[:0]
	for _, e := range found {
		if e.Path != "" {
			e.Scanned = now.UnixNano()
			matched = append(matched, e)
		}
	}
	return matched
}
