// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// source presents a state to package window. It caches the last node, because windows request
// several facts of one node in a row. It is not safe for concurrent use.
type source struct {
	state  *graph.State
	handle func(*node.Node) string // nil if the caller needs no handles
	last   *node.Node
	next   []*node.Node // the nodes after last in its document, which a walk visits next
	brief  bool         // leave out tags, and reuse props: the caller does not keep items
	props  [][2]string  // properties of the last brief item
}

func (s *source) get(id string) (*node.Node, bool) {
	if s.last != nil && s.last.ID == id {
		return s.last, true
	}
	if len(s.next) > 0 && s.next[0].ID == id {
		s.last, s.next = s.next[0], s.next[1:]
		return s.last, true
	}
	n, ok := s.state.Get(id)
	if ok {
		s.last = n
		if n.Parent == "" {
			s.next = s.state.Nodes(n.Path)[1:]
		}
	}
	return n, ok
}

func (s *source) Root() merkle.Digest { return s.state.Root() }

func (s *source) Documents() []string {
	out := make([]string, 0, s.state.DocumentCount())
	for d := range s.state.Documents() {
		if s.state.CopyOf(d.Path) == "" {
			out = append(out, d.ID)
		}
	}
	return out
}

func (s *source) Children(id string) []string {
	if n, ok := s.get(id); ok {
		return n.Kids
	}
	return nil
}

func (s *source) Parent(id string) string {
	if n, ok := s.get(id); ok {
		return n.Parent
	}
	return ""
}

func (s *source) Document(id string) (doc, path string) {
	if n, ok := s.get(id); ok {
		if d, ok := s.state.Document(n.Path); ok {
			return d.ID, n.Path
		}
	}
	return "", ""
}

func (s *source) Item(id string) (window.Item, bool) {
	n, ok := s.get(id)
	if !ok {
		return window.Item{}, false
	}
	d := n.Derived
	if b, ok := working.OfNode(n); ok {
		return s.block(n, b), true
	}
	it := window.Item{
		ID: n.ID, Title: n.ListedTitle(), Todo: d.Todo, Priority: d.Priority, Done: d.Done,
		Level: d.Level, Path: n.Path, Type: n.Type,
		Body: n.Body(), Digest: n.Own, Links: d.Links, Agent: agentOf(n.Path), Project: isActiveProject(d),
		Hidden: d.Commented || d.Archived || n.Secret() || document.IsIgnore(n.Path),
	}
	if !s.brief {
		it.Tags = s.state.EffectiveTags(n)
	}
	if s.handle != nil {
		it.Handle, it.Author = s.handle(n), authorOf(s.state, n)
	}
	if d.Encrypted {
		return it, true // only the headline is shown
	}
	for _, p := range [...]struct{ key, value string }{{"SCHEDULED", d.Scheduled}, {"DEADLINE", d.Deadline}, {"CLOSED", d.Closed}} {
		if p.value != "" {
			it.Planning = append(it.Planning, p.key+": "+p.value)
		}
	}
	switch {
	case s.brief:
		it.Properties = s.props[:0]
	case len(d.Properties) > 0:
		it.Properties = make([][2]string, 0, len(d.Properties))
	}
	it.Date = dateOf(d)
	inHive := hiveKeys(n)
	for _, p := range d.Properties {
		if !strings.EqualFold(p.Key, "ID") && !slices.Contains(inHive, strings.ToUpper(p.Key)) {
			it.Properties = append(it.Properties, [2]string{p.Key, p.Value})
		}
	}
	if s.brief {
		s.props = it.Properties
	}
	if d.Opaque && (strings.IndexByte(n.Content, 0) >= 0 || document.IsEncrypted(n.Path)) {
		it.Body = ""
	}
	return it, true
}

// The properties of claims in tasks, and of the hive in messages: they are not part of the text.
var (
	claimKeys   = []string{document.ClaimedBy, document.ClaimKey, document.LeaseUntil, document.ClaimGranted}
	messageKeys = append([]string{"FROM", "TO", "THREAD", "SENT", "READ"}, claimKeys...)
)

// hiveKeys returns the properties of a node that belong to the hive.
func hiveKeys(n *node.Node) []string {
	if agentOf(n.Path) != "" && n.Derived.Last("SENT") != "" && n.Derived.Last("FROM") != "" {
		return messageKeys
	}
	return claimKeys
}

// block returns the item of a block of working memory.
func (s *source) block(n *node.Node, b *working.Block) window.Item {
	until, _ := b.Until()
	it := window.Item{
		ID: n.ID, Title: strings.ToValidUTF8(b.Title(), "\uFFFD"), Path: n.Path, Type: string(b.Type), Body: b.Content(), Digest: n.Own, Links: n.Derived.Links,
		Working: &window.Working{
			ID: b.ID, Type: b.Type, Line: b.StartLine, Priority: b.Priority, Confidence: *b.Confidence, Time: b.Timestamp, Until: until,
			Path: b.Path(), Whole: b.HasFile() && b.Lines() == "", Deferred: b.HasFile(), Size: b.Size, Entry: b.Entry(),
			Background: b.IsBackground(),
		},
	}
	if s.handle != nil {
		it.Handle = s.handle(n)
	}
	return it
}

// authorOf returns the agent that wrote a node: the one that the drawer of a remembered note names,
// else the author of its parent, else the agent whose file it is in.
func authorOf(state *graph.State, n *node.Node) string {
	for at, ok := n, true; ok; at, ok = state.Get(at.Parent) {
		if name := at.Derived.Last("AUTHOR"); name != "" && at.Derived.Last("TRUST") != "" {
			return name
		}
	}
	return agentOf(n.Path)
}

// dateOf returns the day that a node declares as its date, as 2026-11-20, or "".
func dateOf(d *document.Derived) string {
	const form = "2006-01-02"
	for _, key := range [...]string{"CREATED", "DATE"} {
		value := strings.TrimLeft(d.Last(key), "[<")
		if len(value) < len(form) {
			continue
		}
		if _, err := time.Parse(form, value[:len(form)]); err == nil {
			return value[:len(form)]
		}
	}
	return ""
}

// agentOf returns the agent that writes a document, "" for the owner's documents. The ROM
// of an agent is the owner's, because only the owner may write it.
func agentOf(path string) string {
	name, orders := working.Folder(path)
	if orders {
		return ""
	}
	return name
}

// Backlinks is that of fovea.View.
func (v *View) Backlinks(n *node.Node, limit int) (from []*node.Node, count int) {
	item, ok := (&source{state: v.State}).Item(n.ID)
	if !ok {
		return nil, 0
	}
	ids, count := v.tree.get().Backlinks(&item, limit)
	for _, id := range ids {
		if n, ok := v.Get(id); ok {
			from = append(from, n)
		}
	}
	return from, count
}
