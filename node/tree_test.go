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

func everyone(Claim) bool { return true }

// treeNodes returns the nodes of a tree that bears every id it claims.
func treeNodes(t *testing.T, path string, tree *ast.Tree) ([]*Node, []document.Problem) {
	t.Helper()
	parts, err := tree.Parts(path)
	if err != nil {
		t.Fatal(err)
	}
	return Read(formats, path, nil, parts...).Nodes(everyone)
}

func decode(t *testing.T, text string) *ast.Tree {
	t.Helper()
	tree, err := ast.DecodeTree([]byte(text))
	if err != nil {
		t.Fatalf("decode %s: %v", text, err)
	}
	return tree
}

func splitTree(t *testing.T, scope, text string) []*Node {
	t.Helper()
	tree := decode(t, text)
	path, err := TreePath(scope, tree)
	if err != nil {
		t.Fatal(err)
	}
	nodes, problems := treeNodes(t, path, tree)
	if len(problems) > 0 {
		t.Fatalf("split %s: %v", text, problems)
	}
	return nodes
}

func TestDecodeTreeRefuses(t *testing.T) {
	deep := func(n int) string {
		return strings.Repeat(`{"type":"a","contents":[`, n) + strings.Repeat(`]}`, n)
	}
	for _, tc := range []struct{ name, text, want string }{
		{"nothing", ``, "ends too early"},
		{"no object", `[]`, "a tree is an object, not a list"},
		{"a number", `5`, "not a number"},
		{"two trees", `{"type":"a"} {"type":"b"}`, "more text after the tree"},
		{"cut short", `{"type":"a","contents":[{"type":"b"`, "contents[0]: the JSON ends too early"},
		{"no JSON", `{"type":"a",,}`, "byte 12"},
		{"no type", `{"contents":[{"raw-content":"x"}]}`, "contents[0]: no type"},
		{"empty type", `{"type":"a","contents":["x",{"type":""}]}`, "contents[1]: no type"},
		{"odd type", `{"type":"a b"}`, `type "a b": a type is up to 64 letters`},
		{"type no text", `{"type":5}`, "type: must be text, not a number"},
		{"unknown key", `{"type":"a","children":[]}`, "children: unknown key"},
		{"key twice", `{"type":"a","TYPE":"b"}`, `the key "type" occurs twice`},
		{"contents no list", `{"type":"a","contents":"x"}`, "contents: must be a list"},
		{"null within", `{"type":"a","contents":[null]}`, "contents[0]: contents are trees and texts, not null"},
		{"list within", `{"type":"a","contents":["b",["c"]]}`, "contents[1]: contents are trees and texts, not a list"},
		{"properties no object", `{"type":"a","properties":["x"]}`, "properties: must be an object, not a list"},
		{"object as value", `{"type":"a","contents":["",{"type":"b","properties":{"TAGS":{}}}]}`, "contents[1].properties.TAGS: unsupported type: an object"},
		{"list in a list", `{"type":"a","properties":{"K":[[1]]}}`, "properties.K: unsupported type: a list"},
		{"empty key", `{"type":"a","properties":{"+":1}}`, "properties.: a key must be text"},
		{"ID no text", `{"type":"a","properties":{"ID":7}}`, "properties.ID: an ID must be text"},
		{"ID unusable", `{"type":"a","properties":{"ID":"~x"}}`, "properties.ID: an ID may not begin with ~"},
		{"ID of two lines", `{"type":"a","contents":[{"type":"b","properties":{"ID":"x\ny"}}]}`,
			`contents[0].properties.ID: an ID has no control characters, and no blank at either end, as "x\ny" does`},
		{"ID with NUL", `{"type":"a","properties":{"ID":"x\u0000"}}`, "properties.ID: an ID has no control characters"},
		{"ID with DEL", `{"type":"a","properties":{"ID":"\u007fx"}}`, "properties.ID: an ID has no control characters"},
		{"ID behind a blank", `{"type":"a","properties":{"ID":" x"}}`, "properties.ID: an ID has no control characters, and no blank"},
		{"ID before a blank", `{"type":"a","properties":{"ID":"x\u00a0"}}`, "properties.ID: an ID has no control characters, and no blank"},
		{"ID twice", `{"type":"a","properties":{"ID":"x"},"contents":[{"type":"b","properties":{"id":"x"}}]}`,
			`contents[0].properties.ID: the ID "x" occurs twice in the tree, first at "properties.ID"`},
		{"other scope below", `{"type":"a","scope":"memex","contents":[{"type":"b","scope":"session/1"}]}`, "contents[0].scope: a part has the scope of its root"},
		{"scope below alone", `{"type":"a","contents":[{"type":"b","scope":"session/1"}]}`, "contents[0].scope: a part has the scope of its root"},
		{"attribute too large", `{"type":"a","properties":{"K":"` + strings.Repeat("x", document.MaxAttr) + `"}}`,
			"properties.K: an attribute of more than 1048576 bytes"},
		{"not UTF-8", "{\"type\":\"a\xff\"}", "not UTF-8"},
		{"half a character", `{"type":"a","raw-content":"\\\ud83d\\ude00"}`, "byte 29: half of a surrogate pair"},
		{"too deep", deep(ast.MaxTreeDepth + 1), "deeper than 10000"},
		{"too many", `{"type":"a","contents":[` + strings.Repeat(`"",`, ast.MaxTreeNodes) + `""]}`, "more than 1000000 nodes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree, err := ast.DecodeTree([]byte(tc.text))
			if !errors.Is(err, document.ErrTree) && !errors.Is(err, document.ErrValue) || !strings.Contains(fmt.Sprint(err), tc.want) {
				t.Errorf("got %v, %.200v; want %q", tree, err, tc.want)
			}
		})
	}
	if _, err := ast.DecodeTree([]byte(deep(ast.MaxTreeDepth))); err != nil {
		t.Errorf("as deep as may be: %.200v", err)
	}
}

func TestDecodeTree(t *testing.T) {
	got := decode(t, `{"TYPE":"Property_Drawer","Scope":"project/x","raw-content":"",
		"Properties":{"title":"T","tags+":"a","n":-5,"d":1.50,"big":18446744073709551616,"no":null,"yes":true,"Tags":["b","c"],"todo-state":"NEXT"},
		"contents":["text \ud83d\ude00",{"type":"b","contents":null,"properties":null,"raw-content":null,"scope":"project/x"}]}`)
	number := func(s string) document.Value {
		v, err := document.NumberValue(s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	want := &ast.Tree{
		Type: "property-drawer", Scope: "project/x",
		Attrs: []document.Attr{
			{Key: "BIG", Value: number("18446744073709551616")}, {Key: "D", Value: number("1.50")}, {Key: "N", Value: document.IntValue(-5)}, {Key: "NO",
				Value: document.Value{}},
			{Key: "TAGS", Value: document.ListValue(document.TextValue("a"), document.TextValue("b"), document.TextValue("c"))}, {Key: "TITLE",
				Value: document.TextValue("T")}, {Key: "TODO", Value: document.TextValue("NEXT")}, {Key: "YES", Value: document.BoolValue(true)},
		},
		Kids: []*ast.Tree{{Type: ast.TypePlainText, Content: "text 😀"}, {Type: "b", Bare: true, Scope: "project/x"}},
	}
	if !got.Equal(want) {
		t.Errorf("got  %s\nwant %s", got.JSON(), want.JSON())
	}
	if again := decode(t, string(got.JSON())); !again.Equal(got) {
		t.Errorf("written and read: %s", again.JSON())
	}
}

func TestTreeDerived(t *testing.T) {
	nodes := splitTree(t, "memex",
		`{"type":"headline","properties":{"ID":"r","TITLE":"Root","TODO":"WAIT","TODO-TYPE":"done","PRIORITY":66,"TAGS":":x:y:","SCHEDULED":"<2026-01-02 Fri>"},
		"raw-content":"see [[id:q][it]] and [[id:q]]\n* sub\n[[*there]]","contents":[
		{"type":"paragraph","properties":{"tags":["crypt"],"todo":"CANCELLED"},"contents":[{"type":"bold","raw-content":"[[id:q]]"}]}]}`)
	for i, want := range []*document.Derived{
		{Title: "Root", Todo: "WAIT", Done: true, Priority: "B", Tags: []string{"x", "y"}, Scheduled: "<2026-01-02 Fri>", DeclaredID: "r",
			Links: []string{"id:q", "*there"}, Properties: []document.Property{{Key: "ID", Value: "r"}, {Key: "PRIORITY", Value: "66"}, {Key: "SCHEDULED",
				Value: "<2026-01-02 Fri>"},
				{Key: "TAGS", Value: ":x:y:"}, {Key: "TITLE", Value: "Root"}, {Key: "TODO", Value: "WAIT"}, {Key: "TODO-TYPE", Value: "done"}}},
		{Todo: "CANCELLED", Done: true, Tags: []string{"crypt"}, Encrypted: true, Level: 1, Properties: []document.Property{{Key: "TAGS", Value: "crypt"},
			{Key: "TODO", Value: "CANCELLED"}}},
		{Encrypted: true, Level: 2},
	} {
		if diff := cmp.Diff(want, nodes[i].Derived); diff != "" {
			t.Errorf("node %d (-want +got):\n%s", i, diff)
		}
	}
	fresh, err := Rederive(formats, nodes, nil)
	if err != nil || fresh[2] != nodes[2] {
		t.Errorf("nodes that are as they should be were made anew: %v", err)
	}
}

func TestTreeIDs(t *testing.T) {
	ids := func(scope, text string) []string {
		var out []string
		for _, n := range splitTree(t, scope, text) {
			out = append(out, n.ID)
		}
		return out
	}
	const titled = `{"type":"a","properties":{"TITLE":"T"},"contents":["x","y",` +
		`{"type":"b","properties":{"TITLE":"K"}},{"type":"c","properties":{"TITLE":"K"}}]}`
	first := ids("memex", titled)
	seen := map[string]bool{}
	for _, id := range first {
		if seen[id] || !IsDerived(id) {
			t.Errorf("id %s is not derived, or twice", id)
		}
		seen[id] = true
	}
	if diff := cmp.Diff(first, ids("memex", titled)); diff != "" {
		t.Errorf("not the same twice:\n%s", diff)
	}
	if ids("session/1", titled)[0] == first[0] {
		t.Error("two scopes share the id of a root")
	}
	if got := ids("memex", strings.Replace(titled, `"x"`, `"other"`, 1)); got[1] != first[1] {
		t.Error("a changed text changes its id")
	}
	if a, b := ids("memex", `{"type":"a","contents":["x"]}`), ids("memex", `{"type":"a","contents":["y"]}`); a[0] == b[0] || a[0] != ids("memex",
		`{"type":"a","contents":["x"]}`)[0] {
		t.Error("nameless roots must be told apart by what they hold")
	}
	custom := ids("memex",
		`{"type":"a","properties":{"ID":"r"},"contents":[{"type":"b","properties":{"CUSTOM_ID":"c"}},{"type":"b","properties":{"CUSTOM_ID":"c"}}]}`)
	if custom[1] != "r::#c" || !IsDerived(custom[2]) {
		t.Errorf("custom ids %v", custom)
	}
}

func TestTreeContainsItself(t *testing.T) {
	loop := &ast.Tree{Type: "a"}
	loop.Kids = []*ast.Tree{{Type: "b", Kids: []*ast.Tree{loop}}}
	shared := &ast.Tree{Type: "b"}
	for _, tc := range []struct {
		name, want string
		tree       *ast.Tree
	}{
		{"itself", "contents[0].contents[0]: the tree contains itself", loop},
		{"nil", "no tree", nil},
		{"nil below", "contents[0]: no tree", &ast.Tree{Type: "a", Kids: []*ast.Tree{nil}}},
		{"keys out of order", "properties.A: keys must be", &ast.Tree{Type: "a", Attrs: []document.Attr{{Key: "B", Value: document.Value{}}, {Key: "A",
			Value: document.Value{}}}}},
		{"content said not to be", "content in a tree that is marked as having none", &ast.Tree{Type: "a", Bare: true, Content: "x"}},
		{"type of a lost node", `type "(gone)": a type is up to`, &ast.Tree{Type: "(gone)"}},
	} {
		if err := tc.tree.Check(); !errors.Is(err, document.ErrTree) || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
	if err := (&ast.Tree{Type: "a", Kids: []*ast.Tree{shared, shared}}).Check(); err != nil {
		t.Errorf("a part in two places: %v", err)
	}
}

func TestTreeWith(t *testing.T) {
	tree := decode(t, `{"type":"a","properties":{"ID":"r"},"contents":[{"type":"b","properties":{"ID":"x"},"contents":["deep"]},"last"]}`)
	nodes, _ := treeNodes(t, "/r", tree)
	back := TreeOf(nodes)
	if !back.Equal(tree) {
		t.Fatalf("nodes give %s", back.JSON())
	}
	if got := back.Find(nodes[2].ID); got == nil || got.Content != "deep" {
		t.Errorf("found %v by its derived id", got)
	}
	for _, tc := range []struct {
		name, id, want string
		change         func(*ast.Tree) *ast.Tree
	}{
		{"remove", "x", `{"type":"a","properties":{"ID":"r"},"raw-content":null,"contents":["last"]}`, func(*ast.Tree) *ast.Tree { return nil }},
		{"append", "x", `{"type":"a","properties":{"ID":"r"},"contents":[{"type":"b","properties":{"ID":"x"},"contents":["deep","new"]},"last"]}`,
			func(t *ast.Tree) *ast.Tree {
				c := *t
				c.Kids = append(c.Kids[:len(c.Kids):len(c.Kids)], &ast.Tree{Type: ast.TypePlainText, Content: "new"})
				return &c
			}},
		{"unknown", "nobody", string(tree.JSON()), nil},
	} {
		if got, _ := back.With(tc.id, tc.change); !got.Equal(decode(t, tc.want)) {
			t.Errorf("%s: %s", tc.name, got.JSON())
		}
	}
	if !back.Equal(tree) {
		t.Error("the tree itself was changed")
	}
}

func TestTreeWithout(t *testing.T) {
	const text = `{"type":"a","properties":{"ID":"r"},"contents":[{"type":"b","properties":{"ID":"x"},"contents":[{"type":"c","properties":{"ID":"y"}},` +
		`"stays"]},{"type":"d","properties":{"ID":"z"},"contents":["z"]}]}`
	tree := decode(t, text)
	for _, tc := range []struct {
		name string
		ids  []string
		want string // "" for nothing
	}{
		{"nothing", []string{"nobody"}, text},
		{"two of them", []string{"y", "z"}, `{"type":"a","properties":{"ID":"r"},"contents":[{"type":"b","properties":{"ID":"x"},"contents":["stays"]}]}`},
		{"one in another", []string{"y", "x"}, `{"type":"a","properties":{"ID":"r"},"contents":[{"type":"d","properties":{"ID":"z"},"contents":["z"]}]}`},
		{"the root", []string{"y", "r"}, ""},
	} {
		ids := map[string]bool{}
		for _, id := range tc.ids {
			ids[id] = true
		}
		got := tree.Without(ids)
		if (got == nil) != (tc.want == "") || got != nil && !got.Equal(decode(t, tc.want)) {
			t.Errorf("%s: %v", tc.name, got)
		}
		if tc.name == "nothing" && got != tree {
			t.Error("what stays is not shared")
		}
	}
	if !tree.Equal(decode(t, text)) {
		t.Error("the tree itself was changed")
	}
}

func TestOwnBlockOfTree(t *testing.T) {
	for _, tc := range []struct {
		name string
		node Node
	}{
		{"bare", Node{Type: "a", Bare: true}},
		{"empty", Node{Type: "a"}},
		{"long content", Node{Type: "a", Content: strings.Repeat("x", merkle.ChunkSize+1), Attrs: []document.Attr{{Key: "K", Value: document.IntValue(1)}}}},
		{"long attribute", Node{Type: "a", Bare: true, Attrs: []document.Attr{{Key: "K", Value: document.TextValue(strings.Repeat("é", 300_000))},
			{Key: "L", Value: document.ListValue(document.IntValue(-1), document.Value{}, document.BoolValue(false))}}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			blocks := map[merkle.Digest][]byte{}
			d, err := tc.node.OwnBlock(func(d merkle.Digest, block []byte) error {
				if len(block) > merkle.MaxBlock {
					t.Errorf("block of %d bytes", len(block))
				}
				blocks[d] = append([]byte(nil), block...)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			get := func(d merkle.Digest) ([]byte, error) { return blocks[d], nil }
			back, err := ReadOwn(d, get)
			if err != nil {
				t.Fatal(err)
			}
			if back.Type != tc.node.Type || back.Content != tc.node.Content || back.Bare != tc.node.Bare || !slices.Equal(back.Attrs, tc.node.Attrs) {
				t.Errorf("read %.200v, want %.200v", back, tc.node)
			}
			links, err := Links(blocks[d], get)
			slices.SortFunc(links, func(a, b merkle.Digest) int { return bytes.Compare(a[:], b[:]) })
			if links = slices.Compact(links); err != nil || len(links) != len(blocks)-1 {
				t.Errorf("%d links to %d blocks: %v", len(links), len(blocks)-1, err)
			}
		})
	}
}

func FuzzDecodeTree(f *testing.F) {
	f.Add(`{"type":"a","properties":{"ID":"x","K":[1,2.5,null,true,"t"],"k+":"u"},"raw-content":"","contents":["text",{"type":"B_C","raw-content":"é\n"}]}`)
	f.Add(`{"type":"a","contents":[{"type":"b","properties":{"TITLE":"t"}},{"type":"b"}],"scope":"session/1"}`)
	f.Add(`{"type":"a","properties":{"N":-0,"M":1e5}}`)
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := ast.DecodeTree([]byte(text))
		if err != nil {
			if !errors.Is(err, document.ErrTree) && !errors.Is(err, document.ErrValue) {
				t.Fatalf("error without a name: %v", err)
			}
			return
		}
		again, err := ast.DecodeTree(tree.JSON())
		if err != nil || !again.Equal(tree) {
			t.Fatalf("%s\nreads as %s: %v", tree.JSON(), again.JSON(), err)
		}
		path, err := TreePath("memex", tree)
		if err != nil {
			t.Fatal(err)
		}
		nodes, _ := treeNodes(t, path, tree)
		back, err := TreePath("memex", TreeOf(nodes))
		if err != nil || back != path {
			t.Fatalf("path %q of the nodes' tree, %q of the tree: %v", back, path, err)
		}
		same, _ := treeNodes(t, path, TreeOf(nodes))
		for i, n := range nodes {
			if n.ID != same[i].ID || !n.Entry.Equal(&same[i].Entry) || !n.Derived.Equal(same[i].Derived) {
				t.Fatalf("node %d differs when made again: %v, %v", i, n, same[i])
			}
		}
	})
}

func TestValue(t *testing.T) {
	for _, text := range []string{"", "é", strings.Repeat("x", 23), strings.Repeat("x", 24), strings.Repeat("x", 300), strings.Repeat("x", 70_000)} {
		for _, n := range []int64{0, 23, 24, 1 << 40, -1, -1 << 63} {
			number, err := document.NumberValue("1.5e3")
			if err != nil {
				t.Fatal(err)
			}
			items := []document.Value{document.TextValue(text), document.IntValue(n), number, {}, document.BoolValue(true)}
			list := document.ListValue(items...)
			if diff := cmp.Diff(items, list.Items()); diff != "" {
				t.Fatalf("items (-want +got):\n%s", diff)
			}
			if got := list.Items()[1].Int(); got != n {
				t.Errorf("int %d, want %d", got, n)
			}
			want := fmt.Sprintf("%s %d 1.5e3  true", text, n)
			if back, err := document.ParseValue(list.Encoded()); err != nil || back != list || back.String() != want {
				t.Errorf("parsed %.100q, %v, want %.100q", back, err, want)
			}
		}
	}
	for name, enc := range map[string]string{
		"nothing": "", "two": "\x01\x02", "bytes": "\x41x", "list in a list": "\x81\x80", "long form": "\x18\x01", "other map": "\xa1\x61x\x61y",
		"decimal that is text": "\xa1\x61d\x61y", "decimal that is an int": "\xa1\x61d\x611", "int beyond 64 bits": "\x3b\xff\xff\xff\xff\xff\xff\xff\xff",
		"text not UTF-8": "\x61\xff",
	} {
		if v, err := document.ParseValue(enc); !errors.Is(err, document.ErrValue) {
			t.Errorf("%s: %v, %v, want ErrValue", name, v, err)
		}
	}
	for _, literal := range []string{"", "x", "1 ", " 1", "01", "1.", "[1]", "-", "NaN", "1\n"} {
		if v, err := document.NumberValue(literal); !errors.Is(err, document.ErrValue) {
			t.Errorf("%q is the number %v", literal, v)
		}
	}
}
