// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Rebound says of each id that another node bears now, while the one that bore it is still
// there, which files they are in, of a few of many; "" for none. O(changes).
func Rebound(d *graph.Delta) string {
	type place struct {
		id, path string
		own      merkle.Digest
	}
	losers := map[place]bool{} // with a zero digest: whatever its text
	for _, c := range d.Changes {
		for _, n := range []*node.Node{c.Old, c.New} {
			if n != nil && n.ClaimedID() != "" && n.ClaimedID() != n.ID {
				losers[place{n.ClaimedID(), n.Path, n.Own}], losers[place{id: n.ClaimedID(), path: n.Path}] = true, true
			}
		}
	}
	var said []string
	for _, c := range d.Changes {
		if c.Old == nil || c.New == nil {
			continue
		}
		was, now := place{id: c.ID, path: c.Old.Path}, place{id: c.ID, path: c.New.Path}
		if was == now {
			was.own, now.own = c.Old.Own, c.New.Own
		}
		if was != now && (losers[was] || losers[now]) {
			said = append(said, fmt.Sprintf("the ID %s is now that of a node in %s, before in %s", c.ID, c.New.Path, c.Old.Path))
		}
	}
	return strings.TrimSuffix("; "+Abbreviate(said, ""), "; ")
}
