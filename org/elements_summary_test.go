// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// elementSummary is what the summary of a file says of its elements.
type elementSummary struct {
	File     string
	Sources  [][2]string `json:"srcs"` // language and code
	Clocks   []string
	Drawers  []string
	Keywords [][2]string
	Notes    []string `json:"fndefs"` // labels of footnote definitions
	Counts   map[string]int
}

// TestElementSummaries compares, over every file of the corpora, the source blocks,
// clocks, drawers, keywords and footnote definitions with Org's, and the number of
// elements of each type.
func TestElementSummaries(t *testing.T) {
	dir := foveatest.Testdata(t)
	listed := readPlaces(t, "testdata/element-deviations.txt")
	for _, corpus := range corpora {
		var sources, clocks, drawers, keywords, notes listCount
		for want := range records[elementSummary](t, filepath.Join(dir, corpus.golden, "org-9.8.9.summary.jsonl.gz")) {
			if usePlace(listed, want.File, everywhere, "*") {
				continue
			}
			got := summarizeElements(org.Parse(readFile(t, filepath.Join(dir, corpus.files, want.File)), nil))
			sources.add(joined(want.Sources), joined(got.Sources))
			clocks.add(want.Clocks, got.Clocks)
			drawers.add(want.Drawers, got.Drawers)
			keywords.add(joined(want.Keywords), joined(got.Keywords))
			notes.add(want.Notes, got.Notes)
			for kind := org.TypeDocument; !kind.IsObject(); kind++ {
				if g, w := got.Counts[kind.String()], want.Counts[kind.String()]; g != w {
					t.Errorf("%s: %d of type %s, want %d", want.File, g, kind, w)
				}
			}
		}
		for _, list := range []struct {
			name string
			n    listCount
		}{
			{"source blocks", sources}, {"clocks", clocks}, {"drawers", drawers}, {"keywords", keywords}, {"footnote definitions", notes},
		} {
			t.Logf("%s: %s: %d of %d, F1 %.3f %%", corpus.name, list.name, list.n.both, list.n.want, list.n.f1())
			if list.n.f1() < listFloor {
				t.Errorf("%s: %s: F1 %.3f %%, the floor is %.1f %%", corpus.name, list.name, list.n.f1(), listFloor)
			}
		}
	}
}

func joined(pairs [][2]string) []string {
	out := make([]string, len(pairs))
	for i, p := range pairs {
		out[i] = p[0] + "\n" + strings.ReplaceAll(p[1], "\r\n", "\n")
	}
	return out
}

// summarizeElements reads from d what a summary says.
func summarizeElements(d *org.Document) *elementSummary {
	s := &elementSummary{Counts: map[string]int{"org-data": 1}}
	for i := -1; i < len(d.Headlines); i++ {
		t := d.Elements(i)
		for k := range t.Elements {
			kind := t.Elements[k].Type
			switch kind {
			case org.TypeDocument:
				continue
			case org.TypeSrcBlock:
				s.Sources = append(s.Sources, [2]string{t.Block(k).Language, t.Value(k)})
			case org.TypeClock:
				stamp, _ := t.Clock(k)
				s.Clocks = append(s.Clocks, stamp)
			case org.TypeDrawer:
				s.Drawers = append(s.Drawers, t.Drawer(k))
			case org.TypeKeyword:
				s.Keywords = append(s.Keywords, [2]string{t.Keyword(k).Key, t.Keyword(k).Value})
			case org.TypeFootnoteDefinition:
				s.Notes = append(s.Notes, t.Label(k))
			}
			s.Counts[kind.String()]++
		}
	}
	return s
}
