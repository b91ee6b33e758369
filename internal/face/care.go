// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
)

// careRows are the verbs that look after the memory.
var careRows = []*Row{
	row(api.OpFeedback, Row{Verb: "feedback [ID...]", Wants: "handles or ids of notes",
		Long: `Feedback records which of the notes shown for a question were useful: in a
window of an agent, named with --agent, or in a search for the words of
--question. Search and windows learn from it the weight of each arm of the score
in each top folder, as long as that helps with questions held back.`,
		Example: `  fovea feedback dcayq 3rdnote --question "when does the plumber come"
  fovea feedback --cites @answer.md --agent ada
  fovea feedback --not dcayq --window 17 --agent ada`,
	}, of[api.UsefulRequest](func(p *Page, g *api.UsefulResponse) {
		if g.Seq == 0 {
			p.Note("nothing can be learned from that: the question does not find these notes")
			return
		}
		p.Printf("%d useful, %d not, %d not mentioned; commit %d of the session %s\n", g.Useful, g.Not, g.Unsaid, g.Seq, g.Session)
	})),
	row(api.OpFeedbackStatus, Row{Verb: "feedback status", Example: "  fovea feedback status"},
		of[api.None](showLearned)),
	row(api.OpFeedbackReset, Row{Verb: "feedback reset", Example: "  fovea feedback reset"},
		of[api.None](func(p *Page, r *api.ResetResponse) {
			if r.Seq == 0 {
				p.Note("there is no feedback")
				return
			}
			p.Printf("forgotten; commit %d of the session %s\n", r.Seq, r.Session)
		})),
	row(api.OpStatus, Row{
		Long: `Status prints where the memory is kept, what it holds, which commit is the
newest and who signed it, and everything that needs attention.`,
		Example: "  fovea status\n  fovea status --all\n  fovea status --diagnostics",
	}, of[api.StatusRequest](showStatus)),
	row(api.OpVerify, Row{
		Long: `Verify replays the journal from nothing, hashes every block and node again,
checks every signature and compares. With --anchor the history must also have
each commit that a file of signed heads names ("fovea head" prints them), or it
is stale or forked. With --files each file must hold what the memory does. The
exit code is 4 if something is wrong. Content that a commit records as purged,
thinned or lost is reported, and is no error.`,
		Example: "  fovea verify --json\n  fovea verify --anchor anchors.txt",
		failed: func(answer any) error {
			if !answer.(*api.VerifyResponse).OK {
				return fault.Errorf("verify", "", fault.Corrupt, "not everything is as it should be")
			}
			return nil
		},
	}, of[api.VerifyRequest](func(p *Page, r *api.VerifyResponse) {
		verdict := "everything is as it should be"
		if !r.OK {
			verdict = "not " + verdict
		}
		p.Printf("%s: recomputed %d commits, blocks and nodes\n", verdict, r.Checked)
		showProblems(p, r.Problems)
	})),
	row(api.OpHead, Row{
		Long: `Head prints the newest commit as a note signed with the key of this machine.
Keep it where a program that changes the state folder cannot change it, for
"fovea verify --anchor".`,
		Example: "  fovea head >>anchors.txt",
	}, of[api.None](func(p *Page, h *api.Head) { fmt.Fprint(p, h.Note) })),
	row(api.OpProve, Row{Verb: "prove [ID]", Wants: "at most one node",
		Long: `Prove prints a proof that the note with these bytes is in memory, or was there
at a moment; with --absent, that no note with this id was there. The proof is
one line with the note and a signed head, and reveals no other note. With --from
it proves that the history of one signed head contains all of that of an earlier
one. Without Fovea, check it in a clone of the repository: "go run
./proof/verify FILE key.pub".`,
		Example: `  fovea prove 'Rain gauge' --at 2026-11-20 >gauge.proof
  fovea prove no-such-id --absent
  fovea prove --check gauge.proof`,
	}, of[api.ProofRequest](func(p *Page, proof *api.Proof) {
		fmt.Fprint(p, proof.Proof)
		p.Note("proved: %s; signed by %s", proof.Claim, proof.Key)
	})),
	row(api.OpCheckProof, Row{Verb: "-", quotes: true}, of[api.CheckProofRequest](func(p *Page, v *api.Verdict) {
		p.Folded("proved: "+v.Claim, 2, 0)
		fmt.Fprintf(p, "signed by %s\n", v.Key)
		if v.Note != "" {
			fmt.Fprintf(p, "\n%s", v.Note)
		}
	})),
	row(api.OpRepair, Row{
		Long: `Repair moves damaged files into the folder quarantine, keeps every block and
commit that verifies, takes lost blocks from images, and reads the folder. A
commit records what could not be recovered. The notes are not touched.`,
		Example: "  fovea repair --dry-run\n  fovea repair",
	}, of[api.RepairRequest](func(p *Page, r *api.RepairResponse) {
		showProblems(p, r.Plan)
		switch {
		case len(r.Plan) == 0:
			p.Printf("nothing to repair\n")
		case r.Done:
			p.Printf("repaired; commit %d, %s\n", r.Seq, short(r.Root))
		default:
			p.Printf("nothing was done; without --dry-run this is repaired\n")
		}
	})),
	row(api.OpRetain, Row{
		Long: `Retain keeps every moment of the history that is younger than --keep-all, the
last of each hour younger than --hourly, the last of each day (of UTC) younger
than --daily, the present one, and those with a snapshot. Content that only
other moments need is deleted for good; their commits stay in the log. Ages are
written as 12h, 7d, 4w or 1y.`,
		Example: "  fovea retain --keep-all 7d --hourly 30d --daily 365d --dry-run",
	}, func(p *Page, req *api.RetainRequest, r *api.RetainResponse) {
		p.Printf("%s%d moments thinned, %d blocks dropped\n", would(req.DryRun), r.Moments, r.Blocks)
	}),
	row(api.OpPurge, Row{Verb: "purge [ID...]", Wants: "ids of nodes",
		Long: `Purge removes every version of the nodes, under all the ids they went by and
with what was forgotten together with them, or every version that holds a text,
from journal, packs, images, quarantine and what Fovea recorded of agents. It
refuses while the notes still hold it: edit or forget first. The next push takes
it out of the remotes. The file system may keep deleted bytes for a while;
backups, bundles that were handed out, and what is on IPFS keep it.`,
		Example: `  fovea purge 50de58fa-1866-4ce4-8bb3-15eb06edc9b4
  pass show old-key | fovea purge --text -
  fovea purge --text "the door code" --dry-run`,
	}, showPurged),
}

// would begins a line about a dry run.
func would(dryRun bool) string {
	if dryRun {
		return "would be: "
	}
	return ""
}

func showPurged(p *Page, req *api.PurgeRequest, r *api.PurgeResponse) {
	p.Printf("%s%d versions purged\n", would(req.DryRun), r.Versions)
	if len(r.Remotes) > 0 {
		p.Note("%s may hold it until \"fovea push\" rewrites this machine's part; other machines purge theirs", strings.Join(r.Remotes, ", "))
	}
	if len(r.IPFS) > 0 {
		p.Note("these CIDs on IPFS may still hold it; \"ipfs pin rm\" releases them, copies elsewhere stay: %s", strings.Join(r.IPFS, " "))
	}
}

func showLearned(p *Page, st *api.LearnedStatus) {
	entries := "1 entry"
	if st.Entries != 1 {
		entries = fmt.Sprintf("%d entries", st.Entries)
	}
	p.Printf("%s, %d by the owner; %d times useful, %d not\n", entries, st.Owner, st.Useful, st.Not)
	for i := range st.Regions {
		r := &st.Regions[i]
		state := "on"
		switch {
		case !r.On:
			state = "off: " + r.Why
		case r.Owner == 0:
			state = "on, taught by agents alone"
		}
		p.Row(Column(cmp.Or(r.Folder, "(no folder)"), 20), Text(state))
		p.Printf("  %d questions, %d held back: nDCG %+.3f, standard error %.3f\n", r.Events, r.Held, r.Gain, r.Error)
		for _, name := range slices.Sorted(maps.Keys(r.Weights)) {
			p.Row(Column("", 2), Column(name, 12), Text(fmt.Sprintf("%+.3f", r.Weights[name])))
		}
	}
}

func showStatus(p *Page, s *api.Status) {
	p.Printf("memex      %s\nstate      %s\nroot       %s\n", s.Memex, s.StateDir, s.Root)
	embedder, baselines := s.Embedder, s.Baselines
	if s.PendingEmbeddings > 0 {
		embedder += fmt.Sprintf(", %d nodes wait", s.PendingEmbeddings)
	}
	if baselines != "" && baselines == s.Signature {
		baselines = "the same as the signature"
	}
	const few = 3
	missing := scope.First(s.Missing, few)
	if n := len(s.Missing); n > few {
		missing = fmt.Sprintf("%d files: %s", n, missing)
	}
	if missing != "" {
		missing += "; fovea restore --missing brings them back"
	}
	p.Printf("head       commit %d\nholds      %s in %s\n", s.Seq, scope.Count(s.Nodes, "node"), scope.Count(s.Documents, "document"))
	for _, row := range []struct {
		name, value string
		style       Style
	}{
		{"missing", missing, Problem},
		{"lockdown", strings.Join(s.Lockdown, ", "), Problem}, {"unreviewed", strings.Join(s.Unreviewed, ", "), Problem},
		{"drift", strings.Join(s.Drift, ", "), 0}, {"read-only", s.ReadOnly, Problem}, {"recovered", s.Recovered, Problem},
		{"history", s.Large, Problem}, {"config", s.Configuration, Problem}, {"embedder", embedder, 0},
		{"signed by", s.SignedBy, 0}, {"signature", s.Signature, 0}, {"baselines", baselines, 0},
	} {
		if row.value != "" {
			p.Folded(fmt.Sprintf("%-10s %s", row.name, OneLine(row.value)), len("signed by  "), row.style)
		}
	}
	switch {
	case len(s.DiagnosticList) > 0 && p.IsTerminal():
		p.Printf("\n")
		showProblems(p, s.DiagnosticList)
	case len(s.DiagnosticList) > 0:
		p.Printf("\n")
		for _, d := range s.DiagnosticList {
			p.Row(place(d.Path, d.Line), Text(d.Kind), Text(d.Message))
		}
	case s.Diagnostics > 0:
		p.Printf("problems   %d: see fovea status --diagnostics\n", s.Diagnostics)
	}
}

func showProblems(p *Page, problems []api.Problem) {
	for _, d := range problems {
		p.Folded(OneLine(fmt.Sprintf("%s: %s: %s", Place(d.Path, d.Line), d.Kind, d.Message)), 4, Problem)
	}
}
