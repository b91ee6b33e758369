// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/agents"
)

// defaultCommits is how many commits a log shows.
const defaultCommits = 20

func logTool(ctx context.Context, svc api.Service, req api.LogRequest, _ extra) (reply, error) {
	var err error
	if req.Limit, err = listed(req.Limit, defaultCommits); err != nil {
		return reply{}, err
	}
	commits, err := api.OpLog.Call(ctx, svc, req)
	if err != nil {
		return reply{}, err
	}
	var b strings.Builder
	for _, c := range commits {
		fmt.Fprintf(&b, "seq:%d %s %s by %s: %s\n", c.Seq, c.Time.UTC().Format(time.DateTime), c.Kind, c.Author, c.Message)
	}
	return reply{text: fmt.Sprintf("Commits, newest first: %d.\n%s", len(commits), fenced(b.String()))}, nil
}

func diffed(_ api.DiffRequest, d *api.Difference) reply { return reply{text: diffText(d)} }

func snapshots(_ api.None, list []api.Snapshot) reply {
	return reply{text: fmt.Sprintf("States to go back to: %d.\n%s", len(list), fenced(snapshotLines(list)))}
}

func withdrawn(_ agents.WithdrawRequest, p *agents.Proposal) reply {
	return reply{text: fmt.Sprintf("Withdrawn: proposal %q.", p.ID)}
}

func checkpointed(_ api.CheckpointRequest, c *api.Checkpoint) reply {
	return reply{text: fmt.Sprintf("Kept as %q: seq %d, %d nodes.", c.Name, c.Seq, c.Nodes), data: c}
}

func blamed(_ api.BlameRequest, lines *api.BlameResponse) reply {
	var b strings.Builder
	for _, l := range lines.Lines {
		fmt.Fprintf(&b, "%d seq:%d %s %s| %s\n", l.Line, l.Commit.Seq, l.Commit.Time.UTC().Format(time.DateOnly), l.Commit.Author, strings.TrimRight(l.Text, "\r\n"))
	}
	if len(lines.Gone) > 0 {
		fmt.Fprintf(&b, "%d commits are purged; their lines count as the next one's\n", len(lines.Gone))
	}
	return reply{text: fmt.Sprintf("Lines of %q: %d.\n%s", lines.ID, len(lines.Lines), fenced(b.String()))}
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

func rolledBack(_ api.RollbackRequest, r *api.RollbackResponse) reply { return wentBack("", *r) }

func restored(_ api.RestoreRequest, r *api.RestoreResponse) reply {
	return wentBack(fmt.Sprintf(" to checkpoint %q", r.Name), r.RollbackResponse)
}

func wentBack(to string, done api.RollbackResponse) reply {
	return reply{
		data: done,
		remark: fmt.Sprintf("Back%s: seq %d, %d files written, %d removed, %d differ from memory. Undo with rollback to 0.",
			to, done.Seq, len(done.RestoredFiles), len(done.RemovedFiles), len(done.Drift)),
	}
}

// reverted says what was taken back, and what of it later work did not let go.
func reverted(req api.RevertRequest, r *api.RevertResponse) reply {
	would, at := "", fmt.Sprintf(", seq %d", r.Seq)
	if req.DryRun {
		would, at = "would be ", ""
	}
	var b strings.Builder
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "%s of %s (%s): stands %q, lost %q by %s\n", c.Field, c.ID, c.Path, c.Kept, c.Lost, c.By)
	}
	told := fmt.Sprintf("%d commits %staken back%s, %d files, %d conflicts kept in their notes (resolve ends them).",
		len(r.Commits), would, at, len(r.Files), len(r.Conflicts))
	if len(r.Conflicts) > 0 {
		return reply{text: told + "\n" + fenced(b.String())}
	}
	return reply{data: r, remark: told}
}
