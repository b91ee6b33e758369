// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/fovea-memory/fovea/internal/recall"
)

// ByMeaning returns the view that ranks for one request by meaning too or, if only is set,
// by nothing else. O(1).
func (v *View) ByMeaning(m recall.Meaning, only bool) *View {
	asked := *v
	asked.meaning, asked.onlyMeaning = &m, only
	return &asked
}

// ByFeedback returns the view that ranks also by what feedback has taught. O(1).
func (v *View) ByFeedback(m recall.Model) *View {
	if !m.On() {
		return v
	}
	taught := *v
	taught.learned = m
	return &taught
}

// AskedBy returns the view in which I is an agent, not the owner; "" is the owner. O(1).
func (v *View) AskedBy(agent string) *View {
	if agent == "" {
		return v
	}
	asked := *v
	asked.caller = []string{agent}
	return &asked
}

// Ranks returns what feedback on a question is learned from: the nodes that are found for it, at most
// 200, best first, with their scores as if nothing had been learned.
func (v *View) Ranks(text string) []recall.Rankable { return v.recall().Ranks(text) }

// rankers returns what nodes are ranked by.
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
