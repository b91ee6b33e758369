// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/foreign"
	"github.com/fovea-memory/fovea/internal/scope"
)

// carryRows are the verbs that copy the memory, or notes, to other places and back.
var carryRows = append([]*Row{
	row(ops.OpMerge, Row{Verb: "merge COPY", Wants: "one state folder or memex",
		Long: `Merge applies the changes of another copy of this memory since both were one:
note by note and field by field, files included, all or none. COPY is the state
folder of the copy (see "fovea status") or, on this machine, its memex; run
"fovea ingest" there first. If both changed the same thing, one version wins and
the other is kept in the note as a conflict; see "fovea resolve". "fovea
rollback 0" undoes it. Nothing is written into the copy.`,
		Example: `  fovea merge /media/stick/state --dry-run
  fovea merge ~/laptop/memex
  fovea query tags-local:conflict`,
	}, showMerge),
	{Verb: "bundle", Short: "Put the memory with all its history into one file, and back",
		Long: `A bundle is one file with all notes, all history, snapshots and names; sessions
stay on their machine. It is sealed for this machine, and for those of seal_for
in the configuration, unless you give --plain.`},
	row(ops.OpBundleWrite, Row{Verb: "bundle write FILE", Wants: "a file",
		Long: `Write makes the file, or replaces an existing bundle. Keep a copy of the key of
this machine elsewhere ("fovea bundle key" prints its path): without it, nothing
that was sealed for this machine alone can be opened. With --since the file has
only the commits after that one.`,
		Example: "  fovea bundle write ~/backup/notes.fovea\n  fovea bundle write notes.car --plain",
	}, of[ops.BundleRequest](func(p *Page, b *ops.Bundle) {
		ShowBundle(p.Stream, b.Scopes)
		how := "sealed"
		if !b.Sealed {
			how = "plain: whoever has it can read it"
		}
		p.Note("wrote %s: %d bytes of history, %s", b.File, b.Bytes, how)
	})),
	row(ops.OpBundleRead, Row{Verb: "bundle read FILE", Wants: "a file",
		Long: `Read merges what the bundle has into this memory, files included, all or none.
With --replace the newest state of the bundle, which may be one of another
memory, becomes the present one. "fovea rollback 0" undoes either.`,
		Example: "  fovea bundle read laptop.fovea --dry-run\n  fovea bundle read yesterday.fovea --replace",
	}, of[ops.BundleReadRequest](showBrought)),
	{Verb: "remote", Short: "Keep the memory in step with other machines",
		Long: `A remote is a place that several machines reach: a folder, also one that a sync
program carries, a folder behind SSH, a bucket, a repository of git, or servers
of NATS. Each machine writes a log of its own there, so none can harm what
another one wrote, and seals it by a passphrase, unless you give --plain. While
a daemon runs, the machines stay in step by themselves.`},
	row(ops.OpRemotes, Row{Verb: "remote list", Example: "  fovea remote list"},
		list[api.None]("no remote yet; fovea remote add NAME URL adds one", func(p *Page, r *ops.Remote) {
			p.Row(Column(r.Name, 12), Column(r.Lag(), max(20, len(r.Lag()))), Text(r.URL))
		})),
	row(ops.OpRemoteAdd, Row{Verb: "remote add NAME URL", Wants: "a name and a URL",
		Long: `Add prepares the place, or joins one that another machine has prepared. URL is a
folder, ssh://HOST/FOLDER, a bucket as s3://BUCKET/PREFIX, with
?endpoint=https://HOST for another store than Amazon's, a repository as
git+ssh://HOST/PATH or git+https://HOST/PATH, or servers of NATS as
nats://HOST,HOST/NAME. The passphrase is needed once on each machine. A place
that holds another memory is refused.`,
		Example: `  fovea remote add stick /media/stick/notes --passphrase-file pass.txt
  fovea remote add box ssh://box.local/srv/notes --plain
  fovea remote add cloud s3://my-notes/fovea --passphrase-file pass.txt`,
	}, of[ops.RemoteAddRequest](func(p *Page, r *ops.Remote) {
		how := "sealed"
		if !r.Sealed {
			how = "plain"
		}
		p.Note("%s is %s, %s; fovea sync %s brings both in step", r.Name, r.URL, how, r.Name)
		if r.Keeps {
			p.Note("the bucket keeps versions: purged data stays there until a rule of the bucket deletes old versions")
		}
	})),
	row(ops.OpScrub, Row{Verb: "remote scrub [NAME]", Wants: "at most one remote", Example: "  fovea remote scrub team",
		Long: `Scrub compares what is there with what this machine wrote. A daemon does so
every day.`}, showScrubbed),
	row(ops.OpMembers, Row{Verb: "remote members NAME", Wants: "a remote", Example: "  fovea remote members team"},
		of[ops.RemoteRequest](showMembers)),
	row(ops.OpAdmit, Row{Verb: "remote admit NAME MEMBER KEY", Wants: "a remote, a member and its key",
		Example: "  fovea remote admit team box \"$(cat key.pub)\" --seal age1... --for ada",
		Long: `Admit puts a machine on the list of members of a remote, by the line of its file
key.pub. The first list makes this machine its owner. From then on a log that no
member signed is not merged, and from a member with --for only the changes of
these agents.`}, of[ops.AdmitRequest](showMembers)),
	row(ops.OpExpel, Row{Verb: "remote expel NAME MEMBER", Wants: "a remote and a member", Example: "  fovea remote expel team box"},
		of[ops.ExpelRequest](func(p *Page, r *ops.Members) {
			showMembers(p, r)
			p.Note("an expelled machine can still read what was pushed before, and what a machine pushes until it has seen this list;\n" +
				"in a plain remote, everything. With the credentials of the place it can still delete data there: change them")
		})),
	row(ops.OpRemoteRemove, Row{Verb: "remote remove NAME", Wants: "a remote", Example: "  fovea remote remove stick"},
		of[ops.RemoteRequest](func(p *Page, r *ops.Remote) { p.Note("forgot %s; what is at %s stays there", r.Name, r.URL) })),
	row(ops.OpExport, Row{Verb: "export KIND TARGET", Wants: "a kind and a target",
		Long: `Export writes notes as another program reads them: claude (a memory folder of
Claude Code), basic-memory, okf (Open Knowledge Format) and markdown make a
folder, one Markdown file for each Org file; jsonl makes a file of JSON objects,
one a line. TARGET must be new, or from an earlier export, which is replaced.`,
		Example: "  fovea export markdown ~/notes-markdown\n  fovea export jsonl notes.jsonl --query \"tags:house\"",
	}, of[ops.ExportRequest](func(p *Page, done *ops.Exported) {
		p.Printf("%s: %s in %s\n", done.To, scope.Count(done.Notes, "note"), scope.Count(done.Files, "file"))
		noteLost(p, done.Problems)
	})),
	row(ops.OpSync, Row{Wants: "at most one remote", Example: "  fovea sync\n  fovea sync stick",
		Long: `Sync merges the changes of other machines on the remote, as "fovea merge" does,
and then writes the new commits of this machine there.`}, showCarried),
	row(ops.OpPush, Row{Wants: "at most one remote", Example: "  fovea push stick\n  fovea push ipfs:"}, showCarried),
	row(ops.OpPull, Row{Wants: "at most one remote", Example: "  fovea pull stick\n  fovea pull ipfs:CID"}, showPulled),
}, importRows()...)

func showMerge(p *Page, req *ops.MergeRequest, r *ops.MergeResponse) {
	done := "merged"
	switch {
	case req.DryRun && len(r.Files) == 0:
		p.Printf("no file would change\n")
	case req.DryRun:
		done = "would merge"
	case r.Seq == 0:
		p.Printf("nothing new: this memory has all that the copy has\n")
	default:
		p.Printf("merged by commit %d, root %s\n", r.Seq, short(r.Root))
	}
	if req.MemoryOnly {
		done = "differs"
	}
	showMerged(p, &r.Merged, func(string) string { return done })
}

// ShowBundle shows the content of a bundle, a row for each scope.
func ShowBundle(out *Stream, scopes []ops.BundleScope) {
	for _, b := range scopes {
		out.Row(Column(b.Name, 20), Text(scope.Count(int(b.Seq), "commit")+", ends with "+b.Head.String()))
	}
}

// showBrought shows the commit, the files and the conflicts that came into each scope.
func showBrought(p *Page, brought []ops.Brought) {
	for _, b := range brought {
		if b.Seq > 0 {
			p.Printf("%s: commit %d, root %s\n", b.Scope, b.Seq, short(b.Root))
		}
		changed := "changed"
		if b.Would != nil {
			changed = "would change"
		}
		for _, f := range b.Files {
			p.Printf("%s  %s\n", changed, f)
		}
		showFiles(p, "left", b.Left)
		showConflicts(p, b.Conflicts)
		if !showWould(p, b.Would) && b.Seq == 0 && len(b.Files) == 0 {
			p.Note("%s: nothing new", b.Scope)
		}
	}
}

func showMembers(p *Page, r *ops.Members) {
	p.Note("list %d; with an empty list every log is merged", r.Number)
	for _, m := range r.List {
		p.Row(Column(m.Name, 12), Column(cmp.Or(strings.Join(m.Agents, ","), "owner"), 20), Text(m.Key))
	}
}

// showMachines shows the changes that came from other machines.
func showMachines(p *Page, machines []ops.Machine) {
	for _, m := range machines {
		if m.Problem != "" {
			p.Note("%s: %s", m.Name, m.Problem)
		}
		if len(m.Brought) > 0 {
			p.Printf("from %s:\n", m.Name)
			showBrought(p, m.Brought)
		}
	}
}

func showPulled(p *Page, _ *ops.SyncRequest, r *ops.SyncResponse) {
	showMachines(p, r.Machines)
	if !slices.ContainsFunc(r.Machines, func(m ops.Machine) bool { return m.Problem != "" || len(m.Brought) > 0 }) {
		p.Note("nothing new in %s", r.Remote)
	}
	if r.CID != "" {
		p.Printf("%s\n", r.CID)
	}
}

// showCarried shows what was pulled from a remote and pushed to it.
func showCarried(p *Page, req *ops.SyncRequest, r *ops.SyncResponse) {
	showMachines(p, r.Machines)
	showPushed(p, req, r)
}

func showScrubbed(p *Page, req *ops.SyncRequest, r *ops.SyncResponse) {
	showMachines(p, r.Machines)
	showFiles(p, "damaged", r.Damaged)
	p.Note("%s as written here; %d gone or damaged", scope.Count(r.Read, "object"), len(r.Damaged))
	showPushed(p, req, r)
}

func showPushed(p *Page, req *ops.SyncRequest, r *ops.SyncResponse) {
	if commits := scope.Count(int(r.Pushed), "commit"); req.DryRun {
		p.Note("a dry run: %s would be written to %s", commits, r.Remote)
	} else {
		p.Note("%s written to %s, %d bytes", commits, r.Remote, r.Bytes)
	}
	if r.CID != "" {
		p.Printf("%s\n", r.CID)
	}
}

// sources describes each kind of notes, with an example of its path.
var sources = []struct {
	kind                 foreign.Kind
	argument, of, sample string
}{
	{foreign.Claude, "FOLDER", "the memory that Claude Code has written in a project", "~/.claude/projects/-home-me-work/memory"},
	{foreign.BasicMemory, "FOLDER", "a project of basic-memory", "~/basic-memory"},
	{foreign.OKF, "FOLDER", "a folder in the Open Knowledge Format", "~/work/.okf"},
	{foreign.Markdown, "FOLDER", "a folder of Markdown, such as a vault of Obsidian", "~/vault"},
	{foreign.JSONLines, "FILE", "a file of JSON objects, one a line", "~/memories.jsonl"},
}

// importRows returns the verbs that take over notes of other programs, one for each kind.
func importRows() []*Row {
	rows := []*Row{{Verb: "import", Short: "Take over the memory of another program"}}
	for _, from := range sources {
		verb := "import " + string(from.kind)
		rows = append(rows, row(ops.OpImport, Row{Verb: verb + " " + from.argument, Short: "Take over " + from.of,
			Wants: "a " + strings.ToLower(from.argument),
			Long: `Each note becomes Org below imports/, with an id of its own, all in one commit.
Run it again at any time: notes that changed there are updated, except those
that also changed here or were removed here. Those are named, and so is
everything that could not be carried over.`,
			Example: "  fovea " + verb + " " + from.sample + "\n  fovea " + verb + " " + from.sample + " --dry-run",
		}, showImported))
	}
	return rows
}

func showImported(p *Page, req *ops.ImportRequest, done *ops.Imported) {
	p.Printf("%d added, %d updated, %d unchanged\n", done.Added, done.Updated, done.Unchanged)
	if req.DryRun {
		p.Note("nothing was written; run it without --dry-run to import")
	}
	if done.Seq > 0 {
		p.Note("commit %d; fovea revert %d takes it back", done.Seq, done.Seq)
	}
	for _, kept := range done.Kept {
		p.Note("kept as it is here: %s", OneLine(kept))
	}
	if n := len(done.Removed); n > 0 {
		p.Note("%s removed here and left out; --again brings them back", scope.Count(n, "note"))
	}
	noteLost(p, done.Problems)
}

// maxProblems limits the problems of an import or export that are noted.
const maxProblems = 10

// noteLost names what could not be carried over.
func noteLost(p *Page, problems []string) {
	for i, problem := range problems {
		if i == maxProblems {
			p.Note("and %d more; --json lists all", len(problems)-i)
			break
		}
		p.Note("%s", OneLine(problem))
	}
}
