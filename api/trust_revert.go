// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/author"
)

// revert lets an agent take back its own commits, where it may write and nobody has
// built on them. The request then holds only while nobody else commits.
func (t *trust) revert(ctx context.Context, op string, r RevertRequest) (any, error) {
	if slices.Contains(t.g.Operations, op) {
		return r, nil
	}
	newest, err := t.svc.Log(ctx, LogRequest{Limit: 1})
	if err != nil || len(newest) == 0 {
		return r, err
	}
	head := newest[0].Seq
	if r, err = t.ownCommits(ctx, op, r, head); err != nil {
		return r, err
	}
	r.Head = orElse(r.Head, head)
	trial := r
	trial.DryRun = true
	would, err := t.svc.Revert(ctx, trial)
	if err != nil {
		return r, err
	}
	for _, file := range would.Files {
		if err := t.writable(ctx, op, file); err != nil {
			return r, err
		}
	}
	for _, c := range would.Conflicts {
		return r, t.denied(op, c.ID, "somebody else has changed it since (%s); agent %s takes back only what it has done", c.Field, t.g.Agent)
	}
	return r, nil
}

// ownCommits makes a request one about the agent's commits, or refuses it. Commits
// have numbers up to head.
func (t *trust) ownCommits(ctx context.Context, op string, r RevertRequest, head uint64) (RevertRequest, error) {
	if len(r.Commits) == 0 {
		if by, err := author.Parse(r.Author); r.Author != "" && (err != nil || by != t.g.author()) {
			return r, t.denied(op, r.Author, "agent %s takes back only what it has done", t.g.Agent)
		}
		r.Author = t.g.author().String()
		return r, nil
	}
	oldest := head
	wanted := map[uint64]bool{}
	for _, name := range r.Commits {
		seq, ok := numbered(strings.TrimPrefix(name, "seq:"))
		if !ok {
			return r, t.denied(op, name, "an agent names commits by their numbers")
		}
		wanted[seq], oldest = true, min(oldest, seq)
	}
	log, err := t.svc.Log(ctx, LogRequest{Limit: int(head-oldest) + 1})
	if err != nil {
		return r, err
	}
	return r, t.alone(op, slices.DeleteFunc(log, func(c Commit) bool { return !wanted[c.Seq] }))
}
