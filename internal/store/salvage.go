// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"io"

	"github.com/fovea-memory/fovea/merkle"
)

// Salvager is a store whose history can be read around damage, and rebuilt from what verifies.
type Salvager interface {
	// Salvage finds the files of the history. A folder that cannot be read is an error, so that nothing is
	// taken for lost because of it. Errors: ErrUnknownFormat, those of the file system.
	Salvage() (Salvage, error)
}

// Salvage is everything in a history that verifies, damaged or not: each record by itself, also after damage.
// It reads the history as it is and changes nothing until Rebuild. It is for one goroutine.
type Salvage interface {
	// Read calls fn with each record that verifies, in order. The data is valid until fn returns; an error of
	// fn ends it and is returned unchanged. After any other error, one of the file system or the context,
	// nothing is known. O(history), and more where much is damaged.
	Read(ctx context.Context, fn func(Record) error) error
	// Images calls fn with every image that verifies, newest first, also those in quarantine, with its file
	// name. Damaged ones count as damage, and the next WriteImage of the store moves them to quarantine: that
	// suffices if nothing else is damaged.
	Images(fn func(name string, img *Image)) error
	// Block returns a block or commit that Read has found, or ErrNotFound.
	Block(d merkle.Digest) ([]byte, error)
	// Has reports whether Read has found a block or commit.
	Has(d merkle.Digest) bool
	// Gone returns the blocks that were left out on purpose, with the numbers of the commits that give the
	// reason. The map is the Salvage's.
	Gone() map[merkle.Digest]uint64
	// Damage returns the damage found, at most once for each file.
	Damage() []Corruption
	// Final reports whether a file of the history is damaged and none is missing: a missing file may come back.
	Final() bool
	// Rebuild makes a whole history of the records that Read found. The store is closed. Damaged files are
	// first copied to quarantine. After a crash the folder has the old history or the new one, and opens. After
	// an error it has the old history, unless only the removal failed. O(history).
	Rebuild(ctx context.Context, to Rebuilt) error
}

// Rebuilt describes the history that Rebuild makes.
type Rebuilt struct {
	// Memex is written into FORMAT if that is damaged or missing.
	Memex string
	// Keep returns the new kind of a salvaged record, 0 to leave it out. The commits that it keeps must form a
	// chain.
	Keep func(Record) Kind
	// Add are the records after the salvaged ones, one batch.
	Add []Record
	// Lost are the blocks that are missing everywhere; Block returns a Purged for them, which names By, the
	// number of the commit that records it.
	Lost []merkle.Digest
	By   uint64
	// Aside are files to put into quarantine in addition to the damaged ones, such as the image of a lost
	// commit.
	Aside []string
	// Rand is the source of the salts. It is required.
	Rand io.Reader
}
