// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/merkle"
)

// OpDrift lists and ends drift.
var OpDrift = Define(Operation{Name: "drift", Scan: true, Group: "history", Effect: Mends,
	Summary: "List the files that differ from memory on purpose, or end that"}, settleDrift)

// DriftRequest is about files that differ from memory on purpose, such as after a rollback of memory only.
type DriftRequest struct {
	Action string   `json:"action,omitempty" jsonschema:"list (the default); adopt, memory takes what the files hold; apply, the files get what memory has"`
	Paths  []string `json:"paths,omitempty" jsonschema:"below the memex; none means all" arg:"FILE..."`
}

// DriftResponse lists the files that differ, or that this request brought into line. If the request is
// repeated, the digests are empty.
type DriftResponse struct {
	Seq   uint64    `json:"seq" jsonschema:"of the commit that ended it, else of the newest"`
	Drift []Drifted `json:"drift" jsonschema:"files that differ, or that no longer do"`
}

// Drifted is a file that differs from memory on purpose, with both digests; "" for no file.
type Drifted struct {
	Path   string `json:"path" jsonschema:"the file, below the memex"`
	File   string `json:"file" jsonschema:"the digest of its bytes, empty for no file"`
	Memory string `json:"memory" jsonschema:"the digest of what memory has, empty for no file"`
}

func settleDrift(ctx context.Context, l *Local, req DriftRequest) (*DriftResponse, error) {
	paths := each(req.Paths, l.Below)
	all := l.History().Drift()
	var c fovea.Commit
	var err error
	switch req.Action {
	case "", "list":
		paths = drifting(all, paths)
	case "adopt":
		c, paths, err = l.History().AdoptDrift(ctx, l.Write(), paths...)
	case "apply":
		paths, err = l.History().ApplyDrift(ctx, paths...)
	default:
		err = fault.Invalidf("drift", "no action is named %q: there are list, adopt and apply", req.Action)
	}
	if err != nil {
		return nil, err
	}
	if c.Seq == 0 {
		c = l.On.View().Head()
	}
	out := &DriftResponse{Seq: c.Seq, Drift: make([]Drifted, len(paths))}
	for i, path := range paths {
		out.Drift[i] = Drifted{path, DigestText(all[path][0]), DigestText(all[path][1])}
	}
	return out, nil
}

// drifting lists the drifting files in paths, sorted; all of them if there are no paths.
func drifting(all map[string][2]merkle.Digest, paths []string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(path string) bool {
		return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return inside(path, p) })
	})
}

// DigestText returns a digest as text, "" for the zero digest.
func DigestText(d merkle.Digest) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}
