// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// byID returns a function that finds nodes by id.
func byID(nodes []*Node) func(id string) (*Node, bool) {
	return func(id string) (*Node, bool) {
		i := slices.IndexFunc(nodes, func(n *Node) bool { return n.ID == id })
		if i < 0 {
			return nil, false
		}
		return nodes[i], true
	}
}

// wayTo returns the nodes from the first one to n.
func wayTo(nodes []*Node, n *Node) []*Node {
	way := []*Node{n}
	for n.Parent != "" {
		n, _ = byID(nodes)(n.Parent)
		way = append(way, n)
	}
	slices.Reverse(way)
	return way
}

// own returns what a node is apart from its children and its version.
func own(nodes []*Node) (out []Node) {
	for _, n := range nodes {
		c := Node{ID: n.ID, Type: n.Type, Content: n.Content, Bare: n.Bare, Attrs: n.Attrs, Derived: n.Derived, key: n.key}
		c.Own, c.Path = n.Own, n.Path
		out = append(out, c)
	}
	return out
}

var sameNode = cmp.AllowUnexported(Node{}, document.Value{})

// TestReplace: a branch that is read alone has the nodes that it has in the whole tree.
func TestReplace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var draw func(depth int) *ast.Tree
		draw = func(depth int) *ast.Tree {
			part := &ast.Tree{Type: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "type"), Content: rapid.SampledFrom([]string{"x", "[[id:y]]"}).Draw(t, "content")}
			for _, a := range []document.Attr{
				{Key: "TITLE", Value: document.TextValue("T")}, {Key: "TAGS", Value: document.TextValue("crypt")},
			} {
				if rapid.IntRange(0, 2).Draw(t, a.Key) == 0 {
					part.Attrs = document.Attributes(append(part.Attrs, a)...)
				}
			}
			for range rapid.IntRange(0, min(depth, 3)).Draw(t, "kids") {
				part.Kids = append(part.Kids, draw(depth-1))
			}
			return part
		}
		whole := draw(4)
		whole.Kids = append(whole.Kids, draw(2))
		whole.Attrs = document.Attributes(append(whole.Attrs, document.Attr{Key: "ID", Value: document.TextValue("root")})...)
		parts, err := whole.Parts("/root")
		if err != nil {
			t.Fatal(err)
		}
		nodes, _ := Read(formats, "/root", nil, parts...).Nodes(everyone)
		at := rapid.IntRange(1, len(nodes)-1).Draw(t, "branch")
		n := nodes[at]
		o, err := Replace(wayTo(nodes, n), TreeOf(nodes).Find(n.ID), byID(nodes))
		if err != nil {
			t.Fatal(err)
		}
		if !n.SamePlace(o.Parts[0].Key) || o.HasCustom() || len(o.Claims()) > 0 {
			t.Fatalf("%v is not in the place of %v, or claims ids", o.Parts[0], n)
		}
		branch, problems := o.Nodes(everyone)
		if diff := cmp.Diff(own(nodes[at:at+len(branch)]), own(branch), sameNode); diff != "" || len(problems) > 0 {
			t.Fatalf("branch %d (-whole +alone): %v\n%s", at, problems, diff)
		}
		if branch[0].Version != n.Version || branch[0].Parent != n.Parent || branch[0].Key() != n.Key() {
			t.Fatalf("%v, want the place and version of %v", branch[0], n)
		}
	})
}

func TestReplaceRefuses(t *testing.T) {
	nodes := splitTree(t, "memex", `{"type":"a","properties":{"ID":"r"},"contents":[{"type":"b","properties":{"ID":"x"}}]}`)
	way := wayTo(nodes, nodes[1])
	if _, err := Replace(way, &ast.Tree{}, byID(nodes)); !errors.Is(err, document.ErrTree) {
		t.Errorf("a tree without a type: %v", err)
	}
	for text, want := range map[string]bool{
		`{"type":"b","properties":{"CUSTOM_ID":"c"}}`:                               true,
		`{"type":"b","properties":{"CUSTOM_ID":"c","ID":"y"}}`:                      false,
		`{"type":"b","contents":[{"type":"b","properties":{"CUSTOM_ID":"c"}},"x"]}`: true,
		`{"type":"b"}`: false,
	} {
		o, err := Replace(way, decode(t, text), byID(nodes))
		if err != nil || o.HasCustom() != want {
			t.Errorf("%s: %v, has a CUSTOM_ID %v, want %v", text, err, o.HasCustom(), want)
		}
	}
	custom := splitTree(t, "memex", `{"type":"a","properties":{"ID":"r"},"contents":[{"type":"b","properties":{"CUSTOM_ID":"c"}},
		{"type":"b","properties":{"CUSTOM_ID":5}}]}`)
	if custom[0].HasCustom() || !custom[1].HasCustom() || custom[2].HasCustom() {
		t.Error("of three nodes the second alone has a CUSTOM_ID that is text")
	}
	// A declared id goes: the place tells the new one, not the id of before.
	o, err := Replace(way, decode(t, `{"type":"b"}`), byID(nodes))
	if err != nil {
		t.Fatal(err)
	}
	got, _ := o.Nodes(everyone)
	want := splitTree(t, "memex", `{"type":"a","properties":{"ID":"r"},"contents":[{"type":"b"}]}`)
	if got[0].ID != want[1].ID {
		t.Errorf("id %s, want %s", got[0].ID, want[1].ID)
	}
}

// TestExtend: the headlines that a text adds to a file are those of the whole file.
func TestExtend(t *testing.T) {
	const note = "* New\n:PROPERTIES:\n:ID: new\n:END:\n[[id:x]]\n"
	for _, tc := range []struct {
		name, old, more string
		read            bool // as an outline
		ids             bool // and all ids are declared
	}{
		{"a headline", "#+TITLE: t\n* A\n** B\n", note, true, true},
		{"below the last", "* A\n** B\n", "**" + note, true, true},
		{"beside the last", "* A\n** B\n", "*" + note, true, true},
		{"two levels up, with a child", "* A\n** B\n*** C\n", note + "** Kid\n:PROPERTIES:\n:ID: kid\n:END:\n", true, true},
		{"rising levels", "* A\n** B\n", "**" + note + strings.ReplaceAll(note, "new", "next"), true, true},
		{"to nothing", "", note, true, true},
		{"no id", "* A\n", "* New\n", true, false},
		{"no id below one", "* A\n", note + "** New\n", true, false},
		{"a CUSTOM_ID alone", "* A\n", note + "* B\n:PROPERTIES:\n:CUSTOM_ID: c\n:END:\n", true, false},
		{"an id twice", "* A\n", note + note, true, false},
		{"an id that cannot be used", "* A\n", strings.Replace(note, "new", "~new", 1), true, false},
		{"no line feed", "* A", note, false, false},
		{"text", "* A\n", "text\n" + note, false, false},
		{"a setting before", "* A\n#+TODO: X | Y\n", note, false, false},
		{"a setting behind", "* A\n", note + "#+TODO: X | Y\n", false, false},
		{"below encrypted text", "* A :crypt:\n", "*" + note, false, false},
		{"below encrypted text, further up", "* A :crypt:\n** B\n", "*" + note, false, false},
		{"beside encrypted text", "* A :crypt:\n** B\n", note, true, true},
	} {
		old, _ := split(t, "a.org", tc.old)
		o := Extend(org.Format{}, old, tc.more, nil)
		if (o != nil) != tc.read {
			t.Errorf("%s: outline %v, want one %v", tc.name, o, tc.read)
			continue
		} else if o == nil {
			continue
		}
		added, _ := o.Nodes(everyone)
		if (added != nil) != tc.ids {
			t.Errorf("%s: %d nodes, want some %v", tc.name, len(added), tc.ids)
			continue
		}
		whole, _ := split(t, "a.org", tc.old+tc.more)
		if tc.ids {
			want := whole[len(old):]
			if diff := cmp.Diff(own(want), own(added), sameNode); diff != "" {
				t.Errorf("%s (-whole +added):\n%s", tc.name, diff)
			}
			for i, n := range added {
				if n.Parent != want[i].Parent || n.Version != want[i].Version || !slices.Equal(n.Kids, want[i].Kids) {
					t.Errorf("%s: entry %v, want %v", tc.name, n.Entry, want[i].Entry)
				}
			}
		}
	}
	files := func(string) (string, bool) { return "", true }
	drawing, _ := Read(formats, "a.org", files, document.File("#+SETUPFILE: s\n* A\n", false)).Nodes(everyone)
	if o := Extend(org.Format{}, drawing, note, files); o != nil || len(drawing[0].Derived.Setup) == 0 {
		t.Error("a file with a setup file is extended")
	}
	opaque, _ := Read(formats, "a.org", nil, document.File("* A\n", true)).Nodes(everyone)
	if o := Extend(org.Format{}, opaque, note, nil); o != nil {
		t.Error("an opaque file is extended")
	}
}

// TestUnder: a node of a tree below another parent has the fields that it has there.
func TestUnder(t *testing.T) {
	nodes := splitTree(t, "memex", `{"type":"a","properties":{"ID":"r"},"contents":[{"type":"b","properties":{"ID":"p","TAGS":["crypt"]},"contents":[
		{"type":"c","raw-content":"[[id:x]]","properties":{"ID":"k","TITLE":"K"}}]}]}`)
	root, parent, kid := nodes[0], nodes[1], nodes[2]
	for _, n := range []*Node{root, parent, kid} {
		up, _ := byID(nodes)(n.Parent)
		if n.Under(up) != n {
			t.Errorf("%s below its own parent is another node", n.ID)
		}
	}
	got := kid.Under(root)
	want := &document.Derived{Level: 1, Title: "K", DeclaredID: "k", Links: []string{"id:x"}, Properties: kid.Derived.Properties}
	if diff := cmp.Diff(want, got.Derived); diff != "" || !kid.Derived.Encrypted || got.ID != "k" {
		t.Errorf("below the root (-want +got):\n%s", diff)
	}
	if got := kid.Under(nil); got.Derived.Level != 0 || got.Derived.Encrypted {
		t.Errorf("as a root: %+v", got.Derived)
	}
	if got := root.Under(parent); got.Derived.Level != 2 || !got.Derived.Encrypted {
		t.Errorf("below what is encrypted: %+v", got.Derived)
	}
	bare := *kid
	bare.Derived = nil
	if diff := cmp.Diff(kid.Derived, bare.Under(parent).Derived); diff != "" {
		t.Errorf("without fields (-want +got):\n%s", diff)
	}
}
