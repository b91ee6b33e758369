// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/window"
)

// TestTitleIsNotRepeated: what the body begins with is no title too, and no property has what
// stands before the text in a title.
func TestTitleIsNotRepeated(t *testing.T) {
	for _, tc := range []struct{ title, body, heading string }{
		{"We sail on Monday", "We sail on Monday at nine.\n", "abcde"},
		{"We sail on Mon…", "We sail on Monday at nine.\n", "abcde"},
		{"We sail on\tMonday", "We sail\non Monday.\n", "abcde"},
		{"Mara: We sail on Monday", "We sail on Monday at nine.\n", "abcde Mara:"},
		{"Mara: We sail", "They sail.\n :SPEAKER: Mara\n", "abcde Mara: We sail"},
		{"We sail on Mon", "We sail on Monday at nine.\n", "abcde We sail on Mon"},
		{"Sailing", "We sail on Monday.\n", "abcde Sailing"},
		{"…", "… and so on\n", "abcde …"},
		{"Sailing", "", "abcde Sailing"},
	} {
		item := window.Item{Title: tc.title, Handle: "abcde", Body: tc.body, Properties: [][2]string{{"SPEAKER", "Mara"}}}
		for format, end := range map[string]string{window.FormatOrg: "\n", window.FormatMarkdown: "\n"} {
			w := build(t, one(item), nil, window.Request{Focus: "n", Format: format})
			mentions(t, w.Text, " "+tc.heading+end)
			if has := strings.Contains(w.Text, "\n :SPEAKER: Mara\n") || strings.Contains(w.Text, "\n:SPEAKER: Mara\n"); has == strings.HasPrefix(tc.title, "Mara:") {
				t.Errorf("%s of %q: the speaker is stated: %v:\n%s", format, tc.title, has, w.Text)
			}
		}
	}
}

// TestLabelAloneIsNoPart: a title that many notes of a file have is shown with text of the note or
// not at all; one that few have may stand alone.
func TestLabelAloneIsNoPart(t *testing.T) {
	for notes, want := range map[int]bool{30: false, 4: true} {
		m := newMemory().add("", window.Item{ID: "d", Handle: "ddddd", Title: "Talk", Path: "talk.org"})
		for i := range notes {
			m.add("d", window.Item{ID: fmt.Sprint("n", i), Handle: fmt.Sprintf("nnn%02d", i), Title: "user", Body: strings.Repeat("A long remark. ", 40)})
		}
		w, alone := build(t, m, nil, window.Request{Budget: 110}), false
		for _, p := range w.Parts {
			alone = alone || p.Level == window.Title && p.ID != "d"
		}
		if alone != want {
			t.Errorf("%d notes of one title: a title alone is shown: %v\n%s", notes, alone, w.Text)
		}
	}
}
