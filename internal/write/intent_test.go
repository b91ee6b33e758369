// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/merkle"
)

// someIntent has a file of each form: replaced, made, removed after it was
// changed by another program, written in place, followed.
func someIntent() *Intent {
	text := func(s string) *string { return &s }
	d := func(s string) merkle.Digest { return merkle.Sum([]byte(s)) }
	return &Intent{
		steps: []Step{{Commit: graph.Commit{Kind: "edit", Author: author.Named("ann"), Session: "s", Op: "op", Message: "m", Time: 1_800_000_000_000}}},
		files: []plan{
			{path: "a.org", base: d("a"), next: d("b"), mode: 0o644},
			{path: "n.org", next: d("n")},
			{path: "r.org", base: d("r"), mode: 0o600, old: text("r")},
			{path: "h.org", base: d("h"), next: d("i"), mode: 0o644, torn: text("i")},
			{path: "f.org", base: d("f"), next: d("f")},
		},
	}
}

// encode returns the records of an intent's batch.
func encode(t testing.TB, in *Intent) (intentRecord []byte, blocks map[merkle.Digest][]byte) {
	t.Helper()
	c := collector{blocks: map[merkle.Digest][]byte{}}
	if err := in.encode(c.emit, func(b []byte) { intentRecord = b }); err != nil {
		t.Fatal(err)
	}
	return intentRecord, c.blocks
}

type collector struct{ blocks map[merkle.Digest][]byte }

func (c collector) emit(d merkle.Digest, b []byte) error {
	c.blocks[d] = append([]byte(nil), b...)
	return nil
}

func (c collector) load(d merkle.Digest) ([]byte, error) {
	b, ok := c.blocks[d]
	if !ok {
		return nil, store.ErrNotFound
	}
	return b, nil
}

// TestGoldenIntent holds the bytes against the vector of doc/format/journal.md.
func TestGoldenIntent(t *testing.T) {
	page, err := os.ReadFile("../../doc/format/journal.md")
	if err != nil {
		t.Fatal(err)
	}
	_, vector, ok := strings.Cut(string(page), "<!-- golden intent -->\n```\n")
	vector, _, ok2 := strings.Cut(vector, "```")
	if !ok || !ok2 {
		t.Fatal("the page has no vector")
	}
	got, _ := encode(t, someIntent())
	if want := strings.Join(strings.Fields(vector), ""); want != hex.EncodeToString(got) {
		t.Errorf("intent\n%x\nwant\n%s", got, want)
	}
}

func TestIntentRoundTrip(t *testing.T) {
	long := strings.Repeat("A long text becomes blocks of its own.\n", 30_000)
	in := someIntent()
	in.files[2].old = &long
	b, blocks := encode(t, in)
	if len(blocks) == 0 || len(b) > len(long)/10 {
		t.Errorf("%d blocks beside %d bytes", len(blocks), len(b))
	}
	got, err := DecodeIntent(b, collector{blocks}.load)
	if err != nil || !reflect.DeepEqual(in, got) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := DecodeIntent(b, collector{}.load); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("without blocks: %v", err)
	}
	later := append([]byte{b[0], intentFormat + 1}, b[2:]...)
	if _, err := DecodeIntent(later, nil); !errors.Is(err, ErrIntent) {
		t.Errorf("of a later format: %v", err)
	}
}

// treeIntent is someIntent with documents without files.
func treeIntent(t testing.TB) *Intent {
	t.Helper()
	in := someIntent()
	tree, err := ast.DecodeTree([]byte(`{"type":"headline","properties":{"ID":"x","W":1.50},"contents":[{"type":"paragraph","raw-content":"p"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	in.steps[0].trees = []treePlan{{"/x", tree}, {"/y", nil}}
	return in
}

func TestIntentWithTrees(t *testing.T) {
	in := treeIntent(t)
	b, blocks := encode(t, in)
	got, err := DecodeIntent(b, collector{blocks}.load)
	if err != nil {
		t.Fatal(err)
	}
	if trees := got.steps[0].trees; len(trees) != 2 || trees[1].tree != nil || !trees[0].tree.Equal(in.steps[0].trees[0].tree) {
		t.Fatalf("got %+v", got)
	}
}

// TestEarlierIntents reads the intents that earlier builds announced.
func TestEarlierIntents(t *testing.T) {
	const lengths = 2
	marks := [][]byte{chain.DroppedMark("x")}
	grown, grouped, merged := someIntent(), someGroup(), someIntent()
	grown.files, grown.steps = grown.files[:1], make([]Step, lengths)
	for i, op := range []string{"op", "op2"} {
		grown.steps[i] = Step{Commit: graph.Commit{Kind: "edit", Author: author.Named("ada"), Session: "s", Op: op,
			Message: "a.org: One", Time: 1_800_000_000_000}}
	}
	grown.steps[lengths-1].Marks = marks
	grouped.steps[1].Splices[1].Text = "short"
	merged.steps[0].Commit.Kind, merged.steps[0].Commit.Parents = graph.KindMerge, []merkle.Digest{merkle.Sum([]byte("theirs"))}
	for name, want := range map[string]*Intent{"plain": someIntent(), "trees": treeIntent(t), "grown": grown, "group": grouped, "merge": merged} {
		b := earlier(t, name)
		got, err := DecodeIntent(b, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		left, _ := encode(t, got)
		right, _ := encode(t, want)
		if !cmp.Equal(left, right) || name == "grown" && !cmp.Equal(got.lengths, []int{10, 20}) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		for cut := range b {
			if _, err := DecodeIntent(b[:cut], nil); err == nil {
				t.Errorf("%s, cut at %d: no error", name, cut)
			}
		}
	}
}

// earlier returns an intent of testdata.
func earlier(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/earlier/" + name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// someGroup is an intent of several commits that change places of several files.
func someGroup() *Intent {
	in := someIntent()
	in.files, in.steps = in.files[:2], nil
	for i, splices := range [][]Splice{{{0, 3, 1, "x"}}, {{0, 0, 0, "y"}, {1, 0, 0, strings.Repeat("long ", 60_000)}}} {
		in.steps = append(in.steps, Step{Splices: splices, Commit: graph.Commit{Kind: "edit", Author: author.Named("ada"), Session: "s",
			Op: fmt.Sprint("op", i), Message: "m", Time: 1_800_000_000_000}})
	}
	return in
}

func TestIntentGroup(t *testing.T) {
	b, blocks := encode(t, someGroup())
	if got, err := DecodeIntent(b, collector{blocks}.load); err != nil || !reflect.DeepEqual(got, someGroup()) || len(blocks) == 0 {
		t.Errorf("got %+v, %v, %d blocks", got, err, len(blocks))
	}
	for name, spoil := range map[string]func(*Intent){
		"of one step":        func(in *Intent) { in.steps = in.steps[:1] },
		"of no step":         func(in *Intent) { in.steps = nil },
		"of no file":         func(in *Intent) { in.steps[0].Splices[0].File = 2 },
		"out of order":       func(in *Intent) { s := in.steps[1].Splices; s[0], s[1] = s[1], s[0] },
		"of a file twice":    func(in *Intent) { in.steps[1].Splices[1].File = 0 },
		"a step of no bytes": func(in *Intent) { in.steps[1].Splices = []Splice{} },
	} {
		in := someGroup()
		spoil(in)
		b, blocks := encode(t, in)
		if _, err := DecodeIntent(b, collector{blocks}.load); !errors.Is(err, errSteps) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestIntentNumbers: the error names a number out of range, and the file of a mode.
func TestIntentNumbers(t *testing.T) {
	far := someGroup()
	far.steps[0].Splices[0].At = 1 << 40
	b, blocks := encode(t, far)
	if _, err := DecodeIntent(b, collector{blocks}.load); !errors.Is(err, merkle.ErrRange) {
		t.Errorf("far out: %v", err)
	}
	b, _ = encode(t, someIntent())
	b = bytes.Replace(b, []byte{0x19, 0o644 >> 8, 0o644 & 0xff}, []byte{0x19, 0xff, 0xff}, 1)
	if _, err := DecodeIntent(b, nil); !errors.Is(err, merkle.ErrRange) || !strings.Contains(err.Error(), "a.org") {
		t.Errorf("a mode: %v", err)
	}
}

// TestSplice: a splice makes one text the other, and nothing of a text that is too short.
func TestSplice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abü\n")), 0, 12, -1)
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		s := NewSplice(before, after)
		if got, ok := s.apply(before); !ok || got != after || len(s.Text) > len(after) {
			t.Fatalf("%q by %+v: %q, want %q", before, s, got, after)
		}
		s.Removed = len(before) - s.At + 1
		if got, ok := s.apply(before); ok {
			t.Fatalf("%q by %+v: %q", before, s, got)
		}
	})
}

// TestIntentOfAMerge: an intent has a second parent, and marks.
func TestIntentOfAMerge(t *testing.T) {
	in := someIntent()
	in.steps[0].Commit.Kind, in.steps[0].Commit.Parents = graph.KindMerge, []merkle.Digest{merkle.Sum([]byte("theirs"))}
	in.steps[0].Marks = [][]byte{chain.DroppedMark("x")}
	b, _ := encode(t, in)
	if got, err := DecodeIntent(b, nil); err != nil || !reflect.DeepEqual(got, in) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// FuzzIntent: no bytes panic, and accepted bytes are the one encoding, except in earlier formats.
func FuzzIntent(f *testing.F) {
	b, _ := encode(f, someIntent())
	f.Add(b)
	f.Add(b[:len(b)-1])
	b, _ = encode(f, treeIntent(f))
	f.Add(b)
	group := someGroup()
	group.steps[1].Splices[1].Text = "short"
	b, _ = encode(f, group)
	f.Add(b)
	for _, name := range []string{"plain", "trees", "grown", "group", "merge"} {
		f.Add(earlier(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := DecodeIntent(data, collector{}.load)
		if err != nil || data[1] < intentFormat { // one of an earlier format is written in this one
			return
		}
		if again, _ := encode(t, in); !cmp.Equal(data, again) {
			t.Errorf("%x is read as %x", data, again)
		}
	})
}
