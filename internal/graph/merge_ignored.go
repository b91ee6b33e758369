// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"slices"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/node"
)

// KeepIgnored returns the state of one side of a merge with the documents, by their paths, that
// it lost since base only because its own ignore files name them now, and that the other side
// has: what one machine ignores is not deleted on another. A document whose headlines all
// live on in others has moved. It returns side itself if there is none. O(changes since base).
func KeepIgnored(base, side, other *State, now int64) (*State, []string) {
	var kept []string
	for _, path := range Diff(base, side).Paths {
		if _, had := base.Document(path); !had || document.IsMemory(path) {
			continue
		}
		if _, has := side.Document(path); has {
			continue
		}
		headlines := base.Nodes(path)[1:]
		if _, has := other.Document(path); !has || len(headlines) > 0 && !slices.ContainsFunc(headlines, func(n *node.Node) bool {
			_, moved := side.Get(n.ID)
			return !moved
		}) {
			continue
		}
		if ignored, _ := text.Excluded(path, document.IgnoreFile, func(at string) (string, error) {
			text, _ := side.Text(at)
			return text, nil
		}); ignored {
			kept = append(kept, path)
		}
	}
	if len(kept) == 0 {
		return side, nil
	}
	draft := side.Edit(now)
	for _, path := range kept {
		draft.Put(path, node.Parts(base.Nodes(path))...)
	}
	state, _ := draft.Seal()
	return state, kept
}
