// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/merkle"
)

// MergeRequest brings in what another copy of the memory has done.
type MergeRequest struct {
	State      string `json:"state" jsonschema:"its state folder, an absolute path where the memory is kept" arg:"COPY"`
	MemoryOnly bool   `json:"memory_only,omitempty" jsonschema:"leave the files as they are; they differ from memory since" flag:""`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
	Head       uint64 `json:"head,omitempty" jsonschema:"the newest commit's number; a newer one is a conflict"`
}

// MergeResponse is what a merge did, or would do.
type MergeResponse struct {
	Seq       uint64     `json:"seq" jsonschema:"of the commit that says so, 0 where there was nothing new and for a dry run"`
	Root      string     `json:"root" jsonschema:"after it"`
	Parents   []string   `json:"parents" jsonschema:"of the commit: the one before it, and what it took in; sorted"`
	Files     []string   `json:"files" jsonschema:"written or removed; with memory_only those that differ now"`
	Conflicts []Conflict `json:"conflicts" jsonschema:"between the two sides"`

	Would *Difference `json:"would,omitempty" jsonschema:"of a dry run: what would change; empty for an agent"`
}

func mergeCopy(ctx context.Context, l *Local, req MergeRequest) (*MergeResponse, error) {
	if !filepath.IsAbs(req.State) { // who asks stands elsewhere
		return nil, fault.Wrap("merge", req.State, fault.Invalid, errors.New("state: is an absolute path"))
	}
	if err := l.sync(ctx); err != nil {
		return nil, err
	}
	opts := l.writeFiles(false, req.MemoryOnly)
	opts.Head = req.Head
	c, files, conflicts, err := l.m.History().Merge(ctx, req.State, opts)
	if err != nil {
		return nil, err
	}
	root := l.m.View().Root()
	if c.Seq != 0 { // one that comes again finds its own
		root = c.Root
	}
	return &MergeResponse{
		Seq: c.Seq, Root: root.String(), Parents: each(c.Parents, merkle.Digest.String), Files: list(files), Conflicts: each(conflicts, legibleConflict),
		Would: l.would(ctx, c),
	}, nil
}
