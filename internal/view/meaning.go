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

// rankers returns what nodes are ranked by.
func (v *View) rankers() []recall.Ranker {
	switch {
	case v.meaning == nil:
		return recall.Rankers()
	case v.onlyMeaning:
		return []recall.Ranker{*v.meaning}
	}
	return append(recall.Rankers(), *v.meaning)
}
