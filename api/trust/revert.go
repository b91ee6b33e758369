// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package trust

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
)

// admitRevert lets an agent take back its own commits, where it may write and nobody has
// built on them. The request then holds only while nobody else commits.
func admitRevert(ctx context.Context, t *judge, r api.RevertRequest) (api.RevertRequest, error) {
	if t.isGranted() {
		return r, nil
	}
	head, err := t.head(ctx)
	if err != nil || head == 0 {
		return r, err
	}
	if r, err = t.ownCommits(ctx, r, head); err != nil {
		return r, err
	}
	r.Head = cmp.Or(r.Head, head)
	trial := r
	trial.DryRun = true
	would, err := api.Op[api.RevertRequest, *api.RevertResponse]{Operation: t.op}.Call(ctx, t.svc, trial)
	if err != nil {
		return r, err
	}
	for _, file := range would.Files {
		if err := t.writable(ctx, file); err != nil {
			return r, err
		}
	}
	for _, c := range would.Conflicts {
		return r, t.denied(c.ID, "somebody else has changed it since (%s); agent %s takes back only what it has done", c.Field, t.g.Agent)
	}
	return r, nil
}

// ownCommits makes a request one about the agent's commits, or refuses it. Commits
// have numbers up to head.
func (t *judge) ownCommits(ctx context.Context, r api.RevertRequest, head uint64) (api.RevertRequest, error) {
	if len(r.Commits) == 0 {
		if by, err := author.Parse(r.Author); r.Author != "" && (err != nil || by != t.g.Author()) {
			return r, t.denied(r.Author, "agent %s takes back only what it has done", t.g.Agent)
		}
		r.Author = t.g.Author().String()
		return r, nil
	}
	oldest := head
	wanted := map[uint64]bool{}
	for _, name := range r.Commits {
		seq, err := strconv.ParseUint(strings.TrimPrefix(name, "seq:"), 10, 63)
		if err != nil {
			return r, t.denied(name, "an agent names commits by their numbers")
		}
		wanted[seq], oldest = true, min(oldest, seq)
	}
	return r, t.aloneIn(ctx, oldest, head, func(seq uint64) bool { return wanted[seq] })
}
