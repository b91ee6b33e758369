// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/token"
)

// Policies choose parts; see Request.
const (
	PolicyValue  = "value"
	PolicyFoveal = "foveal"
)

// Formats render parts; see Request.
const (
	FormatOrg      = "org"
	FormatMarkdown = "markdown"
	FormatJSON     = "json"
)

// The defaults of a Request's fields that are left zero.
const (
	DefaultBudget    = 8000
	DefaultThreshold = 0.75
)

// Request says what a window is for. The zero Request asks for an overview.
type Request struct {
	// Focus is the id of the node being worked on, "" for none. It is shown whole.
	Focus string
	// Question and Task say in words what is sought; either may be "".
	Question, Task string
	// Budget is the greatest number of tokens of the text; 0 is DefaultBudget.
	Budget int
	// Policy is PolicyValue, the default: value per token over titles, snippets
	// and whole nodes; or PolicyFoveal: the outlines of all projects, with the
	// focus, its children and its neighbours whole.
	Policy string
	// Format is FormatOrg, the default, FormatMarkdown or FormatJSON, an array of
	// {id, content, confidence, priority, metadata}.
	Format string
	// Counter counts the tokens; nil is token.Exact.
	Counter token.Counter
	// Cache, where not nil, remembers counts by the digest of what was counted.
	Cache *token.Cache
	// Outline, where it is of the same state as the source, saves walking it.
	Outline *Outline
	// Threshold is the least similarity, 0 to 1, of a neighbour that PolicyFoveal
	// shows whole; 0 is DefaultThreshold.
	Threshold float64
	// Projects are the ids of the active projects in the order to show them.
	Projects []string
	// Degrade shows less of a focus that does not fit, and says so in the part's
	// reason, where Build would return a BudgetError.
	Degrade bool
	// Explain fills Window.OmittedTop.
	Explain bool
}

// Window is a text for a model and the account of what is in it. It belongs to
// the caller.
type Window struct {
	Text string
	// Tokens is what Text costs, exactly, by the counter named Counter.
	Tokens int
	Budget int
	// Counter and Policy are the names of what was used.
	Counter, Policy string
	// Root is the digest of the state that was read.
	Root merkle.Digest
	// Parts stand in the order of the text.
	Parts []Part
	// Omitted is how many nodes that might have been shown are not.
	Omitted int
	// OmittedTop, when asked for, are the ids of the best ten of them, best first.
	OmittedTop []string
	// Bound is the value of the parts as a share of a bound that no choice within
	// the budget exceeds: 0 to 1, and 1 where everything is shown whole. For
	// PolicyFoveal the bound is the value of everything the policy would show.
	Bound float64
}

// Part is one node in a window.
type Part struct {
	ID    string
	Title string
	Level Level
	// Tokens is what this part adds to the text.
	Tokens int
	// Score is the relevance that ranked it, 0 to 1; the similarity in PolicyFoveal.
	Score float64
	// Reason says in words why it is here.
	Reason string
	// Digest is the node's own digest.
	Digest merkle.Digest
}

var (
	policies = []string{PolicyValue, PolicyFoveal}
	formats  = []string{FormatOrg, FormatMarkdown, FormatJSON}
)

// withDefaults fills the fields left zero and checks the names.
func (r Request) withDefaults() (Request, error) {
	r.Policy = cmp.Or(r.Policy, PolicyValue)
	r.Format = cmp.Or(r.Format, FormatOrg)
	r.Budget = cmp.Or(r.Budget, DefaultBudget)
	r.Threshold = cmp.Or(r.Threshold, DefaultThreshold)
	if !slices.Contains(policies, r.Policy) {
		return r, fmt.Errorf("window: policy %q: %w: use one of %s", r.Policy, ErrUnknownPolicy, strings.Join(policies, ", "))
	}
	if !slices.Contains(formats, r.Format) {
		return r, fmt.Errorf("window: format %q: %w: use one of %s", r.Format, ErrUnknownFormat, strings.Join(formats, ", "))
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

// query is the request's words.
func (r *Request) query() string {
	return strings.TrimSpace(r.Question + "\n" + r.Task)
}
