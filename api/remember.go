// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
)

// inbox is the file for notes that name no other place.
const inbox = "inbox.org"

func rememberNote(ctx context.Context, l *Local, req RememberRequest) (*EditResponse, error) {
	props, err := properties(req.Property)
	if err == nil && strings.TrimSpace(req.Title+req.Body) == "" {
		err = errors.New("there is nothing to remember; give a title, a text or both")
	}
	if err != nil {
		return nil, invalid("remember", err)
	}
	if req.IDPrefix {
		props = append([]document.Property{{Key: "ID", Value: "id-" + uuid.NewString()}}, props...)
	}
	v, err := l.View(ctx)
	if err != nil {
		return nil, err
	}
	under := l.Below(cmp.Or(req.Under, inbox))
	if file := FileIn(under); file != "" {
		if !fs.ValidPath(file) {
			return nil, fault.Wrap("remember", under, fault.Invalid, errors.New("not a path inside the memex; name a file in it, such as "+inbox))
		}
		scope := l.Memex.ScopeOfFile(file)
		if g := author.GrantOf(ctx); !g.Reaches(scope) {
			err = fmt.Errorf("is a file of %s, a scope that this token does not cover", scope)
			return nil, fault.Wrap("remember", file, fault.Denied, err)
		}
		l, err = l.InScope(ctx, scope)
	} else {
		n, failed := v.Resolve(under)
		if failed != nil {
			return nil, Named(failed, "remember")
		}
		under = n.ID
		l, err = l.InScope(ctx, v.Scope(n))
	}
	if err != nil {
		return nil, err
	}
	c, id, similar, err := l.On.Notes().Remember(ctx, under, document.InsertHeadline{
		Title: req.Title, Todo: req.Todo, Priority: req.Priority, Tags: req.Tag, Properties: props,
		Scheduled: req.Schedule, Deadline: req.Deadline, Body: req.Body,
	}, l.Write())
	if err != nil {
		return nil, named(err, "remember", under, cmp.Or(req.Under, inbox))
	}
	out := editResponse(l, id, c)
	out.Known = c.Seq == 0 && c.Would == nil && id != "" // a dry run has no id for what it did not write
	if r, ok := readerOf(ctx, l); ok && c.Seq != 0 {
		err = completeChange(ctx, l, r, out, true)
	}
	if len(similar) > 0 {
		out.Similar, out.SimilarFrom = similar, fovea.SimilarFrom
	}
	return out, err
}

// FileIn returns the Org file that a place names, or inbox.org in the folder that it names; the file need not
// exist. It returns "" for the name of a node.
func FileIn(under string) string {
	switch {
	case strings.HasSuffix(under, "/"):
		return path.Join(under, inbox)
	case document.IsOrgPath(under):
		return under
	}
	return ""
}
