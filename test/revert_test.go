// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
)

const revertA, revertB = "* A\n:PROPERTIES:\n:ID: a\n:END:\none\n", "* B\n:PROPERTIES:\n:ID: b\n:END:\n"

// seqs lists the numbers of what an author did.
func (w *world) seqs(by string) []uint64 {
	w.t.Helper()
	commits, err := w.m.History().CommitsOf(w.t.Context(), author.Named(by), "", "")
	if err != nil {
		w.t.Fatal(err)
	}
	var out []uint64
	for _, c := range commits {
		out = append(out, c.Seq)
	}
	return out
}

// edit changes a node as somebody.
func (w *world) edit(by, id string, edits ...document.Edit) {
	w.t.Helper()
	if _, err := w.m.Notes().Edit(fovea.WithActor(w.t.Context(), author.Actor{Author: author.Named(by), May: anywhere}), id, nil, edits...); err != nil {
		w.t.Fatal(err)
	}
}

func TestRevertTakesBackOneAuthor(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": revertA, "b.org": revertB})
	w.ingest()
	w.edit("mint", "a", document.SetTitle{Title: "Pwned"}, document.AppendBody{Text: "two, by mint"})
	w.edit("ann", "a", document.SetTodo{Keyword: "TODO"}, document.AppendBody{Text: "three, by ann"})
	if _, _, err := w.m.Notes().Insert(fovea.WithActor(t.Context(), author.Actor{Author: author.Named("mint"), May: anywhere}), "new.org",
		document.InsertHeadline{Title: "Mint"}, nil); err != nil {
		t.Fatal(err)
	}
	w.edit("mint", "b", document.SetTitle{Title: "Bad"})
	w.edit("ann", "b", document.SetTitle{Title: "Better"})
	before := w.onDisk()
	_, files, conflicts, err := w.m.History().Revert(t.Context(), w.seqs("mint"), &fovea.WriteOptions{DryRun: true})
	if diff := cmp.Diff([]string{"a.org", "b.org", "new.org"}, files); diff != "" || err != nil || len(conflicts) != 1 {
		t.Errorf("dry run: %s %v %v", diff, conflicts, err)
	}
	if diff := cmp.Diff(before, w.onDisk()); diff != "" {
		t.Errorf("a dry run changed files: %s", diff)
	}
	c, files, conflicts, err := w.m.History().Revert(t.Context(), w.seqs("mint"), nil)
	if err != nil || c.Kind != "revert" || c.Message != "3 commits by mint, 2 to 5" {
		t.Fatalf("%+v, %v", c, err)
	}
	if diff := cmp.Diff([]string{"a.org", "b.org", "new.org"}, files); diff != "" {
		t.Error(diff)
	}
	want := map[string]string{
		"a.org": "* TODO A\n:PROPERTIES:\n:ID: a\n:END:\none\nthree, by ann\n",
		"b.org": "* Better :conflict:\n:PROPERTIES:\n:ID: b\n:END:\n:CONFLICT:\n- title :: by the revert of commits 4 to 5 of mint\n: -Better\n: +B\n:END:\n",
	}
	if diff := cmp.Diff(want, w.onDisk()); diff != "" {
		t.Error(diff)
	}
	if len(conflicts) != 1 || conflicts[0].ID != "b" || conflicts[0].Path != "b.org" || conflicts[0].Field != "title" {
		t.Errorf("conflicts %+v", conflicts)
	}
	w.reopen()
	if v := w.ingest(); v.Head().Seq != c.Seq {
		t.Errorf("the next scan made commit %+v", v.Head())
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, w.onDisk()); diff != "" {
		t.Errorf("rollback 0: %s", diff)
	}
}

func TestRevertRefuses(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": revertA, "b.org": revertB})
	w.ingest()
	w.edit("mint", "a", document.SetTitle{Title: "Pwned"})
	w.edit("mint", "b", document.SetTitle{Title: "Pwned"})
	w.write(map[string]string{"a.org": "* Saved meanwhile\n"})
	before := w.onDisk()
	tests := []struct {
		name    string
		commits []uint64
		opts    *fovea.WriteOptions
		want    fovea.Kind
		says    string
	}{
		{"none", nil, nil, fovea.NotFound, "no such commit"},
		{"one that is not", []uint64{9}, nil, fovea.NotFound, "seq:9"},
		{"the first", []uint64{1, 2}, nil, fovea.Invalid, "began with this commit"},
		{"another head", []uint64{2}, &fovea.WriteOptions{Head: 2}, fovea.Conflict, "commit 3 came meanwhile"},
		{"a file that changed", []uint64{2, 3}, nil, fovea.Conflict, "a.org  (the file changed meanwhile)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, _, err := w.m.History().Revert(t.Context(), tt.commits, tt.opts)
			if fovea.KindOf(err) != tt.want || !strings.Contains(fmt.Sprint(err), tt.says) {
				t.Errorf("%v, want %v with %q", err, tt.want, tt.says)
			}
		})
	}
	if diff := cmp.Diff(before, w.onDisk()); diff != "" {
		t.Errorf("files changed: %s", diff)
	}
	_, files, _, err := w.m.History().Revert(t.Context(), []uint64{2, 3}, &fovea.WriteOptions{Skip: true})
	if diff := cmp.Diff([]string{"b.org"}, files); diff != "" || err != nil {
		t.Errorf("skip: %s, %v", diff, err)
	}
	before["b.org"] = revertB
	if diff := cmp.Diff(before, w.onDisk()); diff != "" {
		t.Error(diff)
	}
}

func TestCommitsOf(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": revertA})
	w.ingest()
	as := func(name, session string) context.Context {
		return fovea.WithActor(t.Context(), author.Actor{Author: author.Named(name), May: anywhere, Session: session})
	}
	for i, ctx := range []context.Context{as("mint", "s1"), as("ann", "s1"), as("mint", "s2")} {
		if _, err := w.m.Notes().Edit(ctx, "a", nil, document.SetTitle{Title: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	mint := author.Named("mint")
	tests := []struct {
		by                   author.Author
		session, since, want string
	}{
		{mint, "", "", "2 4"},
		{author.Author{}, "s1", "", "2 3"},
		{mint, "s2", "", "4"},
		{mint, "", "seq:2", "4"},
		{byFile, "", "", ""},
		{mint, "", w.now().AddDate(0, 0, 2).Format(time.DateOnly), ""},
		{mint, "", w.now().Format(time.DateOnly), "2 4"},
	}
	for _, tt := range tests {
		commits, err := w.m.History().CommitsOf(t.Context(), tt.by, tt.session, tt.since)
		var got []string
		for _, c := range commits {
			got = append(got, fmt.Sprint(c.Seq))
		}
		if strings.Join(got, " ") != tt.want || err != nil {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
	for since, kind := range map[string]fovea.Kind{"nowhere": fovea.NotFound, "99": fovea.NotFound} {
		if _, err := w.m.History().CommitsOf(t.Context(), mint, "", since); fovea.KindOf(err) != kind {
			t.Errorf("since %s: %v", since, err)
		}
	}
	if _, err := w.m.History().CommitsOf(t.Context(), author.Author{}, "", ""); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("nobody: %v", err)
	}
}

// TestRevertIsReplayOnFiles compares files after a revert with those of a history
// without its author, where nobody has built on what the author did.
func TestRevertIsReplayOnFiles(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 11))
		start := map[string]string{"a.org": revertA + "* C\n", "b.org": revertB}
		all, others := newWorld(t, start), newWorld(t, start)
		all.ingest()
		others.ingest()
		for i := range 1 + r.IntN(8) {
			id := []string{"a", "b"}[r.IntN(2)]
			// The fields of one are not those of the other.
			mint := []document.Edit{document.SetTitle{Title: fmt.Sprint("mint", i)}, document.AddTag{Tag: "mint"}, document.SetProperty{Key: "M", Value: fmt.Sprint(i)}}
			ann := []document.Edit{document.SetPriority{Priority: "A"}, document.AppendBody{Text: fmt.Sprint("ann", i)}, document.Deadline{When: "2026-03-01"}}
			if r.IntN(2) == 0 {
				all.edit("mint", id, mint[r.IntN(len(mint))])
				continue
			}
			edit := ann[r.IntN(len(ann))]
			all.edit("ann", id, edit)
			others.edit("ann", id, edit)
		}
		if mint := all.seqs("mint"); len(mint) > 0 {
			if _, _, conflicts, err := all.m.History().Revert(t.Context(), mint, nil); err != nil || len(conflicts) > 0 {
				t.Fatal(seed, conflicts, err)
			}
		}
		if diff := cmp.Diff(others.onDisk(), all.onDisk()); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		if a, b := all.m.View().Root(), others.m.View().Root(); a != b {
			t.Errorf("seed %d: roots %s and %s", seed, a, b)
		}
	}
}
