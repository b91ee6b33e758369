// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write_test

import (
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// mutants are what TestCampaignOfGroups must find, and TestReadTwice the one about files that changed meanwhile.
var mutants = []foveatest.Mutant{
	{"the intent is not announced", "operation.go",
		"if err := ctx.Err(); err != nil || len(o.staged) == 0 {", "if err := ctx.Err(); err != nil || len(o.staged) >= 0 {"},
	{"files are written before the intent", "operation.go",
		"if err := o.announce(ctx); err != nil {",
		"if len(o.staged) > 0 {\n\t\tif err := o.staged[0].Apply(); err != nil {\n\t\t\treturn err\n\t\t}\n\t\to.staged = o.staged[1:]\n\t}\n" +
			"\tif err := o.announce(ctx); err != nil {"},
	{"commits are made before the files", "group.go",
		"\tif err := op.write(ctx); err != nil {\n\t\treturn err\n\t}\n\tif !g.kept && len(op.writes) == 0 && g.w.scope.Chain.Head().Commit.Seq > 0 {\n" +
			"\t\tg.all.Defer()\n\t}\n\tdone, err := g.tx.Publish(ctx, g.all)\n",
		"\tdone, err := g.tx.Publish(ctx, g.all)\n\tif err == nil {\n\t\terr = op.write(ctx)\n\t}\n"},
	{"the marks of drift are left out", "operation.go",
		"append(o.w.scope.DriftMarks(o.paths(), nil), s.Marks...)...)", "s.Marks...)"},
	{"splices are made in the order of their text", "step.go",
		"for i := range in.steps {\n\t\tput", "in.steps[0], in.steps[1] = in.steps[1], in.steps[0]\n\tfor i := range in.steps {\n\t\tput"},
	{"a key that is repeated in a group runs again", "group.go",
		"r.action.Key != \"\" && slices.ContainsFunc(g.of, func(o *request) bool { return o.action.Key == r.action.Key })",
		"false && slices.Contains(g.of, r)"},
	{"a file that changed meanwhile is overwritten", "group.go",
		"Next: corpus.Next{Text: f.text}})\n",
		"Next: corpus.Next{Text: f.text}})\n\t\tif now, _, err := g.w.scope.Root.Read(f.path, 0); err == nil {\n" +
			"\t\t\twrites[len(writes)-1].Base = merkle.SumText(now)\n\t\t}\n"},
	{"the marks of a change are lost", "change.go", "last := Step{Marks: c.marks}", "last := Step{}"},
	{"recovery loses documents without files", "step.go", "putTrees(draft, s.trees); err", "putTrees(draft, nil); err"},
	{"what is taken back forgets a file", "settle.go",
		"if at != atNext && at != torn {", "if at != atNext && at != torn || i == 0 && len(in.files) > 1 {"},
	{"what a room refuses is made", "change.go", "if c.Check != nil {", "if c.Check != nil && false {"},
	{"an agent writes what is not its own", "change.go",
		"if err := c.in.w.rights.MayWrite(c.ctx, c.Action, c.in.place, path); err != nil {\n\t\treturn \"\", false, err\n\t}", ""},
	{"a dry run writes", "group.go", "if r.action.DryRun {\n", "if r.action.DryRun && len(c.paths) == 0 {\n"},
	{"a group fails for one of its changes", "writer.go", "err != nil && taken > 1 {", "err != nil && taken > 256 {"},
	{"what was cut short is not taken back", "settle.go", "left := w.takeBack(in)\n", "left := w.takeBack(&Intent{})\n"},
}

// TestCampaignOfMutants plants defects in the package, one at a time: the tests find each.
func TestCampaignOfMutants(t *testing.T) {
	n := foveatest.NewCampaign(t).Length(1, len(mutants))
	foveatest.Mutants(t, mutants[:n], ".", "^(TestCampaignOfGroups|TestReadTwice)$",
		"-rapid.nofailfile", "-rapid.shrinktime=1s", "-rapid.seed=1", "-rapid.checks=60")
}
