// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// oldViews is a memory with notes that two sessions of agents and an editor change, each note in a
// file of its own, and what they were shown. Lines are unique.
type oldViews struct {
	*testing.T
	*foveatest.Campaign
	dir, state string
	m          *fovea.Memory
	svc        api.Service
	lines      int
	counts     map[string]int
}

// agentView is what a session was shown, and which lines it wrote.
type agentView struct {
	ctx   context.Context
	knows map[string]bool
}

// open opens the memory again.
func (w *oldViews) open() {
	w.Helper()
	if w.m != nil {
		if err := w.m.Close(); err != nil {
			w.Fatal(err)
		}
	}
	m, err := fovea.Open(w.Context(), w.dir, &fovea.Options{StateDir: w.state, Relaxed: time.Minute})
	if err != nil {
		w.Fatal(err)
	}
	w.m, w.svc = m, api.NewLocal(m, nil)
}

// session returns a session of an agent.
func (w *oldViews) session(agent, name string) *agentView {
	actor := author.Actor{Author: author.Named(agent), Session: name, May: func(string) error { return nil }}
	return &agentView{author.WithScopes(author.WithActor(w.Context(), actor), author.Scopes{Session: name}), map[string]bool{}}
}

// line returns a text that no other line has.
func (w *oldViews) line() string {
	w.lines++
	return fmt.Sprintf("line %d.", w.lines)
}

// modelLine is what the model is about in a text.
var modelLine = regexp.MustCompile(`line \d+\.`)

func textLines(text string) []string { return modelLine.FindAllString(text, -1) }

func (a *agentView) sees(text string) {
	for _, line := range textLines(text) {
		a.knows[line] = true
	}
}

// change makes a random change of a note by a session, and checks what was lost. alone reports
// that nobody else has written the note. It reports whether the note is still there.
func (w *oldViews) change(a *agentView, id, file string, alone bool) bool {
	w.Helper()
	text := func() string {
		b, err := os.ReadFile(file)
		if err != nil {
			w.Fatal(err)
		}
		return string(b)
	}
	before, line := text(), w.line()
	req := api.EditRequest{ID: id}
	var e *api.EditResponse
	var err error
	what := []string{"body", "body", "body", "title", "property", "append", "append", "tag", "todo", "forget"}[w.Rand.IntN(10)]
	switch what {
	case "body":
		req.Body = &line
	case "title":
		req.Title = &line
	case "property":
		req.Property = []string{"NOTE=" + line}
	case "append":
		req.Append = &line
	case "tag":
		req.Tag = []string{fmt.Sprintf("t%d", w.lines)}
	case "todo":
		todo := "TODO"
		req.Todo = &todo
	}
	if what == "forget" {
		e, err = api.OpForget.Call(a.ctx, w.svc, api.MoveRequest{ID: id})
	} else {
		e, err = api.OpEdit.Call(a.ctx, w.svc, req)
	}
	w.counts[what]++
	if err != nil {
		conflict, ok := errors.AsType[*fovea.Error](err)
		if !ok || conflict.Kind != fovea.Conflict || slices.Contains([]string{"append", "tag", "todo"}, what) || text() != before {
			w.Fatalf("%s: %v\n%s", what, err, before)
		}
		if alone {
			w.Fatalf("%s is refused, and nobody else wrote the note: %v\n%s", what, err, before)
		}
		w.counts["refused"]++
		a.sees(conflict.Theirs)
		return true
	}
	a.knows[line] = true
	after := textLines(text())
	for _, was := range textLines(before) {
		if !a.knows[was] && !slices.Contains(after, was) {
			w.Fatalf("%s lost %q, which the session had not seen:\n%s---\n%s", what, was, before, text())
		}
	}
	for _, line := range e.Unseen {
		a.sees(line)
		w.counts["told"]++
	}
	return what != "forget"
}

// history lets two sessions and an editor change one note.
func (w *oldViews) history(number int) {
	w.Helper()
	sessions := []*agentView{w.session("mint", "one"), w.session([]string{"mint", "sage"}[w.Rand.IntN(2)], "two")}
	name, id := fmt.Sprintf("n%d.org", number), fmt.Sprintf("note-%d", number)
	file, writers := filepath.Join(w.dir, name), map[*agentView]bool{}
	if first := w.line(); w.Rand.IntN(2) == 0 {
		text := fmt.Sprintf("* %s\n:PROPERTIES:\n:ID: %s\n:NOTE: %s\n:END:\n%s\n", first, id, w.line(), w.line())
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			w.Fatal(err)
		}
		writers[nil] = true
	} else {
		body := w.line()
		note := api.RememberRequest{Title: first, Body: body, Under: name, Property: []string{"ID=" + id}}
		if _, err := api.OpRemember.Call(sessions[0].ctx, w.svc, note); err != nil {
			w.Fatal(err)
		}
		sessions[0].sees(first + "\n" + body)
		writers[sessions[0]] = true
	}
	for range 3 + w.Rand.IntN(8) {
		a := sessions[w.Rand.IntN(2)]
		switch w.Rand.IntN(9) {
		case 0, 1:
			n, err := api.OpShow.Call(a.ctx, w.svc, api.ShowRequest{ID: id})
			if err != nil {
				w.Fatal(err)
			}
			a.sees(n.Content)
		case 2:
			found, err := api.OpContext.Call(a.ctx, w.svc, api.ContextRequest{Focus: id, Budget: 100 + w.Rand.IntN(400), Degrade: true})
			if err != nil {
				w.Fatal(err)
			}
			a.sees(found.Text)
		case 3, 4:
			w.editor(file)
			writers[nil] = true
		default:
			delete(writers, a)
			alone := len(writers) == 0
			writers[a] = true
			if !w.change(a, id, file, alone) {
				return
			}
		}
		if w.Rand.IntN(60) == 0 {
			w.open()
			w.counts["restarts"]++
		}
	}
}

// editor adds a line to a file as the owner, or takes the last one away.
func (w *oldViews) editor(file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		w.Fatal(err)
	}
	if lines := strings.SplitAfter(strings.TrimRight(string(text), "\n"), "\n"); w.Rand.IntN(4) == 0 && strings.HasPrefix(lines[len(lines)-1], "line ") {
		text = []byte(strings.Join(lines[:len(lines)-1], ""))
	} else {
		text = fmt.Appendf(text, "%s\n", w.line())
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		w.Fatal(err)
	}
}

// TestCampaignOldViews: two sessions of agents, of one name or two, and an owner in an editor change
// notes in random order, with restarts. No line is lost that the session which takes it away has
// neither written nor been shown, and nothing is refused of a note that only the session wrote.
func TestCampaignOldViews(t *testing.T) {
	w := &oldViews{T: t, Campaign: foveatest.NewCampaign(t), counts: map[string]int{}}
	const perMemory = 50
	for number := range w.Length(100, 10_000) {
		if number%perMemory == 0 {
			if w.m != nil {
				if err := w.m.Close(); err != nil {
					t.Fatal(err)
				}
				w.m = nil
			}
			w.dir, w.state = t.TempDir(), t.TempDir()
			w.open()
		}
		w.history(number)
	}
	t.Logf("%v", w.counts)
	if w.counts["refused"] == 0 || w.counts["told"] == 0 {
		t.Errorf("the campaign never met an old view: %v", w.counts)
	}
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
}
