// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/fovea-memory/fovea/api"
)

// rememberTool keeps a note, or sends a message.
func rememberTool(ctx context.Context, svc api.Service, req api.RememberRequest, in extra) (reply, error) {
	if in.To != "" || in.Thread != "" {
		return sendTool(ctx, svc, req, in)
	}
	e, err := api.OpRemember.Call(ctx, svc, req)
	if err != nil {
		return reply{}, err
	}
	return remembered(req, e), nil
}

func remembered(req api.RememberRequest, e *api.EditResponse) reply {
	if e.Proposal != "" {
		return written(req, e)
	}
	if e.Known {
		return reply{text: fmt.Sprintf("Known already: id %q, digest %s.", e.Handle, e.Digest), data: e, remark: "Nothing was written: this note is there already."}
	}
	r := written(req, e)
	if len(e.Similar) > 0 {
		r.remark = fmt.Sprintf("Similar notes, at least %.0f%% of the words in common: %q. Next: read them; where one says the same, edit it and forget this one.",
			100*e.SimilarFrom, e.Similar)
	}
	return r
}

// editTool changes fields of a node, or moves it.
func editTool(ctx context.Context, svc api.Service, req api.EditRequest, in extra) (reply, error) {
	var e *api.EditResponse
	var err error
	only := api.EditRequest{ID: req.ID, Base: req.Base}
	switch {
	case in.Task != "" || in.Claim != 0 || in.Lease != "":
		if !reflect.DeepEqual(req, api.EditRequest{ID: req.ID}) || in.RefileTo != "" {
			return reply{}, misuse("task cannot be combined with other changes; change the fields in another call")
		}
		return taskTool(ctx, svc, req.ID, in)
	case in.RefileTo == "":
		e, err = api.OpEdit.Call(ctx, svc, req)
	case !reflect.DeepEqual(req, only):
		return reply{}, misuse("refile_to cannot be combined with other changes; change the fields in another call")
	default:
		e, err = api.OpRefile.Call(ctx, svc, api.MoveRequest{ID: req.ID, To: in.RefileTo, Base: req.Base})
	}
	if err != nil {
		return reply{}, err
	}
	return written(req, e), nil
}

func forgotten(req api.MoveRequest, e *api.EditResponse) reply {
	if e.Proposal != "" {
		return written(req, e)
	}
	return reply{data: e, remark: strings.TrimSpace(fmt.Sprintf("Forgotten as of seq %d; rollback brings it back. %s", e.Seq, e.Doubled))}
}

// written answers a change of one note.
func written[Q any](_ Q, e *api.EditResponse) reply {
	switch {
	case e.Proposal != "":
		return reply{text: fmt.Sprintf("Kept as proposal %q for %q.", e.Proposal, e.Path), data: e,
			remark: "Nothing is written until the owner accepts it. fovea://review lists your proposals, history withdraw takes one back."}
	case e.Digest == "":
		return reply{text: fmt.Sprintf("Done: id %q, seq %d.", e.ID, e.Seq), data: e, remark: "The note is not there any more."}
	case len(e.Unseen) > 0:
		return reply{text: fmt.Sprintf("Done: id %q, digest %s, seq %d. Others have changed it since this session saw it, each line after + or -:\n",
			e.Handle, e.Digest, e.Seq) + fenced(strings.Join(e.Unseen, "\n"))}
	case e.Seq == 0:
		return reply{text: fmt.Sprintf("Done: id %q, digest %s.", e.Handle, e.Digest), data: e, remark: "There was nothing to change."}
	}
	return reply{text: fmt.Sprintf("Done: id %q, digest %s, seq %d, %q line %d.", e.Handle, e.Digest, e.Seq, e.Path, e.Line), data: e, remark: e.Doubled}
}
