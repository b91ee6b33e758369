// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea/api"
)

type rememberInput struct {
	Title      string            `json:"title" jsonschema:"one line"`
	Body       string            `json:"body,omitempty" jsonschema:"Org text below the title, no headlines"`
	Under      string            `json:"under,omitempty" jsonschema:"id of a note or path of an .org file; default: your inbox"`
	Todo       string            `json:"todo,omitempty"`
	Tags       []string          `json:"tags,omitempty"`
	Priority   string            `json:"priority,omitempty"`
	Scheduled  string            `json:"scheduled,omitempty" jsonschema:"2026-03-01"`
	Deadline   string            `json:"deadline,omitempty"`
	Properties map[string]string `json:"properties,omitempty"`
}

func rememberTool(ctx context.Context, svc api.Service, in rememberInput) (reply, error) {
	e, err := api.OpRemember.Call(ctx, svc, api.RememberRequest{
		Title: in.Title, Body: in.Body, Under: in.Under, Todo: in.Todo, Tag: in.Tags, Priority: in.Priority,
		Schedule: in.Scheduled, Deadline: in.Deadline, Property: pairs(in.Properties),
	})
	if err == nil && e.Known {
		return reply{text: fmt.Sprintf("Known already: id %q, digest %s. Nothing was written.", e.ID, e.Digest), data: e}, nil
	}
	r, err := written(e, err)
	if err == nil && len(e.Similar) > 0 {
		r.text += fmt.Sprintf(" Similar notes, at least %.0f%% of the words in common: %q.", 100*e.SimilarFrom, e.Similar)
	}
	return r, err
}

// editInput names the changes. Fields that are absent change nothing, "" takes a
// value away.
type editInput struct {
	ID         string            `json:"id" jsonschema:"id, title or FILE:LINE"`
	Base       string            `json:"base,omitempty" jsonschema:"digest as read"`
	Title      *string           `json:"title,omitempty"`
	Todo       *string           `json:"todo,omitempty" jsonschema:"empty removes"`
	Priority   *string           `json:"priority,omitempty"`
	AddTags    []string          `json:"add_tags,omitempty"`
	RemoveTags []string          `json:"remove_tags,omitempty"`
	Properties map[string]string `json:"properties,omitempty" jsonschema:"to set"`
	Unset      []string          `json:"unset,omitempty" jsonschema:"properties to remove"`
	Scheduled  *string           `json:"scheduled,omitempty"`
	Deadline   *string           `json:"deadline,omitempty"`
	Body       *string           `json:"body,omitempty" jsonschema:"replaces the text"`
	Append     *string           `json:"append,omitempty"`
	Check      []int             `json:"check,omitempty" jsonschema:"lines of items"`
	Uncheck    []int             `json:"uncheck,omitempty"`
	RefileTo   string            `json:"refile_to,omitempty" jsonschema:"alone"`
}

func editTool(ctx context.Context, svc api.Service, in editInput) (reply, error) {
	req := api.EditRequest{
		ID: in.ID, Base: in.Base, Title: in.Title, Todo: in.Todo, Priority: in.Priority, Tag: in.AddTags, Untag: in.RemoveTags,
		Property: pairs(in.Properties), RemoveProperty: in.Unset, Schedule: in.Scheduled, Deadline: in.Deadline,
		Body: in.Body, Append: in.Append, Check: in.Check, Uncheck: in.Uncheck,
	}
	if in.RefileTo == "" {
		return written(api.OpEdit.Call(ctx, svc, req))
	}
	if in.changesFields() {
		return reply{}, misuse("refile_to cannot be combined with other changes; change the fields in another call")
	}
	return written(api.OpRefile.Call(ctx, svc, api.MoveRequest{ID: in.ID, To: in.RefileTo, Base: in.Base}))
}

// changesFields reports whether an edit asks for more than a move.
func (in editInput) changesFields() bool {
	for _, field := range []*string{in.Title, in.Todo, in.Priority, in.Scheduled, in.Deadline, in.Body, in.Append} {
		if field != nil {
			return true
		}
	}
	return len(in.AddTags)+len(in.RemoveTags)+len(in.Properties)+len(in.Unset)+len(in.Check)+len(in.Uncheck) > 0
}

type forgetInput struct {
	ID   string `json:"id"`
	Base string `json:"base,omitempty" jsonschema:"digest as read"`
}

func forgetTool(ctx context.Context, svc api.Service, in forgetInput) (reply, error) {
	e, err := api.OpForget.Call(ctx, svc, api.MoveRequest{ID: in.ID, Base: in.Base})
	if err != nil {
		return reply{}, err
	}
	return reply{text: fmt.Sprintf("Forgotten as of seq %d; rollback brings it back.", e.Seq), data: e}, nil
}

// written answers a change of one note.
func written(e *api.EditResponse, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	if e.Digest == "" {
		return reply{text: fmt.Sprintf("Done: id %q, seq %d; the note is not there any more.", e.ID, e.Seq), data: e}, nil
	}
	if e.Seq == 0 {
		return reply{text: fmt.Sprintf("Nothing to change: id %q, digest %s.", e.ID, e.Digest), data: e}, nil
	}
	return reply{text: fmt.Sprintf("Done: id %q, digest %s, seq %d, %q line %d.", e.ID, e.Digest, e.Seq, e.Path, e.Line), data: e}, nil
}

// pairs writes properties as api takes them, KEY=VALUE, in one order.
func pairs(properties map[string]string) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		out = append(out, key+"="+properties[key])
	}
	return out
}
