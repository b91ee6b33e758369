// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place_test

import (
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// ofPlaces are the defects that the suite of placetest must find, and a test of a place that loses its answers.
var ofPlaces = []foveatest.Mutant{
	{"an object that is there is said to be created", "folder.go", "if errors.Is(err, fs.ErrExist) {",
		"if errors.Is(err, fs.ErrExist) {\n\t\t\treturn nil\n\t\t}\n\t\tif err != nil {"},
	{"another version is replaced", "folder.go", "} else if now != tag {", "} else if now == \"\" {"},
	{"one that is gone is replaced", "folder.go", "} else if now != tag {", "} else if now != tag && now != \"\" {"},
	{"all versions have one tag", "folder.go", "return data, tagOf(data), err", "return data, tagOf(nil), err"},
	{"what is not there is another error", "folder.go", "fmt.Errorf(\"%s: %w\", name, ErrNone)", "err"},
	{"a list has other names", "folder.go", "Objects(names, prefix)", "Objects(names, dir)"},
	{"what is gone cannot be removed", "folder.go", "return vfs.RemoveIfThere(f.in, name)", "return f.in.Remove(name)"},
	{"the largest object is refused", "folder.go", "info.Size() > MaxObject", "info.Size() >= MaxObject"},
	{"a pipe forgets the tag", "line.go", "p.Put(ctx, q.Name, q.Tag, q.Data)", "p.Put(ctx, q.Name, \"\", q.Data)"},
	{"a pipe does not say what was changed", "line.go", "errors.Is(err, ErrNone), errors.Is(err, ErrChanged)", "errors.Is(err, ErrNone), false"},
	{"a pipe lists all", "line.go", "p.List(ctx, q.Name)", "p.List(ctx, \"packs/\")"},
	{"a pipe removes nothing", "line.go", "err = p.Remove(ctx, q.Name)", "err = CheckObject(q.Name)"},
	{"a pipe does not say what else failed", "line.go", "a.Error = err.Error()", "a.Error = \"\""},
	{"a hidden file is an object", "place.go", "part == \"\" || part[0] == '.'", "part == \"\" || part == \"..\""},
	{"an object lies deeper", "place.go", "len(parts) > 2 {", "len(parts) > 3 {"},
	{"an answer that is lost is a failure", "push.go", "again != nil || tagOf(there) != next.Sum", "again == nil || tagOf(there) != next.Sum"},
}

// ofLogs are what the tests of remotes in package test must find.
var ofLogs = []foveatest.Mutant{
	{"what was purged stays there", "push.go", "gone > p.known.Gone || p.lacks", "p.lacks"},
	{"a piece that is gone is not missed", "push.go", "p.lacks = errors.Is(err, ErrNone); err != nil", "p.lacks = false; err != nil"},
	{"pieces are removed before the head", "push.go", "	if err := p.replace(next); err != nil {",
		"	p.before = p.known.Head\n	if err := p.drop(p.litterOf(next.Head)); err != nil {\n		return Pushed{}, err\n	}\n	if err := p.replace(next); err != nil {"},
	{"a log that went back is taken", "pull.go", "h.Count < have.Head.Count, h.Count == have.Head.Count && have.Sum != tagOf(data)", "h.Count == 0"},
	{"a damaged piece stays", "head.go", "err = p.to.Put(p.ctx, name, tag, data)", "err, _ = nil, tag"},
}

// TestCampaignOfMutants plants defects in the package, one at a time: the tests find each.
func TestCampaignOfMutants(t *testing.T) {
	c := foveatest.NewCampaign(t)
	foveatest.Mutants(t, ofPlaces[:c.Length(1, len(ofPlaces))], ".", "^(TestPlacesInMemory|TestHeadWithoutAnswer)$")
	const tests = "^TestRemote(Turns|Purged|MissingPiece|WriteArrivesLate|Refuses|DamagedPiece|PutBack|sMeet)$"
	foveatest.Mutants(t, ofLogs[:c.Length(0, len(ofLogs))], "../../test", tests)
}
