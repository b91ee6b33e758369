// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/scope"
)

// historyRows are the verbs about history.
var historyRows = []*Row{
	row(api.OpLog, Row{Wants: "at most one node", quotes: true,
		Long: `Log prints number, time, kind, author and message of each commit, and in
brackets how many nodes it changed; with NODE, those that changed that one, also
before it was renamed or moved; with --session, what that conversation did.

With --since-last it prints what agents wrote since you last used this flag, and
how many proposals wait. It counts as seen once it is printed, with --json only
if --seen is given.`,
		Example: `  fovea log --limit 5
  fovea log "Pika at the vet"
  fovea log --since-last`,
	}, list[api.LogRequest]("nothing was committed yet", showCommit)),
	row(api.OpDiff, Row{Verb: "diff [FROM [TO]]", Wants: "at most two moments", quotes: true,
		Long: `Diff compares two moments: a snapshot's index or name, seq:N or a commit, a
date, or head. FROM defaults to snapshot 0, TO to head. With --session and no
moments it lists what the commits of that conversation changed, without what
others did between them.`,
		Example: `  fovea diff
  fovea diff before-move head --text
  fovea diff 2026-11-01 --json`,
	}, of[api.DiffRequest](showDifference)),
	row(ops.OpConversation, Row{Verb: "-", quotes: true}, showConversation),
	row(api.OpBlame, Row{Wants: oneNode, quotes: true,
		Long: `Blame prints before each line of a node's own text the number of the commit that
wrote it, the day, the author and the line's number in the file. It follows
renames and moves; a line that was restored belongs to its first author.`,
		Example: `  fovea blame "Pika at the vet"
  fovea blame projects/kaplja.org:12 --json`,
	}, of[api.BlameRequest](showBlame)),
	row(api.OpSnapshot, Row{Wants: "at most one name",
		Long: `Snapshot keeps the present state. A named one is kept for good; without a name
it counts as one of the twenty automatic ones.`,
		Example: `  fovea snapshot before-move
  fovea snapshot list`,
	}, of[api.SnapshotRequest](showSnapshot)),
	row(api.OpSnapshots, Row{Verb: "snapshot list", quotes: true, Example: "  fovea snapshot list --json"},
		list[api.None]("no snapshots yet: one is made before each change", showSnapshot)),
	row(api.OpRollback, Row{Wants: "one moment",
		Long: `Rollback makes an earlier state the present one as a new commit, and "fovea
rollback 0" undoes it. MOMENT is a snapshot's index (0 is the newest) or name,
seq:N, a commit, a date, yesterday. Files follow, also those that the folder has
lost; if one changed meanwhile or is open in an editor, nothing is done.`,
		Example: `  fovea rollback 0
  fovea rollback before-move --dry-run
  fovea rollback 2026-11-01 --memory-only`,
	}, of[api.RollbackRequest](showRollback)),
	row(api.OpRevert, Row{Wants: "commits, or --author or --session",
		Long: `Revert takes back the changes of an author's or a session's commits, or of those
named, and keeps later changes, files included. A change that later work builds
on stays, and the version before it is kept in the note as a conflict; see
"fovea resolve". "fovea rollback 0" undoes it. COMMIT is a number as the log
shows it, seq:N or a digest.`,
		Example: `  fovea revert --author mint --since 2026-11-20 --dry-run
  fovea revert --author mint
  fovea revert 41 42`,
	}, showRevert),
	row(api.OpResolve, Row{Wants: oneNode,
		Long: `Resolve removes the drawer CONFLICT and its tag from a node. The present text
stays, except with --take: theirs restores all lost values, a number that of one
conflict. A conflict copy that a sync program made of a file is merged into that
file, and removed.`,
		Example: `  fovea query tags-local:conflict
  fovea resolve "garden (conflicted copy).org"
  fovea resolve oak --take theirs`,
	}, of[api.ResolveRequest](showResolved)),
	driftRow("drift [FILE...]", "", `Drift is what a rollback with --memory-only leaves: files that differ from
memory on purpose. So do the notes of other machines that this one ignores or
does not read, and the ignore files of others. It lasts until the file changes,
or until "drift adopt" or "drift apply".`, "\n  fovea drift apply notes.org\n  fovea drift adopt --json"),
	driftRow("drift list [FILE...]", "List them, with both digests in JSON", "", ""),
	driftRow("drift adopt [FILE...]", "Take the content of the files into memory; all files by default", "", ""),
	driftRow("drift apply [FILE...]", "Write the content of memory into the files; all files by default", "", ""),
	row(api.OpCheckpoint, Row{Wants: "at most one name",
		Long: `Checkpoint writes an image of the whole state, so that the next start replays
nothing, and keeps the state under a name. No commit depends on it.

With --to ipfs the memory with all its history also goes to the IPFS daemon of
this machine, and the CID is printed: with it and a key, "fovea restore" or
"fovea clone" gets it back. It is sealed if the daemon is online, unless you
give --plain.`,
		Example: `  fovea checkpoint
  fovea checkpoint before-move
  fovea checkpoint --to ipfs`,
	}, func(p *Page, req *api.CheckpointRequest, c *api.Checkpoint) {
		showCheckpoint(p, c)
		p.noteModel("kept as %q", c.Name)
		for _, why := range c.Errors {
			p.noteModel("FAILED on IPFS: %s", why)
		}
		if req.To != "" && c.CID == "" && len(c.Errors) == 0 {
			p.noteModel("it is on this machine alone: no IPFS is set up")
		}
	}),
	row(api.OpRestore, Row{Verb: "restore [NAME | FILE...]", Wants: "one name, or files",
		Long: `Restore makes the state of a checkpoint, or of another named snapshot, the
present one as a new commit, as "fovea rollback" does.

With --missing it writes the files that the folder has lost and memory keeps;
with FILE those files, each in its newest version or as it was --at a moment.
All else stays as it is then. With --source ipfs it is what a CID names.`,
		Example: `  fovea restore --missing
  fovea restore inbox.org tasks.org --at 2026-11-01
  fovea restore --source ipfs --cid CID`,
	}, of[api.RestoreRequest](func(p *Page, done *api.RestoreResponse) {
		if done.Name != "" && done.Would == nil {
			p.Note("restored %s", p.inNote(done.Name))
		} else if done.Name == "" && len(done.RestoredFiles)+len(done.RemovedFiles) == 0 {
			p.Note("no file is missing; fovea restore FILE brings back one that was removed")
		}
		showRollback(p, &done.RollbackResponse)
	})),
}

func showCommit(p *Page, c *api.Commit) {
	p.Row(p.seq(5, c.Seq), p.when(c.Time), Column(c.Kind, 8), Column(c.Author, 8),
		Column(fmt.Sprintf("%s (%d)", c.Message, c.Changes), Rest))
}

// seq is the column of a commit's number. A model gets it in the form that tools take: to them a bare number is a snapshot.
func (p *Page) seq(width int, n uint64) Cell {
	if p.model != nil {
		return Text(fmt.Sprintf("seq:%d", n))
	}
	return Number(p.Stream, width, n).In(ID)
}

func showSnapshot(p *Page, s *api.Snapshot) {
	p.Row(Number(p.Stream, 3, s.Index), p.when(s.Time), Column("commit "+p.seq(0, s.Seq).Text, 13).In(ID),
		Text(cmp.Or(s.Name, "(automatic)")))
}

func showDifference(p *Page, d *api.Difference) {
	p.fact("%d added, %d removed, %d changed, %d moved.", len(d.Added), len(d.Removed), len(d.Changed), len(d.Moved))
	if showDiff(p, d) == 0 {
		p.Note("nothing changed")
	}
}

// showDiff shows a difference and returns the number of nodes in it.
func showDiff(p *Page, d *api.Difference) int {
	n := 0
	for _, g := range []struct {
		mark  string
		nodes []api.Changed
	}{{"+", d.Added}, {"-", d.Removed}, {"~", d.Changed}, {">", d.Moved}} {
		n += len(g.nodes)
		for i := range g.nodes[:p.listed(len(g.nodes), maxListed, " marked "+g.mark)] {
			showChanged(p, g.mark, &g.nodes[i])
		}
	}
	for _, path := range d.Lockdown {
		n++
		p.Printf("! a protected file changed, and its owner has not accepted the change  %s\n", path)
	}
	return n
}

func showChanged(p *Page, mark string, c *api.Changed) {
	title, was := cmp.Or(c.Title, "(untitled)"), "was "+c.Was
	style := map[string]Style{"+": Added, "-": Problem}[mark]
	if p.IsTerminal() {
		p.Row(Column(mark+" "+title, p.Stream.wide/2+2).In(style), place(c.Path, 0))
		if c.Was != "" { // on a separate line, since an id is never cut
			p.Row(Text("    " + was))
		}
	} else {
		cells := []Cell{Text(mark).In(style), Text(title).In(style), place(c.Path, 0)}
		if p.model != nil {
			cells = append(cells, Text("id "+c.ID))
		}
		if c.Was != "" {
			cells = append(cells, Text(was))
		}
		p.Row(cells...)
	}
	p.changes(c.Text, "    ")
}

// showConversation shows the commits of a session, with the scope of those outside the memex, or what they changed.
func showConversation(p *Page, req *ops.ConversationRequest, c *ops.Conversation) {
	if req.Changes {
		showDifference(p, c.Changes)
		return
	}
	list[ops.ConversationRequest]("no commit is of that session", func(p *Page, k *ops.SessionCommit) {
		c := k.Commit
		if k.Scope != "memex" {
			c.Message = k.Scope + ": " + k.Message
		}
		showCommit(p, &c)
	})(p, req, c.Commits)
}

func showBlame(p *Page, b *api.BlameResponse) {
	for _, l := range b.Lines {
		p.Row(p.seq(5, l.Commit.Seq), Text(l.Commit.Time.Local().Format(time.DateOnly)).In(When),
			Column(l.Commit.Author, 8), Number(p.Stream, 5, l.Line), Column(strings.TrimRight(l.Text, "\r\n"), Rest))
	}
	if len(b.Gone) == 0 {
		return
	}
	const few = 5
	var numbers []string
	for _, c := range b.Gone[:min(few, len(b.Gone))] {
		numbers = append(numbers, fmt.Sprint(c.Seq))
	}
	if more := len(b.Gone) - few; more > 0 {
		numbers = append(numbers, fmt.Sprintf("and %d more", more))
	}
	p.Note("history no longer has its text from commit %s: those changes are shown as part of the next commit", strings.Join(numbers, ", "))
}

// showRollback shows what happened to files, or would happen after a dry run.
func showRollback(p *Page, r *api.RollbackResponse) {
	restored, removed := restored, "removed"
	if r.Would != nil {
		restored, removed = "would restore", "would remove"
	} else {
		p.Printf("at commit %d, root %s\n", r.Seq, short(r.Root))
	}
	showFiles(p, restored, r.RestoredFiles)
	showFiles(p, removed, r.RemovedFiles)
	showFiles(p, "left", r.Drift)
	showFiles(p, "left", r.Left)
	if !showWould(p, r.Would) && len(r.RestoredFiles) > 0 {
		p.Note("%s written", scope.Count(len(r.RestoredFiles), "file"))
	}
	if r.Would == nil {
		p.noteModel("undo it with rollback to 0")
	}
}

// showFiles lists files after a label for what happened to them.
func showFiles(p *Page, became string, files []string) {
	for _, f := range files {
		p.Line(Text(fmt.Sprintf("%-8s  ", became)), place(f, 0))
	}
}

func showCheckpoint(p *Page, c *api.Checkpoint) {
	p.Printf("%s  commit %d, root %s\nholds  %s in %s\nimage  %s\n",
		c.Name, c.Seq, short(c.Root), scope.Count(c.Nodes, "node"), scope.Count(c.Documents, "document"), c.Image)
	if c.CID == "" {
		return
	}
	how := "plain: whoever has the CID can read it"
	if c.Sealed {
		how = "sealed"
	}
	p.Folded(fmt.Sprintf("ipfs   %s (%s)", c.CID, how), len("ipfs   "), 0)
	if c.Archive != "" && c.Archive != c.CID {
		p.Printf("with all history  %s\n", c.Archive)
	}
}

func showRevert(p *Page, req *api.RevertRequest, r *api.RevertResponse) {
	switch commits := scope.Count(len(r.Commits), "commit"); {
	case req.DryRun:
		p.Printf("would take back %s\n", commits)
	case r.Seq == 0:
		p.Printf("nothing of %s was left to take back\n", commits)
	default:
		p.Printf("took back %s by commit %d, root %s\n", commits, r.Seq, short(r.Root))
	}
	showMerged(p, &r.Merged, func(file string) string {
		switch removed := slices.Contains(r.Removed, file); {
		case req.DryRun && removed:
			return "would remove"
		case req.DryRun:
			return "would change"
		case removed:
			return "removed "
		}
		return "restored"
	})
}

// showMerged shows each file with its change, the files left alone, and the conflicts.
func showMerged(p *Page, m *api.Merged, done func(file string) string) {
	for _, f := range m.Files {
		p.Line(Text(done(f)+"  "), place(f, 0))
	}
	showFiles(p, "left", m.Left)
	showConflicts(p, m.Conflicts)
	showWould(p, m.Would)
}

func showConflicts(p *Page, conflicts []api.Conflict) {
	for _, c := range conflicts {
		if p.model == nil {
			p.Line(Text("conflict  ").In(Problem), Text(c.Field+" of "), Text(c.ID).In(ID), Text(" in "), place(c.Path, 0))
		} else {
			p.Quote("conflict  %s of %s in %s: stands %q, lost %q by %s", c.Field, c.ID, c.Path, c.Kept, c.Lost, c.By)
		}
	}
	if len(conflicts) > 0 {
		p.noteModel("%s kept in their notes; resolve ends them", scope.Count(len(conflicts), "conflict"))
	}
}

func showResolved(p *Page, e *api.EditResponse) {
	switch {
	case p.model != nil:
		showEdit(p, e)
	case showWould(p, e.Would):
	case e.Path == "":
		p.Printf("deleted\n")
	default:
		p.Line(Text("resolved  "), place(e.Path, e.Line))
	}
}

// restored labels a file that was reset to its content in memory.
const restored = "restored"

// driftRow returns the row of a verb that lists or ends drift.
func driftRow(verb, short, long, examples string) *Row {
	words, _, _ := strings.Cut(verb, " [")
	return row(api.OpDrift, Row{Verb: verb, Short: short, Long: long, Example: "  fovea " + words + examples, Wants: "files"},
		func(p *Page, req *api.DriftRequest, r *api.DriftResponse) {
			done := cmp.Or(map[string]string{"adopt": "adopted", "apply": restored}[req.Action], "differs")
			for _, d := range r.Drift {
				done, note := done, ""
				switch {
				case done == restored && d.Memory == "":
					done = "removed" // also if there was no such file
				case d.File == "":
					note = "(there is no such file)"
				case d.Memory == "":
					note = "(memory has no such document)"
				}
				p.Row(Column(done, len(restored)), place(d.Path, 0), Text(note))
			}
			if len(r.Drift) == 0 {
				p.Note("no file differs from memory on purpose")
			}
		})
}
