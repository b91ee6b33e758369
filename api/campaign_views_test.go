// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/foveatest"
	lines "github.com/fovea-memory/fovea/internal/text"
)

// oldViews is a memory with notes that two sessions of agents and an editor change, each note in a
// file of its own with what is below it, and what they were shown. Lines are unique.
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
	ctx    context.Context
	knows  map[string]bool
	page   map[string]int      // where the next page of a note begins
	bases  map[string][]string // digest and version of a note as answers had them
	repeat func() (*api.EditResponse, error)
}

// oldNote is a note with notes below it: their names, the note's own first.
type oldNote struct {
	*oldViews
	file    string
	names   []string
	writers map[*agentView]bool // of any of it; nil is the editor
}

// open opens the memory again.
func (w *oldViews) open() {
	w.Helper()
	if w.m != nil {
		if err := w.m.Close(); err != nil {
			w.Fatal(err)
		}
	}
	m, err := fovea.Open(w.Context(), w.dir, &fovea.Options{StateDir: w.state})
	if err != nil {
		w.Fatal(err)
	}
	w.m, w.svc = m, api.NewLocal(m, nil)
}

// session returns a session of an agent.
func (w *oldViews) session(agent, name string) *agentView {
	actor := author.Actor{Author: author.Named(agent), Session: name, May: func(string) error { return nil }}
	return &agentView{
		ctx: author.WithScopes(author.WithActor(w.Context(), actor), author.Scopes{Session: name}), knows: map[string]bool{}, page: map[string]int{},
		bases: map[string][]string{},
	}
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

// text is all text of the note and of what is below it, wherever it was moved.
func (h *oldNote) text() string {
	h.Helper()
	files, err := filepath.Glob(strings.TrimSuffix(h.file, "org") + "*")
	if err != nil {
		h.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			h.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

// request draws a change of a note: what it is, and the call for it.
func (h *oldNote) request(name, base, line string) (what string, call func(context.Context, api.Service) (*api.EditResponse, error)) {
	req := api.EditRequest{ID: name, Base: base}
	moves := map[string]api.Op[api.MoveRequest, *api.EditResponse]{"forget": api.OpForget, "archive": api.OpArchive, "refile": api.OpRefile}
	all := []string{"body", "body", "body", "title", "property", "append", "append", "tag", "todo", "forget", "archive", "refile"}
	switch what = all[h.Rand.IntN(len(all))]; what {
	case "body":
		req.Body = &line
	case "title":
		req.Title = &line
	case "property":
		req.Property = []string{"NOTE=" + line}
	case "append":
		req.Append = &line
	case "tag":
		req.Tag = []string{fmt.Sprintf("t%d", h.lines)}
	case "todo":
		req.Todo = new("TODO")
	case "refile":
		h.write(strings.TrimSuffix(h.file, "org")+"place.org", "* Place of "+filepath.Base(h.file)+"\n")
		fallthrough
	default:
		move := api.MoveRequest{ID: name, Base: base}
		if what == "refile" {
			move.To = "Place of " + filepath.Base(h.file)
		}
		return what, func(ctx context.Context, svc api.Service) (*api.EditResponse, error) {
			return moves[what].Call(ctx, svc, move)
		}
	}
	return what, func(ctx context.Context, svc api.Service) (*api.EditResponse, error) {
		return api.OpEdit.Call(ctx, svc, req)
	}
}

// change makes a random change of a note by a session, and checks what was lost. It reports whether
// the whole is still there.
func (h *oldNote) change(a *agentView) bool {
	h.Helper()
	delete(h.writers, a)
	alone := len(h.writers) == 0 // nobody else has written any of it
	h.writers[a] = true
	at := h.Rand.IntN(len(h.names))
	name, line, base := h.names[at], h.line(), ""
	if known := a.bases[name]; known != nil && h.Rand.IntN(3) == 0 {
		base = known[h.Rand.IntN(2)]
	}
	what, call := h.request(name, base, line)
	repeat := func() (*api.EditResponse, error) { return call(a.ctx, api.WithKey(h.svc, line)) }
	before := h.text()
	e, err := repeat()
	h.counts[what]++
	if err != nil {
		conflict, ok := errors.AsType[*fovea.Error](err)
		if !ok || conflict.Kind != fovea.Conflict || base == "" && slices.Contains([]string{"append", "tag", "todo"}, what) || h.text() != before {
			h.Fatalf("%s %s: %v\n%s", what, name, err, before)
		}
		if alone && base == "" {
			h.Fatalf("%s %s is refused, and nobody else wrote the note: %v\n%s", what, name, err, before)
		}
		h.counts["refused"]++
		a.sees(conflict.Theirs)
		return true
	}
	if a.knows[line] = true; e.Seq > 0 { // what changed nothing is not known again by its key
		a.repeat = repeat
	}
	h.check(a, what+" "+name, before, e)
	if a.bases[name] = []string{e.Digest, e.Version}; what == "title" && !strings.HasPrefix(name, "note") {
		h.names[at], a.bases[line] = line, a.bases[name]
	}
	if !slices.Contains([]string{"forget", "archive", "refile"}, what) {
		return true
	}
	h.names = slices.Delete(h.names, at, at+1)
	return at > 0
}

// check checks what a change took away, and notes what its answer shows.
func (h *oldNote) check(a *agentView, what, before string, e *api.EditResponse) {
	h.Helper()
	text := h.text()
	after := textLines(text)
	for _, was := range textLines(before) {
		if !a.knows[was] && !slices.Contains(after, was) {
			h.Fatalf("%s lost %q, which the session had not seen:\n%s---\n%s", what, was, before, text)
		}
	}
	for _, line := range e.Unseen {
		a.sees(line)
		h.counts["told"]++
	}
}

// begin makes the note, as the editor or as a session.
func (h *oldNote) begin(number int, a *agentView) {
	h.Helper()
	id, first := fmt.Sprintf("note-%d", number), h.line()
	named := h.Rand.IntN(2) == 0
	if h.names = []string{first}; named {
		h.names[0] = id
	}
	if h.Rand.IntN(2) == 0 {
		text := fmt.Sprintf("* %s\n:PROPERTIES:\n:ID: %s\n:NOTE: %s\n:END:\n%s\n", first, id, h.line(), h.line())
		if !named {
			text = fmt.Sprintf("* %s\n%s\n", first, h.line())
		}
		h.write(h.file, text)
		h.writers[nil] = true
		return
	}
	note := api.RememberRequest{Title: first, Body: h.line(), Under: filepath.Base(h.file)}
	if named {
		note.Property = []string{"ID=" + id}
	}
	h.remember(a, note)
}

// remember makes a note as a session.
func (h *oldNote) remember(a *agentView, note api.RememberRequest) {
	h.Helper()
	a.repeat = func() (*api.EditResponse, error) {
		return api.OpRemember.Call(a.ctx, api.WithKey(h.svc, note.Title), note)
	}
	if _, err := a.repeat(); err != nil {
		h.Fatal(err)
	}
	a.sees(note.Title + "\n" + note.Body)
	h.writers[a] = true
}

// look shows a session some of the note.
func (h *oldNote) look(a *agentView) {
	h.Helper()
	name := h.names[h.Rand.IntN(len(h.names))]
	switch h.Rand.IntN(4) {
	case 0:
		n, err := api.OpShow.Call(a.ctx, h.svc, api.ShowRequest{ID: name})
		if err != nil {
			h.Fatal(err)
		}
		a.sees(n.Content)
		a.bases[name] = []string{n.Digest, n.Version}
	case 1:
		req := api.ShowRequest{ID: name, Offset: []int{0, a.page[name], a.page[name], h.Rand.IntN(40)}[h.Rand.IntN(4)], Page: 10 + h.Rand.IntN(40)}
		n, err := api.OpShow.Call(a.ctx, h.svc, req)
		if err != nil {
			h.Fatal(err)
		}
		whole := strings.TrimSuffix(n.Content, "\n") + "\n"
		page := lines.Page(whole[min(req.Offset, len(whole)):], req.Page)
		a.sees(page)
		a.page[name] = req.Offset + len(page)
	case 2:
		req := api.ContextRequest{Focus: name, Budget: 100 + h.Rand.IntN(400), Degrade: true, Page: h.Rand.IntN(2) * (50 + h.Rand.IntN(300))}
		found, err := api.OpContext.Call(a.ctx, h.svc, req)
		if err != nil {
			h.Fatal(err)
		}
		if req.Page > 0 {
			found.Text = found.Text[:min(req.Page, len(found.Text))]
		}
		a.sees(found.Text)
	default: // as the tool recall prints it
		const characters = 160
		found, err := api.OpSearch.Call(a.ctx, h.svc, api.SearchRequest{Text: name, Limit: 10, Excerpt: characters, Match: characters})
		if err != nil {
			h.Fatal(err)
		}
		for i := range found {
			a.sees(found[i].Title + "\n" + cmp.Or(found[i].Match, found[i].Excerpt))
		}
	}
}

// again repeats the last change of a session, which changes nothing.
func (h *oldNote) again(a *agentView) {
	h.Helper()
	if a.repeat == nil {
		return
	}
	before := h.text()
	e, err := a.repeat()
	if fovea.KindOf(err) == fovea.NotFound { // by a title that was changed since
		return
	}
	if err != nil || h.text() != before {
		h.Fatalf("a repeated request: %v\n%s---\n%s", err, before, h.text())
	}
	h.check(a, "a repeated request", before, e)
	h.counts["repeated"]++
}

// history lets two sessions and an editor change one note.
func (w *oldViews) history(number int) {
	w.Helper()
	sessions := []*agentView{w.session("mint", "one"), w.session([]string{"mint", "sage"}[w.Rand.IntN(2)], "two")}
	h := &oldNote{oldViews: w, file: filepath.Join(w.dir, fmt.Sprintf("n%d.org", number)), writers: map[*agentView]bool{}}
	h.begin(number, sessions[0])
	for range 3 + w.Rand.IntN(10) {
		a := sessions[w.Rand.IntN(2)]
		switch w.Rand.IntN(12) {
		case 0, 1, 2, 3:
			h.look(a)
		case 4, 5:
			h.editor()
		case 6:
			title := w.line()
			h.remember(a, api.RememberRequest{Title: title, Body: w.line() + "\n" + w.line(), Under: h.names[0]})
			h.names = append(h.names, title)
		case 7:
			h.again(a)
		default:
			if !h.change(a) {
				return
			}
		}
		if w.Rand.IntN(60) == 0 {
			w.open()
			w.counts["restarts"]++
		}
	}
}

// write writes a file as an editor does.
func (w *oldViews) write(file, text string) {
	w.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// editor adds a line or a note to the file as the owner, or takes the last line away.
func (h *oldNote) editor() {
	h.Helper()
	text, err := os.ReadFile(h.file)
	if err != nil {
		h.Fatal(err)
	}
	h.writers[nil] = true
	lines := strings.SplitAfter(strings.TrimRight(string(text), "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	switch last := len(lines) - 1; {
	case h.Rand.IntN(4) == 0 && strings.HasPrefix(lines[last], "line "):
		lines = lines[:last]
	case h.Rand.IntN(4) == 0:
		title := h.line()
		lines = append(lines, "** "+title+"\n", h.line()+"\n", h.line()+"\n")
		h.names = append(h.names, title)
	default:
		at := len(lines) // of the last note, or of the first one
		if kid := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "** ") }); kid > 0 && h.Rand.IntN(2) == 0 {
			at = kid
		}
		lines = slices.Insert(lines, at, h.line()+"\n")
	}
	h.write(h.file, strings.Join(lines, ""))
}

// TestCampaignOldViews: two sessions of agents, of one name or two, and an owner in an editor change
// notes with notes below them in random order, with restarts and repeated requests. What sessions are
// shown is whole notes, pages of them, windows and what a search prints. No line is lost that the session which takes it away has
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
	if w.counts["refused"] == 0 || w.counts["told"] == 0 || w.counts["repeated"] == 0 {
		t.Errorf("the campaign never met an old view: %v", w.counts)
	}
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDigestsAreNoView: who names the digest or the version of a text, as an answer to an append has
// it, has not seen the text.
func TestDigestsAreNoView(t *testing.T) {
	w := &oldViews{T: t, dir: t.TempDir(), state: t.TempDir()}
	w.write(filepath.Join(w.dir, "a.org"), "* Plan\nthe owner's\n** Below\n")
	w.open()
	a := w.session("mint", "one")
	e, err := api.OpEdit.Call(a.ctx, w.svc, api.EditRequest{ID: "Plan", Append: new("more")})
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{"", e.Digest, e.Version} {
		_, err := api.OpEdit.Call(w.session("mint", "of "+base).ctx, w.svc, api.EditRequest{ID: "Plan", Body: new("other"), Base: base})
		_, forgetErr := api.OpForget.Call(w.session("mint", "forgets "+base).ctx, w.svc, api.MoveRequest{ID: "Plan", Base: base})
		if fovea.KindOf(err) != fovea.Conflict || fovea.KindOf(forgetErr) != fovea.Conflict {
			t.Errorf("with base %q: %v, %v", base, err, forgetErr)
		}
	}
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
}
