// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// Purge takes content out of history for good: every version of the nodes, under
// all the ids they went by and with what was forgotten together with them, and
// every version of any node that holds the text, where one is given. The commits
// stay; what they say of those versions is their digests. A commit of the kind
// purge says that it was done, and no more. With dry it only counts. It returns
// the commit and how many versions go.
//
// It refuses while the present state still holds any of it: forget or edit it
// first. It also refuses a text that stands in the commits themselves (in a path,
// an id, a message), which nothing can be taken out of. The bytes may stay on the
// medium, where the file system put them, and in copies of the state folder.
// Errors: Invalid, NotFound (history has none of it), ReadOnly. O(history).
func (m *Memory) Purge(ctx context.Context, ids []string, text string, dry bool) (Commit, int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	what := strings.Join(ids, ", ")
	if m.closed || len(ids) == 0 && text == "" {
		return Commit{}, 0, fail("purge", what, Invalid, errors.New("name nodes of an open memory, or a text"))
	}
	if err := m.store.Err(); err != nil {
		return Commit{}, 0, fail("purge", m.state, ReadOnly, err)
	}
	if first, err := m.repeated(ctx, graph.KindPurge, graph.KindPurge); !dry && (first != nil || err != nil) {
		n := 0
		c := m.answered(first, func(first *graph.Commit) { counted(first.Message, &n) })
		return c, n, err
	}
	p := purge{m: m, text: text, goes: map[merkle.Digest]bool{}}
	if err := p.choose(ctx, ids); err != nil {
		return Commit{}, 0, fail("purge", what, Corrupt, err)
	}
	if err := p.refuse(); err != nil {
		return Commit{}, 0, fail("purge", what, Invalid, err)
	}
	drop, err := m.dropped(p.goes, liveDigests(m.View()))
	if err != nil {
		return Commit{}, 0, fail("purge", what, Corrupt, err)
	}
	if len(drop) == 0 {
		return Commit{}, 0, fail("purge", what, NotFound, errors.New("history holds none of it"))
	}
	n := p.count(drop)
	if dry {
		return Commit{}, n, nil
	}
	c, err := m.rewrite(background(ctx), graph.KindPurge, count(n, "version")+" taken out of history", drop, text)
	if err == nil && text != "" {
		err = fail("purge", m.state, Other, m.absent(text))
	}
	return c, n, err
}

// purge chooses what goes.
type purge struct {
	m    *Memory
	text string
	goes map[merkle.Digest]bool // own digests
}

// choose reads the whole history. All commits are in memory meanwhile.
func (p *purge) choose(ctx context.Context, ids []string) error {
	var all []*graph.Commit
	owns := map[merkle.Digest]bool{}
	err := p.m.commits(ctx, 1, p.m.View().commit.Seq, func(c *graph.Commit) error {
		all = append(all, c)
		for i := range c.Delta {
			if e := c.Delta[i].New; e != nil {
				owns[e.Own] = true
			}
		}
		if p.text != "" && mentions(c, p.text) {
			return fail("purge", fmt.Sprintf("commit %d", c.Seq), Invalid, errors.New("a path, an id or a message of it holds the text; commits are never changed"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		if err := p.nodes(all, ids); err != nil {
			return err
		}
	}
	if p.text != "" {
		if err := p.marks(); err != nil {
			return err
		}
		return p.holding(ctx, owns)
	}
	return nil
}

// nodes chooses every version of nodes.
func (p *purge) nodes(all []*graph.Commit, ids []string) error {
	names := map[string]bool{}
	for _, id := range ids {
		names[id] = true
	}
	for n := 0; n < len(names); {
		n = len(names)
		for _, c := range all {
			alsoNamed(c, names)
		}
	}
	found := map[string]bool{}
	for _, c := range all {
		for i := range c.Delta {
			if r := &c.Delta[i]; names[r.ID] && r.New != nil {
				p.goes[r.New.Own] = true
				found[r.ID] = true
			}
		}
	}
	for _, id := range ids {
		if !found[id] {
			return fail("purge", id, NotFound, errors.New("no such node in the history"))
		}
	}
	return nil
}

// alsoNamed adds the ids that nodes went by before and after a commit, and those
// of what left together with the node it stood below.
func alsoNamed(c *graph.Commit, names map[string]bool) {
	for _, e := range c.Lineage {
		if names[e.New] || names[e.Old] {
			names[e.New], names[e.Old] = true, true
		}
	}
	left := map[string]bool{}
	for i := range c.Delta {
		if r := &c.Delta[i]; r.New == nil && r.Old != nil && names[r.ID] {
			left[r.ID] = true
		}
	}
	for n := -1; n != len(left) && len(left) > 0; {
		n = len(left)
		for i := range c.Delta {
			if r := &c.Delta[i]; r.New == nil && r.Old != nil && left[r.Old.Parent] {
				left[r.ID], names[r.ID] = true, true
			}
		}
	}
}

// holding chooses the versions that hold the text.
func (p *purge) holding(ctx context.Context, owns map[merkle.Digest]bool) error {
	for d := range owns {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := node.ReadOwn(d, p.m.block)
		switch {
		case errors.Is(err, graph.ErrGone):
			continue
		case err != nil:
			return err
		}
		if strings.Contains(n.Content, p.text) || attrsHold(n.Attrs, p.text) {
			p.goes[d] = true
		}
	}
	return nil
}

func attrsHold(attrs []node.Attr, text string) bool {
	for _, a := range attrs {
		if strings.Contains(a.Key, text) || strings.Contains(a.Value.String(), text) {
			return true
		}
	}
	return false
}

// marks refuses a text that a mark of the journal holds, such as the name of a
// snapshot.
func (p *purge) marks() error {
	return p.m.store.Replay(disk.Pos{}, func(r disk.Record) error {
		if r.Kind == disk.Mark && bytes.Contains(r.Data, []byte(p.text)) {
			return fail("purge", p.m.state, Invalid, errors.New("the name of a snapshot or the path of a file holds the text; those are never changed"))
		}
		return nil
	})
}

// refuse returns an error while the present state holds what is to go.
func (p *purge) refuse() error {
	for n := range p.m.View().state.All() {
		if p.goes[n.Own] {
			return fmt.Errorf("%s in %s holds it now; edit or forget it first", n.ID, n.Path)
		}
	}
	return nil
}

// count counts the versions among what is dropped.
func (p *purge) count(drop map[merkle.Digest]bool) int {
	n := 0
	for d := range p.goes {
		if drop[d] {
			n++
		}
	}
	return n
}

// mentions reports whether a commit holds a text by itself.
func mentions(c *graph.Commit, text string) bool {
	held := strings.Contains(c.Author+"\x00"+c.Session+"\x00"+c.Op+"\x00"+c.Message, text)
	for i := range c.Delta {
		r := &c.Delta[i]
		held = held || strings.Contains(r.ID, text)
		for _, e := range []*node.Entry{r.Old, r.New} {
			held = held || e != nil && strings.Contains(e.Path, text)
		}
	}
	for _, e := range c.Lineage {
		held = held || strings.Contains(e.Old, text) || strings.Contains(e.New, text)
	}
	return held
}

func liveDigests(v *View) map[merkle.Digest]bool {
	out := make(map[merkle.Digest]bool, v.Len())
	for n := range v.state.All() {
		out[n.Own] = true
	}
	return out
}

// absent returns an error unless no file of the state folder holds the text.
func (m *Memory) absent(text string) error {
	var walk func(folder string) error
	walk = func(folder string) error {
		entries, err := m.fs.ReadDir(folder)
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			switch {
			case err != nil:
				return err
			case e.IsDir():
				err = walk(name)
			default:
				var b []byte
				if b, err = m.fs.ReadFile(name); errors.Is(err, fs.ErrNotExist) {
					err = nil
				}
				if bytes.Contains(b, []byte(text)) {
					return fmt.Errorf("%s still holds the text", name)
				}
			}
		}
		return err
	}
	return walk(".")
}
