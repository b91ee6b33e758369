// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/travel"
)

func revertCommits(ctx context.Context, l *Local, req RevertRequest) (*RevertResponse, error) {
	if len(req.Commits) > 0 == (req.Author != "" || req.Session != "") || len(req.Commits) > 0 && req.Since != "" {
		return nil, fault.Invalidf("revert", "name commits, an author (--author) or a session (--session); --since limits the last two")
	}
	since := req.Since
	var err error
	if _, number := numbered(since); number { // before the sync, which may add a snapshot
		if since, err = l.History().Resolve(ctx, since); err != nil {
			return nil, err
		}
	}
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	commits, err := commitsToRevert(ctx, l, req, since)
	if err != nil {
		return nil, err
	}
	opts := writeFiles(l, req.Skip, false)
	opts.Head = req.Head
	c, files, conflicts, err := l.History().Revert(ctx, commits, opts)
	if err != nil {
		return nil, err
	}
	if c.Seq != 0 { // a repeated request also finds its own commit and later ones
		commits = slices.DeleteFunc(commits, func(seq uint64) bool { return seq >= c.Seq })
	}
	_, removed := parted(ctx, l, c, files)
	return &RevertResponse{l.Merged(ctx, c, files, conflicts), commits, removed}, nil
}

// Merged returns what a merge did to the scope. Conflicts have U+FFFD for what is not UTF-8.
func (l *Local) Merged(ctx context.Context, c fovea.Commit, files []string, conflicts []Conflict) Merged {
	conflicts = list(conflicts)
	for i := range conflicts {
		k := &conflicts[i]
		for _, text := range []*string{&k.Path, &k.By, &k.Kept, &k.Lost} {
			*text = validText(*text)
		}
	}
	root := c.Root
	if c.Seq == 0 {
		root = l.On.View().Root()
	}
	return Merged{c.Seq, root.String(), list(files), c.Left, conflicts, l.Would(ctx, c)}
}

// commitsToRevert returns the numbers of the commits that a request names.
func commitsToRevert(ctx context.Context, l *Local, req RevertRequest, since string) ([]uint64, error) {
	var out []uint64
	for _, name := range req.Commits {
		if seq, ok := numbered(name); ok {
			out = append(out, seq)
			continue
		}
		ref, err := l.History().Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		seq, _ := numbered(strings.TrimPrefix(ref, "seq:"))
		out = append(out, seq)
	}
	if len(out) > 0 {
		slices.Sort(out)
		return slices.Compact(out), nil
	}
	var by author.Author
	if req.Author != "" {
		var err error
		if by, err = author.Parse(req.Author); err != nil {
			return nil, invalid("revert", err)
		}
	}
	commits, err := l.History().CommitsOf(ctx, by, req.Session, since)
	for _, c := range commits {
		out = append(out, c.Seq)
	}
	if err == nil && len(out) == 0 {
		err = fault.Wrap("revert", cmp.Or(req.Author, req.Session), fault.NotFound, noCommit(l, req.Session))
	}
	return out, err
}

// noCommit returns the error that there is nothing to revert. The own data of a session, such as working memory,
// has a separate history, whose commits are named by their numbers.
func noCommit(l *Local, session string) error {
	if names, err := l.Memex.Scopes(); err == nil && session != "" && slices.Contains(names, author.SessionPrefix+session) {
		return fmt.Errorf("has made no such commit in the memex; its own are in fovea log --session %s, and each is reverted by its number: "+
			"fovea revert NUMBER --session %[1]s", session)
	}
	return errors.New("has made no such commit; see fovea log")
}

func numbered(name string) (uint64, bool) {
	seq, err := strconv.ParseUint(name, 10, 63)
	return seq, err == nil
}

func resolveConflicts(ctx context.Context, l *Local, req ResolveRequest) (*EditResponse, error) {
	take, which := true, []int(nil)
	switch req.Take {
	case "", "ours":
		take = false
	case "theirs":
	default:
		n, err := strconv.Atoi(req.Take)
		if err != nil || n < 1 {
			return nil, fault.Invalidf("resolve", "cannot take %q; take ours, theirs, or the number of a conflict", req.Take)
		}
		which = []int{n - 1}
	}
	return changeNode(ctx, l, "resolve", req.ID, req.Base, nil, func(on *Local, id string, opts *fovea.WriteOptions) (fovea.Commit, error) {
		if n, ok := on.On.View().Get(id); ok && n.Parent == "" && on.On.View().CopyOf(n.Path) != "" && req.Take == "" {
			return travel.MergeCopy(ctx, on.History(), n.Path, opts)
		}
		return on.On.Notes().ResolveConflicts(ctx, id, opts, take, which...)
	})
}
