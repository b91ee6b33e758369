// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/fovea-memory/fovea/internal/recall"
)

// ByMeaning returns a view that ranks for one request also by meaning, or only by meaning. O(1).
func (v *View) ByMeaning(m recall.Meaning, only bool) *View {
	asked := *v
	asked.meaning, asked.onlyMeaning = &m, only
	return &asked
}

// ByFeedback returns a view that also ranks by a model learned from feedback. O(1).
func (v *View) ByFeedback(m recall.Model) *View {
	if !m.On() {
		return v
	}
	taught := *v
	taught.learned = m
	return &taught
}

// AskedBy returns a view in which the word I means an agent; for "" it means the owner. O(1).
func (v *View) AskedBy(agent string) *View {
	if agent == "" {
		return v
	}
	asked := *v
	asked.caller = []string{agent}
	return &asked
}

// Ranks returns the data from which feedback on a question is learned: at most 200 found nodes, best
// first, with their scores without learning.
func (v *View) Ranks(text string) []recall.Rankable { return v.recall().Ranks(text) }

// rankers returns the arms that rank nodes.
func (v *View) rankers() []recall.Ranker {
	if v.onlyMeaning {
		return []recall.Ranker{*v.meaning}
	}
	all := recall.Rankers(v.caller)
	if v.meaning != nil {
		all = append(all, *v.meaning)
	}
	if v.learned != nil {
		all = append(all, recall.Learned{Model: v.learned})
	}
	return all
}
