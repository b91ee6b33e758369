// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/api"
)

type historyInput struct {
	Action string `json:"action"`
	ID     string `json:"id,omitempty" jsonschema:"log, blame: of this note"`
	Limit  int    `json:"limit,omitempty" jsonschema:"log: default 20"`
	From   string `json:"from,omitempty" jsonschema:"diff: snapshot, commit or date; default: newest snapshot"`
	To     string `json:"to,omitempty" jsonschema:"diff: default: now"`
	Text   bool   `json:"text,omitempty" jsonschema:"diff: with changed lines"`
	Name   string `json:"name,omitempty"`
}

// defaultCommits is how many commits a log shows.
const defaultCommits = 20

func historyTool(ctx context.Context, svc api.Service, in historyInput) (reply, error) {
	return historyActions.do(ctx, svc, in.Action, in)
}

var historyActions = actions[historyInput]{
	{"log", logAction},
	{"diff", act(api.OpDiff, func(in historyInput) api.DiffRequest {
		return api.DiffRequest{From: in.From, To: in.To, Text: in.Text}
	}, func(d *api.Difference) reply { return reply{text: diffText(d)} })},
	{"blame", act(api.OpBlame, func(in historyInput) api.BlameRequest { return api.BlameRequest{ID: in.ID} }, blameReply)},
	{"snapshots", act(api.OpSnapshots, func(historyInput) api.None { return api.None{} }, func(list []api.Snapshot) reply {
		return reply{text: fmt.Sprintf("States to go back to: %d.\n%s", len(list), fenced(snapshotLines(list)))}
	})},
	{"checkpoint", act(api.OpCheckpoint, func(in historyInput) api.CheckpointRequest {
		return api.CheckpointRequest{Name: in.Name}
	}, func(c *api.Checkpoint) reply {
		return reply{text: fmt.Sprintf("Kept as %q: seq %d, %d notes.", c.Name, c.Seq, c.Nodes), data: c}
	})},
}

func logAction(ctx context.Context, svc api.Service, in historyInput) (reply, error) {
	if in.Limit < 0 {
		return reply{}, misuse("limit is 0 or more")
	}
	limit := min(in.Limit, maxHits)
	if limit == 0 {
		limit = defaultCommits
	}
	commits, err := api.OpLog.Call(ctx, svc, api.LogRequest{ID: in.ID, Limit: limit})
	if err != nil {
		return reply{}, err
	}
	var b strings.Builder
	for _, c := range commits {
		fmt.Fprintf(&b, "seq:%d %s %s by %s: %s\n", c.Seq, c.Time.UTC().Format(time.DateTime), c.Kind, c.Author, c.Message)
	}
	return reply{text: fmt.Sprintf("Commits, newest first: %d.\n%s", len(commits), fenced(b.String()))}, nil
}

func blameReply(blamed *api.BlameResponse) reply {
	var b strings.Builder
	for _, l := range blamed.Lines {
		fmt.Fprintf(&b, "%d seq:%d %s %s| %s\n", l.Line, l.Commit.Seq, l.Commit.Time.UTC().Format(time.DateOnly), l.Commit.Author, strings.TrimRight(l.Text, "\r\n"))
	}
	if len(blamed.Gone) > 0 {
		fmt.Fprintf(&b, "%d commits are purged; their lines count as the next one's\n", len(blamed.Gone))
	}
	return reply{text: fmt.Sprintf("Lines of %q: %d.\n%s", blamed.ID, len(blamed.Lines), fenced(b.String()))}
}

func snapshotLines(list []api.Snapshot) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%d %s seq:%d %s %s\n", s.Index, s.Time.UTC().Format(time.DateTime), s.Seq, s.Name, s.Note)
	}
	return b.String()
}

// diffText says what lies between two moments, by kind of change.
func diffText(d *api.Difference) string {
	var b strings.Builder
	for _, part := range []struct {
		name  string
		nodes []api.Changed
	}{{"added", d.Added}, {"removed", d.Removed}, {"changed", d.Changed}, {"moved", d.Moved}} {
		for _, c := range part.nodes[:min(maxHits, len(part.nodes))] {
			fmt.Fprintf(&b, "%s: %s  id %s  %s\n%s", part.name, strings.Join(strings.Fields(c.Title), " "), c.ID, c.Path, c.Text)
		}
		if rest := len(part.nodes) - maxHits; rest > 0 {
			fmt.Fprintf(&b, "%s: %d more\n", part.name, rest)
		}
	}
	for _, path := range d.Lockdown {
		fmt.Fprintf(&b, "a protected file changed, and its owner has not accepted the change: %s\n", path)
	}
	return fmt.Sprintf("%d added, %d removed, %d changed, %d moved.\n%s", len(d.Added), len(d.Removed), len(d.Changed), len(d.Moved), fenced(b.String()))
}

type rollbackInput struct {
	Action  string   `json:"action"`
	To      string   `json:"to,omitempty" jsonschema:"snapshot, seq:N or date; default: newest"`
	Commits []string `json:"commits,omitempty" jsonschema:"revert: seq:N"`
	Author  string   `json:"author,omitempty" jsonschema:"revert: all by"`
	Since   string   `json:"since,omitempty" jsonschema:"revert: only later ones"`
	DryRun  bool     `json:"dry_run,omitempty" jsonschema:"revert: only say what"`
	ID      string   `json:"id,omitempty" jsonschema:"resolve: this note"`
	Take    string   `json:"take,omitempty" jsonschema:"resolve: ours or theirs"`
}

func rollbackTool(ctx context.Context, svc api.Service, in rollbackInput) (reply, error) {
	return rollbackActions.do(ctx, svc, in.Action, in)
}

var rollbackActions = actions[rollbackInput]{
	{"rollback", act(api.OpRollback, func(in rollbackInput) api.RollbackRequest {
		return api.RollbackRequest{To: in.To}
	}, func(r *api.RollbackResponse) reply { return wentBack("", *r) })},
	{"revert", revertAction},
	{"resolve", func(ctx context.Context, svc api.Service, in rollbackInput) (reply, error) {
		return written(api.OpResolve.Call(ctx, svc, api.ResolveRequest{ID: in.ID, Take: in.Take}))
	}},
	{"restore", act(api.OpRestore, func(in rollbackInput) api.RestoreRequest {
		return api.RestoreRequest{Name: in.To}
	}, func(r *api.RestoreResponse) reply {
		return wentBack(fmt.Sprintf(" to checkpoint %q", r.Name), r.RollbackResponse)
	})},
}

func revertAction(ctx context.Context, svc api.Service, in rollbackInput) (reply, error) {
	r, err := api.OpRevert.Call(ctx, svc, api.RevertRequest{Commits: in.Commits, Author: in.Author, Since: in.Since, DryRun: in.DryRun})
	if err != nil {
		return reply{}, err
	}
	return reverted(r, in.DryRun), nil
}

func wentBack(to string, done api.RollbackResponse) reply {
	return reply{
		text: fmt.Sprintf("Back%s: seq %d, %d files written, %d removed, %d differ from memory. Undo with rollback to 0.",
			to, done.Seq, len(done.RestoredFiles), len(done.RemovedFiles), len(done.Drift)),
		data: done,
	}
}

// reverted says what was taken back, and what of it later work did not let go.
func reverted(r *api.RevertResponse, dry bool) reply {
	would, at := "", fmt.Sprintf(", seq %d", r.Seq)
	if dry {
		would, at = "would be ", ""
	}
	var b strings.Builder
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "%s of %s (%s): stands %q, lost %q by %s\n", c.Field, c.ID, c.Path, c.Kept, c.Lost, c.By)
	}
	data := *r
	data.Conflicts = nil // they quote notes
	return reply{
		text: fmt.Sprintf("%d commits %staken back%s, %d files, %d conflicts kept in their notes (resolve ends them).\n%s",
			len(r.Commits), would, at, len(r.Files), len(r.Conflicts), fenced(b.String())),
		data: data,
	}
}
