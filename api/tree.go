// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/view"
)

// IngestTreeRequest has an AST that is in no file, or that of an unsaved buffer.
type IngestTreeRequest struct {
	AST    json.RawMessage `json:"ast" jsonschema:"an object of type, properties, contents and raw-content, see doc/format/ast.md"`
	Parent string          `json:"parent,omitempty" jsonschema:"the node to hang it below, named as in show; empty keeps the place of a known one"`
	Scope  string          `json:"scope,omitempty" jsonschema:"memex, project/NAME or session/ID; project and session alone are the call's; empty is the AST's"`
}

// IngestTreeResponse describes the root of an AST. Seq is 0 if memory had the same AST already.
type IngestTreeResponse struct {
	EditResponse
	Root    string `json:"root" jsonschema:"of the scope"`
	Scope   string `json:"scope" jsonschema:"memex, project/NAME or session/ID"`
	Changes int    `json:"changes" jsonschema:"nodes that came, changed or left"`
}

func ingestTree(ctx context.Context, l *Local, req IngestTreeRequest) (*IngestTreeResponse, error) {
	t, err := ast.DecodeTree(req.AST)
	if err != nil {
		return nil, invalid("ingest", err)
	}
	switch {
	case t.Scope == "":
		t.Scope = req.Scope
	case req.Scope != "" && req.Scope != t.Scope:
		return nil, fault.Invalidf("ingest", "the AST is of the scope %s, the request of %s", t.Scope, req.Scope)
	}
	if t.Scope == "" && len(l.Over) > 0 {
		t.Scope = l.Over[len(l.Over)-1]
	}
	if err := nameScope(ctx, l, t); err != nil {
		return nil, err
	}
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	parent := ""
	if req.Parent != "" {
		on, err := l.InScope(ctx, t.Scope)
		if err != nil {
			return nil, Named(err, "ingest")
		}
		n, err := l.Find(view.Of(on.On.View()), "ingest", req.Parent)
		if err != nil {
			return nil, err
		}
		parent = n.ID
	}
	in, id, c, err := l.Memex.IngestTree(ctx, t, parent, l.Write())
	if err != nil {
		return nil, err
	}
	l.On = in
	v := in.View()
	out := &IngestTreeResponse{EditResponse: *editResponse(l, id, c), Root: v.Root().String(), Changes: c.Changes}
	if n, ok := v.Get(id); ok {
		out.Scope = v.Scope(n)
	}
	return out, nil
}

// nameScope replaces "session" or "project" alone by the scope of the call; the default session is that of the agent.
func nameScope(ctx context.Context, l *Local, t *ast.Tree) error {
	bare, name := t.Scope, ""
	switch of := l.Scopes(ctx); bare {
	case "session":
		name = cmp.Or(of.Session, author.AgentOf(ctx))
	case "project":
		name = of.Project
	default:
		return nil
	}
	if name == "" {
		return fault.Invalidf("ingest", "the call is in no %s; name one with --%[1]s, or give %[1]s/NAME as the scope", bare)
	}
	t.Scope = bare + "/" + name
	return nil
}
