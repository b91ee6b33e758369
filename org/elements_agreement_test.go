// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/org"
)

// elementNode is a node in Org's own tree.
type elementNode struct {
	Type       string `json:"t"`
	B, E       int
	Properties map[string]any    `json:"p"`
	Children   []json.RawMessage `json:"c"`
}

type elementFile struct {
	File string      `json:"file"`
	Tree elementNode `json:"tree"`
}

// element is what is compared of an element of a whole file.
type element struct {
	kind        string
	start, end  int
	parent      string // its type
	parentStart int
	values      string // what it holds, see elementValues
}

// elements counts the elements of a file, nearly always one of each.
type elements map[element]int

// TestElementAgreement compares every element of the sample with Org's: its type,
// its first and last byte, its parent, and what it holds. Run it with -v for the
// table.
func TestElementAgreement(t *testing.T) {
	dir := foveatest.Testdata(t)
	listed := readPlaces(t, "testdata/element-deviations.txt")
	for _, corpus := range corpora {
		counts := objectCounts{}
		files, equal := 0, 0
		for f := range records[elementFile](t, filepath.Join(dir, corpus.golden, "org-9.8.9.element.jsonl.gz")) {
			want, got := elements{}, elements{}
			goldenElements(t, &f.Tree, element{}, want)
			documentElements(org.Parse(readFile(t, filepath.Join(dir, corpus.files, f.File)), nil), got)
			different := counts.elementDifferences(want, got)
			files++
			if len(different) == 0 {
				equal++
			}
			for _, e := range different {
				if !usePlace(listed, f.File, e.start, e.kind) {
					t.Errorf("%s: %+v: %d of it, want %d", f.File, e, got[e], want[e])
				}
			}
		}
		t.Logf("%s: %d of %d files wholly equal (%.2f %%)\n%s", corpus.name, equal, files, percent(equal, files), counts.table())
	}
	for p, used := range listed {
		if !used {
			t.Errorf("testdata/element-deviations.txt lists %v, but it is read as Org reads it; remove the line", p)
		}
	}
}

// goldenElements adds node n of Org's tree and all elements below it.
func goldenElements(t *testing.T, n *elementNode, parent element, out elements) {
	t.Helper()
	self := element{kind: n.Type, start: n.B, end: n.E, parent: parent.kind, parentStart: parent.start, values: goldenValues(n)}
	out[self]++
	for _, child := range n.Children {
		if child[0] != '{' {
			continue
		}
		var c elementNode
		if err := json.Unmarshal(child, &c); err != nil {
			t.Fatalf("read golden tree: %v", err)
		}
		goldenElements(t, &c, self, out)
	}
}

// documentElements adds the elements of all sections of d, the headlines with the
// subtrees that Org counts to them.
func documentElements(d *org.Document, out elements) {
	document := org.TypeDocument.String()
	for i := -1; i < len(d.Headlines); i++ {
		tree := d.Elements(i)
		for k := range tree.Elements {
			e := &tree.Elements[k]
			self := element{kind: e.Type.String(), start: int(e.Start), end: int(e.End), values: elementValues(tree, k)}
			switch {
			case k > 0:
				parent := &tree.Elements[e.Parent]
				self.parent, self.parentStart = parent.Type.String(), int(parent.Start)
			case i < 0:
				self.end = len(d.Source)
			default:
				self.end, self.parent, self.parentStart = d.Headlines[i].End, document, d.Start
				if p := d.Headlines[i].Parent; p >= 0 {
					self.parent, self.parentStart = self.kind, d.Headlines[p].Start
				}
			}
			out[self]++
		}
	}
}

// elementDifferences counts the elements of one file and returns those that one side
// has more often, in order.
func (c objectCounts) elementDifferences(want, got elements) []element {
	var different []element
	at := func(kind string) *objectCount {
		if c[kind] == nil {
			c[kind] = &objectCount{}
		}
		return c[kind]
	}
	for e, n := range want {
		at(e.kind).want += n
		at(e.kind).equal += min(n, got[e])
		if n != got[e] {
			different = append(different, e)
		}
	}
	for e, n := range got {
		at(e.kind).got += n
		if want[e] == 0 {
			different = append(different, e)
		}
	}
	slices.SortFunc(different, func(a, b element) int { return a.start - b.start })
	return different
}

// values collects what an element holds, as Org names it.
type values []string

func (v *values) add(name, value string) {
	if value != "" {
		*v = append(*v, name+"="+strings.ReplaceAll(replaceInvalid(value), "\r\n", "\n"))
	}
}

// String lists the values by name.
func (v values) String() string {
	slices.Sort(v)
	return strings.Join(v, " ")
}

// goldenValues returns what n holds. Left out is what belongs to the outline.
func goldenValues(n *elementNode) string {
	var out values
	switch n.Type {
	case "headline", "planning", "section", "org-data", "babel-call": // a tree reads no calls
		return ""
	}
	for name, value := range n.Properties {
		switch value := value.(type) {
		case string:
			if name == "bullet" {
				value = strings.TrimSpace(value)
			}
			if n.Type == "table" && name == "value" {
				continue // the text of a table of table.el
			}
			if n.Type == "export-block" && name == "type" {
				value = strings.ToLower(value)
			}
			out.add(name, value)
		case float64:
			out.add(name, strconv.Itoa(int(value)))
		case []any:
			for _, v := range value {
				out.add(name, v.(string))
			}
		}
	}
	return out.String()
}

// elementValues returns what element i holds.
func elementValues(t *org.Tree, i int) string {
	var out values
	switch t.Elements[i].Type {
	case org.TypeItem:
		addItem(&out, t, i)
	case org.TypePlainList:
		out.add("type", listType(t.Item(i+1)))
	case org.TypeKeyword:
		out.add("key", t.Keyword(i).Key)
		out.add("value", t.Keyword(i).Value)
	case org.TypeClock:
		stamp, duration := t.Clock(i)
		out.add("value", stamp)
		out.add("duration", duration)
		out.add("status", map[bool]string{true: "running", false: "closed"}[stamp != "" && duration == ""])
	case org.TypeDrawer:
		out.add("drawer-name", t.Drawer(i))
	case org.TypeFootnoteDefinition:
		out.add("label", t.Label(i))
	case org.TypeNodeProperty:
		out.add("key", t.Property(i).Key)
		out.add("value", t.Property(i).Value)
	case org.TypeTable:
		out.add("type", map[bool]string{true: "table.el", false: "org"}[t.IsTableEl(i)])
		for f := range t.Formulas(i) {
			out.add("tblfm", f)
		}
	case org.TypeTableRow:
		out.add("type", map[bool]string{true: "rule", false: "standard"}[t.IsRule(i)])
	default:
		addBlock(&out, t, i)
	}
	return out.String()
}

func addItem(out *values, t *org.Tree, i int) {
	item := t.Item(i)
	out.add("bullet", item.Bullet)
	out.add("counter", item.Counter)
	out.add("checkbox", map[byte]string{'X': "on", ' ': "off", '-': "trans"}[item.Checkbox])
	out.add("tag", t.Source[item.TagStart:item.TagEnd])
}

func listType(first org.Item) string {
	switch {
	case first.TagEnd > 0:
		return "descriptive"
	case first.Ordered():
		return "ordered"
	}
	return "unordered"
}

func addBlock(out *values, t *org.Tree, i int) {
	b := t.Block(i)
	out.add("value", t.Value(i))
	switch t.Elements[i].Type {
	case org.TypeSrcBlock:
		out.add("name", t.Name(i))
		out.add("language", b.Language)
		out.add("switches", b.Switches)
		out.add("parameters", b.Parameters)
	case org.TypeExampleBlock:
		out.add("name", t.Name(i))
		out.add("switches", b.Switches)
	case org.TypeExportBlock:
		out.add("type", strings.ToLower(b.Language))
	case org.TypeSpecialBlock:
		out.add("type", b.Name)
		out.add("parameters", b.Parameters)
	case org.TypeDynamicBlock:
		out.add("block-name", b.Name)
		out.add("arguments", b.Parameters)
	}
}

// usePlace marks the place in the list as used, or its whole file, and reports
// whether one of them is there.
func usePlace(listed map[objectPlace]bool, file string, offset int, kind string) bool {
	for _, p := range []objectPlace{{file, everywhere, "*"}, {file, offset, kind}} {
		if _, ok := listed[p]; ok {
			listed[p] = true
			return true
		}
	}
	return false
}

// readPlaces reads a list of places that may differ: lines of file, offset, type and
// reason, parted by tabs. Offset and type * stand for all of a file.
func readPlaces(t *testing.T, name string) map[objectPlace]bool {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("read deviations: %v", err)
	}
	listed := map[objectPlace]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 4 || cells[3] == "" {
			t.Fatalf("%s: want file, offset, type and reason, parted by tabs: %q", name, line)
		}
		offset := everywhere
		if cells[1] != "*" {
			if offset, err = strconv.Atoi(cells[1]); err != nil {
				t.Fatalf("%s: offset: %v", name, err)
			}
		}
		listed[objectPlace{cells[0], offset, cells[2]}] = false
	}
	return listed
}

// TestElementAgreementCanFail shows that the comparison notices each kind of
// difference.
func TestElementAgreementCanFail(t *testing.T) {
	read := func(src string) elements {
		out := elements{}
		documentElements(org.Parse(src, nil), out)
		return out
	}
	want := read("a\n\n- [ ] b\n")
	for _, tc := range []struct {
		name, src string
		differ    bool
	}{
		{"the same", "a\n\n- [ ] b\n", false},
		{"another type", "a\n\n| [ ] b\n", true},
		{"another end", "a\n \n- [ ] b", true},
		{"another value", "a\n\n- [X] b\n", true},
		{"one less", "a\n", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := len(objectCounts{}.elementDifferences(want, read(tc.src))) > 0; got != tc.differ {
				t.Errorf("a difference is seen: %v, want %v", got, tc.differ)
			}
		})
	}
}
