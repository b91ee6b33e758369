// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/write"
)

// Bounds of one answer of Read.
const (
	MaxReadMessages = 64
	MaxReadBytes    = 1 << 20
)

// Read returns messages of the actor of ctx with their bodies, and marks the unread ones among
// them as read, in one commit: it marks exactly those that it returns. Without ids it returns the
// unread ones, oldest first, as many as fit an answer; left is the number of the others. Of opts,
// only Key is used: a repeated call returns the same bodies and marks nothing. The commit is zero
// if nothing was unread. Errors: NotFound (ErrNotYours), Invalid (too many ids), Conflict, and
// those of writing the file.
func (h *Hive) Read(ctx context.Context, opts *scope.WriteOptions, ids ...string) (read []Message, left int, c chain.Commit, err error) {
	me, err := h.caller(ctx, "read")
	if err != nil {
		return nil, 0, c, err
	}
	c, first, err := h.run(postal(ctx, h.scope, me), scope.Action{Name: "read", Key: opts.OrZero().Key}, func(w *change) error {
		var err error
		if read, left, err = w.hand(me, ids); err != nil {
			return err
		}
		return w.mark(read)
	})
	if err == nil && first != nil {
		var marked []string
		for i := range first.Delta {
			if r := &first.Delta[i]; r.Old != nil && r.New != nil && r.Old.Own != r.New.Own {
				marked = append(marked, r.ID)
			}
		}
		if len(ids) == 0 {
			ids = marked
		}
		read, err = readAgain(h.scope.Present(), me, ids)
	}
	if err != nil {
		return nil, 0, chain.Commit{}, err
	}
	return read, left, c, nil
}

// readAgain returns messages that are already marked as read.
func readAgain(state *graph.State, me string, ids []string) ([]Message, error) {
	var read []Message
	for _, id := range ids {
		m, err := ownMessage(state, me, id)
		switch {
		case err != nil:
			return nil, err
		case !m.Read:
			return nil, fault.Errorf("read", id, fault.Conflict, "the op was used to read other messages; use a new one")
		}
		read = append(read, m)
	}
	return read, nil
}

// ownMessage returns a message of an agent.
func ownMessage(state *graph.State, me, id string) (Message, error) {
	if n, ok := state.Get(id); ok {
		if m, ok := messageOf(n); ok && m.To == me {
			return m, nil
		}
	}
	return Message{}, fault.Wrap("read", id, fault.NotFound, ErrNotYours)
}

// hand chooses the messages to return, after reading their files again.
func (w *change) hand(me string, ids []string) (read []Message, left int, err error) {
	read, _, err = chosen(w.c.State(), me, ids)
	for i := 0; err == nil && i < len(read); i++ {
		_, err = w.read(read[i].Path)
	}
	if err != nil {
		return nil, 0, err
	}
	return chosen(w.c.State(), me, ids)
}

// Peek returns messages of the actor of ctx as Read does, but marks none. A caller whose answer
// may get lost passes their ids to Read once they have arrived. Errors: NotFound (ErrNotYours),
// Invalid (too many ids).
func (h *Hive) Peek(ctx context.Context, ids ...string) (read []Message, left int, err error) {
	me, err := h.caller(ctx, "read")
	if err != nil {
		return nil, 0, err
	}
	return chosen(h.scope.Present(), me, ids)
}

// chosen returns the named messages of an agent, or by default the unread ones that fit an answer.
func chosen(state *graph.State, me string, ids []string) (read []Message, left int, err error) {
	all := len(ids) == 0
	if len(ids) > MaxReadMessages {
		return nil, 0, fault.Errorf("read", me, fault.Invalid, "at most %d messages are read at once", MaxReadMessages)
	}
	if all {
		for _, m := range inbox(state, me, true) {
			ids = append(ids, m.ID)
		}
	}
	size, taken := 0, map[string]bool{}
	for i, id := range ids {
		m, err := ownMessage(state, me, id)
		if err != nil {
			return nil, 0, err
		}
		if taken[id] {
			continue
		}
		taken[id] = true
		if size += len(m.Body) + len(m.Subject); len(read) > 0 && (size > MaxReadBytes || len(read) == MaxReadMessages) {
			if all {
				return read, len(ids) - i, nil
			}
			return nil, 0, fault.Errorf("read", me, fault.Invalid, "the messages together are larger than %d bytes; read fewer at once", MaxReadBytes)
		}
		read = append(read, m)
	}
	return read, 0, nil
}

// mark marks messages as read. It parses only their own texts, not the whole file for each.
func (w *change) mark(read []Message) error {
	marked, paths := map[string]bool{}, map[string]bool{}
	for i := range read {
		if m := &read[i]; !m.Read {
			marked[m.ID], paths[m.Path], m.Read = true, true, true
		}
	}
	w.c.Action.Message = scope.Count(len(marked), "message") + " read"
	state, edit := w.c.State(), document.SetProperty{Key: keyRead, Value: w.c.Action.Now.UTC().Format(stampForm)}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		var text strings.Builder
		for _, n := range state.Nodes(path) {
			own := n.Content
			if marked[n.ID] {
				var err error
				if own, err = write.Edited(write.Parse(state, path, own), 0, w.c.Action.Now, edit); err != nil {
					return w.c.Fail(path, fault.Invalid, err)
				}
			}
			text.WriteString(own)
		}
		w.c.Put(path, text.String())
	}
	return nil
}
