// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/oldview"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/window"
)

// readerOf returns the session of a call, false for one that is not held to what it has seen: of the
// owner, for what the owner accepted, or a repeated one.
func readerOf(ctx context.Context, l *Local) (*oldview.Reader, bool) {
	actor := author.ActorOf(ctx)
	agent, session := agentAndSession(ctx, l, "")
	r := &oldview.Reader{History: l.m.History(), By: author.Named(agent), Session: cmp.Or(actor.Session, l.scopes(ctx).Session)}
	r.Shown = func(use func(*window.Shown) *window.Shown) {
		fovea.WindowsOf(l.memex).Shown("whole\n"+session+"\n"+agent, use)
	}
	return r, agent != "" && actor.AcceptedBy == "" && l.known == ""
}

// saw notes that the answer to a call shows the whole text of nodes. What another call looks up for
// itself, nobody sees.
func saw(ctx context.Context, l *Local, nodes ...*node.Node) {
	if r, ok := readerOf(ctx, l); ok && len(nodes) > 0 && !l.call.Further {
		r.Saw(nodes...)
	}
}

// completeChange completes the answer to a change that the session has made of a node: with the lines of
// others that it has not seen, which then count as seen. sawAll reports that there are none.
func completeChange(ctx context.Context, l *Local, r *oldview.Reader, out *EditResponse, sawAll bool) error {
	v, err := l.seen(ctx)
	if err != nil {
		return err
	}
	n, ok := v.Get(out.ID)
	if !ok || n.Own.String() != out.Digest || !sawAll && r.Seen(out.ID).IsZero() {
		return nil
	}
	if !sawAll {
		lines, _, err := r.Unseen(ctx, n)
		if err != nil {
			return err
		}
		if out.Unseen = lines; len(strings.Join(lines, "")) > oldview.MaxUnseen {
			out.Unseen = []string{fmt.Sprintf("%d lines, which show has", len(lines))}
			return nil
		}
	}
	r.Saw(n)
	return nil
}

// replaces reports whether a change takes away text of a node: what only adds, or sets what stands beside the text, does not.
func (r *EditRequest) replaces(n *node.Node) bool {
	has := func(key string) bool {
		key, _, _ = strings.Cut(key, "=")
		isIt := func(a document.Attr) bool { return strings.EqualFold(a.Key, key) }
		return len(n.Derived.Property(key)) > 0 || slices.ContainsFunc(n.Attrs, isIt)
	}
	return r.Body != nil || r.Title != nil || len(r.Check)+len(r.Uncheck) > 0 ||
		slices.ContainsFunc(r.Property, has) || slices.ContainsFunc(r.RemoveProperty, has)
}
