// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"fmt"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/scope"
)

// noteRows are the verbs that change notes.
var noteRows = []*Row{
	row(api.OpRemember, Row{Wants: "a title",
		Long: `Remember adds a headline with an :ID: after the other children of a node, or at
the end of an Org file. A folder, with a slash at its end, means its file of the
month: agents/ada/2026-11.org, and once that has 256 KiB 2026-11-2.org. A note
by an agent records its author and time; an existing note is not written again.`,
		Example: `  fovea remember "Rivets come on Tuesday" --body "Lukas said so."
  git log -1 --format=%B | fovea remember "What changed today" --body -`,
	}, of[api.RememberRequest](showEdit)),
	row(api.OpEdit, Row{Wants: oneNode,
		Long: `Edit changes what you name and no other line. Keywords are logged as the file's
#+STARTUP says, and repeaters move on. An empty value removes the field: --todo
"", --deadline "", --body "". With --base a node that changed since it was read
is not touched; the error shows both sides.`,
		Example: `  fovea edit "Move the gauge firmware off LoRa" --todo DONE
  fovea edit projects/kaplja.org:12 --tag urgent --deadline "2026-03-01 +1w"
  fovea edit journal.org:3 --body @letter.txt`,
	}, of[api.EditRequest](showEdit)),
	row(api.OpRefile, Row{Verb: "refile NODE TARGET", Wants: "a node and its target",
		Long: `Refile moves a headline, with all below it, behind the other children of a
headline or of a document. Both files change, or none.`,
		Example: `  fovea refile "Pika at the vet" journal.org`,
	}, of[api.MoveRequest](showEdit)),
	row(api.OpArchive, Row{Verb: "archive NODE", Wants: oneNode,
		Long: `Archive moves a headline, with all below it, where Org would: to FILE_archive,
or where #+ARCHIVE or the property ARCHIVE says, with the properties that Org
adds.`,
		Example: `  fovea archive "Pika at the vet"`,
	}, of[api.MoveRequest](showEdit)),
	row(api.OpForget, Row{Verb: "forget NODE", Wants: oneNode,
		Long: `Forget takes a headline and all below it out of its file. History keeps them,
and no agent brings back a note of the same title and text.`,
		Example: `  fovea forget "Pika at the vet"`,
	}, of[api.MoveRequest](showForgotten)),
	{Verb: "id", Short: "List headlines without an id, or give them one",
		Long: `A headline without an :ID: goes by an id made from its file, titles and place,
which changes with them. Fovea writes ids into files only on this command.`},
	row(api.OpAssignIDs, Row{Verb: "id list [PATH]", Short: "List headlines without an id", Wants: "at most a file or folder",
		quotes: true, Example: "  fovea id list projects"}, showIDs),
	row(api.OpAssignIDs, Row{Verb: "id assign [NODE...]", Short: "Write an :ID: into headlines that have none",
		Example: `  fovea id assign "Pika at the vet"
  fovea id assign --all --path projects`,
	}, showIDs),
	row(api.OpIngest, Row{
		Long: `Ingest reads what changed and prints a line for each commit as it becomes
durable, then the status. Other verbs do the same silently.

With --ast it takes in nodes that stand in no file, as JSON: type, properties,
contents, raw-content. They reach a file by refile. The AST of a whole file is
an unsaved buffer: it lies over the file in --session until the file is saved.
Its root, of the type org-data, names the file by ID, PATH or FILE.`,
		Example: `  fovea ingest
  fovea ingest --accept-deletions --json
  echo '{"type":"headline","properties":{"TITLE":"Rain"}}' |
    fovea ingest --ast -`,
	}, of[api.IngestRequest](showStatus)),
	row(api.OpIngestTree, Row{Verb: "-"}, of[api.IngestTreeRequest](func(p *Page, r *api.IngestTreeResponse) {
		if r.Seq == 0 {
			p.Note("nothing to change")
		}
		p.Printf("commit %d  %s  %s\n", r.Seq, r.Scope, r.ID)
	})),
}

// showIDs shows the headlines without an id, or the ids that were written.
func showIDs(p *Page, req *api.AssignRequest, nodes []api.Node) {
	list[api.AssignRequest]("every headline has its own id", func(p *Page, n *api.Node) {
		if req.List {
			showNode(p, n)
		} else {
			p.Row(append([]Cell{Text(n.ID).In(ID)}, p.nodeCells(*n)...)...)
		}
	})(p, req, nodes)
}

func showEdit(p *Page, r *api.EditResponse) {
	switch {
	case showWould(p, r.Would):
	case r.Proposal != "":
		p.Printf("proposed  %s  %s\n", r.Proposal, r.Path)
		p.noteModel("nothing is written until the owner accepts it; fovea://review lists your proposals, history withdraw takes one back")
	case r.Known:
		p.Note("known already, nothing was written")
		p.Line(place(r.Path, r.Line), Text("  "), Text(r.ID).In(ID))
	case r.Seq == 0:
		p.Note("nothing to change")
	case r.Path == "":
		p.Printf("commit %d\n", r.Seq)
	default:
		p.Line(Text(fmt.Sprintf("commit %d  ", r.Seq)), place(r.Path, r.Line), Text("  "), Text(r.ID).In(ID))
	}
	if r.Digest == "" && r.Proposal == "" && r.Seq > 0 {
		p.noteModel("the note is not there any more")
	}
	showBesides(p, r)
}

// showBesides shows doubled ids, unseen lines and similar notes after a change.
func showBesides(p *Page, r *api.EditResponse) {
	if r.Doubled != "" {
		p.Note("%s", p.inNote(r.Doubled))
	}
	if len(r.Unseen) > 0 {
		p.fact("id %q, digest %s, seq %d", r.Handle, r.Digest, r.Seq)
	}
	for _, line := range r.Unseen {
		p.Quote("changed by others since this session saw it: %s", line)
	}
	for _, id := range r.Similar {
		p.Note("similar, at least %.0f%% of the words in common: %s", 100*r.SimilarFrom, p.inNote(id))
	}
	if len(r.Similar) > 0 {
		p.noteModel("next: read them; if one says the same, edit it and forget this one")
	}
}

func showForgotten(p *Page, r *api.EditResponse) {
	if p.model != nil && r.Proposal != "" {
		showEdit(p, r)
		return
	}
	if showWould(p, r.Would) {
		return
	}
	p.Printf("commit %d  removed from its file; fovea rollback 0 brings it back\n", r.Seq)
	p.noteModel("forgotten; rollback brings it back")
	showBesides(p, r)
}

// showWould shows what a dry run would change. It reports whether there was one.
func showWould(p *Page, d *api.Difference) bool {
	if d == nil {
		return false
	}
	if n := showDiff(p, d); p.model == nil { // an agent gets an empty one, whatever would change
		p.Note("a dry run: nothing was changed; %s would change", scope.Count(n, "node"))
	} else {
		p.Note("a dry run: nothing was changed")
	}
	return true
}

// Committed writes a commit of ingest as it becomes durable.
func (s *Stream) Committed(k api.Commit, asJSON bool) {
	if asJSON {
		_ = s.JSON(struct {
			Seq       uint64 `json:"seq"`
			Root      string `json:"root"`
			Documents int    `json:"documents"`
		}{k.Seq, k.Root, k.Documents})
	} else {
		s.Printf("commit %d  %s  %s\n", k.Seq, k.Message, short(k.Root))
	}
}
