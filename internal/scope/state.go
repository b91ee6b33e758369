// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package scope

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Abbreviate lists the first few names; it returns none if there are no names.
func Abbreviate(paths []string, none string) string {
	const few = 3
	if len(paths) == 0 {
		return none
	}
	return First(paths, few)
}

// First lists the first n names, and the number of the others.
func First(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:n], ", "), len(list)-n)
}

// ByFile is the author of changes found in files.
var ByFile = author.Author{Kind: author.File}

// Operation returns a new id, shared by the commits of one operation.
func Operation() string { return uuid.NewString() }

// IsLost reports whether the text of a document is unknown rather than empty.
func IsLost(nodes []*node.Node) bool { return slices.ContainsFunc(nodes, graph.IsGone) }

// Message returns the commit message of an ingest.
func Message(d *graph.Delta) string {
	var lost []string
	for _, c := range d.Changes {
		if c.Old != nil && c.New != nil && c.New.Parent == "" && len(c.Old.Kids) > 0 && len(c.New.Kids) == 0 {
			lost = append(lost, c.New.Path+" lost all its headlines")
		}
	}
	more := Rebound(d) + strings.TrimSuffix("; "+Abbreviate(lost, ""), "; ")
	if len(d.Paths) == 1 {
		return d.Paths[0] + more
	}
	return fmt.Sprintf("%d documents", len(d.Paths)) + more
}

// IsGone reports whether a block is no longer kept: commits of another copy may name blocks that
// were purged.
func IsGone(err error) bool {
	return errors.Is(err, graph.ErrGone) || errors.Is(err, store.ErrNotFound)
}

// Count returns a number with its noun, in the plural unless it is 1.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// DropUnusedSetups removes from a draft based on state the setup files that no document
// names any more, and returns their paths.
func (s *Scope) DropUnusedSetups(state *graph.State, draft *graph.Draft) []string {
	var out []string
	asked := draft.SetupFiles()
	for _, path := range state.SetupFiles() {
		_, has := state.Document(path)
		if _, still := slices.BinarySearch(asked, path); has && !still && !s.Root.Lists(path) {
			draft.Drop(path)
			out = append(out, path)
		}
	}
	return out
}

// Owner is the only author whose changes of protected files are trusted: the person, never
// an agent.
var Owner = author.Author{Kind: author.Owner}

// Inserted returns the id of the headline that a commit added, the topmost if it added several.
func Inserted(c *graph.Commit) string {
	came := map[string]bool{}
	for i := range c.Delta {
		if r := &c.Delta[i]; r.Old == nil && r.New.Parent != "" {
			came[r.ID] = true
		}
	}
	for i := range c.Delta {
		if r := &c.Delta[i]; came[r.ID] && !came[r.New.Parent] {
			return r.ID
		}
	}
	return ""
}

// Rebound describes, for a commit message, the first few ids that passed to another node although
// the former one still exists, with the files of both; "" for none. O(changes).
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
	var moved []string
	for _, c := range d.Changes {
		if c.Old == nil || c.New == nil {
			continue
		}
		was, now := place{id: c.ID, path: c.Old.Path}, place{id: c.ID, path: c.New.Path}
		if was == now {
			was.own, now.own = c.Old.Own, c.New.Own
		}
		if was != now && (losers[was] || losers[now]) {
			moved = append(moved, fmt.Sprintf("the ID %s is now that of a node in %s, before in %s", c.ID, c.New.Path, c.Old.Path))
		}
	}
	return strings.TrimSuffix("; "+Abbreviate(moved, ""), "; ")
}
