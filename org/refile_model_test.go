// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// drawTree draws a document: headlines of any levels with texts and blank lines between
// them, with either line end, with or without one at the end.
func drawTree(t *rapid.T) string {
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"", "\n", "#+TITLE: t\n\n", "text\n"}).Draw(t, "before"))
	for i := range rapid.IntRange(1, 7).Draw(t, "headlines") {
		b.WriteString(strings.Repeat("*", rapid.IntRange(1, 4).Draw(t, "level")))
		fmt.Fprintf(&b, " h%d\n", i)
		b.WriteString(rapid.SampledFrom([]string{"", "\n", "text\n", "text\n\n", ":PROPERTIES:\n:ID: x\n:END:\n", "\n\n\n"}).Draw(t, "text"))
	}
	text := b.String()
	if rapid.Bool().Draw(t, "no end") {
		text = strings.TrimRight(text, "\n")
	}
	if rapid.Bool().Draw(t, "carriage returns") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// refiled is what refiling headline i below target must give: the lines of the subtree
// cut out and put in at the end of the target, at its level, and nothing else.
func refiled(d *org.Document, i, target int) string {
	end := "\n"
	if strings.Contains(d.Source, "\r\n") {
		end = "\r\n"
	}
	src := strings.TrimSuffix(d.Source, end) + end
	h := &d.Headlines[i]
	stop, place, level := h.End, len(src), 1
	if stop == len(d.Source) {
		stop = len(src)
	}
	if target >= 0 {
		to := &d.Headlines[target]
		if level = to.Level + 1; to.End < len(d.Source) {
			place = to.End
		}
	}
	var moved strings.Builder
	for line := range strings.Lines(src[h.Start:stop]) {
		if stars, rest, ok := strings.Cut(line, " h"); ok && strings.Trim(stars, "*") == "" {
			line = strings.Repeat("*", len(stars)+level-h.Level) + " h" + rest
		}
		moved.WriteString(line)
	}
	var out string
	if place <= h.Start {
		out = src[:place] + moved.String() + src[place:h.Start] + src[stop:]
	} else {
		out = src[:h.Start] + src[stop:place] + moved.String() + src[place:]
	}
	if !strings.HasSuffix(d.Source, end) {
		out = strings.TrimSuffix(out, end)
	}
	return out
}

// TestRefileModel refiles any headline of any tree below any other one, its parent
// included: only the subtree moves, and nothing is lost.
func TestRefileModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := org.Parse(drawTree(t), nil)
		i := rapid.IntRange(0, len(d.Headlines)-1).Draw(t, "headline")
		target := rapid.IntRange(-1, len(d.Headlines)-1).Draw(t, "target")
		if target >= 0 && d.Headlines[target].Start >= d.Headlines[i].Start && d.Headlines[target].Start < d.Headlines[i].End {
			return
		}
		splices, other, err := org.Refile(d, i, d, target, editNow)
		if err != nil || other != nil {
			t.Fatalf("refile %d below %d: %v, %v", i, target, other, err)
		}
		got, err := document.Apply(d.Source, splices)
		if err != nil {
			t.Fatal(err)
		}
		if want := refiled(d, i, target); got != want {
			t.Fatalf("refile %d below %d of %q:\n got  %q\n want %q", i, target, d.Source, got, want)
		}
		titles := func(d *org.Document) (all []string) {
			for _, h := range d.Headlines {
				all = append(all, h.Title)
			}
			slices.Sort(all)
			return all
		}
		if after := org.Parse(got, nil); !slices.Equal(titles(after), titles(d)) {
			t.Fatalf("refile %d below %d of %q loses or adds a headline: %q", i, target, d.Source, got)
		}
	})
}
