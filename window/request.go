// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/outline"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window/choose"
	"github.com/fovea-memory/fovea/window/render"
)

// Policies choose parts; see Request.
const (
	PolicyValue  = "value"
	PolicyFoveal = "foveal"
	PolicyShares = "shares"
)

// Formats render parts; see Request.
const (
	FormatOrg      = render.Org
	FormatMarkdown = render.Markdown
	FormatJSON     = render.JSON
)

// Layouts arrange the text of a session's windows; see Session.
const (
	// LayoutTree renders one tree, of the nodes new to the session.
	LayoutTree = "tree"
	// LayoutSticky appends to the text of the session's previous window, so that a model's
	// cache of that text stays valid. Budget limits the whole text. One window adds at most
	// a tenth of it, but at least 500 tokens; when no more fits, the text starts over.
	// Window.Parts lists only what was added.
	LayoutSticky = "sticky"
)

// Defaults of zero Request fields.
const (
	DefaultBudget    = 8000
	DefaultThreshold = 0.75
)

// Request specifies a window. The zero Request asks for an overview.
type Request struct {
	// Focus is the id of the node being worked on, "" for none. It is shown in full.
	Focus string
	// Question and Task describe the information need in words; both are optional.
	Question, Task string
	// Caller is who the window is for.
	Caller Caller
	// Budget is the maximum number of tokens of the text; 0 means DefaultBudget.
	Budget int
	// Policy is PolicyValue, the default: value per token over titles, snippets and full
	// nodes; PolicyShares: class by class, critical blocks, high ones up to 80 % of the
	// budget, medium ones and similar notes up to 90 %, low ones and other notes up to 95 %,
	// each whole; or PolicyFoveal: the outlines of all projects, with the focus, its children
	// and its neighbours in full, or without a focus the neighbours of the question. All of
	// them show the critical blocks.
	Policy string
	// Limits are the settings of single policies.
	Limits Limits
	// Format is FormatOrg, the default; FormatMarkdown; or FormatJSON, an array of {id,
	// content, confidence, priority, metadata}: first of priority critical, then high,
	// medium and low ones, and in each class the best first.
	Format string
	// Counter counts the tokens; nil means token.Exact.
	Counter token.Counter
	// Cache caches token counts by the digest of the counted text; nil means the outline's.
	Cache *token.Cache
	// Outline avoids reading the whole source if it is of the same state.
	Outline *Outline
	// Projects are the ids of the active projects in display order.
	Projects []string
	// Degrade shows less of a focus and of critical blocks that do not fit, instead of returning
	// a BudgetError: the best line of as many blocks as possible, and the names of the others.
	// The reasons of these parts state it.
	Degrade bool
	// Explain fills Window.OmittedTop.
	Explain bool
	// Session is the session that the window belongs to, nil for none.
	Session *Session
}

// Limits are the settings of single policies.
type Limits struct {
	// Threshold, of PolicyFoveal, is the minimum similarity, 0 to 1, of the neighbours that are
	// shown in full; 0 means DefaultThreshold.
	Threshold float64
	// Reserve, for PolicyShares only, is the percentage of the budget, 0 to 100, that is kept free
	// for the answer. What the shares leave beyond it goes to the other nodes, which may be
	// shortened. nil keeps to the shares, which leave 5 to 20 % free.
	Reserve *int
}

// Caller is who a window is for, whom its owner trusts, and how files are read for it.
type Caller struct {
	// Agent is the name of the calling agent, "" for the owner.
	Agent string
	// Trusts reports whether the owner trusts an agent's notes in a document, given its
	// path: they are not capped, and neither are Agent's. nil trusts no agent.
	Trusts func(agent, path string) bool
	// Now is the time of the request, from which the age of blocks is computed. With the zero
	// Time, age has no weight.
	Now time.Time
	// Prefetch, if not nil, receives deferred items that are likely to be loaded, so that
	// it can read them in parallel.
	Prefetch func([]*Item)
	// Load reads the body of a deferred item, see Working. Its error affects only that item. If
	// it is nil, Build reads none. The library's View.Window sets Load, Prefetch, Outline and
	// Summarize.
	Load func(*Item) (string, error)
	// Outline, if not nil, is outline.Read with a cache.
	Outline func(language, text string) *outline.File
	// Summarize, if not nil, returns a model's summary of a block that does not fit, given the
	// item with its body. It returns at once, with the text "" if there is no summary yet. Its
	// error affects only that item. LayoutSticky, whose text is stored, does not use it.
	Summarize func(*Item) (Summary, error)
}

// Summary is a model's summary of a text.
type Summary struct {
	Text string // the summary, "" for none
	By   string // names the model
	Of   string // names the text: its file, lines and digest
}

// Session is a session whose windows do not repeat themselves.
type Session struct {
	// Shown is what the session has seen; nil means nothing. The window omits it if it is
	// unchanged, and marks corrections.
	Shown *Shown
	// Layout is LayoutTree, the default, or LayoutSticky.
	Layout string

	wholeBlocks bool // critical blocks are not compressed
}

// Window is a text for a model and the description of its parts. It belongs to the
// caller.
type Window struct {
	Text string `json:"text" jsonschema:"what the model is given"`
	// Tokens is the exact number of tokens of Text, by the counter named Counter.
	Tokens int `json:"tokens" jsonschema:"number of tokens in the text"`
	Budget int `json:"budget" jsonschema:"in tokens"`
	// Counter and Policy are the names of the counter and policy used.
	Counter string `json:"counter" jsonschema:"name of the token counter"`
	Policy  string `json:"policy" jsonschema:"the policy that chose the parts"`
	// Root is the digest of the state that was read.
	Root merkle.Digest `json:"root" jsonschema:"the digest of the whole state"`
	// Parts are in the order of the text.
	Parts []Part `json:"parts" jsonschema:"of the text, each with its reason"`
	// Omitted is the number of nodes that could have been shown but are not.
	Omitted int `json:"omitted" jsonschema:"number of nodes that were left out"`
	// Bound is the value of the parts, 0 to 1, as a share of an upper bound for the budget; 1 if
	// everything is shown in full. For PolicyFoveal the upper bound is the value of everything
	// that the policy would show.
	Bound float64 `json:"bound" jsonschema:"the value of the parts as a share of an upper bound for the budget, 0 to 1"`
	// OmittedTop, if Request.Explain is set, holds the best twenty omitted nodes, best
	// first.
	OmittedTop []Omitted `json:"omitted_top,omitempty" jsonschema:"with explain, the best nodes that were left out, and why"`
	// Gone holds the ids of nodes that the session has seen and that no longer exist.
	Gone []string `json:"gone,omitempty" jsonschema:"ids of nodes that the session was shown and that no longer exist"`
	// Missing holds the ids of at most twenty children that the source names but has no item for.
	Missing []string `json:"missing,omitempty" jsonschema:"diagnostic: ids of children that notes name and that do not exist"`
	// Shown is what the session has seen with this window, nil without a session.
	Shown *Shown `json:"-"`
}

// Omitted is a node that a window could have shown.
type Omitted struct {
	ID    string `json:"id" jsonschema:"the id of the node"`
	Title string `json:"title" jsonschema:"without keyword and tags"`
	Path  string `json:"path" jsonschema:"the file, below the memex"`
	Line  int    `json:"line,omitempty" jsonschema:"in the file, from 1; 0 if the node is in no file"`
	Why   string `json:"why" jsonschema:"no room, said already, cap, or hidden"`
}

// Part is one node in a window.
type Part struct {
	ID    string `json:"id" jsonschema:"the id of the node"`
	Title string `json:"title" jsonschema:"without keyword and tags"`
	Path  string `json:"path" jsonschema:"the file, below the memex"`
	// Line is where the node begins in its file, from 1. The caller of Build fills it in.
	Line   int           `json:"line,omitempty" jsonschema:"in the file, from 1; absent if the node is in no file"`
	Digest merkle.Digest `json:"digest" jsonschema:"of the own bytes"`
	Level  Level         `json:"level" jsonschema:"how much of the node is shown"`
	// Tokens is the number of tokens that this part adds to the text.
	Tokens int `json:"tokens" jsonschema:"number of tokens that the part adds"`
	// Score is the relevance by which the node was ranked, 0 to 1; for PolicyFoveal its
	// similarity to the focus.
	Score float64 `json:"score" jsonschema:"relevance to the request"`
	// Problem is the reason why the text of a deferred node could not be read or summarized, "" if
	// there was none.
	Problem string `json:"problem,omitempty" jsonschema:"why its file cannot be read, or no model summarized it"`
	// Reason explains in words why the node is shown.
	Reason string `json:"reason" jsonschema:"why the node is shown"`
	// Handle is the short name that the text gives the node; "" if it has none.
	Handle string `json:"handle,omitempty" jsonschema:"the short name of the node, which requests accept in place of the id"`
}

var (
	policies = []string{PolicyValue, PolicyShares, PolicyFoveal}
	formats  = []string{FormatOrg, FormatMarkdown, FormatJSON}
	layouts  = []string{LayoutTree, LayoutSticky}
)

// withDefaults sets the zero fields to their defaults and validates the names.
func (r Request) withDefaults() (Request, error) {
	r.Policy = cmp.Or(r.Policy, PolicyValue)
	r.Format = cmp.Or(r.Format, FormatOrg)
	r.Budget = cmp.Or(r.Budget, DefaultBudget)
	r.Limits.Threshold = cmp.Or(r.Limits.Threshold, DefaultThreshold)
	if !slices.Contains(policies, r.Policy) {
		return r, fmt.Errorf("window: policy %q: %w: use one of %s", r.Policy, ErrUnknownPolicy, strings.Join(policies, ", "))
	}
	if !slices.Contains(formats, r.Format) {
		return r, fmt.Errorf("window: format %q: %w: use one of %s", r.Format, ErrUnknownFormat, strings.Join(formats, ", "))
	}
	if reserve := r.Limits.Reserve; reserve != nil && (r.Policy != PolicyShares || *reserve < 0 || *reserve > 100) {
		return r, fmt.Errorf("window: reserve %d: %w: it is a percentage, 0 to 100, for the policy %s only", *reserve, ErrReserve, PolicyShares)
	}
	if s := r.Session; s != nil {
		r.Session = &Session{Shown: cmp.Or(s.Shown, &Shown{}), Layout: cmp.Or(s.Layout, LayoutTree)}
		if !slices.Contains(layouts, r.Session.Layout) {
			return r, fmt.Errorf("window: layout %q: %w: use one of %s", s.Layout, ErrUnknownLayout, strings.Join(layouts, ", "))
		}
	}
	if r.Counter == nil {
		counter, err := token.Exact()
		if err != nil {
			return r, fmt.Errorf("window: exact counter: %w", err)
		}
		r.Counter = counter
	}
	return r, nil
}

// query returns the words of the request.
func (r *Request) query() string {
	return strings.TrimSpace(r.Question + "\n" + r.Task)
}

type (
	// Item is the content of a node.
	Item = render.Item
	// Working is what makes an item a block of working memory.
	Working = render.Working
	// Level is how much of a node is shown.
	Level = choose.Level
)

// The levels, each showing more than the one before.
const (
	Absent  = choose.Absent
	Title   = choose.Title
	Snippet = choose.Snippet
	Full    = choose.Full
)
