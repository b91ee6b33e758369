// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
)

// The operations on feedback.
var (
	OpFeedback = Define(Operation{Name: "feedback", Group: "agents", Effect: Writes, Tool: "history feedback",
		Summary: "Record which of the notes shown for a question were useful"}, giveFeedback)
	OpFeedbackStatus = Define(Operation{Name: "feedback-status",
		Summary: "Show what was learned from feedback, and whether it counts"}, learnedStatus)
	OpFeedbackReset = Define(Operation{Name: "feedback-reset", Effect: Writes,
		Summary: "Forget all feedback; history keeps it"}, resetFeedback)
)

// UsefulRequest names the useful notes. A note that was shown and is not named counts a little against itself.
type UsefulRequest struct {
	Useful   []string `json:"useful,omitempty" jsonschema:"the notes that were useful: ids or handles" arg:"ID..."`
	Not      []string `json:"not,omitempty" jsonschema:"the notes that were not useful" flag:"<ID> that was not useful; may be repeated"`
	Cites    string   `json:"cites,omitempty" jsonschema:"an answer: what it cites was useful" mcp:"answer,yours; the handles in it say what helped" flag:"@TEXT"`
	Question string   `json:"question,omitempty" jsonschema:"the question of the search or of the window" flag:"<QUESTION> that was asked"`
	Window   int      `json:"window,omitempty" jsonschema:"its number in the list of windows; 0 means the newest" flag:"<NUMBER> of the window (default: newest)"`
	Agent    string   `json:"agent,omitempty" jsonschema:"only the owner names one: whose window it is about"`
}

// UsefulResponse is the result of feedback.
type UsefulResponse struct {
	Seq     uint64 `json:"seq" jsonschema:"of the commit, in the history of the session; 0 if nothing could be learned"`
	Session string `json:"session" jsonschema:"that keeps feedback: revert the commit there to take it back"`
	Useful  int    `json:"useful" jsonschema:"how many notes count as useful"`
	Not     int    `json:"not" jsonschema:"how many count as not useful"`
	Unsaid  int    `json:"unsaid" jsonschema:"how many that were shown count a little against"`
	On      bool   `json:"on" jsonschema:"what was learned so far has proved to help, and is used to rank"`
}

// feedbackSubject is what was shown for a question.
type feedbackSubject struct {
	minds.Entry
	question string
	ids      map[string]bool
}

// sessionName is the session that keeps feedback, as requests name it.
var sessionName = strings.TrimPrefix(minds.FeedbackSession, author.SessionPrefix)

// maxFound is the number of hits of a search that count as shown.
const maxFound = 20

func giveFeedback(ctx context.Context, l *Local, req UsefulRequest) (*UsefulResponse, error) {
	if req.Window < 0 {
		return nil, invalid("feedback", errors.New("windows are numbered from 1"))
	}
	v, err := l.View(ctx)
	if err != nil {
		return nil, err
	}
	log := fovea.WindowsOf(l.Memex).Feedback()
	saw, err := whatWasShown(ctx, l, v, &req)
	if err != nil {
		return nil, err
	}
	l.withBlocks(ctx) // a window shows the blocks of its agent, too
	shownIn, err := l.View(ctx)
	if err != nil {
		return nil, err
	}
	verdicts, err := saw.verdicts(l, shownIn, &req)
	if err != nil {
		return nil, err
	}
	by, err := rankedAnew(ctx, l, v, saw.question)
	if err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(by.Ranks(saw.question), func(r recall.Rankable) bool { return !saw.ids[r.ID] })
	e := saw.Entry
	e.Question = merkle.SumText(saw.question)
	e.Judge(kept, verdicts)
	out := &UsefulResponse{Session: sessionName, Useful: e.Useful(), Not: e.Against()}
	out.Unsaid = len(e.Shown) - out.Useful - out.Not
	if out.Useful+out.Not == 0 {
		out.On = log.Model(ctx).On()
		return out, nil // the question does not find the useful notes, so nothing can be learned
	}
	if err := fault.Wrap("feedback", "", fault.ReadOnly, l.Memex.Writable()); err != nil {
		return nil, err
	}
	c, err := log.Add(ctx, e, l.Write())
	if err != nil {
		return nil, err
	}
	out.Seq, out.On = c.Seq, log.Model(ctx).On()
	return out, nil
}

// rankedAnew returns the view that ranks for a question as a search does, without what was learned.
func rankedAnew(ctx context.Context, l *Local, v *view.View, question string) (*view.View, error) {
	return meaning.View(ctx, l.Memex.Meaning(), v.AskedBy(author.AgentOf(ctx)), meaning.Request{Text: question, Timeout: l.Options.EmbedTimeout})
}

// whatWasShown finds the window, or repeats the search, that feedback is about. Errors: NotFound (ErrNoWindow), Invalid.
func whatWasShown(ctx context.Context, l *Local, v *view.View, req *UsefulRequest) (*feedbackSubject, error) {
	agent, session := l.agentAndSession(ctx, req.Agent)
	question := strings.TrimSpace(req.Question)
	by := minds.Owner
	if !l.ByOwner(ctx) {
		by = agent
	}
	switch {
	case agent != "":
		w, err := windowAbout(ctx, fovea.WindowsOf(l.Memex), session, agent, uint64(req.Window), question)
		if err != nil {
			return nil, err
		}
		s := &feedbackSubject{minds.Entry{By: by, Session: session, Window: w.ID}, cmp.Or(strings.TrimSpace(w.Question+"\n"+w.Task), question), map[string]bool{}}
		for _, p := range w.Parts {
			s.ids[p.ID] = true
		}
		if s.question == "" {
			return nil, invalid("feedback", errors.New("that window was asked no question; name the one that it answered"))
		}
		return s, nil
	case by != minds.Owner || req.Window != 0 || req.Agent != "":
		return nil, invalid("feedback", errors.New("each window belongs to an agent; name the agent (--agent NAME, over HTTP Fovea-Agent)"))
	case question == "":
		return nil, invalid("feedback", errors.New("name the question that was searched for with --question, or an agent whose window it was with --agent"))
	}
	ranked, err := rankedAnew(ctx, l, v, question)
	if err != nil {
		return nil, err
	}
	hits, err := ranked.ByFeedback(fovea.WindowsOf(l.Memex).Feedback().Model(ctx)).Search(question, maxFound, nil, l.Options.Now())
	if err != nil {
		return nil, err
	}
	s := &feedbackSubject{minds.Entry{By: by}, question, map[string]bool{}}
	for _, h := range hits {
		s.ids[h.Node.ID] = true
	}
	return s, nil
}

// windowAbout returns a window of an agent: the one with the number, else the newest one for the question (""
// matches any question), else the newest one if it was for no question.
func windowAbout(ctx context.Context, log *minds.Windows, session, agent string, number uint64, question string) (*minds.Window, error) {
	last, err := log.Last(ctx, session, agent)
	if err != nil {
		return nil, err
	}
	is := func(w *minds.Window) bool {
		switch {
		case number != 0:
			return w.ID == number
		case question == "":
			return w.Question+w.Task != ""
		}
		return strings.TrimSpace(w.Question) == question
	}
	if last != nil && is(last) {
		return last, nil
	}
	all, err := log.List(ctx, session, agent, 0)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if w := &all[i].Window; is(w) {
			return w, nil
		}
	}
	if last != nil && number == 0 && last.Question+last.Task == "" {
		return last, nil
	}
	return nil, fault.Wrap("feedback", agent, fault.NotFound, minds.ErrNoWindow)
}

// verdicts returns the verdicts of a request by node id. Errors: Invalid (ErrNeverShown, ErrNothing, ErrNotCited), NotFound.
func (s *feedbackSubject) verdicts(l *Local, v *view.View, req *UsefulRequest) (map[string]recall.Verdict, error) {
	out := map[string]recall.Verdict{}
	add := func(names []string, verdict recall.Verdict) error {
		for _, name := range names {
			id, err := s.idOf(l, v, name)
			if err != nil {
				return err
			}
			if !s.ids[id] {
				return fault.Wrap("feedback", name, fault.Invalid, minds.ErrNeverShown)
			}
			if out[id] == -verdict {
				return fault.Errorf("feedback", name, fault.Invalid, "it is named both as useful and as not useful")
			}
			out[id] = verdict
		}
		return nil
	}
	if err := add(req.Not, recall.Against); err != nil {
		return nil, err
	}
	if err := add(req.Useful, recall.Useful); err != nil {
		return nil, err
	}
	if req.Cites != "" {
		cited := s.cited(v, req.Cites)
		if len(cited) == 0 && len(out) == 0 {
			return nil, invalid("feedback", minds.ErrNotCited)
		}
		for _, id := range cited {
			if out[id] == recall.Unsaid {
				out[id] = recall.Useful
			}
		}
	}
	if len(out) == 0 {
		return nil, invalid("feedback", minds.ErrNothing)
	}
	return out, nil
}

// idOf returns the id of the node that a caller names, which may have been removed after it was shown.
func (s *feedbackSubject) idOf(l *Local, v *view.View, name string) (string, error) {
	if s.ids[name] {
		return name, nil
	}
	n, err := l.Find(v, "feedback", name)
	if err != nil {
		return "", err
	}
	if _, whole := v.Get(n.ID); !whole { // an element of a node
		return n.Parent, nil
	}
	return n.ID, nil
}

// maxCites is the maximum number of bytes of an answer that are read.
const maxCites = 256 << 10

// cited returns the ids of shown notes whose handle or id is in a text; one may be repeated. O(text).
func (s *feedbackSubject) cited(v *view.View, text string) []string {
	names := map[string]string{}
	for id := range s.ids {
		if n, ok := v.Get(id); ok {
			names[id], names[v.Handle(n)] = id, id
		}
	}
	var out []string
	inside := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.:/#", r)
	}
	for word := range strings.FieldsFuncSeq(text[:min(len(text), maxCites)], func(r rune) bool { return !inside(r) }) {
		word = strings.TrimPrefix(strings.Trim(word, ".:-#/"), "id:")
		host, _, _ := strings.Cut(word, "::")
		if id, ok := names[host]; ok {
			out = append(out, id)
		}
	}
	return out
}

// LearnedStatus is what was learned from feedback.
type LearnedStatus struct {
	On      bool            `json:"on" jsonschema:"something that was learned is used to rank"`
	Entries int             `json:"entries" jsonschema:"how many are kept"`
	Owner   int             `json:"owner" jsonschema:"of those, by the owner"`
	Useful  int             `json:"useful" jsonschema:"how often a note was called useful"`
	Not     int             `json:"not" jsonschema:"how often a note was called not useful"`
	Regions []LearnedRegion `json:"regions" jsonschema:"each top folder learns by itself"`
}

// LearnedRegion is what was learned of one part of the memex.
type LearnedRegion struct {
	Folder string `json:"folder" jsonschema:"the top folder; empty for the files beside the folders, /memory for what is in no file"`
	recall.Evidence
	Weights map[string]float64 `json:"weights" jsonschema:"that were learned, from -1/3 to 1/3: how much more a share of an arm, or a habit of notes, counts"`
}

// ResetResponse is the result of a reset.
type ResetResponse struct {
	Seq     uint64 `json:"seq" jsonschema:"of the commit, in the history of the session; 0 if there was nothing"`
	Session string `json:"session" jsonschema:"that kept feedback: revert the commit there to bring it back"`
}

func learnedStatus(ctx context.Context, l *Local, _ None) (*LearnedStatus, error) {
	log := fovea.WindowsOf(l.Memex).Feedback()
	all, err := log.Entries(ctx)
	if err != nil {
		return nil, err
	}
	model := log.Model(ctx)
	s := &LearnedStatus{On: model.On(), Entries: len(all), Regions: []LearnedRegion{}}
	for _, e := range all {
		if e.By == minds.Owner {
			s.Owner++
		}
		s.Useful, s.Not = s.Useful+e.Useful(), s.Not+e.Against()
	}
	for _, name := range slices.Sorted(maps.Keys(model)) {
		r := LearnedRegion{name, model[name].Evidence, map[string]float64{}}
		for k, w := range model[name].Weights {
			if w != 0 {
				r.Weights[recall.FeatureNames[k]] = w
			}
		}
		s.Regions = append(s.Regions, r)
	}
	return s, nil
}

func resetFeedback(ctx context.Context, l *Local, _ None) (*ResetResponse, error) {
	if err := fault.Wrap("feedback", "", fault.ReadOnly, l.Memex.Writable()); err != nil {
		return nil, err
	}
	c, err := fovea.WindowsOf(l.Memex).Feedback().Reset(ctx, l.Write())
	return &ResetResponse{c.Seq, sessionName}, err
}
