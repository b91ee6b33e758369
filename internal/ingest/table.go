// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// tableFile holds the result of the last scan. It is derived: if it is missing or damaged,
// the next scan reads every file.
const tableFile = "cache/files"

// LoadTable loads the result of the last scan. It drops a table of another state, which
// could call a file unchanged whose nodes this state lacks.
func (r *Reader) LoadTable() {
	r.table = &corpus.Table{}
	b, err := r.scope.FS.ReadFile(tableFile)
	if err != nil {
		return
	}
	root := r.scope.Present().Root()
	if len(b) < len(root) || merkle.Digest(b[:len(root)]) != root {
		r.scope.Options.Log.Info("the file table belongs to another state; every file is read again")
		return
	}
	if err := r.table.UnmarshalBinary(b[len(root):]); err != nil {
		r.scope.Options.Log.Warn("the file table is damaged; every file is read again", "error", err)
		r.table = &corpus.Table{}
	}
}

// SaveTable saves the result of the last scan, prefixed with its root. It syncs the commits
// of that root first, because a table without its history is taken as evidence of a loss.
func (r *Reader) SaveTable() error {
	if !r.tableOld || r.scope.Chain.Store().Err() != nil {
		return nil
	}
	if err := store.Sync(r.scope.Chain.Store()); err != nil {
		return err
	}
	b, err := r.table.MarshalBinary()
	if err != nil {
		return err
	}
	root := r.scope.Present().Root()
	if err := r.scope.FS.MkdirAll("cache", 0o700); err != nil {
		return err
	}
	return vfs.WriteAtomic(r.scope.FS, tableFile, append(root[:], b...), 0o600)
}

// ForgetTable makes the next scan read every file. The caller is the chain's writer.
func (r *Reader) ForgetTable() { r.table, r.tableOld = &corpus.Table{}, true }

// FollowCommit publishes the status after a commit. The caller is the chain's writer.
func (r *Reader) FollowCommit() {
	r.tableOld = true // it names its root
	r.PublishStatus()
}

// ScannedBefore returns an error text if the file table belongs to a state with documents,
// else "".
func (r *Reader) ScannedBefore() string {
	b, err := r.scope.FS.ReadFile(tableFile)
	empty := (&graph.State{}).Root()
	if err != nil || len(b) < len(empty) || merkle.Digest(b[:len(empty)]) == empty {
		return ""
	}
	return "the history is missing, of which " + tableFile + " knows; put a copy of the state folder back, or begin anew with fovea repair"
}
