// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// tableFile holds the result of the last scan. If it is missing or damaged, the next scan reads
// every file.
const tableFile = "cache/files"

// Load loads the result of the last scan, after the chain. It drops a table of another state,
// because that could list a file as unchanged although this state lacks its nodes.
func Load(r *Reader) {
	defer r.publish()
	root := r.scope.Present().Root()
	r.table, r.tableRoot = &corpus.Table{}, root
	b, err := r.scope.FS.ReadFile(tableFile)
	if err != nil {
		return
	}
	if len(b) < len(root) || merkle.Digest(b[:len(root)]) != root {
		r.scope.Options.Log.Info("the file table belongs to another state; every file is read again")
		return
	}
	if err := r.table.UnmarshalBinary(b[len(root):]); err != nil {
		r.scope.Options.Log.Warn("the file table is damaged; every file is read again", "error", err)
		r.table = &corpus.Table{}
	}
}

// Save saves the result of the last scan, prefixed with the root of its state, if either changed.
// It syncs the commits of that root first, because a table without its history indicates a loss.
// The caller is the chain's writer.
func Save(r *Reader) error {
	root := r.scope.Present().Root()
	if !r.tableOld && r.tableRoot == root || r.scope.Chain.Store().Err() != nil {
		return nil
	}
	if err := r.scope.Chain.Store().Sync(); err != nil {
		return err
	}
	b, err := r.table.MarshalBinary()
	if err != nil {
		return err
	}
	if err := r.scope.FS.MkdirAll("cache", 0o700); err != nil {
		return err
	}
	err = vfs.WriteAtomic(r.scope.FS, tableFile, append(root[:], b...), 0o600)
	if err == nil {
		r.tableOld, r.tableRoot = false, root
	}
	return err
}

// ForgetTable makes the next scan read every file. The caller is the chain's writer.
func ForgetTable(r *Reader) { r.table, r.tableOld = &corpus.Table{}, true }

// ScannedBefore returns the text of an error if the file table in a state folder belongs to a state
// with documents, so that its history is missing; else "".
func ScannedBefore(in vfs.FS) string {
	b, err := in.ReadFile(tableFile)
	empty := (&graph.State{}).Root()
	if err != nil || len(b) < len(empty) || merkle.Digest(b[:len(empty)]) == empty {
		return ""
	}
	return "the history is missing, of which " + tableFile + " knows; put a copy of the state folder back, or begin anew with fovea repair"
}
