// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

// editErrors are all errors that an edit may wrap.
var editErrors = []error{
	org.ErrNoHeadline, org.ErrKeyword, org.ErrPriority, org.ErrTag, org.ErrProperty, org.ErrTimestamp,
	org.ErrStructure, org.ErrItem, org.ErrArchive,
}

// fuzzedEdit makes an edit of any kind from the values of a fuzzer.
func fuzzedEdit(op byte, a, b string) document.Edit {
	switch op % 15 {
	case 0:
		return document.SetTodo{Keyword: a}
	case 1:
		return document.SetPriority{Priority: a}
	case 2:
		return document.SetTitle{Title: a}
	case 3:
		return document.AddTag{Tag: a}
	case 4:
		return document.RemoveTag{Tag: a}
	case 5:
		return document.SetProperty{Key: a, Value: b}
	case 6:
		return document.RemoveProperty{Key: a}
	case 7:
		return document.Schedule{When: a}
	case 8:
		return document.Deadline{When: a}
	case 9:
		return document.AppendBody{Text: a}
	case 10:
		return document.ReplaceBody{Text: a}
	case 11:
		return document.InsertHeadline{Title: a, Body: b}
	case 12:
		return document.InsertHeadline{Title: a, Todo: b, Sibling: true}
	case 13:
		return document.CheckItem{Line: len(a), State: b}
	}
	return document.Delete{}
}

// FuzzEdit makes any edit of any headline of any text: it must not panic, change
// nothing but the headline and cookies above it, give what was asked for, and be
// undone by the inverse splices.
func FuzzEdit(f *testing.F) {
	words := []string{"", "TODO", "DONE", "a", "x: [/] :t:", "2026-03-01 10:00 +1w"}
	for op := range byte(15) {
		for i, a := range words {
			f.Add(editSettings, i, op, a, "X")
			f.Add("\xef\xbb\xbf* TODO a\r\n- [ ] b\r\n** DONE c\r\n:PROPERTIES:\r\n:a: b\r\n:END:", i, op, a, "TODO")
		}
	}
	f.Fuzz(func(t *testing.T, src string, i int, op byte, a, b string) {
		d := org.Parse(src, nil)
		i = int(uint(i)%uint(len(d.Headlines)+1)) - 1
		edit := fuzzedEdit(op, a, b)
		splices, err := d.Edit(i, editNow, edit)
		if err != nil {
			if !slices.ContainsFunc(editErrors, func(known error) bool { return errors.Is(err, known) }) {
				t.Fatalf("error of no kind: %v", err)
			}
			return
		}
		got := applied(t, src, splices)
		for _, s := range splices {
			if !mayChange(d, i, s) {
				t.Errorf("%#v of headline %d of %q changes %+v", edit, i, src, s)
			}
		}
		if _, deleted := edit.(document.Delete); !deleted {
			checkEdited(t, org.Parse(got, nil), i, edit)
		}
	})
}

// applied returns src with the splices applied, having checked that they can be undone.
func applied(t *testing.T, src string, splices []document.Splice) string {
	t.Helper()
	got, err := document.Apply(src, splices)
	if err != nil {
		t.Fatal(err)
	}
	back, err := document.Apply(got, invertSplices(src, splices))
	if err != nil || back != src {
		t.Errorf("undone: %q, error %v, want %q", back, err, src)
	}
	return got
}

// invertSplices returns the splices that turn the result of applying splices to src
// back into src.
func invertSplices(src string, splices []document.Splice) []document.Splice {
	inverse := make([]document.Splice, len(splices))
	shift := 0
	for i, s := range splices {
		start := s.Start + shift
		inverse[i] = document.Splice{Start: start, End: start + len(s.New), New: src[s.Start:s.End]}
		shift += len(s.New) - (s.End - s.Start)
	}
	return inverse
}

// mayChange reports whether an edit of headline i may make the splice s.
func mayChange(d *org.Document, i int, s document.Splice) bool {
	if i < 0 {
		return s.End <= d.SectionEnd || s.Start == len(d.Source) || strings.TrimSpace(d.Source[s.Start:]) == ""
	}
	h := &d.Headlines[i]
	start := h.Start
	if h.End == len(d.Source) {
		start -= len("\r\n") // a deletion at the end takes the line end before it
	}
	if s.Start >= start && s.End <= h.End {
		return true
	}
	for p := h.Parent; p >= 0; p = d.Headlines[p].Parent {
		if a := &d.Headlines[p]; s.Start >= a.Start && s.End <= a.TextEnd {
			return true
		}
	}
	return false
}

// checkEdited fails unless d, made by an edit of headline i, has what it asked for.
func checkEdited(t *testing.T, d *org.Document, i int, edit document.Edit) {
	t.Helper()
	properties := d.Properties
	var h org.Headline
	if i >= 0 {
		h = d.Headlines[i]
		properties = h.Properties
	}
	same := func(key string) func(org.Property) bool {
		return func(p org.Property) bool { return strings.EqualFold(p.Key, key) }
	}
	ok := true
	switch e := edit.(type) {
	case document.SetTodo:
		ok = h.Todo == e.Keyword || !h.Done // a repeating task goes back
	case document.SetPriority:
		ok = h.Priority == strings.ToUpper(e.Priority)
	case document.SetTitle:
		ok = h.Title == strings.Trim(e.Title, " \t")
	case document.AddTag:
		ok = slices.Contains(h.Tags, e.Tag)
	case document.RemoveTag:
		ok = !slices.Contains(h.Tags, e.Tag) || e.Tag == ""
	case document.SetProperty:
		k := slices.IndexFunc(properties, same(e.Key))
		ok = k >= 0 && properties[k].Value == strings.Trim(e.Value, " \t")
	case document.RemoveProperty:
		ok = !slices.ContainsFunc(properties, same(e.Key))
	case document.Schedule:
		ok = (h.Scheduled == "") == (e.When == "")
	case document.Deadline:
		ok = (h.Deadline == "") == (e.When == "")
	case document.InsertHeadline:
		ok = slices.ContainsFunc(d.Headlines, func(h org.Headline) bool { return h.Title == strings.Trim(e.Title, " \t") })
	}
	if !ok {
		t.Errorf("%#v of headline %d gives %q", edit, i, d.Source)
	}
}

// FuzzMove refiles and archives any headline of any text to any place.
func FuzzMove(f *testing.F) {
	f.Add(editSettings, "* a\r\n** b", 3, 0)
	f.Add("* a\n** b :x:\n* c", "", 1, 2)
	f.Fuzz(func(t *testing.T, src, other string, i, target int) {
		from, to := org.Parse(src, nil), org.Parse(other, nil)
		count := len(from.Headlines) + len(to.Headlines)
		splices, toSplices, err := org.Refile(from, i, to, target, editNow)
		if err == nil {
			a, b := org.Parse(applied(t, src, splices), nil), org.Parse(applied(t, other, toSplices), nil)
			if n := len(a.Headlines) + len(b.Headlines); n != count {
				t.Errorf("refile of %q to %q leaves %d headlines: %q %q", src, other, n, a.Source, b.Source)
			}
		}
		if splices, _, err = org.Refile(from, i, from, target, editNow); err == nil {
			if a := org.Parse(applied(t, src, splices), nil); len(a.Headlines) != len(from.Headlines) {
				t.Errorf("refile in %q leaves %q", src, a.Source)
			}
		}
		splices, toSplices, err = org.Archive(from, i, "f.org", to, editNow)
		if err == nil {
			a, b := org.Parse(applied(t, src, splices), nil), org.Parse(applied(t, other, toSplices), nil)
			if n := len(a.Headlines) + len(b.Headlines); n != count {
				t.Errorf("archive of %q to %q leaves %d headlines: %q %q", src, other, n, a.Source, b.Source)
			}
		}
	})
}

// TestEditSequence makes sequences of edits: one call with all of them must equal one
// call for each.
func TestEditSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"", "TODO", "DONE", "WAIT", "A", "x", "2026-03-01", "2026-04-01 10:00 +1w", "text\n- [ ] y"})
		d := org.Parse(editSettings, nil)
		i := rapid.IntRange(0, len(d.Headlines)-1).Draw(t, "headline")
		var edits []document.Edit
		text := editSettings
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			edit := fuzzedEdit(rapid.ByteRange(0, 12).Draw(t, "kind"), word.Draw(t, "a"), word.Draw(t, "b"))
			one := org.Parse(text, nil)
			splices, err := one.Edit(i, editNow, edit)
			if err != nil {
				continue
			}
			if text, err = document.Apply(text, splices); err != nil {
				t.Fatal(err)
			}
			edits = append(edits, edit)
		}
		splices, err := d.Edit(i, editNow, edits...)
		if err != nil {
			t.Fatalf("%#v: %v", edits, err)
		}
		got, err := document.Apply(editSettings, splices)
		if err != nil {
			t.Fatal(err)
		}
		if got != text {
			t.Errorf("%#v at once: %q, one by one: %q", edits, got, text)
		}
	})
}
