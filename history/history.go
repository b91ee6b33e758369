// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package history

import (
	"iter"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Commit is one durable step of the history, as the log shows it.
type Commit struct {
	Seq       uint64
	Digest    merkle.Digest // names the commit and its whole history
	Root      merkle.Digest // of the state it made
	Kind      string        // ingest, rollback, revert, merge, edit, purge, retain, repair, guard
	Author    author.Author
	Session   string
	Op        string // shared by the commits of one operation
	Vouched   bool   // whether a token proved the author; otherwise the caller asserted it
	Time      time.Time
	Message   string
	Changes   int // nodes added, changed or removed
	Documents int // documents in the resulting state; 0 if unknown
	// Paths are those of the changed documents, for Options.Committed; nil elsewhere. It is
	// shared and must not be changed.
	Paths []string
	// Lineage maps ids that nodes had before the commit to those they have after
	// it: derived ids follow titles and places. It is shared and must not be changed.
	Lineage []node.Edge
	// Parents are set for a merge: the commit before it and the merged one, sorted. Other commits follow the
	// one before and have nil. It is shared as well. For the newest commit after Open from an image, Lineage
	// and Parents are nil: Log has them.
	Parents []merkle.Digest
	// Would is what a dry run would change, nil for a commit. Left names the files that a rollback left out,
	// each with the reason; nil in a log.
	Would *Difference
	Left  []string
}

// Snapshot is a commit kept for rollback. Index 0 is the newest.
type Snapshot struct {
	Index int           `json:"index" jsonschema:"0 is the newest"`
	Name  string        `json:"name" jsonschema:"empty for an automatic one"`
	Seq   uint64        `json:"seq" jsonschema:"the number of the commit"`
	Root  merkle.Digest `json:"root" jsonschema:"the digest of the whole state"`
	Time  time.Time     `json:"time" jsonschema:"of its commit"`
	Note  string        `json:"note" jsonschema:"what happened after it, or why it was named"`
}

// Head is the newest commit, and the signed note that vouches for it and for all before it.
type Head struct {
	Note   string        `json:"note" jsonschema:"the signed note, to keep elsewhere"`
	Seq    uint64        `json:"seq" jsonschema:"the number of the newest commit"`
	Commit merkle.Digest `json:"commit" jsonschema:"the digest that names it"`
	Root   merkle.Digest `json:"root" jsonschema:"of the state"`
	Time   time.Time     `json:"time" jsonschema:"of the commit"`
}

// Difference lists the nodes that were added, removed, changed or moved between two
// views. Each list is sorted by id.
type Difference struct {
	Added, Removed []*node.Node
	Changed, Moved [][2]*node.Node // before and after
	Renamed        []node.Edge     // removed nodes that were added under a new id
}

// All yields each node of the difference before and after it: nil before for an added one, nil after for a
// removed one.
func (d *Difference) All() iter.Seq2[*node.Node, *node.Node] {
	return func(yield func(before, after *node.Node) bool) {
		pairs := slices.Concat(d.Changed, d.Moved)
		for _, n := range d.Added {
			pairs = append(pairs, [2]*node.Node{nil, n})
		}
		for _, n := range d.Removed {
			pairs = append(pairs, [2]*node.Node{n, nil})
		}
		for _, pair := range pairs {
			if !yield(pair[0], pair[1]) {
				return
			}
		}
	}
}

// WriteOptions are the options of one write. nil is the zero value. A field applies to the
// methods that its comment names.
type WriteOptions struct {
	// Key is the idempotency key of any write, at most 200 bytes: if the history contains
	// it, the write is not repeated and returns the result of the first time. Use a new key
	// for each write, such as a random UUID; without one every write is new.
	//
	// At least the newest 10,000 keys are remembered, across restarts. A write that failed
	// or changed nothing leaves no record and runs again when repeated. A key used by another
	// author or for another kind of write is a Conflict; the caller must ensure that the
	// rest of the request is the same. Repair is never replayed.
	Key string
	// Base is what a change of one node, or the decision about a protected file, is based on: the own digest of
	// the node, or the SHA-256 of the file, as the caller read it. If it has changed since, the error is
	// Conflict. Zero means any.
	Base merkle.Digest
	// DryRun checks what can be checked and returns what would be done, without doing it: of
	// Rollback, Restore, RestoreFiles, Revert, Merge, Purge, Retain, Repair, and of a change of
	// notes. The commit has no number; its field Would has what would change.
	DryRun bool
	// For Rollback, Restore, RestoreFiles, Revert and Merge. In the zero value files follow memory, all or
	// none.
	Skip       bool // leave out files that changed, are locked or have purged content; not of Merge
	MemoryOnly bool // leave files alone and record the drift
	// Head, if not 0, is the number of the newest commit that the decision was based on.
	// Any other head is a Conflict.
	Head uint64
}

// OrZero returns the options, and the zero value for nil.
func (o *WriteOptions) OrZero() *WriteOptions {
	if o == nil {
		return &WriteOptions{}
	}
	return o
}
