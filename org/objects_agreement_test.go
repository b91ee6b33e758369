// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"text/tabwriter"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// objectPlace is an object in a corpus by its file, type and first byte.
type objectPlace struct {
	file   string
	offset int
	kind   string
}

// everywhere is the offset of a place that stands for all of a file.
const everywhere = -1

// objectEnds holds objects and their ends.
type objectEnds map[objectPlace]int

// treeNode is a node of Org's own syntax tree.
type treeNode struct {
	Type     string `json:"t"`
	B, E     int
	Children []json.RawMessage `json:"c"`
}

type treeFile struct {
	File string   `json:"file"`
	Tree treeNode `json:"tree"`
}

// TestObjectAgreement compares every object that is no part of a title or an item's
// tag with Org's, by type and offsets.
func TestObjectAgreement(t *testing.T) {
	dir := foveatest.Testdata(t)
	listed := readPlaces(t, "testdata/object-deviations.txt")
	for _, corpus := range corpora {
		counts := objectCounts{}
		for f := range records[treeFile](t, filepath.Join(dir, corpus.golden, "org-9.8.9.object.jsonl.gz")) {
			want, got := objectEnds{}, objectEnds{}
			goldenObjects(t, f.File, &f.Tree, want)
			treeObjects(f.File, org.Parse(readFile(t, filepath.Join(dir, corpus.files, f.File)), nil), got)
			for place := range counts.differences(got, want) {
				if !usePlace(listed, place.file, place.offset, place.kind) {
					t.Errorf("%s at %d: %s ends at %d, want %d", place.file, place.offset, place.kind, got[place], want[place])
				}
			}
		}
		t.Logf("%s files\n%s", corpus.name, counts.table())
	}
	for place, used := range listed {
		if !used {
			t.Errorf("testdata/object-deviations.txt lists %v, but it is read as Org reads it; remove the line", place)
		}
	}
}

// goldenObjects adds the objects below n in Org's tree.
func goldenObjects(t *testing.T, file string, n *treeNode, out objectEnds) {
	t.Helper()
	if isObject(n.Type) {
		out[objectPlace{file, n.B, n.Type}] = n.E
	}
	for _, child := range n.Children {
		if child[0] != '{' {
			continue
		}
		var c treeNode
		if err := json.Unmarshal(child, &c); err != nil {
			t.Fatalf("read golden tree: %v", err)
		}
		goldenObjects(t, file, &c, out)
	}
}

func isObject(name string) bool {
	for kind := org.TypeBold; kind.String() != "none"; kind++ {
		if kind.String() == name {
			return true
		}
	}
	return false
}

// treeObjects adds the objects of all sections of d.
func treeObjects(file string, d *org.Document, out objectEnds) {
	for i := -1; i < len(d.Headlines); i++ {
		tree := d.Objects(i)
		for k := 0; k < len(tree.Elements); k++ {
			e := &tree.Elements[k]
			if e.Secondary {
				k = int(e.Next) - 1
			} else if e.Type.IsObject() {
				out[objectPlace{file, int(e.Start), e.Type.String()}] = int(e.End)
			}
		}
	}
}

// objectCount counts the objects of one type.
type objectCount struct{ want, got, equal int }

type objectCounts map[string]*objectCount

// differences counts the objects of one file and yields the places where they differ.
func (c objectCounts) differences(got, want objectEnds) map[objectPlace]bool {
	different := map[objectPlace]bool{}
	at := func(kind string) *objectCount {
		if c[kind] == nil {
			c[kind] = &objectCount{}
		}
		return c[kind]
	}
	for place, end := range want {
		at(place.kind).want++
		if got[place] == end {
			at(place.kind).equal++
		} else {
			different[place] = true
		}
	}
	for place := range got {
		at(place.kind).got++
		if _, ok := want[place]; !ok {
			different[place] = true
		}
	}
	return different
}

func (c objectCounts) sum() objectCount {
	var all objectCount
	for _, n := range c {
		all.want, all.got, all.equal = all.want+n.want, all.got+n.got, all.equal+n.equal
	}
	return all
}

// table prints the agreement of each type: how many objects Org reads, how many are
// read here, how many of them are equal, and the share of them.
func (c objectCounts) table() string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "object\torg\there\tequal\tagreement\t\n")
	row := func(kind string, n objectCount) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.3f %%\t\n", kind, n.want, n.got, n.equal, percent(n.equal, max(n.want, n.got)))
	}
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		row(kind, *c[kind])
	}
	row("all", c.sum())
	_ = w.Flush() // a bytes.Buffer takes everything
	return b.String()
}
