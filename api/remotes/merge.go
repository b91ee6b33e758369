// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package remotes

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
)

// OpMerge merges another copy.
var OpMerge = api.DefineOn(api.Operation{Name: "merge", Group: "history", Effect: api.Mends, History: true,
	Summary: "Bring in what another copy of the memory has done"}, mergeCopy)

// MergeRequest brings in what another copy of the memory has done.
type MergeRequest struct {
	State      string `json:"state" jsonschema:"its state folder, an absolute path where the memory is kept" arg:"COPY"`
	MemoryOnly bool   `json:"memory_only,omitempty" jsonschema:"leave the files as they are; they differ from memory since" flag:""`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
	Head       uint64 `json:"head,omitempty" jsonschema:"the newest commit's number; a newer one is a conflict"`
}

// MergeResponse is what a merge did, or would do.
type MergeResponse struct {
	Seq       uint64         `json:"seq" jsonschema:"of the commit that says so, 0 where there was nothing new and for a dry run"`
	Root      string         `json:"root" jsonschema:"after it"`
	Parents   []string       `json:"parents" jsonschema:"of the commit: the one before it, and what it took in; sorted"`
	Files     []string       `json:"files" jsonschema:"written or removed; with memory_only those that differ now"`
	Left      []string       `json:"left,omitempty" jsonschema:"files that were left alone, each with the reason"`
	Conflicts []api.Conflict `json:"conflicts" jsonschema:"between the two sides"`

	Would *api.Difference `json:"would,omitempty" jsonschema:"of a dry run: what would change; empty for an agent"`
}

func mergeCopy(ctx context.Context, a api.Access, req MergeRequest) (*MergeResponse, error) {
	if !filepath.IsAbs(req.State) { // who asks stands elsewhere
		return nil, fault.Wrap("merge", req.State, fault.Invalid, errors.New("state: is an absolute path"))
	}
	if err := a.Sync(ctx); err != nil {
		return nil, err
	}
	opts := a.Write()
	opts.MemoryOnly, opts.Head = req.MemoryOnly, req.Head
	c, files, conflicts, err := a.History().Merge(ctx, req.State, opts)
	if err != nil {
		return nil, err
	}
	root := a.On().View().Root()
	if c.Seq != 0 { // one that comes again finds its own
		root = c.Root
	}
	out := &MergeResponse{
		Seq: c.Seq, Root: root.String(), Parents: []string{}, Files: append([]string{}, files...), Left: c.Left,
		Conflicts: api.Conflicts(conflicts), Would: a.Would(ctx, c),
	}
	for _, parent := range c.Parents {
		out.Parents = append(out.Parents, parent.String())
	}
	return out, nil
}
