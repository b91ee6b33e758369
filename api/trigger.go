// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"errors"
	"slices"
)

// TriggerRequest is an event, by the word that skills have among their triggers,
// and what is to be done about it, which is data to Fovea.
type TriggerRequest struct {
	Event  string `json:"event" jsonschema:"the word that skills have among their triggers" arg:"EVENT"`
	Action string `json:"action,omitempty" jsonschema:"what is to be done about it; data to Fovea" flag:"<TEXT> that says what is to be done, handed on as it is"`
}

// Triggered is the answer to an event. Skills are those that answer to it, by
// priority, without what is locked down; Action is the request's, unchanged, for
// them. Checkpoint is what the built-in skill made, nil where it does not answer.
type Triggered struct {
	Event      string      `json:"event" jsonschema:"the word that skills have among their triggers"`
	Action     string      `json:"action,omitempty" jsonschema:"of the request, unchanged"`
	Skills     []string    `json:"skills" jsonschema:"those that answer to it, by priority"`
	Checkpoint *Checkpoint `json:"checkpoint,omitempty" jsonschema:"what the built-in skill made, where it answers"`
}

// statePersistence is the built-in skill that Fovea itself carries out.
const statePersistence = "state-persistence"

// Trigger makes a checkpoint where state-persistence answers to the event; one that
// is there already is not written again.
func answerEvent(ctx context.Context, l *Local, req TriggerRequest) (*Triggered, error) {
	if req.Event == "" {
		return nil, invalid("trigger", errors.New("name the event, such as heartbeat or manual-persist"))
	}
	v, err := l.reading(ctx)
	if err != nil {
		return nil, err
	}
	out := &Triggered{Event: req.Event, Action: req.Action, Skills: []string{}}
	for _, s := range l.memex.Folder().Skills(v).Skills {
		if slices.Contains(s.Triggers, req.Event) {
			out.Skills = append(out.Skills, s.Name)
		}
	}
	if slices.Contains(out.Skills, statePersistence) {
		out.Checkpoint, err = writeCheckpoint(ctx, l, CheckpointRequest{})
	}
	return out, err
}
