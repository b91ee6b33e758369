// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/working"
)

// OpWindows is the operation on the windows that an agent was given.
var OpWindows = Define(Operation{Name: "windows", Group: "agents",
	Summary: "List the windows that an agent was given, or render one again"}, listWindows)

// WindowsRequest asks for the windows of an agent, or for the text of one of them.
type WindowsRequest struct {
	ID    string `json:"id,omitempty" jsonschema:"the number of the window to render again; without it they are listed" arg:"NUMBER"`
	Agent string `json:"agent,omitempty" jsonschema:"only the owner names one: whose windows"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many are listed, newest first; 0 means 20" flag:"list at most <N>, newest first (default 20)"`
}

// RecordedWindow is a window as it was given; in a list, without its text.
type RecordedWindow = minds.RecordedWindow

func listWindows(ctx context.Context, l *Local, req WindowsRequest) ([]RecordedWindow, error) {
	if err := checkList("windows", req.Limit, 0); err != nil {
		return nil, err
	}
	agent, session := l.agentAndSession(ctx, req.Agent)
	if agent == "" {
		return nil, fault.Invalidf("windows", "each window belongs to an agent; name the agent (--agent NAME, over HTTP Fovea-Agent)")
	}
	log := fovea.WindowsOf(l.Memex)
	if req.ID == "" {
		all, err := log.List(ctx, session, agent, cmp.Or(req.Limit, 20))
		return list(all), err
	}
	number, err := strconv.ParseUint(req.ID, 10, 64)
	if err != nil {
		return nil, fault.Invalidf("windows", "a window is named by its number; fovea windows lists them")
	}
	v, err := l.Readable(ctx)
	if err != nil {
		return nil, err
	}
	r, err := log.Render(ctx, session, agent, number, minds.Reader{View: v, Hidden: hidden(ctx, l, v)})
	if err != nil {
		return nil, err
	}
	r.Content = validText(r.Content)
	return []RecordedWindow{*r}, nil
}

// hidden returns why a caller may not see a version of a node, "" if it may.
func hidden(ctx context.Context, l *Local, v *view.View) func(path string, n *node.Node) string {
	return func(path string, n *node.Node) string {
		at := *n
		at.Path = path
		switch {
		case seesAll(ctx, l):
		case l.On.Guard().UntrustedVersion(&at):
			return "locked down: this is not the version that its owner trusts"
		case slices.Contains(v.Lockdown(), path):
			return "locked down: its file was changed outside Fovea, and its owner has not decided; see fovea guard diff"
		}
		return ""
	}
}

// recordedOnly reports whether a session has only what Fovea recorded: windows and actions of agents.
func recordedOnly(m *fovea.Memory) bool {
	v := m.View()
	for d := range v.Documents() {
		if _, number := working.WindowOf(d.Path); number > 0 {
			continue
		}
		if b, ok := working.OfNode(d); !ok || !b.Automatic {
			return false
		}
	}
	return v.Len() > 0
}

// windowBefore returns the newest window of the calling agent, an empty one if there was none; nil unless the
// request asks what changed since.
func windowBefore(ctx context.Context, l *Local, req ContextRequest) (*minds.Window, error) {
	if !req.SinceLast {
		return nil, nil
	}
	agent, session := l.agentAndSession(ctx, "")
	switch {
	case agent == "":
		return nil, fault.Invalidf("context", "since-last is for an agent; name one (--agent NAME, over HTTP Fovea-Agent)")
	case req.At != "":
		return nil, fault.Invalidf("context", "since-last is about now; leave out at")
	}
	w, err := fovea.WindowsOf(l.Memex).Last(ctx, session, agent)
	if w == nil && err == nil {
		w = &minds.Window{}
	}
	return w, err
}
