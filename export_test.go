// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"context"
	"errors"
	"time"

	"github.com/fovea-memory/fovea/internal/disk"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// SetFolder makes a memory read and write its memex in another file system.
func SetFolder(o *Options, in vfs.FS) { o.folder = in }

// SetBehind says how many bytes of journal lie behind the newest image.
func (m *Memory) SetBehind(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.replayed = bytes
}

// ImageDue is what Heartbeat decides by.
var ImageDue = imageDue

// Rewrite edits the files of the given nodes by functions of their text.
func (m *Memory) Rewrite(ctx context.Context, base merkle.Digest, ids []string, with func(path, text string) string) (Commit, error) {
	return m.edit(ctx, "edit", nil, func(e *editing) error {
		e.message = "rewritten"
		for _, id := range ids {
			n, err := e.node(ctx, id, base, func(doc *org.Document, _ int, _ time.Time) (string, error) { return with("", doc.Source), nil })
			if err != nil {
				return err
			}
			e.put(n.Path, with(n.Path, e.document(n.Path).Source))
		}
		return nil
	})
}

// RememberTogether keeps notes of these titles that came while another writer was
// busy.
func (m *Memory) RememberTogether(ctx context.Context, under string, titles ...string) error {
	var all []*noting
	for _, title := range titles {
		r := &noting{ctx: ctx, under: under, h: org.InsertHeadline{Title: title, Body: "of " + title}, author: m.actor(ctx).Author}
		if err := r.prepare(m); err != nil {
			return err
		}
		all = append(all, r)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rememberAll(all)
	var errs []error
	for _, r := range all {
		errs = append(errs, r.err)
	}
	return errors.Join(errs...)
}

// Reread lists the nodes whose items the next window reads anew, since that of an earlier
// view.
func (v *View) Reread() (ids []string) {
	for _, d := range v.tree.gap.replaced(v.state) {
		for _, n := range v.state.Nodes(d.Path) {
			if !d.Unchanged(n.ID) {
				ids = append(ids, n.ID)
			}
		}
	}
	return ids
}

// Fresh returns the same state with indexes made from nothing.
func (v *View) Fresh() *View { return (&Memory{}).newView(v.state, v.commit) }

// MergeStore is Merge of the state folder in a file system.
func (m *Memory) MergeStore(ctx context.Context, in vfs.FS, opts *RollbackOptions) (Commit, []string, []node.Conflict, error) {
	return m.mergeStore(ctx, in, "copy", opts)
}

// Follows is follows.
func Follows(c *graph.Commit, head Commit) error { return follows(c, head) }

// State returns the state that a view shows.
func (v *View) State() *graph.State { return v.state }

// ViewOf returns a view of a state.
func ViewOf(state *graph.State) *View { return (&Memory{}).newView(state, Commit{}) }

// Records calls fn with the kind and the data of each record of the history.
func (m *Memory) Records(fn func(kind disk.Kind, data []byte)) error {
	return m.store.Replay(disk.Pos{}, func(r disk.Record) error {
		fn(r.Kind, r.Data)
		return nil
	})
}
