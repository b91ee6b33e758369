// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/window"
)

// TestEncryptedStaysOutOfSight: below the own line of what bears or inherits the
// tag crypt nothing is found or shown to a model, though it is kept.
func TestEncryptedStaysOutOfSight(t *testing.T) {
	text := "* Diary :crypt:\n:PROPERTIES:\n:ID: d\n:SECRET: marzipan\n:END:\nmarzipan [[id:o]]\n** Below marzipan :marzipan:\nmarzipan\n* Open\n:PROPERTIES:\n" +
		":ID: o\n:END:\nabout the diary\n"
	w := newWorld(t, map[string]string{"a.org": text})
	v := w.ingest()
	if hits, err := v.Search("marzipan", 0, nil, time.Time{}); err != nil || len(hits) > 0 {
		t.Errorf("search finds %v, %v", hits, err)
	}
	if hits, err := v.Search("diary", 0, nil, time.Time{}); err != nil || len(hits) != 2 {
		t.Errorf("the title is found %d times, %v, want it and what is about it", len(hits), err)
	}
	for _, focus := range []string{"d", "o", ""} {
		win, err := v.Window(t.Context(), window.Request{Focus: focus, Question: "diary", Budget: 4000})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(win.Text, "marzipan") {
			t.Errorf("the window on %q shows it:\n%s", focus, win.Text)
		}
		if !strings.Contains(win.Text, "Diary") {
			t.Errorf("the window on %q lacks the title:\n%s", focus, win.Text)
		}
	}
	if got, _ := v.Text("a.org"); got != text {
		t.Errorf("the file is kept as %q", got)
	}
}
