// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/org"
)

var formats = document.Formats{org.Format{}}

func split(t *testing.T, path, text string) ([]*Node, []document.Problem) {
	t.Helper()
	nodes, problems := Read(formats, path, nil, document.File(text, false)).Nodes(everyone)
	if got := Join(nodes); got != text {
		t.Fatalf("joined nodes give %q, want %q", got, text)
	}
	return nodes, problems
}

func TestSplitShape(t *testing.T) {
	nodes, _ := split(t, "a.org", "intro\n* One :x:\nbody\n** Two\n*** Three\n** Four\n* Five")
	type shape struct {
		Title, Parent, Content string
		Kids                   int
	}
	title := map[string]string{"": ""}
	for _, n := range nodes {
		title[n.ID] = n.Title()
	}
	var got []shape
	for _, n := range nodes {
		got = append(got, shape{n.Title(), title[n.Parent], n.Content, len(n.Kids)})
	}
	want := []shape{
		{"a", "", "intro\n", 2},
		{"One", "a", "* One :x:\nbody\n", 2},
		{"Two", "One", "** Two\n", 1},
		{"Three", "Two", "*** Three\n", 0},
		{"Four", "One", "** Four\n", 0},
		{"Five", "a", "* Five", 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("shape (-want +got):\n%s", diff)
	}
}

func TestIDs(t *testing.T) {
	long := strings.Repeat("x", document.MaxID+1)
	for _, tc := range []struct {
		name, drawer string
		want         string // "" for a derived one
		problem      string
	}{
		{"declared", ":ID: some-id", "some-id", ""},
		{"declared in other case", ":id: some-id", "some-id", ""},
		{"custom", ":CUSTOM_ID: here", DocumentID("a.org") + "::#here", ""},
		{"declared before custom", ":CUSTOM_ID: here\n:ID: x", "x", ""},
		{"none", ":FOO: bar", "", ""},
		{"empty", ":ID:", "", ""},
		{"too long", ":ID: " + long, "", "longer than"},
		{"not UTF-8", ":ID: \xff", "", "valid UTF-8"},
		{"custom not UTF-8", ":CUSTOM_ID: \xff", "", "not UTF-8"},
		{"reserved prefix", ":ID: ~abc", "", "begin with ~"},
		{"holds a search", ":ID: a::b", "", "may not contain ::"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			nodes, problems := split(t, "a.org", "* H\n:PROPERTIES:\n"+tc.drawer+"\n:END:\n")
			id := nodes[1].ID
			if tc.want != "" && id != tc.want || tc.want == "" && !IsDerived(id) {
				t.Errorf("id %q, want %q", id, tc.want)
			}
			if (len(problems) > 0) != (tc.problem != "") || len(problems) > 0 && !strings.Contains(problems[0].Message, tc.problem) {
				t.Errorf("problems %v, want one with %q", problems, tc.problem)
			}
		})
	}
}

// TestDerivedIDsDoNotMeet: nodes without an id in one second, of one title, of
// one parent, are told apart (defects 2, 3 and 4 of the seeds' code).
func TestDerivedIDsDoNotMeet(t *testing.T) {
	nodes, _ := split(t, "a.org", "* A\n** X\n* A\n** X\n** X\n* \n* \n")
	seen := map[string]bool{}
	for _, n := range nodes {
		if seen[n.ID] {
			t.Errorf("id %s is given twice", n.ID)
		}
		if n.Parent == n.ID {
			t.Errorf("node %s is its own parent", n.ID)
		}
		seen[n.ID] = true
	}
	again, _ := split(t, "a.org", "* A\n** X\n* A\n** X\n** X\n* \n* \n")
	for i, n := range again {
		if n.ID != nodes[i].ID {
			t.Errorf("node %d has another id the second time", i)
		}
	}
}

// TestDigests: what enters which digest (defects 1, 5, 10, 12 of the seeds).
func TestDigests(t *testing.T) {
	one := func(text string) *Node { n, _ := split(t, "a.org", text); return n[1] }
	base := one("* T\nbody\n")
	for name, other := range map[string]*Node{
		"body":           one("* T\nbodY\n"),
		"beyond Latin-1": one("* T\nbödy — م 😀\n"),
		"blank line":     one("* T\nbody\n\n"),
		"line end":       one("* T\r\nbody\r\n"),
	} {
		if other.Own == base.Own {
			t.Errorf("%s: another text has the same own digest", name)
		}
	}
	parent := one("* T\nbody\n** kid\n")
	if parent.Own != base.Own || parent.Version == base.Version {
		t.Error("a child must change the version and not the own digest")
	}
	if base.Version != base.Own {
		t.Error("the version of a leaf is its own digest")
	}
	elsewhere, _ := split(t, "b.org", "* T\nbody\n")
	if elsewhere[1].Own != base.Own || elsewhere[1].ID == base.ID {
		t.Error("the same text elsewhere has the same digest and another derived id")
	}
}

func TestReadOwn(t *testing.T) {
	store := map[merkle.Digest][]byte{}
	emit := func(d merkle.Digest, b []byte) error { store[d] = slices.Clone(b); return nil }
	get := func(d merkle.Digest) ([]byte, error) { return store[d], nil }
	for _, size := range []int{0, 1, 1 << 16, 1<<16 + 1, 300 << 10} {
		n := &Node{Type: document.TypeHeadline, Content: strings.Repeat("y", size), Attrs: []document.Attr{{Key: "K", Value: document.TextValue("v")}}}
		d, err := n.OwnBlock(emit)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadOwn(d, get)
		if err != nil {
			t.Fatal(err)
		}
		if got.Content != n.Content || got.Type != n.Type || !slices.Equal(got.Attrs, n.Attrs) || got.Own != d {
			t.Errorf("size %d: another node was read", size)
		}
		store[d][len(store[d])/2] ^= 1
		if _, err := ReadOwn(d, get); !errors.Is(err, ErrDigest) {
			t.Errorf("size %d: a flipped bit gives %v, want ErrDigest", size, err)
		}
	}
}

func TestClaimOrder(t *testing.T) {
	in := []Claim{{"x", "agents/a.org"}, {"x", "/x"}, {"x", "z.org"}, {"x", "b.org"}}
	slices.SortFunc(in, func(a, b Claim) int {
		if a.Before(b) {
			return -1
		}
		return 1
	})
	want := []Claim{{"x", "b.org"}, {"x", "z.org"}, {"x", "agents/a.org"}, {"x", "/x"}}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Error(diff)
	}
}

// TestLineage: a renamed headline, one that moved to another file, and one
// whose title stayed are each followed.
func TestLineage(t *testing.T) {
	before, _ := split(t, "a.org", "* Old title\nbody\n* Moved\nthings\n* Kept\nversion 1\n")
	after, _ := split(t, "a.org", "* New title\nbody\n* Kept\nversion 2\n")
	other, _ := split(t, "b.org", "* Moved\nthings\n")
	gone := []*Node{before[1], before[2]}
	come := []*Node{after[1], other[1]}
	want := []Edge{{before[1].ID, after[1].ID}, {before[2].ID, other[1].ID}}
	slices.SortFunc(want, func(a, b Edge) int { return strings.Compare(a.Old, b.Old) })
	if diff := cmp.Diff(want, Lineage(gone, come)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if before[3].ID != after[2].ID {
		t.Error("a headline of the same title and place keeps its derived id")
	}
}

// TestLineageOfMoves: a subtree that moves to another level or document is
// followed, and so is what is archived with properties added.
func TestLineageOfMoves(t *testing.T) {
	before, _ := split(t, "a.org", "* Top\n** Part\ntext\n*** Piece\nmore\n* Done with\nold\n")
	after, _ := split(t, "a.org", "* Top\n")
	moved, _ := split(t, "b.org", "* Part\ntext\n** Piece\nmore\n")
	archive, _ := split(t, "a.org_archive", "* Done with\n:PROPERTIES:\n:ARCHIVE_FILE: a.org\n:END:\nold\n")
	got := map[string]string{}
	for _, e := range Lineage([]*Node{before[2], before[3], before[4]}, []*Node{archive[1], moved[1], moved[2]}) {
		got[e.Old] = e.New
	}
	want := map[string]string{before[2].ID: moved[1].ID, before[3].ID: moved[2].ID, before[4].ID: archive[1].ID}
	if diff := cmp.Diff(want, got); diff != "" || after[1].ID != before[1].ID {
		t.Errorf("(-want +got)\n%s", diff)
	}
	twice, _ := split(t, "c.org", "* Done with\nnew\n* Done with\nother\n")
	if got := Lineage([]*Node{before[4]}, []*Node{twice[1], twice[2]}); len(got) > 0 {
		t.Errorf("a title that came twice is matched: %v", got)
	}
}

func TestRederive(t *testing.T) {
	text := "#+todo: WAIT | OVER\n* WAIT A\n* OVER B :t:\n"
	nodes, _ := split(t, "a.org", text)
	bare := make([]*Node, len(nodes))
	for i, n := range nodes {
		c := *n
		c.Derived = nil
		bare[i] = &c
	}
	got, err := Rederive(formats, bare, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range nodes {
		if diff := cmp.Diff(nodes[i].Derived, got[i].Derived); diff != "" {
			t.Errorf("node %d (-want +got):\n%s", i, diff)
		}
	}
	if _, err := Rederive(formats, bare[:2], nil); !errors.Is(err, nil) && !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	bare[1].Content = "no headline\n"
	if _, err := Rederive(formats, bare, nil); !errors.Is(err, ErrShape) {
		t.Errorf("got %v, want ErrShape", err)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("* A\n:PROPERTIES:\n:ID: x\n:END:\n** B [[id:x]]\n")
	f.Add(":PROPERTIES:\n:ID: d\n:END:\n#+filetags: :a:\n* COMMENT x\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		nodes, _ := split(t, "a.org", text)
		for _, n := range nodes {
			if len(n.Body()) > len(n.Content) {
				t.Fatal("body is longer than the content")
			}
		}
		if _, err := Rederive(formats, nodes, nil); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBody(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"document", ":PROPERTIES:\n:ID: x\n:END:\n#+title: T\n\n#+filetags: :a:\n\nText #+x: y\n", "\nText #+x: y\n"},
		{"document with a block", "#+title: T\n#+begin_src sh\nls\n#+end_src\n", "#+begin_src sh\nls\n#+end_src\n"},
		{"settings alone", "#+title: T\n", ""},
		{"byte order mark", "\ufeff#+title: T\nx\n", "x\n"},
	} {
		nodes, _ := split(t, "a.org", tc.text)
		if got := nodes[0].Body(); got != tc.want {
			t.Errorf("%s: body %q, want %q", tc.name, got, tc.want)
		}
	}
	nodes, _ := split(t, "a.org", "* H\nSCHEDULED: <2026-11-20>\n:PROPERTIES:\n:ID: x\n:END:\nbody\n** K\n")
	if got := nodes[1].Body(); got != "body\n" {
		t.Errorf("headline: body %q", got)
	}
}
