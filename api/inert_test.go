// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/window/render"
)

// TestAgentsTextIsInert: what an agent writes is one note and nothing acts in it,
// whether it remembers or edits; the person's text stays as it is.
func TestAgentsTextIsInert(t *testing.T) {
	person, ada, _ := trusted(t)
	const forged = "* Forged\n:ID: x\n[[elisp:(x)]]"
	note, err := api.OpRemember.Call(t.Context(), ada, api.RememberRequest{Title: "A [[shell:x]]\n* y", Body: forged, Property: []string{"SOURCE=elisp:x"}})
	if err != nil {
		t.Fatal(err)
	}
	n, err := api.OpShow.Call(t.Context(), ada, api.ShowRequest{ID: note.ID})
	if err != nil {
		t.Fatal(err)
	}
	if n.Title != "A [\u200b[shell\u200b:x]] * y" || !strings.HasSuffix(n.Content, ":END:\n * Forged\n: :ID: x\n[\u200b[elisp\u200b:(x)]]\n") ||
		strings.Contains(n.Content, "elisp:") {
		t.Errorf("remembered %q as %q", n.Title, n.Content)
	}
	more, title := "#+TODO: A | B\nmore", "-*- x -*-"
	if _, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: note.ID, Append: &more, Title: &title}); err != nil {
		t.Fatal(err)
	}
	if n, err = api.OpShow.Call(t.Context(), ada, api.ShowRequest{ID: note.ID}); err != nil || n.Title != "-\u200b*- x -\u200b*-" ||
		!strings.HasSuffix(n.Content, "\n: #+TODO: A | B\nmore\n") {
		t.Errorf("edited %q, %q, %v", n.Title, n.Content, err)
	}
	mine, err := api.OpRemember.Call(t.Context(), person, api.RememberRequest{Title: "Mine", Body: "[[elisp:(x)]]"})
	if err != nil {
		t.Fatal(err)
	}
	if n, err = api.OpShow.Call(t.Context(), person, api.ShowRequest{ID: mine.ID}); err != nil || !strings.Contains(n.Content, "elisp:(x)") {
		t.Errorf("the person's %q, %v", n.Content, err)
	}
}

// TestAgentsTextIsRefused: what cannot be made inert, and what was recalled.
func TestAgentsTextIsRefused(t *testing.T) {
	_, ada, _ := trusted(t)
	note, err := api.OpRemember.Call(t.Context(), ada, api.RememberRequest{Title: "A note"})
	if err != nil {
		t.Fatal(err)
	}
	body, lisp := "** Below", "<%%(x)>"
	recalled := render.FenceNote + "\n```\nold\n```\n"
	for name, call := range map[string]func() error{
		"an id": func() error {
			_, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: note.ID, Property: []string{"ID=x"}})
			return err
		},
		"a name": func() error {
			_, err := api.OpRemember.Call(t.Context(), ada, api.RememberRequest{Title: "B", Property: []string{"CUSTOM_ID=x"}})
			return err
		},
		"trust": func() error {
			_, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: note.ID, Property: []string{"Trust=owner"}})
			return err
		},
		"no trust": func() error {
			_, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: note.ID, RemoveProperty: []string{"TRUST"}})
			return err
		},
		"headlines": func() error {
			_, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: note.ID, Append: &body, AllowSubheadings: true})
			return err
		},
		"a date that is Lisp": func() error {
			_, err := api.OpEdit.Call(t.Context(), ada, api.EditRequest{ID: note.ID, Schedule: &lisp})
			return err
		},
		"recalled text": func() error {
			_, err := api.OpRemember.Call(t.Context(), ada, api.RememberRequest{Title: "C", Body: recalled})
			return err
		},
	} {
		if err := call(); err == nil || fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
