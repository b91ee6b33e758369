// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package history

import "github.com/fovea-memory/fovea/merkle"

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
	// Base is what a change of one node, or the decision about a protected file, is based
	// on: the own digest of the node, or the SHA-256 of the file, as the caller read it. If
	// it has changed since, the error is Conflict. Zero stands for any.
	Base merkle.Digest
	// DryRun checks what can be checked and returns what would be done, without doing it: of
	// Rollback, Restore, RestoreFiles, Revert, Merge, Purge, Retain, Repair, and of a change of
	// notes. The commit has no number; its field Would has what would change.
	DryRun bool
	// Of Rollback, Restore, RestoreFiles, Revert and Merge. In the zero value files follow
	// memory, all or none.
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
