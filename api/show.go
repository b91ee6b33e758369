// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

func showNode(ctx context.Context, l *Local, req ShowRequest) (*Shown, error) {
	d, notDigest := merkle.Parse(req.At)
	at, err := momentOf(ctx, l, req.At, notDigest == nil)
	if err != nil {
		return nil, err
	}
	l.withBlocks(ctx)
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	id := l.Below(req.ID)
	if at == "" {
		s, err := showIn(l, v, id)
		if r, ok := readerOf(ctx, l); ok && err == nil && !l.Call.Further {
			n, _ := v.Get(s.ID)
			r.SawPage(n, req.Offset, req.Page)
		}
		if fovea.KindOf(err) == fovea.NotFound {
			if d, none := deskOf(ctx, l, ""); none == nil && d.HasLines(d.agent, id) {
				return showLines(ctx, l, v, d.Files(), id)
			}
			if seesAll(ctx, l) {
				err = cmp.Or(wasRemoved(ctx, l, v, id), err)
			}
		}
		return s, err
	}
	now := id // or a removed node, or a former id
	if n, err := v.Resolve(id); err == nil {
		now = n.ID
	} else if fovea.KindOf(err) == fovea.Locked {
		return nil, err
	} else if now, err = v.FormerID(id); err != nil {
		return nil, err
	}
	var none error
	if notDigest == nil {
		n, err := l.History().Version(ctx, now, d)
		if err == nil && isOthers(ctx, l, n.Path) {
			return nil, fault.Errorf("show", id, fault.NotFound, "no such node")
		}
		locked := err == nil && !l.ByOwner(ctx) && slices.Contains(v.Lockdown(), n.Path)
		if locked || err == nil && !seesAll(ctx, l) && l.On.Guard().UntrustedVersion(n) {
			return nil, fault.Errorf("show", n.Path, fault.Locked, "locked down: this is not the version that its owner trusts")
		}
		if err == nil {
			return shown(n, 0, v, time.UnixMilli(n.Modified).UTC()), nil
		}
		none = err
	}
	past, err := heldAt(ctx, l, at)
	if err != nil {
		if none != nil && fovea.KindOf(err) == fovea.NotFound {
			err = none // a digest is most likely that of the node
		}
		return nil, err
	}
	was, err := l.History().Was(ctx, now, past)
	if err != nil {
		return nil, err
	}
	return showIn(l, l.On.Guard().Withhold(past, v, !seesAll(ctx, l)), cmp.Or(was, id))
}

// maxBacklinks is the maximum number of backlinks in an answer.
const maxBacklinks = 50

// wasRemoved returns an error that says where a removed node was and how to bring it back, nil if it is not in history.
func wasRemoved(ctx context.Context, l *Local, v *view.View, name string) error {
	id, h := formerID(ctx, l, v, name), l.History()
	commits, err := h.Log(ctx, id, maxCommitsSearched) // also of the node that took its place
	if err != nil {
		return nil
	}
	at := func(seq uint64) (past *view.View, n *node.Node) {
		if past, err = heldAt(ctx, l, fmt.Sprintf("seq:%d", seq)); err == nil {
			n, _ = past.Get(id)
		}
		return past, n
	}
	i := slices.IndexFunc(commits, func(c fovea.Commit) bool { _, n := at(c.Seq); return n != nil })
	if i < 1 {
		return nil
	}
	left := commits[i-1].Seq
	after, _ := at(left)
	_, n := at(left - 1)
	if n == nil || after == nil || document.IsMemory(n.Path) {
		return nil
	}
	if now, err := h.Was(ctx, id, v); err == nil && now != "" {
		if o, ok := v.Get(now); ok && (o.Title() == n.Title() || node.IsDerived(id)) {
			return fault.Errorf("show", name, fault.NotFound, "its id is now %s, in %s; fovea show %s shows it", now, o.Path, v.Handle(o))
		}
	}
	what := fmt.Sprintf("fovea show %s --at seq:%d shows what it was", strconv.Quote(name), left-1)
	if _, kept := after.Text(n.Path); !kept {
		return fault.Errorf("show", name, fault.NotFound, "its file %s is gone since commit %d; fovea restore %s --at seq:%d brings it back, %s",
			n.Path, left, strconv.Quote(n.Path), left-1, what)
	}
	return fault.Errorf("show", name, fault.NotFound, "it left %s with commit %d; fovea revert %d brings it back, %s", n.Path, left, left, what)
}

// formerID returns the id of a removed node by a handle, an id, or a name in one of the last snapshots.
func formerID(ctx context.Context, l *Local, v *view.View, name string) string {
	if id, err := v.FormerID(name); err != nil || id != name {
		return id
	}
	snapshots := l.History().Snapshots()
	for _, s := range snapshots[:min(len(snapshots), maxSnapshotsSearched)] {
		past, err := heldAt(ctx, l, fmt.Sprintf("seq:%d", s.Seq))
		if err != nil {
			continue
		}
		if n, err := past.Resolve(name); err == nil {
			return n.ID
		}
	}
	return name
}

// How many commits and snapshots are searched for a removed node.
const (
	maxCommitsSearched   = 32
	maxSnapshotsSearched = 3
)

// momentOf returns a name of a moment whose meaning a sync does not change, unlike the index of a snapshot.
// A digest, which may be a node's, is returned unchanged.
func momentOf(ctx context.Context, l *Local, at string, digest bool) (string, error) {
	if at == "" || digest {
		return at, nil
	}
	return l.History().Resolve(ctx, at)
}

// viewAt returns the memory, now or at a moment, without what the caller may not read.
func (l *Local) viewAt(ctx context.Context, at string) (*view.View, error) {
	if at == "" {
		return l.Readable(ctx)
	}
	at, err := momentOf(ctx, l, at, false)
	if err != nil {
		return nil, err
	}
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	past, err := heldAt(ctx, l, at)
	if err != nil {
		return nil, err
	}
	return l.On.Guard().Withhold(past, v, !seesAll(ctx, l)), nil
}

// seesAll reports whether the caller may read versions that the owner never trusted: it is the owner, or was granted guard-diff.
func seesAll(ctx context.Context, l *Local) bool {
	return l.ByOwner(ctx) || slices.Contains(author.GrantOf(ctx).Operations, "guard-diff")
}

func showIn(l *Local, v *view.View, id string) (*Shown, error) {
	n, err := v.Resolve(id)
	if err != nil {
		return nil, err
	}
	on, err := l.InScope(context.Background(), v.Scope(n))
	if err != nil {
		on = l
	}
	s := shown(n, linesOf(v, []*node.Node{n})[0], v, on.On.Folder().Synced(v, n.Path))
	from, count := v.Backlinks(n, maxBacklinks)
	s.Backlinks, s.BacklinkCount = listAll(v, from), count
	s.Doubled = v.Doubled(n)
	if err == nil && slices.Contains(on.On.Folder().Missing(), n.Path) {
		s.Missing = "the folder has lost " + n.Path + "; fovea restore --missing brings it back"
	}
	return s, nil
}

func shown(n *node.Node, line int, v *view.View, synced time.Time) *Shown {
	s := &Shown{
		Place:  node.Place{ID: n.ID, Title: n.Title(), Path: n.Path, Line: line},
		Handle: v.Handle(n), Digest: n.Own.String(), Version: n.Version.String(), Type: n.Type,
		Attributes: attributes(n, v), Content: validText(n.Content), Parent: n.Parent, Children: list(n.Kids), Scope: v.Scope(n),
		Unreviewed: unreviewed(v, n.Path), Modified: time.UnixMilli(n.Modified).UTC(), Synced: synced, Bare: n.Bare,
	}
	if !utf8.ValidString(n.Content) {
		s.ContentBase64 = base64.StdEncoding.EncodeToString([]byte(n.Content))
	}
	return s
}

// validText returns a text with U+FFFD for what is not UTF-8.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// attributes returns the typed attributes of a node of a tree, else what the parser read, with keys in upper case.
func attributes(n *node.Node, v *view.View) map[string]any {
	out := map[string]any{}
	for _, a := range n.Attrs {
		out[a.Key] = a.Value
	}
	if n.Attrs == nil {
		out = parsedAttributes(n)
	}
	if all := v.Tags(n); len(all) > len(n.Derived.Tags) {
		out["ALLTAGS"] = list(all)
	}
	return out
}

// parsedAttributes returns what the parser read; a property with KEY+ lines is a list.
func parsedAttributes(n *node.Node) map[string]any {
	d := n.Derived
	out := map[string]any{"TITLE": n.Title()}
	for key, values := range d.PropertyLists() {
		if len(values) > 1 {
			out[key] = values
		} else {
			out[key] = values[0]
		}
	}
	for key, value := range map[string]string{
		"TODO": d.Todo, "PRIORITY": d.Priority, "SCHEDULED": d.Scheduled, "DEADLINE": d.Deadline,
		"CLOSED": d.Closed, "CATEGORY": d.Category,
	} {
		if value != "" {
			out[key] = value
		}
	}
	if len(d.Tags) > 0 {
		out["TAGS"] = list(d.Tags)
	}
	return out
}

// linesOf returns the first lines of nodes, 0 for nodes that are in no file.
func linesOf(v *view.View, nodes []*node.Node) []int {
	lines := v.Lines(nodes)
	for i, n := range nodes {
		if document.IsMemory(n.Path) {
			lines[i] = 0
		}
	}
	return lines
}

// listAll describes nodes for a list.
func listAll(v *view.View, nodes []*node.Node) []Node {
	lines := linesOf(v, nodes)
	out := make([]Node, len(nodes))
	for i, n := range nodes {
		out[i] = Node{
			Place:  node.Place{ID: n.ID, Title: n.ListedTitle(), Path: n.Path, Line: lines[i]},
			Handle: v.Handle(n), Todo: n.Derived.Todo, Opening: opening(v, n),
			Tags: list(v.Tags(n)), Digest: n.Own.String(), Unreviewed: unreviewed(v, n.Path),
		}
	}
	return out
}

// opening returns the beginning of the text of a node without a title: its own, or the first title or text below it.
func opening(v *view.View, n *node.Node) string {
	if n.Title() != "" {
		return ""
	}
	for {
		if n.Secret() {
			return ""
		}
		if text := cmp.Or(n.Title(), n.Opening()); text != "" || len(n.Kids) == 0 {
			return firstWords(text)
		}
		kid, ok := v.Get(n.Kids[0])
		if !ok {
			return ""
		}
		n = kid
	}
}

// openingRunes is the maximum length of an opening.
const openingRunes = 80

// firstWords cuts a text between words.
func firstWords(text string) string {
	runes := []rune(text)
	if len(runes) <= openingRunes {
		return text
	}
	cut := string(runes[:openingRunes])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return cut + "…"
}

// Label returns the name of the node in a list: its title, else the beginning of its text.
func (n Node) Label() string { return cmp.Or(n.Title, n.Opening, "(untitled)") }

// list copies a list, which may belong to the memory; nil becomes an empty JSON list.
func list[T any](s []T) []T { return append([]T{}, s...) }
