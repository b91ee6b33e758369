// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package feedback

import (
	"context"
	"maps"
	"slices"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/feedback"
	"github.com/fovea-memory/fovea/internal/recall"
)

// LearnedStatus is what was learned.
type LearnedStatus struct {
	On      bool            `json:"on" jsonschema:"something that was learned ranks"`
	Entries int             `json:"entries" jsonschema:"how many are kept"`
	Owner   int             `json:"owner" jsonschema:"of those, by the owner"`
	Useful  int             `json:"useful" jsonschema:"how often a note was called useful"`
	Not     int             `json:"not" jsonschema:"how often a note was called not useful"`
	Regions []LearnedRegion `json:"regions" jsonschema:"each top folder learns by itself"`
}

// LearnedRegion is what was learned of one part of the memex.
type LearnedRegion struct {
	Folder  string             `json:"folder" jsonschema:"the top folder; empty for the files beside the folders, /memory for what is in no file"`
	On      bool               `json:"on" jsonschema:"it ranks"`
	Why     string             `json:"why,omitempty" jsonschema:"it does not rank"`
	Events  int                `json:"events" jsonschema:"how many questions tell its notes apart"`
	Held    int                `json:"held" jsonschema:"by how many of them, held back, it was decided whether it ranks"`
	Owner   int                `json:"owner" jsonschema:"of those held back, by the owner; with 0, agents alone taught it"`
	Gain    float64            `json:"gain" jsonschema:"of nDCG among those"`
	Error   float64            `json:"error" jsonschema:"standard error of the gain"`
	Weights map[string]float64 `json:"weights" jsonschema:"that were learned, from -1/3 to 1/3: what a share of an arm, or a habit of notes, counts more"`
}

// ResetResponse says what was forgotten.
type ResetResponse struct {
	Seq     uint64 `json:"seq" jsonschema:"of the commit, in the history of the session; 0 if there was nothing"`
	Session string `json:"session" jsonschema:"that kept feedback: revert the commit there to bring it back"`
}

func status(ctx context.Context, a api.Access, _ api.None) (*LearnedStatus, error) {
	log := fovea.WindowsOf(a.Memex).Feedback()
	all, err := log.Entries(ctx)
	if err != nil {
		return nil, err
	}
	model := log.Model(ctx)
	s := &LearnedStatus{On: model.On(), Entries: len(all), Regions: []LearnedRegion{}}
	for _, e := range all {
		if e.By == feedback.Owner {
			s.Owner++
		}
		s.Useful, s.Not = s.Useful+e.Useful(), s.Not+e.Against()
	}
	for _, name := range slices.Sorted(maps.Keys(model)) {
		m := model[name]
		r := LearnedRegion{
			Folder: name, On: m.On, Why: m.Why, Events: m.Events, Held: m.Held, Owner: m.Owner, Gain: m.Gain, Error: m.Error, Weights: map[string]float64{},
		}
		for k, w := range m.Weights {
			if w != 0 {
				r.Weights[recall.FeatureNames[k]] = w
			}
		}
		s.Regions = append(s.Regions, r)
	}
	return s, nil
}

func reset(ctx context.Context, a api.Access, _ api.None) (*ResetResponse, error) {
	if err := fault.Wrap("feedback", "", fault.ReadOnly, a.Memex.Writable()); err != nil {
		return nil, err
	}
	c, err := fovea.WindowsOf(a.Memex).Feedback().Reset(ctx, a.Write())
	return &ResetResponse{c.Seq, sessionName}, err
}
