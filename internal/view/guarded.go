// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/working"
)

// Lockdown is that of fovea.View.
func (v *View) Lockdown() []string { return slices.Sorted(maps.Keys(v.Locked)) }

// Unreviewed is that of fovea.View.
func (v *View) Unreviewed() []string { return slices.Clone(v.unreviewed) }

// Without returns the view without the documents at some paths.
func (v *View) Without(paths ...string) *View {
	locked := map[string]guard.State{}
	for _, path := range paths {
		locked[path] = guard.Untrusted
	}
	if len(locked) == 0 {
		return v
	}
	return Without(v, locked, v.unreviewed)
}

// Without returns a view without locked files, which also lists unreviewed files.
func Without(v *View, locked map[string]guard.State, unreviewed []string) *View {
	out := v.drop(slices.Sorted(maps.Keys(locked)))
	out.whole, out.Locked, out.unreviewed = v, locked, unreviewed
	return out
}

// drop returns the view without the documents at some paths and the conflict copies of them.
func (v *View) drop(paths []string) *View {
	draft, gone := v.Edit(v.commit.Time.UnixMilli()), slices.Clone(paths)
	for copied, of := range v.Copies() { // a copy without its original would become an ordinary file
		for ; of != "" && !slices.Contains(paths, of); of = v.CopyOf(of) {
		}
		if of != "" {
			gone = append(gone, copied)
		}
	}
	for _, path := range gone {
		if _, has := v.State.Document(path); has {
			draft.Drop(path)
		}
	}
	state, delta := draft.Seal()
	out := v.follow(state, &delta, v.commit)
	out.Layers, out.whole, out.Locked, out.unreviewed = v.Layers, v.whole, v.Locked, v.unreviewed
	return out
}

// WithoutBlocks returns a view without the working memory of all agents but one, and without
// records of windows and feedback. O(blocks).
func (v *View) WithoutBlocks(agent string) *View {
	var others []string
	if !strings.HasPrefix(v.scope, author.SessionPrefix) {
		return v
	}
	for _, path := range v.Paths() {
		if owner := working.AgentOf(path); working.IsRecord(path) || owner != "" && owner != agent {
			others = append(others, path)
		}
	}
	if len(others) == 0 {
		return v
	}
	return v.drop(others)
}

// lockedDown returns an error if a name that is not found names something in a file in lockdown.
func (v *View) lockedDown(op, name string) error {
	if v.whole == nil {
		return nil
	}
	path := name
	if _, is := v.Locked[path]; !is {
		n, err := v.whole.Resolve(name)
		if err != nil {
			return nil
		}
		path = n.Path
	}
	state, is := v.Locked[path]
	if !is {
		return nil
	}
	return &fault.Error{Op: op, What: path, Kind: fault.Locked, Err: fmt.Errorf("%s; see fovea guard diff", lockReasons[state])}
}

// lockReasons explain why a file is in lockdown.
var lockReasons = map[guard.State]string{
	guard.Changed:      "locked down: the file was changed outside Fovea",
	guard.Gone:         "locked down: the file was removed outside Fovea",
	guard.New:          "locked down: the file came from outside Fovea and was never trusted",
	guard.Unreadable:   "locked down: the file cannot be read, and so not be compared",
	guard.BeingWritten: "locked down: the file is being written",
	guard.Unsigned:     "locked down: no known key signed what is trusted of the file; look at it, then fovea guard adopt it",
	guard.Untrusted:    "locked down: its owner never trusted what the file held then",
	guard.Stale:        "locked down: memory holds another text than the file, which is as trusted",
}

// Readable returns the text of a file as readers see it, without encrypted text: a subtree with
// the tag crypt is reduced to its headline and blank lines, so that lines keep their numbers. A
// file that the view has not parsed, such as a copy of an Org file, is parsed as Org if it
// contains the tag. The result is "" if no text is left, or if the file is too large to be
// parsed. O(bytes).
func (v *View) Readable(path, text string) string {
	nodes := v.Nodes(path)
	if len(nodes) == 0 || nodes[0].Derived.Opaque {
		formats, lower := v.Formats(), strings.ToLower(text)
		if !formats.Owns(path+".org") || !strings.Contains(lower, document.CryptTag) && !strings.Contains(lower, "#+setupfile:") {
			return text
		}
		outline := node.Read(formats, path+".org", v.Files, document.File(text, false))
		if nodes, _ = outline.Nodes(func(node.Claim) bool { return true }); nodes[0].Derived.Opaque {
			return ""
		}
	}
	if !slices.ContainsFunc(nodes, func(n *node.Node) bool { return n.Derived.Encrypted }) {
		return text
	}
	var b strings.Builder
	encrypted := map[string]bool{}
	for _, n := range nodes {
		shown := recall.Readable(n)
		if encrypted[n.ID] = n.Derived.Encrypted; encrypted[n.Parent] {
			shown = ""
		}
		b.WriteString(shown + strings.Repeat("\n", strings.Count(n.Content[len(shown):], "\n")))
	}
	if strings.TrimSpace(b.String()) == "" {
		return ""
	}
	return b.String()
}
