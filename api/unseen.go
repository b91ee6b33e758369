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
	"github.com/fovea-memory/fovea/internal/linediff"
	"github.com/fovea-memory/fovea/node"
)

// maxUnseen is the maximum number of bytes of unseen text that an answer or an error shows.
const maxUnseen = 64 << 10

// reader is the session of an agent: what it has seen is what it may replace.
type reader struct {
	*Local  // over the scope of the node
	key     string
	by      author.Author
	session string // that its commits have
}

// reader returns the session of a call, false for one that is not held to what it has seen: of the
// owner, for what the owner accepted, or a repeated one.
func (l *Local) reader(ctx context.Context) (*reader, bool) {
	actor := author.ActorOf(ctx)
	agent, session := agentAndSession(ctx, l, "")
	r := &reader{l, "whole\n" + session + "\n" + agent, author.Named(agent), cmp.Or(actor.Session, l.scopes(ctx).Session)}
	return r, agent != "" && actor.AcceptedBy == "" && l.known == ""
}

// saw notes that the answer to a call shows the whole text of nodes. What another call looks up for
// itself, nobody sees.
func (l *Local) saw(ctx context.Context, nodes ...*node.Node) {
	if r, ok := l.reader(ctx); ok && len(nodes) > 0 && !l.call.Further {
		fovea.Saw(l.memex, r.key, nodes...)
	}
}

// wrote reports whether the session made a commit.
func (r *reader) wrote(c *fovea.Commit) bool { return c.Author == r.by && c.Session == r.session }

// unseen returns the lines of a node that others wrote and the session has not seen, each after
// "+", and after "-" what it saw and is not there any more. saw reports whether it has seen any
// version. It costs nothing for the text that the session saw last, else a read for each version.
func (r *reader) unseen(ctx context.Context, n *node.Node) (lines []string, saw bool, err error) {
	digest := fovea.Seen(r.memex, r.key, n.ID)
	if digest == n.Own {
		return nil, true, nil
	}
	var before []string
	if old, err := r.m.History().Version(ctx, n.ID, digest); err == nil && !digest.IsZero() {
		before, saw = linediff.Split(old.Content), true
	}
	now, by, _, err := r.m.History().Blame(ctx, nil, n.ID)
	for _, h := range linediff.Diff(before, now) {
		for _, line := range before[h.Start:h.End] {
			lines = appendLine(lines, "-", line)
		}
		for i := h.NewStart; i < h.NewEnd; i++ {
			if !r.wrote(&by[i]) {
				lines = appendLine(lines, "+", now[i])
			}
		}
	}
	return lines, saw, err
}

// appendLine appends a line, unless it is blank.
func appendLine(lines []string, mark, line string) []string {
	if line = strings.TrimSpace(validText(line)); line != "" && line != ":PROPERTIES:" && line != ":END:" {
		lines = append(lines, mark+line)
	}
	return lines
}

// requireSeen refuses to replace or remove the text of a node, and with op of all below it, as long
// as others wrote in it what the session has not seen. The error shows that text, which then
// counts as seen. What stands below and only moves may be text that the session never saw.
func (r *reader) requireSeen(ctx context.Context, op string, top *node.Node) error {
	v, err := r.seen(ctx)
	if err != nil {
		return err
	}
	var lines []string
	var text strings.Builder
	var shown []*node.Node
	for rest := []*node.Node{top}; len(rest) > 0 && text.Len() <= maxUnseen; rest = rest[1:] {
		n := rest[0]
		for _, id := range n.Kids {
			if kid, ok := v.Get(id); ok && op != "edit" && op != "resolve" {
				rest = append(rest, kid)
			}
		}
		unseen, saw, err := r.unseen(ctx, n)
		if err != nil {
			return err
		}
		if len(unseen) == 0 || !saw && n != top && op != "forget" {
			continue
		}
		lines = append(lines, unseen...)
		text.WriteString(strings.TrimRight(legible(n), "\n") + "\n")
		if text.Len() <= maxUnseen {
			shown = append(shown, n)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	fovea.Saw(r.memex, r.key, shown...)
	const named = 8
	return &fovea.Error{Op: op, What: top.ID, Kind: fovea.Conflict, Theirs: text.String(), Err: fmt.Errorf(
		"nothing was changed, because others changed %d lines of it that this session has not seen: %q; take them into account and change it again",
		len(lines), lines[:min(named, len(lines))])}
}

// changed completes the answer to a change that the session has made of a node: with the lines of
// others that it has not seen, which then count as seen. sawAll reports that there are none.
func (r *reader) changed(ctx context.Context, out *EditResponse, sawAll bool) error {
	n, ok := r.m.View().Get(out.ID)
	if !ok || n.Own.String() != out.Digest || !sawAll && fovea.Seen(r.memex, r.key, out.ID).IsZero() {
		return nil
	}
	if !sawAll {
		lines, _, err := r.unseen(ctx, n)
		if err != nil {
			return err
		}
		if out.Unseen = lines; len(strings.Join(lines, "")) > maxUnseen {
			out.Unseen = []string{fmt.Sprintf("%d lines, which show has", len(lines))}
			return nil
		}
	}
	fovea.Saw(r.memex, r.key, n)
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
