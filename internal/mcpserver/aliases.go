// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/api"
)

// addAliases accepts the tools that the specification calls by other names, with
// its parameters. They are not listed: a model would pay for them in every window.
func (s *Server) addAliases() {
	add(s, "semantic-search", "Search", reads, "As recall, mode semantic.", semanticSearch)
	add(s, "checkpoint-memory", "Checkpoint", adds, "As history, action checkpoint.", checkpointMemory)
	add(s, "restore-memory", "Restore", sets, "As rollback, action restore.", restoreMemory)
	for _, name := range []string{"semantic-search", "checkpoint-memory", "restore-memory"} {
		s.hidden[name] = true
	}
}

type semanticSearchInput struct {
	Query         string   `json:"query"`
	Limit         int      `json:"limit,omitempty"`
	MinSimilarity *float64 `json:"min-similarity,omitempty"`
}

func semanticSearch(ctx context.Context, svc api.Service, in semanticSearchInput) (reply, error) {
	req := api.SearchRequest{Text: in.Query, Limit: in.Limit, MinSimilarity: 0.5}
	if req.Limit == 0 {
		req.Limit = 10
	}
	if in.MinSimilarity != nil {
		req.MinSimilarity = *in.MinSimilarity
	}
	return searchTool(ctx, svc, req, "semantic")
}

// checkpointAnswer is contract P24. Sealed and cid belong to archives, which do
// not exist yet.
type checkpointAnswer struct {
	Image  string   `json:"image"`
	Seq    uint64   `json:"seq"`
	Root   string   `json:"root"`
	CID    *string  `json:"cid"`
	Sealed bool     `json:"sealed"`
	Errors []string `json:"errors"`
}

func checkpointMemory(ctx context.Context, svc api.Service, _ struct{}) (reply, error) {
	c, err := api.OpCheckpoint.Call(ctx, svc, api.CheckpointRequest{})
	if err != nil {
		return reply{}, err
	}
	return reply{
		text: fmt.Sprintf("Checkpoint %q: image %q, seq %d; no IPFS is set up.", c.Name, c.Image, c.Seq),
		data: checkpointAnswer{Image: c.Image, Seq: c.Seq, Root: c.Root, Errors: []string{}},
	}, nil
}

type restoreMemoryInput struct {
	Source string `json:"source,omitempty" jsonschema:"LOCAL or IPFS"`
	CID    string `json:"cid,omitempty"`
}

// restoreAnswer is contract P25.
type restoreAnswer struct {
	Root          string   `json:"root"`
	Seq           uint64   `json:"seq"`
	Source        string   `json:"source"`
	RestoredFiles []string `json:"restored_files"`
}

func restoreMemory(ctx context.Context, svc api.Service, in restoreMemoryInput) (reply, error) {
	source := strings.ToLower(in.Source)
	if source == "ipfs" && in.CID == "" {
		return reply{}, misuse("restoring from IPFS needs a cid")
	}
	r, err := api.OpRestore.Call(ctx, svc, api.RestoreRequest{From: source})
	if err != nil {
		return reply{}, err
	}
	return reply{
		text: fmt.Sprintf("Restored %q: seq %d, %d files written, %d removed.", r.Name, r.Seq, len(r.RestoredFiles), len(r.RemovedFiles)),
		data: restoreAnswer{Root: r.Root, Seq: r.Seq, Source: r.Source, RestoredFiles: r.RestoredFiles},
	}, nil
}
