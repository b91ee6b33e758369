// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package face

import (
	"cmp"

	"github.com/fovea-memory/fovea/api"
)

const onePath = "the path of a protected file"

// guardRows are the verbs about protected files.
var guardRows = []*Row{
	{Verb: "guard", Short: "Review what other programs changed in protected files",
		Long: `Protected files, such as skills, are compared with what their owner trusted each
time they are read. One that another program changed is locked down, or marked
as unreviewed, until its owner decides.`},
	row(api.OpGuard, Row{Verb: "guard list", Example: "  fovea guard list"}, of[api.None](func(p *Page, r *api.Protection) {
		for _, f := range r.Files {
			reason := f.Reason
			if reason != "" {
				reason = "(" + reason + ")"
			}
			p.Row(Column(f.Mode, 8), Column(f.State, 10), place(f.Path, 0), Text(reason))
		}
		if len(r.Files) == 0 {
			p.Printf("no file is protected\n")
		}
	})),
	row(api.OpGuardDiff, Row{Verb: "guard diff PATH", Wants: onePath, quotes: true,
		Example: "  fovea guard diff skills/plan.org\n  fovea guard diff skills/plan.org --brief"},
		of[api.GuardDiffRequest](func(p *Page, d *api.GuardDiff) {
			p.Printf("%s: %s\nsha256   %s\ntrusted  %s\n", d.Path, d.State, cmp.Or(d.SHA256, "(none)"), cmp.Or(d.Trusted, "(none)"))
			for _, c := range d.Changes {
				p.Printf("\n%s %s: %s\n", c.What, c.Kind, cmp.Or(c.Where, "(the file itself)"))
				p.changes(c.Text, "    ")
			}
		})),
	decisionRow(api.OpGuardAdopt, "adopt", `Adopt makes what the file holds now the trusted text. --sha256 gives what guard
diff printed: a file that changed since is refused.`),
	decisionRow(api.OpGuardReject, "reject", `Reject writes the trusted bytes back, or removes a file that was never trusted.
What the file held stays in history.`),
	row(api.OpGuard, Row{Verb: "guard policy", Short: "Print the patterns that protect files", Example: "  fovea guard policy",
		Long: `Policy prints each pattern behind its mode. The first group of patterns with one
that matches decides; a file that none matches is trusted.`},
		of[api.None](func(p *Page, r *api.Protection) {
			for _, line := range r.Policy {
				p.Printf("%s\n", line)
			}
		})),
}

func decisionRow(op api.Op[api.GuardRequest, *api.GuardDecision], name, long string) *Row {
	return row(op, Row{Verb: "guard " + name + " PATH", Long: long, Example: "  fovea guard " + name + " skills/plan.org", Wants: onePath},
		func(p *Page, req *api.GuardRequest, d *api.GuardDecision) {
			if d.Seq == 0 {
				p.Printf("it has its trusted content; there was nothing to decide\n")
				return
			}
			p.Printf("%sed %s; commit %d\n", name, req.Path, d.Seq)
		})
}
