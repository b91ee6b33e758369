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

// The events that Fovea itself answers to. Skills can answer to these and to any others.
const (
	Heartbeat     = "heartbeat"      // the daemon keeps the next opening quick
	ManualPersist = "manual-persist" // the owner wants a checkpoint
	PointUpdate   = "point-update"   // an editor or an agent works on a node from now on
	BufferUpdate  = "buffer-update"  // an editor has unsaved changes, see OpBufferUpdate
)

// statePersistence is the built-in skill that Fovea itself carries out.
const statePersistence = "state-persistence"

// OpEvent is an event.
var OpEvent = Define(Operation{Name: "event", Group: "agents", Effect: Writes,
	Summary: "Say that something happened, and name the skills that answer to it"}, answerEvent)

// EventRequest is an event, by the word that skills have among their triggers,
// and what is to be done about it, which is data to Fovea.
type EventRequest struct {
	Event  string `json:"event" jsonschema:"heartbeat, manual-persist, point-update, or a trigger of skills" arg:"NAME"`
	Action string `json:"action,omitempty" jsonschema:"what is to be done about it; data to Fovea" flag:"<TEXT> that says what is to be done, handed on as it is"`

	// Of point-update, the node that the agent works on from now on, by any of these names.
	Focus       string `json:"focus,omitempty" jsonschema:"of point-update: what the agent works on now, as in show" flag:"of point-update: the <NODE> worked on"`
	FovealFocus string `json:"foveal_focus,omitempty" jsonschema:"another name for focus, which goes before it"`
	Payload     struct {
		TargetID string `json:"target_id,omitempty" jsonschema:"another name for focus, which goes before it"`
	} `json:"payload,omitzero" jsonschema:"another place for the focus"`
}

// EventResponse is the answer to an event. Skills are those that answer to it, by
// priority, without what is locked down; Action is the request's, unchanged, for
// them. Checkpoint is what the built-in skill made, nil where it made none.
type EventResponse struct {
	Event      string      `json:"event" jsonschema:"its name"`
	Action     string      `json:"action,omitempty" jsonschema:"of the request, unchanged"`
	Skills     []string    `json:"skills" jsonschema:"those that answer to it, by priority"`
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
	persists := slices.Contains(hear, statePersistence)
	switch {
	case req.Event == PointUpdate:
		name := cmp.Or(req.Focus, req.FovealFocus, req.Payload.TargetID)
		if name == "" {
			return nil, fault.Invalidf("event", "point-update names what is being worked on: give focus, foveal_focus or payload.target_id")
		}
		out.Focus, err = l.SetFocus(ctx, v, name)
	case req.Event == BufferUpdate:
		err = fault.Invalidf("event", "a buffer is held for a client while its stream of events is open: send it to POST /v1/buffer-update; "+
			"a tree of it goes to fovea ingest --ast FILE --session ID")
	case req.Event == Heartbeat && persists:
		err = l.Memex.History().Heartbeat(ctx)
	case persists:
		out.Checkpoint, err = OpCheckpoint.Call(ctx, l.Call.Within(l.Serve), CheckpointRequest{})
	case len(hear) == 0:
		err = fault.Invalidf("event", "%q is no event; there are %s", req.Event, strings.Join(words, ", "))
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// hearers returns the names of the skills that answer to an event, by priority, and all events
// that there are.
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
