// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package text_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/text"
)

// format returns chunks as text, with conflicts in angle brackets.
func format(chunks []text.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		if c.Conflict {
			b.WriteString("<" + c.A + "|" + c.Base + "|" + c.B + ">")
		} else {
			b.WriteString(c.A)
		}
	}
	return b.String()
}

func concat(chunks []text.Chunk) (a, b string) {
	for _, c := range chunks {
		a, b = a+c.A, b+c.B
	}
	return a, b
}

func TestMerge(t *testing.T) {
	tests := []struct{ name, base, a, b, want string }{
		{"nothing", "", "", "", ""},
		{"one side", "1\n2\n", "1\nx\n", "1\n2\n", "1\nx\n"},
		{"the same change", "1\n2\n", "1\nx\n", "1\nx\n", "1\nx\n"},
		{"apart", "1\n2\n3\n", "x\n2\n3\n", "1\n2\ny\n", "x\n2\ny\n"},
		{"neighbours", "1\n2\n", "x\n2\n", "1\ny\n", "x\ny\n"},
		{"insertion before a change", "1\n2\n", "1\nx\n2\n", "1\ny\n", "1\nx\ny\n"},
		{"insertion behind a deletion", "1\n2\n", "1\n2\n3\n", "1\n", "1\n3\n"},
		{"insertion into a deletion", "1\n2\n", "1\nx\n2\n", "", "<1\nx\n2\n|1\n2\n|>"},
		{"the same line", "1\n2\n3\n", "1\nx\n3\n", "1\ny\n3\n", "1\n<x\n|2\n|y\n>3\n"},
		{"the same place", "1\n", "1\nx\n", "1\ny\n", "1\n<x\n||y\n>"},
		{"one edit over two", "1\n2\n3\n", "x\n2\ny\n", "z\n", "<x\n2\ny\n|1\n2\n3\n|z\n>"},
		{"no final line end", "1\n2", "x\n2", "1\n2", "x\n2"},
		{"final line end taken away", "1\n2\n", "1\n2", "x\n2\n", "x\n2"},
		{"final line end deleted with the last line", "5\n1\n", "5", "5", "5"},
		{"last line emptied or deleted with its end", "1\n2\n", "1\n\n", "1", "1\n"},
		{"final line end added beside a change", "1\n2", "1\n2\n", "1\ny", "1\ny\n"},
		{"carriage returns", "1\r\n2\r\n", "x\r\n2\r\n", "1\r\ny\r\n", "x\r\ny\r\n"},
		{"bytes", "\xff\n\x00\n", "\xfe\n\x00\n", "\xff\n\x01\n", "\xfe\n\x01\n"},
		{"both empty it", "1\n", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, format(text.Merge(tt.base, tt.a, tt.b))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func drawText(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"1\n", "2\n", "3\n", "4\n", "\n", "5"}), 0, 6).Draw(t, name), "")
}

// TestMergeLaws draws texts of few lines, so that changes often collide.
func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, a, b := drawText(t, "base"), drawText(t, "a"), drawText(t, "b")
		ab, ba := text.Merge(base, a, b), text.Merge(base, b, a)
		for i := range ba {
			ba[i].A, ba[i].B = ba[i].B, ba[i].A
		}
		if diff := cmp.Diff(ab, ba); diff != "" {
			t.Errorf("not symmetric: %s", diff)
		}
		for _, same := range [][3]string{{base, a, base}, {base, base, a}, {base, a, a}, {a, a, a}} {
			x, y := concat(text.Merge(same[0], same[1], same[2]))
			if x != a || y != a {
				t.Errorf("merge %q gave %q and %q, want %q", same, x, y, a)
			}
		}
		conflict := false
		for _, c := range ab {
			conflict = conflict || c.Conflict
			if c.Conflict == (c.A == c.B) {
				t.Errorf("chunk %+v", c)
			}
		}
		if x, y := concat(ab); !conflict && x != y {
			t.Errorf("%q and %q without a conflict", x, y)
		}
	})
}

func FuzzMerge(f *testing.F) {
	f.Add("1\n2\n", "1\n", "x\n2\n")
	f.Fuzz(func(t *testing.T, base, a, b string) {
		x, y := concat(text.Merge(base, a, b))
		u, v := concat(text.Merge(base, b, a))
		if x != v || y != u {
			t.Errorf("%q %q and %q %q", x, y, u, v)
		}
	})
}
