// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestUnified(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, tc := range []struct {
		name, old, now, want string
		line                 int
	}{
		{"equal", "a\n", "a\n", "", 1},
		{"from nothing", "", "a\nb\n", "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+a\n+b\n", 1},
		{"to nothing", "a\n", "", "--- a\n+++ b\n@@ -1 +0,0 @@\n-a\n", 1},
		{"middle", ten, strings.Replace(ten, "5\n", "five\n", 1), "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n", 1},
		{"two far apart", ten, "0\n" + ten + "11\n", "--- a\n+++ b\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -8,3 +9,4 @@\n 8\n 9\n 10\n+11\n", 1},
		{"two near", "1\n2\n3\n", "1\n3\n4\n", "--- a\n+++ b\n@@ -1,3 +1,3 @@\n 1\n-2\n 3\n+4\n", 1},
		{"at a line of a file", "a\nb\n", "a\nc\n", "--- a\n+++ b\n@@ -41,2 +41,2 @@\n a\n-b\n+c\n", 41},
		{"line end", "a\r\nb\r\n", "a\nb\r\n", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n", 1},
		{"final line end comes", "a", "a\n", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", 1},
		{"final line end goes", "a\nb\n", "a\nb", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n", 1},
		{"without one on both sides", "a\nb", "c\nb", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Unified(Side{"a", tc.line}, Side{"b", tc.line}, tc.old, tc.now)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDiffManyChanges: each of many changes in a long text is a hunk of its own.
func TestDiffManyChanges(t *testing.T) {
	var a, b []string
	const n = 5000
	for i := range n {
		line := fmt.Sprintf("line %d\n", i)
		a = append(a, line, "\n")
		if i%10 == 0 {
			line = "changed " + line
		}
		b = append(b, line, "\n")
	}
	if got := len(Diff(a, b)); got != n/10 {
		t.Errorf("%d hunks, want %d", got, n/10)
	}
}

// apply turns a into b using only the lines of b in the hunks.
func apply(a, b []string, hunks []Hunk) []string {
	var out []string
	pos := 0
	for _, h := range hunks {
		out = append(append(out, a[pos:h.Start]...), b[h.NewStart:h.NewEnd]...)
		pos = h.End
	}
	return append(out, a[pos:]...)
}

// TestDiffModel: applying the hunks gives the other side; hunks are ordered and
// separated.
func TestDiffModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n", "e\r\n", "\n"})
		a := rapid.SliceOfN(line, 0, 30).Draw(t, "a")
		b := rapid.SliceOfN(line, 0, 30).Draw(t, "b")
		hunks := Diff(a, b)
		if got := apply(a, b, hunks); !slices.Equal(got, b) {
			t.Fatalf("%v gives %q, want %q", hunks, got, b)
		}
		pos, newPos := -1, -1
		for _, h := range hunks {
			if h.Start <= pos || h.NewStart <= newPos || h.Start == h.End && h.NewStart == h.NewEnd {
				t.Fatalf("hunks %v", hunks)
			}
			pos, newPos = h.End, h.NewEnd
		}
		if text := strings.Join(a, ""); !slices.Equal(SplitLines(text), a) && len(a) > 0 {
			t.Fatalf("%q is split as %q", text, SplitLines(text))
		}
	})
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb\n", "a\nc")
	f.Add("\r\n\r\n", "\n\xff")
	f.Fuzz(func(t *testing.T, old, now string) {
		if got := Unified(Side{"a", 1}, Side{"b", 1}, old, now); (got == "") != (old == now) {
			t.Errorf("%q to %q gives %q", old, now, got)
		}
		if got := apply(SplitLines(old), SplitLines(now), Diff(SplitLines(old), SplitLines(now))); strings.Join(got, "") != now {
			t.Errorf("%q to %q gives %q", old, now, got)
		}
	})
}

func BenchmarkDiff(b *testing.B) {
	var x, y []string
	for i := range 10_000 {
		x = append(x, fmt.Sprintf("line %d\n", i))
		if y = append(y, x[i]); i%100 == 0 {
			y[i] = "other\n"
		}
	}
	for b.Loop() {
		Diff(x, y)
	}
}
