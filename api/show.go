// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
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
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

func showNode(ctx context.Context, l *Local, req ShowRequest) (*Shown, error) {
	d, notDigest := merkle.Parse(req.At)
	at, err := l.moment(ctx, req.At, notDigest == nil)
	if err != nil {
		return nil, err
	}
	v, err := l.reading(ctx)
	if err != nil {
		return nil, err
	}
	id := l.below(req.ID)
	if at == "" {
		s, err := l.show(v, id)
		if err == nil && (req.Page == 0 || req.Offset+req.Page >= len(s.Content)) {
			n, _ := v.Get(s.ID)
			saw(ctx, l, n)
		}
		if fovea.KindOf(err) == fovea.NotFound && l.seesAll(ctx) {
			err = cmp.Or(wasRemoved(ctx, l, v, id), err)
		}
		return s, err
	}
	now := id // else it may be a node that is no more, or an id that it had
	if n, err := v.Resolve(id); err == nil {
		now = n.ID
	} else if fovea.KindOf(err) == fovea.Locked {
		return nil, err
	} else if now, err = v.FormerID(id); err != nil {
		return nil, err
	}
	var none error
	if notDigest == nil {
		n, err := l.m.History().Version(ctx, now, d)
		if err == nil && isOthers(ctx, l, n.Path) {
			return nil, fault.Wrap("show", id, fault.NotFound, errors.New("no such node"))
		}
		locked := err == nil && !l.m.Guard().ByOwner(ctx) && slices.Contains(v.Lockdown(), n.Path)
		if locked || err == nil && !l.seesAll(ctx) && l.m.Guard().UntrustedVersion(n) {
			return nil, fault.Wrap("show", n.Path, fault.Locked, errors.New("locked down: that is not the version of it that its owner trusts"))
		}
		if err == nil {
			return shown(n, 0, v, time.UnixMilli(n.Modified).UTC()), nil
		}
		none = err
	}
	past, err := l.past(ctx, at)
	if err != nil {
		if none != nil && fovea.KindOf(err) == fovea.NotFound {
			err = none // a digest is most likely one of the node
		}
		return nil, err
	}
	was, err := l.m.History().Was(ctx, now, past)
	if err != nil {
		return nil, err
	}
	return l.show(l.m.Guard().Withhold(past, v, !l.seesAll(ctx)), cmp.Or(was, id))
}

// maxSnapshotsSearched is how many snapshots are searched for a node that is no more.
const maxSnapshotsSearched = 3

// maxBacklinks is how many of the nodes that link to one are named.
const maxBacklinks = 50

// wasRemoved returns an error that says which file a node stood in that is gone, and how
// to get at it; nil for a node that no recent snapshot has.
func wasRemoved(ctx context.Context, l *Local, v *fovea.View, id string) error {
	for i, s := range l.m.History().Snapshots() {
		if i == maxSnapshotsSearched {
			break
		}
		past, err := l.past(ctx, fmt.Sprintf("seq:%d", s.Seq))
		if err != nil {
			continue
		}
		n, err := past.Resolve(id)
		if err != nil || document.IsMemory(n.Path) {
			continue
		}
		if _, there := v.Text(n.Path); !there {
			return fault.Wrap("show", id, fault.NotFound, fmt.Errorf(
				"its file %s is gone; fovea restore %s brings it back, fovea show --at seq:%d shows what it was", n.Path, strconv.Quote(n.Path), s.Seq))
		}
	}
	return nil
}

// moment returns a name for a moment that keeps its meaning during a sync: that
// of a snapshot's index changes. A digest may be a node's and stays as it is.
func (l *Local) moment(ctx context.Context, at string, digest bool) (string, error) {
	if at == "" || digest {
		return at, nil
	}
	return l.m.History().Resolve(ctx, at)
}

// viewAt returns what the memory holds, or held at a moment.
func (l *Local) viewAt(ctx context.Context, at string) (*fovea.View, error) {
	if at == "" {
		return l.reading(ctx)
	}
	at, err := l.moment(ctx, at, false)
	if err != nil {
		return nil, err
	}
	v, err := l.reading(ctx)
	if err != nil {
		return nil, err
	}
	past, err := l.past(ctx, at)
	if err != nil {
		return nil, err
	}
	return l.m.Guard().Withhold(past, v, !l.seesAll(ctx)), nil
}

// seesAll reports whether a caller may read from history what its owner never
// trusted: the owner, and who was granted guard-diff.
func (l *Local) seesAll(ctx context.Context) bool {
	return l.m.Guard().ByOwner(ctx) || slices.Contains(author.GrantOf(ctx).Operations, "guard-diff")
}

func (l *Local) show(v *fovea.View, id string) (*Shown, error) {
	n, err := v.Resolve(id)
	if err != nil {
		return nil, err
	}
	on, err := l.in(context.Background(), v.Scope(n))
	if err != nil {
		on = l
	}
	_, line := v.Position(n)
	s := shown(n, line, v, on.m.Folder().Synced(v, n.Path))
	from, count := v.Backlinks(n, maxBacklinks)
	s.Backlinks, s.BacklinkCount = listAll(v, from), count
	if err == nil && slices.Contains(on.m.Folder().Missing(), n.Path) {
		s.Missing = "the folder has lost " + n.Path + "; fovea restore --missing brings it back"
	}
	return s, nil
}

func shown(n *node.Node, line int, v *fovea.View, synced time.Time) *Shown {
	s := &Shown{
		ID: n.ID, Handle: v.Handle(n), Digest: n.Own.String(), Version: n.Version.String(), Type: n.Type, Title: n.Title(),
		Attributes: attributes(n, v), Content: legible(n),
		Parent: n.Parent, Children: list(n.Kids), Scope: v.Scope(n),
		Unreviewed: unreviewed(v, n.Path), Modified: time.UnixMilli(n.Modified).UTC(), Synced: synced, Path: n.Path, Line: line, Bare: n.Bare,
	}
	if document.IsMemory(n.Path) {
		s.Line = 0
	}
	if !utf8.ValidString(n.Content) {
		s.ContentBase64 = base64.StdEncoding.EncodeToString([]byte(n.Content))
	}
	return s
}

// legible returns a node's own text, with U+FFFD for what is not UTF-8.
func legible(n *node.Node) string { return validText(n.Content) }

// validText returns a text with U+FFFD for what is not UTF-8.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// typed lists the attributes of a node that came as a tree, with their types.
func typed(n *node.Node, v *fovea.View) map[string]any {
	out := map[string]any{}
	for _, a := range n.Attrs {
		out[a.Key] = a.Value
	}
	if all := v.Tags(n); len(all) > len(n.Derived.Tags) {
		out["ALLTAGS"] = list(all)
	}
	return out
}

// attributes lists what the parser read, keys in upper case; a property that
// KEY+ lines add to is a list.
func attributes(n *node.Node, v *fovea.View) map[string]any {
	if n.Attrs != nil {
		return typed(n, v)
	}
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
	if all := v.Tags(n); len(all) > len(d.Tags) {
		out["ALLTAGS"] = list(all)
	}
	return out
}

// linesOf returns the lines that nodes begin at, 0 for those that stand in no file.
func linesOf(v *fovea.View, nodes []*node.Node) []int {
	lines := v.Lines(nodes)
	for i, n := range nodes {
		if document.IsMemory(n.Path) {
			lines[i] = 0
		}
	}
	return lines
}

// listAll describes nodes for a list.
func listAll(v *fovea.View, nodes []*node.Node) []Node {
	lines := linesOf(v, nodes)
	out := make([]Node, len(nodes))
	for i, n := range nodes {
		out[i] = listed(v, n, lines[i])
	}
	return out
}

func listed(v *fovea.View, n *node.Node, line int) Node {
	return Node{
		ID: n.ID, Handle: v.Handle(n), Title: n.Title(), Path: n.Path, Line: line, Todo: n.Derived.Todo, Opening: opening(v, n),
		Tags: list(v.Tags(n)), Digest: n.Own.String(), Unreviewed: unreviewed(v, n.Path),
	}
}

// opening is how the text of a node without a title begins, or that of what it
// holds: the first title or text on the way down.
func opening(v *fovea.View, n *node.Node) string {
	if n.Title() != "" {
		return ""
	}
	for {
		if n.Secret() {
			return ""
		}
		if text := cmp.Or(n.Title(), n.Opening()); text != "" {
			return firstWords(text)
		}
		if len(n.Kids) == 0 {
			return ""
		}
		kid, ok := v.Get(n.Kids[0])
		if !ok {
			return ""
		}
		n = kid
	}
}

// openingRunes is how much of a text an opening shows.
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

// Label is what to call the node by in a list: its title, else how its text
// begins.
func (n Node) Label() string { return cmp.Or(n.Title, n.Opening, "(untitled)") }

// list copies a list, which may be the memory's own; nil becomes an empty JSON
// list.
func list[T any](s []T) []T { return append([]T{}, s...) }
