// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package recall

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// ErrUnknown is returned if no node has the given name.
var ErrUnknown = errors.New("no such node")

// AmbiguousError is returned if a name matches several nodes.
type AmbiguousError struct {
	Name       string
	Candidates []*node.Node // in document order, at most maxCandidates
	More       int          // number of further candidates
}

// maxCandidates is the maximum number of candidates listed, so that they fit a terminal.
const maxCandidates = 10

// Error lists the candidates, one per line.
func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q could mean %d nodes; name one by its id:", e.Name, len(e.Candidates)+e.More)
	for _, n := range e.Candidates {
		id := n.ID
		if id == e.Name { // the id alone is ambiguous
			id = "id:" + id
		}
		fmt.Fprintf(&b, "\n  %s  %s  (%s)", id, n.ListedTitle(), n.Path)
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more", e.More)
	}
	return b.String()
}

// Resolve finds the node that a name refers to. It tries, in order: the path of a
// document; an id, also of an element; FILE:LINE or FILE:+BYTE; and a title
// (exact, else ignoring case, else ignoring statistics cookies, else with keyword and
// priority in front). FILE may be a bare file name if only one folder has it. A path
// therefore takes precedence over an equal :ID:, but after the prefix "id:" the id is
// tried first. A handle means the id of its node; a handle that is also the path, id or
// title of another node is ambiguous, unless the prefix "id:" is given. Last, a name may be
// the beginning of an id, see [fault.Begins]. Resolve returns ErrUnknown, with the nearest
// titles, or an *AmbiguousError. It ignores titles in conflict copies, and the beginnings of
// ids that a search does not list.
func (v View) Resolve(name string) (*node.Node, error) {
	name = strings.TrimSpace(name)
	id, prefixed := strings.CutPrefix(name, "id:")
	if n, ok := v.State.Get(id); ok && prefixed {
		return n, nil
	}
	if ids := v.idsOf(id); len(ids) > 0 {
		return v.resolveHandle(name, id, ids)
	}
	if d, ok := v.State.Document(name); ok {
		return d, nil
	}
	if n, ok := v.State.Get(id); ok {
		return n, nil
	}
	if n, ok := v.resolvePosition(name); ok {
		return n, nil
	}
	if n, _, ok := v.Span(v.spanID(id)); ok {
		return n, nil
	}
	found := v.nodesTitled(name)
	if len(found) == 0 {
		found = v.nodesWith(func(n *node.Node) bool { return fault.Begins(n.ID, id) })
	}
	return v.one(name, found, 0)
}

// nodesWith returns, in document order, the nodes that a search may list and for which is
// returns true. O(nodes).
func (v View) nodesWith(is func(*node.Node) bool) (found []*node.Node) {
	for n := range v.State.All() {
		if is(n) && !n.Secret() && !document.IsIgnore(n.Path) && v.State.CopyOf(n.Path) == "" {
			found = append(found, n)
		}
	}
	return found
}

// one returns the only candidate for a name, or an error; gone is the number of nodes of
// this name that are not in the state.
func (v View) one(name string, found []*node.Node, gone int) (*node.Node, error) {
	switch {
	case len(found) == 1 && gone == 0:
		return found[0], nil
	case len(found) > 0:
		more := max(0, len(found)-maxCandidates)
		return nil, &AmbiguousError{name, found[:len(found)-more], more + gone}
	}
	return nil, v.unknownError(name)
}

// resolvePosition resolves FILE:LINE and FILE:+BYTE.
func (v View) resolvePosition(name string) (*node.Node, bool) {
	path, at, ok := cutLast(name, ":")
	if !ok {
		return nil, false
	}
	text, ok := v.State.Text(path)
	if !ok {
		files := v.filesNamed(path)
		if len(files) != 1 {
			return nil, false
		}
		path = files[0]
		text, _ = v.State.Text(path)
	}
	if offset, err := strconv.Atoi(strings.TrimPrefix(at, "+")); err == nil && offset >= 0 && strings.HasPrefix(at, "+") {
		return v.State.At(path, offset)
	}
	line, err := strconv.Atoi(at)
	if err != nil || line < 1 {
		return nil, false
	}
	offset := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			return nil, false
		}
		offset += i + 1
	}
	return v.State.At(path, offset)
}

// filesNamed returns, in order, the paths of the files in folders that have this file
// name. O(documents).
func (v View) filesNamed(name string) (paths []string) {
	if name == "" || strings.Contains(name, "/") {
		return nil
	}
	for _, path := range v.State.Paths() {
		if strings.HasSuffix(path, "/"+name) {
			paths = append(paths, path)
		}
	}
	return paths
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// nodesTitled returns, in document order, the nodes whose title matches name best:
// exactly, else ignoring case, else ignoring cookies, else ignoring cookies and the
// keyword and priority at the start of name.
func (v View) nodesTitled(name string) []*node.Node {
	const ranks = 4
	var found [ranks][]*node.Node
	bare := org.WithoutCookies(name)
	for n := range v.State.All() {
		rank := 0
		switch t := n.Title(); {
		case v.State.CopyOf(n.Path) != "":
			continue
		case t == name:
		case strings.EqualFold(t, name):
			rank = 1
		case bare == "":
			continue
		case strings.EqualFold(org.WithoutCookies(t), bare):
			rank = 2
		case t != "" && n.Derived.Todo+n.Derived.Priority != "" && strings.EqualFold(org.WithoutCookies(t), withoutTodoAndPriority(bare, n.Derived)):
			rank = 3
		default:
			continue
		}
		found[rank] = append(found[rank], n)
	}
	for _, nodes := range found {
		if len(nodes) > 0 {
			return nodes
		}
	}
	return nil
}

// withoutTodoAndPriority removes the keyword and the priority of a headline from the
// start of a name. It returns "" if name has neither.
func withoutTodoAndPriority(name string, d *document.Derived) string {
	rest := name
	if after, ok := strings.CutPrefix(rest, d.Todo+" "); ok && d.Todo != "" {
		rest = after
	}
	if after, ok := strings.CutPrefix(rest, "[#"+d.Priority+"] "); ok && d.Priority != "" {
		rest = after
	}
	if rest == name {
		return ""
	}
	return rest
}

// unknownError is the error for an unknown name, with similar titles.
func (v View) unknownError(name string) error {
	file, _, at := cutLast(name, ":")
	if files := v.filesNamed(file); len(files) > 0 && (at || v.State.Formats().Owns(file)) {
		more := ""
		if n := len(files); n > maxCandidates {
			files, more = files[:maxCandidates], fmt.Sprintf("\n  and %d more", n-maxCandidates)
		}
		return fmt.Errorf("%q: %w; give the path of the file in the memex:\n  %s%s", name, ErrUnknown, strings.Join(files, "\n  "), more)
	}
	if _, there := v.State.Document(file); there && at {
		return fmt.Errorf("%q: %w; the file has no such line", name, ErrUnknown)
	}
	similar, listed := "similar titles", v.nodesWith(func(n *node.Node) bool {
		return name != "" && len(n.Title()) >= len(name) && strings.EqualFold(n.Title()[:len(name)], name)
	})
	if len(listed) > 0 {
		similar, listed = "titles that begin so", listed[:min(len(listed), maxCandidates)]
	} else if hits, err := v.Search(name, 3, nil, time.Time{}); err == nil {
		for _, h := range hits {
			listed = append(listed, h.Node)
		}
	}
	if len(listed) == 0 {
		return fmt.Errorf("%q: %w: give an id, a title, FILE:LINE or FILE:+BYTE", name, ErrUnknown)
	}
	var b strings.Builder
	for _, n := range listed {
		fmt.Fprintf(&b, "\n  %s  %s  (%s)", n.ID, n.ListedTitle(), n.Path)
	}
	return fmt.Errorf("%q: %w; %s:%s", name, ErrUnknown, similar, b.String())
}
