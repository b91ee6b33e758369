// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// ErrRoot is returned by VerifyStream if a root is not among the blocks.
var ErrRoot = errors.New("the archive names a root that it does not hold")

// FolderIn is the place in a folder of a test.
func FolderIn(in vfs.FS) Place { return folder{in, new(sync.Map)} }

// SetWorkFactor sets the cost of a passphrase for a test, and returns the earlier one.
func SetWorkFactor(n int) (was int) {
	was, workFactor = workFactor, n
	return was
}

// StreamSummary describes the content of an archive.
type StreamSummary struct {
	Roots  []merkle.Digest
	Blocks int
	Bytes  int64 // of the archive
}

// VerifyStream reads an archive to its end. It proves that each block has its digest and the
// canonical encoding, and that the roots are among the blocks; not that all blocks they
// link to are. Errors are those of NewReader and Next, merkle.ErrCanonical and ErrRoot.
func VerifyStream(r io.Reader) (StreamSummary, error) {
	a, err := NewReader(r)
	if err != nil {
		return StreamSummary{}, err
	}
	missing := map[merkle.Digest]bool{}
	for _, root := range a.roots {
		missing[root] = true
	}
	for {
		b, err := a.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			if err = merkle.Check(b.Data); err != nil {
				err = &Error{b.Number, b.Digest, b.Offset, err}
			}
		}
		if err != nil {
			return StreamSummary{}, err
		}
		delete(missing, b.Digest)
	}
	for _, root := range a.roots {
		if missing[root] {
			return StreamSummary{}, fmt.Errorf("archive: root %s: %w", root, ErrRoot)
		}
	}
	return StreamSummary{a.Roots(), a.count, a.offset}, nil
}
