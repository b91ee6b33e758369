// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"io"

	"github.com/fovea-memory/fovea/merkle"
)

// Salvager is a store whose history can be read around damage, and rebuilt from the rest.
type Salvager interface {
	// Salvage finds the files of the history. A folder that cannot be read is an error:
	// nothing is held to be lost because of it. Errors: ErrUnknownFormat, those of the file
	// system.
	Salvage() (Salvage, error)
}

// Salvage is all that verifies of a history, damaged or not: each record by
// itself, also after damage. It reads the history as it is and changes
// nothing until Rebuild. It is for one goroutine.
type Salvage interface {
	// Read calls fn with each record that verifies, in order. The data is valid
	// until fn returns; an error of fn ends it and is returned unchanged. Other
	// errors are of the file system or the context: then nothing can be said.
	// O(history), and more where much is damaged.
	Read(ctx context.Context, fn func(Record) error) error
	// Images calls fn with every image that verifies, the newest first, those in
	// quarantine too, and tells where each is. Damaged ones count as damage, and the next
	// WriteImage of the store moves them to quarantine: enough where no more is damaged.
	Images(fn func(name string, img *Image)) error
	// Block returns a block or commit that Read has met, or ErrNotFound.
	Block(d merkle.Digest) ([]byte, error)
	// Has reports whether Read has met a block or commit.
	Has(d merkle.Digest) bool
	// Gone returns the blocks that history had left out on purpose, and the numbers
	// of the commits that give the reason. The map is the Salvage's.
	Gone() map[merkle.Digest]uint64
	// Damage returns the damage found, at most once for each file.
	Damage() []Corruption
	// Final reports whether a file that has history is damaged and none is missing: what
	// is missing may come back.
	Final() bool
	// Rebuild makes a whole history of what Read has found. The store is closed. Damaged
	// files are first copied to quarantine. After a crash the folder has the old history
	// or the new one, and opens. On an error the old history is there, unless only the
	// removal failed. O(history).
	Rebuild(ctx context.Context, to Rebuilt) error
}

// Rebuilt describes the history that Rebuild makes.
type Rebuilt struct {
	// Memex is written into FORMAT if that is damaged or missing.
	Memex string
	// Keep returns the kind that a salvaged record has from now on, 0 to leave it
	// out. It must let through as commits none but a chain.
	Keep func(Record) Kind
	// Add are the records after the salvaged ones, one batch.
	Add []Record
	// Lost are the blocks that are nowhere; Block answers a Purged for them, which
	// names By, the number of the commit that states it.
	Lost []merkle.Digest
	By   uint64
	// Aside are files to put into quarantine besides the damaged ones, such
	// as the image of a commit that is lost.
	Aside []string
	// Rand gives the salts. Needed.
	Rand io.Reader
}
