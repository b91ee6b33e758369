// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/api"
)

// aliases returns the tools that the specification calls by other names, with its
// parameters. They are not listed: a model would pay for them in every window.
func aliases() []tool {
	return []tool{
		{"semantic-search", "Search", reads, "As recall, mode semantic.", "*query limit min-similarity", []action{act(api.OpSearch, semanticSearch)}},
		{"checkpoint-memory", "Checkpoint", adds, "As history, action checkpoint.", "", []action{act(api.OpCheckpoint, checkpointMemory)}},
		{"restore-memory", "Restore", sets, "As rollback, action restore.", "source cid", []action{act(api.OpRestore, restoreMemory)}},
	}
}

func semanticSearch(ctx context.Context, svc api.Service, req api.SearchRequest, in extra) (reply, error) {
	req.Limit, req.MinSimilarity = cmp.Or(req.Limit, 10), 0.5
	if in.MinSimilarity != nil {
		req.MinSimilarity = *in.MinSimilarity
	}
	return searchTool(ctx, svc, req, "semantic")
}

// checkpointAnswer is contract P24: cid is null where nothing is on IPFS.
type checkpointAnswer struct {
	Image  string   `json:"image"`
	Seq    uint64   `json:"seq"`
	Root   string   `json:"root"`
	CID    *string  `json:"cid"`
	Sealed bool     `json:"sealed"`
	Errors []string `json:"errors"`
}

func checkpointMemory(ctx context.Context, svc api.Service, req api.CheckpointRequest, _ extra) (reply, error) {
	req.To = "all"
	c, err := api.OpCheckpoint.Call(ctx, svc, req)
	if err != nil {
		return reply{}, err
	}
	data, there := checkpointAnswer{Image: c.Image, Seq: c.Seq, Root: c.Root, Sealed: c.Sealed, Errors: c.Errors}, "no IPFS is set up"
	switch {
	case c.CID != "":
		data.CID, there = &c.CID, "IPFS: "+c.CID
	case len(c.Errors) > 0:
		there = "IPFS: FAILED, " + strings.Join(c.Errors, "; ")
	}
	return reply{text: fmt.Sprintf("Done: image %q, seq %d.", c.Image, c.Seq), data: data, remark: fmt.Sprintf("Checkpoint %q; %s.", c.Name, there)}, nil
}

// restoreAnswer is contract P25.
type restoreAnswer struct {
	Root          string   `json:"root"`
	Seq           uint64   `json:"seq"`
	Source        string   `json:"source"`
	RestoredFiles []string `json:"restored_files"`
}

func restoreMemory(ctx context.Context, svc api.Service, req api.RestoreRequest, in extra) (reply, error) {
	req.From, req.CID = strings.ToLower(in.Source), in.CID
	if req.From == "ipfs" && in.CID == "" {
		return reply{}, misuse("restoring from IPFS needs a cid")
	}
	r, err := api.OpRestore.Call(ctx, svc, req)
	if err != nil {
		return reply{}, err
	}
	return reply{
		data:   restoreAnswer{Root: r.Root, Seq: r.Seq, Source: r.Source, RestoredFiles: r.RestoredFiles},
		remark: fmt.Sprintf("Restored %q: seq %d, %d files written, %d removed.", r.Name, r.Seq, len(r.RestoredFiles), len(r.RemovedFiles)),
	}, nil
}
