// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// listFloor is the least F1 of each list of the summaries, in percent.
const listFloor = 99.9

// objectSummary is what the summary of a file says of its objects, those of titles
// and item tags included.
type objectSummary struct {
	File       string
	Links      []string
	Footnotes  []string `json:"fnrefs"`
	Timestamps []string
	Counts     map[string]int
}

// listCount counts the entries of lists: those of Org, ours, and those of both.
type listCount struct{ want, got, both int }

func (n listCount) f1() float64 { return percent(2*n.both, n.want+n.got) }

// add compares two lists without regard to the order.
func (n *listCount) add(want, got []string) {
	left := map[string]int{}
	for _, s := range want {
		left[replaceInvalid(s)]++
	}
	n.want, n.got = n.want+len(want), n.got+len(got)
	for _, s := range got {
		if s = replaceInvalid(s); left[s] > 0 {
			left[s]--
			n.both++
		}
	}
}

// TestObjectSummaries compares the links, footnote references and timestamps of
// every file with Org's, and how many objects there are of each type. Files that are
// read otherwise as a whole are left out.
func TestObjectSummaries(t *testing.T) {
	dir := foveatest.Testdata(t)
	listed := readPlaces(t, "testdata/object-deviations.txt")
	for _, corpus := range corpora {
		var links, footnotes, timestamps listCount
		counts := map[string]*listCount{}
		for want := range records[objectSummary](t, filepath.Join(dir, corpus.golden, "org-9.8.9.summary.jsonl.gz")) {
			if _, ok := listed[objectPlace{file: want.File, offset: everywhere, kind: "*"}]; ok {
				continue
			}
			folder := filepath.Join(dir, corpus.files)
			name := filepath.Join(folder, want.File)
			got := summarize(org.Parse(readFile(t, name), &org.Options{Setup: setupFrom(filepath.Dir(name))}))
			links.add(want.Links, got.Links)
			footnotes.add(want.Footnotes, got.Footnotes)
			timestamps.add(want.Timestamps, got.Timestamps)
			if testing.Verbose() {
				logDifferences(t, want, got)
			}
			for kind := org.TypeBold; kind.IsObject() && kind.String() != "none"; kind++ {
				name := kind.String()
				if counts[name] == nil {
					counts[name] = &listCount{}
				}
				n := counts[name]
				n.want, n.got, n.both = n.want+want.Counts[name], n.got+got.Counts[name], n.both+min(want.Counts[name], got.Counts[name])
			}
		}
		counts["list of links"], counts["list of footnotes"], counts["list of timestamps"] = &links, &footnotes, &timestamps
		for name, n := range counts {
			t.Logf("%s files: %s: %d of %d, F1 %.3f %%", corpus.name, name, n.both, n.want, n.f1())
			if n.f1() < listFloor {
				t.Errorf("%s files: %s: F1 %.3f %%, the floor is %v %%", corpus.name, name, n.f1(), listFloor)
			}
		}
	}
}

// summarize makes the summary of d. Links come from [org.Document.Links], which leaves
// out those to radio targets.
func summarize(d *org.Document) *objectSummary {
	s := &objectSummary{Counts: map[string]int{}}
	for i := -1; i < len(d.Headlines); i++ {
		for l := range d.Links(i) {
			s.Links = append(s.Links, l.Raw)
		}
		tree := d.Objects(i)
		for k := range tree.Elements {
			e := &tree.Elements[k]
			s.Counts[e.Type.String()]++
			switch e.Type {
			case org.TypeLink:
				if l := tree.Link(k); l.Format == org.LinkRadio {
					s.Links = append(s.Links, l.Raw)
				}
			case org.TypeFootnoteReference:
				s.Footnotes = append(s.Footnotes, tree.Footnote(k))
			case org.TypeTimestamp:
				s.Timestamps = append(s.Timestamps, d.Source[e.Start:e.End-e.PostBlank])
			}
		}
	}
	return s
}

// logDifferences names what differs in one file.
func logDifferences(t *testing.T, want, got *objectSummary) {
	t.Helper()
	for kind := org.TypeBold; kind.String() != "none"; kind++ {
		if w, g := want.Counts[kind.String()], got.Counts[kind.String()]; w != g {
			t.Logf("%s: %s: got %d, want %d", want.File, kind, g, w)
		}
	}
	for _, list := range [...]struct{ want, got []string }{{want.Links, got.Links}, {want.Footnotes, got.Footnotes}, {want.Timestamps, got.Timestamps}} {
		for _, s := range list.want {
			if !slices.Contains(list.got, s) {
				t.Logf("%s: got no %q", want.File, s)
			}
		}
		for _, s := range list.got {
			if !slices.Contains(list.want, s) {
				t.Logf("%s: got %q, which is not wanted", want.File, s)
			}
		}
	}
}
