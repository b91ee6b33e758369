// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

func TestEntryEqual(t *testing.T) {
	fresh := func() *Entry {
		return &Entry{Own: merkle.Sum([]byte("o")), Version: merkle.Sum([]byte("v")), Parent: "p", Path: "a.org", Kids: []string{"x", "y"}, Modified: 1}
	}
	for name, change := range map[string]func(*Entry){
		"own": func(e *Entry) { e.Own[0]++ }, "version": func(e *Entry) { e.Version[0]++ }, "parent": func(e *Entry) { e.Parent = "" },
		"path": func(e *Entry) { e.Path = "b.org" }, "fewer": func(e *Entry) { e.Kids = e.Kids[:1] }, "others": func(e *Entry) { e.Kids[1] = "z" },
	} {
		other := fresh()
		change(other)
		if fresh().Equal(other) || other.Equal(fresh()) {
			t.Errorf("%s: the difference is not seen", name)
		}
	}
	later := fresh()
	later.Modified = 2
	if !fresh().Equal(later) {
		t.Error("the time of modification is a difference")
	}
	if none := (*Entry)(nil); !none.Equal(nil) || none.Equal(fresh()) || fresh().Equal(nil) {
		t.Error("no entry is equal to no entry alone")
	}
}

// TestPlace: the leaf of the Merkle map is the list of id, own digest, version, key of the
// parent, and path.
func TestPlace(t *testing.T) {
	nodes, _ := split(t, "a.org", "* A\n")
	n := nodes[1]
	e := Entry{Own: merkle.Sum([]byte("o")), Version: merkle.Sum([]byte("v")), Parent: "p", Path: "b.org"}
	moved := n.Place("other", e)
	if moved.ID != "other" || moved.Key() != merkle.SumText("other") || !moved.Entry.Equal(&e) || moved.Content != n.Content || n.ID == "other" {
		t.Errorf("placed %+v", moved)
	}
	if stays := n.Place(n.ID, n.Entry); stays.Key() != n.Key() || stays == n {
		t.Errorf("placed %+v", stays)
	}
	if got := (&Node{ID: "x"}).Place("x", e); got.Key() != merkle.SumText("x") {
		t.Error("a node without a key gets none")
	}
	want := merkle.AppendLink(merkle.AppendLink(merkle.AppendText(merkle.AppendList([]byte("head"), 5), "other"), e.Own), e.Version)
	parent := merkle.SumText("p")
	below, top := merkle.AppendBytes(want[:len(want):len(want)], parent[:]), merkle.AppendNull(want[:len(want):len(want)])
	if got, want := moved.AppendCanonical([]byte("head")), merkle.AppendBytes(below, "b.org"); !bytes.Equal(got, want) {
		t.Errorf("leaf %x, want %x", got, want)
	}
	e.Parent = ""
	if got, want := n.Place("other", e).AppendCanonical([]byte("head")), merkle.AppendBytes(top, "b.org"); !bytes.Equal(got, want) {
		t.Errorf("leaf of a document %x, want %x", got, want)
	}
}

func TestSecretHeading(t *testing.T) {
	nodes, _ := split(t, "a.org", "#+TITLE: x\ntext\n* Own :crypt:\nabc\n** Below\ndef\n* Open")
	var got []string
	for _, n := range nodes {
		line, rest := n.Heading()
		got = append(got, fmt.Sprintf("%v %q %q %q", n.Secret(), line, rest, n.Title()))
	}
	want := []string{
		`false "" "#+TITLE: x\ntext\n" "x"`, `false "* Own :crypt:" "abc\n" "Own"`, `true "** Below" "def\n" "Below"`, `false "* Open" "" "Open"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	file, _ := split(t, "a.org", "#+FILETAGS: :crypt:\n* A\n")
	if file[0].Secret() || !file[1].Secret() {
		t.Error("of a file that is encrypted as a whole its headlines are secret, and not its name")
	}
	tree := splitTree(t, "memex", `{"type":"headline","properties":{"ID":"r","TAGS":["crypt"]},"raw-content":"x\ny","contents":[{"type":"a"}]}`)
	if line, rest := tree[0].Heading(); line != "" || rest != "x\ny" || tree[0].Secret() || !tree[1].Secret() || tree[0].Title() != "" {
		t.Errorf("headline of a tree: %q, %q", line, rest)
	}
	for _, start := range []int{-1, 5} {
		if got := (&Node{Content: "text", Derived: &document.Derived{BodyStart: start}}).Body(); got != "text" {
			t.Errorf("body from %d: %q", start, got)
		}
	}
	if got := (&Node{Content: "text", Derived: &document.Derived{BodyStart: 4}}).Body(); got != "" {
		t.Errorf("body from its end: %q", got)
	}
}

// TestClaims: what a document claims, and what becomes of a claim that is refused.
func TestClaims(t *testing.T) {
	o := Read(formats, "a.org", nil, document.File("* A\n:PROPERTIES:\n:ID: x\n:END:\n* B\n* C\n:PROPERTIES:\n:ID: x\n:END:\n", false))
	if diff := cmp.Diff([]Claim{{DocumentID("a.org"), "a.org"}, {"x", "a.org"}, {"x", "a.org"}}, o.Claims()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	nodes, _ := o.Nodes(everyone)
	var claimed []string
	for _, n := range nodes {
		claimed = append(claimed, n.ClaimedID())
	}
	if diff := cmp.Diff([]string{DocumentID("a.org"), "x", "", "x"}, claimed); diff != "" {
		t.Errorf("claimed (-want +got)\n%s", diff)
	}
	nodes, problems := Read(formats, "n\u0301.org", nil, document.File("* A\n", false)).Nodes(func(Claim) bool { return false })
	if nodes[0].ID != rawDocumentID("n\u0301.org") || nodes[0].ID == DocumentID("n\u0301.org") || DocumentID("n\u0301.org") != DocumentID("\u0144.org") {
		t.Errorf("id of a refused document %s", nodes[0].ID)
	}
	if len(problems) != 1 || problems[0].Line != 1 || problems[0].Kind != "id" || problems[0].Path != "n\u0301.org" {
		t.Errorf("problems %+v", problems)
	}
	tree := splitTree(t, "memex", `{"type":"a","properties":{"TITLE":"T"},"contents":["x"]}`)
	if tree[0].ClaimedID() != "" || "/"+tree[0].ID != tree[0].Path {
		t.Errorf("a tree without an id claims %q, is %s", tree[0].ClaimedID(), tree[0].ID)
	}
	again := Read(formats, "/r", nil, Parts(tree)...)
	nodes, _ = again.Nodes(everyone)
	if !IsDerived(nodes[0].ID) || nodes[0].ID != documentID("tree", "/r") {
		t.Errorf("a tree at another path is %s", nodes[0].ID)
	}
	named := splitTree(t, "memex", `{"type":"a","properties":{"ID":"r"}}`)
	nodes, _ = Read(formats, "/r", nil, Parts(named)...).Nodes(func(Claim) bool { return false })
	if nodes[0].ID != documentID("tree", "/r") || nodes[0].ClaimedID() != "r" {
		t.Errorf("a tree whose id another one bears is %s", nodes[0].ID)
	}
}

// TestFormatOf: a document of parts is read by the format that they came from.
func TestFormatOf(t *testing.T) {
	big := strings.Repeat("x", 65<<20)
	tree := []document.Part{{Parent: -1, Type: "a"}}
	over := []document.Part{{Parent: -1, Type: document.TypeDocument, Attrs: []document.Attr{{Key: "FILE", Value: document.TextValue("a.org")}}}}
	for _, tc := range []struct {
		name, path string
		parts      []document.Part
		want       string
	}{
		{"an Org file", "a.org", []document.Part{document.File("* A\n", false)}, "org.Format"},
		{"an Org file stored as opaque", "a.org", []document.Part{document.File("* A\n", true)}, "document.Opaque"},
		{"one that is too large", "a.org", []document.Part{document.File(big, true)}, "org.Format"},
		{"another file", "a.py", []document.Part{document.File("", false)}, "document.Opaque"},
		{"a tree", "/a", []document.Part{{Parent: -1, Type: document.TypeDocument}}, "ast.Format"},
		{"a tree over a file, by its type", "a.org", tree, "ast.Format"},
		{"a tree over a file, by an attribute", "a.org", over, "ast.Format"},
	} {
		if got := fmt.Sprintf("%T", FormatOf(formats, tc.path, tc.parts)); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// TestParts: nodes are read again from their parts as the same nodes.
func TestParts(t *testing.T) {
	if len(Parts(nil)) > 0 || TreeOf(nil) != nil {
		t.Error("no nodes have parts, or are a tree")
	}
	if _, err := TreePath("memex", nil); !errors.Is(err, document.ErrTree) {
		t.Errorf("path of no tree: %v", err)
	}
	org, _ := split(t, "a.org", "text\n* A\n** B\n")
	opaque, _ := Read(formats, "a.org", nil, document.File("* A\n", true)).Nodes(everyone)
	tree := splitTree(t, "memex", `{"type":"a","properties":{"ID":"r"},"contents":["x",{"type":"b","contents":["y"]},"z"]}`)
	for _, nodes := range [][]*Node{org, opaque, tree} {
		again, _ := Read(formats, nodes[0].Path, nil, Parts(nodes)...).Nodes(everyone)
		if diff := cmp.Diff(nodes, again, sameNode); diff != "" {
			t.Errorf("%s (-before +again):\n%s", nodes[0].Path, diff)
		}
		if got := nodes[0].IsTree(); got != (nodes[0] == tree[0]) {
			t.Errorf("%s is a tree: %v", nodes[0].Path, got)
		}
	}
}

// TestRederiveShape: nodes that are not one document, or not one of this format, are
// refused, and an opaque file stays one.
func TestRederiveShape(t *testing.T) {
	nodes, _ := split(t, "a.org", "text\n* A\n** B\n")
	stray := *nodes[2]
	stray.Parent = "nobody"
	for name, bad := range map[string][]*Node{"stray": {nodes[0], nodes[1], &stray}, "fewer": nodes[:2]} {
		if name == "fewer" {
			c := *nodes[1]
			c.Content += "** B\n"
			bad = []*Node{nodes[0], &c}
		}
		if _, err := Rederive(formats, bad, nil); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v, want ErrShape", name, err)
		}
	}
	opaque, _ := Read(formats, "a.org", nil, document.File("* A\n", true)).Nodes(everyone)
	opaque[0].Derived = nil
	got, err := Rederive(formats, opaque, nil)
	if err != nil || !got[0].Derived.Opaque || got[0].Content != "* A\n" {
		t.Errorf("an opaque file of an Org path: %+v, %v", got, err)
	}
	alone, _ := split(t, "a.org", "#+TITLE: T\ntext\n")
	bare := *alone[0]
	bare.Derived = nil
	if got, err := Rederive(formats, []*Node{&bare}, nil); err != nil || !got[0].Derived.Equal(alone[0].Derived) {
		t.Errorf("a file without headlines: %+v, %v", got, err)
	}
	foreign := *nodes[0]
	foreign.Derived = &document.Derived{Opaque: true, Title: "of another parser"}
	got, err = Rederive(formats, []*Node{&foreign, nodes[1], nodes[2]}, nil)
	if err != nil || got[0].Derived.Opaque || !got[0].Derived.Equal(nodes[0].Derived) || got[1] != nodes[1] {
		t.Errorf("fields of another parser stay: %+v, %v", got, err)
	}
}

// TestDeriveAlone: an old version has the fields that its bytes give.
func TestDeriveAlone(t *testing.T) {
	nodes, _ := split(t, "a.org", "#+TITLE: D\n* TODO A :t:\n[[id:x]]\n")
	tree := splitTree(t, "memex", `{"type":"headline","properties":{"ID":"r","TITLE":"T"},"raw-content":"* [[id:y]]\n"}`)
	bare := splitTree(t, "memex", `{"type":"paragraph","raw-content":null,"properties":{"ID":"q"}}`)
	for _, n := range []*Node{nodes[0], nodes[1], tree[0], bare[0]} {
		c := *n
		c.Derived = nil
		if DeriveAlone(formats, &c); !c.Derived.Equal(n.Derived) {
			t.Errorf("%s: %s", n.ID, cmp.Diff(n.Derived, c.Derived))
		}
	}
	for name, n := range map[string]*Node{
		"an element":   {Type: "paragraph", Content: "* A\n[[id:z]]"},
		"an attribute": {Type: document.TypeHeadline, Content: "* A\n[[id:z]]", Attrs: tree[0].Attrs},
		"no content":   {Type: document.TypeHeadline, Bare: true},
		"a headline":   {Type: document.TypeHeadline, Content: "no stars"},
	} {
		n.Path = "a.org"
		DeriveAlone(formats, n)
		want := ast.Derive(n.Attrs, n.Content, ast.Above{})
		if name == "a headline" {
			want = &document.Derived{}
		}
		if !n.Derived.Equal(want) {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, n.Derived))
		}
	}
}

// TestBlocks: the blocks of a node are those of OwnBlock, and damaged ones are refused.
func TestBlocks(t *testing.T) {
	stop := errors.New("stop")
	for _, size := range []int{0, 100, merkle.ChunkSize + 1} {
		nodes, _ := split(t, "a.org", "* "+strings.Repeat("x", size))
		n := nodes[1]
		var got, want []string
		list := func(to *[]string) Emit {
			return func(d merkle.Digest, block []byte) error { *to = append(*to, d.String()+string(block)); return nil }
		}
		own, err := n.OwnBlock(list(&want))
		if err != nil || own != n.Own || n.Blocks(list(&got)) != nil || !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("size %d: %d blocks, want %d", size, len(got), len(want))
		}
		for fail := range got {
			failing := func(merkle.Digest, []byte) error {
				if fail--; fail < 0 {
					return stop
				}
				return nil
			}
			at := fail
			if err := n.Blocks(failing); !errors.Is(err, stop) {
				t.Errorf("size %d, block %d: %v", size, at, err)
			}
			fail = at
			if _, err := n.OwnBlock(failing); !errors.Is(err, stop) {
				t.Errorf("size %d, block %d: %v", size, at, err)
			}
		}
	}
	kids := make([]merkle.Digest, 1000)
	if _, err := VersionBlock(kids[0], kids, func(merkle.Digest, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("version: %v", err)
	}
	many := &Node{Type: "a", Attrs: []document.Attr{{Key: "K", Value: document.TextValue(strings.Repeat("x", merkle.ChunkSize+1))}}}
	if _, err := many.OwnBlock(func(merkle.Digest, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("attributes: %v", err)
	}
}

// TestReadOwnRefuses: a block that OwnBlock does not write is refused, whatever it says.
func TestReadOwnRefuses(t *testing.T) {
	text, list := merkle.AppendText[string], merkle.AppendList
	attrs := func(items ...string) []byte {
		b := list(nil, len(items))
		for _, item := range items {
			b = append(b, item...)
		}
		return b
	}
	pair := func(key string, value document.Value) string { return string(value.Append(text(list(nil, 2), key))) }
	block := func(format uint64, attrs, content []byte) []byte {
		b := merkle.AppendUint(text(merkle.AppendMap(nil, 4), "f"), format)
		b = text(text(b, "type"), "a")
		b = append(text(b, "attrs"), attrs...)
		return append(text(b, "content"), content...)
	}
	empty, none := attrs(), merkle.AppendNull(nil)
	x, long := document.TextValue("x"), document.TextValue(strings.Repeat("x", merkle.ChunkSize))
	missing := errors.New("missing")
	for _, tc := range []struct {
		name  string
		block []byte
		err   error // nil for any
		good  bool
	}{
		{name: "good", block: block(0, attrs(pair("A", x), pair("B", x)), merkle.AppendBytes(nil, "text")), good: true},
		{name: "no content", block: block(0, empty, none), good: true},
		{name: "another format", block: block(1, empty, none), err: ErrFormat},
		{name: "more behind it", block: append(block(0, empty, none), 0)},
		{name: "cut short", block: block(0, empty, none)[:10]},
		{name: "keys out of order", block: block(0, attrs(pair("B", x), pair("A", x)), none), err: document.ErrTree},
		{name: "a key twice", block: block(0, attrs(pair("A", x), pair("A", x)), none), err: document.ErrTree},
		{name: "a value of bytes", block: block(0, attrs(string(merkle.AppendBytes(text(list(nil, 2), "A"), "x"))), none), err: document.ErrValue},
		{name: "a pair of three", block: block(0, attrs(string(text(text(text(list(nil, 3), "A"), "x"), "y"))), none)},
		{name: "attributes that are text", block: block(0, text(nil, "x"), none)},
		{name: "large attributes in one block", block: block(0, attrs(pair("A", long)), none), err: document.ErrTree},
		{name: "content that is a number", block: block(0, empty, merkle.AppendUint(nil, 1))},
		{name: "a block that is missing", block: func() []byte {
			b, _ := (&Node{Type: "a", Bare: true, Attrs: []document.Attr{{Key: "A", Value: document.TextValue(strings.Repeat("x", merkle.ChunkSize+1))}}}).appendOwn(nil,
				func(merkle.Digest, []byte) error { return nil })
			return b
		}(), err: missing},
	} {
		d := merkle.Sum(tc.block)
		n, err := ReadOwn(d, func(at merkle.Digest) ([]byte, error) {
			if at == d {
				return tc.block, nil
			}
			return nil, missing
		})
		if (err == nil) != tc.good || tc.err != nil && !errors.Is(err, tc.err) {
			t.Errorf("%s: %v, %v, want %v", tc.name, n, err, tc.err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "node: own block ") {
			t.Errorf("%s: %v does not say what it is about", tc.name, err)
		}
	}
	if _, err := ReadOwn(merkle.Digest{}, func(merkle.Digest) ([]byte, error) { return nil, missing }); !errors.Is(err, missing) {
		t.Errorf("no block: %v", err)
	}
}

// TestLinks: only a block whose content is elsewhere links to something.
func TestLinks(t *testing.T) {
	none := func(merkle.Digest) ([]byte, error) { return nil, errors.New("asked for a block") }
	nodes, _ := split(t, "a.org", "text\n* A\n** B\n")
	head, _ := (&Node{Type: document.TypeHeadline}).appendOwn(nil, nil)
	head = head[:len(head)-1] // without the empty content
	version, _ := appendVersion(nil, nodes[1].Own, []merkle.Digest{nodes[2].Version}, nil)
	blocks := map[string][]byte{"a version": version, "nothing": nil, "no map": {0}, "a head alone": head}
	for i, n := range nodes {
		blocks[fmt.Sprint("node ", i)], _ = n.appendOwn(nil, nil)
	}
	for name, block := range blocks {
		if links, err := Links(block, none); len(links) > 0 || err != nil && name != "a head alone" {
			t.Errorf("%s: %v, %v", name, links, err)
		}
	}
	long := &Node{Type: document.TypeHeadline, Content: strings.Repeat("x", merkle.ChunkSize+1)}
	store := map[merkle.Digest][]byte{}
	own, err := long.OwnBlock(func(d merkle.Digest, b []byte) error { store[d] = slices.Clone(b); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Links(store[own], none); err == nil {
		t.Error("links of a block whose content cannot be read")
	}
}

// TestLineageOfElements: nodes without text are matched by what else they are, each once
// and within its type, and the order of the edges is that of the ids.
func TestLineageOfElements(t *testing.T) {
	element := func(id, typ, parent, title string) *Node {
		n := &Node{ID: id, Type: typ, Entry: Entry{Parent: parent, Path: "/r", Own: merkle.SumText(typ + title)}, Derived: &document.Derived{Title: title}}
		return n
	}
	old := []*Node{element("p1", "a", "r", "x"), element("k1", "b", "p1", "one"), element("k2", "b", "p1", "two"), element("h1", document.TypeHeadline, "p1", "H")}
	for _, tc := range []struct {
		name string
		now  []*Node
		want []Edge
	}{
		{"nothing", nil, nil},
		{"another type", []*Node{element("p2", "c", "r", "x")}, nil},
		{"the same digest", []*Node{element("p2", "a", "q", "x")}, []Edge{{"p1", "p2"}}},
		{"a renamed child of a renamed parent", []*Node{element("k3", "b", "p2", "three"), element("p2", "a", "r", "x")}, []Edge{{"k1", "k3"}, {"p1", "p2"}}},
		{"the same title below a renamed parent", []*Node{element("p2", "a", "r", "x"), element("k3", "b", "p2", "two")}, []Edge{{"k2", "k3"}, {"p1", "p2"}}},
		{"a headline elsewhere, by its only title", []*Node{{ID: "h2", Type: document.TypeHeadline, Content: "* H\nmore", Entry: Entry{Parent: "z", Path: "/s"},
			Derived: &document.Derived{Title: "H"}}}, []Edge{{"h1", "h2"}}},
		{"a headline without a title", []*Node{{ID: "h2", Type: document.TypeHeadline, Content: "*\nmore", Entry: Entry{Parent: "z", Path: "/s"},
			Derived: &document.Derived{}}}, nil},
	} {
		if diff := cmp.Diff(tc.want, Lineage(old, tc.now)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.name, diff)
		}
	}
	if got := Lineage(nil, old); got != nil {
		t.Errorf("of nothing comes %v", got)
	}
}

// TestLargeAttrs: attributes are in the own block up to the size of a chunk, and outside
// it beyond.
func TestLargeAttrs(t *testing.T) {
	for more, want := range []int{0, 2} {
		x := document.TextValue(strings.Repeat("x", merkle.ChunkSize-7+more)) // the list, the pair, the key and the head of the text take 7 bytes
		n := &Node{Type: strings.Repeat("a", 64), Bare: true, Attrs: []document.Attr{{Key: "K", Value: x}}}
		list, _ := appendAttrs(nil, n.Attrs, nil)
		store := map[merkle.Digest][]byte{}
		d, err := n.OwnBlock(func(d merkle.Digest, b []byte) error { store[d] = slices.Clone(b); return nil })
		if err != nil || len(store)-1 != want {
			t.Errorf("%d bytes: %d other blocks, want %d; %v", len(list), len(store)-1, want, err)
		}
		got, err := ReadOwn(d, func(d merkle.Digest) ([]byte, error) { return store[d], nil })
		if err != nil || !slices.Equal(got.Attrs, n.Attrs) {
			t.Errorf("%d bytes: %v", len(list), err)
		}
	}
}

// TestDetachShares: what is equal to the earlier version is shared with it.
func TestDetachShares(t *testing.T) {
	was, _ := split(t, "a.org", "* A :x:\n** K\n")
	now, _ := split(t, "a.org", "* TODO A :x:\n** K\n")
	now[1].Detach(was[1])
	if &now[1].Derived.Tags[0] != &was[1].Derived.Tags[0] || &now[1].Kids[0] != &was[1].Kids[0] {
		t.Error("equal lists are copied")
	}
}
