// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
)

// grown is the state of a folder whose texts that begin as JSON are trees.
func grown(f folder) *State { return fresh(f, sorted(f)) }

const family = `{"type":"a","properties":{"ID":"root"},"contents":[{"type":"b","properties":{"ID":"x"},"contents":["deep"]},` +
	`{"type":"c","properties":{"ID":"y"}}]}`

// TestPlaces: each byte of a file is in one node, which begins where Position says.
func TestPlaces(t *testing.T) {
	s := grown(folder{"a.org": "intro\n\n* A\ntext\n** B\n* C", "b.org": "", "/root": family})
	whole, _ := s.Text("a.org")
	offset := 0
	for _, n := range s.Nodes("a.org") {
		at, line := s.Position(n)
		if at != offset || line != 1+strings.Count(whole[:at], "\n") {
			t.Errorf("%s is at %d, line %d; want %d", n.Title(), at, line, offset)
		}
		for i := range n.Content {
			if got, ok := s.At("a.org", at+i); !ok || got != n {
				t.Errorf("byte %d is in %s, want %s", at+i, got.Title(), n.Title())
			}
		}
		offset += len(n.Content)
	}
	if n, ok := s.At("a.org", offset+9); !ok || n.Title() != "C" {
		t.Errorf("behind the end is %v", n)
	}
	if _, ok := s.At("none.org", 0); ok {
		t.Error("a missing file has a node")
	}
	if at, line := s.Position(&node.Node{ID: "none", Entry: node.Entry{Path: "a.org"}}); at != 0 || line != 0 {
		t.Errorf("a missing node is at %d, line %d", at, line)
	}
	if s.Size("none.org") != 0 || s.Size("a.org") != len(whole) {
		t.Error("sizes differ from those of the texts")
	}
	for text, want := range map[string]bool{whole: true, whole + " ": false, whole[:9]: false, strings.ToUpper(whole): false, "": false} {
		if s.Holds("a.org", text) != want {
			t.Errorf("a.org holds %q: %v", text, !want)
		}
	}
	if !s.Holds("b.org", "") || s.Holds("none.org", "") {
		t.Error("an empty file is one, and a missing one is none")
	}
	if s.Tree().Root() != s.Root() || s.Tree().Len() != s.Len() {
		t.Error("the tree is not that of the state")
	}
	var found []string
	for d := range s.Documents() {
		if found = append(found, d.Path); d.Path == "a.org" {
			break
		}
	}
	if diff := cmp.Diff([]string{"/root", "a.org"}, found); diff != "" {
		t.Errorf("documents (-want +got)\n%s", diff)
	}
	for range s.All() {
		break // yields no more
	}
	if got := s.Branch("x"); got == nil || got.Kids[0].Content != "deep" || len(got.Kids) != 1 {
		t.Errorf("branch %v", got)
	}
	for _, id := range []string{"none", s.Nodes("a.org")[1].ID} {
		if got := s.Branch(id); got != nil {
			t.Errorf("branch of %s: %v", id, got)
		}
	}
}

// TestJoinTags: tags are inherited once each and in order, few or many.
func TestJoinTags(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tags := func(name string) []string {
			out := rapid.SliceOfNDistinct(rapid.IntRange(0, 60), 0, 40, rapid.ID[int]).Draw(t, name)
			texts := make([]string, len(out))
			for i, n := range out {
				texts[i] = fmt.Sprint(n)
			}
			return texts
		}
		up, own := tags("inherited"), tags("own")
		own = append(own, own[:rapid.IntRange(0, len(own)).Draw(t, "again")]...)
		want := slices.Clone(up)
		for _, tag := range own {
			if len(up) == 0 || !slices.Contains(want, tag) {
				want = append(want, tag)
			}
		}
		before := slices.Clone(up)
		got := JoinTags(slices.Grow(up, 100), own)
		if !slices.Equal(got, want) || !slices.Equal(up, before) {
			t.Fatalf("%v and %v make %v, want %v", up, own, got, want)
		}
	})
	s := grown(folder{"a.org": "#+FILETAGS: :f:g:\n* A :a:f:\n** B :b:a:\n*** C\n"})
	var got []string
	for _, n := range s.Nodes("a.org") {
		got = append(got, strings.Join(s.EffectiveTags(n), " "))
	}
	if diff := cmp.Diff([]string{"f g", "f g a", "f g a b", "f g a b"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestSetupFiles: a state and a draft know which setup files their documents name.
func TestSetupFiles(t *testing.T) {
	s := grown(folder{"a.org": "#+SETUPFILE: b.setup\n#+SETUPFILE: none.setup\n* NEXT A\n",
		"b.setup": "#+TODO: NEXT | OVER\n#+FILETAGS: :x:\n", "c.org.gpg": "#+TODO: X\n", "/root": family})
	want := []string{"b.setup", "none.setup"}
	d := s.Edit(2)
	got := [][]string{s.SetupFiles(), d.SetupFiles(), d.Setup("a.org"), d.Setup("/root"), d.Setup("none")}
	if diff := cmp.Diff([][]string{want, want, want, nil, nil}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for path, asked := range map[string]bool{"b.setup": true, "none.setup": true, "a.org": false} {
		if s.Asked(path) != asked {
			t.Errorf("%s is asked for: %v", path, !asked)
		}
	}
	for path, there := range map[string]bool{"b.setup": true, "none.setup": false, "c.org.gpg": false} {
		if text, ok := s.Files(path); ok != there || ok != (text != "") {
			t.Errorf("%s can be read: %v", path, ok)
		}
	}
	if len(s.Formats()) != len(orgFiles) {
		t.Error("the formats are not those of the empty state")
	}
	if n := s.Nodes("a.org")[1]; n.Derived.Todo != "NEXT" {
		t.Fatalf("todo %q", n.Derived.Todo)
	}
	other := s.Edit(2)
	other.Put("b.setup", document.File("#+TODO: NEXT | OVER\n#+FILETAGS: :y:\n", true))
	changed, delta := other.Seal()
	store := blocks{}
	for _, c := range delta.Changes {
		if err := c.New.Blocks(store.emit); err != nil {
			t.Fatal(err)
		}
	}
	applied, err := s.Apply(&Commit{State: changed.Root(), Delta: delta.Records()}, store.get)
	if err != nil || cmp.Diff(listing(changed), listing(applied)) != "" || !slices.Equal(changed.Nodes("a.org")[0].Derived.Tags, []string{"y"}) {
		t.Errorf("a changed setup file: %v, nodes %v", err, listing(applied))
	}
	if got := Diff(s, changed); len(got.Reread) != 1 || len(delta.Reread) != 1 || got.Reread[0].ID != delta.Reread[0].ID || got.Reread[0].Path != "a.org" {
		t.Errorf("%v are read otherwise", got.Reread)
	}
	d.Put("a.org", document.File("* NEXT A\n", false))
	d.Put("b.setup")
	next, delta := d.Seal()
	if len(next.SetupFiles()) > 0 || next.Nodes("a.org")[1].Derived.Todo != "" {
		t.Errorf("setup files %v after they went", next.SetupFiles())
	}
	if _, there := next.Document("b.setup"); there || !slices.Equal(delta.Paths, []string{"a.org", "b.setup"}) {
		t.Errorf("no parts remove nothing: %v", delta.Paths)
	}
}

// TestProblems: each document says what is odd in it, and who else claims an id.
func TestProblems(t *testing.T) {
	const one = "* One\n:PROPERTIES:\n:ID: one\n:END:\n"
	s := grown(folder{"a.org": one, "b.org": "* B\n" + one, "c.org": "* C\n:PROPERTIES:\n:ID: ~c\n:END:\n", "d.py": "* x", "/root": family})
	paths := []string{"a.org", "b.org", "c.org", "d.py", "none.org", "/root"}
	var got []string
	for i, found := range s.Problems(paths, func(path, text string) []document.Problem {
		if path == "/root" {
			return []document.Problem{{Line: len(text), Message: "also"}}
		}
		return nil
	}) {
		for _, p := range found {
			got = append(got, fmt.Sprintf("%s:%d %.20s", paths[i], p.Line, p.Message))
		}
	}
	want := []string{`b.org:2 ID "one" belongs to `, "c.org:1 an ID may not begin ", "/root:4 also"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	bearer, _ := s.Get("one")
	rivals := s.Rivals(bearer)
	if bearer.Path != "a.org" || len(rivals) != 1 || rivals[0].Path != "b.org" || rivals[0].Title() != "One" {
		t.Errorf("%s and rivals %v", bearer.Path, rivals)
	}
	if alone := s.Nodes("b.org")[1]; len(s.Rivals(alone)) > 0 {
		t.Error("an id that nobody contests has rivals")
	}
}

// TestPutBranchMovesIDs: where the id of a branch changes, or one outside it, the result
// is that of the whole tree.
func TestPutBranchMovesIDs(t *testing.T) {
	for _, tc := range []struct{ name, id, branch string }{
		{"another id", "x", `{"type":"b","properties":{"ID":"new"}}`},
		{"no id any more", "x", `{"type":"b"}`},
		{"another type", "x", `{"type":"c"}`},
		{"an id of the old branch", "x", `{"type":"b","contents":[{"type":"d","properties":{"ID":"x"}}]}`},
		{"a CUSTOM_ID", "y", `{"type":"c","properties":{"CUSTOM_ID":"c"}}`},
		{"an id and a CUSTOM_ID", "y", `{"type":"c","properties":{"ID":"y","CUSTOM_ID":"c"}}`},
		{"an id of a file", "y", `{"type":"c","properties":{"ID":"file"}}`},
		{"an id that others contest", "y", `{"type":"c","properties":{"ID":"two"}}`},
		{"the root", "root", `{"type":"a","properties":{"ID":"root"},"contents":["new"]}`},
		{"the same", "x", `{"type":"b","properties":{"ID":"x"},"contents":["deep"]}`},
	} {
		const file, two = "* F\n:PROPERTIES:\n:ID: file\n:END:\n", "* T\n:PROPERTIES:\n:ID: two\n:END:\n"
		f := folder{"a.org": file + two, "b.org": two, "/root": family}
		s := grown(f)
		branch, err := ast.DecodeTree([]byte(tc.branch))
		if err != nil {
			t.Fatal(err)
		}
		d := s.Edit(2)
		if err := d.PutBranch(tc.id, branch); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		got, delta := d.Seal()
		tree, _ := s.Branch("root").With(tc.id, func(*ast.Tree) *ast.Tree { return branch })
		f["/root"] = string(tree.JSON())
		want := grown(f)
		if diff := cmp.Diff(listing(want), listing(got)); diff != "" || got.Root() != want.Root() {
			t.Errorf("%s (-whole +branch):\n%s", tc.name, diff)
		}
		if diff := cmp.Diff(contests(want), contests(got)); diff != "" {
			t.Errorf("%s: contested (-whole +branch):\n%s", tc.name, diff)
		}
		if tc.name == "the same" && (!delta.Empty() || got != s) {
			t.Errorf("the same branch makes %d changes", len(delta.Changes))
		}
	}
}

func TestTooDeepBranch(t *testing.T) {
	s := grown(folder{"/root": family})
	deep := &ast.Tree{Type: "b"}
	for range ast.MaxTreeDepth - 1 {
		deep = &ast.Tree{Type: "b", Kids: []*ast.Tree{deep}}
	}
	if err := deep.Check(); err != nil {
		t.Fatal(err)
	}
	d := s.Edit(2)
	if err := d.PutBranch("x", deep); err == nil || !strings.Contains(err.Error(), "deeper than") {
		t.Errorf("%v", err)
	}
	if next, _ := d.Seal(); next != s {
		t.Error("what was refused changed the state")
	}
}

// TestMergeTreeCases: of a tree that one side deleted the change stays, in a merge; in a
// revert the later deletion does.
func TestMergeTreeCases(t *testing.T) {
	const x1, x2 = `{"type":"a","properties":{"ID":"r","X":1}}`, `{"type":"a","properties":{"ID":"r","X":2}}`
	const x0 = `{"type":"a","properties":{"ID":"r"}}`
	of := func(text string) folder {
		if text == "" {
			return folder{"a.org": "* A\n"}
		}
		return folder{"a.org": "* A\n", "/r": text}
	}
	for _, tc := range []struct{ base, won, lost, want, undone string }{
		{x0, x1, x0, x1, x1},
		{x0, x0, x1, x1, x1},
		{x0, x1, x1, x1, x1},
		{x0, "", x1, x1, ""},
		{x0, x1, "", x1, x1},
		{x0, "", x0, "", ""},
		{x0, x0, "", "", ""},
		{"", x1, "", x1, x1},
		{"", "", x1, x1, x1},
		{x0, "", "", "", ""},
	} {
		base, won, lost := grown(of(tc.base)), grown(of(tc.won)), grown(of(tc.lost))
		d, conflicts := Merge(base, Side{State: won, Time: 2}, Side{State: lost, Time: 1}, 9)
		if got, _ := d.Seal(); got.Root() != grown(of(tc.want)).Root() || len(conflicts) > 0 {
			t.Errorf("%q, %q, %q merge as %v, %v; want %q", tc.base, tc.won, tc.lost, files(got), conflicts, tc.want)
		}
		d, _ = Revert(won, lost, base, "who", 9) // lost is the earlier state, base the one to undo
		if got, _ := d.Seal(); got.Root() != grown(of(tc.undone)).Root() {
			t.Errorf("%q, %q, %q revert to %v; want %q", tc.base, tc.won, tc.lost, files(got), tc.undone)
		}
	}
	base, won, lost := grown(of(x0)), grown(of(x1)), grown(of(x2))
	d, conflicts := Merge(base, Side{State: won, Who: "ann", Time: 2}, Side{State: lost, Who: "ben", Time: 1}, 9)
	wants := []document.Conflict{{ID: "r", Path: "/r", Field: "x", By: "ben", Kept: "1", Lost: "2"}}
	if diff := cmp.Diff(wants, conflicts); diff != "" {
		t.Errorf("conflicts (-want +got)\n%s", diff)
	}
	if s, _ := d.Seal(); !strings.Contains(files(s)["/r"], "CONFLICT") {
		t.Errorf("no conflict in %v", files(s))
	}
}

// TestCommitHeads: number, operation and mentions of a commit are read without the rest,
// and no damage of its block goes unnoticed or panics.
func TestCommitHeads(t *testing.T) {
	for _, c := range goldenChain(t) {
		block, err := c.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		seq, op, err := CommitOp(block)
		if again, e := CommitSeq(block); seq != c.Seq || op != c.Op || err != nil || again != seq || e != nil {
			t.Errorf("commit %d of %s reads as %d of %s, %v", c.Seq, c.Op, seq, op, err)
		}
		if c.When() != time.UnixMilli(c.Time).UTC() {
			t.Errorf("time %v", c.When())
		}
		for _, r := range c.Delta {
			if !Mentions(block, r.ID) {
				t.Errorf("commit %d does not mention %s", c.Seq, r.ID)
			}
		}
		if Mentions(block, "nobody at all") {
			t.Errorf("commit %d mentions a node that it does not change", c.Seq)
		}
		for n := range block {
			if _, err := DecodeCommit(block[:n], blocks{}.get); err == nil {
				t.Errorf("commit %d is read from %d of %d bytes", c.Seq, n, len(block))
			}
			if seq, op, err := CommitOp(block[:n]); err == nil && (seq != c.Seq || op != c.Op) {
				t.Errorf("%d bytes read as commit %d of %s", n, seq, op)
			}
			bad := slices.Clone(block)
			bad[n] ^= 1
			if got, err := DecodeCommit(bad, blocks{}.get); err == nil && got.Digest == c.Digest {
				t.Errorf("commit %d has the same digest with byte %d changed", c.Seq, n)
			}
			Mentions(bad, "x")
		}
	}
	if _, _, err := CommitOp(nil); err == nil || !strings.HasPrefix(err.Error(), "commit: ") {
		t.Errorf("no commit: %v", err)
	}
	var long []Record
	for i := range 3000 {
		long = append(long, Record{ID: fmt.Sprintf("%030d", i), New: &node.Entry{Path: "a.org"}})
	}
	block, err := (&Commit{Delta: long}).Encode(blocks{}.emit)
	if err != nil || !Mentions(block, "nobody") || len(block) > merkle.MaxBlock {
		t.Errorf("a delta in other blocks may mention a node: %v", err)
	}
}

// TestLedgerEntries: a ledger knows the entries of the newest state.
func TestLedgerEntries(t *testing.T) {
	var l Ledger
	if _, ok := l.Entry("a"); ok || l.Len() != 0 || !l.Root().IsZero() {
		t.Error("an empty ledger knows nodes")
	}
	s := Empty(orgFiles)
	for i, text := range []string{"* A\n** B\n", "* A\n** C\n* D\n", ""} {
		d := s.Edit(int64(i))
		d.Put("a.org", document.File(text, false))
		next, delta := d.Seal()
		if err := l.Apply(&Commit{Seq: uint64(i), State: next.Root(), Delta: delta.Records()}); err != nil {
			t.Fatal(err)
		}
		if s = next; l.Len() != s.Len() || l.Root() != s.Root() {
			t.Errorf("%d nodes with root %s, want %d with %s", l.Len(), l.Root(), s.Len(), s.Root())
		}
		for n := range s.All() {
			if e, ok := l.Entry(n.ID); !ok || !e.Equal(&n.Entry) {
				t.Errorf("entry %v of %s, want %v", e, n.ID, n.Entry)
			}
		}
	}
}

// TestGone: a node whose content is removed from history keeps its place and digests.
func TestGone(t *testing.T) {
	store := blocks{}
	d := Empty(orgFiles).Edit(1)
	d.Put("a.org", document.File("* A\n* B\n", false))
	d.Put("b.org", document.File("* C\n", false))
	want, delta := d.Seal()
	for n := range want.All() {
		if err := n.Blocks(store.emit); err != nil {
			t.Fatal(err)
		}
	}
	lost := want.Nodes("a.org")[1]
	get := func(at merkle.Digest) ([]byte, error) {
		if at == lost.Own {
			return nil, fmt.Errorf("block: %w", ErrGone)
		}
		return store.get(at)
	}
	got, err := Empty(orgFiles).Apply(&Commit{State: want.Root(), Delta: delta.Records()}, get)
	if err != nil || got.Root() != want.Root() {
		t.Fatalf("%v", err)
	}
	gone := got.Gone()
	if len(gone) != 1 || gone[0].ID != lost.ID || !IsGone(gone[0]) || gone[0].Content != "" || len(want.Gone()) > 0 {
		t.Errorf("gone are %v", gone)
	}
	if n := got.Nodes("a.org")[2]; n.Title() != "B" {
		t.Errorf("beside it is %q", n.Title())
	}
	back := got.Edit(7)
	back.Put("a.org", document.File("* A\n* B\n", false))
	s, _ := back.Seal()
	if n, _ := s.Get(lost.ID); IsGone(n) || n.Content != "* A\n" || n.Modified != 1 || s.Root() != want.Root() {
		t.Errorf("put again it is %+v", n)
	}
	if reread := Diff(got, s).Reread; !slices.ContainsFunc(reread, func(n *node.Node) bool { return n.ID == lost.ID && n.Content == "* A\n" }) {
		t.Errorf("what is back is not told: %v", reread)
	}
	over := Empty(orgFiles).Edit(1)
	over.Adopt("a.org", got.Nodes("a.org"), 1)
	if s, _ := over.Seal(); len(s.Gone()) != 1 || s.Rank("a.org") != 1 {
		t.Error("an adopted node is not gone")
	}
}

// TestDecodeDamaged: a cut image is refused or, where only its derived fields are cut,
// read from the bytes.
func TestDecodeDamaged(t *testing.T) {
	s := grown(folder{"a.org": "#+TAGS: [ G : a b ]\n* TODO A :t:\n:PROPERTIES:\n:ID: one\n:K: v\n:END:\n[[id:x]]\n** B\n", "/root": family, "c.py": "x\n"})
	whole := s.Encode(1<<20, 1)
	if len(whole) != 1 {
		t.Fatalf("%d parts", len(whole))
	}
	for n := range whole[0].Derived {
		got, derived, err := Decode([]Part{{Nodes: whole[0].Nodes, Derived: whole[0].Derived[:n]}}, orgFiles)
		if err != nil || derived {
			t.Fatalf("%d bytes of derived fields: %v, %v", n, derived, err)
		}
		if diff := cmp.Diff(listing(s), listing(got)); diff != "" {
			t.Fatalf("%d bytes of derived fields (-whole +cut):\n%s", n, diff)
		}
	}
	for n := range whole[0].Nodes {
		if _, _, err := Decode([]Part{{Nodes: whole[0].Nodes[:n], Derived: whole[0].Derived}}, orgFiles); err == nil {
			t.Errorf("an image of %d of %d bytes is read", n, len(whole[0].Nodes))
		}
		bad := slices.Clone(whole[0].Nodes)
		bad[n] ^= 0x55
		if got, _, err := Decode([]Part{{Nodes: bad}}, orgFiles); err == nil && got.Root() == s.Root() && !cmp.Equal(listing(got), listing(s)) {
			t.Errorf("byte %d changed gives other nodes under the same root", n)
		}
	}
	if _, _, err := Decode([]Part{whole[0], whole[0]}, orgFiles); err == nil || !strings.Contains(err.Error(), "two documents of one path") {
		t.Errorf("the same part twice: %v", err)
	}
	if _, _, err := Decode(nil, orgFiles); err == nil {
		t.Error("an image of nothing is read")
	}
}

// TestPutHoldsNoFile: the nodes that a change or an addition to a known file makes share
// no memory with its new text.
func TestPutHoldsNoFile(t *testing.T) {
	const one, two = "* One :tag:\ntext\n", "* Two\n:PROPERTIES:\n:ID: two\n:END:\n"
	s := grown(folder{"a.org": one})
	for name, text := range map[string]string{
		"a change": strings.Clone("* One :tag:\nother\n"), "an addition": strings.Clone(one + two), "a line above": strings.Clone("#+CATEGORY: c\n" + one),
	} {
		d := s.Edit(2)
		d.Put("a.org", document.File(text, false))
		next, delta := d.Seal()
		if len(delta.Changes) == 0 {
			t.Errorf("%s changes nothing", name)
		}
		begin, end := uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text))
		for n := range next.All() {
			for _, held := range append([]string{n.Content, n.ID, n.Parent, n.Derived.Title, n.Derived.Category, n.Derived.DeclaredID}, n.Derived.Tags...) {
				if at := uintptr(unsafe.Pointer(unsafe.StringData(held))); held != "" && at-begin < end {
					t.Errorf("%s: %s holds %q of the file", name, n.ID, held)
				}
			}
		}
		runtime.KeepAlive(text)
	}
}

// TestQuoteBeyond: a substring that reaches beyond its content is damage.
func TestQuoteBeyond(t *testing.T) {
	for at, damaged := range map[uint64]bool{0: false, 2: false, 3: true, 6: true, 7: true, 1 << 63: true} {
		c := cursor{s: string(binary.AppendUvarint(binary.AppendUvarint(nil, 4<<1|1), at))}
		if got := c.quote("abcdef"); (c.err != nil) != damaged || damaged != (got == "") {
			t.Errorf("4 bytes from %d: %q, %v", at, got, c.err)
		}
	}
}
