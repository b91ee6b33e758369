// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
)

// maxForgotten is the maximum number of nodes that an agent may forget at once.
const maxForgotten = 1000

// own refuses a node unless the agent alone wrote it and everything below it.
func (t *judge) own(ctx context.Context, n *api.Shown) error {
	rest := []string{n.ID}
	for i := 0; i < len(rest); i++ {
		if i == maxForgotten {
			return t.denied(n.ID, "it holds more than %d nodes; forget parts of it", maxForgotten)
		}
		log, err := api.OpLog.Call(ctx, t.svc, api.LogRequest{ID: rest[i]})
		if err != nil {
			return err
		}
		if err := t.alone(log); err != nil {
			return err
		}
		below, err := api.OpShow.Call(ctx, t.svc, api.ShowRequest{ID: rest[i]})
		if err != nil {
			return err
		}
		rest = append(rest, below.Children...)
	}
	return nil
}

// alone refuses commits by others.
func (t *judge) alone(log []api.Commit) error {
	for _, c := range log {
		if c.AuthorKind != author.Agent.String() || c.Author != t.g.Author().String() {
			return t.denied(fmt.Sprintf("commit %d", c.Seq), "is by %s; agent %s takes back only what it has done", c.Author, t.g.Agent)
		}
	}
	return nil
}

// aloneIn refuses the chosen commits from first to head if one is by others.
func (t *judge) aloneIn(ctx context.Context, first, head uint64, meant func(seq uint64) bool) error {
	if first > head {
		return nil
	}
	log, err := api.OpLog.Call(ctx, t.svc, api.LogRequest{Limit: int(head-first) + 1})
	if err != nil {
		return err
	}
	return t.alone(slices.DeleteFunc(log, func(c api.Commit) bool { return c.Seq < first || c.Seq > head || !meant(c.Seq) }))
}

// head returns the number of the newest commit, 0 if there is none.
func (t *judge) head(ctx context.Context) (uint64, error) {
	newest, err := api.OpLog.Call(ctx, t.svc, api.LogRequest{Limit: 1})
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	return newest[0].Seq, nil
}

// admitRollback lets an agent undo its own commits since a snapshot or a commit, if they are the only ones. The request
// then fails if others commit first.
func admitRollback(ctx context.Context, t *judge, r api.RollbackRequest) (api.RollbackRequest, error) {
	if t.isGranted() {
		return r, nil
	}
	head, err := t.head(ctx)
	if err != nil || head == 0 {
		return r, err
	}
	to, err := t.moment(ctx, cmp.Or(r.To, "0"))
	if err != nil {
		return r, err
	}
	r.Head = head
	if err := t.aloneIn(ctx, to+1, head, func(uint64) bool { return true }); err != nil {
		return r, err
	}
	r.To = "seq:" + strconv.FormatUint(to, 10)
	return r, nil
}

// moment returns the number of the commit that a snapshot or a number names.
func (t *judge) moment(ctx context.Context, name string) (uint64, error) {
	if number, ok := strings.CutPrefix(name, "seq:"); ok {
		if seq, err := strconv.ParseUint(number, 10, 63); err == nil {
			return seq, nil
		}
	}
	list, err := api.OpSnapshots.Call(ctx, t.svc, api.None{})
	if err != nil {
		return 0, err
	}
	for _, s := range list {
		if strconv.Itoa(s.Index) == name || s.Name != "" && s.Name == name {
			return s.Seq, nil
		}
	}
	return 0, t.denied(name, "an agent names a snapshot, or seq: and the number of a commit")
}

// admitRevert lets an agent revert its own commits, where it may write and nobody has built on them. The request then
// fails if others commit first.
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

// ownCommits limits a request to the agent's commits up to head, or refuses it.
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
