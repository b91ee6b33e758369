// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// linkFloors are the least recall and precision in percent, by corpus: what was
// reached. The agenda files hold each ill-formed kind of link several times.
var linkFloors = map[string]struct{ recall, precision float64 }{
	"public": {99.9, 99.3},
	"agenda": {99.9, 97.3},
}

// treeNode is a node of Org's own syntax tree.
type treeNode struct {
	Type       string `json:"t"`
	B, E       int
	Properties struct {
		Type   string `json:"type"`
		Format string `json:"format"`
		Raw    string `json:"raw-link"`
	} `json:"p"`
	Children []json.RawMessage `json:"c"`
}

type treeFile struct {
	File string   `json:"file"`
	Tree treeNode `json:"tree"`
}

// TestLinksAgreement compares links by offset and address with Org's. Its tree holds
// neither the links of headlines, which are left out, nor those of item tags, which
// count against the precision. Where a file has abbreviations, of which Org gives
// the expansion, offsets are compared alone.
func TestLinksAgreement(t *testing.T) {
	dir := foveatest.Testdata(t)
	for _, corpus := range corpora {
		var want, got, both int
		for f := range records[treeFile](t, filepath.Join(dir, corpus.golden, "org-9.8.9.object.jsonl.gz")) {
			src := readFile(t, filepath.Join(dir, corpus.files, f.File))
			links := treeLinks(t, &f.Tree, nil)
			want += len(links)
			d := org.Parse(src, nil)
			abbreviated := slices.ContainsFunc(d.Keywords, func(k org.Keyword) bool { return k.Key == "LINK" || k.Key == "SETUPFILE" })
			for link := range org.Links(src) {
				if inHeadline(d, link.Start) {
					continue
				}
				got++
				if raw, ok := links[link.Start]; ok && (raw == link.Raw || abbreviated) {
					both++
				} else if testing.Verbose() {
					t.Logf("%s at %d: got %q, want %q", f.File, link.Start, link.Raw, raw)
				}
				delete(links, link.Start)
			}
			if testing.Verbose() {
				for at, raw := range links {
					t.Logf("%s at %d: got no link, want %q", f.File, at, raw)
				}
			}
		}
		recall, precision := percent(both, want), percent(both, got)
		t.Logf("%s files: %d links, recall %.2f %%, precision %.2f %%", corpus.name, want, recall, precision)
		if floor := linkFloors[corpus.name]; recall < floor.recall || precision < floor.precision {
			t.Errorf("%s files: recall %.2f %%, precision %.2f %%, the floors are %v", corpus.name, recall, precision, floor)
		}
	}
}

// treeLinks returns the bracket and id links below n: their addresses by offset.
func treeLinks(t *testing.T, n *treeNode, links map[int]string) map[int]string {
	t.Helper()
	if links == nil {
		links = map[int]string{}
	}
	if n.Type == "link" && (n.Properties.Format == "bracket" || n.Properties.Type == "id") {
		links[n.B] = n.Properties.Raw
	}
	for _, child := range n.Children {
		if child[0] != '{' {
			continue
		}
		var c treeNode
		if err := json.Unmarshal(child, &c); err != nil {
			t.Fatalf("read golden tree: %v", err)
		}
		treeLinks(t, &c, links)
	}
	return links
}

// inHeadline reports whether offset is in the line of a headline.
func inHeadline(d *org.Document, offset int) bool {
	i, found := slices.BinarySearchFunc(d.Headlines, offset, func(h org.Headline, at int) int { return h.Start - at })
	if found {
		return true
	}
	return i > 0 && offset < d.Headlines[i-1].TextEnd
}
