// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/view"
)

// The events that Fovea itself handles. Skills can handle these and any others.
const (
	Heartbeat     = "heartbeat"      // the daemon writes what makes the next opening fast
	ManualPersist = "manual-persist" // the owner wants a checkpoint
	PointUpdate   = "point-update"   // an editor or an agent begins to work on a node
	BufferUpdate  = "buffer-update"  // an editor has unsaved changes, see OpBufferUpdate
)

// OpEvent reports an event.
var OpEvent = Define(Operation{Name: "event", Group: "agents", Effect: Writes,
	Summary: "Report an event, and list the skills that handle it"}, answerEvent)

// EventRequest is an event, by the name that skills list as a trigger.
type EventRequest struct {
	Event  string `json:"event" jsonschema:"heartbeat, manual-persist, point-update, or a trigger of skills" arg:"NAME"`
	Action string `json:"action,omitempty" jsonschema:"what to do about it; Fovea passes it on unchanged" flag:"<TEXT> that says what to do, passed on unchanged"`

	// For point-update, the node that the agent now works on, under any of these keys.
	Focus       string `json:"focus,omitempty" jsonschema:"of point-update: what the agent works on now, as in show" flag:"of point-update: the <NODE> worked on"`
	FovealFocus string `json:"foveal_focus,omitempty" jsonschema:"another name for focus, which goes before it"`
	Payload     struct {
		TargetID string `json:"target_id,omitempty" jsonschema:"another name for focus, which goes before it"`
	} `json:"payload,omitzero" jsonschema:"another place for the focus"`
}

// EventResponse lists the skills that handle an event, without locked ones. Checkpoint is nil unless the built-in skill made one.
type EventResponse struct {
	Event      string      `json:"event" jsonschema:"its name"`
	Action     string      `json:"action,omitempty" jsonschema:"of the request, unchanged"`
	Skills     []string    `json:"skills" jsonschema:"those that handle it, by priority"`
	Focus      string      `json:"focus,omitempty" jsonschema:"of point-update, the id of the node that the agent works on now"`
	Checkpoint *Checkpoint `json:"checkpoint,omitempty" jsonschema:"of manual-persist, what the built-in skill made"`
}

func answerEvent(ctx context.Context, l *Local, req EventRequest) (*EventResponse, error) {
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	hear, words := hearers(ctx, l, v, req.Event)
	out := &EventResponse{Event: req.Event, Action: req.Action, Skills: hear}
	persists := slices.Contains(hear, "state-persistence") // the built-in skill that Fovea performs itself
	switch {
	case req.Event == PointUpdate:
		name := cmp.Or(req.Focus, req.FovealFocus, req.Payload.TargetID)
		if name == "" {
			return nil, fault.Invalidf("event", "point-update names what is being worked on: give focus, foveal_focus or payload.target_id")
		}
		out.Focus, err = l.setFocus(ctx, v, name)
	case req.Event == BufferUpdate:
		err = fault.Invalidf("event", "a buffer is held for a client while its stream of events is open: send it to POST /v1/buffer-update; "+
			"a tree of it goes to fovea ingest --ast FILE --session ID")
	case req.Event == Heartbeat && persists:
		err = l.Memex.History().Heartbeat(ctx)
	case persists:
		out.Checkpoint, err = OpCheckpoint.Call(ctx, l.Call.Within(l.Serve), CheckpointRequest{})
	case len(hear) == 0:
		err = fault.Invalidf("event", "%q is not an event; the events are %s", req.Event, strings.Join(words, ", "))
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// hearers returns the names of the skills that handle an event, by priority, and all events.
func hearers(ctx context.Context, l *Local, v *view.View, event string) (names, events []string) {
	names, events = []string{}, []string{Heartbeat, ManualPersist, PointUpdate, BufferUpdate}
	for _, s := range l.Memex.Folder().Skills(ctx, v).Skills {
		if slices.Contains(s.Triggers, event) {
			names = append(names, s.Name)
		}
		events = append(events, s.Triggers...)
	}
	slices.Sort(events)
	return names, slices.Compact(events)
}
