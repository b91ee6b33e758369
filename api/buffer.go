// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"path"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/text"
)

// OpBufferUpdate receives the state of an editor's buffer.
var OpBufferUpdate = Define(Operation{Name: BufferUpdate, Effect: Writes,
	Summary: "Hold the file of a buffer with unsaved changes, and show its text to the owner in a session"}, updateBuffer)

// BufferRequest is the state of an editor's buffer. Without Text and Modified, it was saved or closed.
type BufferRequest struct {
	Client   string  `json:"client" jsonschema:"the name that the event client of an open stream of events gave"`
	Path     string  `json:"path" jsonschema:"the file that the buffer visits, absolute or below the memex"`
	Buffer   string  `json:"buffer,omitempty" jsonschema:"the name of the buffer in the editor, for messages; by default the name of the file"`
	Text     *string `json:"text,omitempty" jsonschema:"the whole text with its unsaved changes; without it, and without modified, the hold ends"`
	Modified bool    `json:"modified,omitempty" jsonschema:"there are unsaved changes; without text, what was sent before stays"`
}

// BufferResponse reports whether the memory holds a buffer and shows its text.
type BufferResponse struct {
	Path   string   `json:"path" jsonschema:"the file, below the memex"`
	Held   bool     `json:"held" jsonschema:"writes to the file through Fovea are refused"`
	Shown  bool     `json:"shown" jsonschema:"requests of the owner in the session see the text"`
	Why    string   `json:"why,omitempty" jsonschema:"why the text is not shown"`
	Skills []string `json:"skills" jsonschema:"those that handle buffer-update, by priority"`
}

// maxName is the largest number of characters kept of the name of a buffer or a scope.
const maxName = 100

func updateBuffer(ctx context.Context, l *Local, req BufferRequest) (*BufferResponse, error) {
	if !l.ByOwner(ctx) || author.AgentOf(ctx) != "" {
		return nil, fault.Errorf(BufferUpdate, "", fault.Denied, "only the owner has buffers")
	}
	held := l.Memex.Folder().Buffers()
	if held == nil {
		return nil, fault.Invalidf(BufferUpdate, "a buffer is held by a daemon while a stream of its events is open; fovea serve starts one")
	}
	at, parsed, err := l.Memex.Folder().Locate(req.Path)
	if err != nil {
		return nil, fault.Wrap(BufferUpdate, req.Path, fault.Invalid, err)
	}
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	out := &BufferResponse{Path: at.Path}
	out.Skills, _ = hearers(ctx, l, v, BufferUpdate)
	if req.Text == nil && !req.Modified {
		if err = held.Drop(req.Client, at.Real); err != nil {
			err = invalid(BufferUpdate, err)
		}
		return out, err
	}
	b := corpus.Buffer{
		Path: at.Path, Real: at.Real, Session: l.Scopes(ctx).Session,
		Name: text.Truncate(text.Line(cmp.Or(req.Buffer, path.Base(at.Path))), maxName),
	}
	if out.Why = unshown(l, at, parsed, b.Session); req.Text != nil && out.Why == "" {
		b.Text, b.Shown = *req.Text, true
	}
	if b, err = held.Put(req.Client, b, req.Text == nil); err != nil {
		return nil, fault.Wrap(BufferUpdate, at.Path, fault.Invalid, err)
	}
	if out.Held, out.Shown = true, b.Shown; b.Shown {
		out.Why = ""
	} else if out.Why == "" {
		out.Why = "its text was not sent"
	}
	return out, nil
}

// unshown returns why no session shows the text of a buffer, "" if one does.
func unshown(l *Local, at corpus.Place, parsed bool, session string) string {
	guard := l.Memex.Guard()
	switch {
	case session == "":
		return "the request names no session; send the header " + HeaderSession
	case guard.Protected(at.Path) || guard.Protected(at.Real):
		return "the file is protected"
	case !parsed:
		return "no format reads the file"
	}
	return ""
}
