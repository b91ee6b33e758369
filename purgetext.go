// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"bytes"
	"cmp"
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

// mentions says what of a commit by itself holds a text, "" for nothing.
func mentions(c *graph.Commit, text string) string {
	if strings.Contains(c.Author+"\x00"+c.Session+"\x00"+c.Op+"\x00"+c.Message, text) {
		return "author, session or message"
	}
	held := func(id string) string {
		switch {
		case !strings.Contains(id, text):
			return ""
		case node.IsDerived(id):
			return "id " + id + ", by chance,"
		}
		return "id " + id
	}
	for i := range c.Delta {
		r := &c.Delta[i]
		if id := held(r.ID); id != "" {
			return id
		}
		for _, e := range []*node.Entry{r.Old, r.New} {
			if e != nil && strings.Contains(e.Path, text) {
				return "path " + e.Path
			}
		}
	}
	for _, e := range c.Lineage {
		if id := cmp.Or(held(e.Old), held(e.New)); id != "" {
			return id
		}
	}
	return ""
}

// marks refuses a text that a mark of the journal holds, such as the name of a
// snapshot.
func (p *purge) marks() error {
	return p.m.store.Replay(disk.Pos{}, func(r disk.Record) error {
		if r.Kind != disk.Mark || !bytes.Contains(r.Data, []byte(p.text)) {
			return nil
		}
		return fail("purge", p.m.state, Invalid, fmt.Errorf("%s holds the text, and is never changed; give more of the text, or name the nodes that held it", markHolding(r.Data)))
	})
}

// markHolding says what a mark is that holds a text.
func markHolding(data []byte) string {
	r := merkle.NewReader(data)
	r.List()
	switch r.Text() {
	case markSnapshot:
		return "the name of a snapshot"
	case markHead:
		return "a signature, by chance,"
	case markDrift:
		return "the path of a file"
	case markGuard:
		return "the path or a title of a protected file"
	}
	return "a mark of the journal"
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
