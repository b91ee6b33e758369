// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

const plan = `#+TITLE: Plan
#+begin_src sh
echo top
#+end_src
* Look
** Inbox
#+NAME: count
#+begin_src elisp
(+ 1 2)
#+end_src
* Decide
text
`

// split returns the nodes of an Org file.
func split(text string) []*node.Node {
	nodes, _ := node.Read(document.Formats{org.Format{}}, "skills/plan.org", nil, document.File(text, false)).Nodes(func(node.Claim) bool { return true })
	return nodes
}

// unparsed returns the node of an opaque file.
func unparsed(path, text string) []*node.Node {
	nodes, _ := node.Read(document.Formats{org.Format{}}, path, nil, document.File(text, true)).Nodes(func(node.Claim) bool { return true })
	return nodes
}

func sum(text string) merkle.Digest { return merkle.Sum([]byte(text)) }

func TestParts(t *testing.T) {
	var got []string
	for _, p := range Parts(split(plan)) {
		got = append(got, p.Kind+" "+p.Where)
	}
	want := []string{"document ", "block sh", "headline Look", "headline Look / Inbox", "block Look / Inbox / count", "headline Decide"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	opaque := Parts(unparsed("agents/a/ROM.md", plan))
	if len(opaque) != 1 || opaque[0].Kind != Document {
		t.Errorf("an opaque file has the parts %v", opaque)
	}
}

func TestJudge(t *testing.T) {
	base := NewBaseline(nil, "skills/plan.org", split(plan), sum(plan), 3)
	other, away := plan+"more\n", NewBaseline(base, "skills/plan.org", nil, Absent, 4)
	empty := NewBaseline(nil, "skills/plan.org", split(""), sum(""), 3)
	for _, tc := range []struct {
		name  string
		base  *Baseline
		file  merkle.Digest
		nodes []*node.Node
		want  State
	}{
		{"as trusted", base, sum(plan), split(plan), Same},
		{"as trusted, kept otherwise", base, sum(plan), unparsed("skills/plan.org", plan), Same},
		{"changed, not read yet", base, sum(other), split(plan), Changed},
		{"changed and read", base, sum(other), split(other), Changed},
		{"put back, not read yet", base, sum(plan), split(other), Stale},
		{"put back, memory has none", base, sum(plan), nil, Stale},
		{"gone", base, Absent, split(plan), Gone},
		{"emptied", base, sum(""), split(""), Changed},
		{"empty, as trusted", empty, sum(""), split(""), Same},
		{"empty, and gone", empty, Absent, split(""), Gone},
		{"empty, gone and read", empty, Absent, nil, Gone},
		{"empty, and filled", empty, sum(plan), split(plan), Changed},
		{"new", nil, sum(plan), split(plan), New},
		{"new, not read yet", nil, sum(plan), nil, New},
		{"never there", nil, Absent, nil, Same},
		{"taken away by its owner", away, Absent, nil, Same},
		{"there again", away, sum(plan), split(plan), Changed},
		{"there again, emptied", away, sum(""), split(""), Changed},
		{"there again, emptied, not read yet", away, sum(""), nil, Changed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Compare(tc.base, tc.file, tc.nodes); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestBaselineKnowsWhatWasTrusted(t *testing.T) {
	var b *Baseline
	texts := []string{"* a\n", "* b\n", "* c\n", "* b\n"}
	for i, text := range texts {
		b = NewBaseline(b, "skills/plan.org", split(text), sum(text), uint64(i))
	}
	for text, want := range map[string]bool{"* a\n": true, "* b\n": true, "* c\n": true, "* d\n": false} {
		if got := b.Trusts(sum(text)); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
	for i := range 3 * maxEarlier {
		text := strings.Repeat("x", i)
		b = NewBaseline(b, "skills/plan.org", split(text), sum(text), 1)
	}
	if len(b.Earlier) != maxEarlier || b.Trusts(sum("* a\n")) {
		t.Errorf("%d earlier texts are known", len(b.Earlier))
	}
}

func TestDiff(t *testing.T) {
	for _, tc := range []struct {
		name, now string
		want      []string
	}{
		{"nothing", plan, nil},
		{"a word of a headline's text", strings.Replace(plan, "text", "texts", 1), []string{"changed headline Decide"}},
		{"a block", strings.Replace(plan, "1 2", "1 3", 1), []string{"changed headline Look / Inbox", "changed block Look / Inbox / count"}},
		{"a new headline", plan + "* Act\n", []string{"added headline Act"}},
		{"a headline less", strings.Replace(plan, "* Decide\ntext\n", "", 1), []string{"removed headline Decide"}},
		{"two that change places", "* B\nb\n* A\na\n", nil},
		{"another title", strings.Replace(plan, "* Decide", "* Defer", 1), []string{"added headline Defer", "removed headline Decide"}},
		{"emptied", "", []string{"changed document ", "removed block sh", "removed headline Look", "removed headline Look / Inbox",
			"removed block Look / Inbox / count", "removed headline Decide"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			was := plan
			if tc.name == "two that change places" {
				was, tc.want = "* A\na\n* B\nb\n", []string{"moved headline B"}
			}
			var got []string
			for _, c := range Diff(Parts(split(was)), Parts(split(tc.now))) {
				got = append(got, c.What+" "+c.Kind+" "+c.Where)
			}
			less := cmpopts.SortSlices(strings.Compare)
			if diff := cmp.Diff(tc.want, got, less, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDiffModel: there are changes exactly if two files differ, and the numbers of added
// and removed parts add up.
func TestDiffModel(t *testing.T) {
	part := rapid.SampledFrom([]string{"* a\n", "* b\n", "** a\nx\n", "** a\ny\n", "#+begin_src sh\nx\n#+end_src\n",
		"#+begin_src sh\ny\n#+end_src\n", "text\n"})
	draw := func(t *rapid.T, name string) string {
		return strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, name), "")
	}
	rapid.Check(t, func(t *rapid.T) {
		was, now := draw(t, "was"), draw(t, "now")
		a, b := Parts(split(was)), Parts(split(now))
		changes := Diff(a, b)
		if (len(changes) == 0) != (was == now) {
			t.Fatalf("%q to %q: %v", was, now, changes)
		}
		count := map[string]int{}
		for _, c := range changes {
			count[c.What]++
		}
		if len(a)-count[Removed] != len(b)-count[Added] {
			t.Fatalf("%d parts, %d now: %v", len(a), len(b), count)
		}
	})
}

func TestBook(t *testing.T) {
	a := NewBaseline(nil, "skills/plan.org", split(plan), sum(plan), 3)
	b := NewBaseline(a, "skills/plan.org", split("* b\n"), sum("* b\n"), 4)
	book := &Book{}
	book = book.With(Entry{Policy: "0 lockdown x\n"}, Entry{Baseline: a}, Entry{Notified: "skills/plan.org", File: sum("?")},
		Entry{Notified: "new", File: Absent})
	if !book.Initialized() || book.Baseline("skills/plan.org") != a || book.Notified("skills/plan.org") != sum("?") || len(book.NotifiedPaths()) != 2 {
		t.Fatalf("the book is %+v", book)
	}
	next := book.With(Entry{Baseline: b}, Entry{Notified: "new"})
	if next.Baseline("skills/plan.org") != b || len(next.NotifiedPaths()) != 0 {
		t.Errorf("the book is %+v", next)
	}
	if book.Baseline("skills/plan.org") != a || len(book.NotifiedPaths()) != 2 {
		t.Error("the book before it changed")
	}
	if end := next.With(Entry{Removed: "skills/plan.org"}); len(end.Paths()) != 0 {
		t.Errorf("still %q", end.Paths())
	}
	for name, want := range map[string]*Book{"all kinds": book, "nothing": {}} {
		got, err := DecodeBook(EncodeBook(want))
		if diff := cmp.Diff(want.Entries(), got.Entries()); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestBookOfNoFile: baselines of a missing and of an empty file have the encoding of
// earlier versions, and decode correctly.
func TestBookOfNoFile(t *testing.T) {
	for name, tc := range map[string]struct{ file, written merkle.Digest }{
		"no file":       {Absent, sum("")},
		"an empty file": {sum(""), Absent},
		"another file":  {sum("x"), sum("x")},
	} {
		book := new(Book).With(Entry{Baseline: NewBaseline(nil, "skills/a.org", nil, tc.file, 1)})
		data := EncodeBook(book)
		links := merkle.AppendLink(merkle.AppendLink(nil, tc.written), sum(""))
		if !bytes.Contains(data, links) {
			t.Errorf("%s: it is written as %x", name, data)
		}
		again, err := DecodeBook(data)
		if err != nil || again.Baseline("skills/a.org").File != tc.file || again.Baseline("skills/a.org").Memory != Absent {
			t.Errorf("%s: read as %+v, %v", name, again, err)
		}
	}
}

func FuzzDecodeBook(f *testing.F) {
	book := &Book{}
	f.Add(EncodeBook(book.With(Entry{Policy: "p"}, Entry{Baseline: NewBaseline(nil, "skills/plan.org", split(plan), sum(plan), 3)},
		Entry{Notified: "new", File: Absent})))
	f.Add([]byte{0x81, 0x82})
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := DecodeBook(data)
		if err != nil || b == nil {
			return
		}
		again, err := DecodeBook(EncodeBook(b))
		if err != nil || !bytes.Equal(EncodeBook(b), EncodeBook(again)) {
			t.Errorf("%v: %v, then %v", err, b, again)
		}
	})
}

func TestMessage(t *testing.T) {
	changes := slices.Repeat([]Change{{What: Modified, Kind: Headline, Where: "A \x1b[31mtitle\u202e / " + strings.Repeat("ü", 99)}}, 5000)
	for _, tc := range []struct {
		name  string
		alert Alert
		want  []string
	}{
		{"short", Alert{FileStatus: FileStatus{Path: "skills/a.org", Mode: Lockdown, State: Changed}, Memex: "/notes", Changes: changes[:1]},
			[]string{"skills/a.org was changed", "locked down", "changed headline: A  [31mtitle  / ", "fovea guard diff skills/a.org"}},
		{"long", Alert{FileStatus: FileStatus{Path: strings.Repeat("ü/", 3000), Mode: Ask, State: Changed}, Memex: "/notes", Changes: changes},
			[]string{"marked as unreviewed", "more changes", "fovea guard diff ü/"}},
		{"gone", Alert{FileStatus: FileStatus{Path: "a", Mode: Lockdown, State: Gone, File: Absent}}, []string{"a was removed"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.alert.Time = time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
			got := tc.alert.Message()
			if len(got) > MaxMessage || !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\u202e") {
				t.Errorf("%d bytes: %q", len(got), got)
			}
			for _, want := range tc.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is not in %q", want, got)
				}
			}
		})
	}
}
