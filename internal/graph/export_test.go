// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import "github.com/fovea-memory/fovea/node"

// Len returns the number of nodes.
func (l *Ledger) Len() int { return len(l.nodes) }

// Entry returns the entry of a node.
func (l *Ledger) Entry(id string) (node.Entry, bool) {
	if n, ok := l.nodes[id]; ok {
		return n.Entry, true
	}
	return node.Entry{}, false
}
