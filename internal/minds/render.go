// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/working"
)

// session returns the present state of a session, nil if there is none. It reads the disk only for a session
// that is not open.
func (h *Host) session(ctx context.Context, session string) (*graph.State, error) {
	if !slices.ContainsFunc(h.Scopes(), func(s *scope.Scope) bool { return s.Name == session }) {
		names, err := h.Names()
		if err != nil || !slices.Contains(names, session) {
			return nil, err
		}
	}
	w, err := h.Open(ctx, session)
	if err != nil {
		return nil, err
	}
	return w.Scope().Present(), nil
}

// Last returns the manifest of the newest window of an agent in a session, nil for none. Its
// ID is 0 until it is committed.
func (l *Windows) Last(ctx context.Context, session, agent string) (*Window, error) {
	l.mu.Lock()
	w, ok := l.last.Get(keyOf(session, agent))
	l.mu.Unlock()
	if ok || l.host.Off {
		return w, nil
	}
	state, err := l.host.session(ctx, session)
	if err != nil || state == nil {
		return nil, err
	}
	if s := l.newest(state, agent, newestNumber(state)+1); s != nil {
		return &s.Window, nil
	}
	return nil, nil
}

// List returns at most limit windows of an agent in a session, newest first; 0 returns all that the session
// keeps. O(documents of the session).
func (l *Windows) List(ctx context.Context, session, agent string, limit int) ([]RecordedWindow, error) {
	l.Flush(ctx)
	state, err := l.host.session(ctx, session)
	if err != nil || state == nil {
		return nil, err
	}
	var out []RecordedWindow
	for n := range state.Documents() {
		if of, number := working.WindowOf(n.Path); number == 0 || of != agent {
			continue
		}
		if s := windowOf(n); s != nil {
			out = append(out, RecordedWindow{Window: s.Window})
		}
	}
	slices.SortFunc(out, func(a, b RecordedWindow) int { return cmp.Compare(b.ID, a.ID) })
	if limit > 0 {
		out = out[:min(limit, len(out))]
	}
	return out, nil
}

var errNoScope = errors.New("the scope is no longer there")

// version returns the version of a node that a source names.
func (l *Windows) version(ctx context.Context, from source) (*node.Node, error) {
	name := cmp.Or(from.Scope, scope.Memex)
	if from.Scope != "" {
		names, err := l.host.Names()
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) {
			return nil, errNoScope
		}
	}
	w, err := l.host.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer w.Scope().Chain.Reading()()
	return w.Scope().Chain.Version(ctx, from.Digest)
}

// RecordedWindow is a window as it was given; in a list without its text. Parts of the text that could not be
// read are marked in it and listed in Missing.
type RecordedWindow struct {
	Window
	Content string    `json:"content,omitempty" jsonschema:"the text, for a window that is rendered again"`
	Exact   bool      `json:"exact,omitempty" jsonschema:"the text is byte for byte the one that was given"`
	Missing []Missing `json:"missing,omitempty" jsonschema:"parts of the text that no longer exist; […] marks them in the text"`
}

// Missing is a part of a text that is no longer there.
type Missing struct {
	ID   string `json:"id" jsonschema:"the id of the node"`
	Path string `json:"path" jsonschema:"the file, below the memex"`
	Why  string `json:"why" jsonschema:"why its text is missing"`
}

// mark replaces what is missing in a text.
const mark = "[…]"

// Reader is the caller for whom a window is rendered.
type Reader struct {
	View *view.View // the present one
	// Hidden returns why a version of a node must not be shown, "" if it may be.
	Hidden func(path string, n *node.Node) string
}

// Render reconstructs the text of a window from history. Errors: NotFound (the agent has no such window),
// Invalid (the text was too large to be recorded), Corrupt.
func (l *Windows) Render(ctx context.Context, session, agent string, number uint64, r Reader) (*RecordedWindow, error) {
	l.Flush(ctx)
	state, err := l.host.session(ctx, session)
	if err != nil {
		return nil, err
	}
	var s *stored
	if state != nil {
		if n, ok := state.Get(working.WindowID(number)); ok && working.AgentOf(n.Path) == agent {
			s = windowOf(n)
		}
	}
	if s == nil {
		return nil, fault.Errorf("windows", agent, fault.NotFound, "the session keeps no such window of this agent; see fovea windows")
	}
	if s.Recipe == nil {
		return nil, fault.Errorf("windows", agent, fault.Invalid, "what this window showed was too large to be rendered again")
	}
	out := &RecordedWindow{Window: s.Window}
	texts, missing := make([]string, len(s.Sources)), make([]bool, len(s.Sources))
	for i, from := range s.Sources {
		text, why := l.read(ctx, from, s.Sources, r)
		if texts[i] = text; why != "" {
			missing[i] = true
			out.Missing = append(out.Missing, Missing{from.ID, from.Path, why})
		}
	}
	if out.Content, err = s.Recipe.follow(texts, missing, mark); err != nil {
		return nil, fault.Wrap("windows", agent, fault.Corrupt, err)
	}
	out.Exact = merkle.SumText(out.Content).String() == s.Text
	return out, nil
}

// read returns the text of a source, or why it is missing.
func (l *Windows) read(ctx context.Context, from source, all []source, r Reader) (text, why string) {
	if from.Made {
		return "", "a summary by a model is not recorded"
	}
	if !from.File {
		n, err := l.version(ctx, from)
		if err != nil {
			return "", err.Error()
		}
		if why := r.Hidden(from.Path, n); why != "" {
			return "", why
		}
		return textOf(n), ""
	}
	const changed = "the file is not in history, and has changed since"
	at := slices.IndexFunc(all, func(s source) bool { return s.ID == from.ID && !s.File && !s.Made })
	if at < 0 {
		return "", changed
	}
	n, err := l.version(ctx, all[at])
	if err != nil {
		return "", err.Error()
	}
	n.Path = all[at].Path
	b, ok := working.OfNode(n)
	if !ok {
		return "", changed
	}
	text, err = l.host.Load(ctx, r.View, b)
	switch {
	case err != nil:
		return "", err.Error()
	case merkle.SumText(text) != from.Digest:
		return "", changed
	}
	return text, ""
}
