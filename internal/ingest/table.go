// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
)

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
