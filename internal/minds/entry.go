// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/working"
)

// Owner is the author of an entry that no agent gave. No agent can have this name.
const Owner = "owner"

// Entry is what somebody said about the notes that were shown for a question.
type Entry struct {
	ID       uint64        `json:"id"` // its number, from 1
	Time     time.Time     `json:"time"`
	By       string        `json:"by"`                // an agent, or Owner
	Session  string        `json:"session,omitempty"` // of the window
	Window   uint64        `json:"window,omitempty"`  // 0 for a search, or a window that is not recorded
	Question merkle.Digest `json:"question"`
	Version  int           `json:"features"`        // of the features, see recall.FeatureVersion
	Times    int           `json:"times,omitempty"` // how many entries about the same question it replaced on its day
	Shown    []Shown       `json:"shown"`
}

// Shown is what an entry says about a node.
type Shown struct {
	ID string `json:"id"`
	recall.Shown
}

// Useful and Against count the nodes that an entry calls useful, and those that it does not.
func (e *Entry) Useful() int { return e.count(recall.Useful) }

// Against counts the nodes that an entry calls not useful.
func (e *Entry) Against() int { return e.count(recall.Against) }

func (e *Entry) count(v recall.Verdict) (n int) {
	for i := range e.Shown {
		if e.Shown[i].Verdict == v {
			n++
		}
	}
	return n
}

// MaxShown is how many nodes an entry keeps: those that it judges, and the best of the
// others.
const MaxShown = 24

// Judge adds nodes that were found for a question, best first, each with its verdict.
func (e *Entry) Judge(found []recall.Rankable, verdicts map[string]recall.Verdict) {
	said, room := 0, MaxShown
	for _, r := range found {
		if verdicts[r.ID] != recall.Unsaid {
			said++
		}
	}
	room -= min(said, MaxShown)
	for _, r := range found {
		if verdicts[r.ID] == recall.Unsaid {
			if room--; room < 0 {
				continue
			}
		}
		if len(e.Shown) == MaxShown {
			break
		}
		s := Shown{r.ID, recall.Shown{Region: r.Region, Kind: short(r.Kind), Score: short(r.Score), Verdict: verdicts[r.ID]}}
		for _, x := range r.Features {
			s.Features = append(s.Features, short(x))
		}
		e.Shown = append(e.Shown, s)
	}
	e.Version = recall.FeatureVersion
}

// short rounds a number to what is kept of it.
func short(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// event returns what an entry teaches.
func (e *Entry) event() recall.Event {
	out := recall.Event{Question: e.Question, Owner: e.By == Owner}
	for _, s := range e.Shown {
		out.Shown = append(out.Shown, s.Shown)
	}
	return out
}

// An entry is a tree of one element, whose attribute holds the entry as JSON.
const (
	nodeType  = "memory-feedback"
	entryAttr = "FEEDBACK"
)

func (e *Entry) tree() (*ast.Tree, error) {
	return working.Record(nodeType, working.FeedbackID(e.ID), entryAttr, e, "", "")
}

var errEntry = errors.New("this is no entry of feedback")

// DecodeEntry reads an entry. The error reports a text that is not an entry; numbers are not checked.
func DecodeEntry(text string) (*Entry, error) {
	var e Entry
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.ID == 0 || e.By == "" || len(e.Shown) > MaxShown ||
		slices.ContainsFunc(e.Shown, func(s Shown) bool { return s.Verdict < recall.Against || s.Verdict > recall.Useful }) {
		return nil, errEntry
	}
	return &e, nil
}

// ofNode returns the entry that a node keeps, nil if it keeps none.
func entryOf(n *node.Node) *Entry {
	e, err := DecodeEntry(document.Lookup(n.Attrs, entryAttr).String())
	if err != nil || e.ID == 0 || n.Path != working.FeedbackPath(e.By, e.ID) {
		return nil
	}
	return e
}
