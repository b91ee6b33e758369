// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/view"
)

// BlameRequest asks which commit added each line of a node's own text.
type BlameRequest struct {
	ID string `json:"id" jsonschema:"the node: id, title, path, FILE:LINE or FILE:+BYTE" arg:"NODE" mcp:""`
}

// BlameResponse is a node's own text line by line. Lines that a commit in Gone added are attributed to the next commit.
type BlameResponse struct {
	ID    string   `json:"id" jsonschema:"the id of the node"`
	Path  string   `json:"path" jsonschema:"the file, below the memex"`
	Lines []Blamed `json:"lines" jsonschema:"its own text, line by line"`
	Gone  []Commit `json:"gone" jsonschema:"commits whose text history no longer has"`
}

// Blamed is a line and the commit that added it.
type Blamed struct {
	Line   int    `json:"line" jsonschema:"in the file, from 1"`
	Text   string `json:"text" jsonschema:"with its line end, and U+FFFD for what is not UTF-8"`
	Commit Commit `json:"commit" jsonschema:"that added the line"`
}

func blameNode(ctx context.Context, l *Local, req BlameRequest) (*BlameResponse, error) {
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	l, id, err := inHistory(ctx, l, v, req.ID)
	if err != nil {
		return nil, Named(err, "blame")
	}
	lines, by, gone, err := l.History().Blame(ctx, v, id)
	if err != nil {
		return nil, err
	}
	out := &BlameResponse{ID: id, Lines: make([]Blamed, len(lines)), Gone: each(gone, commit)}
	first := 1
	if n, ok := v.Get(id); ok {
		out.Path = n.Path
		_, first = v.Position(n)
	}
	for i, line := range lines {
		out.Lines[i] = Blamed{first + i, validText(line), commit(by[i])}
	}
	return out, nil
}

// inHistory returns the id of the node that a name means, now or formerly, and the service over the
// memory that has its history.
func inHistory(ctx context.Context, l *Local, v *view.View, name string) (on *Local, id string, err error) {
	id = l.Below(name)
	n, err := v.Resolve(id)
	switch {
	case err == nil:
		n = holder(v, n)
		on, err = l.InScope(ctx, v.Scope(n))
		return on, n.ID, err
	case fovea.KindOf(err) == fovea.Ambiguous, fovea.KindOf(err) == fovea.Locked:
		return nil, "", err
	}
	id, err = v.FormerID(id)
	return l, id, err
}
