// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/merkle"
)

// drawNode draws the shown part of a node.
var drawNode = rapid.Custom(func(t *rapid.T) ShownNode {
	n := ShownNode{
		Name:    rapid.String().Draw(t, "name"),
		Digest:  merkle.Sum([]byte(rapid.String().Draw(t, "content"))),
		Heading: rapid.Uint64().Draw(t, "heading"),
		Level:   rapid.Uint8().Draw(t, "level"),
		Lines:   rapid.SliceOfN(rapid.Uint64(), 1, 5).Draw(t, "lines"),
	}
	slices.Sort(n.Lines)
	return n
})

var drawRecord = rapid.Custom(func(t *rapid.T) *Shown {
	return &Shown{
		Nodes:  rapid.MapOf(rapid.String(), drawNode).Draw(t, "nodes"),
		Text:   rapid.String().Draw(t, "text"),
		Tokens: rapid.IntRange(0, 1<<40).Draw(t, "tokens"),
		Style:  rapid.String().Draw(t, "style"),
	}
})

func encode(t interface{ Fatal(...any) }, r *Shown) []byte {
	data, err := r.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestShownReadsBack: a record reads back unchanged, part of its bytes does not, and
// the bytes before it in a buffer stay.
func TestShownReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, got := drawRecord.Draw(t, "record"), Shown{Text: "old", Nodes: map[string]ShownNode{"old": {}}}
		data := encode(t, want)
		if err := got.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, &got); diff != "" || len(got.Nodes) != len(want.Nodes) {
			t.Fatalf("%d nodes (-want +got):\n%s", len(got.Nodes), diff)
		}
		if after, _ := want.AppendBinary([]byte("before")); string(after) != "before"+string(data) {
			t.Fatal("the encoding depends on what stands before it")
		}
		cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut")
		if err := got.UnmarshalBinary(data[:cut]); err == nil {
			t.Fatalf("%d of %d bytes are read", cut, len(data))
		}
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Fatalf("a failed reading changes the record (-want +got):\n%s", diff)
		}
	})
}

// TestShownRefuses: no record has two encodings.
func TestShownRefuses(t *testing.T) {
	type raw struct {
		id, digest, lines string
		level             uint64
	}
	digest := strings.Repeat("d", len(merkle.Digest{}))
	for _, tc := range []struct {
		name  string
		nodes []raw
		want  error
	}{
		{"none", nil, nil},
		{"two in order", []raw{{"a", digest, "", 0}, {"b", digest, "\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00", 255}}, nil},
		{"no id", []raw{{"", digest, "", 0}}, nil},
		{"two in the wrong order", []raw{{"b", digest, "", 0}, {"a", digest, "", 0}}, merkle.ErrKind},
		{"one twice", []raw{{"", digest, "", 0}, {"", digest, "", 0}}, merkle.ErrKind},
		{"a short digest", []raw{{"a", digest[1:], "", 0}}, merkle.ErrKind},
		{"a level too high", []raw{{"a", digest, "", 256}}, merkle.ErrKind},
		{"half a line", []raw{{"a", digest, "1234", 0}}, merkle.ErrKind},
		{"lines in the wrong order", []raw{{"a", digest, "\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00", 0}}, merkle.ErrCanonical},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data := merkle.AppendBytes(merkle.AppendList(nil, 4), "text")
			data = merkle.AppendList(merkle.AppendBytes(merkle.AppendUint(data, 7), "style"), len(tc.nodes))
			for _, n := range tc.nodes {
				data = merkle.AppendBytes(merkle.AppendBytes(merkle.AppendList(data, 6), n.id), "name")
				data = merkle.AppendUint(merkle.AppendUint(merkle.AppendBytes(data, n.digest), 9), n.level)
				data = merkle.AppendBytes(data, n.lines)
			}
			var r Shown
			if err := r.UnmarshalBinary(data); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if err := r.UnmarshalBinary(append(data, 0)); err == nil {
				t.Error("a byte too many is read")
			}
		})
	}
}

func FuzzShown(f *testing.F) {
	f.Add(encode(f, &Shown{Text: "t", Tokens: 3, Nodes: map[string]ShownNode{"a": {Name: "n", Lines: []uint64{1, 2}}, "b": {Level: 3}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r Shown
		if r.UnmarshalBinary(data) == nil && string(encode(t, &r)) != string(data) {
			t.Errorf("%x reads as what is encoded as %x", data, encode(t, &r))
		}
	})
}

// TestFingerprint: the values are in the files of sessions, so they are fixed; texts do
// not run together.
func TestFingerprint(t *testing.T) {
	if got := fingerprint("a", "b"); got != 0xab40d7820d408076 {
		t.Errorf("the fingerprint of a, b is %#x", got)
	}
	seen := map[uint64][]string{}
	for _, texts := range [][]string{{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"ab", ""}, {"", "ab"}} {
		f := fingerprint(texts...)
		if other, ok := seen[f]; ok {
			t.Errorf("%q and %q have one fingerprint", texts, other)
		}
		seen[f] = texts
	}
}

// none is a question without words.
type none struct{}

func (none) Len() int { return 0 }

func (none) Append(found []int32, _ string) []int32 { return found }

// TestLinesShown: the chosen passages of an excerpt are known again, the others are not, and
// those that are gone from the text are not shown still.
func TestLinesShown(t *testing.T) {
	x := text.NewExcerpt("- the pump hums\n- the gauge rains\n- the pump is loud\n- a saw", none{})
	if lines := linesOf(x); len(lines) > 0 {
		t.Errorf("before a choice %d lines are shown", len(lines))
	}
	x.ChooseFunc(1000, func(passage string) bool { return strings.Contains(passage, "pump") })
	n := ShownNode{Lines: linesOf(x)}
	if !slices.IsSorted(n.Lines) {
		t.Errorf("the lines %v are not sorted", n.Lines)
	}
	for passage, want := range map[string]bool{"- the pump hums": true, "- the pump is loud": true, "- the pump": false, "- a saw": false} {
		if got := n.has(passage); got != want {
			t.Errorf("Has(%q) = %t, want %t", passage, got, want)
		}
	}
	changed, before := text.NewExcerpt("- a saw\n- the pump is loud\n- new", none{}), slices.Clone(n.Lines)
	changed.ChooseAll()
	if got, want := n.still(changed), []uint64{fingerprint("- the pump is loud")}; !slices.Equal(got, want) {
		t.Errorf("Still is %v, want %v", got, want)
	}
	if !slices.Equal(n.Lines, before) {
		t.Error("Still changes the node")
	}
}
