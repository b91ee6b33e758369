// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea"
)

// MergeRequest brings in what another copy of the memory has done.
type MergeRequest struct {
	State      string `json:"state"`                 // its state folder, an absolute path where the memory is kept
	MemoryOnly bool   `json:"memory_only,omitempty"` // leave the files alone, as in RollbackRequest
	DryRun     bool   `json:"dry_run,omitempty"`     // say what would be done
	Head       uint64 `json:"head,omitempty"`        // as in RevertRequest
}

// MergeResponse is what a merge did, or would do.
type MergeResponse struct {
	Seq       uint64     `json:"seq"`       // of the commit that says so, 0 where there was nothing new and for a dry run
	Root      string     `json:"root"`      // after it
	Parents   []string   `json:"parents"`   // of the commit: the one before it, and what it took in; sorted
	Files     []string   `json:"files"`     // written or removed; with MemoryOnly those that differ now
	Conflicts []Conflict `json:"conflicts"` // between the two sides
}

func (l *local) Merge(ctx context.Context, req MergeRequest) (*MergeResponse, error) {
	if err := l.sync(ctx); err != nil {
		return nil, err
	}
	c, files, conflicts, err := l.m.Merge(ctx, req.State, &fovea.RollbackOptions{MemoryOnly: req.MemoryOnly, DryRun: req.DryRun, Head: req.Head})
	if err != nil {
		return nil, err
	}
	root := l.m.View().Root()
	if c.Seq != 0 { // one that comes again finds its own
		root = c.Root
	}
	out := &MergeResponse{
		Seq: c.Seq, Root: root.String(), Parents: make([]string, len(c.Parents)), Files: list(files), Conflicts: make([]Conflict, len(conflicts)),
	}
	for i, p := range c.Parents {
		out.Parents[i] = p.String()
	}
	for i, c := range conflicts {
		out.Conflicts[i] = conflict(c)
	}
	return out, nil
}
