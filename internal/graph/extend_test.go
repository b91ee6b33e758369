// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package graph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/org"
)

// drawText makes a file of parts that could be read otherwise for what stands behind
// them, or change how what stands before them is read.
func drawText(t *rapid.T, name string, most int) string {
	var b strings.Builder
	for i := range rapid.IntRange(0, most).Draw(t, name) {
		b.WriteString(rapid.SampledFrom([]string{
			"text\n", "\n", "text\r\n", "#+TODO: WAIT | OVER\n", "#+FILETAGS: :file:crypt:\n", "#+LINK: yard https://yard/\n", "#+SETUPFILE: theme.setup\n",
			":PROPERTIES:\n:ID: doc\n:END:\n", ":PROPERTIES:\n:ID: open\n", "#+begin_src sh\n", "#+end_src\n", "#+begin_src sh\n* no\n", "\\begin{x}\n",
			"<<<radio>>> [[id:radio]]\n", "see radio and yard:5 and [[*One]]\n", "#+STARTUP: odd\n", "#+TITLE: T\n", "\xef\xbb\xbf", "\xff\n", "[fn:1] a\n",
			":LOGBOOK:\n", "* ",
		}).Draw(t, "before"))
		for range rapid.IntRange(0, 2).Draw(t, "headlines") {
			stars := strings.Repeat("*", rapid.SampledFrom([]int{1, 1, 1, 2, 3, 16}).Draw(t, "level"))
			title := rapid.SampledFrom([]string{"One", "WAIT One", "TODO Two :crypt:", "radio", "<<<Two>>>", "COMMENT x", ""}).Draw(t, "title")
			fmt.Fprintf(&b, "%s %s\n", stars, title)
			switch rapid.IntRange(0, 9).Draw(t, "drawer") {
			case 0:
				b.WriteString(":PROPERTIES:\n:CUSTOM_ID: c\n:END:\n")
			case 1:
				b.WriteString(":PROPERTIES:\n:ID: same\n:END:\n")
			case 2:
			default:
				fmt.Fprintf(&b, "SCHEDULED: <2026-11-21 Sat>\n:PROPERTIES:\n:ID: %s%d-%d\n:END:\n", name, i, b.Len())
			}
		}
	}
	return strings.TrimSuffix(b.String(), rapid.SampledFrom([]string{"", "", "", "\n"}).Draw(t, "end"))
}

// TestExtend: a file with more at its end is the same, node by node, whether all of it
// is parsed or only what is new; and so are what changed and who claims which id.
func TestExtend(t *testing.T) {
	const path = "a.org"
	extended, drawn := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		base := Empty(orgFiles).Edit(1)
		base.Put("b.org", document.File("* B\n:PROPERTIES:\n:ID: same\n:END:\n", false))
		base.Put("theme.setup", document.File("#+TODO: SET | UP\n", true))
		text := drawText(t, "old", 4)
		base.Put(path, document.File(text, false))
		s, _ := base.Seal()
		short, long := s.Edit(2), s.Edit(2)
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			more := drawText(t, fmt.Sprint("new", len(text)), 2)
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				more = strings.ReplaceAll(more, "#+", "# ")
				fallthrough
			case 1, 2:
				text += strings.Repeat("*", rapid.IntRange(0, 2).Draw(t, "depth")) + fmt.Sprintf("* Plain\n:PROPERTIES:\n:ID: plain%d\n:END:\n", len(text))
			}
			text += more
			before := short.nodes.Map()
			if short.extend(org.Format{}, path, text) {
				extended++
			} else if diff := before.Len() - short.nodes.Map().Len(); diff != 0 {
				t.Fatalf("it does not extend, and the nodes are %d fewer", diff)
			} else {
				short.putWhole(path, text)
			}
			drawn++
			long.putWhole(path, text)
		}
		sameSeal(t, short, long)
	})
	if extended < drawn/25 { // about a quarter, and chance decides
		t.Errorf("of %d texts only %d were extended", drawn, extended)
	}
}

// putWhole is Put without extending the file.
func (d *Draft) putWhole(path, text string) {
	d.put(path, []document.Part{document.File(text, false)})
	d.settle(path)
}

// sameSeal compares two drafts, and what one more document changes in each.
func sameSeal(t *rapid.T, short, long *Draft) {
	for _, d := range []*Draft{short, long} {
		d.Put("agents/c.org", document.File("* C\n:PROPERTIES:\n:ID: plain0\n:END:\n", false))
	}
	got, gotDelta := short.Seal()
	want, wantDelta := long.Seal()
	digests := func(s *State) (out []node.Entry) {
		for n := range s.All() {
			out = append(out, n.Entry)
		}
		return out
	}
	for what, diff := range map[string]string{
		"nodes":   cmp.Diff(listing(want), listing(got)),
		"digests": cmp.Diff(digests(want), digests(got)),
		"claims":  cmp.Diff(contests(want), contests(got)),
		"changes": cmp.Diff(ids(wantDelta.Changes), ids(gotDelta.Changes)),
		"lineage": cmp.Diff(wantDelta.Lineage, gotDelta.Lineage),
		"paths":   cmp.Diff(wantDelta.Paths, gotDelta.Paths),
	} {
		if diff != "" {
			t.Fatalf("%s (-parsed whole +extended):\n%s", what, diff)
		}
	}
	if got.Root() != want.Root() || len(gotDelta.Reread) != len(wantDelta.Reread) {
		t.Fatalf("root %s, %d read again, want %s, %d", got.Root(), len(gotDelta.Reread), want.Root(), len(wantDelta.Reread))
	}
}

// TestExtendOrNot tells where only what is new is parsed.
func TestExtendOrNot(t *testing.T) {
	const note = "* New\n:PROPERTIES:\n:ID: new\n:END:\ntext\n"
	for _, tc := range []struct {
		name, old, more string
		want            bool
	}{
		{"an empty file", "", note, true},
		{"a note behind notes", "#+TITLE: t\n* A\n** B\n", note, true},
		{"carriage returns", "* A\r\ntext\r\n", strings.ReplaceAll(note, "\n", "\r\n"), true},
		{"a block that holds a keyword", "* A\n#+begin_src org\n#+TODO: X | Y\n#+end_src\n", note, true},
		{"a block left open", "* A\n#+begin_src org\n", note, true},
		{"two notes, one below the other", "* A\n", note + "** Below\n:PROPERTIES:\n:ID: below\n:END:\n", true},
		{"nothing", "* A\n", "", false},
		{"no final newline", "* A", note, false},
		{"text of the last note", "* A\n", "text\n" + note, false},
		{"a note below another", "* A\n** B\n*** C\n", "*" + note, true},
		{"notes of rising level", "* A\n** B\n*** C\n", "***" + note + strings.ReplaceAll("*"+note, "new", "next"), true},
		{"a note below what is encrypted", "* A :crypt:\n", "*" + note, false},
		{"a note beside what is encrypted", "* A\n** B :crypt:\n", "*" + note, true},
		{"a note without an id", "* A\n", "* New\n", false},
		{"an id that another bears", "* A\n:PROPERTIES:\n:ID: new\n:END:\n", note, false},
		{"an id twice", "* A\n", note + note, false},
		{"an id twice, once with a CUSTOM_ID", "* A\n", note + strings.Replace(note, ":END:", ":CUSTOM_ID: c\n:END:", 1), false},
		{"an id and a CUSTOM_ID", "* A\n", strings.Replace(note, ":END:", ":CUSTOM_ID: c\n:END:", 1), true},
		{"a setting behind", "* A\n", note + "#+TODO: X | Y\n", false},
		{"a setting amidst", "* A\n#+FILETAGS: :a:\n* B\n", note, false},
		{"a setup file", "#+SETUPFILE: b.org\n* A\n", note, false},
		{"a radio target before", "* A\n<<<x>>>\n", note, false},
		{"a radio target behind", "* A\n", note + "<<<x>>>\n", false},
	} {
		d := Empty(orgFiles).Edit(1)
		d.Put("a.org", document.File(tc.old, false))
		if got := d.extend(org.Format{}, "a.org", tc.old+tc.more); got != tc.want {
			t.Errorf("%s: extended %v, want %v", tc.name, got, tc.want)
		}
	}
	d := Empty(orgFiles).Edit(1)
	d.Put("a.org", document.File("* A\n", false))
	d.Put("b.org", document.File("#+SETUPFILE: a.org\n", false))
	if d.extend(org.Format{}, "a.org", "* A\n"+note) {
		t.Error("a file that another one draws on is extended")
	}
}
